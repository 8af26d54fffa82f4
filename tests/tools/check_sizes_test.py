"""Tests of tools/dev/check_sizes.py."""

import unittest

from planted_tree import run_check

import check_sizes


def function(lines):
    return "int F(int a,\n      int b) {\n" + '  Use("}");\n' * (lines - 3) + "}\n"


class CheckSizes(unittest.TestCase):

    def test_measures_functions_from_signature_brace_to_brace(self):
        before = "namespace a {\nclass B {\n public:\n  int C() { return 1; }\n"
        text = before + function(12) + "};\n}\n"

        lengths = [length for _, length in check_sizes.functions_of(text.splitlines())]

        self.assertEqual(lengths, [11])

    def test_accepts_what_is_small_and_prints_the_largest(self):
        code, output = run_check(check_sizes, {"src/lance/a.cc": function(80)})

        self.assertEqual(code, 0, output)
        self.assertIn("79 src/lance/a.cc:2", output)

    def test_names_what_is_too_large(self):
        files = {
            "src/lance/a.cc": function(90),
            "src/lance/b.h": "\n" * 401,
            "tests/unit/c.cc": "\n" * 1001,
        }

        code, output = run_check(check_sizes, files)

        self.assertEqual(code, 1)
        for problem in ["a.cc:2: function of 89", "b.h:1: header of 401", "c.cc:1: test of 1001"]:
            self.assertIn(problem, output)

    def test_an_empty_tree_is_a_problem(self):
        self.assertEqual(run_check(check_sizes, {"README.md": ""})[0], 1)


if __name__ == "__main__":
    unittest.main()
