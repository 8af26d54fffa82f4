"""BTrees of every type over several pages, exchanged with the reference.

Ours must find what the reference's full scan finds with the reference's files, and the reference
with ours; also after each has merged or remapped what the other wrote.
"""

import decimal
import warnings

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import IS_LONG, rng_of
from random_filters import Column, FilterMaker, values_of
from random_tables import ODD_FLOATS, TYPES, random_array

ROWS = 9_000  # three pages
FILTERS = 60 if IS_LONG else 6
WRITERS = [lance_cpp, lance]
OTHERS = [
    pa.float16(), pa.large_utf8(), pa.binary(), pa.large_binary(), pa.date64(), pa.time32("s"),
    pa.time64("us"), pa.duration("ms"), pa.decimal128(12, 2), pa.decimal256(40, 2),
]
ALL_TYPES = [*TYPES, *OTHERS]

warnings.simplefilter("ignore", DeprecationWarning)


def name_of(type_):
    letters = "".join(letter if letter.isalnum() else "_" for letter in str(type_))
    return f"c_{letters.strip('_')}"


def values_like(type_, rng):
    """A function that gives one value of a type that random_tables does not make."""
    if pa.types.is_float16(type_):
        return lambda: rng.choice([*ODD_FLOATS, rng.randint(-900, 900) / 4])
    if pa.types.is_large_string(type_):
        return lambda: f"{'long beginning ' * rng.randint(0, 1)}{rng.randint(0, 3000)}"
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_):
        return lambda: rng.randbytes(rng.choice([0, 1, 2, 9]))
    if pa.types.is_decimal(type_):
        most = 10 ** (type_.precision - 2)
        return lambda: decimal.Decimal(
            rng.choice([rng.randint(-99_999, 99_999), rng.randint(-most, most)])
        ).scaleb(-2)
    if pa.types.is_date64(type_):
        return lambda: rng.randint(-1000, 2000) * 86_400_000
    return lambda: rng.randrange(86_400)


def column_of(type_, rows, rng):
    if type_ in TYPES:
        return random_array(type_, rows, rng, null_share=0.1)
    draw = values_like(type_, rng)
    values = [None if rng.random() < 0.1 else draw() for _ in range(rows)]
    if pa.types.is_temporal(type_):
        width = pa.int32() if type_.bit_width == 32 else pa.int64()
        return pa.array(values, width).cast(type_)
    with decimal.localcontext(prec=60):
        return pa.array(values, type_)


def rows_of(first, count, rng, types):
    columns = {"id": pa.array(range(first, first + count), pa.int64())}
    return pa.table(columns | {name_of(type_): column_of(type_, count, rng) for type_ in types})


def build(writer, uri, types):
    for type_ in types:
        writer.dataset(uri).create_scalar_index(name_of(type_), "BTREE")


def ids(dataset, sql, **options):
    return sorted(dataset.to_table(columns=["id"], filter=sql, **options)["id"].to_pylist())


def filters(type_, values, rng, count):
    column = Column((name_of(type_),), type_)
    maker = FilterMaker(rng, [column], {column.path: values})
    # Single conditions: the reference errs where some are combined, NOT (b IS TRUE) among them.
    made = [maker.leaf().sql() for _ in range(2 * count)]
    # Escapes in patterns are for the tests of filters: they are read before an index is asked.
    return [sql for sql in made if not ("LIKE" in sql and "\\" in sql)][:count]


def expect_same_answers(uri, types, rng, count):
    """All four answers to each filter are one. \\return how many rows ours read, and of how many"""
    ours, theirs = lance_cpp.dataset(uri), lance.dataset(uri)
    reports = []
    for type_ in types:
        column = theirs.to_table(columns=[name_of(type_)])[name_of(type_)]
        values = [value for value in values_of(column) if value is not None]
        for sql in filters(type_, values, rng, count):
            expected = ids(theirs, sql, use_scalar_index=False)
            scanner = ours.scanner(columns=["id"], filter=sql, scan_stats_callback=reports.append)
            assert sorted(scanner.to_table()["id"].to_pylist()) == expected, sql
            assert ids(theirs, sql) == expected, sql
    return sum(report.rows_scanned for report in reports), len(reports) * ours.count_rows()


@pytest.fixture(scope="module", name="tables")
def tables_of_both(tmp_path_factory):
    """One table of all types, twice: BTrees by the reference and by us."""
    folder = tmp_path_factory.mktemp("btrees")
    rows = rows_of(0, ROWS, rng_of("btrees"), ALL_TYPES)
    for writer in WRITERS:
        uri = str(folder / writer.__name__)
        lance.write_dataset(rows, uri, max_rows_per_file=4_000)
        build(writer, uri, ALL_TYPES)
    return folder


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.__name__)
@pytest.mark.parametrize("type_", ALL_TYPES, ids=name_of)
def test_btrees_of_both_are_used_by_both(type_, writer, tables):
    uri = str(tables / writer.__name__)
    read, of = expect_same_answers(uri, [type_], rng_of("filters", str(type_)), FILTERS)
    if not pa.types.is_boolean(type_):
        assert read < of
    name = name_of(type_)
    plan = lance.dataset(uri).scanner(filter=f"{name} IS NULL").explain_plan()
    assert f"{name}_idx(BTree)" in plan
    report = []
    lance_cpp.dataset(uri).scanner(
        filter=f"{name} IS NULL", scan_stats_callback=report.append
    ).to_table()
    assert report[0].indices_loaded == 1


LIFE_TYPES = [pa.int64(), pa.float64(), pa.utf8(), pa.decimal128(12, 2)]


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable_ids"])
@pytest.mark.parametrize("first", WRITERS, ids=lambda writer: writer.__name__)
def test_each_goes_on_with_what_the_other_wrote(first, stable, tmp_path):
    """Built by one, merged by the other, remapped by the first, and so on."""
    uri, rng = str(tmp_path / "t"), rng_of("life", first.__name__, stable)
    rows = rows_of(0, ROWS, rng, LIFE_TYPES)
    lance.write_dataset(rows, uri, max_rows_per_file=4_000, enable_stable_row_ids=stable)
    build(first, uri, LIFE_TYPES)
    other = lance if first is lance_cpp else lance_cpp
    for turn in range(3):
        writer = other if turn % 2 == 0 else first
        lance.write_dataset(rows_of(ROWS * (turn + 2), 1_500, rng, LIFE_TYPES), uri, mode="append")
        writer.dataset(uri).delete(f"id % 5 = {turn}")
        writer.dataset(uri).optimize.optimize_indices()
        expect_same_answers(uri, LIFE_TYPES, rng, FILTERS // 2)
        writer.dataset(uri).optimize.compact_files()
        writer.dataset(uri).optimize.optimize_indices()
        read, of = expect_same_answers(uri, LIFE_TYPES, rng, FILTERS // 2)
        assert read < of
    lance.dataset(uri).validate()
