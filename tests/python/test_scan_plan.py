"""Scans in tasks: together they give what the scan gives, anywhere."""

import pickle
import subprocess
import sys

import lance_cpp
import pyarrow as pa
import pytest

ROWS = 1000


@pytest.fixture
def ds(place):
    """Ten fragments with deletions, zonemaps on nine of them."""
    rows = pa.table(
        {
            "id": range(ROWS),
            "st": pa.array([{"x": i % 17, "y": f"y{i}"} for i in range(ROWS)]),
        }
    )
    table = lance_cpp.write_dataset(rows.slice(0, 900), place, max_rows_per_file=100)
    table.create_scalar_index("id", "ZONEMAP", rows_per_zone=10)
    table.insert(rows.slice(900))
    table.delete("id % 11 = 5 OR id BETWEEN 200 AND 299")
    return table


def rows_of(tasks, dataset):
    return pa.concat_tables([task.execute(dataset).read_all() for task in tasks])


SCANS = [
    {}, {"columns": ["st.x", "id"]}, {"columns": {"v": "st.x + id"}},
    {"filter": "id BETWEEN 340 AND 420"}, {"filter": "st.x = 3", "columns": ["id"]},
    {"filter": "id < 10 OR id > 990", "with_row_id": True, "with_row_address": True},
    {"fragments": [7, 1, 3], "columns": ["id", "_rowoffset"]}, {"filter": "id < 0"},
    {"columns": ["id"], "with_row_id": True, "include_deleted_rows": True},
    {"filter": "id IN (1, 500, 998)", "use_stats": False},
    {"filter": "id IN (1, 500, 998)", "use_scalar_index": False, "batch_size": 3},
]  # fmt: skip


@pytest.mark.parametrize("target", [1, 7, 100, 250, 10**9])
@pytest.mark.parametrize("options", SCANS, ids=str)
def test_the_tasks_of_a_plan_give_the_rows_of_the_scan(ds, options, target):
    tasks = ds.plan_scan(target_rows_per_task=target, **options)
    expected = ds.scanner(**options).to_table()

    found = rows_of(tasks, ds) if tasks else expected.slice(0, 0)
    assert found.equals(expected)
    assert all(1 <= task.num_rows <= target for task in tasks)
    assert sum(task.num_rows for task in tasks) >= expected.num_rows


def test_without_a_filter_a_task_knows_its_rows(ds):
    tasks = ds.plan_scan(target_rows_per_task=100)

    counts = [task.execute(ds).read_all().num_rows for task in tasks]
    assert [task.num_rows for task in tasks] == counts
    assert sum(task.num_bytes for task in tasks) > 0
    assert [task.fragment_ids for task in tasks] == [[i] for i in range(10) if i != 2]


def test_what_statistics_rule_out_is_in_no_task(ds):
    tasks = ds.plan_scan(filter="id BETWEEN 340 AND 345")

    assert [task.fragment_ids for task in tasks] == [[3]]
    assert tasks[0].num_rows == 10  # a zone
    everything = ds.plan_scan(filter="id BETWEEN 340 AND 345", use_stats=False)
    assert sum(task.num_rows for task in everything) > 800


def test_the_rows_of_a_task_are_those_of_the_version_that_was_planned(ds):
    tasks = ds.plan_scan(target_rows_per_task=300, filter="st.x < 5")
    expected = ds.to_table(filter="st.x < 5")
    planned = ds.version
    ds.delete("id < 500")
    ds.optimize.compact_files(target_rows_per_fragment=5000)

    assert ds.version > planned
    assert {task.read_version for task in tasks} == {planned}
    assert rows_of(tasks, ds).equals(expected)


RUN_TASK = """
import pickle, sys
import lance_cpp
task = pickle.load(sys.stdin.buffer)
table = task.execute(lance_cpp.dataset(task.table_uri)).read_all()
pickle.dump(table, sys.stdout.buffer)
"""


def test_a_pickled_task_runs_in_another_process(ds):
    tasks = ds.plan_scan(target_rows_per_task=400, filter="st.x > 3", columns=["st.y", "id"])

    tables = []
    for task in tasks:
        done = subprocess.run(
            [sys.executable, "-c", RUN_TASK], input=pickle.dumps(task), capture_output=True,
            check=True,
        )
        tables.append(pickle.loads(done.stdout))
    assert len(tables) > 1
    assert pa.concat_tables(tables).equals(ds.to_table(filter="st.x > 3", columns=["st.y", "id"]))


def test_a_task_of_a_branch_reads_the_branch(ds):
    branch = ds.create_branch("side")
    branch.delete("id > 100")
    [task] = branch.plan_scan(columns=["id"])

    assert task.execute(ds).read_all().equals(branch.to_table(columns=["id"]))
    assert task.execute(branch).read_all().num_rows < 102


@pytest.mark.parametrize(
    "options, name",
    [({"limit": 5}, "limit"), ({"offset": 1}, "offset"), ({"order_by": ["id"]}, "order_by")],
)
def test_what_is_the_engines_to_apply_is_refused(ds, options, name):
    with pytest.raises(lance_cpp.InvalidError, match=f"a scan with {name} cannot be cut"):
        ds.plan_scan(**options)


def test_wrong_plans_are_refused(ds):
    with pytest.raises(lance_cpp.InvalidError, match="target_rows_per_task is 0"):
        ds.plan_scan(target_rows_per_task=0)
    with pytest.raises(lance_cpp.InvalidError, match="columns is empty"):
        ds.plan_scan(columns=[])
    with pytest.raises(lance_cpp.InvalidError, match="no column nope"):
        ds.plan_scan(filter="nope = 1")
    with pytest.raises(lance_cpp.UnsupportedError, match="nearest"):
        ds.plan_scan(nearest={"column": "v"})


def test_a_task_of_another_table_is_refused(ds, tmp_path):
    other = lance_cpp.write_dataset(ds.to_table(), str(tmp_path / "other.lance"))
    while other.version < ds.version:
        other.update({"id": "id"}, where="id = 0")
    for task in ds.plan_scan():
        with pytest.raises((lance_cpp.InvalidError, lance_cpp.NotFoundError)):
            task.execute(other).read_all()


def test_damaged_bytes_are_no_task(ds):
    [task] = ds.plan_scan(filter="st.x = 1")
    data = task.serialize()

    assert lance_cpp.ScanTask.deserialize(data) == task
    for length in range(len(data)):
        with pytest.raises(lance_cpp.CorruptError):
            lance_cpp.ScanTask.deserialize(data[:length])
    for place in range(0, len(data), 3):
        damaged = data[:place] + bytes([data[place] ^ 0x41]) + data[place + 1 :]
        with pytest.raises((lance_cpp.CorruptError, lance_cpp.UnsupportedError)):
            lance_cpp.ScanTask.deserialize(damaged)
