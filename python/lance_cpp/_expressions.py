"""Conditions that are no SQL text: pyarrow expressions, and Substrait, which they become."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from . import _core
from .errors import InvalidError, unsupported

_ADVICE = "give the condition as SQL text"


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


def _serialized(expression: pc.Expression, schema: pa.Schema) -> bytes:
    """A Substrait extended expression over the columns of the schema."""
    plain = pa.schema([_plain_field(field) for field in schema])
    try:
        return bytes(expression.to_substrait(plain, allow_arrow_extensions=True))
    except pa.ArrowInvalid as error:
        reason = str(error).split(" in ", maxsplit=1)[0]  # what follows is the whole schema
        raise InvalidError(f"filter {expression}: {reason}") from error
    except pa.ArrowNotImplementedError as error:
        raise unsupported(f"the filter {expression} ({error})", _ADVICE) from error


def filter_text(condition: Any, schema: pa.Schema) -> Any:
    """A condition as SQL: of a pyarrow expression, or of Substrait as bytes; others stay."""
    if isinstance(condition, pc.Expression):
        condition = _serialized(condition, schema)
    if isinstance(condition, (bytes, bytearray, memoryview)):
        return _core.substrait_sql(bytes(condition))
    return condition
