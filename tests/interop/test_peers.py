"""Other packages open a clustered table of ours: lancedb 0.40.0 and pylance 6.0.0.

They have environments of their own, which ./run test --long makes and names in the environment
variables below. In the short size conftest.py deselects these tests unless they are named.
"""

import os
import pathlib
import subprocess

import pyarrow as pa
import pytest
from lancectl import assert_same, assert_same_rows, rng_of, run, scan_ipc, write
from random_tables import random_schema, random_table

PEERS = {
    "lancedb 0.40.0": "LANCE_PEER_LANCEDB_PYTHON",
    "pylance 6.0.0": "LANCE_PEER_PYLANCE6_PYTHON",
}
SCRIPT = pathlib.Path(__file__).resolve().with_name("read_with_peer.py")
FILTERS = [
    "id < 700",
    "string = ''",
    "int32 BETWEEN -20 AND 20 AND bool",
    "double > 0.0",
    "double < -50.0",
    "double = 0",
    "date32_day IS NULL OR uint8_required IN (1, 2, 3)",
    "timestamp_us_UTC >= TIMESTAMP '2000-01-01 00:00:00'",
]

# Where a peer may give fewer rows than it should, and why; it depends on the seed whether it does.
LOSSES = {
    ("pylance 6.0.0", "double > 0.0"): "without bounds, a zone counts as NaN and nothing else",
    ("pylance 6.0.0", "double = 0"): "-0.0 does not equal 0, with and without an index",
}


def read_with(peer, uri, out):
    """What a peer reads: all rows, then the rows of each filter."""
    variable = PEERS[peer]
    python = os.environ.get(variable)
    assert python, f"{variable} is not set; ./run test --long makes the environment and sets it"
    package, version = peer.split()
    out.mkdir()
    done = subprocess.run(
        [python, "-B", SCRIPT, package, uri, out],
        input="\n".join(FILTERS), capture_output=True, text=True, timeout=300, check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [version]
    names = ["rows", *range(len(FILTERS))]
    return [pa.ipc.open_file(pa.OSFile(f"{out}/{name}.arrow")).read_all() for name in names]


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_reads_a_clustered_table(peer, tmp_path):
    rng = rng_of("peers")
    uri = tmp_path / "t.lance"
    schema = random_schema()
    parts = [random_table(schema, 1500, rng, 1500 * i) for i in range(3)]
    write("create", uri, parts[0])
    write("append", uri, parts[1])
    run("cluster", "set", uri, "--columns", "string,int32,double,timestamp_us_UTC")
    run("optimize", uri, "--rows-per-zone", "100", "--target-rows-per-fragment", "1000")
    write("append", uri, parts[2])  # stamped, with seeds, in no index

    rows, *answers = read_with(peer, uri, tmp_path / "out")

    assert_same(rows, scan_ipc(uri))
    assert_same_rows(rows, pa.concat_tables(parts))
    for filter_, answer in zip(FILTERS, answers, strict=True):
        expected = scan_ipc(uri, "--filter", filter_)
        assert 0 < expected.num_rows < rows.num_rows, filter_
        if (peer, filter_) in LOSSES:
            assert set(answer["id"].to_pylist()) <= set(expected["id"].to_pylist()), filter_
        else:
            assert_same(answer, expected)
