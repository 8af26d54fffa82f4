"""Tables whose files are in several places: shallow clones and base paths of the reference."""

import os
import pathlib
import shutil

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lance import DatasetBasePath
from lancectl import IS_LONG, assert_same_rows, rng_of

VERSIONS = ["2.0", "2.1", "2.2"]


def rows(first, count):
    ids = range(first, first + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "s": pa.array([f"row {i}" if i % 7 else None for i in ids], pa.string()),
        }
    )


def write(table, uri, **options):
    return lance.write_dataset(table, uri, **{"data_storage_version": "2.1", **options})


def places_of(uri, version=None):
    """(base id, file name) of every data file, as the stored manifest has them."""
    files = []
    for fragment in lance.dataset(uri, version=version).get_fragments():
        files += [(file.base_id, file.path) for file in fragment.metadata.files]
    return files


def assert_reads_alike(uri):
    theirs = lance.dataset(uri)
    theirs.validate()
    ours = lance_cpp.dataset(uri)
    assert ours.version == theirs.version
    assert ours.to_table().to_pylist() == theirs.to_table().to_pylist()
    assert ours.count_rows() == theirs.count_rows()
    some = {"filter": "id >= 20"}
    assert ours.to_table(**some).to_pylist() == theirs.to_table(**some).to_pylist()
    return ours


def snapshot(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in pathlib.Path(folder).rglob("*")
        if path.is_file()
    }


@pytest.fixture
def clone(tmp_path):
    """A shallow clone of a table with a deletion file and a zonemap; the source's bytes too."""
    source = tmp_path / "source.lance"
    dataset = write(rows(0, 60), source, max_rows_per_file=20)
    dataset.delete("id in (3, 4, 25)")
    dataset.create_scalar_index("id", "ZONEMAP")
    dataset.shallow_clone(str(tmp_path / "clone.lance"), dataset.version)
    return str(tmp_path / "clone.lance"), source, snapshot(source)


@pytest.fixture
def spread(tmp_path):
    """Files in a base that is no root, in one that is, and in the table itself."""
    uri = str(tmp_path / "spread.lance")
    flat = DatasetBasePath(str(tmp_path / "flat"), name="flat", is_dataset_root=False, id=7)
    write(rows(0, 20), uri, initial_bases=[flat], target_bases=["flat"])
    root = DatasetBasePath(str(tmp_path / "root"), name="root", is_dataset_root=True)
    lance.dataset(uri).add_bases([root])
    write(rows(20, 20), uri, mode="append", target_bases=["root"])
    write(rows(40, 20), uri, mode="append")
    return uri


@pytest.mark.parametrize("version", VERSIONS)
def test_a_clone_is_read(tmp_path, version):
    source = tmp_path / "source.lance"
    dataset = write(rows(0, 60), source, max_rows_per_file=20, data_storage_version=version)
    dataset.delete("id < 5")
    dataset.shallow_clone(str(tmp_path / "clone.lance"), dataset.version)

    assert {base for base, _ in places_of(tmp_path / "clone.lance")} == {0}
    assert_reads_alike(tmp_path / "clone.lance")


def test_files_of_every_kind_of_base_are_read(spread):
    assert [base for base, _ in places_of(spread)] == [7, 1, None]
    assert_reads_alike(spread)


def test_the_zonemap_of_a_clone_prunes(clone):
    uri, _, _ = clone
    ours = lance_cpp.dataset(uri)
    explanation = ours.explain("id = 45")

    assert [leaf["index"] for leaf in explanation["predicates"]] == ["id_idx"]
    assert explanation["fragments"] == {"kept": 1, "total": 3}
    assert ours.to_table(filter="id = 45").num_rows == 1


def test_changes_keep_base_ids_and_leave_the_source_alone(clone):
    uri, source, before = clone
    cloned = places_of(uri)
    ours = lance_cpp.dataset(uri)

    ours.delete("id = 10")  # a fragment whose deletion file is in the source, one without
    ours.delete("id = 50")
    assert places_of(uri) == cloned
    ours = assert_reads_alike(uri)
    ours.insert(rows(100, 5))
    assert places_of(uri)[:3] == cloned and places_of(uri)[3][0] is None
    ours = assert_reads_alike(uri)
    ours.update({"s": "'new'"}, where="id = 11")
    ours = assert_reads_alike(uri)
    ours.add_columns({"twice": "id * 2"})
    assert [file for file in places_of(uri) if file in cloned] == cloned
    ours = assert_reads_alike(uri)
    ours.alter_columns({"path": "s", "name": "text"})
    ours = assert_reads_alike(uri)
    ours.drop_columns(["twice"])
    ours = assert_reads_alike(uri)
    ours.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(
        pa.table({"id": pa.array([12, 200], pa.int64()), "text": ["merged", "inserted"]})
    )
    ours = assert_reads_alike(uri)
    ours.update_config({"a": "b"})
    assert_reads_alike(uri)
    assert [file for file in places_of(uri) if file in cloned] == cloned
    assert lance.dataset(uri).base_paths().keys() == {0}
    assert snapshot(source) == before


def test_a_clone_whose_fragments_all_go_keeps_its_bases(clone):
    uri, source, before = clone
    ours = lance_cpp.dataset(uri)
    ours.truncate_table()
    assert_reads_alike(uri)
    lance_cpp.write_dataset(rows(0, 3), uri, mode="append")
    assert_reads_alike(uri)
    lance_cpp.write_dataset(rows(5, 3), uri, mode="overwrite")
    assert_reads_alike(uri)
    assert lance.dataset(uri).base_paths().keys() == {0}
    assert snapshot(source) == before


def test_clustering_rewrites_files_of_bases(spread, tmp_path):
    before = {name: snapshot(tmp_path / name) for name in ("flat", "root")}
    ours = lance_cpp.dataset(spread)
    ours.set_clustering(["id"])
    ours.optimize.compact_files(compaction_mode="cluster")

    ours = lance_cpp.dataset(spread)
    assert sorted(ours.to_table()["id"].to_pylist()) == list(range(60))
    assert {base for base, _ in places_of(spread)} == {None}
    assert {name: snapshot(tmp_path / name) for name in ("flat", "root")} == before
    reference = lance.dataset(spread)
    reference.validate()
    assert_same_rows(reference.to_table(), rows(0, 60))


def test_bases_are_found_by_uri(tmp_path):
    uri = str(tmp_path / "t.lance")
    base = DatasetBasePath(
        f"file://{tmp_path}/b%20c", name="b", is_dataset_root=False
    )
    write(rows(0, 5), uri, initial_bases=[base], target_bases=["b"])

    assert os.listdir(tmp_path / "b c")
    assert_reads_alike(uri)


def test_a_missing_base_is_named_when_a_file_of_it_is_needed(spread, tmp_path):
    shutil.rmtree(tmp_path / "root")

    ours = lance_cpp.dataset(spread)
    assert ours.count_rows() == 60
    with pytest.raises(OSError, match=r"_bases/1/data/.*not there"):
        ours.to_table()


def test_relative_bases_are_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    uri = str(tmp_path / "t.lance")
    base = DatasetBasePath("beside", name="b", is_dataset_root=False)
    write(rows(0, 5), uri, initial_bases=[base], target_bases=["b"])
    write(rows(5, 5), uri, mode="append")

    ours = lance_cpp.dataset(uri)
    assert ours.count_rows() == 10
    with pytest.raises(lance_cpp.UnsupportedError, match=r"base path \d+ \(beside\) is relative"):
        ours.to_table()


def test_chains_of_changes_of_both_writers_agree_with_a_model(clone):
    uri, source, before = clone
    rng = rng_of("base paths")
    model = {row["id"]: row for row in lance.dataset(uri).to_table().to_pylist()}
    next_id = 1000
    for step in range(60 if IS_LONG else 12):
        dataset = (lance_cpp if rng.random() < 0.6 else lance).dataset(uri)
        kind = rng.choice(["append", "delete", "update", "column", "base"])
        if kind == "append":
            added = rows(next_id, 4).to_pylist()
            table = pa.Table.from_pylist(
                [{**{name: None for name in dataset.schema.names}, **row} for row in added],
                schema=dataset.schema,
            )
            dataset.insert(table)
            model.update((row["id"], row) for row in table.to_pylist())
            next_id += 4
        elif kind == "delete" and model:
            gone = rng.sample(sorted(model), min(3, len(model)))
            dataset.delete(f"id in ({', '.join(map(str, gone))})")
            for id_ in gone:
                del model[id_]
        elif kind == "update" and model:
            changed = rng.choice(sorted(model))
            dataset.update({"s": f"'step {step}'"}, where=f"id = {changed}")
            model[changed]["s"] = f"step {step}"
        elif kind == "column":
            dataset.add_columns({f"c{step}": "id + 1"})
            for row in model.values():
                row[f"c{step}"] = row["id"] + 1
        elif kind == "base":
            base = DatasetBasePath(str(source.parent / f"b{step}"), name=f"b{step}")
            lance.dataset(uri).add_bases([base])
        ours = assert_reads_alike(uri)
        found = {row["id"]: row for row in ours.to_table().to_pylist()}
        assert found == model, f"step {step}: {kind}"
    assert snapshot(source) == before
