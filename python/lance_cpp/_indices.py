"""Indices: building, dropping and describing them."""

import dataclasses
import datetime
import json
import warnings
from collections.abc import Callable
from typing import Any, Optional, Union

import pyarrow as pa

from . import _core
from ._hints import check_count
from .errors import InvalidError, refuse_given, unsupported
from .indices import IndexConfig, IndexSegmentDescription

# What the reference takes as text; those that scans of this version use, or not, are refused.
_NAMES = (
    "BTREE BITMAP NGRAM ZONEMAP LABEL_LIST INVERTED FTS BLOOMFILTER RTREE MINHASHLSH"
).split()
_BUILT = {"BTREE": "BTREE", "BITMAP": "BITMAP", "LABEL_LIST": "LABELLIST", "ZONEMAP": "ZONEMAP"}
_ZONEMAP_PARAMETERS = {"rows_per_zone", "use_seeds"}


@dataclasses.dataclass(frozen=True)
class IndexDescription:
    """One index of a table; docs/guide/json.md "index_description", and its segments."""

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
    fields: list[int] = dataclasses.field(default_factory=list)
    type_url: str = ""
    segments: list[IndexSegmentDescription] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class IndexProgress:
    """What progress_callback is called with."""

    event: str
    stage: str
    completed: Optional[int] = None
    total: Optional[int] = None
    unit: str = ""

    @property
    def fraction(self) -> Optional[float]:
        """How much of the stage is done, 0 to 1; None: not known."""
        if self.completed is None or not self.total:
            return None
        return min(self.completed / self.total, 1.0)


def _observer_of(
    observer: Optional[Callable[[dict[str, Any]], None]],
    progress_callback: Optional[Callable[[IndexProgress], None]],
) -> Optional[Callable[[dict[str, Any]], None]]:
    if progress_callback is None:
        return observer

    def observe(report: dict[str, Any]) -> None:
        if observer is not None:
            observer(report)
        if report["event"] != "warning":
            names = [field.name for field in dataclasses.fields(IndexProgress)]
            progress_callback(IndexProgress(**{name: report[name] for name in names}))

    return observe


def _type_of(schema: pa.Schema, path: str) -> Optional[pa.DataType]:
    """The type of a column, or of a member of structs; None: not found by this name."""
    if path in schema.names:
        return schema.field(path).type
    type_: Any = None
    for name in path.split("."):
        fields = list(schema) if type_ is None else list(type_) if pa.types.is_struct(type_) else []
        found = [field.type for field in fields if field.name.lower() == name.lower()]
        if len(found) != 1:
            return None
        type_ = found[0]
    return getattr(type_, "storage_type", type_)


def _check_type(index_type: str, path: str, type_: Optional[pa.DataType]) -> None:
    """Refuse nested columns as the reference does; which others an index holds is for it to say."""
    if type_ is None or index_type == "ZONEMAP":
        return
    is_list = pa.types.is_list(type_) or pa.types.is_large_list(type_)
    if index_type == "LABEL_LIST":
        if not is_list:
            raise TypeError(f"LABEL_LIST index column {path} must be a list or large list")
    elif pa.types.is_nested(type_) or pa.types.is_dictionary(type_):
        raise TypeError(
            f"{index_type} index column {path} must be int, float, bool, str, large_str, binary, "
            f"large_binary, decimal, fixed-size-binary, or temporal; it is {type_}"
        )


def _kind_and_parameters(
    index_type: Union[str, IndexConfig], schema: pa.Schema, path: str
) -> tuple[str, dict[str, Any]]:
    """The name of the kind for the binding, and its parameters."""
    if isinstance(index_type, str):
        name = index_type.upper()
        if name not in _BUILT:
            advice = "ZONEMAP, BTREE, BITMAP and LABEL_LIST are"
            raise unsupported(f"an index of type {index_type}", advice)
        _check_type(name, path, _type_of(schema, path))
        return _BUILT[name], {}
    if not (hasattr(index_type, "index_type") and hasattr(index_type, "parameters")):
        raise TypeError(f"index_type must be str or IndexConfig, got {type(index_type)}")
    name = index_type.index_type.upper()
    if name not in _BUILT.values():
        known = {known.replace("_", "") for known in _NAMES}
        if name not in known:
            raise InvalidError(f"there is no index of type {index_type.index_type}")
        advice = "zonemap, btree, bitmap and labellist are"
        raise unsupported(f"an index of type {index_type.index_type}", advice)
    parameters = dict(index_type.parameters)
    allowed = _ZONEMAP_PARAMETERS if name == "ZONEMAP" else set()
    refuse_given(**{key: value for key, value in parameters.items() if key not in allowed})
    return name, parameters


class Indices:
    """What LanceDataset has of indices."""

    _ds: Any
    schema: pa.Schema

    def create_scalar_index(
        self,
        column: Union[str, list[str]],
        index_type: Union[str, IndexConfig],
        name: Optional[str] = None,
        *,
        replace: bool = True,
        train: bool = True,
        fragment_ids: Optional[list[int]] = None,
        index_uuid: Optional[str] = None,
        progress_callback: Optional[Callable[[IndexProgress], None]] = None,
        format_version: Optional[int] = None,
        document_granularity: Any = "row",
        rows_per_zone: Optional[int] = None,
        use_seeds: Optional[bool] = None,
        observer: Optional[Callable[[dict[str, Any]], None]] = None,
        **kwargs: Any,
    ) -> None:
        """Build an index and commit it.

        Parameters
        ----------
        column : str
            The column, or a member of structs by its path, "s.a".
        index_type : str or IndexConfig
            "ZONEMAP", "BTREE", "BITMAP" (columns of few values), "LABEL_LIST" (items of lists).
        name : str, optional
            None: the column's name with _idx, and a number when another index has that.
        replace : bool
            Replace an index of that name on that column.
        train : bool
            False: an index that covers nothing yet; optimize_indices fills it.
        fragment_ids : list of int, optional
            Refused with a ValueError, as the reference does for all these types: the parts of an
            index are built by a call of their own, which this version does not have.
        index_uuid : str, optional
            The folder of the index's files.
        progress_callback : callable, optional
            Called with an IndexProgress for each report of progress, from any thread.
        rows_per_zone : int, optional
            Of zonemaps: rows of one zone; None: 8192.
        use_seeds : bool, optional
            Of zonemaps: whether writers put the statistics of new rows into their files; None: yes.
        observer : callable, optional
            Called with a dict for each report of progress, from any thread.
        """
        columns = [column] if isinstance(column, str) else list(column)
        if len(columns) != 1:
            raise unsupported("a scalar index of several columns", "give one column")
        granularity = getattr(document_granularity, "value", document_granularity)
        refuse_given(
            format_version=format_version,
            document_granularity=None if granularity == "row" else granularity,
            **kwargs,
        )
        kind, parameters = _kind_and_parameters(index_type, self.schema, columns[0])
        if fragment_ids is not None:
            raise InvalidError(
                "fragment_ids: the parts of a distributed index are not built by "
                "create_scalar_index; allowed: None, which covers all fragments"
            )
        options = {"rows_per_zone": rows_per_zone, "use_seeds": use_seeds}
        given = {key: value for key, value in options.items() if value is not None}
        self._ds = _core.create_index(
            self._ds,
            _observer_of(observer, progress_callback),
            column=columns[0],
            type=kind,
            name=name,
            replace=replace,
            train=train,
            uuid=index_uuid,
            **{**parameters, **given},
        )

    @property
    def has_index(self) -> bool:
        """Whether the table has an index."""
        return len(self.describe_indices()) > 0

    def describe_indices(self) -> list[IndexDescription]:
        """The indices of the table."""
        described = []
        for document, more in _core.describe_indices(self._ds):
            known = json.loads(document)
            segments = [_segment_of(segment) for segment in more["segments"]]
            names = {field.name for field in dataclasses.fields(IndexDescription)} & known.keys()
            described.append(
                IndexDescription(
                    **{name: known[name] for name in names},
                    fields=more["fields"],
                    type_url=more["type_url"],
                    segments=segments,
                )
            )
        return described

    @property
    def stats(self) -> "LanceStats":
        """Statistics of the table and its indices."""
        return LanceStats(self)

    def index_statistics(self, index_name: str) -> dict[str, Any]:
        """Deprecated: stats.index_stats says the same."""
        warnings.warn(
            "LanceDataset.index_statistics() is deprecated, use LanceDataset.stats.index_stats()",
            DeprecationWarning,
            stacklevel=2,
        )
        return dict(json.loads(_core.index_statistics(self._ds, index_name)))

    def drop_index(self, name: str) -> None:
        """Take an index of any kind off the table.

        Parameters
        ----------
        name : str
            The index's name, as describe_indices gives it.
        """
        self._ds = _core.drop_index(self._ds, name)

    def load_zones(self, column: str) -> pa.Table:
        """What the zonemaps of a column say, one row for each zone.

        Parameters
        ----------
        column : str
            A column that has a zonemap, or a member of structs by its path.
        """
        return pa.table(_core.load_zones(self._ds, column))

    def list_indices(self) -> list[dict[str, Any]]:
        """The segments of all indices. Deprecated: describe_indices says more."""
        warnings.warn(
            "list_indices is deprecated, use describe_indices", DeprecationWarning, stacklevel=2
        )
        return [
            {
                "name": index.name,
                "type": index.index_type,
                "uuid": segment.uuid,
                "fields": index.field_names,
                "version": segment.dataset_version_at_last_update,
                "fragment_ids": segment.fragment_ids,
                "base_id": segment.base_id,
            }
            for index in self.describe_indices()
            for segment in index.segments
        ]


def _segment_of(found: dict[str, Any]) -> IndexSegmentDescription:
    created = found.pop("created_at_ms")
    fragment_ids = found.pop("fragment_ids")
    return IndexSegmentDescription(
        **found,
        fragment_ids=None if fragment_ids is None else set(fragment_ids),
        created_at=None
        if created is None
        else datetime.datetime.fromtimestamp(created / 1000, datetime.timezone.utc),
    )


class LanceStats:
    """Statistics of a table and its indices."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def dataset_stats(self, max_rows_per_group: int = 1024) -> dict[str, int]:
        """Fragments, deleted rows, and fragments of fewer than max_rows_per_group rows.

        Parameters
        ----------
        max_rows_per_group : int
            Fragments of fewer rows count as small.
        """
        fragments = [fragment.metadata for fragment in self._dataset.get_fragments()]
        return {
            "num_deleted_rows": sum(fragment.num_deletions for fragment in fragments),
            "num_fragments": len(fragments),
            "num_small_files": sum(f.physical_rows < max_rows_per_group for f in fragments),
        }

    def index_stats(self, index_name: str) -> dict[str, Any]:
        """How much of the table an index covers, and what its segments say of themselves.

        Parameters
        ----------
        index_name : str
            As describe_indices gives it.
        """
        return dict(json.loads(_core.index_statistics(self._dataset._ds, index_name)))

    def data_stats(self) -> Any:
        """Refused: bytes by column are not counted."""
        raise unsupported("LanceStats.data_stats", "get_fragments describes files")


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
        """Let indices answer for fragments that they do not cover yet, and commit.

        Parameters
        ----------
        num_indices_to_merge : int, optional
            How many of the newest segments of an index to merge with what is new; 0: what is new
            becomes a segment of its own. None: 1, and all of a zonemap.
        index_names : list of str, optional
            None: all zonemaps, btrees, bitmaps and label lists. Others stay as they are.
        retrain : bool
            Build what is there again from the table.
        """
        refuse_given(**kwargs)
        if num_indices_to_merge is not None:
            check_count("num_indices_to_merge", num_indices_to_merge, least=0)
        if index_names == []:
            return
        dataset = self._dataset
        dataset._ds = _core.optimize_indices(
            dataset._ds,
            None,
            index_names=index_names,
            num_segments_to_merge=num_indices_to_merge,
            retrain=retrain,
        )
