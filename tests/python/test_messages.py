"""Failures name what they are about once."""

import os
import pathlib
import re

import lance_cpp
import pyarrow as pa
import pytest
from lance_cpp.file import LanceFileReader, LanceFileWriter

NAMES = re.compile(r"[\w.-]+\.(?:lance|manifest|arrow|txn)\b")


def write_file(path):
    with LanceFileWriter(path) as writer:
        writer.write_batch(pa.table({"id": [1, 2]}))


def spoil(place, pattern, content=b""):
    """Give the files that match other content; None: take them away."""
    found = sorted(pathlib.Path(place).glob(pattern))
    assert found
    for path in found:
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)


def spoiled(pattern, content, then):
    def action(place):
        spoil(place, pattern, content)
        then(lance_cpp.dataset(place))

    return action


def read(ds):
    return ds.to_table()


FAILURES = {
    "no table": lambda place: lance_cpp.dataset(place + ".lance"),
    "no table of a URI": lambda place: lance_cpp.dataset(pathlib.Path(place + ".lance").as_uri()),
    "table is there": lambda place: lance_cpp.write_dataset({"id": [1]}, place),
    "no version": lambda place: lance_cpp.dataset(place, version=9),
    "a file where a folder is wanted": lambda place: lance_cpp.write_dataset(
        {"id": [1]}, place + "/one.lance/u.lance"
    ),
    "no file": lambda place: LanceFileReader(place + "/zz.lance"),
    "no folder": lambda place: LanceFileReader(place + "/zz/zz.lance"),
    "file in a file": lambda place: LanceFileReader(place + "/one.lance/zz.lance"),
    "relative": lambda place: LanceFileReader(os.path.relpath(place + "/zz.lance")),
    "folder": lambda place: LanceFileReader(place),
    "folder to write": lambda place: write_file(place),
    "file in a file to write": lambda place: write_file(place + "/one.lance/zz.lance"),
    "no global buffer": lambda place: LanceFileReader(place + "/one.lance").read_global_buffer(9),
    "no row": lambda place: LanceFileReader(place + "/one.lance").take_rows([9]).to_table(),
    "no rows": lambda place: LanceFileReader(place + "/one.lance").read_range(5, 9).to_table(),
    "empty file": spoiled("one.lance", b"", lambda ds: LanceFileReader(ds.uri + "/one.lance")),
    "junk": spoiled("one.lance", b"x" * 99, lambda ds: LanceFileReader(ds.uri + "/one.lance")),
    "no data file": spoiled("data/*", None, read),
    "empty data file": spoiled("data/*", b"", read),
    "deletes in an empty data file": spoiled("data/*", b"", lambda ds: ds.delete("id = 2")),
    "adds to an empty data file": spoiled("data/*", b"", lambda ds: ds.add_columns({"b": "id"})),
    "no deletion file": spoiled("_deletions/*", None, read),
    "junk as deletion file": spoiled("_deletions/*", b"junk", read),
    "deletes beside a junk deletion file": spoiled(
        "_deletions/*", b"junk", lambda ds: ds.delete("id = 2")
    ),
    "empty manifests": spoiled("_versions/*.manifest", b"", read),
    "junk as manifests": spoiled("_versions/*.manifest", b"x" * 99, read),
}


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = str(tmp_path / "t.lance")
    lance_cpp.write_dataset({"id": [1, 2, 3]}, place).delete("id = 1")
    write_file(place + "/one.lance")
    return place


@pytest.mark.parametrize("title", FAILURES)
def test_a_failure_names_a_file_once(table, title):
    with pytest.raises(lance_cpp.LanceError) as info:
        FAILURES[title](table)

    names = NAMES.findall(str(info.value))
    assert sorted(names) == sorted(set(names)), str(info.value)
    assert names
