"""Plant faults one at a time into a copy of the tree and show that each turns a named test red.

Reads the table tools/dev/mutants.toml. Each entry names a file, the text to replace (it must occur
exactly once), what to put there, the test program and the test in it that must fail. The copy and
its build lie in .cache/mutants, so the tree itself is never touched; ccache makes the copy cheap.

A fault that no test notices is a gap in the tests: exit code 1. An entry that does not fit the
code any more, or does not compile, is an error of the table: exit code 2.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tomllib
from typing import NamedTuple

import source_tree

TABLE = "tools/dev/mutants.toml"
PRESET = "dev"
TEST_SECONDS = 600


class TableError(Exception):
    """An entry of the table does not fit the code."""


class Mutant(NamedTuple):
    """One fault: where it goes, and which test must see it."""

    name: str
    file: str
    old: str
    new: str
    # The ninja target, which is also the GoogleTest program, and a test of it as --gtest_filter.
    target: str
    test: str


def read_table(path: pathlib.Path) -> list[Mutant]:
    """The faults of a table, checked for missing and unknown keys."""
    entries = tomllib.loads(path.read_text())["mutant"]
    mutants = []
    for entry in entries:
        if set(entry) != set(Mutant._fields):
            wrong = sorted(set(entry) ^ set(Mutant._fields))
            raise TableError(f"{entry.get('name', entry)}: missing or unknown keys {wrong}")
        mutants.append(Mutant(**entry))
    names = [mutant.name for mutant in mutants]
    if len(set(names)) != len(names):
        raise TableError("two entries have the same name")
    return mutants


def mutate(text: str, mutant: Mutant) -> str:
    """The text with the fault planted."""
    count = text.count(mutant.old)
    if count != 1:
        raise TableError(
            f"{mutant.name}: the text to replace occurs {count} times in {mutant.file}"
        )
    if mutant.old == mutant.new:
        raise TableError(f"{mutant.name}: old and new are equal")
    return text.replace(mutant.old, mutant.new)


def failed_tests(output: str) -> list[str]:
    """The tests that a GoogleTest program lists as failed at its end."""
    failed = []
    for line in output.splitlines():
        if line.startswith("[  FAILED  ] ") and "." in line and not line.rstrip().endswith(")"):
            failed.append(line.removeprefix("[  FAILED  ] ").split(",")[0].strip())
    return sorted(set(failed))


class Workshop:
    """A copy of the tree with a build folder, where faults are planted."""

    def __init__(self, root: pathlib.Path):
        self._root = root
        self.tree = root / ".cache/mutants/tree"
        self.build = root / ".cache/mutants/build"
        # Paths inside the copy must look like those of the tree, for ccache to know them.
        self._environment = dict(
            os.environ, CCACHE_BASEDIR=str(self.tree.parent), CCACHE_NOHASHDIR="1"
        )
        self._environment.setdefault("CCACHE_DIR", str(root / ".cache/ccache"))

    def prepare(self) -> None:
        """Bring the copy up to date and configure it."""
        source = source_tree.SourceTree(self._root)
        wanted = set(source.files())
        for path in source_tree.SourceTree(self.tree).files() if self.tree.exists() else ():
            if path not in wanted:
                (self.tree / path).unlink()
        for path in sorted(wanted):
            self._copy(path)
        python = f"-DPython3_EXECUTABLE={self._root / '.venv/bin/python'}"
        self._must_run(
            ["cmake", "--preset", PRESET, "-B", self.build, python, "-DLANCE_BUILD_CLI=OFF"]
        )

    def _copy(self, path: str) -> None:
        """Copy a file when it differs, so that ninja rebuilds no more than it must."""
        source, target = self._root / path, self.tree / path
        if target.exists() and target.read_bytes() == source.read_bytes():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)

    def _run(self, command, seconds=None) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(word) for word in command],
            cwd=self.tree,
            env=self._environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
        )

    def _must_run(self, command) -> None:
        run = self._run(command)
        if run.returncode != 0:
            raise TableError(f"{' '.join(map(str, command[:2]))} failed:\n{run.stdout[-4000:]}")

    def build_target(self, target: str) -> None:
        """Build one test program."""
        self._must_run(["ninja", "-C", self.build, "-j2", target])

    def program(self, target: str) -> pathlib.Path:
        """Where a test program was built."""
        found = [path for path in self.build.rglob(target) if path.is_file()]
        if len(found) != 1:
            raise TableError(f"{target}: {len(found)} programs of this name in {self.build}")
        return found[0]

    def red_tests(self, mutant: Mutant) -> list[str]:
        """Build and run the test of a fault in the copy as it is; the tests that fail."""
        self.build_target(mutant.target)
        try:
            run = self._run(
                [self.program(mutant.target), f"--gtest_filter={mutant.test}"], TEST_SECONDS
            )
        except subprocess.TimeoutExpired:
            return [f"{mutant.test} (no end within {TEST_SECONDS} s)"]
        if "[==========] Running 0 tests" in run.stdout:
            raise TableError(f"{mutant.name}: {mutant.target} has no test {mutant.test}")
        failed = failed_tests(run.stdout)
        if run.returncode != 0 and not failed:
            return [f"{mutant.test} (ended with code {run.returncode})"]
        return failed

    def plant(self, mutant: Mutant) -> None:
        """Put the fault into the copy."""
        text = (self._root / mutant.file).read_text()
        (self.tree / mutant.file).write_text(mutate(text, mutant))

    def restore(self, mutant: Mutant) -> None:
        """Take the fault out again."""
        shutil.copy(self._root / mutant.file, self.tree / mutant.file)
        # The copy must be newer than what was built from the fault.
        os.utime(self.tree / mutant.file)


def check_green(workshop: Workshop, mutants: list[Mutant]) -> None:
    """Without a fault every named test must be there and pass."""
    for mutant in mutants:
        failed = workshop.red_tests(mutant)
        if failed:
            raise TableError(f"{mutant.name}: red without any fault: {', '.join(failed)}")


def try_mutant(workshop: Workshop, mutant: Mutant) -> list[str]:
    """The tests that a fault turns red."""
    workshop.plant(mutant)
    try:
        return workshop.red_tests(mutant)
    finally:
        workshop.restore(mutant)


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=source_tree.PROJECT_ROOT, help="project folder")
    parser.add_argument("--list", action="store_true", help="print the table and stop")
    parser.add_argument("names", nargs="*", help="faults to try (default: all)")
    options = parser.parse_args(arguments)
    root = pathlib.Path(options.root).resolve()
    try:
        mutants = read_table(root / TABLE)
        unknown = set(options.names) - {mutant.name for mutant in mutants}
        if unknown:
            raise TableError(f"no fault is called {', '.join(sorted(unknown))}; see --list")
        chosen = [mutant for mutant in mutants if not options.names or mutant.name in options.names]
        for mutant in chosen:
            mutate((root / mutant.file).read_text(), mutant)
        if options.list:
            for mutant in chosen:
                print(f"{mutant.name:40} {mutant.file:45} {mutant.target} {mutant.test}")
            return 0
        return run_all(Workshop(root), chosen)
    except (TableError, OSError, KeyError, tomllib.TOMLDecodeError) as problem:
        print(f"mutants: {problem}", file=sys.stderr)
        return 2


def run_all(workshop: Workshop, mutants: list[Mutant]) -> int:
    """Try faults one after the other and print a table as it goes."""
    print("copying and configuring", flush=True)
    workshop.prepare()
    print(f"building and running the named tests of {len(mutants)} faults without any", flush=True)
    check_green(workshop, mutants)
    unnoticed = 0
    for mutant in mutants:
        red = try_mutant(workshop, mutant)
        unnoticed += not red
        answer = f"RED    {', '.join(red)}" if red else f"GREEN  {mutant.test} did not notice"
        print(f"{mutant.name:40} {answer}", flush=True)
    print(f"{len(mutants) - unnoticed} of {len(mutants)} faults turned their test red")
    return 1 if unnoticed or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
