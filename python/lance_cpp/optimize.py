"""Maintenance: merge small fragments, drop deleted rows, bring rows into the declared layout."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Optional

from . import _core
from ._compaction import (
    Compaction,
    CompactionMetrics,
    CompactionOptions,
    CompactionPlan,
    CompactionTask,
    RewriteResult,
    compact,
    moved,
    request_of,
)
from ._missing import KnowsItsGaps, module_getattr
from ._indices import KeepsIndices

if TYPE_CHECKING:
    from .dataset import LanceDataset
    from .history import AutoCleanupConfig

__all__ = [
    "ClusteringCompactionPlan",
    "ClusteringCompactionTask",
    "ClusteringRewriteResult",
    "Compaction",
    "CompactionMetrics",
    "CompactionOptions",
    "CompactionPlan",
    "CompactionTask",
    "DatasetOptimizer",
    "RewriteResult",
]
__getattr__ = module_getattr(__name__)


class ClusteringRewriteResult:
    """One rewrite, executed but not committed."""

    def __init__(
        self,
        result: _core.ClusteringRewriteResult,
        plan: Optional[_core.ClusteringCompactionPlan] = None,
    ):
        self._result = result
        self._plan = plan

    plan_id = property(lambda self: self._result.plan_id, doc="The plan it belongs to.")
    task_id = property(lambda self: self._result.task_id, doc="The task it came from.")
    rows_in = property(lambda self: self._result.rows_in, doc="Live rows of the sources.")
    rows_out = property(lambda self: self._result.rows_out, doc="Rows written.")


class ClusteringCompactionTask:
    """One rewrite to do: fragments and layout."""

    def __init__(
        self,
        task: _core.ClusteringCompactionTask,
        plan: Optional[_core.ClusteringCompactionPlan] = None,
    ):
        self._task = task
        self._plan = plan

    plan_id = property(lambda self: self._task.plan_id, doc="The plan it belongs to.")
    task_id = property(lambda self: self._task.task_id, doc="Its number in the plan, from 0.")
    source_fragment_ids = property(
        lambda self: self._task.source_fragment_ids, doc="Fragments to replace."
    )
    source_rows = property(lambda self: self._task.source_rows, doc="Their live rows.")
    source_bytes = property(lambda self: self._task.source_bytes, doc="Their bytes.")
    reason = property(lambda self: self._task.reason, doc='"stale" or "merge_partial".')

    def execute(self, ds: "LanceDataset") -> ClusteringRewriteResult:
        """Read, sort and write; commits nothing. ds is any handle of the table.

        Parameters
        ----------
        ds : LanceDataset
            Any handle of the table.
        """
        return ClusteringRewriteResult(self._task.execute(ds._ds), self._plan)


class ClusteringCompactionPlan:
    """What to rewrite; a pure function of version and options."""

    def __init__(self, plan: _core.ClusteringCompactionPlan):
        self._plan = plan

    plan_id = property(lambda self: self._plan.plan_id, doc="The same plan has the same id.")
    read_version = property(lambda self: self._plan.read_version, doc="The version it is for.")

    @property
    def spec(self) -> dict[str, Any]:
        """The declared layout."""
        return self.to_dict()["spec"]

    @property
    def tasks(self) -> list[ClusteringCompactionTask]:
        """Rewrites in manifest order; none when nothing is worth one."""
        return [ClusteringCompactionTask(task, self._plan) for task in self._plan.tasks]

    def num_tasks(self) -> int:
        """How many tasks there are."""
        return len(self._plan.tasks)

    def to_dict(self) -> dict[str, Any]:
        """All of it: docs/guide/json.md "clustering_plan"."""
        return json.loads(self._plan.to_json())


class DatasetOptimizer(KeepsIndices, KnowsItsGaps):
    """Maintenance of one dataset; LanceDataset.optimize gives it."""

    _gaps = "DatasetOptimizer"

    def __init__(self, dataset: "LanceDataset"):
        self._dataset = dataset

    def enable_auto_cleanup(self, auto_cleanup_config: "AutoCleanupConfig", **kwargs: Any) -> None:
        """Let every so many commits remove versions of an age: {"interval", "older_than_seconds"}.

        An interval alone, set by update_config, removes all old versions.

        Parameters
        ----------
        auto_cleanup_config : AutoCleanupConfig
            A dict: "interval" in commits and "older_than_seconds".
        """
        self._dataset.update_config(
            {
                "lance.auto_cleanup.interval": str(auto_cleanup_config["interval"]),
                "lance.auto_cleanup.older_than": f"{auto_cleanup_config['older_than_seconds']}s",
            }
        )

    def disable_auto_cleanup(self, **kwargs: Any) -> None:
        """Let commits remove nothing.

        Parameters
        ----------
        **kwargs
            Of no effect, as in the reference.
        """
        self._dataset.delete_config_keys(
            ["lance.auto_cleanup.interval", "lance.auto_cleanup.older_than"]
        )

    def compact_files(
        self,
        *,
        target_rows_per_fragment: Optional[int] = None,
        max_rows_per_group: Optional[int] = None,
        max_bytes_per_file: Optional[int] = None,
        materialize_deletions: Optional[bool] = None,
        materialize_deletions_threshold: Optional[float] = None,
        defer_index_remap: Optional[bool] = None,
        num_threads: Optional[int] = None,
        batch_size: Optional[int] = None,
        compaction_mode: Optional[str] = None,
        binary_copy_read_batch_bytes: Optional[int] = None,
        max_source_fragments: Optional[int] = None,
        max_source_rows: Optional[int] = None,
        max_source_bytes: Optional[int] = None,
        excluded_fragment_ids: Optional[list[int]] = None,
        data_storage_version: Optional[str] = None,
        target_rows_per_group: Optional[int] = None,
        min_merge_ratio: Optional[float] = None,
        full: bool = False,
        take_over: bool = False,
        index_policy: str = "keep",
        rows_per_zone: Optional[int] = None,
        observer: Optional[Callable[[dict[str, Any]], None]] = None,
    ) -> CompactionMetrics:
        """Merge small fragments and drop deleted rows, or cluster a table that is declared.

        Parameters
        ----------
        target_rows_per_fragment : int, optional
            Rows that a fragment should have; smaller ones are merged with their neighbours.
        max_bytes_per_file : int, optional
            Soft upper bound of a data file.
        materialize_deletions : bool, optional
            Rewrite fragments of which many rows are deleted. Default True.
        materialize_deletions_threshold : float, optional
            How many: a share of the rows that must be exceeded. Default 0.1.
        num_threads : int, optional
            Threads of this call.
        batch_size : int, optional
            Most rows that are read at once.
        compaction_mode : str, optional
            "reencode", "try_binary_copy" and "force_binary_copy" keep the order of rows, "cluster"
            rewrites into the declared layout until nothing is worth it or a budget is spent. None:
            "cluster" on a table with a declaration, else as its configuration says.
        binary_copy_read_batch_bytes : int, optional
            Most bytes that are read at once when pages are copied.
        max_source_fragments, max_source_rows, max_source_bytes : int, optional
            Hard bounds of what is rewritten.
        excluded_fragment_ids : list of int, optional
            Fragments that stay as they are, and keep their neighbours apart.
        data_storage_version : str, optional
            Version of the new data files; the table's does not change.
        defer_index_remap : bool, optional
            Leave indices as they are and record where the rows went: faster now, slower to read
            until optimize_indices catches up. Not of tables with stable row ids. Default False.
        index_policy : str, optional
            Of clustering only. "keep": indices that cannot follow lose the new fragments, which are
            then read in full. "strict": such a run is refused before any work.
        target_rows_per_group, min_merge_ratio, full, take_over, rows_per_zone
            Of clustering only, as docs/guide/clustering.md has them.
        observer : callable, optional
            Called with a dict for each report of progress, from any thread.
        max_rows_per_group : int
            Of no effect: files from version 2.0 on have no groups.
        """
        options = {
            "target_rows_per_fragment": target_rows_per_fragment,
            "max_rows_per_group": max_rows_per_group,
            "max_bytes_per_file": max_bytes_per_file,
            "materialize_deletions": materialize_deletions,
            "materialize_deletions_threshold": materialize_deletions_threshold,
            "defer_index_remap": defer_index_remap,
            "batch_size": batch_size,
            "compaction_mode": compaction_mode,
            "binary_copy_read_batch_bytes": binary_copy_read_batch_bytes,
            "max_source_fragments": max_source_fragments,
            "max_source_rows": max_source_rows,
            "max_source_bytes": max_source_bytes,
            "excluded_fragment_ids": excluded_fragment_ids,
            "data_storage_version": data_storage_version,
            "target_rows_per_group": target_rows_per_group,
            "min_merge_ratio": min_merge_ratio,
            "full": full or None,
            "take_over": take_over or None,
            "index_policy": index_policy if index_policy != "keep" else None,
            "rows_per_zone": rows_per_zone,
        }
        return compact(self._dataset, options, observer=observer, num_threads=num_threads)

    def plan_clustering(self, **options: Any) -> ClusteringCompactionPlan:
        """Plan and change nothing; the options are those of compact_files.

        Parameters
        ----------
        **options
            As the keyword arguments of compact_files.
        """
        request = request_of({**options, "compaction_mode": "cluster"})
        return ClusteringCompactionPlan(_core.plan_compaction(self._dataset._ds, request))

    def commit_clustering(
        self, plan: ClusteringCompactionPlan, results: list[ClusteringRewriteResult]
    ) -> CompactionMetrics:
        """Commit any subset of a plan's results.

        Parameters
        ----------
        plan : ClusteringCompactionPlan
            What plan_clustering gave.
        results : list of ClusteringRewriteResult
            What its tasks gave, all or some.
        """
        rewrites = [result._result for result in results]
        committed = _core.commit_clustering(self._dataset._ds, plan._plan, rewrites)
        return moved(self._dataset, *committed)
