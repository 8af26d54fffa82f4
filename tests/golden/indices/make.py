"""Writes the index files of this folder with the reference, pylance 14.0.2.

Run it with the Python of the tests, in this folder. Every folder `{kind}/{column}` holds the files
of one index segment, `columns.arrow` the rows: the table has them in fragments of FRAGMENT_ROWS.
"""

import decimal
import pathlib
import shutil
import struct
import tempfile

import lance
import pyarrow as pa
from lance.indices import IndexConfig

FRAGMENT_ROWS = 25
NUM_ROWS = 60
HERE = pathlib.Path(__file__).parent
NAN = float("nan")
NEGATIVE_NAN = struct.unpack("<d", struct.pack("<Q", 0xFFF8 << 48))[0]


def column(values, data_type):
    """Rows that repeat some values and null, in an order that is not theirs."""
    values = [*values, None]
    cells = [values[(i * i % 11 + i // 11) % len(values)] for i in range(NUM_ROWS)]
    return pa.array(cells, data_type)


def integers(data_type, lowest, highest):
    return column([lowest, 0, 1, 2, highest], data_type)


def floats(data_type):
    return column([0.0, -0.0, NAN, 1.5, -2.5, float("inf")], data_type)


def make_columns():
    texts = ["", "a", "b", "a longer text", "z"]
    return {
        "int8": integers(pa.int8(), -128, 127),
        "int16": integers(pa.int16(), -(2**15), 2**15 - 1),
        "int32": integers(pa.int32(), -(2**31), 2**31 - 1),
        "int64": integers(pa.int64(), -(2**63), 2**63 - 1),
        "uint8": integers(pa.uint8(), 3, 255),
        "uint16": integers(pa.uint16(), 3, 2**16 - 1),
        "uint32": integers(pa.uint32(), 3, 2**32 - 1),
        "uint64": integers(pa.uint64(), 3, 2**64 - 1),
        "halffloat": floats(pa.float16()),
        "float": floats(pa.float32()),
        "double": column([0.0, -0.0, NAN, NEGATIVE_NAN, 1.5, -2.5], pa.float64()),
        "bool": column([False, True], pa.bool_()),
        "utf8": column(texts, pa.utf8()),
        "large_utf8": column(texts, pa.large_utf8()),
        "binary": column([text.encode() + b"\xff" for text in texts], pa.binary()),
        "large_binary": column([text.encode() for text in texts], pa.large_binary()),
        "fixed_size_binary": column([b"ab", b"\x00\xff", b"zz"], pa.binary(2)),
        "decimal128": column([decimal.Decimal(n) for n in (-5, 0, 99)], pa.decimal128(20, 2)),
        "decimal256": column([decimal.Decimal(n) for n in (-5, 0, 10**30)], pa.decimal256(60, 2)),
        "date32": integers(pa.date32(), -400, 20000),
        "date64": column([n * 86400000 for n in (-1, 0, 400)], pa.date64()),
        "time32": column([0, 1, 86399999], pa.time32("ms")),
        "time64": column([0, 1, 86399999999], pa.time64("us")),
        "timestamp": integers(pa.timestamp("us"), -1, 10**15),
        "zoned": integers(pa.timestamp("ns", "America/New_York"), -1, 10**15),
        "duration": integers(pa.duration("ms"), -1, 10**15),
        "list_int32": column([[], [1], [1, 2, 1], [None], [3, None], [2]], pa.list_(pa.int32())),
        "large_list_utf8": column([[], ["a"], ["b", "a"], ["", None]], pa.large_list(pa.utf8())),
        "list_double": column([[0.0], [-0.0, 1.5], [NAN], []], pa.list_(pa.float64())),
    }


KINDS = {
    "bitmap": "BITMAP",
    "label_list": "LABEL_LIST",
    "bloom_filter": IndexConfig("bloomfilter", {"number_of_items": 8, "probability": 0.01}),
}


def holds(kind, data_type):
    if kind == "label_list":
        return pa.types.is_list(data_type) or pa.types.is_large_list(data_type)
    if pa.types.is_nested(data_type):
        return False
    without_hash = ["halffloat", "bool", "fixed_size_binary[2]", "duration[ms]"]
    is_decimal = pa.types.is_decimal(data_type)
    return kind == "bitmap" or not (is_decimal or str(data_type) in without_hash)


def main():
    table = pa.table(make_columns())
    with pa.OSFile(str(HERE / "columns.arrow"), "wb") as file:
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    for kind, config in KINDS.items():
        shutil.rmtree(HERE / kind, ignore_errors=True)
        for name in table.column_names:
            if not holds(kind, table.schema.field(name).type):
                continue
            with tempfile.TemporaryDirectory() as folder:
                uri = f"{folder}/t"
                lance.write_dataset(table.select([name]), uri, max_rows_per_file=FRAGMENT_ROWS)
                lance.dataset(uri).create_scalar_index(name, config)
                (segment,) = pathlib.Path(uri, "_indices").iterdir()
                shutil.copytree(segment, HERE / kind / name)


if __name__ == "__main__":
    main()
