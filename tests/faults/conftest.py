"""Settings of the Python tests in this folder, and what they share."""

import json
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop"))

from lancectl import pytest_terminal_summary  # noqa: E402, F401


class Server:
    """Runs operations of killed_operations.py in processes that can be killed."""

    def __init__(self):
        program = str(pathlib.Path(__file__).resolve().with_name("killed_operations.py"))
        self._process = subprocess.Popen(
            [sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, operation, uri, delay=None):
        """Kill it after `delay` seconds. \\return what became of it"""
        request = {"operation": operation, "uri": str(uri), "delay": delay}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        """End it."""
        self._process.stdin.close()
        assert self._process.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def server():
    running = Server()
    yield running
    running.close()
