"""What people met in systems like ours: concurrent commits.

Each test is one handed case; its number stands in the docstring.
"""

import io
import os
import subprocess
import threading

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lance_cpp.errors import AlreadyExistsError, CommitConflictError

WORKERS = 50


def at_once(*jobs):
    """Run jobs in threads that start together. \\return what each gave or raised"""
    barrier = threading.Barrier(len(jobs))
    results = [None] * len(jobs)

    def run(place, job):
        barrier.wait()
        try:
            results[place] = job()
        except Exception as error:  # pylint: disable=broad-exception-caught # judged by the test
            results[place] = error

    threads = [threading.Thread(target=run, args=found) for found in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def ids_of(place):
    """As we and the reference give them."""
    ours = lance_cpp.dataset(place).to_table()["id"].to_pylist()
    assert ours == lance.dataset(place).to_table()["id"].to_pylist()
    return sorted(ours)


def failures(results):
    return [result for result in results if isinstance(result, Exception)]


@pytest.mark.parametrize("mode", ["create", "append"])
def test_two_clients_create_the_same_table(mode, tmp_path):
    """B108."""
    for number in range(50):
        place = str(tmp_path / f"{number}.lance")

        results = at_once(
            *(
                lambda id_=id_: lance_cpp.write_dataset(pa.table({"id": [id_]}), place, mode=mode)
                for id_ in (1, 2)
            )
        )

        failed = failures(results)
        for error in failed:
            assert isinstance(error, AlreadyExistsError), error
        assert len(failed) == 1 if mode == "create" else len(failed) <= 1
        assert ids_of(place) == [
            id_ for id_, result in zip([1, 2], results) if not isinstance(result, Exception)
        ]


def test_we_and_the_reference_create_the_same_table(tmp_path):
    """B108. The reference, also beside itself, may replace a table made meanwhile; we never do."""
    for number in range(50):
        place = str(tmp_path / f"{number}.lance")

        ours, theirs = at_once(
            lambda: lance_cpp.write_dataset(pa.table({"id": [1]}), place),
            lambda: lance.write_dataset(pa.table({"id": [2]}), place),
        )

        if isinstance(ours, Exception):
            assert isinstance(ours, AlreadyExistsError), ours
            assert ids_of(place) == [2]
        elif isinstance(theirs, Exception):
            assert ids_of(place) == [1]
        else:
            assert (ours.version, theirs.version) == (1, 2)
            assert ids_of(place) == [2]
            assert ours.checkout_version(1).to_table()["id"].to_pylist() == [1]


@pytest.mark.parametrize("other", [lance_cpp, lance], ids=["ours", "reference"])
@pytest.mark.parametrize("retries", [0, 10])
def test_two_deletes_on_the_same_fragment(retries, other, place):
    """B110."""
    lance_cpp.write_dataset(pa.table({"id": range(10)}), place)
    first, second = other.dataset(place), lance_cpp.dataset(place)

    results = at_once(
        lambda: first.delete("id = 1", conflict_retries=retries),
        lambda: second.delete("id = 2", conflict_retries=retries),
    )

    for dataset, result, row in zip((first, second), results, (1, 2)):
        if isinstance(result, Exception):
            assert retries == 0
            dataset.checkout_latest()
            dataset.delete(f"id = {row}")
    assert ids_of(place) == [0, *range(3, 10)]
    lance.dataset(place).validate()


def check_appends(place, first, failed):
    """Each success is there once, no failure is; every success made one version."""
    expected = [worker for worker in range(WORKERS) if worker not in failed]
    assert ids_of(place) == expected
    assert lance_cpp.dataset(place).version == first + len(expected)
    # The goal.
    assert not failed


def test_fifty_threads_append_at_once(place):
    """B112."""
    schema = pa.schema([("id", pa.int64())])
    first = lance_cpp.write_dataset(schema.empty_table(), place).version

    results = at_once(
        *(
            lambda worker=worker: lance_cpp.write_dataset(
                pa.table({"id": [worker]}), place, mode="append"
            )
            for worker in range(WORKERS)
        )
    )

    failed = {i: found for i, found in enumerate(results) if isinstance(found, Exception)}
    for error in failed.values():
        assert isinstance(error, CommitConflictError) and error.retryable, error
    check_appends(place, first, failed)


def test_fifty_processes_append_at_once(place):
    """B112."""
    schema = pa.schema([("id", pa.int64())])
    first = lance_cpp.write_dataset(schema.empty_table(), place).version

    processes = [
        subprocess.Popen(
            [os.environ["LANCE_CLI"], "append", place, "-"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )
        for _ in range(WORKERS)
    ]
    for worker, process in enumerate(processes):
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, schema) as stream:
            stream.write_table(pa.table({"id": [worker]}))
        process.stdin.write(sink.getvalue())
    for process in processes:
        process.stdin.close()
    errors = {i: process.stderr.read() for i, process in enumerate(processes)}
    codes = [process.wait(timeout=120) for process in processes]

    assert set(codes) <= {0, 5}, errors  # 5: a conflict that may be tried again
    check_appends(place, first, {i: errors[i] for i, code in enumerate(codes) if code != 0})


def test_a_conflict_that_cannot_work_is_not_retryable(place):
    """B114 (a)."""
    lance_cpp.write_dataset(pa.table({"a": [1]}), place)
    second = lance_cpp.dataset(place)
    lance_cpp.write_dataset(pa.table({"b": [1]}), place, mode="overwrite")

    with pytest.raises(CommitConflictError) as caught:
        second.create_scalar_index("a", "ZONEMAP")

    assert caught.value.retryable is False
    assert caught.value.version == 2
    assert lance_cpp.dataset(place).version == 2


def test_a_lost_race_is_retryable(place):
    """B114 (b). An append with a number of retries is a merge that only inserts."""
    lance_cpp.write_dataset(pa.table({"a": [-1]}), place)
    done, lost = 0, []

    for number in range(100):
        builders = [
            lance_cpp.dataset(place)
            .merge_insert("a").when_not_matched_insert_all().conflict_retries(0)
            for _ in range(4)
        ]
        results = at_once(
            *(
                lambda builder=builder, i=i: builder.execute(pa.table({"a": [number * 4 + i]}))
                for i, builder in enumerate(builders)
            )
        )
        lost += failures(results)
        done += len(results) - len(failures(results))
        if lost:
            break

    assert lost, "no race in 100 rounds"
    for error in lost:
        assert isinstance(error, CommitConflictError) and error.retryable, error
    assert lance_cpp.dataset(place).count_rows() == 1 + done
