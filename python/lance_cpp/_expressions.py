"""pyarrow expressions as SQL. They can be looked into only as Substrait, a protobuf message."""

import datetime
import decimal
import math
import struct
from collections.abc import Iterator
from typing import Any, Optional, Union

import pyarrow as pa
import pyarrow.compute as pc

from .errors import InvalidError, unsupported

_ADVICE = "give the condition as SQL text"
# Substrait's names of functions.
_INFIX = {
    "equal": "=",
    "not_equal": "<>",
    "lt": "<",
    "lte": "<=",
    "gt": ">",
    "gte": ">=",
    "and": "AND",
    "or": "OR",
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
}
_FORMATS = {
    "is_null": "({} IS NULL)",
    "is_not_null": "({} IS NOT NULL)",
    "not": "(NOT {})",
    "is_nan": "isnan({})",
    "contains": "contains({}, {})",
    "starts_with": "starts_with({}, {})",
    "ends_with": "ends_with({}, {})",
}
_EPOCH = datetime.datetime(1970, 1, 1)


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, place


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of each field of a message: an int, or bytes."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        kind = key & 7
        if kind == 0:
            value, place = _varint(data, place)
            yield key >> 3, value
            continue
        size = {1: 8, 5: 4}.get(kind)
        if size is None:
            size, place = _varint(data, place)
        yield key >> 3, data[place : place + size]
        place += size


def _only(data: bytes) -> tuple[int, Any]:
    """The field of a message that holds one of several; nullability and variations aside."""
    found = [(number, value) for number, value in _fields(data) if number < 50]
    return found[0] if found else (0, b"")


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _float(number: float) -> str:
    if not math.isfinite(number):
        raise unsupported(f"{number} in a filter", _ADVICE)
    return repr(number)


def _time(microseconds: int, zone: str) -> str:
    try:
        time = _EPOCH + datetime.timedelta(microseconds=_signed(microseconds))
    except OverflowError:
        raise InvalidError("a time of the filter is not between the years 1 and 9999") from None
    return f"TIMESTAMP '{time.isoformat(' ')}{zone}'"


def _date(days: int) -> str:
    return f"DATE '{(_EPOCH + datetime.timedelta(days=_signed(days))).date().isoformat()}'"


def _decimal(data: bytes) -> str:
    """16 bytes of a little-endian integer, precision and scale."""
    fields = dict(_fields(data))
    precision, scale = fields.get(2, 0), fields.get(3, 0)
    number = int.from_bytes(fields.get(1, b""), "little", signed=True)
    digits = (int(digit) for digit in str(abs(number)))
    text = decimal.Decimal((number < 0, tuple(digits), -scale))
    return f"CAST('{text:f}' AS DECIMAL({precision},{scale}))"


# By the number of the literal's kind.
_LITERALS = {
    1: lambda value: "TRUE" if value else "FALSE",
    **{kind: lambda value: str(_signed(value)) for kind in (2, 3, 5, 7)},
    10: lambda value: _float(struct.unpack("<f", value)[0]),
    11: lambda value: _float(struct.unpack("<d", value)[0]),
    12: lambda value: _quoted(value.decode()),
    13: lambda value: f"X'{value.hex()}'",
    14: lambda value: _time(value, ""),
    16: _date,
    22: lambda value: _quoted(dict(_fields(value)).get(1, b"").decode()),
    17: lambda value: f"arrow_cast({_signed(value)}, 'Time64(Microsecond)')",
    24: _decimal,
    27: lambda value: _time(value, "Z"),
    29: lambda value: "NULL",
}


def _plain(kind: pa.DataType) -> pa.DataType:
    """The widest type of its kind: comparing with a literal then needs no cast, as in SQL."""
    types = pa.types
    if types.is_integer(kind):
        return pa.int64()
    if types.is_floating(kind):
        return pa.float64()
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    if types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if types.is_large_binary(kind) or types.is_binary_view(kind):
        return pa.binary()
    if types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if types.is_struct(kind):
        return pa.struct([_plain_field(field) for field in kind])
    return kind


def _plain_field(field: pa.Field) -> pa.Field:
    return pa.field(field.name, _plain(field.type))


class _Converter:
    """One expression over one schema."""

    def __init__(self, schema: pa.Schema):
        self._schema = pa.schema([_plain_field(field) for field in schema])
        self._functions: dict[int, str] = {}

    def convert(self, expression: pc.Expression) -> str:
        """The SQL of it."""
        try:
            message = bytes(expression.to_substrait(self._schema, allow_arrow_extensions=True))
        except pa.ArrowInvalid as error:
            reason = str(error).split(" in ", maxsplit=1)[0]  # what follows is the whole schema
            raise InvalidError(f"filter {expression}: {reason}") from error
        except pa.ArrowNotImplementedError as error:
            raise unsupported(f"the filter {expression} ({error})", _ADVICE) from error
        for number, value in _fields(message):
            declared = dict(_fields(value)).get(3) if number == 2 else None
            if declared is not None:  # others are types
                function = dict(_fields(declared))
                self._functions[function.get(2, 0)] = function[3].decode().split(":")[0]
        [condition] = [dict(_fields(value))[1] for number, value in _fields(message) if number == 3]
        return self._expression(condition)

    def _expression(self, data: bytes) -> str:
        kind, value = _only(data)
        if kind == 1:
            return self._literal(value)
        if kind == 2:
            return self._column(value)
        if kind == 3:
            return self._call(value)
        if kind == 6:
            return self._choice(value)
        if kind == 8:
            return self._membership(value)
        raise unsupported(f"a part of kind {kind} in a pyarrow filter", _ADVICE)

    def _literal(self, data: bytes) -> str:
        kind, value = _only(data)
        if kind == 0:  # zero, false or the empty text: protobuf leaves out nothing in a choice
            raise unsupported("a literal without a value", _ADVICE)
        if kind not in _LITERALS:
            raise unsupported(f"a literal of Substrait's kind {kind} in a filter", _ADVICE)
        return _LITERALS[kind](value)

    def _column(self, data: bytes) -> str:
        segment: Optional[bytes] = dict(_fields(data)).get(1)
        names: list[str] = []
        members: Union[pa.Schema, pa.DataType] = self._schema
        while segment is not None:
            kind, value = _only(segment)
            if kind != 2:
                raise unsupported("an element of a list in a pyarrow filter", _ADVICE)
            step = dict(_fields(value))
            field = members.field(step.get(1, 0))
            names.append("`" + field.name.replace("`", "``") + "`")
            members, segment = field.type, step.get(2)
        return ".".join(names)

    def _call(self, data: bytes) -> str:
        fields = list(_fields(data))
        function = self._functions[dict(fields).get(1, 0)]
        arguments = [
            self._expression(dict(_fields(value))[3]) for number, value in fields if number == 4
        ]
        if function in _INFIX:
            return "(" + f" {_INFIX[function]} ".join(arguments) + ")"
        if function in _FORMATS:
            return _FORMATS[function].format(*arguments)
        raise unsupported(f"the function {function} of a pyarrow expression in a filter", _ADVICE)

    def _membership(self, data: bytes) -> str:
        fields = list(_fields(data))
        value = self._expression(dict(fields)[1])
        options = [self._expression(option) for number, option in fields if number == 2]
        return f"({value} IN ({', '.join(options)}))" if options else "(1 = 0)"

    def _choice(self, data: bytes) -> str:
        """If x is valid then x in a list else null: which SQL's IN is by itself. DuckDB asks so."""
        parts = dict(_fields(data))
        clause = dict(_fields(parts[1]))
        condition, chosen = self._expression(clause[1]), self._expression(clause[2])
        column = condition.removesuffix(" IS NOT NULL)").removeprefix("(")
        is_null = 2 in parts and self._expression(parts[2]) == "NULL"
        if not is_null or condition == column or not chosen.startswith(f"({column} IN ("):
            raise unsupported("if_else of a pyarrow expression in a filter", _ADVICE)
        return chosen


def filter_text(condition: Any, schema: pa.Schema) -> Any:
    """A condition as SQL; what is no pyarrow expression comes back as it is."""
    if isinstance(condition, pc.Expression):
        return _Converter(schema).convert(condition)
    return condition
