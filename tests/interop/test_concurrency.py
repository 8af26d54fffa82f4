"""Eight processes change one table at a time, half of them ours, half of them the reference's.

The versions are the serial order: replaying on a plain model what was reported as done, in the
order of the versions that were reported, gives every version row by row. So each success is there
exactly once and no failure is. Some processes are killed; what they were about to do may be there.
"""

import json
import pathlib
import subprocess
import sys
import time

import lance
import lance_cpp
import pyarrow as pa
import pytest
from concurrent_writer import ROW_CHANGES, SCHEMA
from lancectl import IS_LONG, SEED, rng_of
from table_model import TableModel

SECONDS = 60 if IS_LONG else 3
SECONDS_ALONE = 20 if IS_LONG else 1.5
KILLS = 12 if IS_LONG else 1
FIRST_ROWS = [{"id": id_, "k": 0, "by": -1} for id_ in range(200)]


class Crowd:
    """The processes."""

    def __init__(self, uri, log):
        self.uri = uri
        self.log = log
        self.started = 0
        self.running = []

    def start(self, kind):
        """\\return a process that is ready and waits"""
        self.started += 1
        script = pathlib.Path(__file__).with_name("concurrent_writer.py")
        arguments = [kind, self.uri, str(self.started), str(SEED), str(self.log)]
        process = subprocess.Popen(
            [sys.executable, script, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.running.append((kind, process))
        return process

    def go(self, process, seconds):
        assert process.stdout.readline() == "ready\n"
        process.stdin.write(f"{seconds}\n")
        process.stdin.flush()

    def kill(self, place):
        """Kill one while it works. \\return its kind"""
        kind, process = self.running.pop(place)
        process.kill()
        process.wait()
        return kind

    def finish(self):
        for _, process in self.running:
            assert process.wait(timeout=300) == 0


def make_table(uri):
    """With a zonemap, which filters of the writers ask, for every other seed."""
    dataset = lance_cpp.write_dataset(
        pa.Table.from_pylist(FIRST_ROWS, schema=SCHEMA), uri, max_rows_per_file=40,
        data_storage_version="2.1",
    )
    if SEED % 2 == 1:
        dataset.create_scalar_index("id", "ZONEMAP", rows_per_zone=8)


def run_crowd(uri, log, writers, seconds, kills=0):
    """Let all run and kill some, each of which is followed by another of its kind."""
    rng = rng_of("kills")
    crowd = Crowd(uri, log)
    processes = [crowd.start(kind) for kind in writers]
    for process in processes:
        crowd.go(process, seconds)
    end = time.monotonic() + seconds
    for _ in range(kills):
        time.sleep(seconds / (kills + 1) * rng.uniform(0.7, 1))
        kind = crowd.kill(rng.randrange(len(crowd.running)))
        successor = crowd.start(kind)
        crowd.go(successor, max(0.0, end - time.monotonic()))
    crowd.finish()


def read_log(log):
    """Attempts by number; one without an outcome was killed."""
    attempts = {}
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        attempts.setdefault(entry["attempt"], {"outcome": "unknown"}).update(entry)
    return attempts


def apply(model, attempt):
    """Do to the model what was attempted. \\return how many rows that changes"""
    ids, by = set(attempt["ids"]), attempt["attempt"]
    there = ids & set(model.ids)
    rows = [{"id": id_, "k": 0, "by": by} for id_ in attempt["ids"]]
    if attempt["kind"] == "append":
        assert not there, attempt
        model.append(rows)
        return [len(rows)]
    if attempt["kind"] == "delete":
        model.delete(there)
        return [len(there)]
    if attempt["kind"] == "update":
        model.update(there, {"k": lambda row: row["k"] + 1, "by": lambda row: by})
        return [len(there)]
    return list(model.merge(rows, lambda row: True, True))


def rows_at(writer, uri, version):
    rows = writer.dataset(uri, version=version).to_table().to_pylist()
    return sorted(rows, key=lambda row: row["id"])


def sorted_rows(model):
    return sorted(model.rows, key=lambda row: row["id"])


class Replay:
    """The serial order that the versions are."""

    def __init__(self, uri, model, attempts):
        self.uri = uri
        self.model = model
        done = [attempt for attempt in attempts.values() if attempt["outcome"] == "done"]
        # Who changed nothing made no version, or an empty one.
        self.done = {found["version"]: found for found in done if any(found["counts"])}
        assert len(self.done) == sum(any(found["counts"]) for found in done), "reported twice"
        self.doubtful = [
            attempt
            for attempt in attempts.values()
            if attempt["outcome"] == "unknown" and attempt["kind"] != "compact"
        ]

    def run(self, newest):
        for version in range(2, newest + 1):
            self.step(version)
        assert not self.done, "reported, and no version has it"

    def step(self, version):
        found = rows_at(lance, self.uri, version)
        assert found == rows_at(lance_cpp, self.uri, version), version
        attempt = self.done.pop(version, None)
        if attempt is not None:
            assert apply(self.model, attempt) == attempt["counts"], (version, attempt)
        elif found != sorted_rows(self.model):
            self.adopt_doubtful(version, found)
        assert found == sorted_rows(self.model), (version, attempt)

    def adopt_doubtful(self, version, found):
        """A version that nobody reported is what a killed process was about to do, once."""
        for attempt in self.doubtful:
            model = self.model.copy()
            if not set(attempt["ids"]) & set(model.ids) and attempt["kind"] == "delete":
                continue
            apply(model, attempt)
            if sorted_rows(model) == found:
                self.model = model
                self.doubtful.remove(attempt)
                return
        raise AssertionError(f"nobody reported version {version} or may have made it")


def check_real_time(attempts):
    """What ended before another began has the lower version."""
    latest_start = 0.0
    done = [attempt for attempt in attempts.values() if attempt["outcome"] == "done"]
    done = [attempt for attempt in done if any(attempt["counts"])]
    for attempt in sorted(done, key=lambda attempt: attempt["version"]):
        assert attempt["ended"] >= latest_start, attempt
        latest_start = max(latest_start, attempt["began"])


def check(uri, log):
    """Replay the log. \\return how often each outcome came"""
    attempts = read_log(log)
    errors = [attempt for attempt in attempts.values() if attempt["outcome"] == "error"]
    assert not errors
    check_real_time(attempts)
    replay = Replay(uri, TableModel(SCHEMA, FIRST_ROWS, "2.1"), attempts)
    newest = lance.dataset(uri).version
    replay.run(newest)
    lance.dataset(uri).validate()
    outcomes = [(found["writer"], found["kind"], found["outcome"]) for found in attempts.values()]
    counts = {outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))}
    print(f"{newest} versions; {counts}")
    return counts


def report(number, kind, ids, counts, version, outcome="done"):
    return {
        "attempt": number, "kind": kind, "ids": ids, "counts": counts, "version": version,
        "outcome": outcome,
    }


@pytest.mark.parametrize(
    "lie",
    [
        {1: report(1, "append", [900], [1], 2)},  # a delete without a report
        {2: report(2, "delete", [5, 6], [1], 3)},  # one row fewer than it had
        {2: report(2, "delete", [5, 7], [2], 3)},  # other rows
        {2: report(2, "delete", [5, 6], [2], 3, "failed")},  # it is there
        {3: report(3, "append", [901], [1], 4)},  # it is not there
        {1: report(1, "append", [900], [1], 3), 2: report(2, "delete", [5, 6], [2], 2)},  # order
        {3: report(3, "delete", [5, 6], [2], 3)},  # a version with two owners
    ],
    ids=range(7),
)
def test_a_false_report_is_found(lie, tmp_path):
    uri = str(tmp_path / "t.lance")
    lance_cpp.write_dataset(pa.Table.from_pylist(FIRST_ROWS, schema=SCHEMA), uri)
    appended = pa.Table.from_pylist([{"id": 900, "k": 0, "by": 1}], schema=SCHEMA)
    lance_cpp.write_dataset(appended, uri, mode="append").delete("id IN (5, 6)")
    truth = {
        1: report(1, "append", [900], [1], 2), 2: report(2, "delete", [5, 6], [2], 3)
    }
    reports = lie if list(lie) == [1] else truth | lie

    Replay(uri, TableModel(SCHEMA, FIRST_ROWS, "2.2"), truth).run(3)
    with pytest.raises(AssertionError):
        Replay(uri, TableModel(SCHEMA, FIRST_ROWS, "2.2"), reports).run(3)


def num_done(counts, writer):
    return sum(counts.get((writer, kind, "done"), 0) for kind in ROW_CHANGES)


def test_every_version_follows_from_the_reports(tmp_path):
    uri, log = str(tmp_path / "t.lance"), tmp_path / "log"
    make_table(uri)

    run_crowd(uri, log, ["ours", "reference"] * 4, SECONDS, KILLS)

    counts = check(uri, log)
    assert num_done(counts, "ours") > 0
    assert num_done(counts, "reference") > 0


def test_our_processes_leave_no_file_that_no_version_names(tmp_path):
    """Those of attempts that were lost, repeated or rebased are gone."""
    uri, log = str(tmp_path / "t.lance"), tmp_path / "log"
    make_table(uri)

    run_crowd(uri, log, ["ours"] * 4, SECONDS_ALONE)

    assert num_done(check(uri, log), "ours") > 0
    reference = lance.dataset(uri)
    named = set(reference.tracked_files().read_all()["path"].to_pylist())
    there = set(reference.all_files().read_all()["path"].to_pylist())
    assert there - named == {"_versions/latest_version_hint.json"}
    assert named <= there
