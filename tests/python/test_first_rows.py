"""An order with a limit gives the first rows of the whole order, and reads little for them."""

import decimal
import itertools
import math
import os
import random

import lance_cpp
import pyarrow as pa
import pytest

COUNT = 50_000  # several times the rows that are sorted at once
COLUMNS = {
    "few": (pa.int32(), lambda rng: rng.randrange(5)),
    "many": (pa.int64(), lambda rng: rng.randrange(-(2**62), 2**62)),
    "float": (
        pa.float64(),
        lambda rng: rng.choice([math.nan, -math.nan, 0.0, -0.0, math.inf, rng.random()]),
    ),
    "text": (pa.string(), lambda rng: f"{rng.randrange(3000)}"),
    "flag": (pa.bool_(), lambda rng: rng.random() < 0.5),
    "price": (pa.decimal128(9, 2), lambda rng: decimal.Decimal(rng.randrange(-999, 999)) / 100),
    "kind": (pa.dictionary(pa.int8(), pa.string()), lambda rng: rng.choice("abc")),
}


def seed():
    return int(os.environ.get("LANCE_TEST_SEED", "1"))


@pytest.fixture(name="dataset", scope="module")
def _dataset(tmp_path_factory):
    rng = random.Random(seed())
    columns = {"id": range(COUNT)}
    for name, (kind, value) in COLUMNS.items():
        share = rng.choice([0, 0.01, 0.6])
        values = [None if rng.random() < share else value(rng) for _ in range(COUNT)]
        plain = kind.value_type if pa.types.is_dictionary(kind) else kind
        columns[name] = pa.array(values, plain).cast(kind)
    place = str(tmp_path_factory.mktemp("first") / "t")
    dataset = lance_cpp.write_dataset(pa.table(columns), place, max_rows_per_file=20_000)
    dataset.delete("id % 11 = 3 AND id < 25000")
    return lance_cpp.dataset(place)


def order_of(dataset, orderings, **options):
    order = [lance_cpp.ColumnOrdering(*each) for each in orderings]
    return dataset.scanner(order_by=order, columns=["id"], **options).to_table()["id"].to_pylist()


@pytest.mark.parametrize("name", COLUMNS)
def test_they_are_those_of_the_whole_order(name, dataset):
    rng = random.Random(seed() + len(name))
    for ascending, nulls_first in itertools.product([False, True], repeat=2):
        orderings = [(name, ascending, nulls_first)]
        if rng.random() < 0.5:
            orderings.append((rng.choice(sorted(COLUMNS)), rng.random() < 0.5, rng.random() < 0.5))
        everything = order_of(dataset, orderings)
        assert len(everything) == dataset.count_rows()
        for limit, offset in [(1, 0), (10, 3), (9000, 0), (50, 30_000)]:
            first = order_of(dataset, orderings, limit=limit, offset=offset)
            assert first == everything[offset : offset + limit], (orderings, limit, offset)


@pytest.fixture(name="indexed", scope="module")
def _indexed(tmp_path_factory):
    """Times that mostly rise, some deleted, some without an index, some null."""
    rng = random.Random(seed())
    place = str(tmp_path_factory.mktemp("times") / "t")
    times = [None if i % 97 == 0 else i * 10 + rng.randrange(500) for i in range(40_000)]
    table = pa.table({"id": range(40_000), "at": pa.array(times, pa.int64())})
    lance_cpp.write_dataset(table[:30_000], place, max_rows_per_file=10_000)
    dataset = lance_cpp.dataset(place)
    dataset.create_scalar_index("at", "ZONEMAP", rows_per_zone=256)
    dataset.insert(table[30_000:])
    dataset.delete("id BETWEEN 9000 AND 9100 OR id >= 39500")
    return lance_cpp.dataset(place)


def scanned(dataset, orderings, **options):
    reports = []
    found = order_of(dataset, orderings, scan_stats_callback=reports.append, **options)
    return found, reports[-1].rows_scanned


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("nulls_first", [False, True])
def test_only_zones_that_can_hold_them_are_read(indexed, ascending, nulls_first):
    orderings = [("at", ascending, nulls_first), ("id", True, False)]
    everything = order_of(indexed, orderings, use_stats=False)
    for limit, offset in [(1, 0), (10, 5), (700, 0), (10, 2000)]:
        found, rows = scanned(indexed, orderings, limit=limit, offset=offset)
        assert found == everything[offset : offset + limit]
        if not nulls_first:  # nulls are in every zone
            assert rows < 15_000, "what no statistics cover is read in full"
    found, rows = scanned(indexed, orderings, limit=10, use_stats=False)
    assert (found, rows) == (everything[:10], len(everything))
    found, rows = scanned(indexed, orderings, limit=0)
    assert (found, rows) == ([], 0)


def test_a_filter_with_an_order_does_not_lose_rows(indexed):
    orderings = [("at", False, False)]
    everything = order_of(indexed, orderings, filter="id % 3 = 0")
    assert order_of(indexed, orderings, filter="id % 3 = 0", limit=20) == everything[:20]
    deleted = order_of(indexed, orderings, include_deleted_rows=True, with_row_id=True)
    few = order_of(indexed, orderings, include_deleted_rows=True, with_row_id=True, limit=600)
    assert few == deleted[:600]


def test_rows_beyond_the_memory_are_refused(dataset):
    small = lance_cpp.Session(max_memory_bytes=2_000_000)
    dataset = lance_cpp.dataset(dataset.uri, session=small)
    assert len(order_of(dataset, [("many", True, False)], limit=5)) == 5
    with pytest.raises(lance_cpp.OverBudgetError, match="a scan with an order"):
        order_of(dataset, [("text", True, False)])
