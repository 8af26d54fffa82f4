"""Compaction that keeps the order of rows, in one call or in stages."""

import base64
import json
from typing import TYPE_CHECKING, Any, Generic, Literal, Optional, TypedDict, TypeVar, cast

from . import _core
from ._fields import Fields
from ._fragments import FragmentMetadata, all_metadata
from .errors import CorruptError, InvalidError, unsupported

if TYPE_CHECKING:
    from .dataset import LanceDataset

_Inside = TypeVar("_Inside", _core.CompactionPlan, _core.CompactionTask, _core.RewriteResult)


class CompactionOptions(TypedDict, total=False):
    """Options of Compaction.plan and Compaction.execute; see DatasetOptimizer.compact_files."""

    target_rows_per_fragment: Optional[int]
    max_rows_per_group: Optional[int]
    max_bytes_per_file: Optional[int]
    materialize_deletions: Optional[bool]
    materialize_deletions_threshold: Optional[float]
    num_threads: Optional[int]
    batch_size: Optional[int]
    io_buffer_size: Optional[int]
    compaction_mode: Optional[
        Literal["reencode", "try_binary_copy", "force_binary_copy", "cluster"]
    ]
    binary_copy_read_batch_bytes: Optional[int]
    defer_index_remap: Optional[bool]
    max_source_fragments: Optional[int]
    max_source_rows: Optional[int]
    max_source_bytes: Optional[int]
    excluded_fragment_ids: Optional[list[int]]
    data_storage_version: Optional[str]
    target_rows_per_group: Optional[int]
    min_merge_ratio: Optional[float]
    full: Optional[bool]
    take_over: Optional[bool]
    index_policy: Optional[str]
    rows_per_zone: Optional[int]


# What the reference takes and this version has not, and why.
_REFUSED = {
    "max_rows_per_group": "it is for data files of version 0.1, which are not written",
    "io_buffer_size": "what is read ahead is bounded by itself",
}


def request_of(options: Optional[dict[str, Any]]) -> str:
    """Options as the JSON that the inside takes; None is not given."""
    given = {name: value for name, value in (options or {}).items() if value is not None}
    for name in given:
        if name in _REFUSED:
            raise unsupported(name, _REFUSED[name])
        if name not in CompactionOptions.__annotations__ or name == "num_threads":
            raise InvalidError(f"Invalid compaction option: {name}")
        if isinstance(given[name], (int, float)) and given[name] < 0:
            raise InvalidError(f"{name} is {given[name]}; allowed: 0 or more")
    try:
        return json.dumps(given)
    except TypeError as error:
        raise TypeError(f"compaction options: {error}") from None


class CompactionMetrics(Fields):
    """What maintenance did; the fields are those of docs/guide/json.md "compaction_result".

    Attributes
    ----------
    fragments_removed, fragments_added, files_removed, files_added : int
        What was replaced, and by what.
    """

    def __repr__(self) -> str:
        return self._show(("fragments_removed", "fragments_added", "files_removed", "files_added"))


class _Staged(Generic[_Inside]):
    """A plan, a task or a result: travels as JSON or pickle, which hold the same bytes."""

    _kind: str
    _core_class: Any

    def __init__(self, inside: _Inside):
        self._inside = inside

    read_version = property(
        lambda self: self._inside.read_version, doc="The version that it was planned on."
    )

    def json(self) -> str:
        """A JSON representation for from_json; what it holds may change between versions."""
        envelope = base64.b64encode(self._inside.serialize()).decode()
        return json.dumps(
            {
                "kind": self._kind,
                "format": 1,
                "read_version": self.read_version,
                "envelope": envelope,
            }
        )

    @classmethod
    def from_json(cls, json: str) -> Any:  # pylint: disable=redefined-outer-name
        """The inverse of json.

        Parameters
        ----------
        json : str
            The text.
        """
        return cls(cls._core_class.parse(_envelope_of(cls._kind, json)))

    def __reduce__(self) -> Any:
        return type(self).from_json, (self.json(),)

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and (
            other._inside.serialize() == self._inside.serialize()
        )

    __hash__ = None  # type: ignore[assignment]


def _envelope_of(kind: str, text: str) -> bytes:
    """The bytes in what _Staged.json gave."""
    try:
        document = json.loads(text)
        if document["kind"] != kind:
            raise InvalidError(f"this is a {document['kind']}, not a {kind}")
        return base64.b64decode(document["envelope"], validate=True)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, InvalidError):
            raise
        raise CorruptError(f"this is no {kind} in JSON") from None


class RewriteResult(_Staged[_core.RewriteResult]):
    """A task that was executed and is not committed."""

    _kind = "compaction_rewrite_result"
    _core_class = _core.RewriteResult

    @property
    def metrics(self) -> CompactionMetrics:
        """What it would change."""
        names = ("fragments_removed", "fragments_added", "files_removed", "files_added")
        return CompactionMetrics(dict(zip(names, self._inside.metrics)))

    @property
    def original_fragments(self) -> list[FragmentMetadata]:
        """The fragments that it replaces."""
        return all_metadata(self._inside.original_fragments)

    @property
    def new_fragments(self) -> list[FragmentMetadata]:
        """The fragments that come, not yet numbered."""
        return all_metadata(self._inside.new_fragments)

    def __repr__(self) -> str:
        return (
            f"RewriteResult(read_version={self.read_version}, new_fragments={self.new_fragments}, "
            f"old_fragments={self.original_fragments})"
        )


class CompactionTask(_Staged[_core.CompactionTask]):
    """Neighbouring fragments to merge, or one to clean of deleted rows."""

    _kind = "compaction_task"
    _core_class = _core.CompactionTask

    @property
    def fragments(self) -> list[FragmentMetadata]:
        """The fragments that it replaces."""
        return all_metadata(self._inside.fragments)

    def execute(self, dataset: "LanceDataset") -> RewriteResult:
        """Read the rows and write them; commits nothing. dataset is any handle of the table.

        Parameters
        ----------
        dataset : LanceDataset
            Any handle of the table.
        """
        return RewriteResult(self._inside.execute(dataset._ds))

    def __repr__(self) -> str:
        return f"CompactionTask(read_version={self.read_version}, fragments={self.fragments})"


class CompactionPlan(_Staged[_core.CompactionPlan]):
    """What to rewrite; a pure function of version and options."""

    _kind = "compaction_plan"
    _core_class = _core.CompactionPlan

    @property
    def tasks(self) -> list[CompactionTask]:
        """Tasks in the order of the fragments; each may be executed anywhere."""
        return [CompactionTask(task) for task in self._inside.tasks]

    def num_tasks(self) -> int:
        """How many tasks there are."""
        return len(self._inside.tasks)

    def to_dict(self) -> dict[str, Any]:
        """All of it: docs/guide/json.md "compaction_plan"."""
        return cast(dict[str, Any], json.loads(self._inside.to_json()))

    def __repr__(self) -> str:
        return (
            f"CompactionPlan(read_version={self.read_version}, "
            f"tasks=<{self.num_tasks()} compaction tasks>)"
        )


class Compaction:
    """Compaction in stages: plan, execute the tasks anywhere, commit what was done."""

    @staticmethod
    def execute(
        dataset: "LanceDataset", options: Optional[CompactionOptions] = None
    ) -> CompactionMetrics:
        """All of it here; the dataset moves to the new version.

        Parameters
        ----------
        dataset : LanceDataset
            The table.
        options : dict, optional
            As the keyword arguments of DatasetOptimizer.compact_files.
        """
        given = dict(options or {})
        return compact(dataset, given, num_threads=given.pop("num_threads", None))

    @staticmethod
    def plan(dataset: "LanceDataset", options: Optional[CompactionOptions] = None) -> Any:
        """Plan and change nothing.

        With compaction_mode "cluster", or none on a table with a declaration, it is a
        ClusteringCompactionPlan; else a CompactionPlan.

        Parameters
        ----------
        dataset : LanceDataset
            The table.
        options : dict, optional
            As the keyword arguments of DatasetOptimizer.compact_files.
        """
        from .optimize import ClusteringCompactionPlan  # pylint: disable=import-outside-toplevel

        given = dict(options or {})
        if given.pop("num_threads", None) is not None:
            raise unsupported("num_threads of a plan", "each task runs with those of its session")
        plan = _core.plan_compaction(dataset._ds, request_of(given))
        if isinstance(plan, _core.CompactionPlan):
            return CompactionPlan(plan)
        return ClusteringCompactionPlan(plan)

    @staticmethod
    def commit(
        dataset: "LanceDataset",
        rewrites: list[Any],
        options: Optional[CompactionOptions] = None,
    ) -> CompactionMetrics:
        """Commit results of one plan, all or some; the dataset moves to the new version.

        Parameters
        ----------
        dataset : LanceDataset
            The table.
        rewrites : list of RewriteResult or ClusteringRewriteResult
            What tasks of the plan gave.
        options : dict, optional
            Those of the plan.
        """
        request_of({**(options or {}), "num_threads": None})
        if rewrites and all(not isinstance(rewrite, RewriteResult) for rewrite in rewrites):
            return _commit_clustering(dataset, rewrites)
        insides = []
        for rewrite in rewrites:
            if not isinstance(rewrite, RewriteResult):
                raise InvalidError(f"{rewrite!r} is no RewriteResult of Compaction.plan")
            insides.append(rewrite._inside)
        asked = (options or {}).get("defer_index_remap")
        if asked is not None and any(one.defers_index_remap != asked for one in insides):
            raise InvalidError(f"defer_index_remap is {asked}, the plan's is {not asked}")
        return moved(dataset, *_core.commit_compaction(dataset._ds, insides))


def _commit_clustering(dataset: "LanceDataset", rewrites: list[Any]) -> CompactionMetrics:
    plans = {id(plan): plan for plan in (getattr(one, "_plan", None) for one in rewrites)}
    if None in plans.values() or len(plans) != 1:
        raise InvalidError(
            "Compaction.commit takes results of one plan: either RewriteResult or "
            "ClusteringRewriteResult"
        )
    (plan,) = plans.values()
    insides = [rewrite._result for rewrite in rewrites]
    return moved(dataset, *_core.commit_clustering(dataset._ds, plan, insides))


def compact(
    dataset: "LanceDataset",
    options: dict[str, Any],
    *,
    observer: Any = None,
    num_threads: Optional[int] = None,
) -> CompactionMetrics:
    """Plan, execute and commit, of the kind that the options ask for."""
    request = request_of(options)
    return moved(dataset, *_core.compact(dataset._ds, request, observer, num_threads))


def moved(dataset: "LanceDataset", committed: _core.Dataset, document: str) -> CompactionMetrics:
    """Move a dataset to what was committed."""
    dataset._ds = committed
    return CompactionMetrics(json.loads(document))


