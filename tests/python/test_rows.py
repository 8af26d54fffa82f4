"""Changing rows through the Python module: names, results and errors as users of pylance know."""

import datetime

import lance_cpp
import pyarrow as pa
import pyarrow.compute as pc
import pytest


def stock():
    return pa.table(
        {
            "sku": [f"s{i:02d}" for i in range(20)],
            "qty": pa.array([i % 6 if i % 5 else None for i in range(20)], pa.int32()),
            "price": [i * 1.25 for i in range(20)],
            "info": [{"shelf": i // 4} for i in range(20)],
        }
    )


def quantities(dataset):
    table = dataset.to_table().sort_by("sku")
    return dict(zip(table["sku"].to_pylist(), table["qty"].to_pylist(), strict=True))


def test_a_shopkeepers_day(place):
    """Deletes and updates in turns, each counted."""
    dataset = lance_cpp.write_dataset(stock(), place, max_rows_per_file=8)

    assert dataset.delete("qty = 0 OR sku = 's19'") == {"num_deleted_rows": 4}
    assert dataset.version == 2
    assert dataset.delete("qty > 1000") == {"num_deleted_rows": 0}
    assert dataset.delete(pc.field("price") > 20) == {"num_deleted_rows": 1}
    assert dataset.delete("info.shelf = 0 AND qty IS NOT NULL") == {"num_deleted_rows": 3}
    assert dataset.count_rows() == 12
    changed = dataset.update({"qty": "qty + 100"}, where="qty IS NOT NULL AND price < 12")
    assert changed == {"num_rows_updated": 4}
    assert dataset.update({"qty": "0"}, where="qty IS NULL") == {"num_rows_updated": 4}
    assert quantities(dataset)["s04"] == 104
    assert quantities(dataset)["s05"] == 0
    changed = dataset.update(
        {"price": "round(price * 1.1)", "sku": "upper(sku)"}, where=pc.field("price") > 15
    )
    assert changed == {"num_rows_updated": 4}
    dear = dataset.to_table(columns=["sku", "price"], filter="price > 15").to_pylist()
    assert {row["sku"]: row["price"] for row in dear} == {
        "S13": 18.0, "S14": 19.0, "S15": 21.0, "S16": 22.0,
    }
    assert dataset.update({"qty": "NULL"}, where="sku = 's05'") == {"num_rows_updated": 1}
    assert dataset.update({"qty": "7"}) == {"num_rows_updated": 12}
    assert set(quantities(dataset).values()) == {7}
    dataset.truncate_table()
    assert (dataset.count_rows(), dataset.schema.names) == (0, ["sku", "qty", "price", "info"])
    dataset.insert(stock().slice(0, 2))
    assert list(quantities(dataset)) == ["s00", "s01"]
    assert dataset.checkout_version(1).count_rows() == 20


@pytest.fixture
def people(place):
    table = pa.table({"id": [1, 2, 3, 4], "name": ["a", "b", "c", "d"], "n": [10, 20, 30, 40]})
    return lance_cpp.write_dataset(table, place, max_rows_per_file=2)


NEWS = pa.table({"id": [3, 4, 5], "name": ["C", "D", "E"], "n": [33, 4, 55]})


def merged(dataset, result):
    rows = {row["id"]: row["n"] for row in dataset.to_table().to_pylist()}
    counts = [result[f"num_{kind}_rows"] for kind in ["inserted", "updated", "deleted"]]
    return rows, counts


@pytest.mark.parametrize(
    ("clauses", "rows", "counts"),
    [
        (
            lambda b: b.when_matched_update_all().when_not_matched_insert_all(),
            {1: 10, 2: 20, 3: 33, 4: 4, 5: 55}, [1, 2, 0],
        ),
        (
            lambda b: b.when_not_matched_insert_all(),
            {1: 10, 2: 20, 3: 30, 4: 40, 5: 55}, [1, 0, 0],
        ),
        (
            lambda b: b.when_matched_update_all("source.n > target.n"),
            {1: 10, 2: 20, 3: 33, 4: 40}, [0, 1, 0],
        ),
        (
            lambda b: b.when_matched_update_all().when_not_matched_by_source_delete("id < 2"),
            {2: 20, 3: 33, 4: 4}, [0, 2, 1],
        ),
        (
            lambda b: b.when_matched_delete().when_not_matched_insert_all(),
            {1: 10, 2: 20, 5: 55}, [1, 0, 2],
        ),
    ],
)
def test_merges_rows(clauses, rows, counts, people):
    result = clauses(people.merge_insert("id")).execute(NEWS)

    assert merged(people, result) == (rows, counts)
    assert people.version == 2


def test_merges_from_a_stream(people):
    reader = pa.RecordBatchReader.from_batches(NEWS.schema, NEWS.to_batches(max_chunksize=1))
    builder = people.merge_insert(["id", "name"]).when_not_matched_insert_all()

    builder.conflict_retries(3).retry_timeout(datetime.timedelta(seconds=5))
    result = builder.execute(reader)

    assert result == {"num_inserted_rows": 3, "num_updated_rows": 0, "num_deleted_rows": 0}


def test_a_merge_that_cannot_be_leaves_the_table_as_it_was(people):
    twice = pa.concat_tables([NEWS, NEWS])

    with pytest.raises(ValueError, match="several source rows match the row with id = 3"):
        people.merge_insert("id").when_matched_update_all().execute(twice)
    with pytest.raises(ValueError, match="the table has a row with id = 3"):
        people.merge_insert("id").when_matched_fail().execute(NEWS)
    with pytest.raises(lance_cpp.NotFoundError, match="nope"):
        people.merge_insert("nope").when_matched_update_all().execute(NEWS)
    with pytest.raises(ValueError, match="would change nothing"):
        people.merge_insert("id").execute(NEWS)
    with pytest.raises(ValueError, match="key columns"):
        people.merge_insert()

    assert people.version == people.latest_version == 1


def test_a_merge_larger_than_memory_is_refused(place):
    session = lance_cpp.Session(max_memory_bytes=1 << 20)
    table = pa.table({"id": range(200_000)})
    lance_cpp.write_dataset(table.slice(0, 10), place)
    dataset = lance_cpp.dataset(place, session=session)

    with pytest.raises(lance_cpp.OverBudgetError):
        dataset.merge_insert("id").when_not_matched_insert_all().execute(table)

    assert dataset.latest_version == 1


def test_a_filter_that_is_wrong_names_the_place(people):
    with pytest.raises(lance_cpp.InvalidError, match="there is no column nope"):
        people.delete("nope = 1")
    with pytest.raises(lance_cpp.InvalidError, match="value of column n: filter: there is no"):
        people.update({"n": "nope + 1"})
    with pytest.raises(lance_cpp.InvalidError, match="divide by zero"):
        people.update({"n": "n / 0"})
    assert people.latest_version == 1
