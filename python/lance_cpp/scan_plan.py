"""Scans in parts that other processes run."""

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from . import _core
from ._streams import reader_of
from .errors import InvalidError
from .scanner import gives_no_column, scan_arguments

if TYPE_CHECKING:
    from .dataset import LanceDataset


class ScanTask:
    """A part of a scan that runs anywhere. Pickles. Made by LanceDataset.plan_scan."""

    def __init__(self, inside: _core.ScanTask):
        self._inside = inside

    table_uri = property(
        lambda self: self._inside.table_uri, doc="The place of the table, to open a handle of it."
    )
    read_version = property(
        lambda self: self._inside.read_version, doc="The version that was planned."
    )
    num_rows = property(
        lambda self: self._inside.num_rows, doc="At most so many rows are read, and come out."
    )
    num_bytes = property(
        lambda self: self._inside.num_bytes,
        doc="Bytes of the data files by the share of these rows.",
    )
    fragment_ids = property(
        lambda self: self._inside.fragment_ids, doc="The fragments that it reads rows of."
    )

    def execute(self, dataset: "LanceDataset") -> pa.RecordBatchReader:
        """Read its rows, in the order of the scan, by any handle of the table.

        Parameters
        ----------
        dataset : LanceDataset
            Any handle of the table.
        """
        return reader_of(self._inside.execute(dataset._ds))

    def serialize(self) -> bytes:
        """Bytes for deserialize, which only this library reads."""
        return self._inside.serialize()

    @classmethod
    def deserialize(cls, data: bytes) -> "ScanTask":
        """The inverse of serialize.

        Parameters
        ----------
        data : bytes
            What serialize gave.
        """
        return cls(_core.ScanTask.parse(data))

    def __reduce__(self) -> Any:
        return type(self).deserialize, (self.serialize(),)

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and other.serialize() == self.serialize()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"ScanTask(read_version={self.read_version}, fragment_ids={self.fragment_ids}, "
            f"num_rows={self.num_rows})"
        )


class ScanPlans:
    """Planning scans; a part of LanceDataset."""

    _ds: _core.Dataset

    def plan_scan(self, *, target_rows_per_task: int = 1048576, **scan_options: Any) -> list:
        """Cut a scan into tasks that other processes, or threads, run.

        One after the other they give what the scan gives, in its order. Indices and seeds are read,
        and no data: rows that they rule out are in no task.

        Parameters
        ----------
        target_rows_per_task : int
            About so many rows per task.
        scan_options
            The parameters of scanner. order_by, limit and offset are refused: they are applied to
            what all tasks give.

        Returns
        -------
        list of ScanTask
        """
        given = {name: value for name, value in scan_options.items() if value is not None}
        known = scan_arguments(self, given)  # type: ignore[arg-type]
        if gives_no_column(known):
            raise InvalidError("columns is empty; allowed: at least one column; count_rows counts")
        tasks = _core.plan_scan(self._ds, target_rows_per_task, **known)
        return [ScanTask(task) for task in tasks]
