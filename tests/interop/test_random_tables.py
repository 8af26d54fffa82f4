"""Random tables exchanged with the reference implementation, all versions, both ways.

What the reference can do with a file of its own, it must be able to do with ours; what it wrote, we
must read; always with equal values, as a whole, by ranges and row by row. 100 tables in the short
size, 2,000 in the long one; LANCE_TEST_SEED chooses them, LANCE_TEST_TABLES how many. A table that
fails is named by its number: LANCE_TEST_ONLY=number runs it alone.
"""

import collections
import multiprocessing
import os
import random
import subprocess

import numpy as np
import pyarrow as pa
import pytest
from lance.file import LanceFileReader, LanceFileWriter

import random_columns

FILE_TOOL = os.environ["LANCE_FILE_TOOL"]
SEED = int(os.environ.get("LANCE_TEST_SEED") or 20240607)
IS_LONG = os.environ.get("LANCE_TEST_SIZE") == "long"
NUM_TABLES = int(os.environ.get("LANCE_TEST_TABLES") or (2000 if IS_LONG else 100))
VERSIONS = ("2.0", "2.1", "2.2")


class FileTool:
    """Our reader and writer, in one process for all files."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None

    def command(self, *words):
        """What our program answers; a program that ends is an answer too."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [FILE_TOOL, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n")
        return answer or f"the program ended with {self.process.wait()}"

    def write(self, path, table, version, rng, least_page_bytes=0):
        """Our writer's answer."""
        source = self.folder / "in.arrow"
        with pa.ipc.new_stream(source, table.schema) as stream:
            for batch in table.to_batches(max_chunksize=rng.choice([7, 64, 100000])):
                stream.write_batch(batch)
        max_page_bytes = max(rng.choice([8 << 20, 8 << 20, 5000, 100]), least_page_bytes)
        rows_per_batch = rng.choice([100000, 100000, 5, 50])
        return self.command("write", source, path, version, max_page_bytes, rows_per_batch)

    def read(self, path, row_texts):
        """Our reader's answer, and a batch for each of `row_texts`."""
        out = self.folder / "out.arrow"
        answer = self.command("read", path, out, *row_texts)
        if answer != "ok":
            return answer, []
        with pa.ipc.open_stream(out) as stream:
            return answer, list(stream)

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def without_offsets(table):
    """The same rows in buffers of their own."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


class Reference:
    """One file in the hands of the reference. Each way to read gives a table or None."""

    def __init__(self, path, table):
        self.path = str(path)
        self.table = table

    @staticmethod
    def write(path, table, version, rng):
        """Why the reference could not write the table; empty: it could."""
        if rng.random() < 0.8:
            table = without_offsets(table)  # its import of slices has bugs of its own
        options = rng.choice([{}, {}, {"max_page_bytes": 3000}, {"data_cache_bytes": 3000}])
        try:
            writer = LanceFileWriter(str(path), table.schema, version=version, **options)
            with writer:
                step = rng.choice([100000, 100000, 40])
                for begin in range(0, table.num_rows, step):
                    writer.write_batch(table.slice(begin, step).combine_chunks())
        except BaseException as error:  # panics are no Exceptions
            if isinstance(error, KeyboardInterrupt):
                raise
            return f"{type(error).__name__}: {str(error)[:200]}"
        return ""

    def ways(self, selections):
        """(name, what to do, what it should give) of every way to read."""
        yield "whole", lambda reader: reader.read_all(), self.table
        for text, indices in selections:
            if len(indices) == 0:
                continue
            wanted = self.table.take(pa.array(indices, pa.int64()))
            if indices[-1] - indices[0] == len(indices) - 1:
                yield (
                    f"range {text}",
                    lambda reader, rows=indices: reader.read_range(rows[0], len(rows)),
                    wanted,
                )
            yield f"rows {text}", lambda reader, rows=indices: reader.take_rows(rows), wanted

    def reads(self, selections):
        """Every way to read: whether it gives what it should."""
        results = {}
        for name, read, wanted in self.ways(selections):
            try:
                found = read(LanceFileReader(self.path)).to_table()
                results[name] = random_columns.difference(found, wanted)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                results[name] = f"{type(error).__name__}: {str(error)[:200]}"
        return results


def serve_reference(connection):
    """Answer what the reference does, in a process that it may take down."""
    while True:
        name, *arguments = connection.recv()
        if name == "write":
            connection.send(Reference.write(*arguments))
        else:
            path, table, selections = arguments
            connection.send(Reference(path, table).reads(selections))


class ReferenceProcess:
    """The reference in a process of its own: some of its panics abort."""

    def __init__(self):
        self.process = None

    def ask(self, *question):
        """The answer, or None when the process died of the question."""
        if self.process is None:
            context = multiprocessing.get_context("spawn")
            self.connection, theirs = context.Pipe()
            self.process = context.Process(target=serve_reference, args=(theirs,), daemon=True)
            self.process.start()
            theirs.close()
        try:
            self.connection.send(question)
            return self.connection.recv()
        except (EOFError, ConnectionError):
            self.close()
            return None

    def write(self, path, table, version, rng):
        """Why the reference could not write the table; empty: it could."""
        answer = self.ask("write", path, table, version, rng)
        return "the reference aborted" if answer is None else answer

    def reads(self, path, table, selections):
        """Every way to read: whether it gives what it should."""
        answer = self.ask("reads", path, table, selections)
        return {"whole": "the reference aborted"} if answer is None else answer

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None


def selections_of(num_rows, rng):
    """(text for our program, indices): a range, single rows, several ranges, the last row."""
    if num_rows == 0:
        return []
    begin = rng.randrange(num_rows)
    end = rng.randint(begin + 1, num_rows)
    picked = sorted(rng.sample(range(num_rows), min(num_rows, 10)))
    starts = sorted(rng.sample(range(num_rows), min(num_rows, 3)))
    ranges = [(start, min(num_rows, start + rng.randint(1, 20))) for start in starts]
    several = sorted({row for first, last in ranges for row in range(first, last)})
    return [
        (f"{begin}:{end}", list(range(begin, end))),
        (",".join(f"{row}:{row + 1}" for row in picked), picked),
        (",".join(f"{first}:{last}" for first, last in ranges), several),
        (f"{num_rows - 1}:{num_rows}", [num_rows - 1]),
    ]


def read_ours(tool, path, table, selections):
    """What is wrong with what our reader gives."""
    answer, batches = tool.read(path, ["all", *(text for text, _ in selections)])
    if answer != "ok":
        return answer
    for (text, indices), batch in zip([("all", None), *selections], batches, strict=True):
        wanted = table if indices is None else table.take(pa.array(indices, pa.int64()))
        problem = random_columns.difference(pa.Table.from_batches([batch]), wanted)
        if problem:
            return f"rows {text[:60]}: {problem}"
    return ""


def exchange(tool, reference, folder, table, version, rng, counts):
    """Write and read one table in all directions. Gives what went wrong."""
    theirs, ours = folder / "theirs.lance", folder / "ours.lance"
    for path in (theirs, ours):
        path.unlink(missing_ok=True)
    selections = selections_of(table.num_rows, rng)
    wanted = without_offsets(table)  # taking from sliced nested vectors gives pyarrow wrong rows
    expected = {}
    if reference.write(theirs, table, version, rng) == "":
        expected = reference.reads(theirs, wanted, selections)
    if expected.get("whole") == "":
        counts["theirs read by us"] += 1
        problem = read_ours(tool, theirs, wanted, selections)
        if problem:
            return f"we read the reference's file: {problem}"
    answer = tool.write(ours, table, version, rng)
    if answer != "ok":
        counts[f"refused by us: {answer[:40]}"] += 1
        is_refusal = answer.startswith("NotImplemented") and expected.get("whole") != ""
        return "" if is_refusal else f"we write: {answer}"
    counts["ours read by us"] += 1
    problem = read_ours(tool, ours, wanted, selections)
    if problem:
        return f"we read our file: {problem}"
    if "" not in expected.values():
        return ""
    counts["ours read by them"] += 1
    problem = problem_of_reference(reference, ours, wanted, selections, expected)
    if not problem:
        return ""
    # It cannot read some files with pages of one row, which it never writes itself.
    if tool.write(ours, table, version, rng, least_page_bytes=8 << 20) != "ok":
        return problem
    if problem_of_reference(reference, ours, wanted, selections, expected):
        return problem
    counts["pages too small for the reference"] += 1
    return ""


def problem_of_reference(reference, path, wanted, selections, expected):
    """What the reference can do with its own file and not with this one."""
    for name, problem in reference.reads(path, wanted, selections).items():
        if problem and expected.get(name) == "":
            return f"the reference reads our file, {name}: {problem}"
    return ""


@pytest.fixture
def tool(tmp_path):
    tool = FileTool(tmp_path)
    yield tool
    tool.close()


@pytest.fixture(scope="module")
def reference():
    process = ReferenceProcess()
    yield process
    process.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_random_tables_survive_both_ways(version, tool, reference, tmp_path):
    only = os.environ.get("LANCE_TEST_ONLY")
    counts = collections.Counter()
    failures = []
    for number in [int(only)] if only else range(NUM_TABLES):
        rng = random.Random(f"{SEED} {version} {number}")
        np.random.seed(rng.randrange(2**32))
        table = random_columns.random_table(version, rng)
        problem = exchange(tool, reference, tmp_path, table, version, rng, counts)
        if problem:
            failures.append(f"table {number} ({table.schema.to_string()[:600]}): {problem}")
    print(version, dict(counts))
    assert not failures, f"{len(failures)} of {NUM_TABLES}, the first:\n" + "\n".join(failures[:5])
    assert counts["pages too small for the reference"] <= max(2, NUM_TABLES // 50)
    if not only:
        assert counts["theirs read by us"] > NUM_TABLES / 2
        assert counts["ours read by them"] > NUM_TABLES / 2
