"""Operations of transactions that are stored, or that the library made."""

import datetime
from collections.abc import Callable
from typing import Any, Optional

import pyarrow as pa

from . import _core
from ._fragments import DataFile, all_metadata
from .operations import Index, IndexFile, LanceOperation
from .schema import LanceSchema


class _Other(LanceOperation.BaseOperation):
    """An operation that no class describes."""

    def __init__(self, name: str):
        self._name = name

    def __repr__(self) -> str:
        return f"<{self._name}>"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Other) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)


def _schema(described: tuple[Any, list[int]]) -> LanceSchema:
    schema, ids = described
    return LanceSchema._of(pa.schema(schema), ids)


def _index(described: dict[str, Any]) -> Index:
    created = described["created_at_ms"]
    if created is not None:
        created = datetime.datetime.fromtimestamp(created / 1e3, datetime.timezone.utc)
    kind = described["details_type_url"]
    return Index(
        uuid=described["uuid"],
        name=described["name"],
        fields=described["fields"],
        dataset_version=described["dataset_version"],
        fragment_ids=described["fragment_ids"],
        index_version=described["index_version"],
        created_at=created,
        base_id=described["base_id"],
        files=[IndexFile(*file) for file in described["files"]],
        index_details=(kind, described["details_value"]) if kind else None,
        covering_fields=described["covering_fields"],
    )


def _map(described: Optional[tuple[dict[str, Optional[str]], bool]]) -> Any:
    return None if described is None else LanceOperation.UpdateMap(*described)


_KINDS: dict[str, Callable[..., LanceOperation.BaseOperation]] = {
    "Append": lambda added: LanceOperation.Append(all_metadata(added)),
    "Overwrite": lambda schema, added: LanceOperation.Overwrite(
        _schema(schema), all_metadata(added)
    ),
    "Delete": lambda updated, gone, predicate: LanceOperation.Delete(
        all_metadata(updated), gone, predicate
    ),
    "Update": lambda gone, updated, added, *rest: LanceOperation.Update(
        gone, all_metadata(updated), all_metadata(added), *rest
    ),
    "Merge": lambda merged, schema: LanceOperation.Merge(all_metadata(merged), _schema(schema)),
    "Project": lambda schema: LanceOperation.Project(_schema(schema)),
    "Restore": LanceOperation.Restore,
    "Rewrite": lambda groups: LanceOperation.Rewrite(
        [LanceOperation.RewriteGroup(*map(all_metadata, group)) for group in groups], []
    ),
    "UpdateConfig": lambda config, table, schema, fields: LanceOperation.UpdateConfig(
        _map(config),
        _map(table),
        _map(schema),
        {field_id: _map(update) for field_id, update in fields.items()} or None,
    ),
    "DataReplacement": lambda groups: LanceOperation.DataReplacement(
        [
            LanceOperation.DataReplacementGroup(fragment_id, DataFile(**file))
            for fragment_id, file in groups
        ]
    ),
    "CreateIndex": lambda added, removed: LanceOperation.CreateIndex(
        [_index(segment) for segment in added], [_index(segment) for segment in removed]
    ),
}


def show(made: _core.Transaction) -> LanceOperation.BaseOperation:
    """The operation of a transaction, as the caller of LanceDataset.commit would give it."""
    parts = _core.describe_operation(made)
    if parts is None or made.operation not in _KINDS:
        return _Other(made.operation)
    return _KINDS[made.operation](*parts)
