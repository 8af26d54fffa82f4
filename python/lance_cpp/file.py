"""Single .lance files, without a table around them."""

import dataclasses
import os
from typing import Any, Optional, Union

import pyarrow as pa

from . import _core
from ._hints import check_count
from ._missing import module_getattr
from ._streams import reader_of
from .errors import InvalidError, refuse_given

__all__ = [
    "ColumnStatistics",
    "LanceBufferDescriptor",
    "LanceColumnMetadata",
    "LanceFileMetadata",
    "LanceFileReader",
    "LanceFileStatistics",
    "LanceFileWriter",
    "LancePageMetadata",
    "ReaderResults",
    "stable_version",
]

__getattr__ = module_getattr(__name__)

_BATCH_READAHEAD = 16


def stable_version() -> str:
    """The format version that files are written in unless another is asked for."""
    return _core.default_file_version


@dataclasses.dataclass(frozen=True)
class LanceBufferDescriptor:
    """Where a buffer lies in the file, in bytes. A global buffer's position is not known: None."""

    position: Optional[int]
    size: int


@dataclasses.dataclass(frozen=True)
class LancePageMetadata:
    """One page of a column; the text of encoding is for people and may change."""

    buffers: list[LanceBufferDescriptor]
    encoding: str


@dataclasses.dataclass(frozen=True)
class LanceColumnMetadata:
    """One column of the file: a leaf of the schema, in 2.0 every field."""

    column_buffers: list[LanceBufferDescriptor]
    pages: list[LancePageMetadata]


@dataclasses.dataclass(frozen=True)
class LanceFileMetadata:
    """What a file says of itself. Sizes are bytes."""

    schema: pa.Schema
    num_rows: int
    major_version: int
    minor_version: int
    num_data_bytes: int
    num_column_metadata_bytes: int
    num_global_buffer_bytes: int
    global_buffers: list[LanceBufferDescriptor]
    columns: list[LanceColumnMetadata]
    size_bytes: int


@dataclasses.dataclass(frozen=True)
class ColumnStatistics:
    """Pages of a column, and their bytes."""

    num_pages: int
    size_bytes: int


@dataclasses.dataclass(frozen=True)
class LanceFileStatistics:
    """Statistics of the columns, in the order of LanceFileMetadata.columns."""

    columns: list[ColumnStatistics]


class ReaderResults:
    """Rows that were asked for; take them once, by either method."""

    def __init__(self, reader: pa.RecordBatchReader):
        self.reader = reader

    def to_batches(self) -> pa.RecordBatchReader:
        """Batch by batch."""
        return self.reader

    def to_table(self) -> pa.Table:
        """All of them."""
        return self.reader.read_all()


def _page_of(page: dict[str, Any]) -> LancePageMetadata:
    buffers = map(LanceBufferDescriptor, page["buffer_offsets"], page["buffer_sizes"])
    return LancePageMetadata(list(buffers), page["encoding"])


class LanceFileReader:
    """Reads one file.

    Parameters
    ----------
    path : str or Path
        A path, or a URI.
    storage_options : dict, optional
        Options of the store.
    columns : list of str, optional
        Columns, or paths of nested ones ("a.b"), in their order; None: all.
    """

    def __init__(
        self,
        path: Union[str, os.PathLike],
        storage_options: Optional[dict[str, str]] = None,
        columns: Optional[list[str]] = None,
        *,
        namespace_client: Any = None,
        table_id: Optional[list[str]] = None,
    ):
        refuse_given(namespace_client=namespace_client, table_id=table_id)
        if columns is not None and len(columns) == 0:
            raise InvalidError("columns is an empty list; allowed: None, or at least one column")
        self._columns = columns
        self._reader = _core.open_file(os.fspath(path), storage_options=storage_options)

    def read_all(
        self, *, batch_size: int = 1024, batch_readahead: int = _BATCH_READAHEAD
    ) -> ReaderResults:
        """Read all rows, at most batch_size of them in a batch. batch_readahead is a hint.

        Parameters
        ----------
        batch_size : int
            Most rows of one batch.
        batch_readahead : int
            A hint that no answer depends on.
        """
        return self.read_range(
            0, self.num_rows(), batch_size=batch_size, batch_readahead=batch_readahead
        )

    def read_range(
        self,
        start: int,
        num_rows: int,
        *,
        batch_size: int = 1024,
        batch_readahead: int = _BATCH_READAHEAD,
    ) -> ReaderResults:
        """Read num_rows rows from position start.

        Parameters
        ----------
        start : int
            The first row.
        num_rows : int
            How many.
        batch_size : int
            Most rows of one batch.
        batch_readahead : int
            A hint that no answer depends on.
        """
        check_count("batch_readahead", batch_readahead)
        reader = self._reader.read_range(
            start=start, num_rows=num_rows, columns=self._columns, batch_size=batch_size
        )
        return ReaderResults(reader_of(reader))

    def take_rows(
        self,
        indices: Any,
        *,
        batch_size: int = 1024,
        batch_readahead: int = _BATCH_READAHEAD,
    ) -> ReaderResults:
        """Read rows by position, in the order asked for; repeats are fine.

        Parameters
        ----------
        indices : list or array of int
            Positions in the file, from 0.
        batch_size : int
            Most rows of one batch.
        batch_readahead : int
            A hint that no answer depends on.
        """
        check_count("batch_readahead", batch_readahead)
        stream = self._reader.take_rows(
            indices=indices, columns=self._columns, batch_size=batch_size
        )
        return ReaderResults(pa.RecordBatchReader.from_stream(stream))

    def metadata(self) -> LanceFileMetadata:
        """Sizes, pages and schema."""
        fields = dict(self._reader.metadata)
        buffers = [LanceBufferDescriptor(None, size) for size in fields.pop("global_buffer_sizes")]
        columns = [
            LanceColumnMetadata([], [_page_of(page) for page in column["pages"]])
            for column in fields.pop("columns")
        ]
        schema = pa.schema(self._reader.schema)
        return LanceFileMetadata(schema=schema, global_buffers=buffers, columns=columns, **fields)

    def file_statistics(self) -> LanceFileStatistics:
        """Pages and bytes of the columns."""
        columns = self._reader.metadata["columns"]
        return LanceFileStatistics(
            [ColumnStatistics(len(column["pages"]), column["size_bytes"]) for column in columns]
        )

    def read_global_buffer(self, index: int) -> bytes:
        """The bytes of a global buffer; 0 is the file's descriptor.

        Parameters
        ----------
        index : int
            What add_global_buffer returned; 0: the file's descriptor.
        """
        return self._reader.read_global_buffer(index)

    def num_rows(self) -> int:
        """The number of rows."""
        return self._reader.num_rows


class LanceFileWriter:
    """Writes one file; nothing is there before close. A context manager.

    When the block of a with statement raises, the file is given up.

    Parameters
    ----------
    path : str or Path
        A path, or a URI.
    schema : pyarrow.Schema, optional
        None: that of the first batch.
    data_cache_bytes : int, optional
        Bytes that all columns together may buffer.
    version : str, optional
        "2.0", "2.1", "2.2"; None or "stable": stable_version().
    storage_options : dict, optional
        Options of the store.
    max_page_bytes : int, optional
        Bytes of one column that make a page.

    Attributes
    ----------
    closed : bool
        Whether the file is finished or given up.
    size_bytes : int or None
        The size of the finished file; None before.
    """

    def __init__(
        self,
        path: Union[str, os.PathLike],
        schema: Optional[pa.Schema] = None,
        *,
        data_cache_bytes: Optional[int] = None,
        version: Optional[str] = None,
        storage_options: Optional[dict[str, str]] = None,
        namespace_client: Any = None,
        table_id: Optional[list[str]] = None,
        max_page_bytes: Optional[int] = None,
        **kwargs: Any,
    ):
        _refuse_unknown(kwargs)
        refuse_given(namespace_client=namespace_client, table_id=table_id, **kwargs)
        self._path = os.fspath(path)
        self._storage_options = storage_options
        self._options = {
            "data_cache_bytes": data_cache_bytes,
            "version": None if version == "stable" else version,
            "max_page_bytes": max_page_bytes,
        }
        self._writer: Optional[_core.FileWriter] = None
        self._schema: Optional[pa.Schema] = None
        # What was added before the first batch said what the columns are.
        self._early_metadata: dict[str, str] = {}
        self._early_buffers: list[bytes] = []
        self._size_bytes: Optional[int] = None
        self._is_written = False
        self.closed = False
        if schema is not None:
            self._open(schema)

    def write_batch(self, batch: Union[pa.RecordBatch, pa.Table]) -> None:
        """Append rows: the columns of the schema, in any order.

        Parameters
        ----------
        batch : pyarrow.RecordBatch or pyarrow.Table
            The rows.
        """
        if not isinstance(batch, (pa.RecordBatch, pa.Table)):
            raise TypeError(f"batch is a {type(batch).__name__}; allowed: RecordBatch, Table")
        self._check_open()
        if self._schema is None:
            self._open(batch.schema)
        names = self._schema.names
        if batch.schema.names != names and sorted(batch.schema.names) == sorted(names):
            batch = batch.select(names)
        for part in batch.to_batches() if isinstance(batch, pa.Table) else [batch]:
            self._writer.write_batch(part)

    def add_schema_metadata(self, key: str, value: str) -> None:
        """Add an entry to the schema's metadata.

        Parameters
        ----------
        key, value : str
            The entry.
        """
        self._check_open()
        if self._writer is None:
            self._early_metadata[key] = value
        else:
            self._writer.add_schema_metadata(key, value)

    def add_global_buffer(self, data: bytes) -> int:
        """Store bytes of the application. Returns the buffer's number: 1, 2, ...

        Parameters
        ----------
        data : bytes
            Any.
        """
        self._check_open()
        if self._writer is None:
            self._early_buffers.append(bytes(data))
            return len(self._early_buffers)
        return self._writer.add_global_buffer(bytes(data))

    def close(self) -> Optional[int]:
        """Finish the file. Returns the number of rows; None when it was closed before."""
        if self.closed:
            return None
        self.closed = True
        if self._writer is None:
            raise InvalidError("no schema was given and no batch written: the columns are unknown")
        num_rows = self._writer.close()
        self._is_written = True
        self._writer = None
        return num_rows

    @property
    def size_bytes(self) -> Optional[int]:
        """The size of the finished file in bytes; None before close."""
        if self._is_written and self._size_bytes is None:
            reader = _core.open_file(self._path, storage_options=self._storage_options)
            self._size_bytes = reader.metadata["size_bytes"]
        return self._size_bytes

    def __enter__(self) -> "LanceFileWriter":
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        if exc_type is None:
            self.close()
        else:
            self.closed = True
            self._writer = None

    def _open(self, schema: pa.Schema) -> None:
        self._writer = _core.create_file(
            self._path,
            schema,
            storage_options=self._storage_options,
            schema_metadata=self._early_metadata,
            **self._options,
        )
        self._schema = schema
        for data in self._early_buffers:
            self._writer.add_global_buffer(data)

    def _check_open(self) -> None:
        if self.closed:
            raise InvalidError(f"{self._path} is closed; nothing more can be written to it")


def _refuse_unknown(arguments: dict[str, Any]) -> None:
    for name in arguments:
        if name != "keep_original_array":
            raise TypeError(f'LanceFileWriter has no argument "{name}"')
