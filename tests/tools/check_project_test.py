"""Tests of tools/dev/check_project.py and check_vectors.py."""

import unittest

from planted_tree import run_check

import check_project
import check_vectors

# Written in pieces: this file is checked too.
HOST = "files.python" + "hosted.org"
MACHINE_PATH = "/ro" + "ot/tables"

VIOLATIONS = [
    ("NotAscii", "src/lance/io/a.cc", "// caf\u00e9\n", "U+00E9 is not ASCII"),
    ("Wide", "tools/dev/a.py", "x" * 101 + "\n", "101 columns; allowed 100"),
    ("EmptyName", "src/lance/io/path_" + "util.h", "\n", "says nothing: util"),
    ("EmptyFolder", "src/lance/" + "common/a.h", "\n", "says nothing: common"),
    ("MachinePath", "docs/a.md", f"see {MACHINE_PATH}\n", "a path of one machine"),
    ("Host", "requirements/a.in", f"# from https://{HOST}/x\n", "names a package host"),
    ("HostInLock", "requirements/a.lock", f"x @ https://{HOST}/x\n", "names a package host"),
    ("IndexOption", "requirements/a.in", "--index" + "-url x\n", "names a package host"),
    ("LongSource", "src/lance/io/a.cc", "\n" * 801, "801 lines; a source file has at most 800"),
    ("LongHeader", "include/lance/a.h", "\n" * 401, "401 lines; a header file has at most 400"),
    ("LongTest", "tests/unit/io/a_test.cc", "\n" * 1001, "a test file has at most 1000"),
]


class CheckProject(unittest.TestCase):

    def test_accepts_a_tree_that_keeps_the_rules(self):
        files = {
            "src/lance/io/a.cc": "\n" * 800,
            "README.md": "caf\u00e9, see ../shared and https://example.org/home/x\n",
            "tests/vectors/data/a.json": '"\u00e9"\n',
        }
        code, output = run_check(check_project, files)

        self.assertEqual(code, 0, output)

    def test_refuses_each_planted_violation(self):
        for name, path, text, message in VIOLATIONS:
            with self.subTest(name):
                code, output = run_check(check_project, {path: text})

                self.assertEqual(code, 1, output)
                self.assertIn(f"{path}:", output)
                self.assertIn(message, output)

    def test_refuses_tests_that_nobody_runs(self):
        for listed, times in [("", 0), ("# test_a.py\n", 0), ("FILES test_a.py\n  test_a.py", 2)]:
            files = {"tests/python/test_a.py": "", "tests/python/CMakeLists.txt": listed}
            code, output = run_check(check_project, files)

            self.assertEqual(code, 1, output)
            self.assertIn(f"tests/python/test_a.py:1: is named {times} times", output)


class CheckVectors(unittest.TestCase):
    COPY = "tests/vectors/data/"

    def test_a_clone_that_stands_alone_passes(self):
        code, output = run_check(check_vectors, {self.COPY + "a.json": "1"})

        self.assertEqual((code, "nothing" in output), (0, False), output)
        self.assertIn("no ../shared/vectors beside", output)

    def test_equal_folders_pass(self):
        files = {self.COPY + "a.json": "1", "../shared/vectors/a.json": "1"}

        self.assertEqual(run_check(check_vectors, files)[0], 0)

    def test_names_each_file_that_differs(self):
        files = {
            self.COPY + "changed.json": "1",
            self.COPY + "extra.json": "1",
            "../shared/vectors/changed.json": "2",
            "../shared/vectors/missing.json": "1",
        }
        code, output = run_check(check_vectors, files)

        self.assertEqual(code, 1)
        self.assertIn("changed.json:1: differs", output)
        self.assertIn("extra.json:1: not in", output)
        self.assertIn("missing.json:1: missing", output)

    def test_an_empty_copy_fails(self):
        self.assertEqual(run_check(check_vectors, {"README.md": ""})[0], 1)


if __name__ == "__main__":
    unittest.main()
