"""Tables: open, look, scan, write, declare."""

import copy
import datetime
import json
import os
import random
from collections.abc import Callable, Iterator
from typing import Any, Optional, Union

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads

from . import _core
from ._columns import ColumnChanges
from ._hints import check_count, check_counts
from ._inputs import rows_of
from ._metadata import MetadataChanges
from ._missing import KnowsItsGaps, module_getattr
from .branches import Branches, Copies
from .blob import DEFAULT_BLOB_BUFFER_SIZE, BlobFile
from .errors import InvalidError, refuse_given, unsupported
from ._fragments import DataFile, FragmentMetadata
from .history import (
    LANCE_COMMIT_MESSAGE_KEY,
    AutoCleanupConfig,
    CleanupExplanation,
    CleanupStats,
    DatasetDelta,
    History,
)
from ._indices import IndexDescription, Indices, LanceStats
from .indices import IndexConfig
from .optimize import Compaction, CompactionMetrics, DatasetOptimizer
from .rows import MergeInsertBuilder, RowChanges
from .scan_plan import ScanPlans
from .scanner import ColumnOrdering, LanceScanner, ScanStatistics, column_names, make_scanner
from .session import Session
from .tags import Reference, Tags, version_arguments
from .operations import DatasetBasePath, Index, IndexFile, LanceOperation
from .transaction import Commits, Transaction
from .udf import BatchUDF, batch_udf
from .verify import Checks

__version__ = _core.__version__

__all__ = [
    "AutoCleanupConfig",
    "BatchUDF",
    "Branches",
    "CleanupExplanation",
    "CleanupStats",
    "ColumnOrdering",
    "Compaction",
    "CompactionMetrics",
    "DataFile",
    "DatasetBasePath",
    "DatasetDelta",
    "DatasetOptimizer",
    "FragmentMetadata",
    "Index",
    "IndexConfig",
    "IndexDescription",
    "IndexFile",
    "LANCE_COMMIT_MESSAGE_KEY",
    "LanceDataset",
    "LanceStats",
    "LanceFragment",
    "LanceOperation",
    "LanceScanner",
    "MergeInsertBuilder",
    "ScanStatistics",
    "Session",
    "Transaction",
    "__version__",
    "batch_udf",
    "write_dataset",
]

__getattr__ = module_getattr(__name__)


def _local_time(nanoseconds: int) -> datetime.datetime:
    """The time of a version as the reference gives it: local, without a zone."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return datetime.datetime.fromtimestamp(seconds) + datetime.timedelta(microseconds=rest // 1000)


def _session_of(
    session: Optional[Session],
    index_cache_size_bytes: Optional[int],
    metadata_cache_size_bytes: Optional[int],
) -> Optional[_core.Session]:
    if index_cache_size_bytes is None and metadata_cache_size_bytes is None:
        return None if session is None else session._session
    if session is not None:
        raise InvalidError("the sizes of caches belong to the session that is given")
    return Session(index_cache_size_bytes, metadata_cache_size_bytes)._session


class LanceDataset(
    RowChanges,
    ColumnChanges,
    MetadataChanges,
    Commits,
    Copies,
    History,
    Checks,
    Indices,
    ScanPlans,
    KnowsItsGaps,
    pads.Dataset,
):
    """One version of a table. Methods that change the table move it forward to the new version."""

    _gaps = "LanceDataset"

    def __init__(
        self,
        uri: Union[str, os.PathLike],
        version: Optional[Union[int, str]] = None,
        block_size: Optional[int] = None,
        index_cache_size: Optional[int] = None,
        metadata_cache_size: Optional[int] = None,
        commit_lock: Any = None,
        storage_options: Optional[dict[str, str]] = None,
        serialized_manifest: Optional[bytes] = None,
        default_scan_options: Optional[dict[str, Any]] = None,
        metadata_cache_size_bytes: Optional[int] = None,
        index_cache_size_bytes: Optional[int] = None,
        read_params: Optional[dict[str, Any]] = None,
        session: Optional[Session] = None,
        namespace_client: Any = None,
        table_id: Optional[list[str]] = None,
        namespace_client_managed_versioning: bool = False,
        base_store_params: Optional[dict[str, dict[str, str]]] = None,
    ):
        refuse_given(
            commit_lock=commit_lock,
            serialized_manifest=serialized_manifest,
            read_params=read_params,
            namespace_client=namespace_client,
            table_id=table_id,
            namespace_client_managed_versioning=namespace_client_managed_versioning or None,
            base_store_params=base_store_params,
        )
        check_counts(
            block_size=block_size,
            index_cache_size=index_cache_size,
            metadata_cache_size=metadata_cache_size,
        )
        self._uri = os.fspath(uri)
        self._storage_options = storage_options
        self._default_scan_options = default_scan_options
        self._ds = _core.open_dataset(
            self._uri,
            _session_of(session, index_cache_size_bytes, metadata_cache_size_bytes),
            **version_arguments(version),
            storage_options=storage_options,
        )

    @classmethod
    def _of(
        cls, ds: _core.Dataset, uri: str, storage_options: Optional[dict[str, str]]
    ) -> "LanceDataset":
        dataset = cls.__new__(cls)
        dataset._uri = uri
        dataset._storage_options = storage_options
        dataset._default_scan_options = None
        dataset._ds = ds
        return dataset

    def __copy__(self) -> "LanceDataset":
        other = self._of(self._ds, self._uri, self._storage_options)
        other._default_scan_options = self._default_scan_options
        return other

    def __reduce__(self) -> Any:
        return _reopen, (self.uri, self.version, self._storage_options, self._default_scan_options)

    def __len__(self) -> int:
        return self.count_rows()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.scanner().__arrow_c_stream__(requested_schema)

    # --- Looking at the version ---------------------------------------------------------------

    @property
    def uri(self) -> str:
        """Where the table lies, as it was given."""
        return self._uri

    @property
    def version(self) -> int:
        """The number of this version."""
        return self._ds.version

    @property
    def latest_version(self) -> int:
        """The number of the newest version."""
        return self._ds.checkout().version

    @property
    def schema(self) -> pa.Schema:
        """The columns; with default_scan_options, those that a scan gives."""
        if self._default_scan_options is not None:
            return self.scanner().projected_schema
        return pa.schema(self._ds.schema)

    @property
    def data_storage_version(self) -> str:
        """The version of its data files, for example "2.1"."""
        return self._properties()["data_storage_version"]

    @property
    def has_stable_row_ids(self) -> bool:
        """Whether rows keep an id for ever."""
        return self._properties()["has_stable_row_ids"]

    def session(self) -> Session:
        """The session it was opened with."""
        return Session._wrap(self._ds.session)

    def versions(self) -> list[dict[str, Any]]:
        """The versions that are there, ascending: version, timestamp, metadata."""
        return [
            {"version": version, "timestamp": _local_time(timestamp), "metadata": metadata}
            for version, timestamp, metadata in self._ds.versions()
        ]

    def get_version(self) -> dict[str, Any]:
        """This version as versions() has it."""
        return next(found for found in self.versions() if found["version"] == self.version)

    def version_refs(self) -> list[dict[str, Any]]:
        """The numbers of the versions that are there."""
        return [{"version": version} for version, _, _ in self._ds.versions()]

    def checkout_version(self, version: Reference) -> "LanceDataset":
        """Another version of the same table.

        Parameters
        ----------
        version : int, str or tuple
            A version of this branch, a tag, or a branch, where None and "main" are the main one,
            and a version of it, where None is the newest.
        """
        other = copy.copy(self)
        other._ds = self._ds.checkout(**version_arguments(version))
        if other._ds.branch != self._ds.branch:
            other._uri = other._ds.uri
        return other

    def restore(self) -> None:
        """Make this version the newest, under a new number."""
        self._ds = self._ds.restore()

    @property
    def tags(self) -> Tags:
        """Names of versions."""
        return Tags(self)

    def checkout_latest(self) -> None:
        """Move to the newest version."""
        self._ds = self._ds.checkout()

    # --- Reading ------------------------------------------------------------------------------

    def scanner(
        self,
        columns: Optional[list[str]] = None,
        filter: Any = None,  # pylint: disable=redefined-builtin
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        nearest: Any = None,
        batch_size: Optional[int] = None,
        batch_size_bytes: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        scan_in_order: Optional[bool] = None,
        fragments: Any = None,
        index_segments: Any = None,
        full_text_query: Any = None,
        *,
        prefilter: Optional[bool] = None,
        with_row_id: Optional[bool] = None,
        with_row_address: Optional[bool] = None,
        use_stats: Optional[bool] = None,
        fast_search: Optional[bool] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Any = None,
        blob_handling: Optional[str] = None,
        use_scalar_index: Optional[bool] = None,
        include_deleted_rows: Optional[bool] = None,
        scan_stats_callback: Optional[Callable[[ScanStatistics], None]] = None,
        strict_batch_size: Optional[bool] = None,
        order_by: Any = None,
        disable_scoring_autoprojection: Optional[bool] = None,
        row_addr_allowlist: Any = None,
        row_addr_blocklist: Any = None,
    ) -> LanceScanner:
        """Prepare a scan.

        Parameters
        ----------
        columns : list of str, optional
            In output order; None: all. "a.b" is a member of a struct, as a column of that name.
            _rowid, _rowaddr and _rowoffset may be named. A dict: SQL expressions by the name that
            they get.
        filter : str, pyarrow Expression or bytes, optional
            A condition in SQL; see docs/guide/filters.md. Bytes are a Substrait extended
            expression.
        limit, offset : int, optional
            At most so many rows, after skipping so many, both after the filter.
        batch_size : int, optional
            Most rows of one batch.
        batch_size_bytes : int, optional
            About the most bytes of one batch.
        strict_batch_size : bool, optional
            All batches but the last have exactly batch_size rows.
        blob_handling : str, optional
            "all_binary": blobs come as bytes; None or "blobs_descriptions": as where they lie.
        with_row_id, with_row_address : bool, optional
            Add _rowid or _rowaddr behind the columns.
        use_scalar_index, use_stats : bool, optional
            False: no index; no pruning at all. Answers are the same.
        order_by : list of str and ColumnOrdering, optional
            Sort by these, before offset and limit.
        fragments : list of int and of fragments, optional
            Read these alone, in this order.
        include_deleted_rows : bool, optional
            Give deleted rows as well, with a null _rowid and _rowaddr.
        scan_stats_callback : callable, optional
            Called with ScanStatistics when everything was read.
        batch_readahead, fragment_readahead, io_buffer_size, scan_in_order, late_materialization, \
prefilter, disable_scoring_autoprojection
            Hints that no answer depends on: checked, and left to the library.

        The other parameters are the reference's and raise UnsupportedError when they ask for
        something.
        """
        options = dict(locals())
        del options["self"]
        for name, value in (self._default_scan_options or {}).items():
            if options.get(name) is None:
                options[name] = value
        return make_scanner(self, options)

    def to_table(
        self,
        columns: Optional[list[str]] = None,
        filter: Any = None,  # pylint: disable=redefined-builtin
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        nearest: Any = None,
        batch_size: Optional[int] = None,
        batch_size_bytes: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        scan_in_order: Optional[bool] = None,
        *,
        prefilter: Optional[bool] = None,
        with_row_id: Optional[bool] = None,
        with_row_address: Optional[bool] = None,
        use_stats: Optional[bool] = None,
        fast_search: Optional[bool] = None,
        full_text_query: Any = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Any = None,
        blob_handling: Optional[str] = None,
        use_scalar_index: Optional[bool] = None,
        include_deleted_rows: Optional[bool] = None,
        order_by: Any = None,
        disable_scoring_autoprojection: Optional[bool] = None,
    ) -> pa.Table:
        """Read everything; the parameters are those of scanner."""
        options = dict(locals())
        del options["self"]
        return self.scanner(**options).to_table()

    def to_batches(
        self,
        columns: Optional[list[str]] = None,
        filter: Any = None,  # pylint: disable=redefined-builtin
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        nearest: Any = None,
        batch_size: Optional[int] = None,
        batch_size_bytes: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        scan_in_order: Optional[bool] = None,
        *,
        prefilter: Optional[bool] = None,
        with_row_id: Optional[bool] = None,
        with_row_address: Optional[bool] = None,
        use_stats: Optional[bool] = None,
        full_text_query: Any = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Any = None,
        blob_handling: Optional[str] = None,
        use_scalar_index: Optional[bool] = None,
        strict_batch_size: Optional[bool] = None,
        order_by: Any = None,
        disable_scoring_autoprojection: Optional[bool] = None,
        **kwargs: Any,
    ) -> Iterator[pa.RecordBatch]:
        """Read batch by batch, in row order; the parameters are those of scanner."""
        options = {**locals(), **kwargs}
        del options["self"], options["kwargs"]
        return self.scanner(**options).to_batches()

    def to_pandas(
        self,
        columns: Optional[list[str]] = None,
        filter: Any = None,  # pylint: disable=redefined-builtin
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        nearest: Any = None,
        batch_size: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        scan_in_order: Optional[bool] = None,
        *,
        prefilter: Optional[bool] = None,
        with_row_id: Optional[bool] = None,
        with_row_address: Optional[bool] = None,
        use_stats: Optional[bool] = None,
        fast_search: Optional[bool] = None,
        full_text_query: Any = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Any = None,
        blob_mode: str = "lazy",
        use_scalar_index: Optional[bool] = None,
        include_deleted_rows: Optional[bool] = None,
        order_by: Any = None,
        disable_scoring_autoprojection: Optional[bool] = None,
        **kwargs: Any,
    ) -> Any:
        """Read into a pandas DataFrame; kwargs are those of Table.to_pandas."""
        options = dict(locals())
        del options["self"], options["kwargs"], options["blob_mode"]
        return self.scanner(**options).to_pandas(blob_mode=blob_mode, **kwargs)

    def head(self, num_rows: int, **kwargs: Any) -> pa.Table:
        """The first rows; kwargs are the parameters of scanner.

        Parameters
        ----------
        num_rows : int
            At most so many.
        **kwargs
            As scanner takes them.
        """
        check_count("num_rows", num_rows, 0)
        return self.scanner(**{**kwargs, "limit": num_rows}).to_table()

    def slice(self, start: int, end: int, columns: Optional[list[str]] = None) -> pa.Table:
        """The rows from position start up to, not including, end.

        Parameters
        ----------
        start, end : int
            Positions in the version, from 0.
        columns : list of str, optional
            As in scanner.
        """
        if not 0 <= start <= end:
            raise InvalidError(f"rows {start} to {end}; allowed: 0 <= start <= end")
        return self.scanner(columns=columns, offset=start, limit=end - start).to_table()

    def take(self, indices: Any, columns: Optional[list[str]] = None) -> pa.Table:
        """The rows at these positions, in this order; repeats are fine.

        Parameters
        ----------
        indices : list or array of int
            Positions in the version, from 0.
        columns : list of str or dict, optional
            As in scanner; but members of structs ("a.b", below lists "l.item.b") come out in their
            structs.
        """
        if columns is not None and len(columns) == 0:
            raise unsupported("a scan without any column", "count_rows counts rows")
        return self._taken(rows_of("indices", indices), columns)

    def _taken(self, rows: Any, columns: Any, **options: Any) -> pa.Table:
        options["columns"] = columns
        options["columns"] = column_names(options)
        return pa.table(_core.take(self._ds, rows=rows, **options))

    def _take_rows(self, row_ids: Any, columns: Optional[list[str]] = None) -> pa.Table:
        """The rows of these ids, values of _rowid, in this order; repeats are fine.

        A row that is not there, or is deleted, is a NotFoundError.
        """
        return self._taken(rows_of("row_ids", row_ids), columns, by="ids")

    def take_blobs(
        self,
        blob_column: str,
        ids: Any = None,
        addresses: Any = None,
        indices: Any = None,
        *,
        buffer_size: int = DEFAULT_BLOB_BUFFER_SIZE,
    ) -> list[Optional[BlobFile]]:
        """Open blobs without reading them, in the order asked for; None where one is null.

        Parameters
        ----------
        blob_column : str
            A column of blobs.
        ids, addresses, indices : list or array of int
            Exactly one: values of _rowid, values of _rowaddr, or positions.
        buffer_size : int
            Bytes that reading one after the other fetches ahead; 0: none.
        """
        chosen = {"ids": ids, "addresses": addresses, "indices": indices}
        given = {by: rows for by, rows in chosen.items() if rows is not None}
        if len(given) != 1:
            raise InvalidError(f"{len(given)} of ids, addresses and indices are given; allowed: 1")
        [(by, rows)] = given.items()
        rows = rows_of(by, rows)
        blobs = _core.take_blobs(self._ds, rows=rows, by=by, columns=[blob_column])
        return [blob if blob is None else BlobFile(blob, buffer_size) for blob in blobs]

    def count_rows(
        self,
        filter: Any = None,  # pylint: disable=redefined-builtin
        **kwargs: Any,
    ) -> int:
        """Count rows; without a filter from metadata alone. kwargs are those of scanner.

        Parameters
        ----------
        filter : str, pyarrow Expression or bytes, optional
            Rows for which it is true; None: all.
        **kwargs
            As scanner takes them.
        """
        if kwargs or not (filter is None or isinstance(filter, str)):
            return self.scanner(filter=filter, **kwargs).count_rows()
        return self._ds.count_rows(filter)

    def explain(
        self,
        filter: Any = None,  # pylint: disable=redefined-builtin
        *,
        columns: Optional[list[str]] = None,
        analyze: bool = False,
    ) -> dict[str, Any]:
        """How a scan would run, or with analyze ran: docs/guide/json.md "scan_explanation".

        Parameters
        ----------
        filter : str, pyarrow Expression or bytes, optional
            A condition, as in scanner.
        columns : list of str or dict, optional
            As in scanner.
        analyze : bool
            Run the scan, and add what it read as "actual".
        """
        return json.loads(self.scanner(columns, filter)._scanner.explain(analyze))

    # --- Fragments ----------------------------------------------------------------------------

    def get_fragments(self, filter: Any = None) -> list:  # pylint: disable=redefined-builtin
        """The fragments, in the order of a scan.

        Parameters
        ----------
        filter
            Not in this version: None.
        """
        refuse_given(filter=filter)
        return fragments_of(self)

    def get_fragment(self, fragment_id: int) -> Optional["LanceFragment"]:
        """One fragment; None when there is none of this id.

        Parameters
        ----------
        fragment_id : int
            Its id.
        """
        return fragment_of(self, fragment_id)

    def fragment_ids(self) -> list[int]:
        """The ids of the fragments, ascending."""
        return sorted(fragment.fragment_id for fragment in self.get_fragments())

    def estimate(
        self,
        filter: Any = None,  # pylint: disable=redefined-builtin
        *,
        columns: Optional[list[str]] = None,
    ) -> dict[str, Any]:
        """Bounds for what a scan gives and reads: docs/guide/json.md "scan_estimate".

        Parameters
        ----------
        filter : str, pyarrow Expression or bytes, optional
            A condition, as in scanner.
        columns : list of str or dict, optional
            As in scanner.
        """
        return json.loads(self.scanner(columns, filter)._scanner.estimate())

    def sample(
        self,
        num_rows: int,
        columns: Optional[list[str]] = None,
        randomize_order: bool = True,
        *,
        seed: Optional[int] = None,
        **kwargs: Any,
    ) -> pa.Table:
        """Rows drawn at random, without repeats; all when there are fewer.

        Parameters
        ----------
        num_rows : int
            How many.
        columns : list of str, optional
            None: all.
        randomize_order : bool
            False: in the order of the table.
        seed : int, optional
            The same rows for the same seed and version.
        """
        refuse_given(**kwargs)
        check_count("num_rows", num_rows, 0)
        count = self.count_rows()
        rows = random.Random(seed).sample(range(count), min(num_rows, count))
        return self.take(rows if randomize_order else sorted(rows), columns)

    # --- Changing -----------------------------------------------------------------------------

    def insert(self, data: Any, *, mode: str = "append", **kwargs: Any) -> None:
        """Write rows to the table; kwargs are the parameters of write_dataset.

        Parameters
        ----------
        data
            Rows: anything that write_dataset takes.
        mode : str
            "append" or "overwrite".
        **kwargs
            As write_dataset takes them.
        """
        self._ds = write_dataset(data, self, mode=mode, **kwargs)._ds

    def set_clustering(
        self,
        columns: list[str],
        *,
        curve: str = "hilbert",
        version: Optional[int] = None,
        bits_per_dim: int = 16,
        algorithm: Optional[str] = None,
        commit_message: Optional[str] = None,
    ) -> None:
        """Declare the layout that the table should have. Metadata only: no data is touched.

        A one-way door for other writers: see docs/guide/clustering.md before the first time.

        Parameters
        ----------
        columns : list of str
            1 to 16 key columns, in order.
        curve : str
            "hilbert" or "zorder".
        version : int, optional
            Layout version; None: one more than the table knows.
        bits_per_dim : int
            Bits of each coordinate, 2 to 64.
        algorithm : str, optional
            None: by the types of the columns.
        commit_message : str, optional
            Kept with the commit.
        """
        self._ds = self._ds.set_clustering(
            columns=columns,
            curve=curve,
            version=version,
            bits_per_dim=bits_per_dim,
            algorithm=algorithm,
            commit_message=commit_message,
        )

    def clustering_spec(self) -> Optional[dict[str, Any]]:
        """The declaration: docs/guide/json.md "clustering_spec"; None when there is none."""
        return json.loads(self._ds.clustering_spec)

    def clear_clustering(self) -> None:
        """Remove the declaration; rows stay where they are."""
        self._ds = self._ds.clear_clustering()

    @property
    def optimize(self) -> DatasetOptimizer:
        """Maintenance: ds.optimize.compact_files()."""
        return DatasetOptimizer(self)

    # pyarrow's own would read memory that is not there: this class has none of its C++ dataset.

    @property
    def partition_expression(self) -> Any:
        """Not in this version."""
        raise unsupported("partition_expression")

    def filter(self, expression: Any) -> "LanceDataset":
        """Not in this version."""
        raise unsupported("LanceDataset.filter", "give the filter to to_table or scanner")

    def join(
        self,
        right_dataset: Any,
        keys: Any,
        right_keys: Any = None,
        join_type: str = "left outer",
        left_suffix: Optional[str] = None,
        right_suffix: Optional[str] = None,
        coalesce_keys: bool = True,
        use_threads: bool = True,
    ) -> Any:
        """Not in this version."""
        raise unsupported("LanceDataset.join", "join tables: to_table().join(...)")

    def join_asof(
        self,
        right_dataset: Any,
        on: str,
        by: Any,
        tolerance: int,
        right_on: Any = None,
        right_by: Any = None,
    ) -> Any:
        """Not in this version."""
        raise unsupported("LanceDataset.join_asof", "join tables: to_table().join_asof(...)")

    def replace_schema(self, schema: pa.Schema) -> Any:
        """Not in this version."""
        raise unsupported("replace_schema")

    def sort_by(self, sorting: Any, **kwargs: Any) -> Any:
        """Not in this version."""
        raise unsupported("LanceDataset.sort_by", "sort a table: to_table().sort_by(...)")


def _reopen(
    uri: str,
    version: int,
    storage_options: Optional[dict[str, str]],
    default_scan_options: Optional[dict[str, Any]],
) -> LanceDataset:
    """What a pickled dataset becomes."""
    return LanceDataset(
        uri,
        version,
        storage_options=storage_options,
        default_scan_options=default_scan_options,
    )


# Behind the class that they serve: each needs the other.
from .fragment import LanceFragment, fragment_of, fragments_of  # isort: skip
from .write import write_dataset  # isort: skip
