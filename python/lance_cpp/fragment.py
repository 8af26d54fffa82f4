"""Fragments: the horizontal slices of a table, read and written one by one."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Optional, Union

import pyarrow as pa
import pyarrow.dataset as pads

from . import _core
from ._columns import add_columns
from ._fragments import (
    DataFile,
    DeletionFile,
    FragmentMetadata,
    RowDatasetVersionMeta,
    RowIdMeta,
    all_metadata,
)
from ._inputs import Input, integers_of
from ._missing import KnowsItsGaps, module_getattr
from .errors import InvalidError, NotFoundError, refuse_given, unsupported
from .operations import DatasetBasePath, LanceOperation
from .schema import LanceSchema
from .session import Session
from .transaction import Transaction

if TYPE_CHECKING:
    from .dataset import LanceDataset, LanceScanner

__all__ = [
    "DataFile",
    "DeletionFile",
    "FragmentMetadata",
    "LanceFragment",
    "RowDatasetVersionMeta",
    "RowIdMeta",
    "write_fragments",
]

DEFAULT_MAX_BYTES_PER_FILE = 90 * 1024 * 1024 * 1024

__getattr__ = module_getattr(__name__)


class LanceFragment(KnowsItsGaps, pads.Fragment):
    """One fragment of one version."""

    _gaps = "LanceFragment"

    def __init__(
        self, dataset: "LanceDataset", fragment_id: Optional[int], *, fragment: Any = None
    ):
        if fragment is None:
            if fragment_id is None:
                raise InvalidError("Either fragment or fragment_id must be specified")
            fragment = _metadata_of(dataset).get(fragment_id)
        if fragment is None:
            raise InvalidError(f"Fragment id does not exist: {fragment_id}")
        self._ds = dataset
        self._fragment: FragmentMetadata = fragment

    def __repr__(self) -> str:
        return f"LanceFileFragment(id={self.fragment_id}, data_files={self._fragment.files})"

    def __reduce__(self) -> Any:
        return LanceFragment, (self._ds, self.fragment_id)

    @staticmethod
    def create(
        dataset_uri: Union[str, os.PathLike],
        data: Any,
        fragment_id: Optional[int] = None,
        schema: Optional[pa.Schema] = None,
        max_rows_per_group: Optional[int] = 1024,
        progress: Any = None,
        mode: str = "append",
        *,
        data_storage_version: Optional[str] = None,
        use_legacy_format: Optional[bool] = None,
        storage_options: Optional[dict[str, str]] = None,
        namespace_client: Any = None,
        table_id: Optional[list[str]] = None,
        session: Optional[Session] = None,
    ) -> FragmentMetadata:
        """Write rows as one fragment and commit nothing. The table need not be there.

        Parameters
        ----------
        dataset_uri : str or Path
            The table.
        data : Table, RecordBatchReader, ...
            The rows; what write_dataset takes.
        fragment_id : int, optional
            What the metadata says; the commit gives ids.
        mode : str
            "append": the columns of the table, if it is there. "create", "overwrite": new ones.

        The other parameters are those of write_dataset.
        """
        written = write_fragments(
            data,
            dataset_uri,
            schema,
            mode="overwrite" if mode == "create" else mode,
            max_rows_per_file=2**32 - 1,
            max_rows_per_group=max_rows_per_group,
            progress=progress,
            data_storage_version=data_storage_version,
            use_legacy_format=use_legacy_format,
            storage_options=storage_options,
            namespace_client=namespace_client,
            table_id=table_id,
            session=session,
        )
        if len(written) != 1:
            raise InvalidError(f"data makes {len(written)} fragments; allowed: 1")
        written[0].id = fragment_id or 0
        return written[0]

    @property
    def fragment_id(self) -> int:
        """Its id, unique in the table's history."""
        return self._fragment.id

    @property
    def metadata(self) -> FragmentMetadata:
        """What the version says of it."""
        return FragmentMetadata(**vars(self._fragment))

    @property
    def num_deletions(self) -> int:
        """Rows that are deleted."""
        return self._fragment.num_deletions

    @property
    def physical_rows(self) -> int:
        """Rows in its files, deleted ones included."""
        return self._fragment.physical_rows

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        return self._ds.schema

    def data_files(self) -> list[DataFile]:
        """Its data files."""
        return self.metadata.files

    def deletion_file(self) -> Optional[str]:
        """Where its deleted rows are listed, below the table."""
        deletions = self._fragment.deletion_file
        return None if deletions is None else deletions.path(self.fragment_id)

    def count_rows(self, filter: Any = None) -> int:  # pylint: disable=redefined-builtin
        """Count rows.

        Parameters
        ----------
        filter : str, pyarrow Expression or bytes, optional
            Rows for which it is true; None: all.
        """
        return self.scanner(filter=filter).count_rows()

    def head(self, num_rows: int) -> pa.Table:
        """The first rows.

        Parameters
        ----------
        num_rows : int
            At most so many.
        **kwargs
            As scanner takes them.
        """
        return self.scanner(limit=num_rows).to_table()

    def scanner(
        self,
        *,
        columns: Optional[Union[list[str], dict[str, str]]] = None,
        batch_size: Optional[int] = None,
        filter: Any = None,  # pylint: disable=redefined-builtin
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        with_row_id: bool = False,
        with_row_address: bool = False,
        batch_readahead: int = 16,
        blob_handling: Optional[str] = None,
        order_by: Any = None,
        use_scalar_index: Optional[bool] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Any = None,
        include_deleted_rows: Optional[bool] = None,
        batch_size_bytes: Optional[int] = None,
        strict_batch_size: Optional[bool] = None,
    ) -> "LanceScanner":
        """Prepare a scan; the parameters are those of LanceDataset.scanner."""
        options = dict(locals())
        del options["self"]
        return self._ds.scanner(fragments=[self], **options)

    def to_batches(
        self,
        *,
        columns: Optional[Union[list[str], dict[str, str]]] = None,
        batch_size: Optional[int] = None,
        filter: Any = None,  # pylint: disable=redefined-builtin
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        with_row_id: bool = False,
        with_row_address: bool = False,
        batch_readahead: int = 16,
        blob_handling: Optional[str] = None,
        order_by: Any = None,
        use_scalar_index: Optional[bool] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Any = None,
        include_deleted_rows: Optional[bool] = None,
        batch_size_bytes: Optional[int] = None,
        strict_batch_size: Optional[bool] = None,
    ) -> Iterator[pa.RecordBatch]:
        """Read batch by batch; the parameters are those of scanner."""
        options = dict(locals())
        del options["self"]
        return self.scanner(**options).to_batches()

    def to_table(
        self,
        columns: Optional[Union[list[str], dict[str, str]]] = None,
        filter: Any = None,  # pylint: disable=redefined-builtin
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        with_row_id: bool = False,
        with_row_address: bool = False,
        blob_handling: Optional[str] = None,
        order_by: Any = None,
        use_scalar_index: Optional[bool] = None,
        io_buffer_size: Optional[int] = None,
        late_materialization: Any = None,
        include_deleted_rows: Optional[bool] = None,
        batch_size_bytes: Optional[int] = None,
        strict_batch_size: Optional[bool] = None,
    ) -> pa.Table:
        """Read everything; the parameters are those of scanner."""
        options = dict(locals())
        del options["self"]
        return self.scanner(**options).to_table()

    def to_pandas(
        self,
        columns: Optional[Union[list[str], dict[str, str]]] = None,
        filter: Any = None,  # pylint: disable=redefined-builtin
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        batch_size: Optional[int] = None,
        with_row_id: bool = False,
        with_row_address: bool = False,
        blob_mode: str = "lazy",
        order_by: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Read everything into a pandas DataFrame; kwargs are those of Table.to_pandas."""
        scanner = self.scanner(
            columns=columns,
            filter=filter,
            limit=limit,
            offset=offset,
            batch_size=batch_size,
            with_row_id=with_row_id,
            with_row_address=with_row_address,
            order_by=order_by,
        )
        return scanner.to_pandas(blob_mode=blob_mode, **kwargs)

    def merge_columns(
        self,
        value_func: Any,
        columns: Optional[list[str]] = None,
        batch_size: Optional[int] = None,
        reader_schema: Optional[pa.Schema] = None,
    ) -> tuple[FragmentMetadata, LanceSchema]:
        """Write new columns for this fragment and commit nothing: for a LanceOperation.Merge.

        The parameters are those of LanceDataset.add_columns. Gives the fragment with the new file,
        and the schema with the new columns.
        """
        described, added = add_columns(
            self._ds, value_func, columns, reader_schema, batch_size, self.fragment_id
        )
        before = self._ds.lance_schema
        new = LanceSchema.from_pyarrow(added)._ids()
        first = self._ds.max_field_id + 1
        schema = pa.schema(list(before.to_pyarrow()) + list(added), before.to_pyarrow().metadata)
        ids = before._ids() + [first + number for number in new]
        return FragmentMetadata._of(described), LanceSchema._of(schema, ids)

    def delete(self, predicate: str) -> Optional[FragmentMetadata]:
        """Delete rows and commit nothing: for a LanceOperation.Delete.

        Gives the fragment with its new deletion file; None when no row is left.

        Parameters
        ----------
        predicate : str
            A condition in SQL.
        """
        left = _core.delete_from_fragment(self._ds._ds, self.fragment_id, predicate)
        return None if left is None else FragmentMetadata._of(left)

    # pyarrow's own would read memory that is not there: this class has none of its C++ fragment.

    def take(self, indices: Any, columns: Optional[list[str]] = None) -> pa.Table:
        """The rows at these positions among those that are left; as LanceDataset.take.

        Parameters
        ----------
        indices : list or array of int
            Positions, from 0.
        columns : list of str or dict, optional
            As in LanceDataset.take.
        """
        rows = integers_of(indices)
        beyond = [row for row in rows if not 0 <= row < self._fragment.num_rows]
        if beyond:
            raise InvalidError(
                f"fragment {self.fragment_id} has no row {beyond[0]}; it has "
                f"{self._fragment.num_rows} rows"
            )
        first = 0
        for fragment in _metadata_of(self._ds).values():
            if fragment.id == self.fragment_id:
                break
            first += fragment.num_rows
        return self._ds.take([first + row for row in rows], columns)

    @property
    def physical_schema(self) -> pa.Schema:
        """Not in this version, as in the reference."""
        raise unsupported("LanceFragment.physical_schema", "see schema")

    @property
    def partition_expression(self) -> Any:
        """Not in this version, as in the reference."""
        raise unsupported("LanceFragment.partition_expression")


def _metadata_of(dataset: "LanceDataset") -> dict[int, FragmentMetadata]:
    found = all_metadata(_core.fragments(dataset._ds))
    return {fragment.id: fragment for fragment in found}


def fragments_of(dataset: "LanceDataset") -> list[LanceFragment]:
    """LanceDataset.get_fragments."""
    found = _metadata_of(dataset)
    return [LanceFragment(dataset, None, fragment=fragment) for fragment in found.values()]


def fragment_of(dataset: "LanceDataset", fragment_id: int) -> Optional[LanceFragment]:
    """LanceDataset.get_fragment."""
    found = _metadata_of(dataset).get(fragment_id)
    return None if found is None else LanceFragment(dataset, None, fragment=found)


def write_fragments(
    data: Any,
    dataset_uri: Union[str, os.PathLike, "LanceDataset"],
    schema: Optional[pa.Schema] = None,
    *,
    return_transaction: bool = False,
    mode: str = "append",
    max_rows_per_file: int = 1024 * 1024,
    max_rows_per_group: Optional[int] = 1024,
    max_bytes_per_file: int = DEFAULT_MAX_BYTES_PER_FILE,
    data_cache_bytes: Optional[int] = None,
    max_page_bytes: Optional[int] = None,
    progress: Any = None,
    data_storage_version: Optional[str] = None,
    use_legacy_format: Optional[bool] = None,
    storage_options: Optional[dict[str, str]] = None,
    enable_stable_row_ids: bool = False,
    target_bases: Optional[list[str]] = None,
    target_all_bases: Optional[bool] = None,
    initial_bases: Optional[list[DatasetBasePath]] = None,
    base_store_params: Optional[dict[str, dict[str, str]]] = None,
    external_blob_mode: str = "reference",
    allow_external_blob_outside_bases: bool = False,
    namespace_client: Any = None,
    table_id: Optional[list[str]] = None,
    session: Optional[Session] = None,
) -> Union[list[FragmentMetadata], Transaction]:
    """Write rows as fragments and commit nothing: for a LanceOperation by a coordinator.

    Parameters
    ----------
    data : Table, RecordBatchReader, ...
        The rows; what write_dataset takes.
    dataset_uri : str, Path or LanceDataset
        The table, which need not be there.
    return_transaction : bool
        Give the transaction that LanceDataset.commit takes in place of fragments.
    mode : str
        "append": the columns of the table, if it is there. "create", "overwrite": new ones.

    The other parameters are those of write_dataset.
    """
    from .dataset import LanceDataset
    from .write import check_unwritten

    check_unwritten(
        data_cache_bytes=data_cache_bytes,
        progress=progress,
        use_legacy_format=use_legacy_format,
        base_store_params=base_store_params,
        external_blob_mode=external_blob_mode,
        allow_external_blob_outside_bases=allow_external_blob_outside_bases,
        namespace_client=namespace_client,
        table_id=table_id,
    )
    mode = mode.lower()
    if mode not in ("create", "append", "overwrite"):
        raise InvalidError(f'mode is "{mode}"; allowed: create, append, overwrite')
    if isinstance(dataset_uri, LanceDataset) and (session is not None or storage_options):
        raise InvalidError("a dataset brings its own session and storage_options")
    opening = {
        "session": None if session is None else session._session,
        "storage_options": storage_options,
    }
    if isinstance(dataset_uri, LanceDataset):
        existing, place = dataset_uri._ds, dataset_uri.uri
    else:
        existing, place = _find(os.fspath(dataset_uri), opening), os.fspath(dataset_uri)
    if existing is not None and mode == "create":
        raise InvalidError(f"Dataset already exists: {place}")
    options = {
        "max_rows_per_file": max_rows_per_file,
        "max_bytes_per_file": max_bytes_per_file,
        "max_page_bytes": max_page_bytes,
        "data_storage_version": None if data_storage_version == "stable" else data_storage_version,
        "enable_stable_row_ids": enable_stable_row_ids,
        "target_bases": target_bases,
        "target_all_bases": target_all_bases,
        "initial_bases": None if not initial_bases else [b._asdict() for b in initial_bases],
    }
    source = Input(data, schema)
    rows = pa.RecordBatchReader.from_stream(source)
    with source.reading():
        if existing is not None and mode == "append":
            described = _core.write_fragments_to_dataset(existing, rows, **options)
        else:
            described = _core.write_fragments_to_uri(place, rows.schema, rows, **opening, **options)
    written = all_metadata(described)
    if not return_transaction:
        return written
    operation: LanceOperation.BaseOperation = LanceOperation.Append(written)
    if existing is None or mode == "overwrite":
        new_schema = LanceSchema.from_pyarrow(rows.schema)
        operation = LanceOperation.Overwrite(new_schema, written, initial_bases or None)
    return Transaction(0 if existing is None else existing.version, operation)


def _find(place: str, opening: dict[str, Any]) -> Optional[_core.Dataset]:
    try:
        return _core.open_dataset(place, **opening)
    except NotFoundError as error:
        if error.kind != "table":
            raise
        return None
