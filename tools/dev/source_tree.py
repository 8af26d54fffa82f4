"""The project's own files, and how a check reports what it found.

Every check in this folder reads a tree through SourceTree, so that its tests can hand it a planted
one, and ends through Findings, so that all of them print alike.
"""

import argparse
import pathlib
import re
import sys

# Folders that hold no source of ours: at the top, as .gitignore has them, and anywhere.
TOP_FOLDERS = re.compile(r"build.*|\.(venv.*|cache|demo)")
ANY_FOLDERS = frozenset((".git", "__pycache__", ".pytest_cache", ".vscode", ".idea"))

PROJECT_ROOT = pathlib.Path(__file__).resolve().parents[2]


class SourceTree:
    """The files below a project folder, by their path with '/' relative to it."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()

    def files(self, *suffixes: str) -> list[str]:
        """Every file of the project, sorted; with suffixes only those that end with one of them."""
        found = []
        todo = [self.root]
        while todo:
            for entry in todo.pop().iterdir():
                # In a worktree .git is a file that says where the folder is.
                if entry.is_symlink() or entry.name == ".git":
                    continue
                if entry.is_dir():
                    if self._holds_sources(entry):
                        todo.append(entry)
                elif not suffixes or entry.name.endswith(suffixes):
                    found.append(entry.relative_to(self.root).as_posix())
        return sorted(found)

    def _holds_sources(self, folder: pathlib.Path) -> bool:
        if folder.parent == self.root and TOP_FOLDERS.fullmatch(folder.name):
            return False
        return folder.name not in ANY_FOLDERS

    def read(self, path: str) -> str:
        """The text of a file; bytes that are no UTF-8 become U+FFFD."""
        return (self.root / path).read_bytes().decode("utf-8", errors="replace")

    def lines(self, path: str) -> list[str]:
        """The lines of a file without their ends."""
        return self.read(path).splitlines()


class Findings:
    """What a check found, in the form of a compiler: path:line: text."""

    def __init__(self, check: str):
        self.check = check
        self.problems: list[str] = []

    def add(self, path: str, line: int, text: str) -> None:
        """Note a problem at a line, counted from 1."""
        self.problems.append(f"{path}:{line}: {text}")

    def finish(self, looked_at: str) -> int:
        """Print everything and give the exit code; `looked_at` says what was checked."""
        for problem in self.problems:
            print(problem)
        state = f"{len(self.problems)} problems" if self.problems else "ok"
        print(f"{self.check}: {state}, {looked_at}")
        return 1 if self.problems else 0


def argument_parser(text: str) -> argparse.ArgumentParser:
    """A parser that knows --root, which every check takes."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--root", default=PROJECT_ROOT, help="project folder (default: this one)")
    return parser


def stop(text: str):
    """End with a message and exit code 2: the check itself could not run."""
    print(text, file=sys.stderr)
    raise SystemExit(2)
