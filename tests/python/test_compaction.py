"""Compaction in stages: what travels between processes, and what is refused."""

import base64
import json
import multiprocessing
import pickle

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lance_cpp.errors import CorruptError, InvalidError, UnsupportedError
from lance_cpp.optimize import (
    ClusteringCompactionPlan,
    Compaction,
    CompactionPlan,
    CompactionTask,
    RewriteResult,
)


@pytest.fixture(name="ds")
def _ds(place):
    for first in range(0, 60, 10):
        lance_cpp.write_dataset(
            pa.table({"id": range(first, first + 10)}), place, mode="append" if first else "create"
        )
    return lance_cpp.dataset(place)


def _execute(place, task_bytes):
    return pickle.dumps(pickle.loads(task_bytes).execute(lance_cpp.dataset(place)))


def test_tasks_run_in_other_processes(ds, place):
    plan = Compaction.plan(ds, {"target_rows_per_fragment": 20})
    tasks = [(place, pickle.dumps(task)) for task in plan.tasks]

    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = [pickle.loads(result) for result in pool.starmap(_execute, tasks)]
    metrics = Compaction.commit(ds, results)

    assert metrics.fragments_removed == 6
    assert [part.physical_rows for part in lance.dataset(place).get_fragments()] == [20, 20, 20]
    assert ds.to_table()["id"].to_pylist() == [*range(60)]
    assert metrics.to_dict()["tasks_committed"] == 3


@pytest.mark.parametrize("stage", ["plan", "task", "result"])
def test_stages_are_equal_after_a_journey(ds, stage):
    plan = Compaction.plan(ds, {"max_source_rows": 60, "excluded_fragment_ids": [9]})
    task = plan.tasks[0]
    sent = {"plan": plan, "task": task, "result": task.execute(ds)}[stage]

    for received in (pickle.loads(pickle.dumps(sent)), type(sent).from_json(sent.json())):
        assert received == sent
        assert repr(received) == repr(sent)
        assert received.read_version == sent.read_version == ds.version
    if stage == "plan":
        assert received.to_dict() == plan.to_dict()
        assert received.tasks == plan.tasks
    if stage == "result":
        assert received.metrics == sent.metrics
        assert received.new_fragments == sent.new_fragments


def test_what_is_damaged_on_the_way_is_refused(ds):
    sent = Compaction.plan(ds).tasks[0].json()
    document = json.loads(sent)
    envelope = base64.b64decode(document["envelope"])
    for place in range(0, len(envelope), 7):
        damaged = bytearray(envelope)
        damaged[place] ^= 1
        document["envelope"] = base64.b64encode(damaged).decode()
        with pytest.raises((CorruptError, UnsupportedError)):
            CompactionTask.from_json(json.dumps(document))
    for text in ("", "[]", "{}", sent[:-5], json.dumps({**document, "envelope": "?"})):
        with pytest.raises(CorruptError):
            CompactionTask.from_json(text)


def test_one_stage_is_not_another(ds):
    plan = Compaction.plan(ds)
    task = plan.tasks[0]
    result = task.execute(ds)
    for sent in (plan, task, result):
        for other in (CompactionPlan, CompactionTask, RewriteResult):
            if not isinstance(sent, other):
                with pytest.raises(InvalidError, match="not a compaction_"):
                    other.from_json(sent.json())
    envelope = json.loads(task.json())["envelope"]
    with pytest.raises(CorruptError, match="its kind is 2"):
        RewriteResult.from_json(
            json.dumps({"kind": "compaction_rewrite_result", "envelope": envelope})
        )


def test_a_task_of_another_table_is_refused(ds, place):
    task = Compaction.plan(ds).tasks[0]
    other = place + ".other"
    for _ in range(6):
        lance_cpp.write_dataset(pa.table({"id": range(10)}), other, mode="append")

    with pytest.raises(InvalidError, match="is not what the compaction task was planned for"):
        task.execute(lance_cpp.dataset(other))


def test_results_that_do_not_belong_together_are_refused(ds, place):
    plan = Compaction.plan(ds, {"target_rows_per_fragment": 20})
    first, second, _ = [task.execute(ds) for task in plan.tasks]
    before = ds.version
    with pytest.raises(InvalidError, match="no results"):
        Compaction.commit(ds, [])
    with pytest.raises(InvalidError, match="replaced by two results"):
        Compaction.commit(ds, [first, second, first])
    ds.insert(pa.table({"id": [60]}))
    later = Compaction.plan(ds).tasks[0].execute(ds)
    with pytest.raises(InvalidError, match="cannot be committed together"):
        Compaction.commit(ds, [first, later])
    assert lance_cpp.dataset(place).version == before + 1


def test_options_of_the_reference_that_are_not_here_are_named(ds):
    for name, value in (("max_rows_per_group", 10), ("io_buffer_size", 10), ("num_threads", 1)):
        with pytest.raises(UnsupportedError, match=name):
            Compaction.plan(ds, {name: value})
    with pytest.raises(ValueError, match="Invalid compaction option: colour"):
        Compaction.execute(ds, {"colour": "red"})
    rewrites = [task.execute(ds) for task in Compaction.plan(ds).tasks]
    with pytest.raises(InvalidError, match="defer_index_remap is True"):
        Compaction.commit(ds, rewrites, {"defer_index_remap": True})
    assert Compaction.execute(ds, {"num_threads": 1, "max_source_rows": None}).fragments_added == 1


def test_a_declared_table_is_clustered_unless_a_mode_is_given(ds):
    ds.set_clustering(["id"])

    ordinary = Compaction.plan(ds, {"compaction_mode": "reencode"})
    clustering = Compaction.plan(ds)

    assert isinstance(ordinary, CompactionPlan)
    assert isinstance(clustering, ClusteringCompactionPlan)
    assert clustering.num_tasks() == 1
    mixed = [ordinary.tasks[0].execute(ds), clustering.tasks[0].execute(ds)]
    with pytest.raises(InvalidError):
        Compaction.commit(ds, mixed)
    metrics = Compaction.commit(ds, mixed[1:])
    assert metrics.mode == "cluster"
    assert ds._ds is not None and ds.optimize.compact_files().fragments_removed == 0


def test_an_ordinary_compaction_drops_stamps(place):
    rows = pa.table({"id": range(20)})
    ds = lance_cpp.write_dataset(rows, place, cluster_by=["id"], declare=True)
    ds.insert(pa.table({"id": range(5)}))
    assert ds.optimize.plan_clustering().to_dict()["totals"]["rows"] == 25  # two groups to merge

    metrics = ds.optimize.compact_files(compaction_mode="reencode")

    assert (metrics.mode, metrics.fragments_added) == ("reencode", 1)
    plan = ds.optimize.plan_clustering().to_dict()
    assert [task["reason"] for task in plan["tasks"]] == ["stale"]


def test_progress_is_reported(ds):
    reports = []
    ds.optimize.compact_files(observer=reports.append)

    mine = [report for report in reports if report["operation"] == "compact"]
    assert mine[-1]["completed"] == 60
