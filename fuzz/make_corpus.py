"""Make the seed corpora of the fuzz targets from files of the reference implementation.

    make_corpus.py SEEDS_PROGRAM OUT

Writes every case of the conformance matrix (tests/interop/format_matrix.py), as it is and cut to a
few rows, and lets SEEDS_PROGRAM (lance_fuzz_seeds) take the files apart: OUT/<target>/<input>.
Needs the reference package; fuzz/run.py calls this with the right interpreter.
"""

import argparse
import dataclasses
import pathlib
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT / "tests" / "interop"))

import format_matrix  # noqa: E402  (found through the line above)

# Rows that make the whole file small enough to be an input.
FEW_ROWS = (5, 120)


def variants(case):
    """The case itself, and with fewer rows."""
    yield "", case
    if case.make is not None or case.table is None:
        return
    for rows in FEW_ROWS:
        if case.table.num_rows > rows:
            yield f"-{rows}", dataclasses.replace(case, table=case.table.slice(0, rows))


def write_files(folder):
    """Write all variants of all cases. Gives their paths."""
    for number, (case, version) in enumerate(format_matrix.all_cases()):
        for suffix, variant in variants(case):
            path = folder / f"{number}{suffix}.lance"
            try:
                format_matrix.write(variant, version, path)
            except BaseException as error:  # the reference panics where too few rows are left
                if isinstance(error, KeyboardInterrupt):
                    raise
                continue
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seeds_program")
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        paths = list(write_files(pathlib.Path(temporary)))
        arguments.out.mkdir(parents=True, exist_ok=True)
        subprocess.run([arguments.seeds_program, arguments.out, *paths], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
