"""Failures name what they are about once."""

import os
import pathlib
import re
import shutil

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


def test_a_warning_of_a_damaged_index_is_logged_whatever_bytes_it_holds(place, caplog):
    ds = lance_cpp.write_dataset(pa.table({"a": range(10)}), place)
    ds.create_scalar_index("a", "BTREE")
    for path in pathlib.Path(place).glob("_indices/*/*"):
        content = path.read_bytes()
        at = content.index(b"ColumnEncoding")
        path.write_bytes(content[:at] + b"\xff" + content[at + 1 :])

    fresh = lance_cpp.dataset(place, session=lance_cpp.Session())
    assert fresh.count_rows("a = 3") == 1

    [record] = caplog.records
    assert "index_unusable" in record.getMessage()
    assert "\\xffolumnEncoding" in record.getMessage()


def test_an_index_of_a_table_that_was_made_anew_is_not_taken_for_the_old_one(place):
    session = lance_cpp.Session()
    for shift in (0, 1):
        shutil.rmtree(place, ignore_errors=True)
        lance_cpp.write_dataset(pa.table({"id": range(shift, 40_000, 2)}), place)
        ds = lance_cpp.dataset(place, session=session)
        ds.create_scalar_index("id", "BTREE", index_uuid="11111111-1111-1111-1111-111111111111")
        for row in (8190, 16382, 24574, 32766, 39998):
            assert ds.count_rows(f"id = {row + shift}") == 1
