"""Changes of rows: delete, update, merge."""

import datetime
from collections.abc import Iterable
from typing import Any, Optional, Union

import pyarrow as pa
import pyarrow.compute as pc

from . import _core
from ._expressions import filter_text
from ._inputs import Input
from ._missing import KnowsItsGaps
from .errors import InvalidError, refuse_given
from .transaction import Transaction


class MergeInsertBuilder(KnowsItsGaps):
    """Merges source rows into a table: say what is to happen to each kind of row, then execute.

    A row matches when all key columns are equal; a null key matches nothing.
    """

    _gaps = "MergeInsertBuilder"

    def __init__(self, dataset: Any, on: Optional[Union[str, Iterable[str]]] = None):
        if on is None:
            raise InvalidError("a merge matches by key columns; name at least one in on")
        self._dataset = dataset
        self._options: dict[str, Any] = {"on": [on] if isinstance(on, str) else list(on)}

    def _set(self, **options: Any) -> "MergeInsertBuilder":
        self._options.update(options)
        return self

    def when_matched_update_all(self, condition: Optional[str] = None) -> "MergeInsertBuilder":
        """Write matched rows again with the source's values.

        With a condition, SQL over source.x and target.x, only those for which it is true.

        Parameters
        ----------
        condition : str, optional
            SQL over source.x and target.x; None: all matched rows.
        """
        return self._set(when_matched="update", update_condition=condition)

    def when_matched_delete(self) -> "MergeInsertBuilder":
        """Delete matched rows."""
        return self._set(when_matched="delete", update_condition=None)

    def when_matched_fail(self) -> "MergeInsertBuilder":
        """Fail when a row matches."""
        return self._set(when_matched="fail", update_condition=None)

    def when_not_matched_insert_all(self) -> "MergeInsertBuilder":
        """Insert source rows that match nothing."""
        return self._set(inserts=True)

    def when_not_matched_by_source_delete(
        self, expr: Optional[Union[str, pc.Expression]] = None
    ) -> "MergeInsertBuilder":
        """Delete rows of the table that match nothing; with a condition, those where it is true.

        Parameters
        ----------
        expr : str or pyarrow Expression, optional
            A condition over the table's columns; None: all rows that match nothing.
        """
        return self._set(deletes_unmatched=True, delete_condition=filter_text(expr, "expr"))

    def conflict_retries(self, max_retries: int) -> "MergeInsertBuilder":
        """How often to try again when another commit is in the way.

        Parameters
        ----------
        max_retries : int
            How often.
        """
        return self._set(max_retries=max_retries)

    def retry_timeout(self, timeout: datetime.timedelta) -> "MergeInsertBuilder":
        """How long to try.

        Parameters
        ----------
        timeout : datetime.timedelta
            How long.
        """
        return self._set(retry_timeout_seconds=timeout.total_seconds())

    def use_index(self, use_index: bool) -> "MergeInsertBuilder":
        """Whether an index may find the rows; this version always reads the keys.

        Parameters
        ----------
        use_index : bool
            A hint that no answer depends on.
        """
        if not isinstance(use_index, bool):
            raise TypeError(f"use_index is a {type(use_index).__name__}; allowed: bool")
        return self

    def execute(self, data_obj: Any, *, schema: Optional[pa.Schema] = None) -> dict[str, int]:
        """Merge and commit; the dataset moves to the new version.

        Returns num_inserted_rows, num_updated_rows and num_deleted_rows.

        Parameters
        ----------
        data_obj : anything that write_dataset takes
            The source rows. Columns that are missing keep their values, in inserted rows they are
            null.
        schema : pyarrow.Schema, optional
            Of the source; needed for an iterable of batches.
        """
        source = Input(data_obj, schema)
        with source.reading():
            self._dataset._ds, inserted, updated, deleted = _core.merge_insert(
                self._dataset._ds, source, **self._options
            )
        return {
            "num_inserted_rows": inserted,
            "num_updated_rows": updated,
            "num_deleted_rows": deleted,
        }

    def execute_uncommitted(
        self, data_obj: Any, *, schema: Optional[pa.Schema] = None
    ) -> tuple[Transaction, dict[str, int]]:
        """Merge, but commit nothing: the transaction for LanceDataset.commit, and the counts.

        Its files stay when nobody commits it.

        Parameters
        ----------
        data_obj, schema
            As execute takes them.
        """
        source = Input(data_obj, schema)
        with source.reading():
            transaction, inserted, updated, deleted = _core.merge_insert_uncommitted(
                self._dataset._ds, source, **self._options
            )
        return Transaction._wrap(transaction), {
            "num_inserted_rows": inserted,
            "num_updated_rows": updated,
            "num_deleted_rows": deleted,
        }


class RowChanges:
    """What a dataset can do to its rows. Each change moves it forward to the new version."""

    _ds: _core.Dataset

    def delete(
        self,
        predicate: Union[str, pc.Expression],
        *,
        conflict_retries: int = 10,
        retry_timeout: datetime.timedelta = datetime.timedelta(seconds=30),
    ) -> dict[str, int]:
        """Delete the rows for which a condition is true; {"num_deleted_rows": ...}.

        The dataset moves to the new version. Nothing to delete makes none.

        Parameters
        ----------
        predicate : str or pyarrow Expression
            A condition in SQL; see docs/guide/filters.md.
        conflict_retries, retry_timeout
            How often and how long to try again when another commit is in the way.
        """
        self._ds, count = _core.delete_rows(
            self._ds,
            filter_text(predicate, "predicate"),
            max_retries=conflict_retries,
            retry_timeout_seconds=retry_timeout.total_seconds(),
        )
        return {"num_deleted_rows": count}

    def truncate_table(self) -> None:
        """Delete all rows; the schema stays."""
        self._ds = _core.truncate(self._ds)

    def update(
        self,
        updates: dict[str, str],
        where: Optional[Union[str, pc.Expression]] = None,
        conflict_retries: int = 10,
        retry_timeout: datetime.timedelta = datetime.timedelta(seconds=30),
        data_storage_version: Optional[str] = None,
    ) -> dict[str, int]:
        """Set columns to SQL expressions over the row before; {"num_rows_updated": ...}.

        The dataset moves to the new version. No row to update makes none.

        Parameters
        ----------
        updates : dict of str to str
            Column to SQL expression.
        where : str or pyarrow Expression, optional
            A condition in SQL; None: all rows.
        conflict_retries, retry_timeout
            How often and how long to try again when another commit is in the way.
        data_storage_version : str, optional
            Refused: the table has one.
        """
        refuse_given(data_storage_version=data_storage_version)
        self._ds, count = _core.update_rows(
            self._ds,
            updates,
            filter_text(where, "where"),
            max_retries=conflict_retries,
            retry_timeout_seconds=retry_timeout.total_seconds(),
        )
        return {"num_rows_updated": count}

    def merge_insert(self, on: Optional[Union[str, Iterable[str]]] = None) -> MergeInsertBuilder:
        """Start a merge of other rows into the table by equality of the columns `on`.

        Parameters
        ----------
        on : str or list of str
            The key columns.
        """
        return MergeInsertBuilder(self, on)
