"""One process of the race in test_restore_race.py: restores and tags, or cleans up all the while.

Arguments: restore or clean; the table; seconds. Prints what it did as JSON.
"""

import datetime
import json
import sys
import time

import lance_cpp
import pyarrow as pa

KEPT = datetime.timedelta(milliseconds=1)


def ids_of(uri, version=None):
    return lance_cpp.dataset(uri, version=version).to_table()["id"].to_pylist()


def overwrite(uri, step):
    """A version whose files no other version has."""
    rows = pa.table({"id": pa.array([step] * 3, pa.int64())})
    return lance_cpp.write_dataset(rows, uri, mode="overwrite")


def restore(uri, step):
    """What was restored is the newest version from then on, and nobody takes it away."""
    old = overwrite(uri, step)
    overwrite(uri, -1)
    old.restore()
    assert ids_of(uri) == [step] * 3


def tag(uri, step):
    """What a tag names stays while the tag is there."""
    old = overwrite(uri, step)
    overwrite(uri, -1)
    old.tags.create("kept")
    try:
        time.sleep(0.005)
        assert ids_of(uri, "kept") == [step] * 3
    finally:
        old.tags.delete("kept")


def clean(uri, step):
    del step
    stats = lance_cpp.dataset(uri).cleanup_old_versions(
        older_than=KEPT, error_if_tagged_old_versions=False)
    assert stats.failed_deletes == 0


def main():
    role, uri, seconds = sys.argv[1:]
    acts = [restore, tag] if role == "restore" else [clean]
    report = {"done": 0, "refused": 0, "errors": []}
    until = time.monotonic() + float(seconds)
    step = 0
    while time.monotonic() < until:
        act = acts[step % len(acts)]
        step += 1
        try:
            act(uri, step)
            report["done"] += 1
        except lance_cpp.errors.NotFoundError as error:  # the cleanup was faster
            if role == "clean" or "version" not in str(error):
                report["errors"].append(str(error))
            report["refused"] += 1
        except Exception as error:  # pylint: disable=broad-exception-caught
            report["errors"].append(f"{act.__name__}: {type(error).__name__}: {error}")
    print(json.dumps(report))


main()
