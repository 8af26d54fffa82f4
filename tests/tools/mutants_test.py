"""Tests of tools/dev/mutants.py."""

import pathlib
import unittest

from planted_tree import PlantedTree

import mutants

ENTRY = {
    "name": '"zone"',
    "file": '"src/zone.cc"',
    "old": "'a < b'",
    "new": "'a <= b'",
    "target": '"unit_zone"',
    "test": '"Zone.Min"',
}


def table(**changes) -> str:
    """A table of one entry; a change to None leaves a key out."""
    entry = {key: text for key, text in {**ENTRY, **changes}.items() if text is not None}
    return "[[mutant]]\n" + "".join(f"{key} = {text}\n" for key, text in entry.items())


class Mutants(unittest.TestCase):

    def read(self, text: str) -> list[mutants.Mutant]:
        with PlantedTree({"table.toml": text}) as root:
            return mutants.read_table(root / "table.toml")

    def test_replaces_the_one_place(self):
        (mutant,) = self.read(table())

        self.assertEqual(mutants.mutate("if (a < b) x();", mutant), "if (a <= b) x();")

    def test_refuses_a_text_that_is_not_there_exactly_once(self):
        (mutant,) = self.read(table())
        for text in ("", "a < b a < b"):
            with self.assertRaisesRegex(mutants.TableError, "times in src/zone.cc"):
                mutants.mutate(text, mutant)

    def test_refuses_a_replacement_that_changes_nothing(self):
        (mutant,) = self.read(table(new="'a < b'"))
        with self.assertRaisesRegex(mutants.TableError, "equal"):
            mutants.mutate("a < b", mutant)

    def test_refuses_tables_with_wrong_keys_or_names(self):
        for text in (table(test=None), table(line="3"), table() + table()):
            with self.assertRaises(mutants.TableError):
                self.read(text)

    def test_lists_failed_tests_of_a_program_once(self):
        output = (
            "[  FAILED  ] Zone.Min (3 ms)\n[  FAILED  ] 2 tests, listed below:\n"
            "[  FAILED  ] Zone.Min\n[  FAILED  ] All/Curve.Is/x, where GetParam() = 4\n"
        )

        self.assertEqual(mutants.failed_tests(output), ["All/Curve.Is/x", "Zone.Min"])

    def test_the_project_table_fits_the_code(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        for mutant in mutants.read_table(root / mutants.TABLE):
            with self.subTest(mutant.name):
                mutants.mutate((root / mutant.file).read_text(), mutant)


if __name__ == "__main__":
    unittest.main()
