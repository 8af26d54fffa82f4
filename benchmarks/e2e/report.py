"""docs/benchmarks.md from figures."""

import pathlib

import figures
from figures import Figure

_INTRODUCTION = """\
# Benchmarks

Written by `./run bench --write-docs`; do not edit. Ours beside pylance, the reference, and
[DuckDB](https://duckdb.org) on snappy Parquet, in one run, on the same rows, in turns. **A ratio
above 1 is in our favour.** Absolute figures are for scale only; do not compare them with those of
another run. What went against us is here, too.

How it is measured:

* Each engine has a process of its own that stays alive, and {threads} threads. They take turns,
  one of each in a round; the first round, which fills caches, does not count. Everything is warm:
  it is read from the page cache.
* Of {reps} rounds the best counts for each. The spread is the lowest and the highest ratio of one
  round; of queries, of the columns that they ask for.
* Each answer is checked against one worked out with NumPy.
* Tables of both Lance engines have data files of version {file_version}; sizes are given for 2.1
  and 2.2. Every write ends with the files on the disk (`fsync`), whether the engine asks for it
  or not.
* *Clustered* is ours in Hilbert order with the zone summaries that a write makes, pylance in the
  Morton order that DuckDB sorts rows into, with its zonemaps on all keys, and DuckDB in the same
  Morton order with row groups of 8,192 rows.
* Sizes are those of rows in our Hilbert order for all. 2.1 is compared with pylance's 2.1; 2.2
  with the smaller of pylance's 2.2 and DuckDB's Parquet with row groups of 8,192 rows.
* Memory is the most that a fresh process ever held (`VmHWM`), interpreter and libraries included,
  and the same without what it held after its imports.

What it runs is in [benchmarks/e2e](../benchmarks/e2e): `data_sets.py`, `workload.py`,
`measures.py`, `engines.py`.
"""


def _table(head: list[str], rows: list[list[str]]) -> str:
    # Text in three columns, then numbers.
    alignment = "|" + "|".join("---" if i < 3 else "---:" for i in range(len(head))) + "|"
    lines = ["| " + " | ".join(row) + " |" for row in [head, *rows]]
    return "\n".join([lines[0], alignment, *lines[1:]])


def _row(figure: Figure) -> list[str]:
    spread = f"{figure.spread[0]:.2f} to {figure.spread[1]:.2f}" if figure.spread else ""
    medians = ["", ""]
    if figure.ours_median is not None:
        medians = [figures.number(figure.ours_median), figures.number(figure.theirs_median)]
    return [
        figure.data,
        figure.case,
        figure.peer,
        f"**{figure.ratio:.2f}**",
        spread,
        figures.number(figure.ours),
        figures.number(figure.theirs),
        *medians,
    ]


def _sections(measured: list[Figure], summaries: dict[str, str]) -> list[str]:
    parts = []
    for name, summary in summaries.items():
        found = [figure for figure in measured if figure.measure == name]
        if not found:
            continue
        head = ["data", "case", "against", "ratio", "spread"]
        is_mixed = len({figure.unit for figure in found}) > 1
        head += ["ours" if is_mixed else f"ours, {found[0].unit}"]
        head += ["theirs", "ours, median", "theirs, median"]
        rows = [_row(figure) for figure in found]
        if is_mixed:
            for row, figure in zip(rows, found, strict=True):
                row[1] += f", {figure.unit}"
        if not any(row[-1] for row in rows):
            head, rows = head[:-2], [row[:-2] for row in rows]
        parts.append(f"## {name}\n\n{summary}\n\n{_table(head, rows)}\n")
    return parts


def write(
    path: pathlib.Path,
    measured: list[Figure],
    facts: dict[str, str],
    summaries: dict[str, str],
    left_out: list[str],
    setting: dict[str, object],
) -> None:
    """Write the page.

    Parameters
    ----------
    facts : dict
        What the figures were made on and with, shown as they are.
    summaries : dict
        What each measure does, by its name, in order.
    left_out : list
        What could not be measured, and why.
    setting : dict
        threads, reps and file_version of the run.
    """
    parts = [_INTRODUCTION.format(**setting)]
    parts.append("## This run\n\n| | |\n|---|---|")
    parts[-1] += "".join(f"\n| {name} | {value} |" for name, value in facts.items()) + "\n"
    if left_out:
        parts.append("Left out:\n\n" + "\n".join(f"* {what}" for what in left_out) + "\n")
    parts += _sections(measured, summaries)
    path.write_text("\n".join(parts))
