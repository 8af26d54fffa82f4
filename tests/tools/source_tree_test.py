"""Tests of tools/dev/source_tree.py."""

import unittest

from planted_tree import PlantedTree

import source_tree


class SourceTree(unittest.TestCase):

    def test_lists_our_files_and_nothing_that_was_made(self):
        ours = [
            ".ci/run",
            ".gitignore",
            "README.md",
            "src/lance/table/build_manifest.cc",
            "src/lance/table/build/a.cc",
        ]
        made = [
            ".cache/x",
            ".demo/x",
            ".git/config",
            ".venv-test/lib/x.h",
            ".venv/x.h",
            "build-other/x.cc",
            "build/dev/x.cc",
            "tools/dev/__pycache__/x.pyc",
        ]
        with PlantedTree({path: "" for path in ours + made}) as root:
            self.assertEqual(source_tree.SourceTree(root).files(), sorted(ours))

    def test_leaves_out_the_file_of_a_worktree(self):
        with PlantedTree({".git": "gitdir: elsewhere", "a.h": ""}) as root:
            self.assertEqual(source_tree.SourceTree(root).files(), ["a.h"])

    def test_selects_by_the_end_of_the_name(self):
        with PlantedTree({"a.h": "", "b.cc": "", "c/CMakeLists.txt": ""}) as root:
            tree = source_tree.SourceTree(root)

            self.assertEqual(tree.files(".h", "CMakeLists.txt"), ["a.h", "c/CMakeLists.txt"])


if __name__ == "__main__":
    unittest.main()
