"""Writing tables."""

import os
from collections.abc import Callable
from typing import Any, Optional, Union

import pyarrow as pa

from . import _core
from ._hints import check_count
from ._inputs import Input
from .dataset import LanceDataset
from .errors import InvalidError, NotFoundError, refuse_given, unsupported
from .history import AutoCleanupConfig
from .session import Session

Observer = Callable[[dict[str, Any]], None]


def check_unwritten(**arguments: Any) -> None:
    """Refuse the arguments of write_dataset that this version does not have."""
    for name, default in (
        ("external_blob_mode", "reference"),
        ("allow_external_blob_outside_bases", False),
    ):
        if arguments.pop(name) == default:
            continue
        raise unsupported(name)
    refuse_given(**arguments)


def _clustering_arguments(cluster_by: Any, declare: bool) -> dict[str, Any]:
    if cluster_by is False:
        return {"keep_order": True, "declare": declare}
    return {"cluster_by": cluster_by, "declare": declare}


# What a part of AutoCleanupConfig is when it is left out, as in the reference, and the most that a
# reader of the configuration understands.
_CLEANUP_PARTS = {"interval": (20, 2**64 - 1), "older_than_seconds": (14 * 86_400, 2**63 // 10**9)}


def _cleanup_config(given: Any) -> dict[str, str]:
    """The configuration that lets commits clean up."""
    if not isinstance(given, dict):
        kind = type(given).__name__
        raise TypeError(f"auto_cleanup_options is a {kind}; allowed: a dict of AutoCleanupConfig")
    for name in given:
        if name not in _CLEANUP_PARTS:
            allowed = ", ".join(_CLEANUP_PARTS)
            raise InvalidError(f"auto_cleanup_options has {name!r}; allowed: {allowed}")
    parts = {}
    for name, (default, most) in _CLEANUP_PARTS.items():
        value = default if given.get(name) is None else given[name]
        parts[name] = check_count(f"auto_cleanup_options {name}", value, 0)
        if parts[name] > most:
            raise InvalidError(f"auto_cleanup_options {name} is {value}; allowed: 0 to {most}")
    return {
        "lance.auto_cleanup.interval": str(parts["interval"]),
        "lance.auto_cleanup.older_than": f"{parts['older_than_seconds']}s",
    }


def write_dataset(
    data_obj: Any,
    uri: Optional[Union[str, os.PathLike, LanceDataset]] = None,
    schema: Optional[pa.Schema] = None,
    mode: str = "create",
    *,
    max_rows_per_file: int = 1024 * 1024,
    max_rows_per_group: int = 1024,
    max_bytes_per_file: int = 90 * 1024 * 1024 * 1024,
    data_cache_bytes: Optional[int] = None,
    max_page_bytes: Optional[int] = None,
    commit_lock: Any = None,
    progress: Any = None,
    storage_options: Optional[dict[str, str]] = None,
    data_storage_version: Optional[str] = None,
    use_legacy_format: Optional[bool] = None,
    enable_v2_manifest_paths: bool = True,
    enable_stable_row_ids: bool = False,
    auto_cleanup_options: Optional[AutoCleanupConfig] = None,
    commit_message: Optional[str] = None,
    transaction_properties: Optional[dict[str, str]] = None,
    initial_bases: Any = None,
    target_bases: Optional[list[str]] = None,
    target_all_bases: Optional[bool] = None,
    base_store_params: Optional[dict[str, dict[str, str]]] = None,
    external_blob_mode: str = "reference",
    allow_external_blob_outside_bases: bool = False,
    blob_pack_file_size_threshold: Optional[int] = None,
    namespace_client: Any = None,
    table_id: Optional[list[str]] = None,
    session: Optional[Session] = None,
    cluster_by: Union[list[str], bool, None] = None,
    declare: bool = False,
    observer: Optional[Observer] = None,
) -> LanceDataset:
    """Write rows to a table and commit them.

    Parameters
    ----------
    data_obj
        A Table, RecordBatch, RecordBatchReader, dataset, scanner, pandas or polars DataFrame, dict
        of columns, list of dicts, anything else with __arrow_c_stream__, or, with schema, an
        iterable of RecordBatch.
    uri : str, Path or LanceDataset
        Where the table lies.
    schema : pyarrow.Schema, optional
        The columns; rows are cast to them.
    mode : str
        "create", "append" (creates a table that is not there) or "overwrite".
    max_rows_per_file, max_bytes_per_file : int
        Most rows of one data file; soft bound of its bytes.
    max_rows_per_group : int
        Of no effect: files from version 2.0 on have no groups.
    max_page_bytes : int, optional
        Soft bound of the bytes of one column that make a page.
    storage_options : dict, optional
        Options of the store.
    data_storage_version : str, optional
        Version of the data files; None or "stable": the table's, for a new one the default.
    enable_v2_manifest_paths : bool
        Name manifests so that the newest sorts first.
    enable_stable_row_ids : bool
        Call rows by ids that stay when they move; for new tables.
    auto_cleanup_options : AutoCleanupConfig, optional
        Let commits remove old versions of a new table; what is left out is 20 commits and 14 days.
        A table that is there keeps its own: ds.optimize.enable_auto_cleanup changes it.
    initial_bases : list of DatasetBasePath, optional
        Places besides its own that files of a new table can be in.
    target_bases : list of str, optional
        Names or paths of such places that get the data files, in turn; None: the table itself.
    target_all_bases : bool, optional
        All such places in turn, the table itself first (True) or not at all (False).
    commit_message, transaction_properties
        Kept with the commit.
    session : Session, optional
        Memory, threads and caches to share.
    cluster_by : list of str or False, optional
        None: rows of a declared table arrive in its order, others keep theirs. False: rows keep
        their order. Columns: sort by them, once.
    declare : bool
        Create the table and declare cluster_by as its layout, in one commit.
    observer : callable, optional
        Called with a dict for each report of progress, from any thread.

    The other parameters are the reference's and raise UnsupportedError when they are given.
    """
    check_count("max_rows_per_group", max_rows_per_group)
    check_unwritten(
        external_blob_mode=external_blob_mode,
        allow_external_blob_outside_bases=allow_external_blob_outside_bases,
        data_cache_bytes=data_cache_bytes,
        commit_lock=commit_lock,
        progress=progress,
        use_legacy_format=use_legacy_format or None,
        base_store_params=base_store_params,
        blob_pack_file_size_threshold=blob_pack_file_size_threshold,
        namespace_client=namespace_client,
        table_id=table_id,
    )
    cleanup = None if auto_cleanup_options is None else _cleanup_config(auto_cleanup_options)
    options = dict(
        max_rows_per_file=max_rows_per_file,
        max_bytes_per_file=max_bytes_per_file,
        max_page_bytes=max_page_bytes,
        data_storage_version=None if data_storage_version == "stable" else data_storage_version,
        enable_v2_manifest_paths=enable_v2_manifest_paths,
        enable_stable_row_ids=enable_stable_row_ids,
        target_bases=target_bases,
        target_all_bases=target_all_bases,
        initial_bases=None if not initial_bases else [base._asdict() for base in initial_bases],
        commit_message=commit_message,
        transaction_properties=transaction_properties,
        **_clustering_arguments(cluster_by, declare),
    )
    source = Input(data_obj, schema)
    if isinstance(uri, LanceDataset):
        if session is not None or storage_options is not None:
            raise InvalidError("a dataset brings its own session and storage_options")
        written = _write_to_dataset(uri._ds, source, mode.lower(), observer, options)
        return LanceDataset._of(written, uri._uri, uri._storage_options)
    if uri is None:
        raise InvalidError("uri is None; allowed: the place of a table, or a LanceDataset")
    place = os.fspath(uri)
    opening = (None if session is None else session._session, storage_options)
    options["config"] = cleanup
    written = _write_to_place(place, opening, source, mode.lower(), observer, options)
    return LanceDataset._of(written, place, storage_options)


def _write_to_dataset(
    dataset: _core.Dataset,
    source: Input,
    mode: str,
    observer: Optional[Observer],
    options: dict[str, Any],
) -> _core.Dataset:
    with source.reading():
        written, _ = _core.write_to_dataset(dataset, source, mode, observer, **options)
    return written


def _write_to_place(
    place: str,
    opening: tuple[Optional[_core.Session], Optional[dict[str, str]]],
    source: Input,
    mode: str,
    observer: Optional[Observer],
    options: dict[str, Any],
) -> _core.Dataset:
    session, storage_options = opening
    if mode == "append" or (mode == "overwrite" and options["config"]):
        # As in the reference, both make a table that is not there, and only then configure it.
        try:
            existing = _core.open_dataset(place, session, storage_options=storage_options)
        except NotFoundError as error:
            if error.kind != "table":
                raise
            mode = "create"
        else:
            options["config"] = None
            if mode == "append":
                return _write_to_dataset(existing, source, mode, observer, options)
    with source.reading():
        written, _ = _core.write_to_uri(
            place, source, mode, session, observer, storage_options=storage_options, **options
        )
    return written
