"""Conditions that are no SQL text: pyarrow expressions, and Substrait as bytes."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from . import _core
from .errors import unsupported


def _serialized(expression: pc.Expression) -> bytes:
    """The bytes as which pyarrow pickles an expression.

    Not Substrait: pyarrow's takes twice the bytes for each call that is deeper, and refuses tables
    that have a column of a type that Substrait has not, whatever the expression asks for.
    """
    try:
        _, (buffer, *_) = expression.__reduce__()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        advice = "name the columns, or give the condition as SQL text"
        raise unsupported(f"the filter {expression} ({error})", advice) from error
    return bytes(buffer)


def filter_text(condition: Any, name: str = "filter") -> Any:
    """A condition as SQL: of a pyarrow expression, or of Substrait as bytes; None stays."""
    if isinstance(condition, pc.Expression):
        return _core.expression_sql(_serialized(condition))
    if isinstance(condition, (bytes, bytearray, memoryview)):
        return _core.substrait_sql(bytes(condition))
    if condition is None or isinstance(condition, str):
        return condition
    kind = type(condition).__name__
    raise TypeError(
        f"{name} is a {kind}; allowed: SQL text, a pyarrow Expression, or Substrait as bytes"
    )
