"""Changes that are committed by hand: operations, and transactions from elsewhere."""

import dataclasses
import datetime
import os
import pathlib
import uuid
from typing import Any, Optional, Union

import pyarrow as pa

from . import _core
from ._missing import KnowsItsGaps
from .errors import InvalidError, refuse_given, unsupported


class LanceOperation(KnowsItsGaps):
    """What a commit does to a table. This version commits by hand what needs no new files."""

    _gaps = "LanceOperation"

    class BaseOperation:
        """What all operations are."""

    @dataclasses.dataclass
    class Restore(BaseOperation):
        """Make an older version the newest."""

        version: int

    @dataclasses.dataclass
    class Project(BaseOperation):
        """Keep the columns of a schema, in its order."""

        schema: pa.Schema
        preserves_nullability: bool = False


class _Made(LanceOperation.BaseOperation):
    """The operation of a transaction that the library made."""

    def __init__(self, transaction: _core.Transaction):
        self._transaction = transaction

    def __repr__(self) -> str:
        return f"<{self._transaction.operation} on version {self._transaction.read_version}>"


@dataclasses.dataclass
class Transaction:
    """A change that is no version yet, as MergeInsertBuilder.execute_uncommitted gives it.

    Its properties may be set until LanceDataset.commit takes it.
    """

    read_version: int
    operation: LanceOperation.BaseOperation
    uuid: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    transaction_properties: Optional[dict[str, str]] = dataclasses.field(default_factory=dict)

    @classmethod
    def _wrap(cls, made: _core.Transaction) -> "Transaction":
        return cls(made.read_version, _Made(made), made.uuid, dict(made.properties))


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
        """
        refuse_given(
            commit_lock=commit_lock,
            enable_v2_manifest_paths=enable_v2_manifest_paths,
            enable_stable_row_ids=enable_stable_row_ids,
            namespace_client=namespace_client,
            table_id=table_id,
            namespace_client_managed_versioning=namespace_client_managed_versioning or None,
            base_store_params=base_store_params,
        )
        dataset = _table_of(cls, base_uri, storage_options)
        options = {"max_retries": max_retries, "detached": bool(detached)}
        if commit_timeout is not None:
            options["retry_timeout_seconds"] = commit_timeout.total_seconds()
        if isinstance(operation, Transaction):
            if commit_message is not None:
                raise InvalidError("a transaction has its message among its properties")
            options["transaction_properties"] = operation.transaction_properties
            made = _made_of(operation)
        else:
            options["commit_message"] = commit_message
            made = _make(dataset, operation, read_version)
        dataset._ds = _core.commit_transaction(dataset._ds, made, **options)
        return dataset


def _table_of(kind: Any, base_uri: Any, storage_options: Optional[dict[str, str]]) -> Any:
    if isinstance(base_uri, Commits):
        dataset = kind.__new__(kind)
        dataset.__dict__.update(base_uri.__dict__)
        return dataset
    if not isinstance(base_uri, (str, pathlib.Path)):
        name = type(base_uri).__name__
        raise TypeError(f"base_uri is a {name}; allowed: str, Path, LanceDataset")
    return kind(os.fspath(base_uri), storage_options=storage_options)


def _made_of(transaction: Transaction) -> _core.Transaction:
    if not isinstance(transaction.operation, _Made):
        raise unsupported("a transaction around an operation", "commit the operation itself")
    made = transaction.operation._transaction
    if (transaction.uuid, transaction.read_version) != (made.uuid, made.read_version):
        raise InvalidError("uuid and read_version of a transaction cannot be changed")
    return made


def _make(dataset: Any, operation: Any, read_version: Optional[int]) -> _core.Transaction:
    if not isinstance(operation, LanceOperation.BaseOperation):
        raise TypeError(
            f"operation is a {type(operation).__name__}; allowed: a LanceOperation or a Transaction"
        )
    if isinstance(operation, LanceOperation.Restore):
        basis = dataset._ds if read_version is None else dataset._ds.checkout(version=read_version)
        return _core.restore_transaction(basis, operation.version)
    if isinstance(operation, LanceOperation.Project):
        if read_version is None:
            raise InvalidError("read_version is missing; only a Restore needs none")
        basis = dataset._ds.checkout(version=read_version)
        return _core.project_transaction(basis, operation.schema)
    raise unsupported(f"committing a {type(operation).__name__} by hand", "commit its transaction")
