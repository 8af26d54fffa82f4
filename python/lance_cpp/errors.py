"""What calls raise. Each is a LanceError and also what the reference package raises there."""

import json
from typing import Any, Optional


class LanceError(Exception):
    """Any failure of the library."""


class InternalError(LanceError, RuntimeError):
    """A defect of the library; please report it."""


class InvalidError(LanceError, ValueError, OSError):
    """The request is wrong. When it is about a filter, offset and length say where, in bytes."""

    offset: Optional[int] = None
    length: Optional[int] = None


class NotFoundError(LanceError, ValueError, OSError, KeyError):
    """Something is not there: kind says what it is (table, version, column, index, ...)."""

    kind: Optional[str] = None
    name: Optional[str] = None


class StorageError(LanceError, OSError):
    """Storage failed."""


class CommitConflictError(LanceError, OSError):
    """Another commit came first; retryable says whether the whole operation may be tried again."""

    version: Optional[int] = None
    operation: Optional[str] = None
    retryable: bool = False


class CommitUnknownError(LanceError, OSError):
    """A commit may or may not have landed: look for transaction_uuid, and delete nothing."""

    transaction_uuid: Optional[str] = None
    read_version: Optional[int] = None


class CorruptError(LanceError, OSError):
    """Bytes are not what the format says."""

    path: Optional[str] = None
    offset: Optional[int] = None


class UnsupportedError(LanceError, NotImplementedError):
    """A feature that this version does not have; flag_bit is -1 when it is no feature flag."""

    feature: Optional[str] = None
    flag_bit: int = -1
    # When it is something in a filter: where, in bytes.
    offset: Optional[int] = None
    length: Optional[int] = None


class OverBudgetError(LanceError, RuntimeError):
    """A stated budget does not suffice."""

    budget: Optional[str] = None
    needed: Optional[int] = None
    allowed: Optional[int] = None


class AlreadyExistsError(LanceError, FileExistsError):
    """The table is there already."""


class CancelledError(LanceError, RuntimeError):
    """The call was stopped."""


# By the exit code that the library gives a failure: docs/guide/json.md "Exit codes".
_BY_EXIT_CODE: dict[int, type[LanceError]] = {
    2: InvalidError,
    3: NotFoundError,
    4: StorageError,
    5: CommitConflictError,
    6: CommitUnknownError,
    7: CorruptError,
    8: UnsupportedError,
    9: OverBudgetError,
    130: CancelledError,
}


def exception_of(document: str) -> LanceError:
    """Make the exception of a failure, given as docs/guide/json.md "error"."""
    failure: dict[str, Any] = json.loads(document)["error"]
    detail: dict[str, Any] = failure["detail"] or {}
    if failure["exit"] == 10:
        kind = CommitConflictError if detail else AlreadyExistsError
    else:
        kind = _BY_EXIT_CODE.get(failure["exit"], InternalError)
    exception = kind(failure["message"])
    for name, value in detail.items():
        if name != "type":
            setattr(exception, name, value)
    return exception


def unsupported(feature: str, advice: str = "") -> UnsupportedError:
    """The exception for a feature of the reference package that this version does not have."""
    message = f"{feature} is not in this version of lance_cpp"
    exception = UnsupportedError(f"{message}; {advice}" if advice else message)
    exception.feature = feature
    return exception


def refuse_given(**arguments: Any) -> None:
    """Refuse arguments that this version does not have, when they are not None."""
    for name, value in arguments.items():
        if value is not None:
            raise unsupported(name)
