"""Settings of the Python tests in this folder."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop"))

from lancectl import pytest_terminal_summary  # noqa: E402, F401
