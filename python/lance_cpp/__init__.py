"""Lance tables with liquid clustering: native C++ underneath, the reference's names on top.

    import lance_cpp as lance

    ds = lance.write_dataset(table, "flights.lance")
    ds.set_clustering(["dest", "time_hour"])
    ds.to_table(columns=["flight"], filter="dest = 'LAX'")

Single files without a table: lance_cpp.file.
"""

import datetime
import os
from typing import Any, Optional, Union

# Before _core: it loads the Arrow libraries, and pyarrow knows where they are.
import pyarrow  # isort: skip

from ._core import __version__
from ._missing import module_getattr
from .blob import BlobFile
from .dataset import (
    CompactionMetrics,
    DatasetBasePath,
    FragmentMetadata,
    Index,
    IndexDescription,
    IndexFile,
    LanceDataset,
    LanceFragment,
    LanceOperation,
    LanceScanner,
    MergeInsertBuilder,
    ScanStatistics,
    Session,
    Transaction,
    write_dataset,
)
from .scan_plan import ScanTask
from .scanner import ColumnOrdering
from .errors import (
    AlreadyExistsError,
    CancelledError,
    CommitConflictError,
    CommitUnknownError,
    CorruptError,
    InternalError,
    InvalidError,
    LanceError,
    NotFoundError,
    OverBudgetError,
    StorageError,
    UnsupportedError,
)
from .history import (
    CleanupCandidateFile,
    CleanupExplanation,
    CleanupReferencedBranch,
    CleanupStats,
)
from .tags import as_of_argument
from .udf import BatchUDF, batch_udf

__all__ = [
    "AlreadyExistsError",
    "BatchUDF",
    "BlobFile",
    "CancelledError",
    "CleanupCandidateFile",
    "CleanupExplanation",
    "CleanupReferencedBranch",
    "CleanupStats",
    "CommitConflictError",
    "CommitUnknownError",
    "CompactionMetrics",
    "CorruptError",
    "DatasetBasePath",
    "FragmentMetadata",
    "Index",
    "IndexDescription",
    "IndexFile",
    "InternalError",
    "InvalidError",
    "LanceDataset",
    "LanceError",
    "LanceFragment",
    "LanceOperation",
    "ColumnOrdering",
    "LanceScanner",
    "MergeInsertBuilder",
    "NotFoundError",
    "OverBudgetError",
    "ScanStatistics",
    "ScanTask",
    "Session",
    "StorageError",
    "Transaction",
    "UnsupportedError",
    "__version__",
    "batch_udf",
    "dataset",
    "write_dataset",
]

__getattr__ = module_getattr(__name__)


# Stands in front of the module of this name, as in the reference; that one is still imported by
# "from lance_cpp.dataset import ...".
def dataset(
    uri: Optional[Union[str, os.PathLike]] = None,
    version: Optional[Union[int, str]] = None,
    asof: Union[datetime.datetime, str, None] = None,
    block_size: Optional[int] = None,
    commit_lock: Any = None,
    index_cache_size: Optional[int] = None,
    storage_options: Optional[dict[str, str]] = None,
    default_scan_options: Optional[dict[str, Any]] = None,
    metadata_cache_size_bytes: Optional[int] = None,
    index_cache_size_bytes: Optional[int] = None,
    read_params: Optional[dict[str, Any]] = None,
    session: Optional[Session] = None,
    namespace_client: Any = None,
    table_id: Optional[list[str]] = None,
    base_store_params: Optional[dict[str, dict[str, str]]] = None,
) -> LanceDataset:
    """Open a table.

    Parameters
    ----------
    uri : str or Path
        Where the table lies.
    version : int or str, optional
        A number, or the name of a tag; None: the newest.
    asof : datetime or str, optional
        Without version: the newest version that is earlier than this time.
    storage_options : dict, optional
        Options of the store.
    default_scan_options : dict, optional
        Arguments that every scan of this dataset gets unless it has its own.
    index_cache_size_bytes, metadata_cache_size_bytes : int, optional
        Bytes of loaded indices, and of metadata of opened data files, that are kept. A session has
        its own bounds.
    block_size, index_cache_size : int, optional
        Hints that no answer depends on: checked, and left to the library.
    session : Session, optional
        Memory, threads and caches to share.

    The other parameters are the reference's and raise UnsupportedError when they are given.
    """
    if uri is None and namespace_client is None and table_id is None:
        raise InvalidError("uri is None; allowed: the place of a table")
    as_of = {} if version is not None or asof is None else as_of_argument(asof)
    opened = LanceDataset(
        "" if uri is None else uri,
        version,
        block_size,
        index_cache_size,
        commit_lock=commit_lock,
        storage_options=storage_options,
        default_scan_options=default_scan_options,
        metadata_cache_size_bytes=metadata_cache_size_bytes,
        index_cache_size_bytes=index_cache_size_bytes,
        read_params=read_params,
        session=session,
        namespace_client=namespace_client,
        table_id=table_id,
        base_store_params=base_store_params,
    )
    if as_of:
        opened._ds = opened._ds.checkout(**as_of)
    return opened
