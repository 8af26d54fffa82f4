"""Damaged files of the reference implementation: we read them, or say what is wrong.

Every case of the conformance matrix in the long size, some in the short one; mutants of files below
1 MiB. A mutant that breaks a promise is named by its number, which makes it again:
lance_read_mutants --seed S --first NUMBER --count 1 --save FILE FILES.
"""

import os
import random
import subprocess

import format_matrix

READ_MUTANTS = os.environ["LANCE_READ_MUTANTS"]
SEED = int(os.environ.get("LANCE_TEST_SEED") or 20240607)
IS_LONG = os.environ.get("LANCE_TEST_SIZE") == "long"
MAX_FILE_BYTES = 1 << 20


def write_files(folder):
    """Files of the chosen cases; a case that the reference cannot write is left out."""
    cases = list(format_matrix.all_cases())
    chosen = cases if IS_LONG else random.Random(SEED).sample(cases, 40)
    for number, (case, version) in enumerate(chosen):
        path = folder / f"{number}.lance"
        try:
            format_matrix.write(case, version, path)
        except BaseException as error:  # the reference panics
            if isinstance(error, KeyboardInterrupt):
                raise
            continue
        if path.stat().st_size < MAX_FILE_BYTES:
            yield path


def test_damaged_files_of_the_reference_are_harmless(tmp_path):
    paths = list(write_files(tmp_path))
    assert len(paths) > 20
    count = 10000 if IS_LONG else 500

    done = subprocess.run(
        [READ_MUTANTS, "--seed", str(SEED), "--count", str(count), *paths],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert f"{count} mutants of {len(paths)} files" in done.stdout
