"""What people met in systems like ours: compaction that loses, revives or damages rows.

Each test is one handed case; its number stands in the docstring.
"""

import os

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lance_cpp.errors import CommitConflictError
from lance_cpp.optimize import Compaction

MODES = ["reencode", "try_binary_copy"]


@pytest.fixture(name="mode", params=MODES)
def _mode(request):
    return request.param


def make(place, tables):
    """One fragment for each table."""
    for number, table in enumerate(tables):
        lance_cpp.write_dataset(table, place, mode="append" if number else "create")
    return lance_cpp.dataset(place)


def same_rows(place, **options):
    """As we and the reference give them."""
    ours = lance_cpp.dataset(place).to_table(**options)
    assert ours.equals(lance.dataset(place).to_table(**options))
    return ours.to_pydict()


def test_a_compaction_committed_from_a_newer_handle_revives_no_row(place):
    """B049."""
    make(place, [pa.table({"id": range(10)}), pa.table({"id": range(10, 20)})])
    planned_on = lance_cpp.dataset(place)
    results = [task.execute(planned_on) for task in Compaction.plan(planned_on).tasks]
    lance.dataset(place).delete("id = 3")

    with pytest.raises(CommitConflictError):
        Compaction.commit(lance_cpp.dataset(place), results)

    assert 3 not in same_rows(place)["id"]
    lance_cpp.dataset(place).optimize.compact_files()
    assert same_rows(place)["id"] == [id_ for id_ in range(20) if id_ != 3]


def test_a_column_of_nulls_only_is_compacted(mode, place):
    """B051."""
    ds = make(place, [pa.table({"x": [1, 2]}), pa.table({"x": [3, 4]}), pa.table({"x": [5, 6]})])
    ds.add_columns(pa.field("c", pa.string()))

    ds.optimize.compact_files(compaction_mode=mode)
    assert same_rows(place) == {"x": [1, 2, 3, 4, 5, 6], "c": [None] * 6}
    ds.insert(pa.table({"x": [7], "c": ["n"]}))
    ds.optimize.compact_files(compaction_mode=mode)

    assert ds.count_rows("c IS NOT NULL") == 1
    assert len(same_rows(place)["x"]) == 7
    assert len(lance.dataset(place).get_fragments()) == 1


def test_texts_that_are_all_empty_are_compacted(mode, place):
    """B053."""
    ds = make(place, [pa.table({"s": s}) for s in (["", "", ""], ["", "", ""], [None, ""])])

    ds.optimize.compact_files(compaction_mode=mode)
    ds.create_scalar_index("s", "ZONEMAP")

    assert len(lance.dataset(place).get_fragments()) == 1
    for dataset in (lance_cpp.dataset(place), lance.dataset(place)):
        assert dataset.count_rows("s = ''") == 7
        assert dataset.count_rows("s IS NULL") == 1


def test_empty_is_not_null_after_a_compaction(mode, place):
    """B055."""
    values = [[b"aa", b"", None, b"dd"], [b"ee", None, b"", b"hh"]]
    ds = make(
        place,
        [
            pa.table({"id": range(4 * n, 4 * n + 4), "b": pa.array(b, pa.binary())})
            for n, b in enumerate(values)
        ],
    )
    ds.delete("id = 0")

    ds.optimize.compact_files(compaction_mode=mode)

    assert same_rows(place) == {
        "id": [1, 2, 3, 4, 5, 6, 7], "b": [b"", None, b"dd", b"ee", None, b"", b"hh"]
    }
    assert len(lance.dataset(place).get_fragments()) == 1


def test_a_fragment_without_rows_left_is_compacted_away(mode, place):
    """B057, the first table."""
    ds = make(place, [pa.table({"id": range(5)}), pa.table({"id": range(5, 8)})])
    ds.create_scalar_index("id", "ZONEMAP")
    ds.delete("id < 5")

    ds.optimize.compact_files(compaction_mode=mode)

    assert same_rows(place) == {"id": [5, 6, 7]}
    assert same_rows(place, filter="id >= 6") == {"id": [6, 7]}


def test_a_declared_table_without_rows_is_compacted_and_optimized(place):
    """B057, the second table."""
    ds = make(place, [pa.table({"id": range(5)})])
    ds.set_clustering(["id"])
    ds.delete("true")

    ds.optimize.compact_files(compaction_mode="reencode")
    ds.optimize.compact_files()

    assert same_rows(place) == {"id": []}
    ds.insert(pa.table({"id": [9]}))
    assert same_rows(place) == {"id": [9]}


def test_files_of_compactions_that_lost_the_race(place):
    """B059, as far as the compaction goes: a call of its own leaves no file behind.

    Files of results that were not committed are their owner's; clean-up finds them.
    """
    rows = 10_000
    make(
        place,
        [
            pa.table({"id": range(n * rows, n * rows + rows), "p": [os.urandom(80)] * rows})
            for n in range(10)
        ],
    )
    folder = os.path.join(place, "data")
    before = set(os.listdir(folder))
    lost = set()
    for turn in range(5):
        ds = lance_cpp.dataset(place)
        results = [task.execute(ds) for task in Compaction.plan(ds).tasks]
        lost |= {file.path for result in results for file in result.new_fragments[0].files}
        lance.dataset(place).delete(f"id = {turn}")
        with pytest.raises(CommitConflictError):
            Compaction.commit(ds, results)

    assert set(os.listdir(folder)) == before | lost
    assert len(lost) == 5
    assert lance_cpp.dataset(place).count_rows() == 10 * rows - 5

    for path in lost:
        os.remove(os.path.join(folder, path))
    lance_cpp.dataset(place).optimize.compact_files()
    assert len(set(os.listdir(folder)) - before) == 1
    assert same_rows(place)["id"] == [*range(5, 10 * rows)]
    lance.dataset(place).validate()
