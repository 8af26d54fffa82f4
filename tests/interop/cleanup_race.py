"""One process of the race in test_cleanup.py: writes, reads or cleans up until its time is over.

Arguments: write, read or clean; lance_cpp or lance; the table; seconds. Prints what it did as JSON.
"""

import datetime
import importlib
import json
import sys
import time

import pyarrow as pa



def policy_of(seconds):
    """Nobody works on one version while so much time passes and so many others are made."""
    return {"older_than": datetime.timedelta(seconds=max(1, seconds / 4)), "retain_versions": 8}


def write(module, uri, step):
    rows = pa.table({"id": pa.array([1000 + step], pa.int64())})
    module.write_dataset(rows, uri, mode="append")
    if step % 3 == 1:
        module.dataset(uri).delete(f"id = {1000 + step - 1}")


def read(module, uri, step):
    ds = module.dataset(uri)
    ids = ds.to_table()["id"].to_pylist()
    assert len(set(ids)) == len(ids) >= 50, "rows are twice there, or gone"
    assert ds.count_rows() == len(ids)


def main():
    role, name, uri, seconds = sys.argv[1:]
    module = importlib.import_module(name)
    report = {"rounds": 0, "errors": [], "old_versions": 0}
    until = time.monotonic() + float(seconds)
    while time.monotonic() < until:
        try:
            if role == "clean":
                stats = module.dataset(uri).cleanup_old_versions(**policy_of(float(seconds)))
                report["old_versions"] += stats.old_versions
                if stats.failed_deletes:
                    report["errors"].append(f"{stats.failed_deletes} failed deletes")
            else:
                {"write": write, "read": read}[role](module, uri, report["rounds"])
        except Exception as error:  # pylint: disable=broad-exception-caught
            report["errors"].append(f"{type(error).__name__}: {error}")
        report["rounds"] += 1
    print(json.dumps(report))


main()
