"""What people met in systems like ours: types, Arrow layouts, and rules of appends.

Each test is one handed case; its number stands in the docstring.
"""

import lance
import lance_cpp
import pyarrow as pa
import pytest


@pytest.fixture(name="place")
def _place(tmp_path):
    return str(tmp_path / "t.lance")


def everyone_reads(place):
    """The table as we and the reference read it; both must agree."""
    ours = lance_cpp.dataset(place).to_table()
    theirs = lance.dataset(place).to_table()
    assert ours.to_pylist() == theirs.to_pylist()
    return ours


def test_a_stream_of_empty_batches_makes_an_empty_table(place):
    """B146."""
    schema = pa.schema([pa.field("x", pa.int32(), nullable=False)])
    empty = pa.record_batch([pa.array([], pa.int32())], schema=schema)
    reader = pa.RecordBatchReader.from_batches(schema, [empty] * 3)

    ds = lance_cpp.write_dataset(reader, place)

    assert ds.count_rows() == 0
    assert ds.schema.equals(schema)
    assert ds.to_table(filter="x > 1").num_rows == 0
    ds.create_scalar_index("x", "ZONEMAP")
    ds.set_clustering(["x"])
    ds.optimize.compact_files()
    rows = pa.table({"x": pa.array([2, 1], pa.int32())}, schema=schema)
    lance_cpp.write_dataset(rows, place, mode="append")
    assert lance_cpp.dataset(place).count_rows() == 2


def test_appending_without_some_columns(place):
    """B148."""
    m = pa.struct([("x", pa.int64()), ("y", pa.int64())])
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False), ("b", pa.string()), ("m", m)])
    first = pa.table([[1], ["p"], pa.array([{"x": 1, "y": 2}], m)], schema=schema)
    lance_cpp.write_dataset(first, place)
    a = pa.field("a", pa.int64(), nullable=False)

    lance_cpp.write_dataset(pa.table([[2]], schema=pa.schema([a])), place, mode="append")
    part = pa.struct([("y", pa.int64())])
    more = pa.table([[3], pa.array([{"y": 6}], part)], schema=pa.schema([a, ("m", part)]))
    lance_cpp.write_dataset(more, place, mode="append")
    with pytest.raises(ValueError, match="a"):
        lance_cpp.write_dataset(pa.table({"b": ["q"]}), place, mode="append")
    with pytest.raises(ValueError, match="z"):
        stranger = pa.table([[4], [5]], schema=pa.schema([a, ("z", pa.int64())]))
        lance_cpp.write_dataset(stranger, place, mode="append")

    assert everyone_reads(place).to_pylist() == [
        {"a": 1, "b": "p", "m": {"x": 1, "y": 2}},
        {"a": 2, "b": None, "m": None},
        {"a": 3, "b": None, "m": {"x": None, "y": 6}},
    ]


def test_nullability_comes_from_the_schema_not_from_the_first_data(place):
    """B150."""
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False), ("b", pa.int64())])
    lance_cpp.write_dataset(pa.table([[1], [1]], schema=schema), place)

    lance_cpp.write_dataset(pa.table([[2], [None]], schema=schema), place, mode="append")
    with pytest.raises(ValueError, match="a"):
        null = pa.table({"a": pa.array([None], pa.int64()), "b": [3]})
        lance_cpp.write_dataset(null, place, mode="append")

    assert everyone_reads(place).to_pydict() == {"a": [1, 2], "b": [1, None]}


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_a_dictionary_that_uses_every_key_and_a_null(place, version):
    """B152."""

    def rows(letter):
        values = pa.array([f"{letter}{i}" for i in range(128)])
        keys = pa.array([*range(128), None], pa.int8())
        return pa.table({"c": pa.DictionaryArray.from_arrays(keys, values)})

    lance_cpp.write_dataset(rows("v"), place, data_storage_version=version)
    expected = [f"v{i}" for i in range(128)] + [None]
    assert lance_cpp.dataset(place).to_table().column("c").to_pylist() == expected
    lance_cpp.write_dataset(rows("w"), place, mode="append")

    # A batch is of one fragment, and so no key overflows.
    batches = lance_cpp.dataset(place).to_batches(columns=["c"])
    found = [value for batch in batches for value in batch.column(0).to_pylist()]
    assert found == expected + [f"w{i}" for i in range(128)] + [None]


def test_a_null_struct_is_not_a_struct_of_nulls(place):
    """B154."""
    s = pa.struct([("a", pa.int64()), ("b", pa.string())])
    schema = pa.schema([("id", pa.int64()), ("s", s)])

    def rows(ids, structs):
        return pa.table([ids, pa.array(structs, s)], schema=schema)

    lance_cpp.write_dataset(rows([9], [{"a": 0, "b": "z"}]), place)
    more = rows([0, 1, 2], [None, {"a": None, "b": None}, {"a": 1, "b": "x"}])
    ds = lance_cpp.write_dataset(more, place, mode="append")

    assert everyone_reads(place).column("s").null_count == 1
    assert ds.to_table(filter="id = 0").column("s").to_pylist() == [None]
    assert ds.to_table(filter="id = 1").column("s").to_pylist() == [{"a": None, "b": None}]
    assert ds.take([1, 2]).column("s").to_pylist() == [None, {"a": None, "b": None}]


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_null_vectors_before_real_ones(place, version):
    """B156."""
    rows = [[1, 2, 3], None, [4, 5, 6], None, None, [7, 8, 9]]
    table = pa.table({"v": pa.array(rows, pa.list_(pa.float32(), 3))})

    lance_cpp.write_dataset(table, place, data_storage_version=version)

    assert everyone_reads(place).column("v").to_pylist() == rows


def test_a_sliced_boolean_array_is_its_slice(place):
    """B158."""
    base = pa.array([False, True, None, False, False, True, None, False])
    sliced = pa.table({"flag": base.slice(3, 5)})

    ds = lance_cpp.write_dataset(sliced, place)
    ds.create_scalar_index("flag", "ZONEMAP")
    ds = lance_cpp.dataset(place)

    assert everyone_reads(place).column("flag").to_pylist() == [False, False, True, None, False]
    assert ds.count_rows("flag") == 1
    assert ds.count_rows("NOT flag") == 3
    assert ds.count_rows("flag IS NULL") == 1
    ds.set_clustering(["flag"])
    ds.optimize.compact_files()
    optimized = lance_cpp.dataset(place).to_table().column("flag").to_pylist()
    assert optimized in ([False, False, False, True, None], [None, False, False, False, True])


def test_extension_types_keep_name_and_parameters(place):
    """B161."""
    tensor = pa.fixed_shape_tensor(pa.int16(), [3, 2])
    storage = pa.array([[1, 2, 3, 4, 5, 6]], pa.list_(pa.int16(), 6))
    unknown = pa.field(
        "t",
        pa.float64(),
        metadata={"ARROW:extension:name": "acme.temp", "ARROW:extension:metadata": "C"},
    )
    table = pa.table(
        [
            pa.ExtensionArray.from_storage(tensor, storage),
            pa.array([b"0123456789abcdef"], pa.uuid()),
            pa.array([36.6]),
        ],
        schema=pa.schema([pa.field("x", tensor), pa.field("u", pa.uuid()), unknown]),
    )

    lance_cpp.write_dataset(table, place)
    lance_cpp.write_dataset(table, place, mode="append")
    ds = lance_cpp.dataset(place)

    assert ds.schema.field("x").type == tensor
    assert ds.schema.field("u").type == pa.uuid()
    assert ds.schema.field("t").metadata[b"ARROW:extension:name"] == b"acme.temp"
    assert ds.to_table().to_pylist() == table.to_pylist() * 2


def test_inner_names_of_list_fields_do_not_matter(place):
    """B163."""

    def rows(name, item):
        return pa.table({"l": pa.array([[item]], pa.list_(pa.field(name, pa.int64())))})

    lance_cpp.write_dataset(rows("item", 1), place)
    lance_cpp.write_dataset(rows("l", 2), place, mode="append")
    ds = lance_cpp.write_dataset(rows("element", 3), place, mode="append")

    assert everyone_reads(place).column("l").to_pylist() == [[1], [2], [3]]
    assert ds.schema.field("l").type.value_field.name == "item"
