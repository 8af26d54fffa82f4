"""Bitmap, label list and bloom filter indices over every type, written by us and the reference.

Whoever builds and keeps an index, both readers find with it what they find without any.
"""

import math

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lance.indices import IndexConfig
from lancectl import IS_LONG, rng_of
from random_filters import sql_of, values_of
from test_pruning import COLUMNS, Values

WRITERS = [lance_cpp, lance]
WRITER_NAMES = [writer.__name__ for writer in WRITERS]
KEYS = {name: type_ for name, type_ in COLUMNS.items() if name not in ("dic", "st")}
WITHOUT_BLOOM_FILTER = ["b", "dec", "d256", "f16", "du", "fsb"]
WITH_BLOOM_FILTER = [name for name in KEYS if name not in WITHOUT_BLOOM_FILTER]
LISTS = {
    "list<int32>": (pa.list_(pa.int32()), [1, 2, -3, 2**31 - 1]),
    "large_list<string>": (pa.large_list(pa.string()), ["", "a", "b", "it's"]),
    "list<double>": (pa.list_(pa.float64()), [0.0, -0.0, 1.5, math.inf]),
}


def some_of(names):
    """All in the long size; tests of files of every type are among the C++ ones."""
    names = sorted(names)
    return names if IS_LONG else rng_of("types", names).sample(names, 4)


def table_of(column, first):
    ids = pa.array(range(first, first + len(column)), pa.int64())
    return pa.table({"id": ids, "c": column})


def some_values(rng, type_, count):
    """A few values again and again, with nulls among them."""
    values = Values(rng, type_)
    values.step, values.special_share, values.null_share = 1, 0.3, 0.1
    few = values.array(12)
    while len(few.drop_null().unique()) < 2:  # a run of one value, or of nulls
        few = values.array(12)
    return few.take(pa.array([rng.randrange(12) for _ in range(count)]))


def some_lists(rng, type_, items, count):
    lists = [[rng.choice([*items, None]) for _ in range(rng.randrange(4))] for _ in range(count)]
    return pa.array([None if rng.random() < 0.2 else cells for cells in lists], type_)


def filters_of(column):
    """Every question that a bitmap takes, about values that are there."""
    literals = []
    for value in values_of(column.unique()):
        is_nan = isinstance(value, float) and math.isnan(value)
        # The reference takes the lowest int64 for a float: docs/differences.md.
        if value is not None and not is_nan and value != -(2**63):
            literals.append(sql_of(value, column.type))
    filters = ["c IS NULL", "c IS NOT NULL", "c IS NULL OR id < 10"]
    for one, other in zip(literals, literals[1:] + literals[:1]):
        filters += [
            f"c = {one}", f"c < {one}", f"c >= {one}", f"c IN ({one}, {other})",
            f"NOT (c = {one})", f"c > {one} AND c <= {other}", f"c <> {one} AND id % 2 = 0",
        ]
    return filters


def list_filters_of(type_, items):
    filters = ["c IS NULL", "c IS NOT NULL"]
    for item in items:
        literal = sql_of(item, type_.value_type)
        filters += [
            f"array_has(c, {literal})", f"NOT array_contains(c, {literal})",
            f"list_contains(c, {literal}) OR id < 10",
        ]
    both = ", ".join(sql_of(item, type_.value_type) for item in items[:2])
    filters += [f"array_has_any(c, [{both}])", f"array_has_any(c, [{both}, NULL])"]
    filters += [f"array_has_all(c, [{both}])", f"NOT array_has_all(c, [{both}])"]
    return filters


def found(dataset, where, **options):
    return dataset.scanner(columns=["id"], filter=where, **options).to_table()["id"].to_pylist()


def check_answers(uri, filters):
    """Ours and the reference's, with and without the index."""
    ours, theirs = lance_cpp.dataset(uri), lance.dataset(uri)
    rng = rng_of(filters, ours.version)
    for where in filters if IS_LONG else rng.sample(filters, min(len(filters), 8)):
        expected = found(ours, where, use_stats=False)
        assert found(ours, where) == expected, where
        assert sorted(found(theirs, where, use_scalar_index=False)) == sorted(expected), where
        assert sorted(found(theirs, where)) == sorted(expected), where
    theirs.validate()


def loads_index(uri, where):
    reports = []
    scanner = lance_cpp.dataset(uri).scanner(filter=where, scan_stats_callback=reports.append)
    scanner.to_table()
    return reports[0].indices_loaded > 0


def live_long(uri, keeper, more, filters):
    """Append, delete, bring the index up to date, compact; and ask all the time."""
    keeper.dataset(uri).delete("id % 7 = 3")
    lance.write_dataset(more, uri, mode="append")
    check_answers(uri, filters)
    keeper.dataset(uri).optimize.optimize_indices()
    check_answers(uri, filters)
    lance.dataset(uri).optimize.compact_files()
    check_answers(uri, filters)
    lance.dataset(uri).delete("id < 60")  # all of the first fragments, and keys with them
    keeper.dataset(uri).optimize.optimize_indices()
    check_answers(uri, filters)


def num_bitmaps(uri):
    statistics = lance.dataset(uri).stats.index_stats("c_idx")
    return [segment["num_bitmaps"] for segment in statistics["indices"]]


@pytest.mark.parametrize("writer", WRITERS, ids=WRITER_NAMES)
@pytest.mark.parametrize("name", some_of(KEYS))
def test_bitmaps_of_every_type_answer_all_their_lives(name, writer, tmp_path):
    rng = rng_of(f"bitmap {name}")
    uri = str(tmp_path / "t")
    column = some_values(rng, KEYS[name], 100)
    is_stable = rng.random() < 0.5
    lance.write_dataset(
        table_of(column, 0), uri, max_rows_per_file=40, enable_stable_row_ids=is_stable
    )
    writer.dataset(uri).create_scalar_index("c", "BITMAP")
    (index,) = lance.dataset(uri).describe_indices()
    assert (index.index_type, index.num_rows_indexed) == ("Bitmap", 100)
    filters = filters_of(column)
    assert loads_index(uri, filters[3])
    check_answers(uri, filters)
    live_long(uri, writer, table_of(some_values(rng, KEYS[name], 30), 100), filters)


@pytest.mark.parametrize("name", some_of(WITH_BLOOM_FILTER))
def test_bloom_filters_of_every_type_are_used(name, tmp_path):
    rng = rng_of(f"bloom {name}")
    uri = str(tmp_path / "t")
    column = some_values(rng, KEYS[name], 100)
    lance.write_dataset(
        table_of(column, 0), uri, max_rows_per_file=40, enable_stable_row_ids=rng.random() < 0.5
    )
    lance.dataset(uri).delete("id % 11 = 4")
    config = IndexConfig("bloomfilter", {"number_of_items": 10, "probability": 0.01})
    lance.dataset(uri).create_scalar_index("c", config)
    filters = filters_of(column)
    assert loads_index(uri, filters[3])
    check_answers(uri, filters)
    live_long(uri, lance, table_of(some_values(rng, KEYS[name], 30), 100), filters)


@pytest.mark.parametrize("writer", WRITERS, ids=WRITER_NAMES)
@pytest.mark.parametrize("name", LISTS)
def test_label_lists_answer_all_their_lives(name, writer, tmp_path):
    rng = rng_of(f"labels {name}")
    uri = str(tmp_path / "t")
    type_, items = LISTS[name]
    column = some_lists(rng, type_, items, 100)
    lance.write_dataset(
        table_of(column, 0), uri, max_rows_per_file=40, enable_stable_row_ids=rng.random() < 0.5
    )
    writer.dataset(uri).create_scalar_index("c", "LABEL_LIST")
    (index,) = lance.dataset(uri).describe_indices()
    assert (index.index_type, index.num_rows_indexed) == ("LabelList", 100)
    filters = list_filters_of(type_, items)
    assert loads_index(uri, filters[2])
    check_answers(uri, filters)
    live_long(uri, writer, table_of(some_lists(rng, type_, items, 30), 100), filters)


def test_both_write_the_same_keys(tmp_path):
    counts = []
    for writer in WRITERS:
        uri = str(tmp_path / writer.__name__)
        values = pa.array([i % 7 if i % 5 else None for i in range(100)], pa.int16())
        lance.write_dataset(table_of(values, 0), uri, max_rows_per_file=40)
        writer.dataset(uri).create_scalar_index("c", "BITMAP")
        counts.append(num_bitmaps(uri))
        lance.dataset(uri).delete("c = 3")
        lance.dataset(uri).optimize.compact_files()
        lance.write_dataset(table_of(values, 100), uri, mode="append")
        lance.dataset(uri).delete("c = 4 OR c IS NULL")
        writer.dataset(uri).optimize.optimize_indices()
        counts.append(num_bitmaps(uri))
    assert counts[:2] == counts[2:] == [[8], counts[1]]


def test_a_bloom_filter_is_not_built_but_kept(tmp_path):
    uri = str(tmp_path / "t")
    lance_cpp.write_dataset(table_of(pa.array(range(50)), 0), uri)
    with pytest.raises(lance_cpp.errors.UnsupportedError, match="BLOOMFILTER"):
        lance_cpp.dataset(uri).create_scalar_index("c", "BLOOMFILTER")
    lance.dataset(uri).create_scalar_index("c", "BLOOMFILTER")
    lance_cpp.write_dataset(table_of(pa.array(range(20)), 50), uri, mode="append")
    (index,) = lance.dataset(uri).describe_indices()
    assert (index.index_type, index.num_rows_indexed) == ("BloomFilter", 50)
    check_answers(uri, ["c = 7", "c IN (3, 99)", "c IS NULL"])
