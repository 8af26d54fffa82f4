"""Indices: building, dropping and describing them."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any, Optional

import pyarrow as pa

from . import _core
from .errors import refuse_given, unsupported


@dataclasses.dataclass(frozen=True)
class IndexDescription:
    """One index of a table; docs/guide/json.md "index_description"."""

    name: str
    index_type: str
    field_names: list[str]
    num_segments: int
    num_rows_indexed: int
    num_unindexed_rows: int
    num_unindexed_fragments: int
    total_size_bytes: int
    clustering_id: int
    usable: bool


class Indices:
    """What LanceDataset has of indices."""

    _ds: Any

    def create_scalar_index(
        self,
        column: str,
        index_type: str,
        name: Optional[str] = None,
        *,
        replace: bool = True,
        train: bool = True,
        fragment_ids: Optional[list[int]] = None,
        index_uuid: Optional[str] = None,
        progress_callback: Any = None,
        format_version: Optional[int] = None,
        document_granularity: Any = "row",
        rows_per_zone: Optional[int] = None,
        observer: Optional[Callable[[dict[str, Any]], None]] = None,
        **kwargs: Any,
    ) -> None:
        """Build an index and commit it. This version builds zonemaps: index_type "ZONEMAP".

        Parameters
        ----------
        column : str
            A column that a zonemap can order.
        name : str, optional
            None: the column's name with _idx.
        replace : bool
            Replace an index of that name.
        rows_per_zone : int, optional
            Rows of one zone; None: 8192.
        observer : callable, optional
            Called with a dict for each report of progress, from any thread.
        """
        if not isinstance(index_type, str) or index_type.upper() != "ZONEMAP":
            raise unsupported(f"an index of type {index_type}", "ZONEMAP is")
        refuse_given(
            train=None if train else train,
            fragment_ids=fragment_ids,
            index_uuid=index_uuid,
            progress_callback=progress_callback,
            format_version=format_version,
            document_granularity=None if document_granularity == "row" else document_granularity,
            **kwargs,
        )
        self._ds = _core.create_zonemap(
            self._ds,
            observer,
            column=column,
            name=name,
            replace=replace,
            rows_per_zone=rows_per_zone,
        )

    @property
    def has_index(self) -> bool:
        """Whether the table has an index."""
        return len(self.describe_indices()) > 0

    def describe_indices(self) -> list[IndexDescription]:
        """The indices of the table."""
        names = [field.name for field in dataclasses.fields(IndexDescription)]
        documents = map(json.loads, _core.describe_indices(self._ds))
        return [IndexDescription(**{name: found[name] for name in names}) for found in documents]

    def drop_index(self, name: str) -> None:
        """Take an index of any kind off the table."""
        self._ds = _core.drop_index(self._ds, name)

    def load_zones(self, column: str) -> pa.Table:
        """What the zonemaps of a column say, one row for each zone."""
        return pa.table(_core.load_zones(self._ds, column))

    def list_indices(self) -> list[dict[str, Any]]:
        """The indices of the table: name, type, fields. describe_indices says more."""
        return [
            {"name": index.name, "type": index.index_type, "fields": index.field_names}
            for index in self.describe_indices()
        ]


class KeepsIndices:
    """What DatasetOptimizer has of indices."""

    _dataset: Any

    def optimize_indices(
        self,
        *,
        num_indices_to_merge: Optional[int] = None,
        index_names: Optional[list[str]] = None,
        retrain: bool = False,
        **kwargs: Any,
    ) -> None:
        """Let zonemaps answer for fragments that they do not cover yet, and commit.

        Parameters
        ----------
        index_names : list of str, optional
            None: all zonemaps. Indices of other kinds stay as they are.
        num_indices_to_merge, retrain
            1 and False, or not given: other values are refused.
        """
        refuse_given(
            num_indices_to_merge=None if num_indices_to_merge == 1 else num_indices_to_merge,
            retrain=retrain or None,
            **kwargs,
        )
        if index_names == []:
            return
        dataset = self._dataset
        dataset._ds = _core.optimize_indices(dataset._ds, None, index_names=index_names)
