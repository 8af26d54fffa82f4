"""Tags and restore, by us and by the reference on one table."""

import datetime
import json
import pathlib

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import EXISTS, INVALID, NOT_FOUND, attempt, run

WRITERS = [lance_cpp, lance]
BOTH = pytest.mark.parametrize("writer", WRITERS, ids=lambda module: module.__name__)


@pytest.fixture
def uri(tmp_path):
    """A table with three versions of 1, 2 and 3 rows."""
    uri = str(tmp_path / "t")
    for version in range(3):
        lance_cpp.write_dataset(pa.table({"k": [version]}), uri, mode="append")
    return uri


def test_a_damaged_tag_can_be_deleted(uri):
    ds = lance_cpp.dataset(uri)
    ds.tags.create("broken", 1)
    pathlib.Path(uri, "_refs/tags/broken.json").write_text("no JSON")
    with pytest.raises(lance_cpp.CorruptError, match="broken.json"):
        ds.tags.list()
    ds.tags.delete("broken")
    assert ds.tags.list() == {}


@BOTH
@pytest.mark.parametrize("reference", [0, "", ("main", 0), (None, 0)])
def test_nothing_is_no_name_of_the_newest_version(writer, reference, uri):
    ds = writer.dataset(uri)
    for ask in (
        lambda: writer.dataset(uri, version=reference),
        lambda: ds.checkout_version(reference),
        lambda: ds.tags.create("t", reference),
        lambda: ds.create_branch("b", reference),
    ):
        with pytest.raises((ValueError, OSError)):
            ask()
    assert ds.tags.list() == ds.branches.list() == {}


@BOTH
def test_tags_are_seen_and_changed_by_both(writer, uri):
    tags = writer.dataset(uri).tags
    tags.create("v1", 1)
    tags.create("newest")
    tags.create("pair", ("main", 2))
    tags.update("v1", 2)
    tags.create("again", "v1")
    tags.delete("pair")

    ours, theirs = lance_cpp.dataset(uri).tags, lance.dataset(uri).tags
    assert ours.list() == theirs.list()
    assert {name: tag["version"] for name, tag in ours.list().items()} == {
        "again": 2,
        "newest": 3,
        "v1": 2,
    }
    for order in (None, "asc", "desc"):
        assert ours.list_ordered(order) == theirs.list_ordered(order)
    assert ours.get_version("v1") == 2
    for reader in WRITERS:
        assert reader.dataset(uri, version="v1").count_rows() == 2
        assert reader.dataset(uri).checkout_version("newest").version == 3
        assert reader.dataset(uri, version=1).tags.list().keys() == ours.list().keys()


@BOTH
def test_times_of_tags_are_those_of_the_change(writer, uri):
    before = datetime.datetime.now(datetime.timezone.utc)
    writer.dataset(uri).tags.create("t", 1)
    created = lance_cpp.dataset(uri).tags.list()["t"]
    writer.dataset(uri).tags.update("t", 2)
    updated = lance_cpp.dataset(uri).tags.list()["t"]

    assert before <= created["created_at"] == created["updated_at"]
    assert updated["created_at"] == created["created_at"] < updated["updated_at"]


def test_names_of_other_scripts_are_read(uri):
    """The reference writes them, and then fails to list its own."""
    lance.dataset(uri).tags.create("\u00e9\u65e5\u672c", 2)

    tags = lance_cpp.dataset(uri).tags
    assert tags.get_version("\u00e9\u65e5\u672c") == 2
    tags.create("\u00df", 3)
    assert lance.dataset(uri, version="\u00df").version == 3


def test_failures_say_what_is_wrong(uri):
    tags = lance_cpp.dataset(uri).tags
    tags.create("v1", 1)
    for call, error, message in (
        (lambda: tags.create("v1", 2), lance_cpp.errors.AlreadyExistsError, "a tag v1 already"),
        (lambda: tags.create("a/b"), lance_cpp.errors.InvalidError, "other characters"),
        (lambda: tags.create("new", 99), lance_cpp.errors.NotFoundError, "99"),
        (lambda: tags.update("nope", 1), lance_cpp.errors.NotFoundError, "no tag nope"),
        (lambda: tags.update("v1", 99), lance_cpp.errors.NotFoundError, "99"),
        (lambda: tags.delete("nope"), lance_cpp.errors.NotFoundError, "no tag nope"),
        (lambda: tags.get_version("nope"), lance_cpp.errors.NotFoundError, "no tag nope"),
        (lambda: tags.create("x", ("side", 1)), lance_cpp.errors.NotFoundError, "no branch side"),
        (lambda: tags.list_ordered("up"), lance_cpp.errors.InvalidError, "asc, desc"),
        (lambda: tags.create(7), TypeError, "tag"),
        (
            lambda: lance_cpp.dataset(uri, version="nope"),
            lance_cpp.errors.NotFoundError,
            "no tag nope",
        ),
    ):
        with pytest.raises(error, match=message):
            call()
    assert lance.dataset(uri).tags.list().keys() == {"v1"}


def test_damaged_tags_are_named(uri, tmp_path):
    lance_cpp.dataset(uri).tags.create("v1", 1)
    file = tmp_path / "t/_refs/tags/v1.json"
    (file.parent / "not a tag.json").write_text("{}")
    assert lance_cpp.dataset(uri).tags.list().keys() == {"v1"}
    for text in (b"", b"[1]", b'{"version": 1}', b"\xff" * 100, b" " * (2 << 20)):
        file.write_bytes(text)
        with pytest.raises(lance_cpp.errors.CorruptError, match="_refs/tags/v1.json"):
            lance_cpp.dataset(uri).tags.list()


@BOTH
def test_restored_versions_are_equal_for_both(writer, uri):
    dataset = writer.dataset(uri, version=1)
    dataset.restore()

    assert dataset.version == 4
    for reader in WRITERS:
        assert reader.dataset(uri).to_table()["k"].to_pylist() == [0]
        assert reader.dataset(uri, version=3).count_rows() == 3
    lance.dataset(uri).validate()
    lance_cpp.write_dataset(pa.table({"k": [9]}), uri, mode="append")
    assert lance.dataset(uri).to_table()["k"].to_pylist() == [0, 9]
    newest = writer.dataset(uri)
    newest.restore()
    assert newest.version == 6


def test_lancectl_names_and_restores_versions(uri):
    run("tag", "create", uri, "v1", "--version", "1")
    run("tag", "create", uri, "newest")
    run("tag", "update", uri, "newest", "--tag", "v1")
    lines = run("tag", "list", uri, "--json").out.splitlines()
    tags = {tag["name"]: tag["version"] for tag in map(json.loads, lines)}
    assert tags == {"newest": 1, "v1": 1}
    assert run("count", uri, "--tag", "v1").out.strip() == "1"
    run("tag", "delete", uri, "newest")
    assert attempt("count", uri, "--tag", "newest").code == NOT_FOUND
    assert attempt("tag", "create", uri, "v1").code == EXISTS
    assert attempt("tag", "create", uri, "a b").code == INVALID
    assert attempt("restore", uri).code == INVALID

    run("restore", uri, "--tag", "v1", "--message", "back")

    assert lance.dataset(uri).version == 4
    assert lance.dataset(uri).count_rows() == 1
