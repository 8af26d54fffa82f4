"""The filters that we and the reference must agree on, and the table that they are asked of."""

import datetime
import decimal
import math

import numpy
import pyarrow as pa
from random_tables import NEGATIVE_NAN

WORDS = [
    "", "a", "w1", "w2", "w25", "w3", "w5", "it's", "\u0416", "\u4e2d\u6587", "zz\U0001f600", "W5",
]
FLOATS = [
    math.nan, NEGATIVE_NAN, math.inf, -math.inf, 0.0, -0.0, 0.1, 1.0, 1.5, 2.0, 3.0, 4.0, -1.0,
    -250.0, 250.0, 16777216.0, 16777218.0, 1.7e38, -1.7e38,
]
HALVES = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 2.5, 65504.0]
DECIMALS = [decimal.Decimal(text) for text in ["1.05", "5", "-3", "0", "999999999.999", "7.125"]]
BIG = [0, 1, 255, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]
START = datetime.datetime(2012, 12, 31, 23, 0, 0)
STRUCT = pa.struct(
    [("a", pa.int32()), ("b", pa.utf8()), ("in", pa.struct([("k", pa.int64())]))]
)
EPOCH = datetime.datetime(1970, 1, 1)


def filter_table(rows, rng, first_id=0):
    """Few distinct values each, so that every literal meets rows; nulls in most columns."""

    def pick(values, null_share=0.1):
        return [None if rng.random() < null_share else rng.choice(values) for _ in range(rows)]

    structs = pick([
        {"a": a, "b": b, "in": {"k": k} if k else None}
        for a in [None, 1, 2, 4] for b in [None, "x", "xy"] for k in [0, 2, 4]
    ])
    days = [datetime.date(2013, 1, 1) + datetime.timedelta(days=i) for i in range(0, 120, 3)]
    days += [datetime.date(1969, 12, 31), datetime.date(1970, 1, 1), datetime.date(1899, 2, 28)]
    moments = [START + datetime.timedelta(minutes=30 * i) for i in range(0, 6000, 7)]
    moments += [EPOCH - datetime.timedelta(microseconds=1), EPOCH]
    moments += [datetime.datetime(2013, 3, 1, 0, 0, 5, 500000)] * 20
    seconds = [int((moment - EPOCH).total_seconds() // 1) for moment in moments]
    nanoseconds = [second * 10**9 + i % 3 for i, second in enumerate(seconds)] + [0, 1]
    return pa.table(
        {
            "id": pa.array(range(first_id, first_id + rows), pa.int64()),
            "n": pa.array(pick(range(-10, 20)), pa.int32()),
            "m": pa.array(pick(range(-10, 20), 0.0), pa.int32()),
            "tiny": pa.array(pick([-128, -1, 0, 5, 127]), pa.int8()),
            "small": pa.array(pick([0, 1, 127, 128, 255]), pa.uint8()),
            "u": pa.array(pick(BIG), pa.uint64()),
            "s": pa.array(pick(WORDS), pa.utf8()),
            "f": pa.array(pick(FLOATS), pa.float64()),
            "g": pa.array(pick(FLOATS), pa.float32()),
            "b": pa.array(pick([True, False]), pa.bool_()),
            "d": pa.array(pick(days), pa.date32()),
            "t": pa.array(pick(moments), pa.timestamp("us")),
            "z": pa.array(pick(moments), pa.timestamp("us", "UTC")),
            "ts": pa.array(pick(seconds), pa.timestamp("s")),
            "tn": pa.array(pick(nanoseconds), pa.int64()).cast(pa.timestamp("ns")),
            "nothing": pa.nulls(rows, pa.int32()),
            "dec": pa.array(pick(DECIMALS), pa.decimal128(12, 3)),
            "wide": pa.array(pick(DECIMALS), pa.decimal256(50, 3)),
            "clock": pa.array(pick([0, 60, 86399]), pa.int32()).cast(pa.time32("s")),
            "micro": pa.array(pick([0, 10**6, 86399 * 10**6]), pa.int64()).cast(pa.time64("us")),
            "span": pa.array(pick([-60, 0, 60]), pa.int64()).cast(pa.duration("s")),
            "half": pa.array([v and numpy.float16(v) for v in pick(HALVES)], pa.float16()),
            "fsb": pa.array(pick([b"ab", b"cd", b"\0\xff"]), pa.binary(2)),
            "d64": pa.array(pick([-86400000, 0, 86400000]), pa.int64()).cast(pa.date64()),
            "kind": pa.array(pick(WORDS)).dictionary_encode(),
            "my col": pa.array(pick(range(10)), pa.int16()),
            "back`tick": pa.array(pick(range(10)), pa.int16()),
            "MixedCase": pa.array(pick(range(10)), pa.int16()),
            "st": pa.array(structs, STRUCT),
            "li": pa.array(pick([[], [1], [1, 2], [None, 3], [3, 2, 1]]), pa.list_(pa.int32())),
        }
    )


FILTERS = """
n = 7
7 = n
n <> 7
n != 7
n < -3
n <= -3
n > 12
12 <= n
n = -10
n > 1000
NOT n = 7
NOT (n < 5)
NOT NOT n < 5
n BETWEEN -2 AND 3
n NOT BETWEEN -2 AND 3
NOT n BETWEEN -2 AND 3
n BETWEEN 3 AND -2
n BETWEEN 3 AND NULL
n NOT BETWEEN 3 AND NULL
n IN (1, 2, 3)
n IN (1, 2, 3, 4, 5)
n IN (7)
n NOT IN (1, 2)
NOT n IN (1, 2)
n IN (1, NULL)
n NOT IN (1, NULL)
n IN (NULL)
n IS NULL
n IS NOT NULL
NOT n IS NULL
n = NULL
NOT (n = NULL)
n <> NULL
(n = NULL) IS NULL
m IS NULL
nothing IS NULL
nothing IS NOT NULL
nothing = 1
NOT nothing = 1
nothing IN (1, 2)
tiny = 127
tiny < -1
small = 255
small >= 128
u = 18446744073709551615
u > 9223372036854775807
u >= 9223372036854775808
u IN (0, 18446744073709551614)
u = 9007199254740993
s = 'w5'
s = "w5"
s <> 'w5'
s < 'w2'
s <= 'w2'
s >= 'z'
s = ''
s <> ''
s > ''
s IN ('w1', '', 'nope')
s IN ('w1', 'w2', 'w3', 'w5', '')
s NOT IN ('w1', '')
s BETWEEN 'w1' AND 'w3'
s NOT BETWEEN 'w1' AND 'w3'
s = 'it''s'
s = '\u0416'
s > '\u4e2d'
s = 'zz\U0001f600'
s IS NULL
NOT s = 'w5'
f = 0
f = 0.0
f = -0.0
f < 0
f < -0.0
f <= 0
f <= -0.0
f > 0
f >= 0.0
f <> 0
f IN (0.0, 1.5)
f IN (-0.0)
f NOT IN (0, 1.5)
f IN (1, 2, 3, 4)
f IN (0, 1, 2, 3, 4)
f IN (250, 1.5, -1, 0.1, 7)
f NOT IN (1, 2, 3, 4)
f > 100
f < -100
f >= -1e308
f <= 1e308
f > 1e308
f < -1e308
f BETWEEN -1 AND 1
f NOT BETWEEN -1 AND 1
f BETWEEN 0.0 AND 0.0
f = 1
f = 1.5
f = 0.1
NOT f > 2
NOT (f < 2 OR f > 3)
f IS NULL
f IS NOT NULL
g = 0.1
g < 0.1
g <= 0.1
g > 16777217
g = 16777217
g >= 1e39
g < 0
g IN (0, 1, 2, 3)
g NOT IN (0, 0.1)
g BETWEEN -1 AND 0.1
b
NOT b
b = true
b = false
b <> true
b IS TRUE
b IS FALSE
b IS NOT TRUE
b IS NOT FALSE
b IS NULL
b IN (true)
b IN (true, false)
b NOT IN (true)
b < true
b >= false
NOT b OR b IS NULL
b AND n > 3
d = DATE '2013-03-02'
d < DATE '1970-01-01'
d <= date '1969-12-31'
d BETWEEN DATE '2013-01-15' AND DATE '2013-02-15'
d IN (DATE '2013-01-01', DATE '1899-02-28')
d NOT IN (DATE '2013-01-01')
d IS NULL
d >= TIMESTAMP '2013-03-02 00:00:00'
t >= TIMESTAMP '2013-03-01 00:00:00' AND t < TIMESTAMP '2013-03-08 00:00:00'
t = TIMESTAMP '2013-03-01 00:00:05.5'
t > TIMESTAMP '2013-03-01 00:00:05.500000'
t < TIMESTAMP '1970-01-01 00:00:00'
t >= TIMESTAMP '2013-03-01'
t >= DATE '2013-03-01'
t = TIMESTAMP '2013-03-01T00:00:05.5'
t >= TIMESTAMP '2013-03-01 00:00:00Z'
t NOT BETWEEN TIMESTAMP '2013-01-02 00:00:00' AND TIMESTAMP '2013-04-02 00:00:00'
t IS NULL
z >= TIMESTAMP '2013-03-01 00:00:00' AND z < TIMESTAMP '2013-03-08 00:00:00'
z >= TIMESTAMP '2013-03-01T00:00:00Z'
z >= TIMESTAMP '2013-03-01 00:00:00-05:00'
z IN (TIMESTAMP '1970-01-01 00:00:00', TIMESTAMP '2013-03-01 00:00:05.5')
z < TIMESTAMP '1970-01-01 00:00:00Z'
z >= DATE '2013-03-01'
ts = TIMESTAMP '2013-03-01 00:00:05.5'
ts > TIMESTAMP '2013-03-01 00:00:05.5'
ts <= TIMESTAMP '1970-01-01 00:00:00'
tn = TIMESTAMP '1970-01-01 00:00:00'
tn > TIMESTAMP '2013-03-01 00:00:00' AND tn <= TIMESTAMP '2013-03-02 00:00:00'
n = m
n < m
n <> m
t = z
f < g
n > 3 AND s = 'w5'
n > 3 OR s = 'w5'
NOT (n > 3 AND s = 'w5')
NOT (n > 3 OR s = 'w5')
n > 3 OR n IS NULL
(n = 1 OR n = 2) AND NOT s < 'w5'
n = 1 AND n = 2
n = 1 OR n = 2 AND s = 'w5'
s = 'w5' AND n > 3 AND d > DATE '2013-02-01' AND f > 1
(n > 3) = b
(n > 3) IS TRUE
(n > 3) IS NULL
n > 3 AND NULL
n > 3 OR NULL
n > 3 AND true
n > 3 OR true
`n` = 7
`my col` > 5
`back``tick` = 3
`my col` IS NULL
N = 7
MixedCase = 3
mixedcase = 3
true
false
1 = 1
1 = 2
n = 7; DROP TABLE t
n = 7 -- the rest is said to people
/* said to people */ n = 7
(((n = 7)))
n=7AND s='w5'
n == 7
n IS DISTINCT FROM 7
n + 1 = 8
n = 3 + 4
s LIKE 'w%'
s || 'x' = 'w5x'
CAST(n AS BIGINT) = 7
f = CAST('NaN' AS DOUBLE)
isnan(f)
lower(s) = 'w5'
id % 10 = 3
n + m > 10
n - m < -5
n * m = 12
n / 2 = 3
-n = 3
- n + 3 > 5
tiny + small > 200
tiny + tiny > 100
small * 2 > 100
u > n
n < u
u = id
n / 3 * 3 = n
n % 4 = -1
n - 1 - 1 = 3
2 + 3 * n = 5
(2 + 3) * n = 5
f + 1 > 2
f / 0 > 0
f * 2 = 3
g + 1 > 2
g * n > 3
f % 2 = 0
n IS NOT DISTINCT FROM m
n IS DISTINCT FROM NULL
n IS NOT DISTINCT FROM NULL
f IS NOT DISTINCT FROM 1.5
s IS DISTINCT FROM 'w5'
b IS DISTINCT FROM true
s LIKE '%5'
s LIKE 'w_'
s LIKE ''
s LIKE '%'
s ILIKE 'W5'
s NOT LIKE 'w%'
s NOT ILIKE 'w%'
NOT s LIKE 'w%'
s LIKE '%''%'
s LIKE NULL
lower(s) LIKE 'w%' AND n > 0
upper(s) = 'W5'
length(s) = 2
length(s) > 1 AND s <> 'it''s'
char_length(s) + 1 = 3
octet_length(s) > length(s)
concat(s, '-', n) = 'w5-7'
concat(s, NULL) = 'w5'
s || NULL = 'w5'
s || n = 'w57'
starts_with(s, 'w')
NOT ends_with(s, '5')
contains(s, '''')
replace(s, 'w', 'v') = 'v5'
reverse(s) = '5w'
btrim(s, 'w') = '5'
regexp_like(s, '^w[0-9]$')
abs(n) = 3
abs(n) + abs(m) > 20
round(f) = 2
round(f, 1) = 0.1
trunc(f) = 1
sqrt(m) > 3
power(n, 2) = 49
exp(f) > 10
ln(m) > 1
log10(m) > 1
log(2, m) = 3
isnan(g)
isnan(n)
iszero(f)
nanvl(f, 1.0) = 1
coalesce(n, 0) = 0
coalesce(n, m) = m
coalesce(s, 'none') = 'none'
nvl(n, 3) = 3
ifnull(n, 3) = 3
nvl2(n, 1, 2) = 2
nullif(n, 7) IS NULL
greatest(n, m) = m
least(n, m, 2) = 2
date_part('year', d) = 2013
date_part('month', t) = 2
date_part('day', z) = 1
date_part('dow', d) = 0
date_part('doy', t) > 60
date_part('hour', t) = 12
date_part('minute', t) = 30
date_part('week', d) = 5
date_part('quarter', t) = 1
date_trunc('month', t) = TIMESTAMP '2013-02-01 00:00:00'
date_trunc('day', z) = TIMESTAMP '2013-02-01 00:00:00'
date_trunc('week', t) < TIMESTAMP '2013-02-01 00:00:00'
date_trunc('year', d) = DATE '2013-01-01'
n::bigint = 7
CAST(n AS string) = '7'
CAST(n AS double) = 7.0
TRY_CAST(n AS tinyint unsigned) > 3
TRY_CAST(s AS int) = 5
TRY_CAST(f AS int) = 1
CAST(b AS int) = 1
CAST(n AS boolean)
CAST(t AS date) = DATE '2013-02-01'
CAST(d AS timestamp) = TIMESTAMP '2013-01-01 00:00:00'
CAST(d AS string) = '2013-01-01'
d = CAST('2013-01-01' AS date)
t > CAST('2013-03-01' AS timestamp)
CAST(n AS date) = DATE '1970-01-08'
CAST(t AS bigint) > 1362096000000000
arrow_cast(n, 'Int64') = 7
arrow_cast(n, 'Utf8') = '7'
n + 1 IN (2, 6)
n IN (m, 1)
n NOT IN (m, 1)
lower(s) IN ('w1', 'w2')
lower(s) NOT IN ('w1', 'w2')
n BETWEEN m AND 5
n + 1 BETWEEN 0 AND 3
5 BETWEEN n AND m
1 + 1 = n
n = 1 + 1 + 1
2 * n = 2
(n = 1) = b
(n > 1) <> b
(n > 1) IS DISTINCT FROM b
(n + 1) = (m - 1)
n + 1 = 8.0
n * 2 = '4'
n = f
f = n
g = n
id < f
s > 'a' || 'b'
s = 'w' || '5'
'w' || n = s
n + 1 IS NULL
n + 1 IS NOT NULL
lower(s) IS NULL
(n > 1) IS NULL
NULL + n IS NULL
coalesce(NULL, n) = 7
d = t
d < z
ts = t
tn > ts
ts <= tn
`my col` + 1 = 5
MixedCase * 2 = mixedcase + 3
CAST(f AS boolean)
n / nullif(m, 0) = 2
st.a = 1
st.a + 1 = 2
st['a'] > 2
st.b = 'x'
st.b LIKE 'x%'
st.a IS NULL
st IS NULL
st.a IN (1, 4)
st.a = n
st.in.k > 3
st['in']['k'] = 2
li[1] = 1
li[0] IS NULL
li[-1] = 3
array_length(li) = 2
u + 1 = 2
dec = 5
dec > -3
dec IN (5, -1, 7)
dec BETWEEN -3 AND 2
NOT (dec = 5)
dec = CAST(1.05 AS DECIMAL(12,3))
dec < CAST(1.05 AS DECIMAL(5,2))
dec IN (CAST(1.05 AS DECIMAL(12,3)), 5)
dec > n
dec = CAST('1.05' AS DECIMAL(12,3))
dec + 1 = 6
dec * 2 > 3
dec - n < 0
-dec = 3
abs(dec) = 3
CAST(dec AS DOUBLE) = 1.05
dec IS NULL
wide = 5
wide > CAST(1.5 AS DECIMAL(12,3))
clock = arrow_cast(60, 'Time32(Second)')
clock > arrow_cast('00:01:00', 'Time32(Second)')
clock IN (arrow_cast(0, 'Time32(Second)'), arrow_cast(60, 'Time32(Second)'))
micro < arrow_cast('12:00:00', 'Time64(Microsecond)')
span = arrow_cast(60, 'Duration(Second)')
span > arrow_cast(0, 'Duration(Second)')
half = 1
half > 1.5
half IN (0, 1, 2.5)
half < -0.0
NOT (half > 1)
half + 1 > 2
fsb = X'6162'
fsb > X'6162'
fsb IN (X'6162', X'6364')
d64 = DATE '1970-01-02'
d64 > DATE '1970-01-01'
d64 IN (DATE '1970-01-02')
kind = 'w1'
kind > 'w1'
kind IN ('w1', 'a')
kind LIKE 'w%'
kind IS NULL
t - t = arrow_cast(0, 'Duration(Microsecond)')
t + arrow_cast(1, 'Duration(Microsecond)') > t
t - arrow_cast(60, 'Duration(Second)') < TIMESTAMP '2013-02-01 00:00:00'
cardinality(li) > 1
li[1] + li[2] = 3
"""

FILTERS = FILTERS.strip("\n").split("\n")

# What both refuse: literals that do not fit, names that are not there, text that is no filter.
REFUSED = [
    "CASE WHEN n > 1 THEN b END", "CAST(n AS varchar) = '7'", "substr(s, 1) = 'w'",
    "trim(s) = 'w5'",
    "floor(f) = 1", "extract(year from d) = 2013", "b IS UNKNOWN", "nope(n)",
    "lower(n) = '7'", "n + s = 1", "s + 1 = 2", "b + 1 = 2", "n || m = '1'", "-small = 1",
    "-s = 's'",
    "st.nope = 1", "st.a = 1.5", "st.a = 'x'", "n + 1", "n AND b", "CAST(s AS int) = 5",
    "n / 0 = 1",
    "n % 0 = 1", "CAST(f AS int) = 1", "n = b", "n LIKE '1'", "n = 1.0 + 0",
    "tiny = 128", "tiny > 200", "small = 256", "small = -1", "u = 18446744073709551616", "n = 7.0",
    "n = 7.5", "n = '7'", "n = true", "s = 5", "d = '2013-03-02'", "d = 15766",
    "t = '2013-03-01 00:00:05.5'", "`mixedcase` = 3", "nope = 1", "NULL", "n", "n =", "n = 1 AND",
    "n = 'w", "(n = 1",
]

# Where the two differ: what ours does, what the reference does, and who is right.
UNFIT_UNDER_NOT = (
    "refuses, exit 2", "answers", "ours; the reference converts no literal under NOT",
)
DOUBLE_UNDER_NOT = (
    "answers",
    "answers otherwise",
    "ours; the reference compares with the double under NOT, so rows pass a filter and its NOT",
)
DIFFERENCES = {
    "n IS DISTINCT FROM 7 AND b": (
        "answers", "refuses", "ours; the reference takes all that follows FROM as one operand",
    ),
    "s LIKE 'w!%' ESCAPE '!' OR n = 7": (
        "answers", "refuses", "ours; the reference takes no escape but a backslash",
    ),
    "NOT (tiny = 128)": UNFIT_UNDER_NOT,
    "NOT (n = 7.5)": UNFIT_UNDER_NOT,
    "NOT (n = '7')": UNFIT_UNDER_NOT,
    "NOT (d = '2013-03-02')": UNFIT_UNDER_NOT,
    "NOT (g = 0.1)": DOUBLE_UNDER_NOT,
    "NOT (g <= 0.1)": DOUBLE_UNDER_NOT,
    "NOT (g NOT IN (0, 0.1))": DOUBLE_UNDER_NOT,
    "NOT (g BETWEEN -1 AND 0.1)": DOUBLE_UNDER_NOT,
    "`back``tick` = 3": ("answers", "refuses", "ours; the reference cannot reach such a column"),
    "n=7AND s='w5'": (
        "refuses, exit 2",
        "answers",
        "nobody; the reference ends a number where the next word begins",
    ),
}
