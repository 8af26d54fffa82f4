"""Random tables of nested columns that the file format can hold, and how to compare them."""

import datetime
import decimal
import math
import random

import numpy as np
import pyarrow as pa

INTEGERS = [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(),
    pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
TEMPORALS = [
    pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"), pa.duration("ms"),
    pa.timestamp("us"), pa.timestamp("ns", "UTC"),
]
TEXTS = [pa.utf8(), pa.large_utf8(), pa.binary(), pa.large_binary()]
WIDE = [pa.decimal128(20, 3), pa.decimal256(50, 2), pa.binary(1), pa.binary(7), pa.binary(16)]

PRIMITIVES = [pa.bool_(), *INTEGERS, *FLOATS, *TEMPORALS, *TEXTS, *WIDE]

# Values of which one list of items may consist.
VECTOR_ITEMS = [pa.float32(), pa.float16(), pa.int8(), pa.uint16(), pa.float64(), pa.bool_()]

MAX_DEPTH = 4

# What all index types can number.
MAX_DISTINCT = 100

ENCODING_WISHES = [
    ("compression", "none"), ("compression", "lz4"), ("compression", "zstd"),
    ("compression", "fsst"), ("rle-threshold", "1.0"), ("rle-threshold", "0"), ("bss", "on"),
    ("dict-divisor", "1"), ("dict-size-ratio", "1.0"), ("minichunk-size", "128"),
    ("structural-encoding", "miniblock"), ("structural-encoding", "fullzip"),
]


# ---- types ---------------------------------------------------------------------------------------


class TypeMaker:
    """Types that a version can hold; lists and fixed-size lists of struct never in each other."""

    def __init__(self, version, rng):
        self.version = version
        self.rng = rng
        self.is_in_list = False
        self.is_in_fixed_size_list = False

    def field(self, name, depth):
        nullable = self.rng.random() < 0.8
        if depth > 0 and self.rng.random() < 0.06:
            return pa.field(name, self.packed(), nullable=False, metadata={"packed": "true"})
        type_ = self.nested(depth) if depth > 0 and self.rng.random() < 0.85 else self.leaf()
        if self.version == "2.0" and pa.types.is_struct(type_):
            nullable = False  # 2.0 has no null structs
        return pa.field(name, type_, nullable=nullable)

    def leaf(self):
        choice = self.rng.random()
        if choice < 0.05:
            index = self.rng.choice([pa.int8(), pa.int32(), pa.uint16()])
            return pa.dictionary(index, self.rng.choice([pa.utf8(), pa.int64(), pa.utf8()]))
        if choice < 0.15:
            type_ = self.rng.choice(VECTOR_ITEMS)
            for _ in range(1 if self.rng.random() < 0.8 else 2):
                type_ = pa.list_(type_, self.rng.choice([1, 2, 3, 8, 33]))
            return type_
        return self.rng.choice(PRIMITIVES)

    def nested(self, depth):
        choice = self.rng.random()
        if choice < 0.45 and not self.is_in_fixed_size_list:
            return self.list(depth)
        if self.version == "2.2" and choice < 0.55 and not self.is_in_fixed_size_list:
            self.is_in_list, before = True, self.is_in_list
            key = pa.field("key", self.rng.choice([pa.utf8(), pa.int32()]), nullable=False)
            type_ = pa.map_(key, self.field("value", depth - 1))
            self.is_in_list = before
            return type_
        return self.struct(depth)

    def fixed_size_list_of_struct(self, depth):
        """For tables of one column: the reference cannot read one together with others."""
        self.is_in_fixed_size_list = True
        item = pa.field("item", self.struct(depth), nullable=self.rng.random() < 0.8)
        self.is_in_fixed_size_list = False
        return pa.field("c0", pa.list_(item, self.rng.choice([1, 2, 3])))

    def list(self, depth):
        self.is_in_list, before = True, self.is_in_list
        item = self.field("item", depth - 1)
        self.is_in_list = before
        return pa.large_list(item) if self.rng.random() < 0.3 else pa.list_(item)

    def struct(self, depth):
        count = self.rng.randint(1, 3)
        return pa.struct([self.field(f"f{i}", depth - 1) for i in range(count)])

    def packed(self):
        members = [pa.int8(), pa.int32(), pa.float64(), pa.uint16(), pa.decimal128(20, 3)]
        if self.version == "2.2":
            members += [pa.utf8(), pa.binary()]
        count = self.rng.randint(1, 3)
        return pa.struct(
            [pa.field(f"p{i}", self.rng.choice(members), nullable=False) for i in range(count)]
        )


# ---- values --------------------------------------------------------------------------------------


def integers_of(type_):
    """The lowest and highest number that an integer type has."""
    bits = type_.bit_width
    lowest = -(2 ** (bits - 1)) if pa.types.is_signed_integer(type_) else 0
    return lowest, lowest + 2**bits - 1


class ValueMaker:
    """Values of types; their shape (constant, sorted ...) is the same for one column."""

    SHAPES = ("constant", "sorted", "runs", "few", "small", "random", "huge")

    def __init__(self, rng, null_share, shape):
        self.rng = rng
        self.null_share = null_share
        self.shape = shape
        self.few = [rng.getrandbits(64) for _ in range(5)]
        self.current = rng.getrandbits(64) if shape != "sorted" else rng.getrandbits(20)

    def number(self):
        if self.shape == "sorted":
            self.current += self.rng.randrange(4)
        elif self.shape == "runs":
            if self.rng.random() < 0.05:
                self.current = self.rng.getrandbits(64)
        elif self.shape == "few":
            return self.rng.choice(self.few)
        elif self.shape == "small":
            return self.rng.randrange(13)
        elif self.shape != "constant":
            return self.rng.getrandbits(64)
        return self.current

    def text(self):
        number = self.number()
        if self.shape == "sorted":
            return f"key-{number:020}"
        length = number % 3 if self.shape == "small" else number % 24
        if self.shape == "huge" and number % 7 == 0:
            length = number % 30000
        letters = "abcdefghijklmnopqrstuvwxyz \u00e9\u6f22\U0001f600"
        start = number >> 8
        return "".join(letters[(start + i * i) % len(letters)] for i in range(length))

    def float(self):
        number = self.number()
        if number % 17 == 0:
            return self.rng.choice([math.nan, math.inf, -math.inf, -0.0])
        return (number % 4001 - 2000) / 8

    def scalar(self, type_):
        if pa.types.is_boolean(type_):
            return self.number() % 2 == 1
        if pa.types.is_integer(type_):
            lowest, highest = integers_of(type_)
            return lowest + self.number() % (highest - lowest + 1)
        if pa.types.is_float16(type_):
            return np.float16(self.float())
        if pa.types.is_floating(type_):
            return self.float()
        if pa.types.is_decimal(type_):
            return decimal.Decimal(self.number() % 10**17).scaleb(-type_.scale)
        if pa.types.is_fixed_size_binary(type_):
            return (self.number().to_bytes(16, "little") * 3)[: type_.byte_width]
        if pa.types.is_string(type_) or pa.types.is_large_string(type_):
            return self.text()
        if pa.types.is_binary(type_) or pa.types.is_large_binary(type_):
            return self.text().encode()
        if pa.types.is_date64(type_):
            return self.number() % 100000 * 86400000
        if pa.types.is_date32(type_):
            return self.number() % 100000
        # Python's own times, which values are compared as, have no nanoseconds.
        step = 1000 if type_.unit == "ns" else 1
        if pa.types.is_time(type_):
            per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**6}[type_.unit]
            return self.number() % (86400 * per_second) * step
        return self.number() % 2**47 * step  # timestamps and durations

    def items(self, field, count):
        return [self.value(field) for _ in range(count)]

    def value(self, field):
        type_ = field.type
        if field.nullable and self.rng.random() < self.null_share:
            return None
        if pa.types.is_dictionary(type_):
            type_ = type_.value_type
        if pa.types.is_struct(type_):
            return {child.name: self.value(child) for child in type_}
        if pa.types.is_map(type_):
            count = self.rng.randrange(4)
            return [
                (self.value(type_.key_field), self.value(type_.item_field)) for _ in range(count)
            ]
        if pa.types.is_fixed_size_list(type_):
            item = type_.value_field
            if not pa.types.is_nested(item.type) and self.rng.random() < 0.5:
                item = item.with_nullable(False)  # few vectors have null items
            return self.items(item, type_.list_size)
        if pa.types.is_list(type_) or pa.types.is_large_list(type_):
            return self.items(type_.value_field, self.rng.choice([0, 0, 1, 2, 3, 5]))
        return self.scalar(type_)


def filler(field):
    """What stands below a null: null, or where that is forbidden a value."""
    type_ = field.type
    if field.nullable:
        return None
    if pa.types.is_struct(type_):
        return {child.name: filler(child) for child in type_}
    if pa.types.is_fixed_size_list(type_):
        return [filler(type_.value_field)] * type_.list_size
    if pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_map(type_):
        return []
    value_type = type_.value_type if pa.types.is_dictionary(type_) else type_
    return ValueMaker(random.Random(0), 0, "small").scalar(value_type)


def build(values, field):
    """An array for a field from Python values; by children what pyarrow cannot convert."""
    type_ = field.type
    if pa.types.is_dictionary(type_):
        distinct = list(dict.fromkeys(value for value in values if value is not None))
        places = {value: i % MAX_DISTINCT for i, value in enumerate(distinct)}
        del distinct[MAX_DISTINCT:]
        indices = pa.array([places.get(value) for value in values], type_.index_type)
        return pa.DictionaryArray.from_arrays(indices, pa.array(distinct, type_.value_type))
    mask = pa.array([value is None for value in values], pa.bool_())
    if pa.types.is_struct(type_):
        children = [
            build([filler(child) if v is None else v[child.name] for v in values], child)
            for child in type_
        ]
        return pa.StructArray.from_arrays(children, fields=list(type_), mask=mask)
    if pa.types.is_map(type_):
        offsets, pairs = offsets_and_items(values)
        keys = build([key for key, _ in pairs], type_.key_field)
        items = build([item for _, item in pairs], type_.item_field)
        return pa.MapArray.from_arrays(
            pa.array(offsets, pa.int32()), keys, items, type=type_, mask=mask
        )
    if pa.types.is_fixed_size_list(type_):
        hidden = [filler(type_.value_field)] * type_.list_size
        items = [item for value in values for item in (hidden if value is None else value)]
        return pa.FixedSizeListArray.from_arrays(
            build(items, type_.value_field), type=type_, mask=mask
        )
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        offsets, items = offsets_and_items(values)
        is_large = pa.types.is_large_list(type_)
        list_type = pa.LargeListArray if is_large else pa.ListArray
        return list_type.from_arrays(
            pa.array(offsets, pa.int64() if is_large else pa.int32()),
            build(items, type_.value_field),
            type=type_,
            mask=mask,
        )
    return pa.array(values, type_)


def offsets_and_items(values):
    offsets, items = [0], []
    for value in values:
        items += value or []
        offsets.append(len(items))
    return offsets, items


def with_wishes(field, rng):
    """The field, asking for an encoding now and then."""
    metadata = dict(field.metadata or {})
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        key, value = rng.choice(ENCODING_WISHES)
        metadata[f"lance-encoding:{key}"] = value
    return field.with_metadata(metadata) if metadata else field


def random_table(version, rng):
    """One to three random columns; often a slice."""
    maker = TypeMaker(version, rng)
    num_rows = rng.choice([0, 1, 2, 5, 40, 40, 200, 200, 1500])
    hidden = rng.choice([0, 0, 3])  # rows that a slice leaves out
    if version == "2.2" and rng.random() < 0.1:
        wanted = [maker.fixed_size_list_of_struct(rng.randint(1, MAX_DEPTH))]
    else:
        count = rng.randint(1, 3)
        wanted = [maker.field(f"c{i}", rng.randint(0, MAX_DEPTH)) for i in range(count)]
    fields, columns = [], []
    for field in wanted:
        field = with_wishes(field, rng)
        null_share = rng.choice([0, 0.02, 0.3, 0.3, 1.0])
        values = ValueMaker(rng, null_share, rng.choice(ValueMaker.SHAPES))
        rows = num_rows if values.shape != "huge" else min(num_rows, 40)
        made = [values.value(field) for _ in range(rows + hidden)]
        made += [made[j % len(made)] for j in range(num_rows - rows)] if made else []
        fields.append(field)
        columns.append(build(made, field).slice(hidden))
    return pa.table(columns, schema=pa.schema(fields))


# ---- comparing -----------------------------------------------------------------------------------


def comparable(value):
    """A Python value whose repr tells equal values apart from others."""
    if isinstance(value, dict):
        return {key: comparable(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [comparable(part) for part in value]
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return value


def difference(found, wanted):
    """What differs between two tables; empty: nothing. NaN equals NaN."""
    if found.num_rows != wanted.num_rows:
        return f"{found.num_rows} rows, not {wanted.num_rows}"
    if found.column_names != wanted.column_names:
        return f"columns {found.column_names}, not {wanted.column_names}"
    for name in wanted.column_names:
        ours, theirs = found.column(name), wanted.column(name)
        if not same_type(ours.type, theirs.type):
            return f"column {name} is {ours.type}, not {theirs.type}"
        if ours.type == theirs.type and ours.equals(theirs):
            continue
        left, right = ours.to_pylist(), theirs.to_pylist()
        for row, (one, other) in enumerate(zip(left, right)):
            one, other = repr(comparable(one)), repr(comparable(other))
            if one != other:
                return f"column {name}, row {row}: {one[:200]}, not {other[:200]}"
    return ""


def same_type(found, wanted):
    """Whether types are the same up to names and nullability of items, which files do not keep."""
    return found.id == wanted.id and (
        pa.types.is_nested(found) or pa.types.is_dictionary(found) or found == wanted
    )
