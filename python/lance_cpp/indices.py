"""What indices are built with and described by."""

import dataclasses
import datetime
from typing import Any, Optional

from ._missing import module_getattr

__getattr__ = module_getattr("lance_cpp.indices")


@dataclasses.dataclass
class IndexConfig:
    """A kind of index, "zonemap" or "btree" for example, and its parameters."""

    index_type: str
    parameters: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class IndexSegmentDescription:
    """One independently built part of an index."""

    uuid: str
    fragment_ids: Optional[set[int]]
    dataset_version_at_last_update: int
    index_version: int
    created_at: Optional[datetime.datetime]
    base_id: Optional[int]
    size_bytes: int
    covering_fields: list[int] = dataclasses.field(default_factory=list)
