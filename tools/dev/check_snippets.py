"""Check every code block of the README and of docs/: compiled, run, or plain text by its tag.

  cpp            must be, word for word, a region of a file under examples/ or tests/ that stands
                 between the lines  // [snippet NAME]  and  // [/snippet]
  cmake          the same of a CMakeLists.txt there, with # in the place of //
  sh, console    lines "$ lancectl ..." are run, one document's blocks in order in one temporary
                 folder, and the lines shown below a command must be what it prints; a line "..."
                 stands for any lines, "..." inside a line for any text, "[exit 3]" for the exit
                 code of a command that fails. Lines "./run VERB" must name a verb of ./run, lines
                 with --preset and with --install build/... a preset of CMakePresets.json; these are
                 not run
  python         is run in the same folder
  text, json     not run

A comment  <!-- setup-python ... -->  is Python that is run in its place and not shown to readers:
it makes the files that the next blocks read.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from typing import NamedTuple

import source_tree

# docs/spec is reference text whose blocks are layouts and recipes for other programs.
DOCUMENTS = re.compile(r"^(README\.md|CONTRIBUTING\.md|docs/(?!spec/).*\.md)$")
REGION_FILES = re.compile(r"^(examples|tests)/.*(\.cc|\.h|/CMakeLists\.txt)$")
NOT_RUN = ("text", "json")
SECONDS = 120

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*([\w+-]*)(.*)$")
SETUP = re.compile(r"^<!-- setup-python\s*$")


class Block(NamedTuple):
    """A code block of a document and the line of its first line."""

    tag: str
    line: int
    text: str


class Command(NamedTuple):
    """One command of a console block, and what the document shows below it."""

    line: int
    text: str
    shown: list[str]
    exit_code: int


def blocks_of(lines: list[str]) -> list[Block]:
    """Every fenced block and every hidden set-up of a document, in order."""
    blocks, index = [], 0
    while index < len(lines):
        fence = FENCE.match(lines[index])
        start = index + 1
        if fence or SETUP.match(lines[index]):
            closing = fence[2] if fence else "-->"
            index = start
            while index < len(lines) and lines[index].strip() != closing:
                index += 1
            text = textwrap.dedent("\n".join(lines[start:index]))
            tag = fence[3] if fence else "python"
            blocks.append(Block(tag, start + 1, text))
        index += 1
    return blocks


def regions_of(lines: list[str]) -> list[str]:
    """The texts between // [snippet NAME] and // [/snippet], or with #, without indentation."""
    regions, start = [], None
    for index, line in enumerate(lines):
        if re.match(r"^\s*(//|#) \[snippet [\w.-]+\]\s*$", line):
            start = index + 1
        elif re.match(r"^\s*(//|#) \[/snippet\]\s*$", line) and start is not None:
            regions.append(textwrap.dedent("\n".join(lines[start:index])).strip("\n"))
            start = None
    return regions


def commands_of(block: Block) -> list[Command]:
    """The commands of a console block; lines before the first one are dropped."""
    commands: list[Command] = []
    continues = False
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if continues:
            last = commands[-1]
            commands[-1] = last._replace(text=f"{last.text}\n{line}")
            continues = line.endswith("\\")
        elif line.startswith("$ "):
            commands.append(Command(number, line[2:], [], 0))
            continues = line.endswith("\\")
        elif commands:
            exit_code = re.fullmatch(r"\[exit (\d+)\]", line.strip())
            if exit_code:
                commands[-1] = commands[-1]._replace(exit_code=int(exit_code[1]))
            else:
                commands[-1].shown.append(line)
    return commands


def line_matches(shown: str, printed: str) -> bool:
    """Whether a printed line is the one shown, "..." standing for any text."""
    pattern = ".*".join(re.escape(part) for part in shown.rstrip().split("..."))
    return re.fullmatch(pattern, printed.rstrip()) is not None


def output_matches(shown: list[str], printed: list[str]) -> bool:
    """Whether printed lines are those shown, a line "..." standing for any lines."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(output_matches(shown[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return (
        bool(printed)
        and line_matches(shown[0], printed[0])
        and output_matches(shown[1:], printed[1:])
    )


def trimmed(lines: list[str]) -> list[str]:
    """Lines without blank ones at the end."""
    lines = list(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


class SnippetCheck:
    """Checks documents of one tree with one build of lancectl and one Python."""

    def __init__(self, tree: source_tree.SourceTree, lancectl: str, python: str):
        self._tree = tree
        self._lancectl = pathlib.Path(lancectl).absolute()
        self._python = pathlib.Path(python).absolute()
        self.findings = source_tree.Findings("check_snippets")
        self.num_blocks = 0
        self._regions = {
            region
            for path in tree.files(".cc", ".h", "CMakeLists.txt")
            if REGION_FILES.match(path)
            for region in regions_of(tree.lines(path))
        }

    def document(self, path: str) -> None:
        """Check the blocks of one document in order, in one temporary folder."""
        with tempfile.TemporaryDirectory(prefix="snippets-") as folder:
            for block in blocks_of(self._tree.lines(path)):
                self.num_blocks += 1
                self._block(path, block, folder)

    def _block(self, path: str, block: Block, folder: str) -> None:
        if block.tag in NOT_RUN:
            return
        if block.tag in ("cpp", "cmake"):
            if block.text.strip("\n") not in self._regions:
                self.findings.add(
                    path,
                    block.line,
                    f"{block.tag} that is no region of a file under examples/ or tests/; put it "
                    "between lines [snippet NAME] and [/snippet] there",
                )
        elif block.tag == "python":
            self._run(path, block.line, [str(self._python), "-c", block.text], folder, None, 0)
        elif block.tag in ("sh", "console", "bash"):
            self._shell(path, block, folder)
        else:
            self.findings.add(
                path,
                block.line,
                f'a block tagged "{block.tag}"; allowed: cpp, cmake, sh, console, python, text, '
                "json",
            )

    def _shell(self, path: str, block: Block, folder: str) -> None:
        if not block.text.lstrip().startswith("$ lancectl"):
            for number, line in enumerate(block.text.splitlines(), start=block.line):
                self._typed_line(path, number, line.removeprefix("$ ").strip())
            return
        for command in commands_of(block):
            if not command.text.startswith("lancectl "):
                self.findings.add(path, command.line, f"not a lancectl command: {command.text}")
                continue
            shown = trimmed(command.shown) or None
            self._run(
                path, command.line, ["bash", "-c", command.text], folder, shown, command.exit_code
            )

    def _typed_line(self, path: str, number: int, line: str) -> None:
        """A line that a reader types and that is not run here."""
        for part in line.split("#")[0].split("&&"):
            words = shlex.split(part)
            if not words:
                continue
            if words[0] == "./run" and words[1:2] and words[1] in self._verbs():
                continue
            if words[0] in ("cmake", "ctest") and "--preset" in words[:-1]:
                if words[words.index("--preset") + 1] in self._presets():
                    continue
            if words[:2] == ["cmake", "--install"] and words[2:3]:
                if words[2].removeprefix("build/") in self._presets():
                    continue
            self.findings.add(path, number, f"nobody checks this line: {part.strip()}")

    def _verbs(self) -> set[str]:
        """The verbs that ./run --help lists."""
        text = subprocess.run(
            [str(self._tree.root / "run"), "--help"], capture_output=True, text=True, check=True
        ).stdout
        return set(re.findall(r"^  ([a-z]+) ", text, re.MULTILINE)) | {"--help"}

    def _presets(self) -> set[str]:
        presets = json.loads(self._tree.read("CMakePresets.json"))
        return {
            preset["name"]
            for preset in presets["configurePresets"]
            if not preset.get("hidden", False)
        }

    def _run(self, path, number, command, folder, shown, exit_code) -> None:
        """Run a command and compare; `shown` None: any output will do."""
        environment = dict(
            os.environ,
            LC_ALL="C.UTF-8",
            TZ="UTC",
            COLUMNS="100",
            PATH=f"{self._lancectl.parent}:{os.environ.get('PATH', '')}",
        )
        try:
            run = subprocess.run(
                command,
                cwd=folder,
                env=environment,
                text=True,
                timeout=SECONDS,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.findings.add(path, number, f"did not end within {SECONDS} seconds")
            return
        printed = trimmed(run.stdout.splitlines())
        if run.returncode != exit_code:
            self._complain(
                path, number, f"exit code {run.returncode}, expected {exit_code}", printed
            )
        elif shown is not None and not output_matches(shown, printed):
            self._complain(path, number, "prints something else than shown", printed)

    def _complain(self, path, number, text, printed) -> None:
        self.findings.add(
            path,
            number,
            text + "; it printed:\n" + "\n".join(f"    {line}" for line in printed[:40]),
        )


def main(arguments=None) -> int:
    parser = source_tree.argument_parser(__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--lancectl", default="build/dev/tools/cli/lancectl")
    parser.add_argument("--python", default=".venv-test/bin/python")
    options = parser.parse_args(arguments)
    if not os.access(options.lancectl, os.X_OK):
        source_tree.stop(f"check_snippets: no {options.lancectl}. Type: ./run build")
    if not os.access(options.python, os.X_OK):
        source_tree.stop(f"check_snippets: no {options.python}. Type: ./run setup")
    tree = source_tree.SourceTree(options.root)
    check = SnippetCheck(tree, options.lancectl, options.python)
    documents = [path for path in tree.files(".md") if DOCUMENTS.match(path)]
    for path in documents:
        check.document(path)
    if check.num_blocks == 0:
        check.findings.add(".", 1, "no code blocks found: nothing was checked")
    return check.findings.finish(f"{check.num_blocks} blocks in {len(documents)} documents")


if __name__ == "__main__":
    sys.exit(main())
