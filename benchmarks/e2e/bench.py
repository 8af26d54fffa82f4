"""Ours against the reference and DuckDB, on the same rows, in turns. What ./run bench runs.

Figures go to standard output, one a line; what goes on to standard error.
"""

import argparse
import json
import os
import pathlib
import shlex
import sys

import data_sets
import figures
import machine
import report
import workload
from contest import Contest, WrongAnswer, say
from engine_process import EngineError
from engines import ENGINES
from figures import Figure
from measures import MEASURES

PROJECT = pathlib.Path(__file__).resolve().parents[2]
# What a figure needs at least, whatever it is of.
_SHAPE = {
    "measure": str,
    "data": str,
    "peer": str,
    "ours": float,
    "theirs": float,
    "unit": str,
    "ratio": float,
}


def _names(allowed: dict[str, object]):
    """Commas between names that are allowed."""

    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f'"{name}"; allowed: {", ".join(allowed)}')
        return names

    return parse


def _positive(kind: type):
    def parse(text: str):
        value = kind(text)
        if value <= 0:
            raise argparse.ArgumentTypeError(f"{text}; allowed: more than 0")
        return value

    return parse


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--only", type=_names(MEASURES), default=list(MEASURES), metavar="NAME[,NAME...]",
        help=f"measures: {', '.join(MEASURES)}")
    add("--data", type=_names(data_sets.DATA_SETS), default=list(data_sets.DATA_SETS),
        metavar="NAME[,NAME...]", help=f"data sets: {', '.join(data_sets.DATA_SETS)}")
    add("--scale", type=_positive(float), default=0.1,
        help="share of the rows; 1: 6 to 10 million each (default 0.1)")
    add("--reps", type=_positive(int), default=5, help="rounds that count (default 5)")
    add("--queries", type=_positive(int), default=5,
        help="queries of each shape on each column or two (default 5)")
    add("--threads", type=_positive(int), default=2, help="of each engine (default 2)")
    add("--file-version", default="2.1", help="of the data files of tables (default 2.1)")
    add("--json", action="store_true", help="print figures as JSON lines")
    add("--write-docs", action="store_true", help="write docs/benchmarks.md")
    add("--self-check", action="store_true",
        help="only see whether the harness works: a small run, whose figures mean nothing")
    add("--ours", choices=sorted(ENGINES), default="lance_cpp",
        help="what stands on our side; pylance shows the noise (default lance_cpp)")
    add("--folder", type=pathlib.Path, default=PROJECT / ".bench", help=argparse.SUPPRESS)
    add("--build", type=pathlib.Path, default=PROJECT / "build/bench", help=argparse.SUPPRESS)
    add("--flights-package", type=pathlib.Path, default=PROJECT / ".demo/flights-package",
        help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.folder = options.folder.resolve()
    if options.self_check:
        options.scale, options.reps, options.queries = 0.001, 1, 1
        options.data = options.data[:1]
    return options


def _run(options: argparse.Namespace, left_out: list[str], versions: set[str]) -> list[Figure]:
    """All measures of all data sets; figures are printed as they come."""
    measured = []
    for name in options.data:
        with Contest(options, name) as contest:
            for measure in options.only:
                say(f"{name}: {measure}")
                for figure in MEASURES[measure](contest, left_out):
                    measured.append(figure)
                    text = json.dumps(figure.to_json()) if options.json else figures.as_text(figure)
                    print(text, flush=True)
            versions.update(contest.versions().values())
    return measured


def _check_shape(measured: list[Figure], options: argparse.Namespace, left_out: list[str]) -> None:
    """Whether every figure is complete, and every measure gave one or said why not."""
    for figure in measured:
        document = json.loads(json.dumps(figure.to_json()))
        for name, kind in _SHAPE.items():
            found = document.get(name)
            # Whole floats come back as they went out.
            if not isinstance(found, kind) or (kind is float and found <= 0):
                raise WrongAnswer(f"{name} is {found!r} in {document}")
    for name in options.only:
        if not any(f.measure == name for f in measured) and not any(name in o for o in left_out):
            raise WrongAnswer(f"{name} gives no figure")


def _warning(load: float) -> str:
    if load < 1:
        return ""
    return "; others were at work: times and their ratios mean little, sizes and memory hold"


def _facts(options: argparse.Namespace, versions: set[str], load: float) -> dict[str, str]:
    command = "./run bench " + shlex.join(sys.argv[1:])
    for hidden in ("--folder", "--build", "--flights-package"):
        parts = shlex.split(command)
        if hidden in parts:
            at = parts.index(hidden)
            command = shlex.join(parts[:at] + parts[at + 2 :])
    return {
        **machine.describe(PROJECT, options.build),
        "engines": ", ".join(sorted(versions)),
        "command": f"`{command}`",
        "rows": f"scale {options.scale:g}: "
        + ", ".join(
            f"{name} {round(data_sets.DATA_SETS[name].rows * options.scale):,} "
            f"({data_sets.DATA_SETS[name].origin})"
            for name in options.data
        ),
        "seeds": f"rows {data_sets.SEED}, queries {workload.SEED}",
        "load average before": f"{load:.1f}" + _warning(load),
    }


def main(arguments: list[str] | None = None) -> int:
    options = _parse(arguments)
    load = machine.load_average()
    left_out: list[str] = []
    versions: set[str] = set()
    try:
        measured = _run(options, left_out, versions)
        _check_shape(measured, options, left_out)
    except (EngineError, WrongAnswer) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    if options.write_docs:
        path = PROJECT / "docs" / "benchmarks.md"
        summaries = {name: run.__doc__ for name, run in MEASURES.items()}
        setting = {name: getattr(options, name) for name in ("threads", "reps", "file_version")}
        facts = _facts(options, versions, load)
        report.write(path, measured, facts, summaries, left_out, setting)
        say(f"wrote {os.path.relpath(path)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
