"""Versions, history and transactions, beside the reference."""

import datetime

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import INVALID, attempt, run

WRITERS = [lance_cpp, lance]
BOTH = pytest.mark.parametrize("writer", WRITERS, ids=lambda module: module.__name__)


def make_table(writer, uri, stable=True):
    """Create, append, update, delete, upsert, configure, add a column, restore."""
    rows = pa.table({"id": pa.array([1, 2, 3, 4], pa.int64()), "x": [1, 2, 3, 4]})
    ds = writer.write_dataset(
        rows, uri, enable_stable_row_ids=stable, commit_message="first",
        transaction_properties={"by": "test"},
    )
    more = pa.table({"id": pa.array([5, 6], pa.int64()), "x": [5, 6]})
    ds = writer.write_dataset(more, uri, mode="append", commit_message="second")
    ds.update({"x": "0"}, where="id = 2")
    ds.delete("id IN (1, 5)")
    changes = pa.table({"id": pa.array([3, 7], pa.int64()), "x": [33, 77]})
    upsert = ds.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    upsert.execute(changes)
    ds = writer.dataset(uri)
    ds.update_config({"a": "b"})
    ds.add_columns({"y": "x + 1"})
    ds.checkout_version(5).restore()
    ds.tags.create("t", 2)
    return writer.dataset(uri)


@BOTH
@pytest.mark.parametrize("stable", [True, False])
def test_versions_are_described_as_by_the_reference(writer, stable, tmp_path):
    uri = str(tmp_path / "t")
    make_table(writer, uri, stable)
    ours, theirs = lance_cpp.dataset(uri).versions(), lance.dataset(uri).versions()
    assert len(ours) == 8
    for found, expected in zip(ours, theirs, strict=True):
        # The reference counts the nanoseconds of a time in doubles, to the nearest 256.
        off = found.pop("timestamp") - expected.pop("timestamp")
        assert abs(off) <= datetime.timedelta(microseconds=1)
        assert found == expected


@BOTH
def test_transactions_are_those_of_the_reference(writer, tmp_path):
    uri = str(tmp_path / "t")
    make_table(writer, uri)

    def described(transaction):
        return (
            transaction.read_version, transaction.uuid, transaction.transaction_properties,
            type(transaction.operation).__name__,
        )

    def told(operation):
        """What an operation says of fragments, rows and versions."""
        lists = ("fragments", "updated_fragments", "new_fragments", "old_fragments")
        plain = ("deleted_fragment_ids", "removed_fragment_ids", "predicate", "version")
        parts = [
            [(f.id, f.physical_rows, [d.path for d in f.files]) for f in getattr(operation, name)]
            for name in lists
            if hasattr(operation, name)
        ]
        parts += [getattr(operation, name) for name in plain if hasattr(operation, name)]
        return parts + [told(group) for group in getattr(operation, "groups", [])]

    for limit in (0, 1, 3, 10, 100):
        found = [
            [described(t) for t in module.dataset(uri).get_transactions(limit)]
            for module in WRITERS
        ]
        # The reference has no classes for some operations.
        for ours, theirs in zip(*found, strict=True):
            assert ours[:3] == theirs[:3]
            assert theirs[3] in (ours[3], "BaseOperation")
    for version in range(1, 9):
        ours, theirs = (m.dataset(uri).read_transaction(version) for m in WRITERS)
        assert described(ours)[:3] == described(theirs)[:3]
        if type(theirs.operation).__name__ != "BaseOperation":
            assert told(ours.operation) == told(theirs.operation)
    old = [[t.uuid for t in m.dataset(uri, version=2).get_transactions()] for m in WRITERS]
    assert old[0] == old[1]
    with pytest.raises(OSError):
        lance_cpp.dataset(uri).read_transaction(99)


@BOTH
def test_history_counts_what_commits_did(writer, tmp_path):
    uri = str(tmp_path / "t")
    make_table(writer, uri)
    history = lance_cpp.dataset(uri).history()
    counted = [
        (e["operation"], e["rows_inserted"], e["rows_updated"], e["rows_deleted"]) for e in history
    ]
    assert counted == [
        ("Restore", None, None, None),
        ("Merge", 0, 0, 0),
        ("UpdateConfig", 0, 0, 0),
        ("Update", 1, 1, 0),
        ("Delete", 0, 0, 2),
        ("Update", 0, 1, 0),
        ("Append", 2, 0, 0),
        ("Overwrite", 4, 0, 0),
    ]
    assert history[-1]["message"] == "first" and history[-1]["properties"] == {"by": "test"}
    assert history[-2]["tags"] == ["t"] and history[-2]["fragments_added"] == 1
    assert [e["version"] for e in history] == list(range(8, 0, -1))
    assert [e["version"] for e in lance_cpp.dataset(uri).history(2)] == [8, 7]
    for entry in history:
        files = {
            file.path: file.file_size_bytes
            for fragment in lance.dataset(uri, version=entry["version"]).get_fragments()
            for file in fragment.metadata.files
        }
        if entry["version"] > 1:
            before = lance.dataset(uri, version=entry["version"] - 1).get_fragments()
            for path in (file.path for f in before for file in f.metadata.files):
                files.pop(path, None)
        assert entry["bytes_added"] == sum(files.values()), entry


@BOTH
def test_a_message_that_is_no_text_for_us_is_a_property(writer, tmp_path):
    uri = str(tmp_path / "t")
    rows = pa.table({"id": [1]})
    writer.write_dataset(rows, uri, transaction_properties={"__lance_commit_message": "said"})
    assert lance_cpp.dataset(uri).history()[0]["message"] == "said"
    for module in WRITERS:
        found = module.dataset(uri).get_transactions()[0].transaction_properties
        assert found == {"__lance_commit_message": "said"}


def test_lancectl_shows_versions_and_history(tmp_path):
    uri = str(tmp_path / "t")
    make_table(lance_cpp, uri)
    versions = run("versions", uri, "--json").json_lines
    assert versions[1]["tags"] == ["t"]
    assert versions[1]["metadata"] == lance.dataset(uri).versions()[1]["metadata"]
    assert run("versions", uri).out.splitlines()[2].endswith(" t")
    history = run("history", uri, "--json", "--limit", "3").json_lines
    assert history == lance_cpp.dataset(uri).history(3)
    lines = run("history", uri).out.splitlines()
    assert len(lines) == 9
    assert lines[1].split()[2:6] == ["Restore", "?", "?", "?"]
    assert lines[-1].split()[2:] == ["Overwrite", "4", "0", "0", "first"]
    assert attempt("history", uri, "--limit", "0").code == INVALID
