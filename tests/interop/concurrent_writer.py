"""One process of test_concurrency.py: changes a table until it is told to stop, and logs it.

Arguments: ours or reference, the table, the number of this writer, a seed, the log. It says "ready"
and waits for a line with the seconds to run. The log has two lines of JSON for each attempt, before
and after it, so that a killed process leaves what it was about to do.
"""

import importlib
import json
import os
import random
import sys
import time

import pyarrow as pa

SCHEMA = pa.schema([("id", pa.int64()), ("k", pa.int64()), ("by", pa.int64())])
ROW_CHANGES = ("append", "delete", "update", "merge")
IDS_OF_A_WRITER = 1_000_000  # nobody else inserts them, so that no key is ever there twice

# What the reference says of a commit that certainly did not land.
LOST_RACES = ("conflict", "Too many concurrent writers", "try again", "Retryable")


class Writer:
    """Tries changes and logs them."""

    def __init__(self, kind, uri, number, seed, log):
        self.kind = kind
        self.module = importlib.import_module({"ours": "lance_cpp", "reference": "lance"}[kind])
        self.uri = uri
        self.rng = random.Random(f"{seed} {number}")
        self.number = number
        self.ids = iter(range(number * IDS_OF_A_WRITER, (number + 1) * IDS_OF_A_WRITER))
        self.attempts = iter(range(number * IDS_OF_A_WRITER, (number + 1) * IDS_OF_A_WRITER))
        self.log = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        self.dataset = self.module.dataset(uri)

    def write_log(self, **entry):
        os.write(self.log, (json.dumps(entry) + "\n").encode())

    def run(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.rng.random() < 0.6:
                self.dataset = self.module.dataset(self.uri)
            is_compaction = self.kind == "reference" and self.rng.random() < 0.05
            kind = "compact" if is_compaction else self.rng.choice(ROW_CHANGES)
            self.attempt(self.plan(kind))

    def plan(self, kind):
        """What to do: rows that are there are chosen on the version at hand, which may be old."""
        number = next(self.attempts)
        plan = {"attempt": number, "writer": self.kind, "kind": kind}
        if kind == "compact":
            return plan
        found = self.dataset.to_table(columns=["id"])["id"].to_pylist()
        old = self.rng.sample(found, min(len(found), self.rng.choice([1, 2, 8])))
        new = [next(self.ids) for _ in range(self.rng.choice([1, 5]))]
        plan["ids"] = {"append": new, "merge": old + new}.get(kind, old)
        plan["ids"] = plan["ids"] or [-1]
        self.rng.shuffle(plan["ids"])
        return plan

    def attempt(self, plan):
        self.write_log(**plan, began=time.monotonic())
        try:
            outcome = {"outcome": "done", **getattr(self, plan["kind"])(plan)}
        except (OSError, RuntimeError, ValueError) as error:
            outcome = {"outcome": self.outcome_of(error), "error": f"{type(error)} {error}"}
        self.write_log(attempt=plan["attempt"], ended=time.monotonic(), **outcome)

    def outcome_of(self, error):
        if self.kind == "ours":
            known = {"CommitConflictError": "failed", "CommitUnknownError": "unknown"}
            return known.get(type(error).__name__, "error")
        return "failed" if any(text in str(error) for text in LOST_RACES) else "error"

    # Each returns the version that it made and how many rows it says to have changed.

    def rows_of(self, plan):
        ids, rows = plan["ids"], len(plan["ids"])
        return pa.table([ids, [0] * rows, [plan["attempt"]] * rows], schema=SCHEMA)

    def append(self, plan):
        # On the handle, which may be old.
        made = self.module.write_dataset(self.rows_of(plan), self.dataset, mode="append")
        return {"version": made.version, "counts": [len(plan["ids"])]}

    def delete(self, plan):
        done = self.dataset.delete(condition(plan))
        return {"version": self.dataset.version, "counts": [done["num_deleted_rows"]]}

    def update(self, plan):
        done = self.dataset.update({"k": "k + 1", "by": str(plan["attempt"])}, condition(plan))
        return {"version": self.dataset.version, "counts": [done["num_rows_updated"]]}

    def merge(self, plan):
        builder = self.dataset.merge_insert("id")
        builder.when_matched_update_all().when_not_matched_insert_all()
        done = builder.execute(self.rows_of(plan))
        counts = [done["num_inserted_rows"], done["num_updated_rows"]]
        return {"version": self.dataset.version, "counts": counts}

    def compact(self, plan):
        del plan
        self.dataset.optimize.compact_files(target_rows_per_fragment=100)
        return {"version": self.dataset.version, "counts": [0]}


def condition(plan):
    return f"id IN ({', '.join(map(str, plan['ids']))})"


def main():
    kind, uri, number, seed, log = sys.argv[1:]
    writer = Writer(kind, uri, int(number), seed, log)
    print("ready", flush=True)
    writer.run(float(sys.stdin.readline()))


if __name__ == "__main__":
    main()
