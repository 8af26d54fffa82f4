"""What the tests of the Python module share."""

import os

import pyarrow as pa
import pytest

SEED = int(os.environ.get("LANCE_TEST_SEED") or 1)


def pytest_terminal_summary(terminalreporter):
    """Said at the end of every run, failed or not: a run can be repeated."""
    terminalreporter.write_line(f"LANCE_TEST_SEED={SEED}")


@pytest.fixture
def flights():
    """200 rows of several types, nulls among them."""
    count = range(200)
    return pa.table(
        {
            "id": pa.array(count, pa.int64()),
            "dest": [("LAX", "SFO", "JFK", None)[i % 4] for i in count],
            "delay": pa.array([None if i % 7 == 0 else i / 4 for i in count], pa.float64()),
            "late": pa.array([None if i % 5 == 0 else i % 2 == 0 for i in count], pa.bool_()),
            "day": pa.array([18_000 + i for i in count], pa.date32()),
            "at": pa.array([i * 1_000_000 for i in count], pa.timestamp("us")),
        }
    )


@pytest.fixture
def nested():
    """100 rows of lists and structs, nulls on every level."""
    count = range(100)
    return pa.table(
        {
            "tags": [None if i % 7 == 0 else [f"t{j}" for j in range(i % 4)] for i in count],
            "point": pa.array(
                [None if i % 5 == 0 else {"x": i, "y": None if i % 3 == 0 else -i} for i in count],
                pa.struct([("x", pa.int32()), ("y", pa.float32())]),
            ),
        }
    )


@pytest.fixture
def place(tmp_path):
    """Where a table may be made."""
    return str(tmp_path / "table.lance")
