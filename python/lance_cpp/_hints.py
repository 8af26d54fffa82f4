"""Hints about how to run, which no answer depends on: their values are checked, then not used."""

import operator
from typing import Any

from .errors import InvalidError


def check_count(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least so much."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{name} is a {kind}; allowed: a whole number") from None
    if number < least:
        raise InvalidError(f"{name} is {number}; allowed: {least} or more")
    return number


def check_counts(**values: Any) -> None:
    """Whole numbers from 1 on, or None."""
    for name, value in values.items():
        if value is not None:
            check_count(name, value)


def check_flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is a {type(value).__name__}; allowed: True or False")
    return value


def check_columns_or_flag(name: str, value: Any) -> None:
    """True, False, or a list of text."""
    if isinstance(value, list) and all(isinstance(column, str) for column in value):
        return
    if not isinstance(value, bool):
        found = type(value).__name__
        raise TypeError(f"{name} is a {found}; allowed: True, False, or a list of columns")
