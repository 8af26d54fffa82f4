"""Settings of the tests in this folder."""

import os

import lancectl

WITHOUT_PEERS = not lancectl.IS_LONG and "LANCE_PEER_LANCEDB_PYTHON" not in os.environ


def pytest_collection_modifyitems(config, items):
    """In the short size the peers of test_peers.py are not installed."""
    peers = [item for item in items if item.path.name == "test_peers.py" and WITHOUT_PEERS]
    config.hook.pytest_deselected(items=peers)
    items[:] = [item for item in items if item not in peers]


def pytest_terminal_summary(terminalreporter):
    lancectl.pytest_terminal_summary(terminalreporter)
    if WITHOUT_PEERS and terminalreporter.stats.get("deselected"):
        terminalreporter.write_line(
            "test_peers.py is deselected: its peers are installed for the long size only"
        )
