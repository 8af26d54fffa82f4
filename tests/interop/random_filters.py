"""Random filters, and an evaluator of them that shares nothing with the library.

A filter is a tree of nodes, each of which says itself in SQL and tells for one row, a dict of
Python values, whether it is True, False or None (unknown), by the rules of SQL. Floats compare by
the total order of IEEE 754, with both zeros equal.
"""

import dataclasses
import datetime
import math
import struct

import pyarrow as pa

EPOCH = datetime.datetime(1970, 1, 1)


def both(left, right):
    """AND of three values."""
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def either(left, right):
    """OR of three values."""
    if left is True or right is True:
        return True
    return None if left is None or right is None else False


def negated(value):
    return None if value is None else not value


def float_key(value):
    """The place of a float in the total order; both zeros have one."""
    if value == 0:
        return 0
    bits = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF)


def key(value):
    """What values of one type are compared by."""
    if isinstance(value, float):
        return float_key(value)
    return value.encode() if isinstance(value, str) else value


COMPARISONS = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def compare(operator, left, right):
    if left is None or right is None:
        return None
    return COMPARISONS[operator](key(left), key(right))


# --- Literals -------------------------------------------------------------------------------------


def sql_of_float(value, type_):
    if math.isnan(value):
        return f"CAST('NaN' AS {type_})"
    if math.isinf(value):
        return f"CAST('{'-' if value < 0 else ''}inf' AS {type_})"
    return repr(value)


def sql_of_timestamp(value, type_):
    """Nanoseconds in the epoch's units are the value: see values_of."""
    unit = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[type_.unit]
    nanoseconds = value * unit
    moment = EPOCH + datetime.timedelta(seconds=nanoseconds // 10**9)
    text = f"{moment:%Y-%m-%d %H:%M:%S}.{nanoseconds % 10**9:09d}"
    zone = "Z" if type_.tz else ""
    return f"TIMESTAMP '{text}{zone}'"


def sql_of(value, type_):
    """A literal of the column's type."""
    if pa.types.is_floating(type_):
        return sql_of_float(value, "DOUBLE" if type_ == pa.float64() else "FLOAT")
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if pa.types.is_boolean(type_):
        return "true" if value else "false"
    if pa.types.is_date(type_):
        days = value if pa.types.is_date32(type_) else value // 86_400_000
        return f"DATE '{EPOCH + datetime.timedelta(days=days):%Y-%m-%d}'"
    if pa.types.is_timestamp(type_):
        return sql_of_timestamp(value, type_)
    if pa.types.is_decimal128(type_):
        return f"CAST('{value}' AS DECIMAL({type_.precision},{type_.scale}))"
    if pa.types.is_decimal256(type_):
        return f"arrow_cast('{value}', 'Decimal256({type_.precision}, {type_.scale})')"
    if str(type_) in ARROW_NAMES:
        return f"arrow_cast({value}, '{ARROW_NAMES[str(type_)]}')"
    return str(value)


ARROW_NAMES = {
    "time32[s]": "Time32(Second)", "time64[us]": "Time64(Microsecond)",
    "duration[ms]": "Duration(Millisecond)",
}


def values_of(column):
    """The values of a column as the evaluator has them: times are numbers of the type's unit."""
    if column.type == pa.list_(pa.date32()):
        column = column.cast(pa.list_(pa.int32()))
    elif pa.types.is_temporal(column.type):
        column = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
    elif pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    return column.to_pylist()


# --- Nodes ----------------------------------------------------------------------------------------


@dataclasses.dataclass
class Column:
    """A column, or a member of a struct."""

    path: tuple
    type: pa.DataType

    def sql(self):
        return ".".join(self.path)

    def of(self, row):
        for name in self.path:
            row = None if row is None else row[name]
        return row


@dataclasses.dataclass
class Comparison:
    """column operator literal, or the other way round."""

    column: Column
    operator: str
    value: object
    is_mirrored: bool = False

    def sql(self):
        literal = sql_of(self.value, self.column.type)
        if self.is_mirrored:
            return f"{literal} {MIRRORED[self.operator]} {self.column.sql()}"
        return f"{self.column.sql()} {self.operator} {literal}"

    def of(self, row):
        return compare(self.operator, self.column.of(row), self.value)


@dataclasses.dataclass
class Between:
    column: Column
    low: object
    high: object
    is_negated: bool

    def sql(self):
        word = "NOT BETWEEN" if self.is_negated else "BETWEEN"
        low, high = (sql_of(value, self.column.type) for value in (self.low, self.high))
        return f"{self.column.sql()} {word} {low} AND {high}"

    def of(self, row):
        value = self.column.of(row)
        inside = both(compare(">=", value, self.low), compare("<=", value, self.high))
        return negated(inside) if self.is_negated else inside


@dataclasses.dataclass
class In:
    column: Column
    values: list
    is_negated: bool
    has_null: bool

    def sql(self):
        texts = [sql_of(value, self.column.type) for value in self.values]
        texts += ["NULL"] * self.has_null
        word = "NOT IN" if self.is_negated else "IN"
        return f"{self.column.sql()} {word} ({', '.join(texts)})"

    def of(self, row):
        value = self.column.of(row)
        found = False
        for member in [*self.values, *[None] * self.has_null]:
            found = either(found, compare("=", value, member))
        return negated(found) if self.is_negated else found


@dataclasses.dataclass
class IsNull:
    column: Column
    is_negated: bool

    def sql(self):
        return f"{self.column.sql()} IS {'NOT ' * self.is_negated}NULL"

    def of(self, row):
        return (self.column.of(row) is None) != self.is_negated


@dataclasses.dataclass
class Prefix:
    """LIKE 'prefix%', or the function."""

    column: Column
    prefix: str
    is_function: bool

    def sql(self):
        text = self.prefix.replace("'", "''")
        if self.is_function:
            return f"starts_with({self.column.sql()}, '{text}')"
        text = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return f"{self.column.sql()} LIKE '{text}%'"

    def of(self, row):
        value = self.column.of(row)
        return None if value is None else value.startswith(self.prefix)


@dataclasses.dataclass
class Truth:
    """A boolean column as a condition."""

    column: Column
    form: str  # "", "IS TRUE", "IS FALSE", "IS NOT TRUE"

    def sql(self):
        return f"{self.column.sql()} {self.form}".strip()

    def of(self, row):
        value = self.column.of(row)
        forms = {
            "": value, "IS TRUE": value is True, "IS FALSE": value is False,
            "IS NOT TRUE": value is not True,
        }
        return forms[self.form]


@dataclasses.dataclass
class Distinct:
    """IS [NOT] DISTINCT FROM a literal, which knows no unknown."""

    column: Column
    value: object
    is_negated: bool

    def sql(self):
        literal = sql_of(self.value, self.column.type)
        return f"({self.column.sql()} IS {'NOT ' * self.is_negated}DISTINCT FROM {literal})"

    def of(self, row):
        value = self.column.of(row)
        is_same = value is not None and compare("=", value, self.value)
        return bool(is_same) == self.is_negated


@dataclasses.dataclass
class Not:
    inner: object

    def sql(self):
        return f"NOT ({self.inner.sql()})"

    def of(self, row):
        return negated(self.inner.of(row))


@dataclasses.dataclass
class Joined:
    operator: str
    parts: list

    def sql(self):
        return "(" + f" {self.operator} ".join(part.sql() for part in self.parts) + ")"

    def of(self, row):
        join = both if self.operator == "AND" else either
        result = self.parts[0].of(row)
        for part in self.parts[1:]:
            result = join(result, part.of(row))
        return result


# --- Making them ----------------------------------------------------------------------------------


def neighbour(rng, value, type_):
    """The value, or one near it that may not be there."""
    if rng.random() < 0.6:
        return value
    if pa.types.is_integer(type_):
        bits = type_.bit_width
        low = 0 if pa.types.is_unsigned_integer(type_) else -(2 ** (bits - 1))
        return min(max(value + rng.choice([-3, -1, 1, 3]), low), low + 2**bits - 1)
    if pa.types.is_floating(type_) and math.isfinite(value) and abs(value) < 1e6:
        format_ = {16: "e", 32: "f", 64: "d"}[type_.bit_width]
        return struct.unpack(format_, struct.pack(format_, value + rng.choice([-0.5, 0.5])))[0]
    if isinstance(value, str):
        return rng.choice([value + "a", value[:-1], value[:1]])
    return value


class FilterMaker:
    """Makes filters over the values that a table has.

    \\param columns the columns that may be named
    \\param values of each of them, by path
    \\param list_condition of a column of lists: see random_lists
    """

    def __init__(self, rng, columns, values, list_condition=None):
        self.rng = rng
        self.list_condition = list_condition
        self.columns = [column for column in columns if values[column.path]]
        self.values = values

    def value(self, column):
        value = self.rng.choice(self.values[column.path])
        return neighbour(self.rng, value, column.type)

    def leaf(self):
        rng = self.rng
        column = rng.choice(self.columns)
        if pa.types.is_nested(column.type):
            return self.list_condition(rng, column, self.values[column.path])
        if pa.types.is_boolean(column.type) and rng.random() < 0.6:
            return Truth(column, rng.choice(["", "IS TRUE", "IS FALSE", "IS NOT TRUE"]))
        is_text = isinstance(self.values[column.path][0], str)
        kinds = ["compare"] * 5 + ["between", "in", "in", "null"] + ["prefix"] * 3 * is_text
        kind = rng.choice([*kinds, "distinct"])
        if kind == "compare":
            operator = rng.choice(["=", "=", "<", "<=", ">", ">=", "<>"])
            return Comparison(column, operator, self.value(column), rng.random() < 0.2)
        if kind == "between":
            low, high = sorted((self.value(column), self.value(column)), key=key)
            if rng.random() < 0.1:
                low, high = high, low
            return Between(column, low, high, rng.random() < 0.2)
        if kind == "in":
            values = [self.value(column) for _ in range(rng.choice([1, 2, 3, 4, 9]))]
            return In(column, values, rng.random() < 0.2, rng.random() < 0.1)
        if kind == "null":
            return IsNull(column, rng.random() < 0.4)
        if kind == "prefix":
            value = self.value(column)
            return Prefix(column, value[: rng.randint(0, len(value))], rng.random() < 0.4)
        return Distinct(column, self.value(column), rng.random() < 0.6)

    def make(self, depth=2):
        rng = self.rng
        if depth == 0 or rng.random() < 0.4:
            return self.leaf()
        if rng.random() < 0.15:
            return Not(self.make(depth - 1))
        operator = rng.choice(["AND", "AND", "OR"])
        return Joined(operator, [self.make(depth - 1) for _ in range(rng.choice([2, 2, 3]))])
