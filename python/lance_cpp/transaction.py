"""Changes that are committed by hand: operations, and transactions from elsewhere."""

import dataclasses
import datetime
import os
import pathlib
import uuid
from collections.abc import Callable
from typing import Any, Optional, Union

import pyarrow as pa

from . import _core
from ._stored import show
from .errors import InvalidError, NotFoundError, refuse_given, unsupported
from .operations import DatasetBasePath, LanceOperation
from .schema import LanceSchema


@dataclasses.dataclass
class Transaction:
    """A change that is no version yet; LanceDataset.commit takes it.

    One that the library made, as MergeInsertBuilder.execute_uncommitted does, knows more than its
    operation says, and is committed as it was made while operation, uuid and read_version stay.
    """

    read_version: int
    operation: LanceOperation.BaseOperation
    uuid: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    transaction_properties: Optional[dict[str, str]] = dataclasses.field(default_factory=dict)

    @classmethod
    def _wrap(cls, made: _core.Transaction) -> "Transaction":
        transaction = cls(made.read_version, show(made), made.uuid, dict(made.properties))
        transaction._made = made
        return transaction


class Commits:
    """What a dataset does with operations and transactions, and with the names of its versions."""

    _ds: _core.Dataset

    def migrate_manifest_paths_v2(self) -> None:
        """Name all manifests so that the newest sorts first, as new tables do from the start.

        It can be run any number of times; nobody may write to the table meanwhile. When it stops
        half-way, open a single version and run it again.
        """
        self._ds = self._ds.migrate_manifest_paths_v2()

    @classmethod
    def commit(
        cls,
        base_uri: Union[str, pathlib.Path, "Commits"],
        operation: Union[LanceOperation.BaseOperation, Transaction],
        read_version: Optional[int] = None,
        commit_lock: Any = None,
        storage_options: Optional[dict[str, str]] = None,
        enable_v2_manifest_paths: Optional[bool] = None,
        detached: Optional[bool] = False,
        max_retries: int = 20,
        *,
        commit_message: Optional[str] = None,
        enable_stable_row_ids: Optional[bool] = None,
        namespace_client: Any = None,
        table_id: Optional[list[str]] = None,
        namespace_client_managed_versioning: bool = False,
        base_store_params: Optional[dict[str, dict[str, str]]] = None,
        commit_timeout: Optional[datetime.timedelta] = datetime.timedelta(seconds=1800),
    ) -> Any:
        """Commit a change to a table that is there. Gives the version that holds it.

        Parameters
        ----------
        base_uri : str, Path or LanceDataset
            The table.
        operation : LanceOperation.BaseOperation or Transaction
            What to do to it.
        read_version : int, optional
            The version that the operation was made on; only a Restore needs none.
        detached : bool
            Commit a version that is never the newest and is not listed.
        max_retries, commit_timeout
            How often and how long to try again when others win the race.
        commit_message : str, optional
            Kept with the commit. Of a transaction, a property.
        storage_options : dict, optional
            Options of the store.
        enable_v2_manifest_paths, enable_stable_row_ids : bool, optional
            None: as the table has it.

        The other parameters are the reference's and raise UnsupportedError when they are given.
        """
        refuse_given(
            commit_lock=commit_lock,
            namespace_client=namespace_client,
            table_id=table_id,
            namespace_client_managed_versioning=namespace_client_managed_versioning or None,
            base_store_params=base_store_params,
        )
        options: dict[str, Any] = {"max_retries": max_retries, "commit_message": commit_message}
        if commit_timeout is not None:
            options["retry_timeout_seconds"] = commit_timeout.total_seconds()
        if isinstance(operation, Transaction):
            if commit_message is not None:
                raise InvalidError("a transaction has its message among its properties")
            options["transaction_properties"] = operation.transaction_properties
        elif not isinstance(operation, LanceOperation.BaseOperation):
            raise TypeError(
                f"operation is a {type(operation).__name__}; allowed: a LanceOperation or a "
                "Transaction"
            )
        elif read_version is None and not isinstance(operation, _NEED_NO_VERSION):
            raise InvalidError("read_version is missing; only Overwrite and Restore need none")
        try:
            dataset = _table_of(cls, base_uri, storage_options)
        except NotFoundError as error:
            if error.kind != "table" or not isinstance(_inner(operation), LanceOperation.Overwrite):
                raise
            creation = {
                "enable_v2_manifest_paths": enable_v2_manifest_paths,
                "enable_stable_row_ids": enable_stable_row_ids,
            }
            place = os.fspath(base_uri)
            made = _create(place, operation, storage_options, bool(detached), creation | options)
            return cls._of(made, place, storage_options)
        made = _made_of(dataset, operation, read_version)
        dataset._ds = _core.commit_transaction(
            dataset._ds, made, detached=bool(detached), **options
        )
        return dataset

    def base_paths(self) -> dict[int, DatasetBasePath]:
        """The places besides its own that files of the table can be in, by id."""
        return {base["id"]: DatasetBasePath(**base) for base in _core.base_paths(self._ds)}

    def add_bases(
        self,
        new_bases: list,
        transaction_properties: Optional[dict[str, str]] = None,
    ) -> Any:
        """Add places that files of the table can be in. Gives the dataset itself.

        Parameters
        ----------
        new_bases : list of DatasetBasePath
            The places.
        transaction_properties : dict of str to str, optional
            Kept with the commit.
        """
        made = _core.update_bases_transaction(self._ds, [base._asdict() for base in new_bases])
        self._ds = _core.commit_transaction(
            self._ds, made, transaction_properties=transaction_properties
        )
        return self

    @property
    def lance_schema(self) -> LanceSchema:
        """The columns with the ids of all fields."""
        return LanceSchema._of(pa.schema(self._ds.schema), _core.field_ids(self._ds))

    @property
    def max_field_id(self) -> int:
        """The largest field id that the table knows of."""
        return _core.max_field_id(self._ds)


_NEED_NO_VERSION = (LanceOperation.Overwrite, LanceOperation.Restore)


def _table_of(kind: Any, base_uri: Any, storage_options: Optional[dict[str, str]]) -> Any:
    if isinstance(base_uri, Commits):
        dataset = kind.__new__(kind)
        dataset.__dict__.update(base_uri.__dict__)
        return dataset
    if not isinstance(base_uri, (str, pathlib.Path)):
        name = type(base_uri).__name__
        raise TypeError(f"base_uri is a {name}; allowed: str, Path, LanceDataset")
    return kind(os.fspath(base_uri), storage_options=storage_options)


def _inner(operation: Any) -> Any:
    return operation.operation if isinstance(operation, Transaction) else operation


def _create(
    place: str,
    operation: Any,
    storage_options: Optional[dict[str, str]],
    detached: bool,
    options: dict[str, Any],
) -> _core.Dataset:
    """Create a table by an Overwrite, which is all that can."""
    overwrite = _inner(operation)
    if detached:
        raise InvalidError(f"table {place} is not there; a detached version needs one")
    schema, ids = _schema(overwrite.new_schema)
    if ids and ids != list(range(len(ids))):
        raise unsupported("a new table with field ids that do not count from 0")
    return _core.create_from_fragments(
        place,
        schema,
        _all(overwrite.fragments),
        operation.uuid if isinstance(operation, Transaction) else None,
        storage_options=storage_options,
        initial_bases=[base._asdict() for base in overwrite.initial_bases or []],
        **options,
    )


def _made_of(dataset: Any, operation: Any, read_version: Optional[int]) -> _core.Transaction:
    if not isinstance(operation, Transaction):
        return _make(dataset, operation, read_version)
    made = getattr(operation, "_made", None)
    if made is not None and operation.operation == show(made):
        if (operation.uuid, operation.read_version) != (made.uuid, made.read_version):
            raise InvalidError("uuid and read_version of a transaction cannot be changed")
        return made
    made = _make(dataset, operation.operation, operation.read_version)
    return made.with_uuid(operation.uuid)


def _make(dataset: Any, operation: Any, read_version: Optional[int]) -> _core.Transaction:
    for kind, maker in _MAKERS.items():
        if isinstance(operation, kind):
            basis = dataset._ds
            if read_version is not None:
                basis = basis.checkout(version=read_version)
            return maker(basis, operation)
    raise unsupported(f"committing a {type(operation).__name__} by hand", "commit its transaction")


def _all(fragments: Any) -> list[dict[str, Any]]:
    return [fragment._asdict() for fragment in fragments]


def _schema(schema: Any) -> tuple[pa.Schema, list[int]]:
    if isinstance(schema, LanceSchema):
        return schema.to_pyarrow(), schema._ids()
    return schema, []


def _overwrite(basis: _core.Dataset, operation: Any) -> _core.Transaction:
    if operation.initial_bases:
        raise InvalidError("initial_bases are for tables that are created; see add_bases")
    schema, ids = _schema(operation.new_schema)
    return _core.overwrite_transaction(basis, schema, ids, _all(operation.fragments))


def _update(basis: _core.Dataset, operation: Any) -> _core.Transaction:
    refuse_given(updated_fragment_offsets=operation.updated_fragment_offsets)
    modes = {"": False, "rewrite_rows": False, "rewrite_columns": True}
    if operation.update_mode not in modes:
        allowed = ", ".join(filter(None, modes))
        raise InvalidError(f"update_mode is {operation.update_mode!r}; allowed: {allowed}")
    return _core.update_transaction(
        basis,
        removed_fragment_ids=operation.removed_fragment_ids,
        updated_fragments=_all(operation.updated_fragments),
        new_fragments=_all(operation.new_fragments),
        fields_modified=operation.fields_modified,
        fields_for_preserving_frag_bitmap=operation.fields_for_preserving_frag_bitmap,
        rewrites_columns=modes[operation.update_mode],
    )


def _rewrite(basis: _core.Dataset, operation: Any) -> _core.Transaction:
    if list(operation.rewritten_indices):
        raise unsupported("rewritten_indices", "build indices anew after the rewrite")
    groups = [(_all(group.old_fragments), _all(group.new_fragments)) for group in operation.groups]
    return _core.rewrite_transaction(basis, groups)


def _update_config(basis: _core.Dataset, operation: Any) -> _core.Transaction:
    updates = [
        (target, "", update.updates, update.replace)
        for target, update in (
            ("config", operation.config_updates),
            ("table", operation.table_metadata_updates),
            ("schema", operation.schema_metadata_updates),
        )
        if update is not None
    ]
    paths = LanceSchema._of(pa.schema(basis.schema), _core.field_ids(basis))._paths()
    for field_id, update in (operation.field_metadata_updates or {}).items():
        if field_id not in paths:
            raise InvalidError(f"field id {field_id} is not in the schema")
        updates.append(("field", paths[field_id], update.updates, update.replace))
    return _core.update_config_transaction(basis, updates)


def _segments(indices: Any) -> list[dict[str, Any]]:
    return [index._asdict() for index in indices]


_MAKERS: dict[type, Callable[[_core.Dataset, Any], _core.Transaction]] = {
    LanceOperation.Append: lambda basis, o: _core.append_transaction(basis, _all(o.fragments)),
    LanceOperation.Overwrite: _overwrite,
    LanceOperation.Delete: lambda basis, o: _core.delete_transaction(
        basis, _all(o.updated_fragments), o.deleted_fragment_ids, o.predicate
    ),
    LanceOperation.Update: _update,
    LanceOperation.Merge: lambda basis, o: _core.merge_transaction(
        basis, *_schema(o.schema), _all(o.fragments)
    ),
    LanceOperation.Project: lambda basis, o: _core.project_transaction(basis, *_schema(o.schema)),
    LanceOperation.Restore: lambda basis, o: _core.restore_transaction(basis, o.version),
    LanceOperation.Rewrite: _rewrite,
    LanceOperation.DataReplacement: lambda basis, o: _core.data_replacement_transaction(
        basis, [(group.fragment_id, group.new_file._asdict()) for group in o.replacements]
    ),
    LanceOperation.UpdateConfig: _update_config,
    LanceOperation.CreateIndex: lambda basis, o: _core.create_index_transaction(
        basis, _segments(o.new_indices), _segments(o.removed_indices)
    ),
}
