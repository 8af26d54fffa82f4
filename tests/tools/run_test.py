"""Tests of ./run itself, in a copy of the tree's outside with stand-ins for the system's tools."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
VERBS = ["setup", "build", "demo", "test", "bench", "python", "lint", "clean"]


class Run(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self._root = pathlib.Path(folder.name) / "project"
        self._tools = pathlib.Path(folder.name) / "tools"
        self._tools.mkdir()
        self._root.mkdir()
        shutil.copy(PROJECT / "run", self._root / "run")
        shutil.copytree(PROJECT / "requirements", self._root / "requirements")

    def tool(self, name: str, script: str) -> None:
        """Put a program before the system's."""
        path = self._tools / name
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def run_verb(self, *arguments: str) -> subprocess.CompletedProcess:
        environment = dict(os.environ, PATH=f"{self._tools}:{os.environ['PATH']}")
        return subprocess.run(
            [str(self._root / "run"), *arguments],
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    def test_help_lists_the_verbs_with_a_line_each(self):
        for arguments in (["--help"], ["help"], []):
            run = self.run_verb(*arguments)

            self.assertEqual(run.returncode, 0)
            listed = re.findall(r"^  ([a-z]+)  +\S", run.stdout, re.MULTILINE)
            self.assertEqual(listed, VERBS + ["help"])

    def test_an_unknown_verb_is_an_error_with_help(self):
        run = self.run_verb("benchmark")

        self.assertEqual(run.returncode, 2)
        self.assertIn('there is no verb "benchmark"', run.stderr)
        self.assertIn("usage: ./run VERB", run.stderr)

    def test_wrong_options_are_named(self):
        for arguments, message in [
            (["test", "--sed", "1"], 'test does not know "--sed"'),
            (["test", "--seed"], '--seed wants a whole number, got: ""'),
            (["test", "--size", "x"], '--size wants a whole number, got: "x"'),
            (["test", "--size", "0"], "--size wants at least 1"),
            (["lint", "spelling"], 'lint does not know "spelling"; allowed: format layers'),
            (["clean", "all"], 'clean does not know "all"'),
            (["demo", "x"], "demo takes no arguments"),
        ]:
            with self.subTest(arguments):
                run = self.run_verb(*arguments)

                self.assertEqual(run.returncode, 1)
                self.assertIn(message, run.stderr)

    def test_a_user_without_packages_learns_what_to_type(self):
        self.tool("dpkg-query", "printf 'cmake installed\\nninja-build deinstall\\n'")
        self.tool("id", "echo 1000")
        run = self.run_verb("setup")

        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"Type as root: apt-get update && apt-get install .* g\+\+ ")
        self.assertIn(" ninja-build ", run.stderr)
        self.assertNotIn(" cmake ", run.stderr)

    def test_a_failing_install_ends_with_its_message(self):
        self.tool("dpkg-query", "exit 1")
        self.tool("id", "echo 0")
        self.tool("apt-get", '[ "$1" = update ] || { echo "E: Unable to locate"; exit 100; }')
        run = self.run_verb("build")

        self.assertEqual(run.returncode, 1)
        self.assertIn("E: Unable to locate", run.stderr)
        self.assertIn("apt-get install failed", run.stderr)

    def test_clean_removes_what_was_built_and_keeps_the_environments(self):
        for folder in ("build/dev", ".venv/bin", ".demo/flights.lance", ".demo/flights-package"):
            (self._root / folder).mkdir(parents=True)

        self.assertEqual(self.run_verb("clean").returncode, 0)
        self.assertFalse((self._root / "build").exists())
        self.assertFalse((self._root / ".demo/flights.lance").exists())
        self.assertTrue((self._root / ".venv/bin").exists())
        self.assertTrue((self._root / ".demo/flights-package").exists())

        self.assertEqual(self.run_verb("clean", "--all").returncode, 0)
        self.assertFalse((self._root / ".venv").exists())
        self.assertFalse((self._root / ".demo").exists())


if __name__ == "__main__":
    unittest.main()
