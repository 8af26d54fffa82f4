"""What is different between two versions: ours, the reference's, and a plain model's answer."""

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import INVALID, IS_LONG, NOT_FOUND, UNSUPPORTED, attempt, rng_of, run

WRITERS = [lance_cpp, lance]
BOTH = pytest.mark.parametrize("writer", WRITERS, ids=lambda module: module.__name__)
SYSTEM = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]


def rows_by_id(uri, version):
    """Row id to the row, from the reference."""
    if version == 0:
        return {}
    table = lance.dataset(uri, version=version).to_table(columns=["id", "x", *SYSTEM])
    return {row["_rowid"]: row for row in table.to_pylist()}


def model_diff(uri, begin, end):
    """By comparing all rows of both versions."""
    before, after = rows_by_id(uri, begin), rows_by_id(uri, end)
    touched = SYSTEM[2]
    return {
        "inserted": [after[i] for i in sorted(after.keys() - before.keys())],
        "updated": [
            after[i] for i in sorted(after.keys() & before.keys())
            if after[i][touched] != before[i][touched]
        ],
        "deleted": sorted(before.keys() - after.keys()),
    }


def sorted_rows(reader):
    return sorted(reader.read_all().to_pylist(), key=lambda row: row["_rowid"])


def delta_of(dataset, **versions):
    delta = dataset.delta(**versions)
    return {
        "inserted": sorted_rows(delta.get_inserted_rows()),
        "updated": sorted_rows(delta.get_updated_rows()),
        "deleted": sorted(delta.get_deleted_row_ids().read_all()["_rowid"].to_pylist()),
    }


def make_chain(writer, uri, rng, steps):
    rows = pa.table({"id": pa.array(range(12), pa.int64()), "x": [0] * 12})
    ds = writer.write_dataset(rows, uri, enable_stable_row_ids=True, max_rows_per_file=5)
    for step in range(1, steps):
        kind = rng.choice(["append", "delete", "update", "merge", "config", "compact"])
        low = rng.randrange(12)
        if kind == "append":
            ds = writer.write_dataset(
                pa.table({"id": pa.array([100 + step], pa.int64()), "x": [step]}), uri,
                mode="append",
            )
        elif kind == "delete":
            ds.delete(f"id = {low}")
        elif kind == "update":
            ds.update({"x": str(step)}, where=f"id >= {low} AND id < {low + 3}")
        elif kind == "merge":
            rows = pa.table({"id": pa.array([low, 200 + step], pa.int64()), "x": [step, step]})
            merge = writer.dataset(uri).merge_insert("id")
            merge.when_matched_update_all().when_not_matched_insert_all().execute(rows)
        elif kind == "compact":
            lance.dataset(uri).optimize.compact_files()
        else:
            ds.update_config({"step": str(step)})
        ds = writer.dataset(uri)
    return ds


@BOTH
@pytest.mark.parametrize("seed", range(40 if IS_LONG else 3))
def test_diff_is_that_of_the_reference_and_of_a_model(writer, seed, tmp_path):
    uri = str(tmp_path / "t")
    rng = rng_of("diff", writer.__name__, seed)
    newest = make_chain(writer, uri, rng, rng.randrange(4, 12)).version
    for begin in range(newest + 1):
        expected = model_diff(uri, begin, newest)
        ours = delta_of(lance_cpp.dataset(uri), begin_version=begin, end_version=newest)
        assert ours == expected, (begin, newest)
        if begin > 0:
            theirs = delta_of(lance.dataset(uri), begin_version=begin, end_version=newest)
            assert theirs == expected
    # Of an older version we give its own rows; the reference those that are left in the newest.
    for _ in range(4):
        end = rng.randrange(1, newest + 1)
        begin = rng.randrange(end + 1)
        ours = delta_of(lance_cpp.dataset(uri), begin_version=begin, end_version=end)
        assert ours == model_diff(uri, begin, end), (begin, end)
        theirs = delta_of(lance.dataset(uri, version=end), begin_version=begin, end_version=end)
        if begin > 0:
            assert ours == theirs


@BOTH
def test_shapes_are_those_of_the_reference(writer, tmp_path):
    uri = str(tmp_path / "t")
    make_chain(writer, uri, rng_of("shapes"), 6)
    ours, theirs = (m.dataset(uri).delta(compared_against=1) for m in WRITERS)
    for read in ("get_inserted_rows", "get_updated_rows", "get_deleted_row_ids"):
        found, expected = getattr(ours, read)(), getattr(theirs, read)()
        assert found.schema.names == expected.schema.names
        assert found.schema.types == expected.schema.types
        assert isinstance(found, pa.RecordBatchReader)
    assert [t.uuid for t in ours.list_transactions()] == [
        t.uuid for t in theirs.list_transactions()
    ]


def test_failures(tmp_path):
    uri = str(tmp_path / "t")
    ds = make_chain(lance_cpp, uri, rng_of("failures"), 5)
    for arguments in ({}, {"begin_version": 1}, {"end_version": 2}):
        for module in WRITERS:
            with pytest.raises(ValueError):
                module.dataset(uri).delta(**arguments)
    with pytest.raises(ValueError, match="newer"):
        ds.delta(begin_version=3, end_version=2).get_deleted_row_ids()
    with pytest.raises(lance_cpp.NotFoundError):
        ds.delta(begin_version=3, end_version=99).get_inserted_rows()

    ds.cleanup_old_versions(versions=[1, 3])
    gone = ds.delta(compared_against=1)
    assert delta_of(ds, compared_against=2)["inserted"] is not None
    assert isinstance(gone.get_inserted_rows().read_all(), pa.Table)
    with pytest.raises(lance_cpp.NotFoundError):
        gone.get_deleted_row_ids().read_all()
    with pytest.raises(lance_cpp.NotFoundError, match="version 3"):
        gone.list_transactions()


def test_without_stable_row_ids_it_is_refused_by_name(tmp_path):
    uri = str(tmp_path / "t")
    lance.write_dataset(pa.table({"id": [1]}), uri)
    ds = lance_cpp.write_dataset(pa.table({"id": [2]}), uri, mode="append")
    with pytest.raises(lance_cpp.UnsupportedError, match="stable row ids"):
        ds.delta(compared_against=1).get_inserted_rows()
    assert attempt("diff", uri, "1", "2").code == UNSUPPORTED


def test_what_a_restore_brings_back_is_told_by_neither(tmp_path):
    """Rows keep the versions in which they were made; as in the reference, only losses show."""
    uri = str(tmp_path / "t")
    rows = pa.table({"id": [1, 2], "x": [0, 0]})
    ds = lance_cpp.write_dataset(rows, uri, enable_stable_row_ids=True)
    ds.delete("id = 1")
    lance_cpp.write_dataset(pa.table({"id": [3], "x": [0]}), uri, mode="append")
    ds = lance_cpp.dataset(uri)
    ds.checkout_version(1).restore()
    found = [delta_of(m.dataset(uri), compared_against=3) for m in WRITERS]
    assert found[0] == found[1] == {"inserted": [], "updated": [], "deleted": [2]}


def test_lancectl_diff(tmp_path):
    uri = str(tmp_path / "t")
    rows = pa.table({"id": [1, 2, 3], "x": ["a", "b", "c"]})
    ds = lance_cpp.write_dataset(rows, uri, enable_stable_row_ids=True)
    ds.insert(pa.table({"id": [4], "x": ["d"]}))
    ds.update({"x": "'new'"}, where="id = 2")
    ds.delete("id = 1")
    found = run("diff", uri, "1", "4", "--json").json
    assert {name: found[f"rows_{name}"] for name in ("inserted", "updated", "deleted")} == {
        "inserted": 1, "updated": 1, "deleted": 1,
    }
    assert [entry["operation"] for entry in found["transactions"]] == ["Append", "Update", "Delete"]
    assert "1 row inserted, 1 updated, 1 deleted by 3 commits" in run("diff", uri, "1", "4").out
    changes = run("diff", uri, "1", "4", "--rows", "--json").json_lines
    assert [(c["_change"], c["id"], c["x"], c["_rowid"]) for c in changes] == [
        ("inserted", 4, "d", 3), ("updated", 2, "new", 1), ("deleted", None, None, 0),
    ]
    assert "updated" in run("diff", uri, "1", "4", "--rows").out
    assert attempt("diff", uri, "4", "1").code == INVALID
    assert attempt("diff", uri, "1", "9").code == NOT_FOUND
