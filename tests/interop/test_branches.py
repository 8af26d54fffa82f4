"""Branches, made, changed, named and removed by us and by the reference on one table."""

import datetime
import json
import pathlib
import pickle
import threading

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import EXISTS, INVALID, IS_LONG, NOT_FOUND, attempt, run

MODULES = [lance_cpp, lance]
BOTH = pytest.mark.parametrize("maker", MODULES, ids=lambda module: module.__name__)
# Who makes a branch, and who changes it then.
PAIRS = pytest.mark.parametrize(
    ("maker", "changer"),
    [(lance_cpp, lance_cpp), (lance_cpp, lance), (lance, lance_cpp)],
    ids=lambda module: module.__name__,
)
ERRORS = (ValueError, OSError, KeyError, RuntimeError)

# By the rules of table-format 1.8, as both must see them.
GOOD_NAMES = [
    "exp", "feature/x", "feature/x-2", "a.b_c", ".x", "x.", "x/.y", "x/main", "a.lock/b",
    "Exp", "_versions", "7", "\u00e9", "\u65e5\u672c/\u8a9e", "\u0967", "\u00b2",
]  # fmt: skip
BAD_NAMES = [
    "", "main", "/x", "x/", "x//y", "x..y", "a/../b", "..", ".", "a/./b", "x\\y", "a.lock",
    "x/.lock", "a b", "a@b", "a%2Fb", "a:b", "a\u0301", "a\nb",
]  # fmt: skip


# The reference makes them, and does harm when it deletes them: the whole table, or another branch.
HARMFUL_NAMES = ["main/x", "main/x/y", "exp/data"]


def rows(ids):
    ids = list(ids)
    return pa.table({"id": pa.array(ids, pa.int64()), "s": [f"s{i % 5}" for i in ids]})


def ids_of(dataset):
    return sorted(dataset.to_table()["id"].to_pylist())


def at(module, uri, branch=None, version=None):
    return module.dataset(uri).checkout_version((branch, version))


def assert_alike(uri, branch, ids=None):
    """Both open a branch's newest version, by name and by place, and find the same in it."""
    found = []
    for module in MODULES:
        dataset = at(module, uri, branch)
        by_place = module.dataset(f"{uri}/tree/{branch}")
        assert by_place.version == dataset.version
        assert ids_of(by_place) == ids_of(dataset)
        found.append((dataset.version, dataset.to_table().sort_by("id"), dataset.schema))
        assert dataset.count_rows(filter="id >= 5") == sum(i >= 5 for i in ids_of(dataset))
    assert found[0] == found[1]
    assert ids is None or ids_of(at(lance, uri, branch)) == sorted(ids)
    at(lance, uri, branch).validate()
    return found[0]


def files_below(folder):
    files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    return sorted(str(path.relative_to(folder)) for path in files)


@pytest.fixture
def uri(tmp_path):
    """Three versions: ids 0..9, 10..19 appended, 3 deleted."""
    uri = str(tmp_path / "t")
    lance_cpp.write_dataset(rows(range(10)), uri)
    dataset = lance_cpp.write_dataset(rows(range(10, 20)), uri, mode="append")
    dataset.delete("id = 3")
    return uri


BASE = [i for i in range(20) if i != 3]


@BOTH
def test_a_branch_begins_with_its_parents_version(maker, uri):
    branch = maker.dataset(uri).create_branch("exp")

    assert branch.version == 3
    assert_alike(uri, "exp", BASE)
    seen = [module.dataset(uri).branches.list() for module in MODULES]
    assert seen[0] == seen[1]
    assert seen[0]["exp"]["parent_branch"] is None
    assert seen[0]["exp"]["parent_version"] == 3
    assert not list(pathlib.Path(uri, "tree/exp").glob("data/*")), "data was copied"


def test_both_describe_a_branch_with_the_same_bytes(uri):
    for module, name in ((lance_cpp, "ours"), (lance, "theirs")):
        parent = module.dataset(uri).create_branch(f"{name}/parent", 2)
        parent.create_branch(f"{name}/child")
    texts = {}
    for name in ("ours", "theirs"):
        for kind in ("parent", "child"):
            text = pathlib.Path(uri, f"_refs/branches/{name}%2F{kind}.json").read_text()
            for _, digits in json.loads(text)["identifier"]["version_mapping"]:
                text = text.replace(digits, "X")
            fields = json.loads(text)
            for name_of_number in ("createAt", "manifestSize"):
                text = text.replace(f": {fields[name_of_number]}", ": N")
            texts[name, kind] = text.replace(name, "N")
    assert texts["ours", "parent"] == texts["theirs", "parent"]
    assert texts["ours", "child"] == texts["theirs", "child"]


def test_both_begin_a_branch_with_the_same_transaction(uri):
    for module, name in ((lance_cpp, "ours"), (lance, "theirs")):
        module.dataset(uri).create_branch(name).create_branch(name + "2")
    for suffix in ("", "2"):
        found = [
            at(lance, uri, name + suffix).read_transaction(3).operation
            for name in ("ours", "theirs")
        ]
        assert found[0].branch_name == "ours" + suffix
        for operation in found:
            operation.branch_name = None
            operation.ref_path = operation.ref_path.replace("ours", "theirs")
            if operation.ref_name:
                operation.ref_name = "theirs"
        assert found[0] == found[1]


REFERENCES = [
    (None, 2, 2),
    (None, "first", 1),
    (None, (None, None), 3),
    (None, ("main", 1), 1),
    ("side", None, 4),
    ("side", 3, 3),
    ("side", ("main", 2), 2),
    ("side", ("side", None), 4),
    ("side", "first", 1),
    ("side", "of side", 4),
]


@BOTH
@pytest.mark.parametrize(("handle", "reference", "version"), REFERENCES)
def test_references_mean_the_same_to_both(maker, handle, reference, version, uri):
    side = lance.dataset(uri).create_branch("side")
    side.insert(rows([77]))
    lance.dataset(uri).tags.create("first", 1)
    lance.dataset(uri).tags.create("ofside", ("side", 4))
    if reference == "of side":
        reference = "ofside"
    dataset = maker.dataset(uri) if handle is None else at(maker, uri, handle)

    opened = dataset if reference is None else dataset.checkout_version(reference)
    made = dataset.create_branch("new", reference)

    assert opened.version == made.version == version
    assert ids_of(opened) == ids_of(made)
    assert_alike(uri, "new", ids_of(opened))
    described = lance.dataset(uri).branches.list()["new"]
    is_of_side = 77 in ids_of(made) or (handle == "side" and reference == 3)
    assert described["parent_branch"] == ("side" if is_of_side else None)


def test_numbers_below_the_branch_point_are_not_there(uri):
    branch = lance_cpp.dataset(uri).create_branch("exp")
    for call in (
        lambda: branch.checkout_version(2),
        lambda: branch.checkout_version(("exp", 1)),
        lambda: branch.checkout_version((None, 9)),
        lambda: branch.checkout_version(("nope", None)),
        lambda: branch.create_branch("new", 2),
        lambda: branch.create_branch("new", "notag"),
        lambda: lance_cpp.dataset(f"{uri}/tree/nope"),
    ):
        with pytest.raises(lance_cpp.errors.NotFoundError):
            call()


def _upsert(dataset):
    builder = dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    builder.execute(rows([5, 6, 500]))


CHANGES = {
    "append": lambda module, ds: ds.insert(rows([100, 101])),
    "append_to_place": lambda module, ds: module.write_dataset(rows([9]), ds.uri, mode="append"),
    "overwrite": lambda module, ds: module.write_dataset(rows([7]), ds, mode="overwrite"),
    "delete": lambda module, ds: ds.delete("id % 3 = 0"),
    "truncate": lambda module, ds: ds.delete("true"),
    "update": lambda module, ds: ds.update({"s": "'new'"}, where="id > 12"),
    "merge": lambda module, ds: _upsert(ds),
    "add_column": lambda module, ds: ds.add_columns({"twice": "id * 2"}),
    "drop_column": lambda module, ds: ds.drop_columns(["s"]),
    "rename": lambda module, ds: ds.alter_columns({"path": "s", "name": "text"}),
    "cast": lambda module, ds: ds.alter_columns({"path": "s", "data_type": pa.large_string()}),
    "config": lambda module, ds: ds.update_config({"owner": "branch"}),
    "index": lambda module, ds: ds.create_scalar_index("s", "ZONEMAP"),
}


@PAIRS
@pytest.mark.parametrize("name", CHANGES)
def test_changes_stay_on_their_branch(maker, changer, name, uri):
    lance.dataset(uri).create_scalar_index("id", "ZONEMAP")
    maker.dataset(uri).create_branch("a/b")
    before = files_below(uri)

    CHANGES[name](changer, changer.dataset(f"{uri}/tree/a/b"))

    version, _, _ = assert_alike(uri, "a/b")
    assert version == 5
    for module in MODULES:
        assert module.dataset(uri).version == 4
        assert ids_of(module.dataset(uri)) == BASE
        assert ids_of(at(module, uri, "a/b", 4)) == BASE
    new = set(files_below(uri)) - set(before)
    assert new and all(file.startswith("tree/a/b/") for file in new)
    # Both go on, there and on the main branch.
    for module in MODULES:
        at(module, uri, "a/b").update_config({"next": module.__name__})
        module.dataset(uri).insert(rows([1000]))
    assert_alike(uri, "a/b")
    assert ids_of(lance_cpp.dataset(uri)) == ids_of(lance.dataset(uri)) == [*BASE, 1000, 1000]


@BOTH
def test_changes_one_after_the_other_by_both(maker, uri):
    maker.dataset(uri).create_branch("exp")
    handles = [at(module, uri, "exp") for module in MODULES]
    for i in range(4):
        handles[i % 2].checkout_latest()
        handles[i % 2].insert(rows([100 + i]))
        handles[1 - i % 2].delete(f"id = {i}")
    assert_alike(uri, "exp", [i for i in BASE if i > 3] + [100, 101, 102, 103])
    assert [v["version"] for v in at(lance_cpp, uri, "exp").versions()] == list(range(3, 11))


@BOTH
def test_restore_and_compaction_on_a_branch(maker, uri):
    maker.dataset(uri).create_branch("exp").insert(rows([100]))
    for module in MODULES:
        old = at(module, uri, "exp", 3)
        old.restore()
        assert ids_of(at(lance, uri, "exp")) == BASE
        at(module, uri, "exp").insert(rows([101]))
    at(lance, uri, "exp").optimize.compact_files()
    assert_alike(uri, "exp", [*BASE, 101])
    assert lance_cpp.dataset(uri).latest_version == 3


def test_a_declared_branch_is_optimized_there(uri):
    branch = lance_cpp.dataset(uri).create_branch("exp")
    branch.set_clustering(["s", "id"])
    branch.insert(rows(range(100, 200)))
    result = branch.optimize.compact_files()

    assert result.rows_rewritten > 0
    assert ids_of(at(lance, uri, "exp")) == BASE + list(range(100, 200))
    lance.dataset(uri).insert(rows([50]))  # the main branch has no flag
    # A branch of a flagged version keeps the declaration, by us.
    child = branch.create_branch("child")
    assert child.clustering_spec() == branch.clustering_spec()
    child.insert(rows([900]))
    assert child.clustering_spec()["version"] == 1
    assert 900 in ids_of(at(lance, uri, "child"))
    with pytest.raises(ERRORS):
        at(lance, uri, "exp").create_branch("theirs")


@BOTH
def test_tags_name_versions_of_branches(maker, uri):
    branch = maker.dataset(uri).create_branch("b")
    branch.insert(rows([13_000]))
    branch.tags.create("newest")
    branch.tags.create("number", 3)
    maker.dataset(uri).tags.create("tuple", ("b", 3))
    maker.dataset(uri).tags.create("main", ("main", 1))
    branch.tags.create("moved", ("main", None))
    branch.tags.update("moved", ("b", None))

    tags = [dataset.tags.list() for module in MODULES for dataset in
            (module.dataset(uri), at(module, uri, "b"))]  # fmt: skip
    assert all(found == tags[0] for found in tags)
    assert {name: (tag["branch"], tag["version"]) for name, tag in tags[0].items()} == {
        "newest": ("b", 4),
        "number": ("b", 3),
        "tuple": ("b", 3),
        "main": (None, 1),
        "moved": ("b", 4),
    }
    for module in MODULES:
        for place in (uri, f"{uri}/tree/b"):
            assert ids_of(module.dataset(place, version="tuple")) == BASE
            assert ids_of(module.dataset(place).checkout_version("moved")) == [*BASE, 13_000]
            assert module.dataset(place, version="main").version == 1


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_names_that_are_allowed(name, uri):
    for maker, reader in ((lance_cpp, lance), (lance, lance_cpp)):
        maker.dataset(uri).create_branch(name)
        assert at(reader, uri, name).version == 3
        assert list(reader.dataset(uri).branches.list()) == [name]
        file = [path for path in files_below(uri) if path.startswith("_refs/branches/")]
        assert len(file) == 1
        reader.dataset(uri).branches.delete(name)
        assert not maker.dataset(uri).branches.list()


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_that_are_not_allowed(name, uri):
    for module in MODULES:
        for call in (
            lambda: module.dataset(uri).create_branch(name),
            lambda: module.dataset(uri).branches.delete(name),
        ):
            with pytest.raises(ERRORS):
                call()
    with pytest.raises(lance_cpp.errors.InvalidError, match="branch name"):
        lance_cpp.dataset(uri).create_branch(name)
    assert not lance_cpp.dataset(uri).branches.list()
    assert ids_of(lance_cpp.dataset(uri)) == BASE


@PAIRS
def test_what_is_needed_is_not_deleted(changer, maker, uri):
    branch = maker.dataset(uri).create_branch("a")
    branch.create_branch("below").create_branch("below/that")
    branch.tags.create("t")
    deleter = changer.dataset(uri).branches
    refused = (lance_cpp.errors.InvalidError,) if changer is lance_cpp else ERRORS
    for _ in range(2):
        with pytest.raises(refused, match="t"):
            deleter.delete("a")
        with pytest.raises(refused, match="below/that"):
            deleter.delete("below")
        assert len(lance.dataset(uri).branches.list()) == 3
    lance.dataset(uri).tags.delete("t")
    with pytest.raises(refused, match="below"):
        deleter.delete("a")
    for name in ("below/that", "below", "a"):
        deleter.delete(name)
    assert not [path for path in files_below(uri) if path.startswith(("tree/", "_refs/branches/"))]
    assert ids_of(lance.dataset(uri)) == BASE


def test_deleting_leaves_branches_in_the_same_folder_alone(uri):
    names = ["a", "a/b", "a/b/c", "a/d"]
    for i, name in enumerate(names):
        lance_cpp.dataset(uri).create_branch(name).insert(rows([100 + i]))
    for i, name in enumerate(names):
        lance_cpp.dataset(uri).branches.delete(name)
        for left, other in list(enumerate(names))[i + 1 :]:
            assert_alike(uri, other, [*BASE, 100 + left])
    assert not files_below(pathlib.Path(uri, "tree"))
    lance.dataset(uri).create_branch("a/b")  # empty folders are in nobody's way
    lance.dataset(uri).branches.delete("a/b")


@pytest.mark.parametrize("name", HARMFUL_NAMES)
def test_names_with_which_the_reference_does_harm(name, uri):
    dataset = lance_cpp.dataset(uri)
    for refused in (name, "exp/_versions/x", "a/b/_indices"):
        with pytest.raises(lance_cpp.errors.InvalidError, match="main/|folder of the branch"):
            dataset.create_branch(refused)
    lance.dataset(uri).create_branch(name).insert(rows([100]))
    lance.dataset(uri).create_branch("exp").insert(rows([200]))
    assert_alike(uri, name, [*BASE, 100])

    dataset.branches.delete(name)  # by us it harms nobody
    assert_alike(uri, "exp", [*BASE, 200])
    lance.dataset(uri).create_branch(name).insert(rows([300]))
    dataset.branches.delete("exp")
    assert_alike(uri, name, [*BASE, 300])
    assert ids_of(lance.dataset(uri)) == BASE


def test_half_made_and_half_deleted_branches(uri):
    dataset = lance_cpp.dataset(uri)
    lance.dataset(uri).create_branch("half")
    description = pathlib.Path(uri, "_refs/branches/half.json")
    description.unlink()  # as after a crash between the two steps

    assert not dataset.branches.list()
    with pytest.raises(lance_cpp.errors.NotFoundError, match="no branch half"):
        at(lance_cpp, uri, "half")
    with pytest.raises(lance_cpp.errors.AlreadyExistsError, match="DeleteBranch removes them"):
        dataset.create_branch("half", 1)
    dataset.create_branch("half").insert(rows([7777]))  # the same again takes it over
    assert_alike(uri, "half", [*BASE, 7777])

    description.unlink()
    with pytest.raises(lance_cpp.errors.AlreadyExistsError, match="other versions"):
        dataset.create_branch("half")
    dataset.branches.delete("half")
    assert not files_below(pathlib.Path(uri, "tree"))
    with pytest.raises(lance_cpp.errors.NotFoundError):
        dataset.branches.delete("half")
    lance.dataset(uri).create_branch("half", 1)
    assert_alike(uri, "half", range(10))


@BOTH
def test_a_branch_is_made_once(maker, uri):
    maker.dataset(uri).create_branch("exp").insert(rows([55]))
    for module in MODULES:
        with pytest.raises(ERRORS):
            module.dataset(uri).create_branch("exp")
    with pytest.raises(lance_cpp.errors.AlreadyExistsError, match="a branch exp already"):
        lance_cpp.dataset(uri).create_branch("exp", 1)
    assert_alike(uri, "exp", [*BASE, 55])


@pytest.mark.parametrize("versions", [[3, 3, 3], [3, 2, 1]])
def test_many_make_the_same_branch_at_once(versions, uri):
    for round_ in range(20 if IS_LONG else 5):
        name = f"race{round_}"
        start = threading.Barrier(len(versions))
        made = []

        def make(version, name=name, start=start, made=made):
            dataset = lance_cpp.dataset(uri)
            start.wait()
            try:
                made.append(dataset.create_branch(name, version).version)
            except OSError:
                pass  # that another one was first is what is tested

        threads = [threading.Thread(target=make, args=[version]) for version in versions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        # From one version one of them makes it; from several all may give way.
        assert len(made) == 1 or (not made and len(set(versions)) > 1)
        if not made:
            made.append(lance_cpp.dataset(uri).create_branch(name, 2).version)
        assert [at(module, uri, name).version for module in MODULES] == made * 2
        assert len(list(pathlib.Path(uri, "tree", name, "_versions").glob("*.manifest"))) == 1
        assert_alike(uri, name)


def test_descriptions_of_old_writers_and_damaged_ones(uri, tmp_path):
    branch = lance_cpp.dataset(uri).create_branch("old")
    file = tmp_path / "t/_refs/branches/old.json"
    fields = json.loads(file.read_text())
    del fields["identifier"], fields["metadata"]
    file.write_text(json.dumps(fields))

    branch.create_branch("child")
    lance.dataset(uri).branches.list()
    for module in MODULES:
        assert module.dataset(uri).branches.list()["child"]["parent_branch"] == "old"
    with pytest.raises(lance_cpp.errors.InvalidError, match="branch child"):
        lance_cpp.dataset(uri).branches.delete("old")
    (file.parent / "not a branch.json").write_text("{}")
    assert lance_cpp.dataset(uri).branches.list().keys() == {"old", "child"}
    good = file.read_bytes()
    for text in (b"", b"[1]", b'{"parentVersion": 1}', b"\xff" * 100, b" " * (2 << 20),
                 good.replace(b'"createAt"', b'"identifier": {"version_mapping": [[1]]}, "c"'),
                 good.replace(b"null", b"7")):  # fmt: skip
        file.write_bytes(text)
        with pytest.raises(lance_cpp.errors.CorruptError, match="_refs/branches/old.json"):
            lance_cpp.dataset(uri).branches.list()


def test_order_and_metadata_of_branches(uri):
    dataset = lance_cpp.dataset(uri)
    for name, version in (("x", 2), ("b", 1), ("c", 3), ("a", 2)):
        dataset.create_branch(name, version)
    dataset.branches.replace_metadata("b", {"why": "tried"})
    lance.dataset(uri).branches.replace_metadata("a", {"k": "v"})
    for order in (None, "asc", "desc"):
        ordered = dataset.branches.list_ordered(order)
        theirs = lance.dataset(uri).branches.list_ordered(order)
        assert [b["parent_version"] for _, b in ordered] == [b["parent_version"] for _, b in theirs]
        assert dict(ordered) == dict(theirs)
    assert dataset.branches.list()["b"]["metadata"] == {"why": "tried"}
    with pytest.raises(lance_cpp.errors.InvalidError, match="asc, desc"):
        dataset.branches.list_ordered("up")
    with pytest.raises(lance_cpp.errors.NotFoundError, match="no branch nope"):
        dataset.branches.replace_metadata("nope", {})


@pytest.mark.parametrize("options", [{"enable_stable_row_ids": True},
                                     {"enable_v2_manifest_paths": False}])  # fmt: skip
@PAIRS
def test_branches_of_other_kinds_of_tables(maker, changer, options, tmp_path):
    uri = str(tmp_path / "t")
    lance_cpp.write_dataset(rows(range(10)), uri, **options).delete("id = 3")
    maker.dataset(uri).create_branch("exp")
    branch = at(changer, uri, "exp")
    branch.update({"s": "'x'"}, where="id = 5")
    branch.insert(rows([50]))
    assert_alike(uri, "exp", [0, 1, 2, 4, 5, 6, 7, 8, 9, 50])
    ids = [at(module, uri, "exp").to_table(with_row_id=True).sort_by("id")["_rowid"].to_pylist()
           for module in MODULES]  # fmt: skip
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 10


def test_a_branch_folder_that_was_moved_is_read(uri, tmp_path):
    lance_cpp.dataset(uri).create_branch("exp")
    pathlib.Path(uri, "tree/exp").rename(tmp_path / "moved")
    moved = lance_cpp.dataset(str(tmp_path / "moved"))
    assert ids_of(moved) == BASE
    with pytest.raises(lance_cpp.errors.InvalidError, match="where its table is"):
        moved.tags.list()


def test_branches_are_pickled(uri):
    branch = lance_cpp.dataset(uri).create_branch("exp")
    branch.insert(rows([5000]))
    for dataset in (branch, at(lance_cpp, uri, "exp"), at(lance_cpp, uri, "exp", 3)):
        again = pickle.loads(pickle.dumps(dataset))
        assert (again.version, ids_of(again)) == (dataset.version, ids_of(dataset))
        assert again.branches.list().keys() == {"exp"}


def test_lancectl_works_on_branches(uri, tmp_path):
    extra = tmp_path / "more.arrow"
    with pa.ipc.new_stream(str(extra), rows([1]).schema) as writer:
        writer.write_table(rows([4000, 4001]))

    run("branch", "create", uri, "exp", "--version", "2")
    run("branch", "create", uri, "exp/child", "--branch", "exp")
    run("append", uri, str(extra), "--branch", "exp", "--input-format", "ipc")
    run("delete", uri, "id < 5", "--branch", "exp")
    run("tag", "create", uri, "t", "--branch", "exp", "--version", "3")
    run("restore", uri, "--branch", "exp", "--version", "2")

    assert ids_of(at(lance, uri, "exp", 4)) == [*range(5, 20), 4000, 4001]
    assert ids_of(at(lance, uri, "exp")) == list(range(20))
    assert run("count", uri, "--branch", "exp", "--version", "4").out.strip() == "17"
    assert run("count", uri, "--tag", "t").out.strip() == "22"
    assert run("count", uri).out.strip() == "19"
    listed = [json.loads(line) for line in run("branch", "list", uri, "--json").out.splitlines()]
    assert [(b["name"], b["parent_branch"], b["parent_version"]) for b in listed] == [
        ("exp", "", 2),
        ("exp/child", "exp", 2),
    ]
    assert "exp/child" in run("branch", "list", uri).out
    assert attempt("branch", "delete", uri, "exp").code == INVALID
    assert attempt("branch", "create", uri, "exp").code == EXISTS
    assert attempt("count", uri, "--branch", "nope").code == NOT_FOUND
    assert attempt("count", uri, "--branch", "exp", "--tag", "t").code == INVALID
    run("branch", "delete", uri, "exp/child")
    assert lance.dataset(uri).branches.list().keys() == {"exp"}


def test_lancectl_opens_as_of_a_time(uri):
    versions = [json.loads(line) for line in run("versions", uri, "--json").out.splitlines()]
    for version in versions:
        at_once = run("info", uri, "--as-of", version["timestamp"], "--json").json
        assert at_once["version"] == version["version"]
    assert attempt("count", uri, "--as-of", "1999-01-01T00:00:00Z").code == NOT_FOUND
    assert attempt("count", uri, "--as-of", "yesterday").code == INVALID
    two = ("--as-of", "1999-01-01T00:00:00Z", "--version", "1")
    assert attempt("count", uri, *two).code == INVALID
    run("branch", "create", uri, "exp", "--as-of", versions[0]["timestamp"])
    assert at(lance, uri, "exp").version == 1


def test_opening_as_of_a_time_is_the_references(uri):
    stamps = [v["timestamp"] for v in lance.dataset(uri).versions()]
    step = datetime.timedelta(milliseconds=1)  # the reference's times are some microseconds off
    for stamp in stamps:
        assert (
            lance_cpp.dataset(uri, asof=str(stamp + step)).version
            == lance_cpp.dataset(uri, asof=stamp + step).version
        )
        for asof in (stamp - step, stamp + step):
            found = []
            for module in MODULES:
                try:
                    found.append(module.dataset(uri, asof=asof).version)
                except ValueError:
                    found.append(None)
            assert found[0] == found[1], asof
    assert lance_cpp.dataset(uri, version=1, asof=stamps[0]).version == 1
    with pytest.raises(TypeError):
        lance_cpp.dataset(uri, asof=7)
    with pytest.raises(lance_cpp.errors.InvalidError, match="soon"):
        lance_cpp.dataset(uri, asof="soon")
