"""Looking for damage in a table."""

import json
from collections.abc import Callable
from typing import Any, Optional


from . import _core
from ._expressions import filter_text
from .errors import CorruptError


class Checks:
    """Check and repair; a part of LanceDataset."""

    _ds: _core.Dataset

    def check(
        self,
        deep: bool = False,
        *,
        observer: Optional[Callable[[dict[str, Any]], None]] = None,
    ) -> list[dict[str, str]]:
        """What is wrong with this version and with the table: docs/guide/check.md.

        Parameters
        ----------
        deep : bool
            Also read every value, and compare statistics with the values.
        observer : callable, optional
            Called with a dict for each report of progress.

        Returns
        -------
        list of dict
            severity ("error", "warning" or "info"), code, path and message; errors first.
        """
        return json.loads(_core.check_table(self._ds, deep, observer))

    def validate(self) -> None:
        """Raise a CorruptError when something is wrong with this version or with the table."""
        errors = [found for found in self.check() if found["severity"] == "error"]
        if not errors:
            return
        more = f" (and {len(errors) - 1} more errors)" if len(errors) > 1 else ""
        corrupt = CorruptError(errors[0]["message"] + more)
        corrupt.path = errors[0]["path"]
        raise corrupt

    def verify_pruning(
        self,
        filter: Any = None,  # pylint: disable=redefined-builtin
        *,
        num_generated_filters: int = 100,
        sample_fraction: float = 1.0,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Read what statistics let a scan skip, and look for rows that pass the filter.

        Parameters
        ----------
        filter : str or pyarrow Expression, optional
            Try this one; None: generated ones, over the columns that have statistics.
        num_generated_filters : int
            How many to generate.
        sample_fraction : float
            The share of skipped zones that is read, above 0 to 1.
        seed : int
            Of the generated filters and of the sample.

        Returns
        -------
        dict
            docs/guide/json.md "verify_pruning_result"; missed must be empty.
        """
        if filter is not None:
            filter = filter_text(filter)
        return json.loads(
            _core.verify_pruning(
                self._ds,
                filter=filter,
                num_generated_filters=num_generated_filters,
                sample_fraction=sample_fraction,
                seed=seed,
            )
        )

    def repair(self) -> None:
        """Take away dangling references and broken definitions, in one commit."""
        self._ds = _core.repair_table(self._ds)
