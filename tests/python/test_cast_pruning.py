"""Zones are asked about casts that keep order and beginnings of texts; no row is lost by it."""

import datetime
import itertools
import os
import random

import lance_cpp
import pyarrow as pa
import pytest

DAY = 86_400
EPOCH = datetime.datetime(1970, 1, 1)
NUMBERS = [-(2**53) - 1, -(2**31), -(2**24) - 1, -300, -1, 0, 1, 5, 127, 2**24 + 1, 2**31 - 1]
BIG = [2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, -(2**63)]
SECONDS = [-400 * DAY - 1, -DAY, -DAY + 1, -1, 0, 1, DAY - 1, DAY, 1_000 * DAY, 20_000 * DAY + 7]


def stamps(unit, timezone=None):
    factor = {"s": 1, "ms": 1_000, "us": 1_000_000}[unit]
    return pa.timestamp(unit, timezone), [second * factor for second in SECONDS]


# column type, its values, cast types, constants
CASES = {
    "int32": (
        pa.int32(),
        [n for n in NUMBERS if abs(n) <= 2**31 - 1],
        ["BIGINT", "DOUBLE", "FLOAT", "SMALLINT UNSIGNED"],
        ["-300", "-1", "0", "5", "16777216", "16777217", "2147483647"],
    ),
    "int32 beyond": (
        pa.int32(),
        [n for n in NUMBERS if abs(n) <= 2**31 - 1],
        ["DOUBLE", "BIGINT"],
        ["-10000000000", "10000000000", "-0.5", "2147483647.5", "-2147483648.5", "7", "100"],
    ),
    "uint8": (
        pa.uint8(),
        [0, 1, 5, 127, 128, 255],
        ["DOUBLE", "FLOAT", "BIGINT", "SMALLINT"],
        ["-3", "0", "5", "127", "255", "256", "300"],
    ),
    "int64": (
        pa.int64(),
        NUMBERS + BIG,
        ["DOUBLE", "FLOAT"],
        ["-1.5", "-0.5", "-0.0", "0.5", "5.0", "9007199254740992.0", "9.3e18", "-9.3e18"],
    ),
    "float": (
        pa.float32(),
        [-3.5, -0.1, -0.0, 0.0, 0.1, 7.25, 3e38, -3e38, float("inf"), float("-inf"), float("nan")],
        ["DOUBLE"],
        ["-0.1", "0.0", "-0.0", "0.1", "7.25", "7.2500001", "3e39", "-3e39"],
    ),
    "us": (*stamps("us"), ["DATE", "TIMESTAMP(0)", "TIMESTAMP(9)"], None),
    "seconds": (*stamps("s"), ["DATE", "TIMESTAMP(3)"], None),
    "zone": (*stamps("us", "America/New_York"), ["DATE"], None),
    "date": (pa.date32(), [s // DAY for s in SECONDS], ["TIMESTAMP", "TIMESTAMP(0)"], None),
}


STRINGS = [
    "", "a", "ab", "ab%", "abc", "a_c", "ac", "b", "\u00e4", "\u00e4b", "a\\b", "Ab",
    "\u65e5\u672c", "\U0010ffff",
]  # fmt: skip
BEGINNINGS = [
    "LIKE 'ab%'", "LIKE 'a_c%'", "LIKE 'a!_c%' ESCAPE '!'", "LIKE 'ab\\%%'", "LIKE 'ab'",
    "LIKE '\u00e4%'", "LIKE '\u65e5%'", "LIKE '\U0010ffff%'", "LIKE 'a%b'", "LIKE '%'", "LIKE ''",
    "ILIKE 'ab%'",
]  # fmt: skip
BEGINNINGS_CALLED = [
    "starts_with(c, 'ab')", "starts_with(c, 'a%')", "starts_with(c, '')", "regexp_like(c, '^ab')",
    "regexp_like(c, '^ab*c')", "regexp_like(c, '^\u00e4?b')", "regexp_like(c, '^a|b')",
    "regexp_like(c, '^AB', 'i')",
]  # fmt: skip


def time_constants(cast):
    for seconds in SECONDS:
        moment = EPOCH + datetime.timedelta(seconds=seconds)
        yield f"DATE '{moment.date()}'" if cast == "DATE" else f"TIMESTAMP '{moment}'"


def outcome(dataset, condition, use_stats):
    try:
        rows = dataset.scanner(filter=condition, columns=["row"], use_stats=use_stats).to_table()
        return rows["row"].to_pylist()
    except ValueError as error:
        return str(error)


def clustered(kind, values, place):
    random_ = random.Random(int(os.environ.get("LANCE_TEST_SEED", "1")))
    chosen = sorted(random_.choices(values, k=180), key=lambda v: (v != v, v)) + [None] * 3
    table = pa.table({"c": pa.array(chosen, kind), "row": range(len(chosen))})
    dataset = lance_cpp.write_dataset(table, place)
    dataset.create_scalar_index("c", "ZONEMAP", rows_per_zone=4)
    return lance_cpp.dataset(dataset.uri)


def is_pruned(dataset, condition):
    zones = dataset.explain(filter=condition)["zones"]
    return zones["kept"] < zones["total"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_what_a_text_begins_with_prunes_and_loses_nothing(kind, tmp_path):
    dataset = clustered(kind, STRINGS, str(tmp_path / "t.lance"))
    pruned = 0
    for asked in [f"c {like}" for like in BEGINNINGS] + BEGINNINGS_CALLED:
        for condition in (asked, f"NOT ({asked})", f"({asked}) IS NULL"):
            everything = outcome(dataset, condition, use_stats=False)
            assert isinstance(everything, list), everything
            assert outcome(dataset, condition, use_stats=True) == everything, condition
            pruned += is_pruned(dataset, condition)
    assert pruned > len(BEGINNINGS)


@pytest.mark.parametrize("name", CASES)
def test_a_cast_in_a_filter_prunes_and_loses_nothing(name, tmp_path):
    kind, values, casts, constants = CASES[name]
    dataset = clustered(kind, values, str(tmp_path / "t.lance"))
    asked = pruned = 0
    for cast in casts:
        for constant, op in itertools.product(
            constants or time_constants(cast), ["=", "<", "<=", ">", ">=", "<>"]
        ):
            for condition in (
                f"CAST(c AS {cast}) {op} {constant}",
                f"NOT ({constant} {op} CAST(c AS {cast}))",
            ):
                everything = outcome(dataset, condition, use_stats=False)
                if isinstance(everything, str):  # a value that the cast type cannot hold
                    continue
                assert outcome(dataset, condition, use_stats=True) == everything, condition
                asked += 1
                pruned += is_pruned(dataset, condition)
    assert asked > 60
    assert pruned > asked // 5
