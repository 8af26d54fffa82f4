"""What people met in systems like ours: deletes, row addresses, limits, counts.

Each test is one handed case; its number stands in the docstring. Filters run with and without a
zonemap, deletes are ours or the reference's.
"""

import os
import subprocess

import lance
import lance_cpp
import pyarrow as pa
import pytest

WRITERS = [lance_cpp, lance]


@pytest.fixture(name="writer", params=WRITERS, ids=["ours", "reference"])
def _writer(request):
    return request.param


def make(place, columns, rows_per_file=10_000):
    lance_cpp.write_dataset(pa.table(columns), place, max_rows_per_file=rows_per_file)


def ids_of(place, **options):
    """As we and the reference give them."""
    ours = lance_cpp.dataset(place).to_table(**options)["id"].to_pylist()
    assert ours == lance.dataset(place).to_table(**options)["id"].to_pylist()
    return ours


@pytest.mark.parametrize("rows_per_file", [5000, 1000])
def test_limit_and_offset_over_deleted_rows(rows_per_file, writer, place):
    """B098."""
    make(place, {"id": range(5000)}, rows_per_file)

    writer.dataset(place).delete("id % 5 = 0")

    assert ids_of(place, offset=2000, limit=10) == [
        2501, 2502, 2503, 2504, 2506, 2507, 2508, 2509, 2511, 2512
    ]
    assert ids_of(place, offset=3995, limit=10) == [4994, 4996, 4997, 4998, 4999]
    assert ids_of(place, offset=4000, limit=10) == []
    assert lance_cpp.dataset(place).take([2000, 0])["id"].to_pylist() == [2501, 1]


def test_a_delete_by_row_address_touches_one_fragment(place):
    """B100."""
    make(place, {"id": [7, 8, 9]}, rows_per_file=1)
    ours = lance_cpp.dataset(place)
    assert ours.to_table(with_row_address=True)["_rowaddr"].to_pylist() == [
        0, 4294967296, 8589934592
    ]

    ours.delete("_rowaddr = 0")
    assert ids_of(place) == [8, 9]
    ours.delete("_rowaddr = 8589934592")
    assert ids_of(place) == [8]
    assert [f.fragment_id for f in lance.dataset(place).get_fragments()] == [1]


def test_a_fragment_with_some_rows_already_deleted_is_not_empty_yet(writer, place):
    """B102. The compaction is the reference's."""
    make(place, {"id": range(10)})

    writer.dataset(place).delete("id < 4")
    writer.dataset(place).delete("id IN (4, 5, 6)")
    assert ids_of(place) == [7, 8, 9]
    lance.dataset(place).optimize.compact_files()
    assert ids_of(place) == [7, 8, 9]
    writer.dataset(place).delete("true")
    assert ids_of(place) == []
    assert lance.dataset(place).get_fragments() == []


@pytest.mark.parametrize("is_indexed", [False, True])
def test_limits_count_rows_that_pass(is_indexed, place):
    """B104."""
    text = [f"ab-yz-{i}" if 5 <= i <= 8 else "zzz" for i in range(10)]
    make(place, {"id": range(10), "s": text})
    if is_indexed:
        lance_cpp.dataset(place).create_scalar_index("s", "ZONEMAP", rows_per_zone=2)
    like = "s LIKE 'ab%yz%'"

    found = ids_of(place, filter=like, limit=3)
    assert len(found) == 3 and set(found) <= {5, 6, 7, 8}
    found = ids_of(place, filter=like, limit=3, offset=2)
    assert len(found) == 2 and set(found) <= {5, 6, 7, 8}
    assert ids_of(place, filter=like, limit=100) == [5, 6, 7, 8]


@pytest.mark.parametrize("is_indexed", [False, True])
def test_counting_live_rows(is_indexed, writer, place):
    """B107."""
    make(place, {"id": range(10)}, rows_per_file=5)
    if is_indexed:
        lance_cpp.dataset(place).create_scalar_index("id", "ZONEMAP", rows_per_zone=2)

    writer.dataset(place).delete("id IN (0, 5, 9)")

    ours = lance_cpp.dataset(place)
    assert ours.count_rows() == 7
    assert ours.count_rows("id >= 5") == 3
    assert ours.to_table(columns=["_rowid"]).num_rows == 7
    assert ours.to_table(columns=[], with_row_id=True).num_rows == 7
    for dataset in (ours, lance.dataset(place)):
        assert dataset.to_table(columns=[]).num_rows == 7
        assert sum(batch.num_rows for batch in dataset.to_batches(columns=[])) == 7
    assert ours.scanner(columns=[]).count_rows() == 7
    assert ours.to_table(columns=[], filter="id >= 5").shape == (3, 0)
    for arguments, expected in [((), "7\n"), (("--filter", "id >= 5"), "3\n")]:
        command = [os.environ["LANCE_CLI"], "count", place, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout == expected
