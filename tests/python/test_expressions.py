"""pyarrow expressions as filters give the rows that they give the reference."""

import datetime
import decimal
import functools
import operator

import lance
import lance_cpp
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.substrait
import pytest

TIME = datetime.datetime
UTC = datetime.timezone.utc
ROWS = pa.table(
    {
        "i": [1, 2, None, 0, -5],
        "small": pa.array([1, -1, 2, None, 3], pa.int8()),
        "s": ["x", "", "o'q", None, "qaz"],
        "f": pa.array([0.5, 0.0, 1.0, None, float("nan")], pa.float32()),
        "at": pa.array(
            [TIME(2019, 1, 1), None, TIME(2020, 1, 1), TIME(2021, 1, 1), TIME(1960, 1, 1)],
            pa.timestamp("ms"),
        ),
        "zoned": pa.array([TIME(2019, 1, 1)] * 4 + [None], pa.timestamp("us", "UTC")),
        "day": pa.array([datetime.date(2020, 1, 1), None, None, None, None], pa.date32()),
        "flag": [True, False, None, True, False],
        "bytes": pa.array([b"q", b"", None, b"q", b"r"], pa.binary()),
        "my col": [1, 2, 3, 4, 5],
        "large": pa.array(["x", None, "y", "x", "z"], pa.large_string()),
        "nano": pa.array([TIME(2019, 1, 1)] * 5, pa.timestamp("ns")),
        "point": pa.array([{"x": 3}, {"x": None}, None, {"x": 4}, {"x": 3}]),
        "price": pa.array([decimal.Decimal("1.20")] * 5, pa.decimal128(10, 2)),
    }
)
I, S, F, AT = (pc.field(name) for name in ("i", "s", "f", "at"))
FLAG, SMALL = pc.field("flag"), pc.field("small")
# As DuckDB asks for x IN (...).
DUCKDB_IN = pc.if_else(S.is_valid(), S.isin(["x", "o'q"]), pa.scalar(None, pa.bool_()))
SAME = [
    I == 1, I != 0, I == 0, I == -5, SMALL == -1, SMALL < 3, I + 1 > 2, I * 2 - 1 <= 3, I / 2 == 1,
    S == "x", S == "", S == "o'q", S >= "o", S.isin(["x", "o'q"]), I.isin([0, 2]), I.isin([]),
    ~I.isin([1, 2]), S.isin(["x", None]), DUCKDB_IN, ~DUCKDB_IN,
    F > 0.5, F == 0.0, F.is_nan(), I.is_null(), S.is_valid(), FLAG, ~FLAG,
    FLAG == pa.scalar(False),
    AT < TIME(2020, 1, 1), AT == TIME(2020, 1, 1, 0, 0, 0),
    pc.field("zoned") < TIME(2020, 1, 1, tzinfo=UTC), pc.field("day") == datetime.date(2020, 1, 1),
    pc.field("bytes") == b"q", pc.field("my col") > 3, pc.scalar(True), pc.scalar(False),
    pc.starts_with(S, "q"), pc.ends_with(S, "q"), pc.match_substring(S, "a"),
    pc.field("price") == decimal.Decimal("1.20"), pc.field("price") > decimal.Decimal("-3.5"),
    ((I > 0) & (SMALL < 2)) | (S == "qaz"), ~((I > 0) & FLAG),
]  # fmt: skip
X, Y, SHORT = pc.field("x"), pc.field("y"), pc.field("short")
DIFFERENT = pa.table(
    {
        "x": [1, None, 7],
        "y": [1.0, None, float("nan")],
        "short": pa.array([1, None, 127], pa.int8()),
    }
)
# What rows docs/guide/filters.md says that Arrow finds, and we; None: an error.
OTHERWISE = [
    (X.isin([1, None]), [0, 1], [0]), (~X.isin([1, None]), [2], []), (~X.isin([1]), [1, 2], [2]),
    (Y > 3, [], [2]), (SHORT == 300, [], None), (SHORT + SHORT < 0, None, [2]),
]  # fmt: skip
DATES, TIMES, ZONED = (
    functools.partial(pa.scalar, type=kind)
    for kind in (pa.date32(), pa.timestamp("us"), pa.timestamp("us", "UTC"))
)
# Which the reference refuses, or takes forever for: what it serializes doubles with each OR.
OURS = [
    (pc.field("point", "x") == 3, [0, 4]),
    (pc.field("large") == "x", [0, 3]),
    (pc.field("nano") < TIME(2020, 1, 1), [0, 1, 2, 3, 4]),
    (AT > TIME(1950, 1, 1, 0, 0, 0, 500), [0, 2, 3, 4]),
    (F > 1e22, [4]),
    (F > 1e-7, [0, 2, 4]),
    (F < float("inf"), [0, 1, 2]),
    (pc.utf8_upper(S) == "QAZ", [4]),
    (pc.utf8_length(S) == 1, [0]),
    (pc.coalesce(I, 7) > 1, [1, 2]),
    (pc.shift_left(I, 1) == 4, [1]),
    (pc.if_else(S.is_valid(), I, -1) == -5, [4]),
    (pc.abs(I) > 1, [1, 4]),
    (pc.max_element_wise(I, SMALL) > 1, [1, 2, 4]),
    (I.cast("int8", safe=False) == 1, [0]),
    (I.cast("int8") == 1, [0]),
    (pc.match_like(S, "q%"), [4]),
    (pc.field("nano") == pa.scalar(1_546_300_800_000_000_000, pa.timestamp("ns")), [0, 1, 2, 3, 4]),
    (pc.field("nano") == pa.scalar(1_546_300_800_000_000_001, pa.timestamp("ns")), []),
    (pc.field("price") < decimal.Decimal("1.205"), [0, 1, 2, 3, 4]),
    (pc.field("_rowid") == 3, [3]),
    (pc.field("_rowaddr") < 2, [0, 1]),
    (pc.field("day") < DATES(2_932_897), [0]),
    (pc.field("day") > DATES(-719_529), [0]),
    (pc.field("day") < DATES(2**31 - 1), [0]),
    (pc.field("day") > DATES(-(2**31)), [0]),
    (AT < TIMES(2**63 - 1), [0, 2, 3, 4]),
    (AT > TIMES(-(2**63)), [0, 2, 3, 4]),
    (pc.field("zoned") < ZONED(2**63 - 1), [0, 1, 2, 3]),
    (functools.reduce(operator.or_, [I == i for i in range(-5, 1000)]), [0, 1, 3, 4]),
    (functools.reduce(operator.and_, [I != i for i in range(2, 1000)]), [0, 3, 4]),
]
REFUSED = [
    (pc.year(AT) == 2020, "year"),
    (pc.if_else(FLAG, I == 1, I == 2), "if_else"),
    (pc.max_element_wise(I, SMALL, skip_nulls=False) > 1, "max_element_wise"),
]


@pytest.fixture
def ours(place):
    return lance_cpp.write_dataset(ROWS, place)


def rows_of(ds, expression):
    return ds.to_table(filter=expression, with_row_id=True)["_rowid"].to_pylist()


@pytest.mark.parametrize("expression", SAME, ids=str)
def test_an_expression_finds_what_it_finds_for_the_reference(ours, expression):
    assert rows_of(ours, expression) == rows_of(lance.dataset(ours.uri), expression)


@pytest.mark.parametrize("expression, rows", OURS, ids=str)
def test_an_expression_finds_what_it_says(ours, expression, rows):
    assert rows_of(ours, expression) == rows


@pytest.mark.parametrize("expression, of_arrow, rows", OTHERWISE, ids=str)
def test_arrow_evaluates_some_otherwise_as_the_guide_says(expression, of_arrow, rows, place):
    ds = lance_cpp.write_dataset(DIFFERENT, place)
    numbered = DIFFERENT.append_column("row", pa.array(range(3)))
    if of_arrow is None:
        with pytest.raises(pa.ArrowInvalid):
            numbered.filter(expression)
    else:
        assert numbered.filter(expression)["row"].to_pylist() == of_arrow
    if rows is None:
        with pytest.raises(lance_cpp.InvalidError, match="300"):
            rows_of(ds, expression)
    else:
        assert rows_of(ds, expression) == rows
    if expression.equals(SHORT == 300):
        return  # the reference has no such cast
    assert rows_of(lance.dataset(ds.uri), expression) == rows


@pytest.mark.parametrize("expression, part", REFUSED, ids=str)
def test_what_cannot_be_asked_is_refused_by_name(ours, expression, part):
    with pytest.raises(lance_cpp.UnsupportedError, match=part):
        ours.to_table(filter=expression)


def test_a_column_that_is_not_there_is_named(ours):
    with pytest.raises(lance_cpp.InvalidError, match="there is no column nope; columns: i, small"):
        ours.to_table(filter=pc.field("nope") == 1)


def test_columns_by_place_are_refused(ours):
    with pytest.raises(lance_cpp.UnsupportedError, match="name the columns"):
        ours.to_table(filter=pc.field(0) == 1)


def test_deep_expressions_answer_or_fail_cleanly(ours):
    def negated(depth):
        return functools.reduce(lambda condition, _: ~condition, range(depth), FLAG)

    assert rows_of(ours, negated(200)) == rows_of(ours, FLAG)
    for depth in (450, 4000, 9000):
        with pytest.raises(lance_cpp.InvalidError, match="deep"):
            ours.count_rows(negated(depth))


def test_every_call_with_a_condition_takes_expressions(ours):
    assert ours.count_rows(I > 0) == 2
    assert ours.explain(I > 0)["filter"] == "i > 0"
    assert ours.update({"s": "'new'"}, where=S == "o'q")["num_rows_updated"] == 1
    merge = ours.merge_insert("i").when_not_matched_by_source_delete(SMALL == 3)
    assert merge.execute({"i": [9]}, schema=pa.schema([("i", pa.int64())]))["num_deleted_rows"] == 1
    assert ours.delete(S == "new")["num_deleted_rows"] == 1
    assert ours.count_rows() == 3


def test_expressions_prune(flights, place):
    ds = lance_cpp.write_dataset(flights, place)
    ds.create_scalar_index("id", "ZONEMAP", rows_per_zone=10)

    number = pc.field("id")
    null = pa.scalar(None, pa.bool_())
    for condition in (
        (number >= 50) & (number < 60),
        number.isin([55, 57]),
        pc.if_else(number.is_valid(), number.isin([55]), null),  # DuckDB's IN
        functools.reduce(operator.or_, [number == i for i in range(50, 60)]),
    ):
        assert ds.explain(condition)["zones"]["kept"] == 1, str(condition)


SCHEMA = pa.schema([ROWS.schema.field(name) for name in ("i", "s", "point")])


@pytest.mark.parametrize(
    "expression, rows",
    [
        (I > 0, [0, 1]), (S == "x", [0]), (pc.field("point", "x") == 3, [0, 4]),
        (~(I.isin([1, 2])), [3, 4]), ((I > 0) & S.is_valid() | (I == -5), [0, 1, 4]),
    ],
    ids=str,
)  # fmt: skip
def test_bytes_of_substrait_are_conditions(ours, expression, rows):
    condition = bytes(expression.to_substrait(SCHEMA, allow_arrow_extensions=True))

    assert rows_of(ours, condition) == rows
    assert ours.count_rows(condition) == len(rows)
    [task] = ours.plan_scan(filter=condition, with_row_id=True)
    assert task.execute(ours).read_all()["_rowid"].to_pylist() == rows


def test_substrait_of_two_expressions_is_refused(ours):
    serialized = pa.substrait.serialize_expressions([I > 0, I < 3], ["a", "b"], SCHEMA)
    with pytest.raises(lance_cpp.InvalidError, match="has 2 expressions; allowed: 1"):
        ours.to_table(filter=bytes(serialized))


def test_damaged_bytes_of_substrait_are_refused(ours):
    condition = bytes(((I > 0) & (S == "x")).to_substrait(SCHEMA, allow_arrow_extensions=True))
    for length in range(len(condition)):
        try:
            ours.count_rows(condition[:length])  # what is cut off may be the writer's name
        except lance_cpp.LanceError:
            continue
        assert length > len(condition) - 50
    for place in range(len(condition)):
        damaged = condition[:place] + bytes([condition[place] ^ 0x55]) + condition[place + 1 :]
        try:
            ours.count_rows(damaged)  # what is left may be another condition
        except lance_cpp.LanceError:
            pass


def varint(number):
    written = b""
    while number >= 0x80:
        written += bytes([number & 0x7F | 0x80])
        number >>= 7
    return written + bytes([number])


def message(number, content):
    """A field of a protobuf message that holds a message or text."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def negations(depth):
    """NOT of NOT of ... a column flag, in Substrait; pyarrow cannot serialize deep expressions."""
    expression = message(2, message(1, message(2, b"")))
    for _ in range(depth):
        expression = message(3, b"\x08\x01" + message(4, message(3, expression)))
    function = message(2, message(3, b"\x10\x01" + message(3, b"not")))
    schema = message(1, b"flag") + message(2, message(1, message(1, b"")))
    return function + message(3, message(1, expression)) + message(4, schema)


def no_integers(failure_behavior):
    """CAST(s AS BIGINT) IS NULL in Substrait."""
    column = message(2, message(1, message(2, b"")))
    cast = message(11, message(1, message(7, b"")) + message(2, column) + failure_behavior)
    expression = message(3, b"\x08\x01" + message(4, message(3, cast)))
    function = message(2, message(3, b"\x10\x01" + message(3, b"is_null")))
    schema = message(1, b"s") + message(2, message(1, message(12, b"")))
    return function + message(3, message(1, expression)) + message(4, schema)


def test_names_of_structs_in_lists_may_be_written_or_not(place):
    """Substrait wants them, Arrow leaves them out: a column behind one is the right one anyway."""
    items = pa.list_(pa.struct([("a", pa.bool_()), ("b", pa.bool_())]))
    pairs = pa.array([[{"a": True, "b": True}], [], None], items)
    ds = lance_cpp.write_dataset(pa.table({"l": pairs, "flag": [False, True, True]}), place)
    boolean = message(1, b"")
    of_items = message(27, message(1, message(25, message(1, boolean) * 2)))
    types = message(2, message(1, of_items) + message(1, boolean))
    flag = message(2, message(1, message(2, b"\x08\x01")))

    def condition(names):
        schema = b"".join(message(1, name) for name in names) + types
        return message(3, message(1, flag)) + message(4, schema)

    assert rows_of(ds, condition([b"l", b"flag"])) == [1, 2]
    assert rows_of(ds, condition([b"l", b"a", b"b", b"flag"])) == [1, 2]
    assert rows_of(ds, bytes(FLAG.to_substrait(ds.schema))) == [1, 2]
    for names in ([b"l"], [b"l", b"a", b"flag"], [b"l", b"a", b"b", b"flag", b"more"]):
        with pytest.raises(lance_cpp.InvalidError, match="(fewer|more) names than fields"):
            ds.count_rows(condition(names))


def test_a_cast_of_substrait_gives_null_or_fails_as_it_says(place):
    ds = lance_cpp.write_dataset(pa.table({"s": ["1", "x", None]}), place)

    assert rows_of(ds, no_integers(failure_behavior=b"\x18\x01")) == [1, 2]
    for fails in (b"", b"\x18\x02"):
        with pytest.raises(lance_cpp.InvalidError, match="'x'"):
            ds.count_rows(no_integers(fails))


def test_deep_substrait_answers_or_fails_cleanly(ours):
    assert rows_of(ours, negations(1)) == rows_of(ours, ~FLAG)
    assert rows_of(ours, negations(200)) == rows_of(ours, FLAG)
    for depth in (300, 450, 5000, 20_000):
        with pytest.raises(lance_cpp.InvalidError, match="deep"):
            ours.count_rows(negations(depth))
