"""What became of a table: its versions, what is different between them, and their end."""

import dataclasses
import datetime
import json
from collections.abc import Callable
from typing import Any, Optional, TypedDict

import pyarrow as pa

from . import _core
from ._streams import reader_of
from .errors import InvalidError, NotFoundError
from .transaction import Transaction

Observer = Callable[[dict[str, Any]], None]

LANCE_COMMIT_MESSAGE_KEY = "__lance_commit_message"

_MICROSECOND = datetime.timedelta(microseconds=1)
_DEFAULT_AGE = datetime.timedelta(days=14)


class AutoCleanupConfig(TypedDict):
    """When a commit cleans up after itself."""

    interval: int
    older_than_seconds: int


@dataclasses.dataclass(frozen=True)
class CleanupStats:
    """What a cleanup removed."""

    bytes_removed: int
    old_versions: int
    data_files_removed: int
    transaction_files_removed: int
    index_files_removed: int
    deletion_files_removed: int
    failed_deletes: int

    @classmethod
    def _of(cls, document: str) -> "CleanupStats":
        fields = json.loads(document)
        return cls(**{field.name: fields[field.name] for field in dataclasses.fields(cls)})


@dataclasses.dataclass(frozen=True)
class CleanupCandidateFile:
    """A file that a cleanup would remove; unverified: no version ever named it."""

    path: str
    kind: str
    unverified: bool
    size_bytes: int


@dataclasses.dataclass(frozen=True)
class CleanupReferencedBranch:
    """A branch for which the version that it began at stays."""

    name: str
    referenced_version: int
    cleanup_candidate: bool


@dataclasses.dataclass(frozen=True)
class CleanupExplanation:
    """What a cleanup would do."""

    read_version: int
    stats: CleanupStats
    candidate_files: list[CleanupCandidateFile]
    candidate_files_truncated: bool
    candidate_file_limit: int
    referenced_branches: list[CleanupReferencedBranch]
    warnings: list[str]


class DatasetDelta:
    """What is different between two versions; LanceDataset.delta gives it."""

    def __init__(self, delta: tuple[_core.Dataset, int, int]):
        self._delta = delta

    def list_transactions(self) -> list[Transaction]:
        """What was committed behind the older version up to the newer one, oldest first."""
        _, begin, end = self._delta
        found = _core.diff_transactions(*self._delta)
        missing = set(range(begin + 1, end + 1)) - {version for version, _ in found}
        if missing:
            raise NotFoundError(f"version {min(missing)} is not there any more")
        return [Transaction._wrap(made) for _, made in found if made is not None]

    def get_inserted_rows(self) -> pa.RecordBatchReader:
        """The rows that were created behind the older version, as they are in the newer one."""
        return reader_of(_core.diff_inserted(*self._delta))

    def get_updated_rows(self) -> pa.RecordBatchReader:
        """The rows of the older version that were changed since, as they are in the newer one."""
        return reader_of(_core.diff_updated(*self._delta))

    def get_deleted_row_ids(self) -> pa.RecordBatchReader:
        """_rowid of the rows of the older version that are gone in the newer one, ascending."""
        return reader_of(_core.diff_deleted_row_ids(*self._delta))


class History:
    """What a dataset knows of its versions, and how old ones go."""

    _ds: _core.Dataset

    def history(self, max_entries: int = 100) -> list[dict[str, Any]]:
        """The versions up to this one with what made them, newest first.

        Each is a dict, docs/guide/json.md "history_entry". Counts that are not known are None.

        Parameters
        ----------
        max_entries : int
            Most versions.
        """
        return [json.loads(entry) for entry in _core.history(self._ds, max_entries)]

    def get_transactions(self, recent_transactions: int = 10) -> list[Optional[Transaction]]:
        """The transactions of this version and those before it; None: it cannot be read.

        Parameters
        ----------
        recent_transactions : int
            Most versions.
        """
        found = _core.transactions(self._ds, max(recent_transactions, 1))
        return [None if made is None else Transaction._wrap(made) for _, made in found]

    def read_transaction(self, version: int) -> Optional[Transaction]:
        """The transaction that made a version; None: it cannot be read.

        Parameters
        ----------
        version : int
            Its number.
        """
        [(_, made)] = _core.transactions(self._ds.checkout(version=version), 1)
        return None if made is None else Transaction._wrap(made)

    def delta(
        self,
        compared_against: Optional[int] = None,
        *,
        begin_version: Optional[int] = None,
        end_version: Optional[int] = None,
    ) -> DatasetDelta:
        """What is different between two versions of a table with stable row ids.

        Parameters
        ----------
        compared_against : int, optional
            The older version; the newer one is this one.
        begin_version, end_version : int, optional
            The older and the newer version.
        """
        if compared_against is not None:
            begin_version, end_version = compared_against, self._ds.version
        if begin_version is None or end_version is None:
            raise InvalidError("give compared_against, or begin_version and end_version")
        return DatasetDelta((self._ds, begin_version, end_version))

    def cleanup_old_versions(
        self,
        older_than: Optional[datetime.timedelta] = None,
        retain_versions: Optional[int] = None,
        *,
        delete_unverified: bool = False,
        error_if_tagged_old_versions: bool = True,
        delete_rate_limit: Optional[int] = None,
        versions: Optional[list[int]] = None,
        delete_concurrency: Optional[int] = None,
        observer: Optional[Observer] = None,
    ) -> CleanupStats:
        """Remove old versions, and the files that no version needs any more.

        Versions that meet all that is given go; this one, newer ones and tagged ones stay. See
        docs/guide/history.md.

        Parameters
        ----------
        older_than : timedelta, optional
            Versions that were committed longer ago; nothing given: two weeks.
        retain_versions : int, optional
            Versions before the newest so many.
        delete_unverified : bool
            Also young files that no version ever named. Only when nobody else writes.
        error_if_tagged_old_versions : bool
            Fail when a version that would go is tagged; False: it stays.
        delete_rate_limit : int, optional
            Most deletions in a second.
        versions : list of int, optional
            Only these versions.
        delete_concurrency : int, optional
            Most deletions at once.
        observer : callable, optional
            Called with a dict for each report of progress, from any thread.
        """
        if delete_concurrency is not None and delete_concurrency < 1:
            raise InvalidError(f"delete_concurrency is {delete_concurrency}; allowed: 1 or more")
        options = _cleanup_options(older_than, retain_versions, versions)
        stats, _, _, _ = _core.cleanup_old_versions(
            self._ds,
            observer,
            delete_concurrency,
            delete_unverified=delete_unverified,
            error_if_tagged_old_versions=error_if_tagged_old_versions,
            delete_rate_limit=delete_rate_limit,
            **options,
        )
        return CleanupStats._of(stats)

    def explain_cleanup_old_versions(
        self,
        older_than: Optional[datetime.timedelta] = None,
        retain_versions: Optional[int] = None,
        *,
        delete_unverified: bool = False,
        error_if_tagged_old_versions: bool = True,
        delete_rate_limit: Optional[int] = None,
        versions: Optional[list[int]] = None,
        include_files: bool = False,
        max_files: int = 1000,
    ) -> CleanupExplanation:
        """Say what cleanup_old_versions would remove; its parameters mean the same.

        Parameters
        ----------
        include_files : bool
            Name the files, at most max_files of them; the sums are always of all.
        max_files : int
            Most names.
        older_than, retain_versions, versions, delete_rate_limit
            As cleanup_old_versions takes them.
        delete_unverified, error_if_tagged_old_versions : bool
            As cleanup_old_versions takes them.
        """
        if max_files <= 0:
            raise InvalidError("max_files must be positive")
        options = _cleanup_options(older_than, retain_versions, versions)
        stats, files, read_version, branches = _core.cleanup_old_versions(
            self._ds,
            None,
            None,
            delete_unverified=delete_unverified,
            error_if_tagged_old_versions=error_if_tagged_old_versions,
            delete_rate_limit=delete_rate_limit,
            dry_run=True,
            **options,
        )
        # As there: from the root of the store, without its first slash.
        place = self._ds.uri.lstrip("/")
        shown = files[:max_files] if include_files else []
        return CleanupExplanation(
            read_version=read_version,
            stats=CleanupStats._of(stats),
            candidate_files=[
                CleanupCandidateFile(f"{place}/{path}", *others) for path, *others in shown
            ],
            candidate_files_truncated=include_files and len(files) > max_files,
            candidate_file_limit=max_files,
            referenced_branches=[
                CleanupReferencedBranch(name, version, False) for name, version in branches
            ],
            warnings=[],
        )


def _cleanup_options(
    older_than: Optional[datetime.timedelta],
    retain_versions: Optional[int],
    versions: Optional[list[int]],
) -> dict[str, Any]:
    """The conditions as the library takes them."""
    if versions is not None and not versions:
        raise InvalidError("versions is empty; allowed: the numbers of versions")
    if older_than is None and retain_versions is None and versions is None:
        older_than = _DEFAULT_AGE
    return {
        "older_than_microseconds": None if older_than is None else older_than // _MICROSECOND,
        "retain_versions": retain_versions,
        "versions": versions,
    }
