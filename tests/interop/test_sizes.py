"""How large our files are beside the reference's: one file for each column of file-format 10.4.

Needs the reference package and the program file_tool (LANCE_FILE_TOOL).
"""

import io
import os
import string
import subprocess

import numpy as np
import pyarrow as pa
import pytest
from lance.file import LanceFileReader, LanceFileWriter

FILE_TOOL = os.environ["LANCE_FILE_TOOL"]

NUM_ROWS = 100_000
# Ours divided by the reference's: of all columns together, and of each.
MOST_IN_ALL = 1.02
MOST_OF_A_COLUMN = 1.10
# The reference's own sizes vary by a percent where it samples at random.
ZSTD = {"lance-encoding:compression": "zstd"}
HINTS = {"": None, "zstd": ZSTD}


def texts(r):
    letters = np.array(list(string.ascii_lowercase))
    vocab = ["".join(letters[r.integers(0, 26, k)]) for k in r.integers(3, 9, 2000)]
    return [" ".join(vocab[j] for j in r.integers(0, 2000, 8)) for _ in range(NUM_ROWS)]


@pytest.fixture(scope="module")
def columns():
    """The columns, made in their order by one generator."""
    r = np.random.default_rng(7)
    n = NUM_ROWS
    made = {"id": pa.array(np.arange(n) + 1_000_000, pa.int64())}
    micros = 1_700_000_000_000_000 + np.cumsum(r.integers(1, 2_000_000, n))
    made["ts_us"] = pa.array(micros).cast(pa.timestamp("us"))
    quantities = r.integers(0, 500, n)
    made["qty"] = pa.array(quantities, pa.int32(), mask=r.random(n) < 0.05)
    countries = np.array("DE US FR GB JP IN BR CN ES IT".split())
    made["country"] = pa.array(countries[r.integers(0, 10, n)])
    made["status"] = pa.array(np.repeat(r.integers(0, 5, 1000), 100), pa.int8())
    made["text"] = pa.array(texts(r))
    made["price"] = pa.array(np.round(r.lognormal(3, 1, n), 2))
    offsets = np.concatenate([[0], np.cumsum(r.integers(0, 8, n))])
    items = pa.array(r.integers(0, 1000, offsets[-1]), pa.int32())
    made["tags"] = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), items)
    return made


def one_column(name, array, hints):
    """A table of one column whose leaf has the metadata."""
    if pa.types.is_list(array.type):
        item = pa.field("item", array.type.value_type, metadata=hints)
        field = pa.field(name, pa.list_(item))
    else:
        field = pa.field(name, array.type, metadata=hints)
    return pa.table([array.cast(field.type)], schema=pa.schema([field]))


def our_size(table, version, path):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    subprocess.run([FILE_TOOL, "write", str(path), version], input=sink.getvalue(), check=True)
    read = LanceFileReader(str(path)).read_all().to_table()
    assert read.column(0).combine_chunks() == table.column(0).combine_chunks()
    return path.stat().st_size


def reference_size(table, version, path):
    with LanceFileWriter(str(path), table.schema, version=version) as writer:
        writer.write_batch(table)
    return path.stat().st_size


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize("hints", HINTS, ids=lambda hints: hints or "no hints")
def test_files_are_no_larger_than_the_reference_s(columns, version, hints, tmp_path):
    sizes = {}
    for name, array in columns.items():
        table = one_column(name, array, HINTS[hints])
        sizes[name] = (
            our_size(table, version, tmp_path / f"ours_{name}.lance"),
            reference_size(table, version, tmp_path / f"theirs_{name}.lance"),
        )

    ours, theirs = (sum(pair[i] for pair in sizes.values()) for i in (0, 1))
    assert ours <= MOST_IN_ALL * theirs, sizes
    for name, (our, their) in sizes.items():
        assert our <= MOST_OF_A_COLUMN * their, (name, sizes)


def test_few_distinct_doubles_take_a_dictionary(columns, tmp_path):
    """What the reference does not do in 2.1: the file is less than half of its own."""
    table = one_column("price", columns["price"], None)

    ours = our_size(table, "2.1", tmp_path / "ours.lance")

    assert ours * 2 < reference_size(table, "2.1", tmp_path / "theirs.lance")
