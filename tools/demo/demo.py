"""The main job on real data, step by step, with lancectl: write, declare, optimize, prune.

Every command is printed as it is run, and every number comes from its JSON output. A count that
differs from the known answer ends the demo with exit code 1.
"""

import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
from typing import NamedTuple

import flights as flights_data
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

KEY_COLUMNS = "dest,carrier,time_hour"
ROWS_PER_ZONE = 1024
ROW_BUDGET = 100_000
# What a reference planner rewrites within the budget, run after run, until nothing fits.
BUDGETED_ROWS = [80_789, 85_369, 86_326, 84_292]
# 336,776 rows in zones of 1,024.
NUM_ZONES = 329


class Query(NamedTuple):
    """A filter, how many flights it finds, and the share of the zones it may touch at most."""

    name: str
    filter: str
    rows: int
    max_zone_share: float


QUERIES = (
    Query("A", "dest = 'LAX'", 16_174, 0.20),
    Query(
        "B",
        "dest = 'LAX' AND time_hour >= timestamp '2013-03-01 00:00:00' "
        "AND time_hour < timestamp '2013-03-08 00:00:00'",
        267,
        0.05,
    ),
    Query(
        "C",
        "dest = 'SFO' AND carrier = 'UA' AND time_hour >= timestamp '2013-07-01 00:00:00' "
        "AND time_hour < timestamp '2013-08-01 00:00:00'",
        637,
        0.05,
    ),
)


class DemoFailed(Exception):
    """The demo did not show what it should."""


def expect(what: str, found, wanted) -> None:
    """Stop when a number differs from the known answer."""
    if found != wanted:
        raise DemoFailed(f"{what}: found {found}, expected {wanted}")


def count_text(value) -> str:
    """A number for people."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_table(header: list[str], rows: list[list]) -> None:
    """A table with aligned columns, the first to the left, the rest to the right."""
    texts = [header] + [[count_text(value) for value in row] for row in rows]
    widths = [max(len(row[column]) for row in texts) for column in range(len(header))]
    for index, row in enumerate(texts):
        cells = [row[0].ljust(widths[0])]
        cells += [text.rjust(width) for text, width in zip(row[1:], widths[1:])]
        print("    " + "  ".join(cells).rstrip())
        if index == 0:
            print("    " + "  ".join("-" * width for width in widths))
    print()


def quoted(word: str) -> str:
    """A word as one types it in a shell; filters look best in double quotes."""
    return f'"{word}"' if "'" in word else shlex.quote(word)


class Lancectl:
    """Runs lancectl and prints what it runs."""

    def __init__(self, program: str):
        self._program = program
        if not os.access(program, os.X_OK):
            raise DemoFailed(f"no {program}. Type: ./run build")

    def raw(self, *arguments) -> bytes:
        """What the command prints, as bytes."""
        words = [str(word) for word in arguments]
        print(f"  $ lancectl {' '.join(map(quoted, words))}", flush=True)
        run = subprocess.run(
            [self._program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        if run.returncode != 0:
            said = (run.stderr + run.stdout).decode(errors="replace").strip()
            raise DemoFailed(f"lancectl {words[0]} ended with exit code {run.returncode}: {said}")
        return run.stdout

    def json(self, *arguments):
        """The JSON document that the command prints with --json."""
        printed = self.raw(*arguments, "--json")
        try:
            return json.loads(printed)
        except ValueError as problem:
            raise DemoFailed(f"lancectl {arguments[0]} printed no JSON: {problem}") from problem

    def analyze(self, table: pathlib.Path, query_filter: str) -> dict:
        """Run a filter and say what was read: scan_explanation of docs/guide/json.md."""
        return self.json("explain", table, "--filter", query_filter, "--analyze")


def heading(number: int, text: str) -> None:
    """The title of a step."""
    print(f"\n{number}. {text}\n", flush=True)


class Demo:
    """The six steps, on one table."""

    def __init__(self, options):
        # As the user would type it; the reference package gets the absolute path.
        self._folder = pathlib.Path(os.path.relpath(options.folder))
        self._table = self._folder / "flights.lance"
        self._copy = self._folder / "december.lance"
        self._reference_python = options.reference_python
        self._lancectl = Lancectl(options.lancectl)
        self._months: list[pathlib.Path] = []

    def run(self) -> None:
        """All steps in order, on clean tables."""
        for leftover in (self._table, self._copy):
            shutil.rmtree(leftover, ignore_errors=True)
        print("Reading the flights that left New York in 2013 ...", flush=True)
        data = flights_data.load_flights(self._folder / "flights-package")
        self._months = flights_data.write_months(data, self._folder / "months")
        print(f"{data.num_rows:,} flights, split into {len(self._months)} monthly Parquet files.")
        self._append_months()
        before = self._ask("The same three questions, before anything is declared:")
        self._declare()
        self._optimize()
        self._compare(before)
        self._append_clustered()
        self._read_with_reference()

    def _append_months(self) -> None:
        heading(1, "Append the flights in 12 monthly writes to an undeclared table")
        for index, month in enumerate(self._months):
            self._lancectl.json("append" if index else "create", self._table, month)
        information = self._lancectl.json("info", self._table)
        expect("rows in the table", self._count(), flights_data.NUM_FLIGHTS)
        expect("fragments in the table", information["fragments"], len(self._months))
        print(
            f"\n    version {information['version']}: {information['rows']:,} rows in "
            f"{information['fragments']} fragments, {information['bytes']:,} bytes\n"
        )

    def _count(self) -> int:
        return self._lancectl.json("count", self._table)["rows"]

    def _ask(self, text: str) -> list[dict]:
        print(f"{text}\n", flush=True)
        answers = []
        for query in QUERIES:
            answer = self._lancectl.analyze(self._table, query.filter)
            expect(f"rows of query {query.name}", answer["actual"]["rows_returned"], query.rows)
            answers.append(answer)
        return answers

    def _declare(self) -> None:
        heading(2, "Declare the layout: hilbert over dest, carrier, time_hour")
        self._lancectl.json("cluster", "set", self._table, "--columns", KEY_COLUMNS)
        spec = self._lancectl.json("cluster", "show", self._table)
        print()
        for key in ("columns", "curve", "version", "bits_per_dim", "algorithm"):
            value = spec[key]
            print(f"    {key:13} {', '.join(value) if isinstance(value, list) else value}")
        print("\n    A one-way door: released Lance writers from version 12 on refuse to commit to")
        print("    this table from now on. Every Lance reader still opens it.")

    def _optimize_once(self, *budget) -> dict:
        options = ("--rows-per-zone", ROWS_PER_ZONE, *budget)
        result = self._lancectl.json("optimize", self._table, *options)
        left = f"{result['remaining']['rows']:,} rows could still be rewritten or merged"
        if result["version"] is None:
            print(f"    nothing rewritten, no new version; {left}", flush=True)
        else:
            print(
                f"    version {result['version']}: rewrote {result['rows_rewritten']:,} rows "
                f"in {result['tasks_committed']} task(s), {result['fragments_removed']} fragments "
                f"became {result['fragments_added']}; {left}",
                flush=True,
            )
        return result

    def _optimize(self) -> None:
        heading(3, f"Optimize with a budget of {ROW_BUDGET:,} rows, run after run, then without")
        rewritten = []
        while not rewritten or rewritten[-1]:
            result = self._optimize_once("--max-source-rows", ROW_BUDGET)
            rewritten.append(result["rows_rewritten"])
            expected = (BUDGETED_ROWS + [0])[: len(rewritten)]
            expect("rows rewritten within the budget, run after run", rewritten, expected)
        expect("version after the last run within the budget", result["version"], None)
        whole = self._optimize_once()
        expect("tasks of the run without budget", whole["tasks_committed"], 1)
        expect("rows of the run without budget", whole["rows_rewritten"], flights_data.NUM_FLIGHTS)
        again = self._optimize_once()
        expect("version after one more run", again["version"], None)

    def _compare(self, before: list[dict]) -> None:
        heading(4, "The three questions again, and what they read before step 2 and after step 3")
        after = self._ask("A, B and C on the clustered table:")
        print()
        self._print_comparison(before, after)
        for query, answer in zip(QUERIES, after):
            zones = answer["zones"]
            expect(f"zones of the table in query {query.name}", zones["total"], NUM_ZONES)
            if zones["kept"] > query.max_zone_share * zones["total"]:
                raise DemoFailed(
                    f"query {query.name} keeps {zones['kept']} of {zones['total']} zones; "
                    f"allowed {query.max_zone_share:.0%}"
                )

    def _print_comparison(self, before: list[dict], after: list[dict]) -> None:
        rows = []
        for query, first, second in zip(QUERIES, before, after):
            rows.append([query.name, query.rows, *measures(first), *measures(second)])
        header = ["query", "rows", "zones before", "bytes before", "zones after", "bytes after"]
        print_table(header, rows)

    def _append_clustered(self) -> None:
        heading(
            5, "Append December once more to a copy: it arrives clustered and is pruned at once"
        )
        shutil.copytree(self._table, self._copy)
        print(f"  $ cp -r {self._table} {self._copy}")
        december = pyarrow.parquet.read_table(self._months[-1])
        before = [self._lancectl.analyze(self._copy, query.filter) for query in QUERIES]
        written = self._lancectl.json("append", self._copy, self._months[-1])
        information = self._lancectl.json("info", self._copy)
        expect("rows appended", written["num_rows"], december.num_rows)
        expect("whether the rows arrived stamped", written["stamped"], True)
        expect("stamped fragments", information["stamped_fragments"], information["fragments"])
        after = [self._lancectl.analyze(self._copy, query.filter) for query in QUERIES]
        to_lax = pc.sum(pc.equal(december["dest"], "LAX")).as_py()
        added = [to_lax, 0, 0]
        rows = []
        for query, more, first, second in zip(QUERIES, added, before, after):
            found = second["actual"]["rows_returned"]
            expect(f"rows of query {query.name} in the copy", found, query.rows + more)
            new_zones = second["zones"]["total"] - first["zones"]["total"]
            kept = second["zones"]["kept"] - first["zones"]["kept"]
            if not more:
                expect(f"December's zones read by query {query.name}", kept, 0)
            rows.append([query.name, found, new_zones, kept])
        print(f"\n    {december.num_rows:,} rows arrived in curve order and stamped;", end=" ")
        print(f"all {information['fragments']} fragments are.\n")
        print_table(["query", "rows", "new zones", "of them read"], rows)

    def _read_with_reference(self) -> None:
        heading(6, "Where the table lies, and how the reference package reads it")
        table = self._table.absolute()
        print(f"    {table}\n")
        line = f"import lance; print(lance.dataset({str(table)!r}).count_rows("
        line += f'filter="{QUERIES[0].filter}"))'
        print(f"    {line}\n")
        python = self._reference_python
        if not python or not can_import(python, "lance"):
            print("    The reference package (pylance) is not in the environment; not run.")
            print("    To have it compared type: ./run setup, then ./run demo")
            return
        found = int(run_python(python, line))
        expect("rows of query A for the reference package", found, QUERIES[0].rows)
        print(f"    The reference package counts {found:,} rows, as we do.", flush=True)
        ours = pa.ipc.open_stream(
            self._lancectl.raw(
                "scan", self._table, "--filter", QUERIES[0].filter, "--format", "ipc"
            )
        ).read_all()
        theirs = reference_rows(python, table, QUERIES[0].filter)
        if not ours.equals(theirs):
            raise DemoFailed("the reference package reads other rows for query A than we do")
        print(f"    All {ours.num_rows:,} rows of A are equal in every column and in order.")


def measures(answer: dict) -> list[str]:
    """Zones and bytes that a query read, as texts."""
    zones, read = answer["zones"], answer["actual"]["bytes_read"]
    known = any(predicate["index_type"] for predicate in answer["predicates"])
    return [f"{zones['kept']} of {zones['total']}" if known else "none", f"{read:,}"]


def can_import(python: str, module: str) -> bool:
    """Whether a Python has a module."""
    if not os.access(python, os.X_OK):
        return False
    code = f"import importlib.util as u; raise SystemExit(u.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", code], capture_output=True).returncode == 0


def run_python(python: str, code: str) -> bytes:
    """What a line of Python prints."""
    run = subprocess.run([python, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode != 0:
        raise DemoFailed(f"the reference package failed: {run.stderr.decode(errors='replace')}")
    return run.stdout


def reference_rows(python: str, table: pathlib.Path, query_filter: str) -> pa.Table:
    """The rows that the reference package finds, in its order."""
    code = (
        "import sys, lance, pyarrow as pa\n"
        f"rows = lance.dataset({str(table)!r}).to_table(filter={query_filter!r})\n"
        "with pa.ipc.new_stream(sys.stdout.buffer, rows.schema) as stream:\n"
        "    stream.write_table(rows)\n"
    )
    return pa.ipc.open_stream(run_python(python, code)).read_all()


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lancectl", required=True, help="the built program")
    parser.add_argument("--folder", required=True, help="where the demo's files go")
    parser.add_argument("--reference-python", default="", help="a Python that may have pylance")
    try:
        Demo(parser.parse_args(arguments)).run()
    except (DemoFailed, flights_data.DataMissing) as problem:
        print(f"\ndemo failed: {problem}", file=sys.stderr)
        return 1
    print("\nThe demo found every count it expected.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
