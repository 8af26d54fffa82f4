"""What is measured. A measure is a function of a Contest that gives figures; @measure lists it."""

import math
import pathlib
import shutil
import statistics
from collections.abc import Callable, Iterator

import figures
from contest import (
    ARRIVAL,
    CLUSTERED,
    DUCKDB,
    OURS,
    PEERS,
    PYLANCE,
    Contest,
    WrongAnswer,
    tolerating,
)
from figures import Figure
from workload import SHAPES, Query, random_positions

TAKEN_ROWS = 10_000
# What single files are written as; see file_size.
FILE_VERSIONS = ("2.1", "2.2")

Measure = Callable[[Contest, list[str]], Iterator[Figure]]

# By name, in the order in which they run.
MEASURES: dict[str, Measure] = {}


def measure(function: Measure) -> Measure:
    """List a function as the measure of its name.

    Its second parameter collects what was left out because an engine does not do it, and why.
    """
    MEASURES[function.__name__] = function
    return function


def _rates(
    contest: Contest, name: str, peers: tuple[str, ...], one: Callable, **more
) -> Iterator[Figure]:
    """Engines take turns at one(engine); `amount` of `unit` is done each time."""
    seconds = contest.rounds((OURS, *peers), one)
    for peer in peers:
        both = (seconds[OURS], seconds[peer])
        yield figures.of_rates(name, contest.data.name, peer, both, **more)


# --- Reading -------------------------------------------------------------------------------------


def _scan_rate(contest: Contest, name: str, columns: list[str] | None, **more) -> Iterator[Figure]:
    def one(engine: str):
        target = contest.table(engine, ARRIVAL)
        answer = contest.engine(engine).call("scan", target=target, columns=columns)
        contest.check_rows(engine, answer.value, contest.num_rows)
        return answer

    yield from _rates(contest, name, PEERS, one, **more)


@measure
def full_scan_rate(contest: Contest, _: list[str]) -> Iterator[Figure]:
    """Read all columns of all rows as Arrow batches."""
    yield from _scan_rate(
        contest, "full_scan_rate", None, amount=contest.arrow_mb, unit="MB/s"
    )


@measure
def two_column_scan_rate(contest: Contest, _: list[str]) -> Iterator[Figure]:
    """Read the first key and the value column of all rows as Arrow batches."""
    columns = [contest.data.keys[0], contest.data.value]
    yield from _scan_rate(
        contest, "two_column_scan_rate", columns, amount=contest.num_rows / 1e6, unit="Mrow/s"
    )


@measure
def take_rate(contest: Contest, left_out: list[str]) -> Iterator[Figure]:
    """Read all columns of rows at random positions: of a table, and of a single file."""
    positions = random_positions(contest.num_rows, TAKEN_ROWS)
    more = {"amount": len(positions) / 1e3, "unit": "krow/s"}

    def of_table(engine: str):
        target = contest.table(engine, ARRIVAL)
        answer = contest.engine(engine).call("take", target=target, positions=positions)
        contest.check_rows(engine, answer.value, len(positions))
        return answer

    def of_file(engine: str):
        answer = contest.engine(engine).call(
            "take_from_file", target=files[engine], positions=positions
        )
        contest.check_rows(engine, answer.value, len(positions))
        return answer

    with tolerating("take_rate of a table", left_out):
        yield from _rates(contest, "take_rate", PEERS, of_table, case="table", **more)
    with tolerating("take_rate of a file", left_out):
        files = {engine: contest.place(f"{engine}.lance") for engine in (OURS, PYLANCE)}
        version = contest.options.file_version
        for engine, file in files.items():
            contest.engine(engine).call(
                "write_file", source=contest.arrow, target=file, version=version
            )
        yield from _rates(contest, "take_rate", (PYLANCE,), of_file, case="file", **more)


# --- Writing -------------------------------------------------------------------------------------


def _write_rate(
    contest: Contest, name: str, source: str, layout: str, **more
) -> Iterator[Figure]:
    def one(engine: str):
        place = contest.place(f"{engine}-written")
        return contest.write_table(contest.engine(engine), place, source, layout)

    more.update(amount=contest.num_rows / 1e6, unit="Mrow/s")
    yield from _rates(contest, name, PEERS, one, **more)


@measure
def write_rate(contest: Contest, _: list[str]) -> Iterator[Figure]:
    """Write rows that are in memory, in their order; to the disk."""
    yield from _write_rate(contest, "write_rate", contest.arrow, ARRIVAL)


@measure
def cluster_write_rate(contest: Contest, _: list[str]) -> Iterator[Figure]:
    """Write rows in the order of a curve, with all that queries need to skip; to the disk."""
    for case, source in (("from Parquet", contest.parquet), ("from memory", contest.arrow)):
        yield from _write_rate(contest, "cluster_write_rate", source, CLUSTERED, case=case)


# --- Queries -------------------------------------------------------------------------------------


def _ask(contest: Contest, engine: str, query: Query, call: str, **arguments) -> float:
    """One query of one engine, checked. Gives seconds."""
    target = contest.table(engine, CLUSTERED)
    condition = contest.condition(engine, query)
    answer = contest.engine(engine).call(call, target=target, condition=condition, **arguments)
    contest.check(engine, query, answer.value)
    return answer.seconds


def _best_of_turns(contest: Contest, query: Query, call: str, **arguments) -> dict[str, float]:
    """Each engine's best seconds on one query, asked in turns."""
    best = dict.fromkeys((OURS, *PEERS), math.inf)
    for repetition in range(contest.options.reps + 1):
        for engine in best:
            seconds = _ask(contest, engine, query, call, **arguments)
            if repetition > 0:
                best[engine] = min(best[engine], seconds)
    return best


def _latencies(
    contest: Contest, name: str, shapes: tuple[str, ...], call: str, **arguments
) -> Iterator[Figure]:
    for shape in shapes:
        # By the columns that are asked for: one heavy query must not outweigh all others.
        times: dict[tuple, list[dict[str, float]]] = {}
        for query in contest.queries:
            if query.shape == shape:
                best = _best_of_turns(contest, query, call, **arguments)
                times.setdefault(query.columns(), []).append(best)
        for peer in PEERS:
            pairs = [
                tuple(statistics.median(best[engine] for best in group) for engine in (OURS, peer))
                for group in times.values()
            ]
            yield figures.of_latencies(name, contest.data.name, peer, pairs, case=shape)


@measure
def query_latency(contest: Contest, _: list[str]) -> Iterator[Figure]:
    """Find the rows of a condition on key columns of a clustered table, sum another column."""
    yield from _latencies(
        contest, "query_latency", SHAPES, "query", value=contest.data.value
    )


@measure
def count_latency(contest: Contest, _: list[str]) -> Iterator[Figure]:
    """Count the rows of a condition on two key columns of a clustered table."""
    yield from _latencies(contest, "count_latency", ("pair",), "count")


# --- Sizes ---------------------------------------------------------------------------------------


@measure
def file_size(contest: Contest, left_out: list[str]) -> Iterator[Figure]:
    """Bytes of single files of the same rows in our curve's order: whole, and of each column.

    2.1 against the reference's 2.1; 2.2 against the smaller of the reference's 2.2 and snappy
    Parquet with row groups of 8,192 rows.
    """
    rows = contest.place("ordered.arrow")
    contest.engine(OURS).call("export", target=contest.table(OURS, CLUSTERED), file=rows)

    def sizes(engine: str, version: str) -> dict[str, int]:
        place = contest.place(f"{engine}-{version}.lance")
        written = contest.engine(engine).call(
            "write_file", source=rows, target=place, version=version
        ).value
        # Constants have no bytes of their own; 1 stands for none, so that ratios exist.
        columns = {f" {name}": max(size, 1) for name, size in written["columns"].items()}
        return {"": written["bytes"], **columns}

    def compare(version: str, ours: dict, theirs: dict) -> Iterator[Figure]:
        for column, size in ours.items():
            peer = min(theirs, key=lambda name: theirs[name][column])
            yield figures.of_sizes(
                "file_size",
                contest.data.name,
                peer,
                size / 1e6,
                theirs[peer][column] / 1e6,
                unit="MB",
                case=version + column,
            )

    for version in FILE_VERSIONS:
        with tolerating(f"file_size of {version}", left_out):
            ours = sizes(OURS, version)
            theirs = {PYLANCE: sizes(PYLANCE, version)}
            if version == FILE_VERSIONS[-1]:
                theirs[DUCKDB] = sizes(DUCKDB, version)
            yield from compare(version, ours, theirs)


# --- Many fragments ------------------------------------------------------------------------------


def _files(table: str) -> dict[str, int]:
    """Bytes of all files below a table, by their path."""
    root = pathlib.Path(table)
    paths = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.stat().st_size for path in paths}


def _check_appended(engine: str, new: dict[str, int]) -> None:
    """Whether an append wrote a data file, a manifest, a transaction, and nothing else."""
    folders = sorted(path.split("/")[0] for path in new)
    if folders != ["_transactions", "_versions", "data"]:
        raise WrongAnswer(f"an append of {engine} writes {sorted(new)}")


def _open_peak(contest: Contest, engine: str, table: str) -> float:
    """Megabytes that a fresh process takes to open a table, above its imports."""
    with contest.start(engine) as process:
        before = process.call("memory").value["now"]
        process.call("open", target=table)
        return process.call("memory").value["peak"] - before


@measure
def many_fragments(contest: Contest, _: list[str]) -> Iterator[Figure]:
    """Open a table of 100,000 fragments, append a row to it; the same for all data sets.

    All fragments but the appended ones have one small data file, so that the figures are those of
    metadata. `written` is what one append adds to the table, `manifest` the largest part of it.
    """
    if contest.data.name != contest.options.data[0]:
        return
    count = max(2, min(100_000, round(1_000_000 * contest.options.scale)))
    tables = {engine: contest.place(f"{engine}-fragments") for engine in (OURS, PYLANCE)}
    contest.engine(PYLANCE).call(
        "write_fragments",
        target=tables[PYLANCE],
        fragments=count,
        rows=10,
        version=contest.options.file_version,
    )
    shutil.copytree(tables[PYLANCE], tables[OURS])
    new: dict[str, dict[str, int]] = {}
    appended = dict.fromkeys(tables, 0)

    def open_table(engine: str):
        answer = contest.engine(engine).call("open", target=tables[engine])
        contest.check_rows(engine, answer.value, 10 * count)
        return answer

    def append(engine: str):
        before = _files(tables[engine])
        answer = contest.engine(engine).call("append_rows", target=tables[engine], rows=1)
        after = _files(tables[engine])
        new[engine] = {path: size for path, size in after.items() if path not in before}
        _check_appended(engine, new[engine])
        appended[engine] += 1
        rows = contest.engine(engine).call("open", target=tables[engine]).value
        contest.check_rows(engine, rows, 10 * count + appended[engine])
        return answer

    peaks = {engine: _open_peak(contest, engine, tables[engine]) for engine in tables}
    for case, one in (("open", open_table), ("append", append)):
        seconds = contest.rounds(tuple(tables), one)
        best = (min(seconds[OURS]), min(seconds[PYLANCE]))
        yield figures.of_latencies("many_fragments", contest.data.name, PYLANCE, [best], case=case)
    sizes = {
        "written": {engine: sum(files.values()) for engine, files in new.items()},
        "manifest": {engine: max(files.values()) for engine, files in new.items()},
    }
    for case, of in sizes.items():
        yield figures.of_sizes(
            "many_fragments",
            contest.data.name,
            PYLANCE,
            of[OURS] / 1e6,
            of[PYLANCE] / 1e6,
            unit="MB",
            case=case,
        )
    yield figures.of_sizes(
        "many_fragments",
        contest.data.name,
        PYLANCE,
        peaks[OURS],
        peaks[PYLANCE],
        unit="MB",
        case="peak of open, above imports",
    )


@measure
def many_zones(contest: Contest, _: list[str]) -> Iterator[Figure]:
    """Plan a filter over 10,000 fragments of 128 zones of 8 rows; the same for all data sets.

    No zone can hold a row of it, so that nothing is read but the zonemap, which is in memory.
    """
    if contest.data.name != contest.options.data[0]:
        return
    count = max(2, min(10_000, round(100_000 * contest.options.scale)))
    tables = {engine: contest.place(f"{engine}-zones") for engine in (OURS, PYLANCE)}
    contest.engine(PYLANCE).call(
        "write_small_files",
        target=tables[PYLANCE],
        files=count,
        rows=1024,
        version=contest.options.file_version,
    )
    contest.engine(PYLANCE).call("add_zones", target=tables[PYLANCE], column="id", rows_per_zone=8)
    shutil.copytree(tables[PYLANCE], tables[OURS])
    for case, condition in (("point", "id = -1"), ("range", "id > -100 AND id < 0")):

        def plan(engine: str, asked: str = condition):
            answer = contest.engine(engine).call("count", target=tables[engine], condition=asked)
            contest.check_rows(engine, answer.value, 0)
            return answer

        seconds = contest.rounds(tuple(tables), plan)
        best = (min(seconds[OURS]), min(seconds[PYLANCE]))
        yield figures.of_latencies("many_zones", contest.data.name, PYLANCE, [best], case=case)


# --- Memory --------------------------------------------------------------------------------------


def _peak(contest: Contest, engine: str, case: str) -> tuple[float, float]:
    """Megabytes of a fresh process that does one thing: the most, and that above the imports."""
    table = contest.table(engine, ARRIVAL) if case == "scan" else ""
    with contest.start(engine) as process:
        if case == "cluster write":
            process.call("prepare_sort")
        before = process.call("memory").value["now"]
        if case == "scan":
            process.call("scan", target=table)
        else:
            layout = ARRIVAL if case == "write" else CLUSTERED
            place = contest.place(f"{engine}-written")
            contest.write_table(process, place, contest.parquet, layout)
        peak = process.call("memory").value["peak"]
    return peak, peak - before


@measure
def peak_memory(contest: Contest, _: list[str]) -> Iterator[Figure]:
    """Resident memory of a process that reads everything, or writes everything from Parquet."""
    for case in ("scan", "write", "cluster write"):
        peaks = {engine: _peak(contest, engine, case) for engine in (OURS, *PEERS)}
        for which, suffix in ((0, ""), (1, ", above imports")):
            for peer in PEERS:
                yield figures.of_sizes(
                    "peak_memory",
                    contest.data.name,
                    peer,
                    peaks[OURS][which],
                    peaks[peer][which],
                    unit="MB",
                    case=case + suffix,
                )
