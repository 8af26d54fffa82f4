"""Tests of how the demo finds its data and judges what it sees."""

import io
import pathlib
import tarfile
import unittest
import zipfile

from planted_tree import PlantedTree

import demo
import flights


def package(members: dict[str, bytes]) -> bytes:
    """A source archive with these files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def zipped(text: str) -> bytes:
    """A zip archive with flights.csv in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("flights.csv", text)
    return buffer.getvalue()


class FlightsData(unittest.TestCase):

    def load(self, archives: dict[str, bytes]):
        with PlantedTree({"README.md": ""}) as root:
            for name, content in archives.items():
                (root / name).write_bytes(content)
            return flights.load_flights(pathlib.Path(root))

    def test_a_missing_package_says_what_to_type(self):
        with self.assertRaisesRegex(flights.DataMissing, "Type: ./run setup"):
            self.load({})

    def test_a_package_without_the_data_is_refused(self):
        with self.assertRaisesRegex(flights.DataMissing, "has no data/flights.csv.zip"):
            self.load({"x-1.tar.gz": package({"x/README": b""})})

    def test_another_number_of_flights_is_refused(self):
        csv = "month,tailnum,time_hour\n1,NA,2013-01-01T10:00:00Z\n"
        archive = package({"x/data/flights.csv.zip": zipped(csv)})
        with self.assertRaisesRegex(flights.DataMissing, "1 flights instead of 336,776"):
            self.load({"x-1.tar.gz": archive})


class Demo(unittest.TestCase):

    def test_a_wrong_count_stops_it(self):
        with self.assertRaisesRegex(demo.DemoFailed, "rows: found 1, expected 2"):
            demo.expect("rows", 1, 2)

    def test_without_lancectl_it_says_what_to_type(self):
        self.assertEqual(demo.main(["--lancectl", "nothing", "--folder", "nothing"]), 1)
        with self.assertRaisesRegex(demo.DemoFailed, "Type: ./run build"):
            demo.Lancectl("nothing")

    def test_zones_are_none_where_no_statistics_answered(self):
        answer = {
            "zones": {"kept": 48, "total": 48},
            "predicates": [{"index_type": None}],
            "actual": {"bytes_read": 1234},
        }

        self.assertEqual(demo.measures(answer), ["none", "1,234"])

    def test_the_number_of_zones_follows_from_the_rows(self):
        self.assertEqual(demo.NUM_ZONES, -(-flights.NUM_FLIGHTS // demo.ROWS_PER_ZONE))


if __name__ == "__main__":
    unittest.main()
