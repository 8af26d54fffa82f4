"""Settings of the tests in this folder."""

from lancectl import pytest_terminal_summary  # noqa: F401
