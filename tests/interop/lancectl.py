"""What the Python tests share: running lancectl, settings, and comparing tables.

The program is LANCE_CLI. Random data depends on LANCE_TEST_SEED, its amount on LANCE_TEST_SIZE
(short or long).
"""

import io
import json
import os
import random
import subprocess

import pyarrow as pa

LANCECTL = os.environ.get("LANCE_CLI", "")
SEED = int(os.environ.get("LANCE_TEST_SEED") or 1)
SIZE = os.environ.get("LANCE_TEST_SIZE") or "short"
IS_LONG = SIZE == "long"

# Exit codes: docs/guide/lancectl.md.
INVALID = 2
NOT_FOUND = 3
IO_ERROR = 4
CONFLICT = 5
CORRUPT = 7
UNSUPPORTED = 8
EXISTS = 10
STOPPED = 130


def pytest_terminal_summary(terminalreporter):
    """Said at the end of every run, failed or not: a run can be repeated."""
    terminalreporter.write_line(f"LANCE_TEST_SEED={SEED} LANCE_TEST_SIZE={SIZE}")


def rng_of(*parts):
    """The random numbers of one test: independent of which other tests run."""
    return random.Random(f"{SEED} {parts}")


class Outcome:
    """What one run of lancectl left."""

    def __init__(self, command, done):
        self.command = command
        self.code = done.returncode
        self.raw = done.stdout
        # Messages may quote bytes of a damaged file.
        self.error = done.stderr.decode(errors="replace")

    @property
    def out(self):
        return self.raw.decode()

    @property
    def json(self):
        return json.loads(self.raw)

    @property
    def json_lines(self):
        return [json.loads(line) for line in self.raw.splitlines()]

    @property
    def json_error(self):
        return json.loads(self.error)["error"]

    def __repr__(self):
        return f"{self.command}: exit {self.code}\n{self.raw[:2000]!r}\n{self.error}"


def attempt(*arguments, stdin=None, cwd=None):
    """Run lancectl, whatever comes of it."""
    assert LANCECTL, "LANCE_CLI is not set: it names the lancectl to test"
    command = [LANCECTL, *map(str, arguments)]
    done = subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, timeout=120, check=False
    )
    return Outcome(command, done)


def run(*arguments, stdin=None, cwd=None):
    """Run lancectl; it must succeed."""
    outcome = attempt(*arguments, stdin=stdin, cwd=cwd)
    assert outcome.code == 0, outcome
    return outcome


def to_ipc(table, batch_rows=1000):
    """The bytes of an Arrow IPC stream."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table, max_chunksize=batch_rows)
    return sink.getvalue()


def write(verb, uri, table, *arguments, batch_rows=1000):
    """create, append or overwrite with the rows of a table."""
    return run(verb, uri, "-", *arguments, stdin=to_ipc(table, batch_rows))


def from_ipc(raw):
    with pa.ipc.open_stream(raw) as stream:
        return stream.read_all()


def scan_ipc(uri, *arguments):
    """The rows that a scan gives."""
    return from_ipc(run("scan", uri, "--format", "ipc", *arguments).raw)


def explain(uri, filter_, *arguments):
    """What a scan with the filter would read."""
    return run("explain", uri, "--filter", filter_, "--json", *arguments).json


def by_bits(column):
    """The column with floats as integers: NaN then equals NaN, and -0.0 does not equal 0.0."""
    if pa.types.is_float32(column.type):
        return pa.chunked_array([chunk.view(pa.int32()) for chunk in column.chunks], pa.int32())
    if pa.types.is_float64(column.type):
        return pa.chunked_array([chunk.view(pa.int64()) for chunk in column.chunks], pa.int64())
    return column


def assert_same(found, expected):
    """Equal columns, types, nullability and values, in order and to the bit."""
    assert found.schema.equals(expected.schema, check_metadata=False), found.schema
    assert found.num_rows == expected.num_rows
    for name in expected.column_names:
        assert by_bits(found[name]).equals(by_bits(expected[name])), name


def assert_same_rows(found, expected, key="id"):
    """As assert_same, in any order; the key is different in every row."""
    assert_same(found.sort_by(key), expected.sort_by(key))
