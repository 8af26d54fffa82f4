"""Tests of tools/dev/check_snippets.py, with a shell script in the place of lancectl."""

import os
import pathlib
import sys
import tempfile
import unittest

from planted_tree import run_check

import check_snippets

# Prints its arguments; "fail" ends with code 3, "three" prints three lines, "read" prints a file.
LANCECTL = """#!/bin/bash
case $1 in
  fail) echo "no such table" >&2; exit 3 ;;
  three) printf 'one 1\\n two 2\\nthree 3\\n' ;;
  read) cat "$2" ;;
  *) echo "got $*" ;;
esac
"""

EXAMPLE = "int main() {\n  // [snippet scan]\n  Scan();\n\n  Print();\n  // [/snippet]\n}\n"
CMAKE = "# [snippet use]\nfind_package(Lance)\n# [/snippet]\nmessage(STATUS x)\n"
RUN = "#!/bin/bash\necho '  test    run every test'\n"
PRESETS = '{"configurePresets": [{"name": "dev"}, {"name": "base", "hidden": true}]}'


def block(tag: str, text: str) -> str:
    """A fenced block."""
    return f"```{tag}\n{text}\n```\n"


GOOD = [
    ("Cpp", block("cpp", "Scan();\n\nPrint();")),
    ("CMake", block("cmake", "find_package(Lance)")),
    ("Install", block("sh", "cmake --install build/dev --prefix /opt/lance")),
    ("Console", block("console", "$ lancectl count t\ngot count t")),
    ("NothingShown", block("sh", "$ lancectl count t")),
    ("Continued", block("sh", "$ lancectl count \\\n    t\ngot count t")),
    ("TwoCommands", block("console", "$ lancectl a\ngot a\n\n$ lancectl b\ngot b")),
    ("AnyText", block("console", "$ lancectl three\none ...\n two 2\nth...3")),
    ("AnyLines", block("console", "$ lancectl three\none 1\n...\nthree 3")),
    ("AnyLinesAtTheEnd", block("console", "$ lancectl three\none 1\n...")),
    ("ExitCode", block("console", "$ lancectl fail\nno such table\n[exit 3]")),
    ("Verb", block("sh", "./run test   # all of them\n./run test --long")),
    ("Preset", block("sh", "cmake --preset dev && ctest --preset dev")),
    ("Text", block("text", "anything")),
    ("Python", block("python", "assert 1 + 1 == 2")),
    (
        "SetupIsSeenByTheNextBlock",
        "<!-- setup-python\nopen('f', 'w').write('hello\\n')\n-->\n"
        + block("console", "$ lancectl read f\nhello"),
    ),
]

BAD = [
    ("CppOfNoFile", block("cpp", "Scan(1);"), "no region of a file"),
    ("CppOfAPart", block("cpp", "Scan();"), "no region of a file"),
    ("CMakeOfNoFile", block("cmake", "find_package(Arrow)"), "no region of a file"),
    ("InstallOfNoPreset", block("sh", "cmake --install build"), "nobody checks this line"),
    ("OtherOutput", block("console", "$ lancectl count t\n12"), "something else than shown"),
    ("MoreOutput", block("console", "$ lancectl three\none 1"), "something else than shown"),
    ("LessOutput", block("console", "$ lancectl a\ngot a\nmore"), "something else than shown"),
    ("Fails", block("console", "$ lancectl fail"), "exit code 3, expected 0"),
    ("FailsNot", block("console", "$ lancectl a\n[exit 3]"), "exit code 0, expected 3"),
    ("OtherCommand", block("console", "$ lancectl a\n$ ls"), "not a lancectl command: ls"),
    ("UnknownVerb", block("sh", "./run bench"), "nobody checks this line"),
    ("UnknownPreset", block("sh", "cmake --preset base"), "nobody checks this line"),
    ("FreeShell", block("sh", "git clone x"), "nobody checks this line"),
    ("PythonFails", block("python", "assert 1 == 2"), "exit code 1"),
    ("Untagged", block("", "x"), 'a block tagged ""'),
    ("UnknownTag", block("rust", "x"), 'a block tagged "rust"'),
]


class CheckSnippets(unittest.TestCase):

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self._lancectl = pathlib.Path(self._folder.name) / "lancectl"
        self._lancectl.write_text(LANCECTL)
        self._lancectl.chmod(0o755)

    def check(self, document: str, path="README.md", lancectl=None):
        files = {
            path: document,
            "examples/scan.cc": EXAMPLE,
            "tests/project/CMakeLists.txt": CMAKE,
            "run": RUN,
            "CMakePresets.json": PRESETS,
        }
        return run_check(
            _MakesRunExecutable,
            files,
            *("--lancectl", lancectl or str(self._lancectl), "--python", sys.executable),
        )

    def test_accepts_blocks_that_hold(self):
        for name, document in GOOD:
            with self.subTest(name):
                code, output = self.check(document)

                self.assertEqual(code, 0, output)

    def test_refuses_blocks_that_do_not(self):
        for name, document, message in BAD:
            with self.subTest(name):
                code, output = self.check("# Title\n\n" + document)

                self.assertEqual(code, 1, output)
                self.assertIn(message, output)
                self.assertRegex(output, r"README\.md:[4-9]: ")

    def test_shows_what_was_printed(self):
        _, output = self.check(block("console", "$ lancectl count t\n12"))

        self.assertIn("    got count t", output)

    def test_reads_the_documents_below_docs(self):
        code, output = self.check(block("rust", "x"), path="docs/guide/scan.md")

        self.assertEqual(code, 1)
        self.assertIn("docs/guide/scan.md:2: ", output)

    def test_says_what_to_type_when_lancectl_is_missing(self):
        code, output = self.check("", lancectl="build/nothing/lancectl")

        self.assertEqual(code, 2)
        self.assertIn("Type: ./run build", output)

    def test_no_blocks_at_all_is_no_success(self):
        self.assertEqual(self.check("nothing here")[0], 1)


class _MakesRunExecutable:
    """The check, on a planted tree whose ./run can be run."""

    @staticmethod
    def main(arguments):
        os.chmod(pathlib.Path(arguments[1]) / "run", 0o755)
        return check_snippets.main(arguments)


if __name__ == "__main__":
    unittest.main()
