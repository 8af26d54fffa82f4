"""Maintenance: bring rows into the declared layout."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Optional

from . import _core
from ._missing import KnowsItsGaps, module_getattr
from .errors import InvalidError, refuse_given, unsupported

if TYPE_CHECKING:
    from .dataset import LanceDataset
    from .history import AutoCleanupConfig

__getattr__ = module_getattr(__name__)


class CompactionMetrics:
    """What maintenance did; the fields are those of docs/guide/json.md "compaction_result".

    Attributes
    ----------
    fragments_removed, fragments_added, files_removed, files_added : int
        What was replaced, and by what.
    """

    def __init__(self, fields: dict[str, Any]):
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_fields"][name]
        except KeyError:
            raise AttributeError(f"CompactionMetrics has no {name}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        shown = ("fragments_removed", "fragments_added", "files_removed", "files_added")
        return f"CompactionMetrics({', '.join(f'{k}={self._fields[k]}' for k in shown)})"

    def to_dict(self) -> dict[str, Any]:
        """All of them."""
        return dict(self._fields)


class ClusteringRewriteResult:
    """One rewrite, executed but not committed."""

    def __init__(self, result: _core.ClusteringRewriteResult):
        self._result = result

    plan_id = property(lambda self: self._result.plan_id, doc="The plan it belongs to.")
    task_id = property(lambda self: self._result.task_id, doc="The task it came from.")
    rows_in = property(lambda self: self._result.rows_in, doc="Live rows of the sources.")
    rows_out = property(lambda self: self._result.rows_out, doc="Rows written.")


class ClusteringCompactionTask:
    """One rewrite to do: fragments and layout."""

    def __init__(self, task: _core.ClusteringCompactionTask):
        self._task = task

    plan_id = property(lambda self: self._task.plan_id, doc="The plan it belongs to.")
    task_id = property(lambda self: self._task.task_id, doc="Its number in the plan, from 0.")
    source_fragment_ids = property(
        lambda self: self._task.source_fragment_ids, doc="Fragments to replace."
    )
    source_rows = property(lambda self: self._task.source_rows, doc="Their live rows.")
    source_bytes = property(lambda self: self._task.source_bytes, doc="Their bytes.")
    reason = property(lambda self: self._task.reason, doc='"stale" or "merge_partial".')

    def execute(self, ds: "LanceDataset") -> ClusteringRewriteResult:
        """Read, sort and write; commits nothing. ds is any handle of the table."""
        return ClusteringRewriteResult(self._task.execute(ds._ds))


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
        return [ClusteringCompactionTask(task) for task in self._plan.tasks]

    def to_dict(self) -> dict[str, Any]:
        """All of it: docs/guide/json.md "clustering_plan"."""
        return json.loads(self._plan.to_json())


class DatasetOptimizer(KnowsItsGaps):
    """Maintenance of one dataset; LanceDataset.optimize gives it."""

    _gaps = "DatasetOptimizer"

    def __init__(self, dataset: "LanceDataset"):
        self._dataset = dataset

    def enable_auto_cleanup(self, auto_cleanup_config: "AutoCleanupConfig", **kwargs: Any) -> None:
        """Let every so many commits remove versions of an age: {"interval", "older_than_seconds"}.

        An interval alone, set by update_config, removes all old versions.
        """
        self._dataset.update_config(
            {
                "lance.auto_cleanup.interval": str(auto_cleanup_config["interval"]),
                "lance.auto_cleanup.older_than": f"{auto_cleanup_config['older_than_seconds']}s",
            }
        )

    def disable_auto_cleanup(self, **kwargs: Any) -> None:
        """Let commits remove nothing."""
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
        rows_per_zone: Optional[int] = None,
        observer: Optional[Callable[[dict[str, Any]], None]] = None,
    ) -> CompactionMetrics:
        """Rewrite into the declared layout until nothing is worth it or a budget is spent.

        Parameters
        ----------
        target_rows_per_fragment : int, optional
            Rows of one new fragment.
        max_bytes_per_file : int, optional
            Soft upper bound of a data file.
        num_threads : int, optional
            Threads of this call.
        compaction_mode : str, optional
            "cluster"; None: that, on a declared table. The modes that keep the order of rows are
            not in this version.
        max_source_fragments, max_source_rows, max_source_bytes : int, optional
            Hard bounds of what is rewritten.
        target_rows_per_group, min_merge_ratio, full, take_over, rows_per_zone
            As docs/guide/clustering.md has them.
        observer : callable, optional
            Called with a dict for each report of progress, from any thread.
        """
        refuse_given(
            max_rows_per_group=max_rows_per_group,
            materialize_deletions=materialize_deletions,
            materialize_deletions_threshold=materialize_deletions_threshold,
            defer_index_remap=defer_index_remap,
            batch_size=batch_size,
            binary_copy_read_batch_bytes=binary_copy_read_batch_bytes,
            excluded_fragment_ids=excluded_fragment_ids,
            data_storage_version=data_storage_version,
        )
        self._check_mode(compaction_mode)
        dataset, document = _core.compact_files(
            self._dataset._ds,
            observer,
            num_threads,
            target_rows_per_fragment=target_rows_per_fragment,
            max_bytes_per_file=max_bytes_per_file,
            max_source_fragments=max_source_fragments,
            max_source_rows=max_source_rows,
            max_source_bytes=max_source_bytes,
            target_rows_per_group=target_rows_per_group,
            min_merge_ratio=min_merge_ratio,
            full=full,
            take_over=take_over,
            rows_per_zone=rows_per_zone,
        )
        return self._moved(dataset, document)

    def plan_clustering(self, **options: Any) -> ClusteringCompactionPlan:
        """Plan and change nothing; the options are those of compact_files."""
        return ClusteringCompactionPlan(_core.plan_clustering(self._dataset._ds, **options))

    def commit_clustering(
        self, plan: ClusteringCompactionPlan, results: list[ClusteringRewriteResult]
    ) -> CompactionMetrics:
        """Commit any subset of a plan's results."""
        rewrites = [result._result for result in results]
        return self._moved(*_core.commit_clustering(self._dataset._ds, plan._plan, rewrites))

    def _moved(self, dataset: _core.Dataset, document: str) -> CompactionMetrics:
        self._dataset._ds = dataset
        return CompactionMetrics(json.loads(document))

    def _check_mode(self, mode: Optional[str]) -> None:
        if mode in ("reencode", "try_binary_copy", "force_binary_copy"):
            raise unsupported(f'compaction_mode "{mode}"', "cluster is")
        if mode not in (None, "cluster"):
            raise InvalidError(
                f'compaction_mode is "{mode}"; allowed: cluster, reencode, try_binary_copy, '
                "force_binary_copy"
            )
        if mode is None and self._dataset.clustering_spec() is None:
            raise unsupported(
                "compaction of a table without a clustering declaration",
                "declare one by set_clustering",
            )
