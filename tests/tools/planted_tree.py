"""A small project tree for the tests of tools/dev, made from a dictionary of files."""

import contextlib
import io
import pathlib
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools/dev"))
sys.path.insert(0, str(PROJECT / "tools/demo"))


class PlantedTree:
    """A temporary folder with the files given; use it in a with statement."""

    def __init__(self, files: dict[str, str]):
        self._files = files

    def __enter__(self) -> pathlib.Path:
        self._folder = tempfile.TemporaryDirectory(prefix="planted-")
        # One level down, so that ../shared can be planted too.
        root = pathlib.Path(self._folder.name) / "project"
        root.mkdir()
        for path, text in self._files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return root

    def __exit__(self, *_):
        self._folder.cleanup()


def run_check(check, files: dict[str, str], *arguments: str) -> tuple[int, str]:
    """The exit code and the output of a check's main() on a planted tree."""
    output = io.StringIO()
    with PlantedTree(files) as root, contextlib.redirect_stdout(output):
        with contextlib.redirect_stderr(output):
            try:
                code = check.main(["--root", str(root), *arguments])
            except SystemExit as stop:
                code = stop.code
    return code, output.getvalue()
