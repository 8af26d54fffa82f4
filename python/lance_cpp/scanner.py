"""Scans: what to read, and reading it."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

import pyarrow as pa
import pyarrow.dataset as pads

from . import _core
from ._expressions import filter_text
from ._fields import Fields
from ._hints import check_columns_or_flag, check_count, check_flag
from ._streams import batches_of, reader_of
from .errors import InvalidError, unsupported

if TYPE_CHECKING:
    from .dataset import LanceDataset


class ScanStatistics(Fields):
    """What a scan did; the fields are those of docs/guide/json.md "scan_statistics"."""


def _check_columns(columns: Any) -> None:
    """Names, or SQL by name."""
    allowed = 'allowed: a list of names, or a dict of SQL by name, {"twice": "price * 2"}'
    if columns is None or isinstance(columns, dict):
        return
    if isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable):
        raise TypeError(f"columns is {columns!r}; {allowed}")
    if isinstance(columns, (list, tuple)):
        for each in columns:
            if not isinstance(each, str):
                raise TypeError(f"columns has {each!r}; {allowed}")


def column_names(options: dict[str, Any]) -> Any:
    """The columns for the library, where an empty list means all of them; expressions apart."""
    columns = options.pop("columns", None)
    _check_columns(columns)
    if isinstance(columns, dict) and columns:
        options["computed_names"] = list(columns)
        options["expressions"] = list(columns.values())
        return []
    if columns is None or len(columns) > 0:
        return columns
    metadata_columns = []
    if options.get("with_row_id"):
        metadata_columns.append("_rowid")
    if options.get("with_row_address"):
        metadata_columns.append("_rowaddr")
    return metadata_columns


_BATCH_SIZE = 8192  # what scans have unless they say so

# Options that this version has.
_KNOWN = (
    "columns",
    "filter",
    "limit",
    "offset",
    "batch_size",
    "batch_size_bytes",
    "include_deleted_rows",
    "with_row_id",
    "with_row_address",
    "blob_handling",
    "use_scalar_index",
    "use_stats",
)
# Options that say how to run. No row depends on them: scans are in order, which is one of the
# orders that scan_in_order=False allows, read ahead and decide by themselves what to read late;
# prefilter and disable_scoring_autoprojection are about searches, which are refused.
_HINTS: dict[str, Callable[[str, Any], Any]] = {
    "batch_readahead": check_count,
    "fragment_readahead": lambda name, value: check_count(name, value, 0),
    "io_buffer_size": check_count,
    "scan_in_order": check_flag,
    "late_materialization": check_columns_or_flag,
    "prefilter": check_flag,
    "disable_scoring_autoprojection": check_flag,
}
# What to use in the place of options that change the answer.
_INSTEAD = {
    "nearest": "vector search is not part of it",
    "full_text_query": "full-text search is not part of it",
}
# Options that ask for nothing when they are False.
_SWITCHES = ("fast_search",)


@dataclass
class ColumnOrdering:
    """A column to sort by, in which direction, and where its nulls go."""

    column_name: str
    ascending: bool = True
    nulls_first: bool = False


def _orderings(order_by: Any, columns: Any, schema: pa.Schema) -> dict[str, Any]:
    """The arguments for the library: names, and the places that descend or begin with nulls."""
    allowed = 'allowed: a list of names and of ColumnOrdering("price", ascending=False)'
    if isinstance(order_by, (str, ColumnOrdering)):
        order_by = [order_by]
    if not isinstance(order_by, Iterable):
        raise TypeError(f"order_by is {order_by!r}; {allowed}")
    orderings = [ColumnOrdering(each) if isinstance(each, str) else each for each in order_by]
    for ordering in orderings:
        if not isinstance(ordering, ColumnOrdering):
            raise TypeError(f"order_by has {ordering!r}; {allowed}")
        name = ordering.column_name
        if name in schema.names:
            continue
        if name.lower().endswith((" asc", " desc")):
            raise InvalidError(f"order_by has {name!r}; {allowed}")
        if isinstance(columns, dict) and name in columns:
            raise unsupported(
                f"order_by of the computed column {name}", "sort the table: to_table().sort_by(..)"
            )
    return {
        "order_by": [each.column_name for each in orderings],
        "descending": [i for i, each in enumerate(orderings) if not each.ascending],
        "nulls_first": [i for i, each in enumerate(orderings) if each.nulls_first],
    }


def _fragment_ids(fragments: Any) -> list[int]:
    """Of fragments, or of numbers of fragments."""
    if isinstance(fragments, str) or not isinstance(fragments, Iterable):
        raise TypeError(f"fragments is {fragments!r}; allowed: a list of fragments or of numbers")
    ids = [getattr(each, "fragment_id", each) for each in fragments]
    return [check_count("fragments", each, 0) for each in ids]


class _BatchShape:
    """Whether all batches but the last have the same number of rows."""

    def __init__(self, options: dict[str, Any]):
        """Take strict_batch_size out of the options that are given."""
        self._num_rows: Optional[int] = None
        if check_flag("strict_batch_size", options.pop("strict_batch_size", False)):
            self._num_rows = check_count("batch_size", options.get("batch_size", _BATCH_SIZE))
        if "batch_size_bytes" in options:
            check_count("batch_size_bytes", options["batch_size_bytes"])
            if self.is_given:
                raise InvalidError("strict_batch_size and batch_size_bytes are given; allowed: one")

    @property
    def is_given(self) -> bool:
        """Whether batches must be cut again."""
        return self._num_rows is not None

    def cut(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same rows in batches of this shape."""
        rows = self._num_rows or _BATCH_SIZE
        held: list[pa.RecordBatch] = []
        missing = rows
        for batch in batches:
            while batch.num_rows >= missing:
                yield pa.concat_batches([*held, batch.slice(0, missing)])
                batch = batch.slice(missing)
                held, missing = [], rows
            if batch.num_rows > 0:
                held.append(batch)
                missing -= batch.num_rows
        if held:
            yield pa.concat_batches(held)


def scan_arguments(dataset: "LanceDataset", given: dict[str, Any]) -> dict[str, Any]:
    """The arguments for the library by those of LanceDataset.scanner; hints are dropped."""
    given = dict(given)
    for name, check in _HINTS.items():
        if name in given:
            check(name, given.pop(name))
    for name in _SWITCHES:
        if given.get(name) is False:
            del given[name]
    known = {name: given.pop(name) for name in _KNOWN if name in given}
    if "order_by" in given:
        schema = pa.schema(dataset._ds.schema)
        known.update(_orderings(given.pop("order_by"), known.get("columns"), schema))
    if "fragments" in given:
        known["fragment_ids"] = _fragment_ids(given.pop("fragments"))
    for name in given:
        raise unsupported(name, _INSTEAD.get(name, ""))
    if "filter" in known:
        known["filter"] = filter_text(known["filter"])
    known["columns"] = column_names(known)
    return known


def gives_no_column(known: dict[str, Any]) -> bool:
    """Whether such a scan has rows and nothing else."""
    return known["columns"] == [] and "computed_names" not in known


def make_scanner(dataset: "LanceDataset", options: dict[str, Any]) -> "LanceScanner":
    """A scanner by the arguments of LanceDataset.scanner; those that are None count for nothing."""
    given = {name: value for name, value in options.items() if value is not None}
    callback = given.pop("scan_stats_callback", None)
    shape = _BatchShape(given)
    known = scan_arguments(dataset, given)
    kind = LanceScanner
    if gives_no_column(known):
        kind, known["columns"] = _RowScanner, ["_rowid"]
    scanner = kind(dataset._ds.scan(**known), dataset)
    scanner._callback = callback
    scanner._shape = shape
    return scanner


class LanceScanner(pads.Scanner):
    """A scan of one version, ready to run any number of times. Made by LanceDataset.scanner."""

    _callback: Optional[Callable[[ScanStatistics], None]] = None
    _shape = _BatchShape({})

    def __init__(
        self,
        scanner: _core.Scanner,
        dataset: "LanceDataset",
        snapshot: Optional[dict[str, Any]] = None,
    ):
        self._scanner = scanner
        self._ds = dataset
        self._snapshot = snapshot

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        stream = self.to_reader() if self._shape.is_given else self._scanner.to_stream()
        return stream.__arrow_c_stream__(requested_schema)

    def _report(self, reader: _core.BatchReader) -> None:
        if self._callback is not None:
            self._callback(ScanStatistics(json.loads(reader.statistics())))

    def to_table(self) -> pa.Table:
        """Read everything."""
        if self._callback is not None:
            return self.to_reader().read_all()
        return pa.table(self._scanner.to_table())

    def to_reader(self) -> pa.RecordBatchReader:
        """Read batch by batch, in row order."""
        if self._shape.is_given:
            return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())
        return reader_of(self._scanner.open(), self._report)

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Read batch by batch, in row order."""
        batches = batches_of(self._scanner.open(), self._report)
        yield from self._shape.cut(batches) if self._shape.is_given else batches

    def to_pandas(self, *, blob_mode: str = "lazy", **kwargs: Any) -> Any:
        """Read everything into a pandas DataFrame; kwargs are those of Table.to_pandas."""
        if blob_mode != "lazy":
            raise unsupported("blob_mode")
        return self.to_table().to_pandas(**kwargs)

    @property
    def projected_schema(self) -> pa.Schema:
        """The columns that come out."""
        return pa.schema(self._scanner.projected_schema)

    @property
    def dataset_schema(self) -> pa.Schema:
        """The columns of the dataset."""
        return self._ds.schema

    def head(self, num_rows: int) -> pa.Table:
        """The first rows.

        Parameters
        ----------
        num_rows : int
            At most so many.
        """
        batches, missing = [], num_rows
        for batch in self.to_batches():
            if missing <= 0:
                break
            batches.append(batch.slice(0, missing))
            missing -= len(batches[-1])
        return pa.Table.from_batches(batches, self.projected_schema)

    def count_rows(self) -> int:
        """The number of rows that would come out."""
        return self._scanner.count_rows()

    def explain_plan(self, verbose: bool = False) -> str:
        """How the scan would run, for people. Reads indices, no data.

        Parameters
        ----------
        verbose : bool
            Give the JSON document, docs/guide/json.md "scan_explanation".
        """
        explanation = self._scanner.explain(False)
        return explanation if verbose else json.loads(explanation)["text"]

    def analyze_plan(self, count_rows: bool = False) -> str:
        """Run it and say what was read beside what was expected, for people.

        Parameters
        ----------
        count_rows : bool
            Refused when it is True: count_rows of a scanner counts.
        """
        if count_rows:
            raise unsupported("count_rows of analyze_plan")
        explanation = json.loads(self._scanner.explain(True))
        actual = ScanStatistics(explanation["actual"])
        return f"{explanation['text']}\n{actual}"

    def scan_batches(self) -> Any:
        """Not in this version."""
        raise unsupported("scan_batches", "use to_batches")

    def take(self, indices: Any) -> Any:
        """Not in this version."""
        raise unsupported("LanceScanner.take")

    # pyarrow's own would read memory that is not there: this class has none of its C++ scanner.
    @staticmethod
    def from_dataset(*args: Any, **kwargs: Any) -> Any:
        """Not in this version."""
        raise unsupported("LanceScanner.from_dataset", "use LanceDataset.scanner")

    @staticmethod
    def from_fragment(*args: Any, **kwargs: Any) -> Any:
        """Not in this version."""
        raise unsupported("LanceScanner.from_fragment", "use LanceDataset.scanner")

    @staticmethod
    def from_batches(*args: Any, **kwargs: Any) -> Any:
        """Not in this version."""
        raise unsupported("LanceScanner.from_batches", "use LanceDataset.scanner")


class _RowScanner(LanceScanner):
    """A scan without any column: batches have rows and nothing else."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def to_table(self) -> pa.Table:
        """Read everything."""
        return self.to_reader().read_all()

    def to_reader(self) -> pa.RecordBatchReader:
        """Read batch by batch."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Read batch by batch."""
        for batch in super().to_batches():
            yield batch.select([])

    @property
    def projected_schema(self) -> pa.Schema:
        """No columns."""
        return pa.schema([])
