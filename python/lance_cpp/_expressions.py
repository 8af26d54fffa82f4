"""Conditions that are no SQL text: pyarrow expressions, and Substrait, which they become."""

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from . import _core
from .errors import InvalidError, unsupported

_ADVICE = "give the condition as SQL text"

# Columns that conditions may name and that no schema has.
_ROW_COLUMNS = ("_rowid", "_rowaddr")

# Stands for a type that Substrait has not. Its column keeps its place and can be asked for nulls,
# as any type can; no other function takes it, so that nothing is asked of a type that is not there.
_STAND_IN = pa.struct([])

_LISTS = (pa.ListType, pa.LargeListType, pa.FixedSizeListType, pa.ListViewType)
_TEXTS = (pa.types.is_large_string, pa.types.is_string_view)
_BYTES = (pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
_IS_MISSING = "No match for FieldRef"  # what pyarrow says of columns that are not there
_DECIMAL_DIGITS = 38  # the most that Substrait has


def _plain(kind: pa.DataType) -> pa.DataType:
    """The widest type of its kind: comparing with a literal then needs no cast, as in SQL."""
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    if types.is_struct(kind):
        return pa.struct(_plain_fields(kind))
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    if isinstance(kind, _LISTS):
        return pa.list_(_plain(kind.value_type))
    return _plain_leaf(kind)


def _plain_leaf(kind: pa.DataType) -> pa.DataType:
    types = pa.types
    if types.is_integer(kind):
        return pa.int64()
    if types.is_floating(kind):
        return pa.float64()
    if any(is_text(kind) for is_text in _TEXTS):
        return pa.string()
    if any(is_bytes(kind) for is_bytes in _BYTES):
        return pa.binary()
    if types.is_timestamp(kind):
        return kind if kind.unit == "ns" else pa.timestamp("us", kind.tz)
    if types.is_date(kind):
        return pa.date32()
    if types.is_decimal256(kind) and 0 <= kind.scale <= _DECIMAL_DIGITS:
        return pa.decimal128(_DECIMAL_DIGITS, kind.scale)
    return kind if _can_be_carried(kind) else _STAND_IN


@functools.lru_cache(maxsize=256)
def _can_be_carried(kind: pa.DataType) -> bool:
    """Whether Substrait has a type, as far as pyarrow writes it."""
    try:
        pc.scalar(True).to_substrait(pa.schema([("column", kind)]), allow_arrow_extensions=True)
    except pa.ArrowNotImplementedError:
        return False
    return True


def _plain_fields(fields: Iterable[pa.Field]) -> list[pa.Field]:
    return [pa.field(field.name, _plain(field.type)) for field in fields]


def _hiding_stand_ins(
    fields: Iterable[pa.Field], plain: list[pa.Field]
) -> Iterator[tuple[str, list[pa.Field]]]:
    """What has no type of its own in Substrait: words for it, and the plain fields without it."""
    for i, field in enumerate(fields):
        before, after = plain[:i], plain[i + 1 :]
        if plain[i].type == _STAND_IN:
            yield f"{field.name} of type {field.type}", before + after
        elif pa.types.is_struct(field.type):
            for words, members in _hiding_stand_ins(field.type, list(plain[i].type)):
                hiding = pa.field(field.name, pa.struct(members))
                yield f"{field.name}.{words}", [*before, hiding, *after]


def _not_carried(expression: pc.Expression, fields: list[pa.Field]) -> str:
    """Which columns the expression names that Substrait cannot carry; empty: none."""
    named = []
    for words, hiding in _hiding_stand_ins(fields, _plain_fields(fields)):
        try:
            expression.to_substrait(pa.schema(hiding), allow_arrow_extensions=True)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            if _IS_MISSING in str(error):
                named.append(words)
    return " and ".join(named)


def _refusal(expression: pc.Expression, reason: str, fields: list[pa.Field]) -> Exception:
    """What to raise for an expression that pyarrow cannot write."""
    columns = _not_carried(expression, fields)
    if columns:
        reason = f"Substrait, as which it is read, cannot carry the column {columns}"
    elif "unsafe casts" in reason:
        reason = "a column would have to be cast to the type of what it is compared with"
    return unsupported(f"the filter {expression} ({reason})", _ADVICE)


def _serialized(expression: pc.Expression, schema: pa.Schema) -> bytes:
    """A Substrait extended expression over the columns of the schema."""
    extra = [pa.field(name, pa.int64()) for name in _ROW_COLUMNS if name not in schema.names]
    fields = [*schema, *extra]
    plain = pa.schema(_plain_fields(fields))
    try:
        return bytes(expression.to_substrait(plain, allow_arrow_extensions=True))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        reason = str(error)
        if _IS_MISSING in reason:
            reason = reason.split(" in ", maxsplit=1)[0]  # what follows is the whole schema
            raise InvalidError(f"filter {expression}: {reason}") from error
        raise _refusal(expression, reason, fields) from error


def filter_text(condition: Any, schema: pa.Schema) -> Any:
    """A condition as SQL: of a pyarrow expression, or of Substrait as bytes; others stay."""
    if isinstance(condition, pc.Expression):
        condition = _serialized(condition, schema)
    if isinstance(condition, (bytes, bytearray, memoryview)):
        return _core.substrait_sql(bytes(condition))
    return condition
