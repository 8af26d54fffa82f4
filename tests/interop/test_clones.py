"""Shallow clones, copies and dropped tables, by us and by the reference."""

import datetime
import pathlib

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import EXISTS, INVALID, NOT_FOUND, assert_same_rows, attempt, run

MODULES = [lance_cpp, lance]
BOTH = pytest.mark.parametrize("maker", MODULES, ids=lambda module: module.__name__)
PAIRS = pytest.mark.parametrize(
    ("maker", "changer"),
    [(lance_cpp, lance_cpp), (lance_cpp, lance), (lance, lance_cpp)],
    ids=lambda module: module.__name__,
)
ERRORS = (ValueError, OSError, RuntimeError)


def rows(ids):
    ids = list(ids)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "s": pa.array([f"s{i % 5}" if i % 7 else None for i in ids], pa.string()),
            "list": pa.array([[i] * (i % 3) for i in ids], pa.list_(pa.int64())),
        }
    )


def ids_of(dataset):
    return sorted(dataset.to_table()["id"].to_pylist())


def snapshot(folder):
    return {str(p): p.read_bytes() for p in pathlib.Path(folder).rglob("*") if p.is_file()}


def assert_alike(uri, ids):
    ours, theirs = lance_cpp.dataset(uri), lance.dataset(uri)
    theirs.validate()
    assert ours.version == theirs.version
    assert_same_rows(ours.to_table(), theirs.to_table())
    assert ids_of(ours) == sorted(ids)
    some = "id >= 5 AND s = 's1'"
    assert ours.to_table(filter=some).num_rows == theirs.to_table(filter=some).num_rows
    return ours


@pytest.fixture
def uri(tmp_path):
    """Deletions, an index, a tag, a branch with a version of its own."""
    uri = str(tmp_path / "source")
    dataset = lance_cpp.write_dataset(rows(range(10)), uri)
    dataset.insert(rows(range(10, 20)))
    dataset.delete("id = 3")
    dataset.create_scalar_index("id", "ZONEMAP")
    dataset.update_config({"owner": "me"})
    dataset.update_metadata({"note": "x"})
    dataset.tags.create("two", 2)
    dataset.create_branch("exp").insert(rows([100]))
    return uri


BASE = [i for i in range(20) if i != 3]
REFERENCES = [
    (6, BASE),
    (1, range(10)),
    ("two", range(20)),
    (("exp", None), [*BASE, 100]),
    ((None, 3), BASE),
]


@BOTH
@pytest.mark.parametrize(("reference", "ids"), REFERENCES)
def test_a_clone_of_any_version(maker, reference, ids, uri, tmp_path):
    before = snapshot(uri)
    target = str(tmp_path / "clone")

    clone = maker.dataset(uri).shallow_clone(target, reference)

    source = lance.dataset(uri).checkout_version(reference)
    assert clone.version == source.version
    ours = assert_alike(target, ids)
    assert ours.config() == source.config()
    assert ours.metadata == source.metadata
    assert ours.schema == source.schema
    assert [i.name for i in ours.describe_indices()] == [i.name for i in source.describe_indices()]
    assert ours.tags.list() == ours.branches.list() == {}
    assert snapshot(uri) == before
    assert not list(pathlib.Path(target).rglob("*.lance")), "data was copied"


def test_both_begin_a_clone_with_the_same_transaction(uri, tmp_path):
    for reference in (6, "two", ("exp", None)):
        found = []
        for module in MODULES:
            target = str(tmp_path / f"{module.__name__} {reference}")
            clone = module.dataset(uri).shallow_clone(target, reference)
            read = lance.dataset(target).read_transaction(clone.version)
            found.append((read.read_version, read.operation))
        assert found[0] == found[1]


@PAIRS
def test_writes_to_a_clone_stay_there(maker, changer, uri, tmp_path):
    before = snapshot(uri)
    target = str(tmp_path / "clone")
    maker.dataset(uri).shallow_clone(target, ("exp", None))
    clone = changer.dataset(target)
    clone.insert(rows([500]))
    clone.delete("id < 5")
    clone.update({"s": "'new'"}, where="id = 7")
    clone.add_columns({"twice": "id * 2"})
    builder = clone.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    builder.execute(rows([8, 600]).append_column("twice", pa.array([1, 2], pa.int64())))
    clone.create_branch("side").delete("id > 10")

    assert_alike(target, [*range(5, 20), 100, 500, 600])
    assert ids_of(lance.dataset(target).checkout_version(("side", None))) == list(range(5, 11))
    assert ids_of(lance_cpp.dataset(target + "/tree/side")) == list(range(5, 11))
    assert snapshot(uri) == before
    # A clone of the clone refers to both.
    again = str(tmp_path / "again")
    changer.dataset(target).shallow_clone(again, lance.dataset(target).version)
    assert_alike(again, [*range(5, 20), 100, 500, 600]).insert(rows([1000]).append_column(
        "twice", pa.array([0], pa.int64())))  # fmt: skip
    assert_alike(again, [*range(5, 20), 100, 500, 600, 1000])


def test_clones_of_flagged_tables(uri, tmp_path):
    dataset = lance_cpp.dataset(uri)
    dataset.set_clustering(["s", "id"])
    dataset.insert(rows(range(200, 300)))
    target = str(tmp_path / "clone")

    clone = dataset.shallow_clone(target, dataset.version)

    assert clone.clustering_spec() == dataset.clustering_spec()
    assert_alike(target, BASE + list(range(200, 300)))
    clone.optimize.compact_files()
    assert_alike(target, BASE + list(range(200, 300)))
    with pytest.raises(ERRORS):
        lance.dataset(uri).shallow_clone(str(tmp_path / "theirs"), dataset.version)


@pytest.mark.parametrize("options", [{"enable_stable_row_ids": True},
                                     {"enable_v2_manifest_paths": False}])  # fmt: skip
@BOTH
def test_clones_of_other_kinds_of_tables(maker, options, tmp_path):
    uri, target = str(tmp_path / "t"), str(tmp_path / "clone")
    lance_cpp.write_dataset(rows(range(10)), uri, **options).delete("id = 3")
    maker.dataset(uri).shallow_clone(target, 2)
    ours = assert_alike(target, [0, 1, 2, 4, 5, 6, 7, 8, 9])
    ours.insert(rows([50]))
    ids = [module.dataset(target).to_table(with_row_id=True)["_rowid"].to_pylist()
           for module in MODULES]  # fmt: skip
    assert ids[0] == ids[1]
    assert lance_cpp.dataset(target).has_stable_row_ids == ("enable_stable_row_ids" in options)


def test_a_clone_is_refused_where_a_table_is(uri, tmp_path):
    dataset = lance_cpp.dataset(uri)
    lance.dataset(uri).shallow_clone(str(tmp_path / "clone"), 2)
    for target in (tmp_path / "clone", uri):
        before = snapshot(target)
        with pytest.raises(lance_cpp.errors.AlreadyExistsError, match="there already"):
            dataset.shallow_clone(target, 5)
        assert snapshot(target) == before
    for reference in (99, "nope", ("nope", 1)):
        with pytest.raises(lance_cpp.errors.NotFoundError):
            dataset.shallow_clone(tmp_path / "new", reference)
    assert not (tmp_path / "new").exists()


def test_a_copy_shares_nothing_and_every_writer_takes_it(uri, tmp_path):
    dataset = lance_cpp.dataset(uri)
    dataset.set_clustering(["s"])
    dataset.update_schema_metadata({"origin": "here"})
    dataset.update_field_metadata({"id": {"unit": "none"}})
    with pytest.raises(ERRORS):
        lance.dataset(uri).insert(rows([1]))
    target = str(tmp_path / "copy")

    copy = dataset.copy(target, commit_message="a way out")

    assert copy.version == 1
    assert_same_rows(copy.to_table(), dataset.to_table())
    assert copy.schema == dataset.schema
    assert copy.schema.field("id").metadata == {b"unit": b"none"}
    assert (copy.config(), copy.metadata) == ({"owner": "me"}, {"note": "x"})
    assert copy.clustering_spec() is None
    assert copy._properties()["writer_flags"] & (1 << 17) == 0
    assert copy.tags.list() == {} and copy.describe_indices() == []
    moved = pathlib.Path(uri).rename(tmp_path / "elsewhere")
    theirs = lance.dataset(target)
    theirs.insert(rows([777]))
    assert_alike(target, [*BASE, 777])
    assert lance.dataset(str(moved)).count_rows() == 19


def test_a_copy_that_is_declared_anew(uri, tmp_path):
    dataset = lance_cpp.dataset(uri)
    dataset.set_clustering(["id"])
    target = str(tmp_path / "copy")

    copy = dataset.copy(target, cluster_by=["s", "id"])

    assert copy.version == 1
    assert copy.clustering_spec()["columns"] == ["s", "id"]
    assert copy.clustering_spec()["version"] == 1
    assert copy.metadata["note"] == "x"
    assert copy.config()["owner"] == "me"
    assert_alike(target, BASE)
    assert copy.optimize.compact_files().rows_rewritten == 0  # it arrived in its order


@pytest.mark.parametrize("version", ["2.0", "2.1"])  # 2.2 has no such blobs
def test_copies_keep_versions_ids_and_blobs(version, tmp_path):
    uri = str(tmp_path / "t")
    blob = pa.field("b", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    table = pa.table(
        {"id": pa.array(range(5), pa.int64()), "b": [b"x" * i if i else None for i in range(5)]},
        schema=pa.schema([pa.field("id", pa.int64(), nullable=False), blob]),
    )
    lance_cpp.write_dataset(
        table, uri, data_storage_version=version, enable_stable_row_ids=True
    ).delete("id = 1")

    copy = lance_cpp.dataset(uri).copy(str(tmp_path / "copy"))

    assert copy.data_storage_version == version
    assert copy.has_stable_row_ids
    assert copy.schema == lance_cpp.dataset(uri).schema
    contents = [None if b is None else b.readall() for b in copy.take_blobs("b", indices=range(4))]
    assert contents == [None, b"xx", b"xxx", b"xxxx"]
    lance.dataset(copy.uri).validate()
    theirs = lance.dataset(copy.uri).to_table(with_row_id=True)
    assert theirs["_rowid"].to_pylist() == [0, 1, 2, 3]


def test_copies_of_newer_blobs_are_refused_by_name(tmp_path):
    table = pa.table({"id": [1], "b": lance.blob_array([b"x"])})
    lance.write_dataset(table, str(tmp_path / "t"), data_storage_version="2.2")
    with pytest.raises(lance_cpp.UnsupportedError, match='"b" is a blob v2 column'):
        lance_cpp.dataset(str(tmp_path / "t")).copy(str(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()


def test_copies_of_old_versions_branches_and_empty_tables(uri, tmp_path):
    source = lance_cpp.dataset(uri)
    for i, (reference, ids) in enumerate(REFERENCES):
        copy = source.checkout_version(reference).copy(tmp_path / f"copy {i}")
        assert_alike(copy.uri, ids)
    source.delete("true")
    empty = source.copy(tmp_path / "empty")
    assert (empty.version, empty.count_rows(), empty.schema) == (1, 0, source.schema)
    assert lance.dataset(empty.uri).count_rows() == 0
    with pytest.raises(lance_cpp.errors.AlreadyExistsError):
        source.copy(uri)


@BOTH
def test_dropped_tables_are_gone(maker, uri, tmp_path):
    lance.dataset(uri).shallow_clone(str(tmp_path / "clone"), 2)
    with pytest.raises(lance_cpp.errors.InvalidError, match="place of branch exp"):
        lance_cpp.LanceDataset.drop(uri + "/tree/exp")

    maker.LanceDataset.drop(uri)

    assert snapshot(uri) == {}
    assert not pathlib.Path(uri).exists()  # no empty folders either
    for module in MODULES:
        with pytest.raises(ERRORS):
            module.dataset(uri)
        module.LanceDataset.drop(uri, ignore_not_found=True)
    with pytest.raises(lance_cpp.errors.NotFoundError):
        lance_cpp.LanceDataset.drop(uri)
    lance_cpp.write_dataset(rows([1]), uri)
    assert_alike(uri, [1])


@pytest.mark.parametrize("dropper", [lance_cpp, lance], ids=lambda module: module.__name__)
def test_dropping_removes_links_and_not_what_they_stand_for(dropper, uri, tmp_path):
    outside, inside = tmp_path / "outside", pathlib.Path(uri)
    (outside / "deeper").mkdir(parents=True)
    (outside / "deeper" / "precious.lance").write_text("not of the table")
    ds = lance_cpp.dataset(uri)
    ds.create_branch("b").insert(lance_cpp.dataset(uri).to_table())
    for folder in ("", "data", "tree/b/data", "tree/b"):
        (inside / folder / "link").symlink_to(outside)
    if dropper is lance_cpp:
        ds.branches.delete("b")
        assert (outside / "deeper" / "precious.lance").exists()
        assert not (inside / "tree/b/data").exists()
    dropper.LanceDataset.drop(uri)
    assert (outside / "deeper" / "precious.lance").exists()
    assert not (inside / "link").exists()


def test_a_table_with_a_damaged_version_is_dropped(uri):
    lance_cpp.dataset(uri).update_config({"a": "b"})
    newest = min(pathlib.Path(uri, "_versions").glob("*.manifest"))
    newest.write_bytes(b"damaged")
    lance_cpp.LanceDataset.drop(uri)
    assert not any(path.is_file() for path in pathlib.Path(uri).rglob("*"))


def test_nothing_is_made_of_a_version_that_was_cleaned_up(tmp_path):
    uri = str(tmp_path / "t")
    old = lance_cpp.write_dataset(rows(range(3)), uri)
    lance_cpp.write_dataset(pa.table({"id": [1]}), uri, mode="overwrite")
    lance_cpp.dataset(uri).cleanup_old_versions(older_than=datetime.timedelta(0))
    with pytest.raises(lance_cpp.NotFoundError, match="is not there"):
        old.create_branch("late")
    with pytest.raises(lance_cpp.NotFoundError, match="is not there"):
        old.shallow_clone(str(tmp_path / "late"), None)
    assert old.branches.list() == {}
    assert not pathlib.Path(uri, "tree").exists()


def test_lancectl_clones_copies_and_drops(uri, tmp_path):
    clone, copy, declared = (str(tmp_path / name) for name in ("clone", "copy", "declared"))
    assert "version 2" in run("clone", uri, clone, "--tag", "two").out
    assert run("copy", uri, copy, "--branch", "exp", "--json").json["version"] == 1
    run("copy", clone, declared, "--cluster-by", "s,id", "--message", "again")
    assert_alike(clone, range(20))
    assert_alike(copy, [*BASE, 100])
    assert_alike(declared, range(20))
    assert lance_cpp.dataset(declared).clustering_spec()["columns"] == ["s", "id"]
    assert attempt("clone", uri, copy).code == EXISTS
    assert attempt("copy", uri, copy).code == EXISTS
    assert attempt("copy", uri, str(tmp_path / "x"), "--cluster-by", "list").code != 0
    assert attempt("drop", uri + "/tree/exp").code == INVALID
    run("drop", copy)
    assert attempt("drop", copy).code == NOT_FOUND
    assert attempt("count", copy).code == NOT_FOUND
