"""Functions that make new columns from batches."""

import os
from collections.abc import Callable
from typing import Any, Optional, Union

import pyarrow as pa

from ._missing import module_getattr
from .errors import InvalidError, refuse_given

__getattr__ = module_getattr(__name__)


class BatchUDF:
    """A function from batch to batch, with the schema of what it gives."""

    def __init__(
        self,
        func: Callable[[pa.RecordBatch], Any],
        output_schema: Optional[pa.Schema] = None,
        checkpoint_file: Optional[Union[str, os.PathLike]] = None,
    ):
        refuse_given(checkpoint_file=checkpoint_file)
        self.func = func
        self.output_schema = output_schema

    def __call__(self, batch: pa.RecordBatch) -> Any:
        return self.func(batch)

    def make_batch(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Call the function; a DataFrame becomes a batch, another schema is refused.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
            The columns that the function reads.
        """
        made = self.func(batch)
        if not isinstance(made, pa.RecordBatch):
            made = pa.RecordBatch.from_pandas(made)
        if self.output_schema is not None and made.schema != self.output_schema:
            raise InvalidError(
                f"the function gave a batch of {made.schema}; its output_schema is "
                f"{self.output_schema}"
            )
        return made


def batch_udf(
    output_schema: Optional[pa.Schema] = None,
    checkpoint_file: Optional[Union[str, os.PathLike]] = None,
) -> Callable[[Callable[[pa.RecordBatch], Any]], BatchUDF]:
    """Make a function one that add_columns takes.

    Parameters
    ----------
    output_schema : Schema, optional
        What it gives; None: what it gives for the first row.
    checkpoint_file : str, optional
        Not in this version.
    """

    def inner(func: Callable[[pa.RecordBatch], Any]) -> BatchUDF:
        return BatchUDF(func, output_schema, checkpoint_file)

    return inner
