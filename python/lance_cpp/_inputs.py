"""The data that writes take, as one Arrow stream."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import Any, Optional

import pyarrow as pa
import pyarrow.dataset as pads

from .errors import InvalidError, LanceError


class Input:
    """Rows to write: an object with __arrow_c_stream__, read once.

    Takes a Table, RecordBatch, RecordBatchReader, dataset, scanner, pandas or polars DataFrame,
    dict of columns, list of dicts, anything else with __arrow_c_stream__, or, together with a
    schema, an iterable of RecordBatch.
    """

    def __init__(self, data: Any, schema: Optional[pa.Schema] = None):
        self._failure: Optional[BaseException] = None
        self._stream = self._open(data, schema)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._stream.__arrow_c_stream__(requested_schema)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """While the library reads: what the caller's iterator raised is raised as it was."""
        try:
            yield
        except (LanceError, KeyboardInterrupt) as error:
            if self._failure is None:
                raise
            raise self._failure from error

    def _open(self, data: Any, schema: Optional[pa.Schema]) -> Any:
        table = _table_of(data, schema)
        if table is not None:
            return _cast(table, schema)
        if isinstance(data, pads.Dataset):
            data = data.scanner()
        if isinstance(data, pads.Scanner):
            data = data.to_reader()
        if isinstance(data, pa.RecordBatchReader):
            return _cast(data, schema)
        if hasattr(data, "__arrow_c_stream__"):
            return data if schema is None else _cast(pa.RecordBatchReader.from_stream(data), schema)
        if isinstance(data, (str, bytes, os.PathLike)):
            raise InvalidError(
                f"data_obj is {data!r}; allowed: rows. Open what lies there first, as "
                "pyarrow.dataset.dataset(place) or pyarrow.parquet.read_table(place) do"
            )
        if isinstance(data, Iterable):
            if schema is None:
                kind = "an empty list" if data == [] else f"a {type(data).__name__}"
                raise InvalidError(
                    f"data_obj is {kind} and schema is None; allowed: an iterable of batches, or "
                    "no rows at all, together with schema="
                )
            return pa.RecordBatchReader.from_batches(schema, self._batches(data, schema))
        raise TypeError(
            f"data_obj is a {type(data).__name__}; allowed: a Table, RecordBatch, "
            "RecordBatchReader, DataFrame, dict, list of dicts, an object with __arrow_c_stream__, "
            "or an iterable of RecordBatch together with a schema"
        )

    def _batches(self, batches: Iterable, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        # The C stream would pass on no more than the text of an exception.
        try:
            for batch in batches:
                if not isinstance(batch, pa.RecordBatch):
                    raise TypeError(f"data_obj holds a {type(batch).__name__}, not a RecordBatch")
                yield _cast(batch, schema)
        except BaseException as failure:
            self._failure = failure
            raise


def _cast(data: Any, schema: Optional[pa.Schema]) -> Any:
    """A table, batch or reader under a schema."""
    if schema is None or schema.equals(data.schema, check_metadata=True):
        return data
    return data.cast(schema)


def _is_of(data: Any, module: str, name: str) -> bool:
    """Whether data is of a class of a package that need not be installed."""
    kind = type(data)
    return kind.__module__.split(".")[0] == module and kind.__name__ == name


def _table_of(data: Any, schema: Optional[pa.Schema]) -> Optional[pa.Table]:
    """What is in memory as a table; None for everything else."""
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if _is_of(data, "pandas", "DataFrame"):
        return pa.Table.from_pandas(data, schema=schema)
    if _is_of(data, "polars", "DataFrame"):
        return data.to_arrow()
    if isinstance(data, dict):
        return pa.Table.from_pydict(data, schema=schema)
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return pa.Table.from_pylist(data, schema=schema)
    return None


def integers_of(numbers: Any) -> Any:
    """An array, a series or a list as something that gives Python's integers."""
    for conversion in ("to_pylist", "tolist"):
        if hasattr(numbers, conversion):
            return getattr(numbers, conversion)()
    return numbers


def rows_of(name: str, numbers: Any) -> Any:
    """Positions, ids or addresses as integers_of gives them, none below 0."""
    numbers = integers_of(numbers)
    if isinstance(numbers, (list, tuple, range)) and numbers:
        with contextlib.suppress(TypeError):  # the library says what is no number
            if min(numbers) < 0:
                raise InvalidError(f"{name} has {min(numbers)}; allowed: 0 or more")
    return numbers
