"""Tests of what ./run bench says, without the engines; those `./run bench --self-check` tries."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "e2e"))

import figures  # noqa: E402
import machine  # noqa: E402
import report  # noqa: E402


class Figures(unittest.TestCase):

    def test_a_rate_takes_the_best_round_of_each_and_the_spread_of_rounds(self):
        figure = figures.of_rates(
            "scan", "uniform", "pylance", ([2.0, 1.0, 4.0], [3.0, 4.0, 4.0]), 12.0, unit="MB/s"
        )

        self.assertEqual(
            figure.to_json(),
            {
                "measure": "scan",
                "data": "uniform",
                "peer": "pylance",
                "ours": 12.0,
                "theirs": 4.0,
                "unit": "MB/s",
                "ratio": 3.0,
                "spread": [1.0, 4.0],
                "ours_median": 6.0,
                "theirs_median": 3.0,
            },
        )

    def test_rounds_that_have_no_counterpart_are_an_error(self):
        with self.assertRaises(ValueError):
            figures.of_rates("scan", "uniform", "pylance", ([1.0, 2.0], [1.0]), 1.0, unit="MB/s")

    def test_less_time_and_fewer_bytes_are_in_our_favour(self):
        latency = figures.of_latencies(
            "query", "uniform", "duckdb", [(0.001, 0.004), (0.003, 0.004)], case="point"
        )
        size = figures.of_sizes("size", "uniform", "pylance", 4.0, 2.0, unit="MB")

        self.assertEqual((latency.ours, latency.theirs, latency.unit), (2.0, 4.0, "ms"))
        self.assertEqual(latency.ratio, 2.0)
        self.assertEqual(latency.spread, (0.004 / 0.003, 4.0))
        self.assertEqual(size.ratio, 0.5)

    def test_columns_without_bytes_are_a_draw(self):
        self.assertEqual(figures.ratio_of(0, 0, figures.Better.LESS), 1.0)

    def test_json_has_five_digits(self):
        size = figures.of_sizes("size", "uniform", "pylance", 1.23456789, 3.0, unit="MB")

        self.assertEqual(size.to_json()["ours"], 1.2346)
        self.assertEqual(size.to_json()["ratio"], 2.43)

    def test_a_line_for_people_says_against_whom(self):
        size = figures.of_sizes("size", "uniform", "pylance", 1234.5, 0.5, unit="MB", case="2.1")

        self.assertRegex(
            figures.as_text(size),
            r"^uniform +size 2\.1 +1,234 against +0\.5 MB +of pylance +0\.00x$",
        )


class Report(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self._path = pathlib.Path(folder.name) / "benchmarks.md"

    def write(self, measured, left_out=()):
        report.write(
            self._path,
            measured,
            {"processor": "a fast one"},
            {"scan": "Read it.", "size": "Weigh it.", "other": "Not measured."},
            list(left_out),
            {"threads": 2, "reps": 5, "file_version": "2.1"},
        )
        return self._path.read_text()

    def test_each_measure_is_a_table_of_the_columns_that_it_has(self):
        scan = figures.of_rates(
            "scan", "uniform", "pylance", ([1.0], [2.0]), 10.0, unit="MB/s", case="all"
        )
        size = figures.of_sizes("size", "flights", "duckdb", 4.0, 2.0, unit="MB")
        text = self.write([scan, size])

        self.assertIn("| processor | a fast one |", text)
        self.assertIn(
            "## scan\n\nRead it.\n\n"
            "| data | case | against | ratio | spread | ours, MB/s | theirs | ours, median"
            " | theirs, median |\n|---|---|---|---:|---:|---:|---:|---:|---:|\n"
            "| uniform | all | pylance | **2.00** | 2.00 to 2.00 | 10 | 5 | 10 | 5 |\n",
            text,
        )
        self.assertIn("| flights |  | duckdb | **0.50** |  | 4 | 2 |\n", text)
        self.assertNotIn("## other", text)

    def test_what_was_left_out_is_said(self):
        self.assertNotIn("Left out", self.write([]))
        self.assertIn("Left out:\n\n* take: not yet\n", self.write([], ["take: not yet"]))


class Machine(unittest.TestCase):

    def test_what_cannot_be_found_out_is_unknown(self):
        facts = machine.describe(pathlib.Path("/nowhere"), pathlib.Path("/nowhere"))

        self.assertEqual((facts["compiler"], facts["revision"]), ("unknown", "unknown"))
        self.assertRegex(facts["date"], r"^\d{4}-\d\d-\d\d$")


if __name__ == "__main__":
    unittest.main()
