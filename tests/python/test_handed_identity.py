"""What people met in systems like ours: the identity of fields and fragments.

Each test is one handed case; its number stands in the docstring. Changes are ours or the
reference's; both read the same afterwards.
"""

import lance
import lance_cpp
import pyarrow as pa
import pytest

WRITERS = [lance_cpp, lance]


@pytest.fixture(name="writer", params=WRITERS, ids=["ours", "reference"])
def _writer(request):
    return request.param


def rows_of(place, version=None, **options):
    """As we and the reference read them."""
    ours = lance_cpp.dataset(place, version=version).to_table(**options).to_pydict()
    assert ours == lance.dataset(place, version=version).to_table(**options).to_pydict()
    return ours


def fragment_ids(place):
    return [fragment.fragment_id for fragment in lance.dataset(place).get_fragments()]


def test_a_dropped_column_does_not_come_back_under_another_name(writer, place):
    """B175."""
    ds = writer.write_dataset(pa.table({"x": pa.array([4, 5, 6], pa.int64())}), place)
    ds.add_columns({"y": "x + 100"})
    ds.drop_columns(["y"])
    ds.add_columns({"z": "x * 10"})

    assert rows_of(place)["z"] == [40, 50, 60]
    lance.dataset(place).optimize.compact_files()
    assert rows_of(place)["z"] == [40, 50, 60]
    assert rows_of(place, filter="z = 50")["x"] == [5]


def test_fragment_numbers_are_never_used_twice(writer, place):
    """B177."""
    one, three = f"{place}1", f"{place}3"

    def rows(*values):
        return pa.table({"id": pa.array(values, pa.int64())})

    writer.write_dataset(rows(1, 2), one)
    writer.dataset(one).delete("id > 0")
    writer.write_dataset(rows(3), one, mode="append")
    assert fragment_ids(one) == [1]

    ds = writer.write_dataset(rows(1, 2, 3), three, max_rows_per_file=1)
    ds.create_scalar_index("id", "ZONEMAP")
    assert fragment_ids(three) == [0, 1, 2]
    writer.dataset(three).delete("id > 0")
    writer.write_dataset(rows(1, 2), three, mode="append", max_rows_per_file=1)
    assert fragment_ids(three) == [3, 4]
    assert rows_of(three, filter="id < 10")["id"] == [1, 2]
    writer.write_dataset(rows(7), three, mode="overwrite")
    assert min(fragment_ids(three)) >= 5
    assert rows_of(three, filter="id < 10")["id"] == [7]


def test_filters_after_int32_became_int64(writer, place):
    """B179. A zonemap of the old type stands in the way, for both; it is made again."""
    ds = writer.write_dataset(pa.table({"x": pa.array([10, 20, 30], pa.int32())}), place)
    ds.create_scalar_index("x", "ZONEMAP")
    with pytest.raises(OSError, match="index"):
        ds.alter_columns({"path": "x", "data_type": pa.int64()})
    lance.dataset(place).drop_index("x_idx")
    ds = writer.dataset(place)
    ds.alter_columns({"path": "x", "data_type": pa.int64()})
    ds.create_scalar_index("x", "ZONEMAP")
    more = pa.table({"x": pa.array([5_000_000_000], pa.int64())})
    writer.write_dataset(more, place, mode="append")

    counts = {
        "x < 40": 3,
        "x < 2147483648": 3,
        "x > -2147483649": 4,
        "x != 2147483648": 4,
        "x > 2147483647": 1,
        "x IN (20, 5000000000)": 2,
    }
    for condition, count in counts.items():
        for module in WRITERS:
            assert module.dataset(place).count_rows(condition) == count, condition
            plain = module.dataset(place).to_table(filter=condition, use_scalar_index=False)
            assert plain.num_rows == count, condition


def test_old_versions_keep_their_own_columns(writer, place):
    """B182."""
    ds = writer.write_dataset(pa.table({"x": pa.array([1, 2, 3], pa.int64())}), place)
    ds.add_columns({"y": "x * 2"})
    ds.drop_columns(["y"])
    ds.add_columns({"y": "'n'"})

    assert rows_of(place, 2)["y"] == [2, 4, 6]
    assert list(rows_of(place, 3)) == ["x"]
    assert rows_of(place, 4)["y"] == ["n", "n", "n"]
    writer.dataset(place, version=2).restore()
    assert rows_of(place) == {"x": [1, 2, 3], "y": [2, 4, 6]}
    row = pa.table({"x": pa.array([4], pa.int64()), "y": pa.array([8], pa.int64())})
    writer.write_dataset(row, place, mode="append")
    assert rows_of(place) == {"x": [1, 2, 3, 4], "y": [2, 4, 6, 8]}
