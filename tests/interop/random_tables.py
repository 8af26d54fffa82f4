"""Random tables of every column type that this version reads and writes."""

import math
import struct

import pyarrow as pa

INTEGERS = [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(),
    pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
]
FLOATS = [pa.float32(), pa.float64()]
TIMESTAMPS = [
    pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC")
]
TYPES = [*INTEGERS, *FLOATS, pa.bool_(), pa.utf8(), *TIMESTAMPS, pa.date32()]

NEGATIVE_NAN = struct.unpack("<d", bytes.fromhex("000000000000f8ff"))[0]
ODD_FLOATS = [math.nan, NEGATIVE_NAN, 0.0, -0.0, math.inf, -math.inf, 1.5, -2.25]

# One, two, three and four bytes a character, combining marks, quotes, a line break, a zero byte.
LETTERS = "abcXYZ 09'\"`\\%_\n\0\u00e9\u00df\u0416\u0301\u4e2d\u20ac\U0001f600\U00010348"


def random_text(rng, longest):
    kind = rng.random()
    if kind < 0.15:
        return ""
    length = rng.randint(1, 12) if kind < 0.97 else rng.randint(20, longest // 4)
    return "".join(rng.choices(LETTERS, k=length))


def value_source(type_, rng, longest_text=1000):
    """A function without arguments that gives one value."""
    if pa.types.is_boolean(type_):
        return lambda: rng.random() < 0.5
    if pa.types.is_floating(type_):
        # Numbers that float32 holds too, so that one list fits both.
        exact = [float(rng.randint(-1000, 1000)) / 8 for _ in range(50)]
        return lambda: rng.choice(ODD_FLOATS if rng.random() < 0.1 else exact)
    if pa.types.is_string(type_):
        few = [random_text(rng, longest_text) for _ in range(20)]
        return lambda: rng.choice(few) if rng.random() < 0.5 else random_text(rng, longest_text)
    if pa.types.is_integer(type_):
        bits = type_.bit_width
        lowest = -(2 ** (bits - 1)) if pa.types.is_signed_integer(type_) else 0
        highest = lowest + 2**bits - 1
        small = max(lowest, -50)
        return lambda: (
            rng.randint(small, 50) if rng.random() < 0.7 else rng.randint(lowest, highest)
        )
    if pa.types.is_date32(type_):
        return lambda: rng.randint(-30000, 60000)
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type_.unit]
    return lambda: rng.randint(-(2**31), 2**32) * per_second + rng.randrange(per_second)


def random_array(type_, rows, rng, null_share=0.0, longest_text=1000):
    draw = value_source(type_, rng, longest_text)
    values = [None if rng.random() < null_share else draw() for _ in range(rows)]
    if pa.types.is_timestamp(type_):
        return pa.array(values, pa.int64()).cast(type_)
    if pa.types.is_date32(type_):
        return pa.array(values, pa.int32()).cast(type_)
    return pa.array(values, type_)


def random_schema(types=None):
    """A row number, and every type twice: nullable and not."""
    fields = [pa.field("id", pa.int64(), nullable=False)]
    for type_ in types or TYPES:
        name = str(type_).replace("[", "_").replace("]", "").replace(", tz=", "_")
        fields.append(pa.field(name, type_))
        fields.append(pa.field(f"{name}_required", type_, nullable=False))
    return pa.schema(fields)


def random_table(schema, rows, rng, first_id=0, longest_text=1000):
    """Rows of a schema of random_schema(); some nullable columns are all null, some have none."""
    columns = [pa.array(range(first_id, first_id + rows), pa.int64())]
    for field in list(schema)[1:]:
        share = rng.choice([0.0, 0.1, 0.5, 1.0]) if field.nullable else 0.0
        columns.append(random_array(field.type, rows, rng, share, longest_text))
    return pa.table(columns, schema=schema)
