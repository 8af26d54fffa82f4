"""Restores and tags beside a cleanup that keeps next to nothing."""

import json
import pathlib
import subprocess
import sys

import lance
import lance_cpp
import pyarrow as pa
from lancectl import IS_LONG

SECONDS = 30 if IS_LONG else 3


def test_what_is_restored_or_tagged_beside_a_cleanup_reads(tmp_path):
    uri = str(tmp_path / "t")
    lance_cpp.write_dataset(pa.table({"id": pa.array([0], pa.int64())}), uri)
    script = pathlib.Path(__file__).with_name("restore_race.py")
    running = [
        subprocess.Popen(
            [sys.executable, script, role, uri, str(SECONDS)], stdout=subprocess.PIPE, text=True)
        for role in ("restore", "clean", "clean")
    ]
    reports = [json.loads(process.communicate(timeout=SECONDS + 300)[0]) for process in running]
    print(reports)
    assert [report["errors"] for report in reports] == [[]] * 3
    assert all(report["done"] > 1 for report in reports)
    assert lance.dataset(uri).count_rows() == lance_cpp.dataset(uri).count_rows() == 3
    lance.dataset(uri).validate()
    assert not list(pathlib.Path(uri, "_refs", "pins").glob("*"))
