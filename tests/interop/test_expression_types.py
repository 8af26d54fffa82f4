"""pyarrow expressions are conditions of tables whatever types their columns have.

LANCE_TEST_SEED chooses the random tables.
"""

import os
import random

import lance_cpp
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import random_columns

SEED = int(os.environ.get("LANCE_TEST_SEED") or 20240607)
IS_LONG = os.environ.get("LANCE_TEST_SIZE") == "long"
NUM_TABLES = 500 if IS_LONG else 40

STRUCT = pa.struct([("x", pa.int32()), ("y", pa.utf8())])
VECTOR = pa.list_(pa.float32(), 3)
TYPES = [
    *random_columns.PRIMITIVES,
    pa.dictionary(pa.int8(), pa.utf8()), pa.uuid(), VECTOR, pa.list_(pa.bool_(), 2),
    pa.list_(VECTOR, 2), pa.list_(pa.int8()), pa.large_list(pa.utf8()), pa.list_(pa.duration("s")),
    pa.list_(STRUCT), pa.large_list(STRUCT), pa.list_(pa.list_(STRUCT)), pa.list_(STRUCT, 2),
    STRUCT, pa.struct([("v", VECTOR), ("d", pa.duration("s")), ("s", STRUCT)]),
    pa.map_(pa.utf8(), pa.int32()), pa.map_(pa.utf8(), STRUCT), pa.map_(pa.utf8(), VECTOR),
]  # fmt: skip


def table_of(column):
    """A column, and one to ask for on either side of it."""
    count = len(column)
    return pa.table(
        {
            "before": pa.array(range(count), pa.int64()),
            "column": column,
            "after": [f"row {i}" for i in range(count)],
        }
    )


def values_of(kind):
    maker = random_columns.ValueMaker(random.Random(SEED), 0.3, "small")
    is_extension = isinstance(kind, pa.BaseExtensionType)
    field = pa.field("column", kind.storage_type if is_extension else kind)
    array = random_columns.build([maker.value(field) for _ in range(9)], field)
    return pa.ExtensionArray.from_storage(kind, array) if is_extension else array


def written(table, place):
    return lance_cpp.write_dataset(table, place, data_storage_version="2.2")


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_other_columns_can_be_asked_whatever_type_one_has(kind, tmp_path):
    column = values_of(kind)
    ds = written(table_of(column), str(tmp_path / "t.lance"))
    condition = (pc.field("before") > 2) & (pc.field("after") != "row 4")

    found = ds.to_table(columns=["before"], filter=condition)
    assert found["before"].to_pylist() == [3, 5, 6, 7, 8]
    assert ds.count_rows(condition) == 5
    assert ds.explain(condition)["filter"] == "before > 2 AND after <> 'row 4'"
    is_null = pc.field("column").is_null()
    assert ds.count_rows(is_null) == column.null_count == 9 - ds.count_rows(~is_null)
    assert ds.delete(pc.field("after") == "row 0") == {"num_deleted_rows": 1}
    assert ds.update({"before": "0"}, where=pc.field("after") == "row 1")["num_rows_updated"] == 1
    with pytest.raises(lance_cpp.InvalidError, match="no column nope"):
        ds.count_rows(pc.field("nope") == 1)


# What Substrait has no literals for, and what a row is compared with.
COMPARED = [
    (pa.duration("ms"), [1, None, 3], pa.scalar(2, pa.duration("ms")), [2]),
    (pa.decimal256(50, 2), [1, None, 3], pa.scalar(2, pa.decimal256(50, 2)), [2]),
    (pa.timestamp("ns"), [1, None, 3], pa.scalar(2, pa.timestamp("ns")), [2]),
    (pa.binary(2), [b"aa", None, b"ac"], pa.scalar(b"ab", pa.binary(2)), [2]),
    (pa.time64("ns"), [1, None, 3], pa.scalar(2, pa.time64("ns")), [2]),
    (pa.time32("s"), [1, None, 3], pa.scalar(2, pa.time32("s")), [2]),
    (pa.float16(), [1.0, None, 3.0], 2.5, [2]),
]


@pytest.mark.parametrize("kind, values, literal, rows", COMPARED, ids=str)
def test_a_literal_of_any_type_is_compared(kind, values, literal, rows, tmp_path):
    ds = written(table_of(pa.array(values, kind)), str(tmp_path / "t.lance"))

    found = ds.to_table(filter=pc.field("column") > literal)
    assert found["before"].to_pylist() == rows


def test_a_uuid_is_compared_with_its_bytes(tmp_path):
    ids = [bytes([i] * 16) for i in range(3)]
    ds = written(table_of(pa.array(ids, pa.uuid())), str(tmp_path / "t.lance"))

    assert ds.count_rows(pc.field("column") == ids[1]) == 1
    assert ds.count_rows(pc.field("column").isin(ids[:2])) == 2


@pytest.mark.parametrize("kind", [VECTOR, pa.map_(pa.utf8(), VECTOR)], ids=str)
def test_a_column_that_does_not_compare_is_named_with_its_type(kind, tmp_path):
    ds = written(table_of(pa.nulls(9, kind)), str(tmp_path / "t.lance"))
    for condition in (pc.field("column") == 1, (pc.field("before") > 1) & (pc.field("column") < 5)):
        with pytest.raises(lance_cpp.LanceError, match="column"):
            ds.count_rows(condition)


def conditions_on(fields, path=()):
    """For every column and member below columns: whether it is null. Packed structs have none."""
    for field in fields:
        names = (*path, field.name)
        yield names, pc.field(*names).is_null()
        if pa.types.is_struct(field.type) and b"packed" not in (field.metadata or {}):
            yield from conditions_on(field.type, names)


def member(rows, names):
    for name in names:
        rows = [None if row is None else row[name] for row in rows]
    return rows


@pytest.mark.parametrize("number", range(NUM_TABLES))
def test_fields_of_random_tables_are_the_right_ones(number, tmp_path):
    table = random_columns.random_table("2.2", random.Random(SEED * 1000 + number))
    table = table.append_column("key", pa.array(range(table.num_rows), pa.int64()))
    ds = written(table, str(tmp_path / "t.lance"))
    rows = table.to_pylist()

    assert ds.count_rows(pc.field("key") < 3) == min(3, len(rows))
    for names, condition in conditions_on(table.schema):
        expected = [i for i, value in enumerate(member(rows, names)) if value is None]
        found = ds.to_table(columns=["key"], filter=condition)["key"].to_pylist()
        assert found == expected, f"seed {SEED}, table {number}, {names}: {table.schema}"
