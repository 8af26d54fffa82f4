"""Check that C++ sources are formatted by .clang-format; with --fix format them."""

import pathlib
import shutil
import subprocess
import sys

import source_tree

# The pinned version of requirements/lint.in is in its own environment; another one formats
# differently, so a clang-format of the system is taken only when asked for.
PINNED = source_tree.PROJECT_ROOT / ".venv-lint/bin/clang-format"


def find_tool(wanted: str) -> str:
    """The program to run, or stop and say what to type."""
    tool = shutil.which(wanted)
    if tool is None:
        source_tree.stop(f"check_format: no {wanted}. Type: ./run setup")
    return tool


def unformatted_lines(tool: str, root: pathlib.Path, paths: list[str]) -> list[tuple[str, int]]:
    """Where clang-format would change something: path and line."""
    places = []
    run = subprocess.run(
        [tool, "--dry-run", "--ferror-limit=1", *paths], cwd=root, capture_output=True, text=True
    )
    for line in run.stderr.splitlines():
        if "-Wclang-format-violations" in line:
            path, number, _ = line.split(":", 2)
            places.append((path, int(number)))
    if run.returncode != 0 and not places:
        source_tree.stop(f"check_format: {tool} failed: {run.stderr.strip()}")
    return places


def main(arguments=None) -> int:
    parser = source_tree.argument_parser(__doc__)
    parser.add_argument(
        "--clang-format", default=str(PINNED), help="the program (default: the pinned one)"
    )
    parser.add_argument("--fix", action="store_true", help="format instead of complaining")
    options = parser.parse_args(arguments)
    tool = find_tool(options.clang_format)
    tree = source_tree.SourceTree(options.root)
    paths = tree.files(".h", ".cc")
    if options.fix:
        subprocess.run([tool, "-i", *paths], cwd=tree.root, check=True)
    findings = source_tree.Findings("check_format")
    if not paths:
        findings.add(".", 1, "no C++ sources found")
    else:
        seen = set()
        for path, line in unformatted_lines(tool, tree.root, paths):
            if path not in seen:
                seen.add(path)
                findings.add(
                    path,
                    line,
                    "not formatted. Type: .venv/bin/python tools/dev/check_format.py --fix",
                )
    return findings.finish(f"{len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
