"""Several processes write to one table: what was reported as done is there once, nothing else is.

The reference package reads the outcome, so that no mistake of ours hides another one.
"""

import collections
import threading

import lance
import pyarrow as pa
import pytest
from lancectl import CONFLICT, IS_LONG, attempt, run, to_ipc, write

WRITERS = 4
APPENDS = 40 if IS_LONG else 6
ROWS = 50  # of one append

SCHEMA = pa.schema([("writer", pa.int32()), ("number", pa.int32()), ("key", pa.utf8())])

Append = collections.namedtuple("Append", ["writer", "number", "outcome"])


def rows_of(writer, number):
    keys = [f"k{(writer * 7919 + number * 104729 + i * 31) % 1000:03}" for i in range(ROWS)]
    return pa.table([[writer] * ROWS, [number] * ROWS, keys], schema=SCHEMA)


def in_parallel(*jobs):
    """Run every job in a thread of its own; the first failure is raised."""
    failures = []

    def guarded(job):
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def append_in_parallel(uri, writers, *arguments):
    """Appends of several processes at a time. \\return every one with its outcome"""
    appends = []

    def writer_job(writer):
        for number in range(APPENDS):
            stdin = to_ipc(rows_of(writer, number))
            outcome = attempt("append", uri, "-", "--json", *arguments, stdin=stdin)
            appends.append(Append(writer, number, outcome))

    in_parallel(*(lambda writer=writer: writer_job(writer) for writer in range(writers)))
    assert len(appends) == writers * APPENDS
    return appends


def make_table(uri, is_declared):
    write("create", uri, SCHEMA.empty_table())
    if is_declared:
        run("cluster", "set", uri, "--columns", "key,number")
    return lance.dataset(str(uri)).version


def check_rows(uri, appends):
    """Every success is there once and in full, no failure is; seen by the reference and by us."""
    expected = collections.Counter()
    for append in appends:
        if append.outcome.code == 0:
            for row in rows_of(append.writer, append.number).to_pylist():
                expected[tuple(row.values())] += 1
    table = lance.dataset(str(uri)).to_table()
    found = collections.Counter(tuple(row.values()) for row in table.to_pylist())
    assert found == expected
    assert run("count", uri).out == f"{sum(expected.values())}\n"


def check_versions(uri):
    """The versions have no gaps. \\return the newest"""
    versions = [line["version"] for line in run("versions", uri, "--json").json_lines]
    assert versions == list(range(1, len(versions) + 1))
    theirs = [version["version"] for version in lance.dataset(str(uri)).versions()]
    assert theirs == versions
    return versions[-1]


def check_reported_versions(uri, appends):
    """The version that an append reported is the first that has its rows."""
    done = [append for append in appends if append.outcome.code == 0]
    reported = [append.outcome.json["version"] for append in done]
    assert len(set(reported)) == len(reported)
    for append, version in list(zip(done, reported))[:: 1 if IS_LONG else 5]:
        filter_ = f"writer = {append.writer} AND number = {append.number}"
        at_version = lance.dataset(str(uri), version=version)
        assert at_version.count_rows(filter_) == ROWS
        assert lance.dataset(str(uri), version=version - 1).count_rows(filter_) == 0


def referenced_files(uri, versions):
    """Names of the data files that versions refer to."""
    names = set()
    for version in versions:
        for fragment in lance.dataset(str(uri), version=version).get_fragments():
            names.update(file.path for file in fragment.data_files())
    return names


@pytest.mark.parametrize("is_declared", [False, True], ids=["undeclared", "declared"])
def test_four_processes_append(is_declared, tmp_path):
    uri = tmp_path / "t.lance"
    first = make_table(uri, is_declared)

    appends = append_in_parallel(uri, WRITERS)

    codes = collections.Counter(append.outcome.code for append in appends)
    assert set(codes) <= {0, CONFLICT}, codes
    assert codes[0] > 0
    check_rows(uri, appends)
    assert check_versions(uri) == first + codes[0]
    check_reported_versions(uri, appends)
    # Whoever failed took its files away.
    names = {path.name for path in (uri / "data").iterdir()}
    assert names == referenced_files(uri, [first + codes[0]])


@pytest.mark.parametrize("is_declared", [False, True], ids=["undeclared", "declared"])
def test_four_processes_append_without_a_second_attempt(is_declared, tmp_path):
    uri = tmp_path / "t.lance"
    first = make_table(uri, is_declared)

    appends = append_in_parallel(uri, WRITERS, "--retries", "0")

    codes = collections.Counter(append.outcome.code for append in appends)
    assert set(codes) <= {0, CONFLICT}, codes
    assert codes[0] > 0
    for append in appends:
        if append.outcome.code == CONFLICT:
            error = append.outcome.json_error
            assert error["retryable"] is True
            assert error["detail"]["type"] == "CommitConflict"
            assert first < error["detail"]["version"] <= first + codes[0]
    check_rows(uri, appends)
    assert check_versions(uri) == first + codes[0]
    names = {path.name for path in (uri / "data").iterdir()}
    assert names == referenced_files(uri, [first + codes[0]])


def test_two_append_while_one_optimizes_and_one_reads(tmp_path):
    uri = tmp_path / "t.lance"
    make_table(uri, is_declared=True)
    is_over = threading.Event()
    appends = []
    optimizes = []
    counts = []

    def writers():
        try:
            appends.extend(append_in_parallel(uri, 2))
        finally:
            is_over.set()

    def optimizer():
        while not is_over.is_set():
            optimizes.append(attempt("optimize", uri, "--rows-per-zone", "16", "--json"))

    def reader():
        while not is_over.is_set():
            counts.append(lance.dataset(str(uri)).count_rows())
            counts.append(int(run("count", uri).out))

    in_parallel(writers, optimizer, reader)

    assert {append.outcome.code for append in appends} == {0}
    codes = collections.Counter(outcome.code for outcome in optimizes)
    assert set(codes) <= {0, CONFLICT}, codes
    assert any(outcome.json["rows_rewritten"] > 0 for outcome in optimizes if outcome.code == 0)
    # Whole appends only, and never fewer rows than before.
    assert all(count % ROWS == 0 for count in counts), counts
    assert counts == sorted(counts)
    check_rows(uri, appends)
    check_reported_versions(uri, appends)

    final = run("optimize", uri, "--json").json
    assert final["remaining"]["rows"] == 0
    check_rows(uri, appends)
    newest = check_versions(uri)
    names = {path.name for path in (uri / "data").iterdir()}
    assert names == referenced_files(uri, range(1, newest + 1))
    assert run("count", uri, "--filter", "key = 'k031'").out == (
        run("count", uri, "--filter", "key = 'k031'", "--no-pruning").out
    )
