"""Changes of the schema, as the reference takes them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional

import pyarrow as pa

from . import _core
from ._inputs import Input
from .errors import InvalidError, LanceError
from .udf import BatchUDF

if TYPE_CHECKING:
    from .dataset import LanceDataset


# The new version, or the fragment as it is now; and the new columns, where they are known.
Added = tuple[Any, Optional[pa.Schema]]


def _with_schema(
    function: BatchUDF, dataset: "LanceDataset", read_columns: Optional[list[str]]
) -> BatchUDF:
    """The function with the schema of what it gives for the first row."""
    if function.output_schema is not None:
        return function
    batches = dataset.scanner(columns=read_columns, limit=1)
    empty = batches.projected_schema.empty_table().to_batches()
    sample = next(iter(batches.to_batches()), None)
    if sample is None:
        sample = empty[0] if empty else pa.RecordBatch.from_pylist([], batches.projected_schema)
    return BatchUDF(function.func, function.make_batch(sample).schema)


class _Caller:
    """Calls a function for the library and keeps what it raises."""

    def __init__(self, function: BatchUDF):
        self._function = function
        self.failure: Optional[BaseException] = None

    def __call__(self, batch: Any) -> Any:
        try:
            return self._function.make_batch(pa.record_batch(batch))
        except BaseException as failure:
            self.failure = failure
            raise


def _add_by_function(
    dataset: "LanceDataset",
    function: Any,
    read_columns: Optional[list[str]],
    batch_size: Optional[int],
    fragment_id: Optional[int],
) -> Added:
    if not isinstance(function, BatchUDF):
        try:
            function = _with_schema(BatchUDF(function), dataset, read_columns)
        except Exception as failure:
            raise TypeError(
                f"transforms is a {type(function).__name__} that fails when it is called with a "
                f"batch: {failure}; allowed: a dict of SQL, a function from batch to batch, fields "
                "or a schema, or rows"
            ) from failure
    function = _with_schema(function, dataset, read_columns)
    caller = _Caller(function)
    try:
        made = _core.add_by_function(
            dataset._ds,
            caller,
            function.output_schema,
            list(read_columns or []),
            batch_size,
            fragment_id,
        )
    except LanceError as error:
        if caller.failure is None:
            raise
        raise caller.failure from error
    return made, function.output_schema


def add_columns(
    dataset: "LanceDataset",
    transforms: Any,
    read_columns: Optional[list[str]],
    reader_schema: Optional[pa.Schema],
    batch_size: Optional[int],
    fragment_id: Optional[int] = None,
) -> Added:
    """LanceDataset.add_columns; with the id of a fragment for it alone, without a commit."""
    if isinstance(transforms, pa.Field):
        transforms = [transforms]
    if isinstance(transforms, list) and all(isinstance(field, pa.Field) for field in transforms):
        transforms = pa.schema(transforms)
    if isinstance(transforms, pa.Schema):
        return _core.add_nulls(dataset._ds, transforms, fragment_id), transforms
    if isinstance(transforms, dict):
        for name, expression in transforms.items():
            if not isinstance(name, str) or not isinstance(expression, str):
                raise TypeError(
                    f"transforms holds {name!r}: {expression!r}; allowed: names and SQL, both str"
                )
        made = _core.add_expressions(dataset._ds, transforms, batch_size, fragment_id)
        if fragment_id is None:
            return made, None
        return made, pa.schema(_core.computed_schema(dataset._ds, transforms))
    if callable(transforms):
        return _add_by_function(dataset, transforms, read_columns, batch_size, fragment_id)
    rows = Input(transforms, reader_schema)
    reader = pa.RecordBatchReader.from_stream(rows)
    with rows.reading():
        return _core.add_stream(dataset._ds, reader, fragment_id), reader.schema


def alter_columns(dataset: _core.Dataset, alterations: Iterable[dict[str, Any]]) -> _core.Dataset:
    """LanceDataset.alter_columns."""
    allowed = {"path", "name", "nullable", "data_type"}
    requests = []
    for alteration in alterations:
        unknown = set(alteration) - allowed
        if unknown or "path" not in alteration:
            raise InvalidError(
                f"an alteration has the keys {sorted(alteration)}; allowed: path, and name, "
                "nullable, data_type"
            )
        name, nullable, data_type = (
            alteration.get(key) for key in ("name", "nullable", "data_type")
        )
        if name is None and nullable is None and data_type is None:
            raise InvalidError("At least one of name, nullable, or data_type must be specified")
        schema = None if data_type is None else pa.schema([pa.field("value", data_type)])
        requests.append((alteration["path"], name, nullable, schema))
    return _core.alter_columns(dataset, requests)


class ColumnChanges:
    """What a table offers to change its columns. For LanceDataset."""

    _ds: _core.Dataset

    def add_columns(
        self,
        transforms: Any,
        read_columns: Optional[list[str]] = None,
        reader_schema: Optional[pa.Schema] = None,
        batch_size: Optional[int] = None,
    ) -> None:
        """Add columns behind those that are there.

        Parameters
        ----------
        transforms : dict, BatchUDF, function, Field, list of Field, Schema, or rows
            A dict: names and SQL expressions. A function or BatchUDF: called with each batch, it
            gives a batch of the new columns. A Field, fields or a Schema: null everywhere, which
            writes no data. Anything else: rows in the order of a scan, exactly as many.
        read_columns : list of str, optional
            What a function gets; None: all columns.
        reader_schema : Schema, optional
            Of rows that do not say it themselves.
        batch_size : int, optional
            Most rows of a batch for a function.
        """
        self._ds, _ = add_columns(self, transforms, read_columns, reader_schema, batch_size)

    def drop_columns(self, columns: list[str]) -> None:
        """Drop columns by name, or members of structs by path. Metadata only.

        Parameters
        ----------
        columns : list of str
            Names and paths.
        """
        self._ds = _core.drop_columns(self._ds, columns)

    def alter_columns(self, *alterations: dict[str, Any]) -> None:
        """Rename columns, change whether they may be null, or convert them.

        Parameters
        ----------
        alterations : dict
            "path", and at least one of "name", "nullable", "data_type".
        """
        self._ds = alter_columns(self._ds, alterations)

    def merge(
        self,
        data_obj: Any,
        left_on: str,
        right_on: Optional[str] = None,
        schema: Optional[pa.Schema] = None,
    ) -> None:
        """Add the columns of data_obj to the rows with the same key; null where there is none.

        Parameters
        ----------
        data_obj : Table, reader, DataFrame, ...
            The rows to join.
        left_on, right_on : str
            The key column here and there; None: left_on.
        schema : Schema, optional
            Of an iterable of batches.
        """
        rows = Input(data_obj, schema)
        with rows.reading():
            self._ds = _core.merge_columns(self._ds, rows, left_on, right_on or left_on)
