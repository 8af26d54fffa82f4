"""Batches that the library reads, for pyarrow."""

from collections.abc import Callable, Iterator
from typing import Optional

import pyarrow as pa

from . import _core


def batches_of(
    reader: _core.BatchReader, at_end: Optional[Callable[[_core.BatchReader], None]] = None
) -> Iterator[pa.RecordBatch]:
    """The batches of a reader. at_end is called behind the last."""
    while (batch := reader.next()) is not None:
        yield pa.record_batch(batch)
    if at_end is not None:
        at_end(reader)


def reader_of(
    reader: _core.BatchReader, at_end: Optional[Callable[[_core.BatchReader], None]] = None
) -> pa.RecordBatchReader:
    """A pyarrow reader over it; what fails keeps its class."""
    return pa.RecordBatchReader.from_batches(pa.schema(reader.schema), batches_of(reader, at_end))
