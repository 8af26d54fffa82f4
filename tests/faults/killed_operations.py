"""Operations that commit, and a server that runs one in a process of its own and kills it.

Run as a program it reads one JSON object a line, {"operation", "uri", "delay"}, forks, lets the
child begin, kills it after `delay` seconds (null: never), and answers what became of it:
{"killed", "version", "error", "seconds"}. `version` is what the child reported before it ended.
"""

import datetime
import json
import os
import select
import signal
import sys
import time
import traceback
import uuid

import lance_cpp
import pyarrow as pa
import pyarrow.compute  # noqa: F401 - so that no child has to load it
from lance_cpp.file import LanceFileWriter
from lance_cpp.fragment import DataFile, write_fragments

ROWS = 400


def rows(ids):
    """Rows of columns id, k and s; k is null for every seventh."""
    ids = list(ids)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "k": pa.array([None if i % 7 == 0 else i * 37 % 101 for i in ids], pa.int32()),
            "s": pa.array([f"s{i * 13 % 29}" for i in ids], pa.utf8()),
        }
    )


def _upsert(ds):
    source = rows([3, 5, ROWS + 1]).set_column(1, "k", pa.array([1, 2, 3], pa.int32()))
    builder = ds.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    builder.when_not_matched_by_source_delete("id >= 390").execute(source)


def _join(ds):
    right = pa.table({"id": pa.array([1, 2, 399], pa.int64()), "x": ["a", "b", "c"]})
    ds.merge(right, "id")


def _declare(ds):
    ds.set_clustering(["k", "s"])


def _delete_nulls(ds):
    ds.delete("k IS NULL")


def _churn(ds):
    for step in range(6):
        ds.insert(rows(range(1000 + step * 10, 1010 + step * 10)))
        ds.delete(f"id % 11 = {step}")


def _commit(ds, operation):
    ds._ds = lance_cpp.LanceDataset.commit(ds, operation, read_version=ds.version)._ds


def _append_by_hand(ds):
    written = write_fragments(rows(range(ROWS, ROWS + 50)), ds)
    _commit(ds, lance_cpp.LanceOperation.Append(written))


def _delete_by_hand(ds):
    left = [fragment.delete("id % 3 = 0") for fragment in ds.get_fragments()]
    _commit(ds, lance_cpp.LanceOperation.Delete(left, [], "id % 3 = 0"))


def _merge_by_hand(ds):
    made = [fragment.merge_columns({"x": "id * 2"}) for fragment in ds.get_fragments()]
    _commit(ds, lance_cpp.LanceOperation.Merge([fragment for fragment, _ in made], made[0][1]))


def _widen(ds):
    ds.alter_columns({"path": "k", "data_type": pa.int64()})


def _replace_by_hand(ds):
    operations, name = lance_cpp.LanceOperation, f"{uuid.uuid4()}.lance"
    table = pa.table({"k": pa.array(range(150), pa.int64())})
    place = f"{ds.uri}/data/{name}"
    with LanceFileWriter(place, table.schema, version=ds.data_storage_version) as writer:
        writer.write_batch(table)
    file = DataFile.create(ds, name)
    _commit(ds, operations.DataReplacement([operations.DataReplacementGroup(0, file)]))


def _add_base(ds):
    ds.add_bases([lance_cpp.DatasetBasePath(f"{ds.uri}.base", name="base")])


def _append_to_base(ds):
    ds.insert(rows(range(ROWS, ROWS + 50)), target_bases=["base"], max_rows_per_file=20)


class Operation:
    """What is done, to which table, and how many commits it takes."""

    def __init__(self, act, prepare=None, commits=1, is_clustered=False):
        self.act = act
        self.prepare = prepare
        self.commits = commits
        # Released writers do not commit to a table with clustering definitions.
        self.is_clustered = is_clustered or prepare is _declare


OPERATIONS = {
    "append": Operation(lambda ds: ds.insert(rows(range(ROWS, ROWS + 50)))),
    "append_clustered": Operation(lambda ds: ds.insert(rows(range(ROWS, ROWS + 50))), _declare),
    "overwrite": Operation(lambda ds: ds.insert(rows(range(7)), mode="overwrite")),
    "delete": Operation(lambda ds: ds.delete("id % 3 = 0")),
    "delete_more": Operation(lambda ds: ds.delete("id % 3 = 0"), _delete_nulls),
    "truncate": Operation(lambda ds: ds.truncate_table()),
    "update": Operation(lambda ds: ds.update({"k": "id * 2"}, where="id % 5 = 1")),
    "merge_insert": Operation(_upsert),
    "add_columns_sql": Operation(lambda ds: ds.add_columns({"x": "id * 2"})),
    "add_columns_rows": Operation(lambda ds: ds.add_columns(pa.table({"x": list(range(ROWS))}))),
    "add_columns_null": Operation(lambda ds: ds.add_columns(pa.field("x", pa.int64()))),
    "merge_columns": Operation(_join),
    "drop_columns": Operation(lambda ds: ds.drop_columns(["k"])),
    "rename": Operation(lambda ds: ds.alter_columns({"path": "k", "name": "n"})),
    "cast": Operation(lambda ds: ds.alter_columns({"path": "k", "data_type": pa.int64()})),
    "cast_clustered": Operation(
        lambda ds: ds.alter_columns({"path": "k", "data_type": pa.int64()}), _declare
    ),
    "refuse_nulls": Operation(
        lambda ds: ds.alter_columns({"path": "k", "nullable": False}), _delete_nulls
    ),
    "config": Operation(lambda ds: ds.update_config({"x": "1"})),
    "table_metadata": Operation(lambda ds: ds.update_metadata({"x": "1"})),
    "schema_metadata": Operation(lambda ds: ds.update_schema_metadata({"x": "1"})),
    "field_metadata": Operation(lambda ds: ds.update_field_metadata({"k": {"x": "1"}})),
    "set_clustering": Operation(_declare, is_clustered=True),
    "clear_clustering": Operation(lambda ds: ds.clear_clustering(), _declare),
    "optimize": Operation(lambda ds: ds.optimize.compact_files(), _declare, commits=3),
    "compact": Operation(lambda ds: ds.optimize.compact_files(), _delete_nulls, commits=2),
    "append_by_hand": Operation(_append_by_hand),
    "delete_by_hand": Operation(_delete_by_hand),
    "merge_by_hand": Operation(_merge_by_hand),
    "replace_by_hand": Operation(_replace_by_hand, _widen),
    "append_to_base": Operation(_append_to_base, _add_base),
    "create_index": Operation(lambda ds: ds.create_scalar_index("k", "ZONEMAP")),
    "cleanup": Operation(
        lambda ds: ds.cleanup_old_versions(older_than=datetime.timedelta(0)), _churn, commits=0
    ),
}


# Changes the names of manifests and makes no version, so that it is looked at in another way.
MIGRATION = Operation(lambda ds: ds.migrate_manifest_paths_v2(), commits=0)
OLD_VERSIONS = 8


def make_old_table(uri):
    """A table of several versions whose manifests are named by their versions."""
    for number in range(OLD_VERSIONS):
        lance_cpp.write_dataset(
            rows(range(number * 10, number * 10 + 10)),
            uri,
            mode="append" if number else "create",
            enable_v2_manifest_paths=False,
        )


def _branch(ds):
    return ds.checkout_version(("b", None))


# They change other places than the newest version of the main branch: test_killed_branches.py.
BRANCH_OPERATIONS = {
    "create_branch": lambda ds: ds.create_branch("c/d"),
    "create_branch_of_branch": lambda ds: _branch(ds).create_branch("b/c"),
    "delete_branch": lambda ds: ds.branches.delete("b"),
    "shallow_clone": lambda ds: ds.shallow_clone(ds.uri + ".target", ds.version),
    "copy": lambda ds: ds.copy(ds.uri + ".target"),
    "copy_clustered": lambda ds: ds.copy(ds.uri + ".target", cluster_by=["k", "s"]),
    "append_on_branch": lambda ds: _branch(ds).insert(rows(range(ROWS, ROWS + 50))),
    "delete_on_branch": lambda ds: _branch(ds).delete("id % 3 = 0"),
    "add_columns_on_branch": lambda ds: _branch(ds).add_columns({"x": "id * 2"}),
    "tag_on_branch": lambda ds: _branch(ds).tags.create("t"),
}


def _act(name, ds):
    if name not in BRANCH_OPERATIONS:
        OPERATIONS.get(name, MIGRATION).act(ds)
    else:
        BRANCH_OPERATIONS[name](ds)


def make_table(uri, operation):
    """The table that an operation meets: three files of rows, perhaps prepared."""
    ds = lance_cpp.write_dataset(rows(range(ROWS)), uri, max_rows_per_file=150)
    if operation.prepare is not None:
        operation.prepare(ds)


def _child(request, pipe):
    # Half-way through a migration only single versions are opened.
    is_migration = request["operation"] not in {**OPERATIONS, **BRANCH_OPERATIONS}
    ds = lance_cpp.dataset(request["uri"], 1 if is_migration else None)
    os.write(pipe, b"begin\n")
    try:
        _act(request["operation"], ds)
        os.write(pipe, f"version {ds.version}\n".encode())
    except Exception:  # pylint: disable=broad-exception-caught
        os.write(pipe, f"error {json.dumps(traceback.format_exc())}\n".encode())


def _serve(request):
    """Run one operation. \\return the answer"""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            _child(request, writer)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as lines:
        assert lines.readline() == "begin\n"
        started = time.monotonic()
        if request["delay"] is not None:
            select.select([], [], [], request["delay"])
            os.kill(pid, signal.SIGKILL)
        reports = dict(line.rstrip("\n").split(" ", 1) for line in lines)
        seconds = time.monotonic() - started
    _, status = os.waitpid(pid, 0)
    return {
        "killed": os.WIFSIGNALED(status),
        "version": int(reports["version"]) if "version" in reports else None,
        "error": json.loads(reports["error"]) if "error" in reports else None,
        "seconds": seconds,
    }


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(_serve(json.loads(line))), flush=True)
