"""What a commit by hand can do to a table."""

import dataclasses
import datetime
import warnings
from collections.abc import Iterable
from typing import Any, Optional, Union

import pyarrow as pa

from ._fragments import DataFile, FragmentMetadata
from ._missing import KnowsItsGaps
from .schema import LanceSchema


@dataclasses.dataclass
class DatasetBasePath:
    """Another place that files of a table can be in."""

    path: str
    name: Optional[str] = None
    is_dataset_root: bool = False
    id: Optional[int] = 0

    def _asdict(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "path": str(self.path), "id": self.id or 0}


@dataclasses.dataclass
class IndexFile:
    """One file of an index segment."""

    path: str
    size_bytes: int


@dataclasses.dataclass
class Index:
    """One segment of an index."""

    uuid: str
    name: str
    fields: list[int]
    dataset_version: int
    fragment_ids: Iterable[int]
    index_version: int
    created_at: Optional[datetime.datetime] = None
    base_id: Optional[int] = None
    files: Optional[list[IndexFile]] = None
    index_details: Optional[tuple[str, bytes]] = None
    covering_fields: list[int] = dataclasses.field(default_factory=list)

    def _asdict(self) -> dict[str, Any]:
        kind, details = self.index_details or ("", b"")
        created = self.created_at
        return {
            "uuid": self.uuid,
            "name": self.name,
            "fields": self.fields,
            "dataset_version": self.dataset_version,
            "fragment_ids": None if self.fragment_ids is None else sorted(self.fragment_ids),
            "index_version": self.index_version,
            "created_at_ms": None if created is None else round(created.timestamp() * 1000),
            "base_id": self.base_id,
            "files": [(file.path, file.size_bytes) for file in self.files or []],
            "details_type_url": kind,
            "details_value": bytes(details),
            "covering_fields": self.covering_fields,
        }


def _check_fragments(fragments: Any) -> None:
    if not isinstance(fragments, list):
        raise TypeError(f"fragments must be list[FragmentMetadata], got {type(fragments)}")
    for fragment in fragments:
        if not isinstance(fragment, FragmentMetadata):
            raise TypeError(f"fragments must be list[FragmentMetadata], got {type(fragment)}")


class LanceOperation(KnowsItsGaps):
    """What a commit does to a table: LanceDataset.commit takes one of these."""

    _gaps = "LanceOperation"

    class BaseOperation:
        """What all operations are."""

    @dataclasses.dataclass
    class Overwrite(BaseOperation):
        """Replace all rows and the schema, or create the table."""

        new_schema: Union[LanceSchema, pa.Schema]
        fragments: Iterable[FragmentMetadata]
        initial_bases: Optional[list[DatasetBasePath]] = None

        def __post_init__(self) -> None:
            _check_fragments(self.fragments)

    @dataclasses.dataclass
    class Append(BaseOperation):
        """Add fragments; they get their ids at the commit."""

        fragments: Iterable[FragmentMetadata]

        def __post_init__(self) -> None:
            _check_fragments(self.fragments)

    @dataclasses.dataclass
    class Delete(BaseOperation):
        """Delete rows: what LanceFragment.delete gave, and fragments of which it left nothing."""

        updated_fragments: Iterable[FragmentMetadata]
        deleted_fragment_ids: Iterable[int]
        predicate: str

        def __post_init__(self) -> None:
            _check_fragments(self.updated_fragments)

    @dataclasses.dataclass
    class Update(BaseOperation):
        """Change rows, and perhaps add some."""

        removed_fragment_ids: list[int] = dataclasses.field(default_factory=list)
        updated_fragments: list[FragmentMetadata] = dataclasses.field(default_factory=list)
        new_fragments: list[FragmentMetadata] = dataclasses.field(default_factory=list)
        fields_modified: list[int] = dataclasses.field(default_factory=list)
        fields_for_preserving_frag_bitmap: list[int] = dataclasses.field(default_factory=list)
        update_mode: str = ""
        updated_fragment_offsets: Optional[dict[int, bytes]] = None

        def __post_init__(self) -> None:
            _check_fragments(self.updated_fragments)
            _check_fragments(self.new_fragments)

    @dataclasses.dataclass
    class Merge(BaseOperation):
        """Add columns: what LanceFragment.merge_columns gave, of all fragments."""

        fragments: Iterable[FragmentMetadata]
        schema: Union[LanceSchema, pa.Schema]
        preserves_nullability: bool = False

        def __post_init__(self) -> None:
            if isinstance(self.schema, pa.Schema):
                warnings.warn(
                    "Passing a pyarrow.Schema to Merge is deprecated. Please use a LanceSchema "
                    "instead.",
                    DeprecationWarning,
                    stacklevel=3,
                )
            _check_fragments(self.fragments)

    @dataclasses.dataclass
    class Restore(BaseOperation):
        """Make an older version the newest."""

        version: int

    @dataclasses.dataclass
    class RewriteGroup:
        """Fragments that are replaced by others with the same rows."""

        old_fragments: Iterable[FragmentMetadata]
        new_fragments: Iterable[FragmentMetadata]

    @dataclasses.dataclass
    class RewrittenIndex:
        """A segment of an index that a rewrite replaces."""

        old_id: str
        new_id: str
        new_details_type_url: str
        new_details_value: bytes
        new_index_version: int

    @dataclasses.dataclass
    class Rewrite(BaseOperation):
        """Move rows; values do not change."""

        groups: Iterable["LanceOperation.RewriteGroup"]
        rewritten_indices: Iterable["LanceOperation.RewrittenIndex"]

        def __post_init__(self) -> None:
            for group in self.groups:
                _check_fragments(list(group.old_fragments))
                _check_fragments(list(group.new_fragments))

    @dataclasses.dataclass
    class CreateIndex(BaseOperation):
        """Add and remove segments of indices."""

        new_indices: list[Index]
        removed_indices: list[Index]

    @dataclasses.dataclass
    class DataReplacementGroup:
        """A data file that replaces columns of one fragment."""

        fragment_id: int
        new_file: DataFile

    @dataclasses.dataclass
    class DataReplacement(BaseOperation):
        """Replace whole columns of some fragments."""

        replacements: list["LanceOperation.DataReplacementGroup"]

    @dataclasses.dataclass
    class Project(BaseOperation):
        """Drop and rename columns: by the ids of a LanceSchema, or keep those of a Schema."""

        schema: Union[LanceSchema, pa.Schema]
        preserves_nullability: bool = False

    @dataclasses.dataclass
    class UpdateMap:
        """Changes to one map; None deletes a key."""

        updates: dict[str, Optional[str]]
        replace: bool = False

    @dataclasses.dataclass
    class UpdateConfig(BaseOperation):
        """Change configuration and metadata; those of fields by the fields' ids."""

        config_updates: Optional["LanceOperation.UpdateMap"] = None
        table_metadata_updates: Optional["LanceOperation.UpdateMap"] = None
        schema_metadata_updates: Optional["LanceOperation.UpdateMap"] = None
        field_metadata_updates: Optional[dict[int, "LanceOperation.UpdateMap"]] = None
