"""Looking for damage in a table."""

import json
from collections.abc import Callable
from typing import Any, Optional

from . import _core
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

    def repair(self) -> None:
        """Take away dangling references and broken definitions, in one commit."""
        self._ds = _core.repair_table(self._ds)
