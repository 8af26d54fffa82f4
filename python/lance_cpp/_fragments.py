"""What a table says of its fragments and files."""

import dataclasses
import json
import warnings
from typing import Any, Optional

from . import _core
from .errors import unsupported


class _Stored:
    """Something serialized, as a fragment keeps it. The reference names the key of its JSON."""

    _key: str

    def __init__(self, stored: bytes):
        self._bytes = bytes(stored)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._bytes)} bytes)"

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and other._bytes == self._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __reduce__(self) -> Any:
        return type(self), (self._bytes,)

    def asdict(self) -> dict[str, Any]:
        """As a dictionary for JSON."""
        return {self._key: list(self._bytes)}

    def json(self) -> str:
        """As JSON."""
        return json.dumps(self.asdict())

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Any:
        """The inverse of asdict.

        Parameters
        ----------
        stored : dict
            What asdict gave.
        """
        if set(stored) != {cls._key}:
            raise unsupported(f"{cls.__name__} of {sorted(stored)}", "those in the manifest are")
        return cls(bytes(stored[cls._key]))

    @classmethod
    def from_json(cls, text: str) -> Any:
        """The inverse of json.

        Parameters
        ----------
        text : str
            What json gave.
        """
        return cls.from_dict(json.loads(text))


class RowIdMeta(_Stored):
    """The stable ids of the rows of a fragment."""

    _key = "Inline"


class RowDatasetVersionMeta(_Stored):
    """In which versions the rows of a fragment were created, or last changed."""

    _key = "inline"


@dataclasses.dataclass(frozen=True)
class DeletionFile:
    """The file that lists the deleted rows of a fragment."""

    read_version: int
    id: int
    file_type: str
    num_deleted_rows: int
    base_id: Optional[int] = None

    def __repr__(self) -> str:
        return f"DeletionFile(type='{self.file_type}', num_deleted_rows={self.num_deleted_rows})"

    def asdict(self) -> dict[str, Any]:
        """As a dictionary."""
        return dataclasses.asdict(self)

    def json(self) -> str:
        """As JSON."""
        return json.dumps(self.asdict())

    @staticmethod
    def from_json(text: str) -> "DeletionFile":
        """The inverse of json.

        Parameters
        ----------
        text : str
            What json gave.
        """
        return DeletionFile(**json.loads(text))

    def path(self, fragment_id: int) -> str:
        """Where it is below the table.

        Parameters
        ----------
        fragment_id : int
            The fragment whose rows it deletes.
        """
        suffix = "arrow" if self.file_type == "array" else "bin"
        return f"_deletions/{fragment_id}-{self.read_version}-{self.id}.{suffix}"


class _CallablePath(str):
    """Path was a method of the reference once; both are taken."""

    def __call__(self) -> str:
        warnings.warn(
            "DataFile.path() is deprecated, use DataFile.path instead",
            DeprecationWarning,
            stacklevel=2,
        )
        return str(self)

    def __reduce__(self) -> Any:
        return str, (str(self),)


@dataclasses.dataclass(init=False, repr=False)
class DataFile:
    """A data file of a fragment: some columns of all its rows."""

    _path: str
    fields: list[int]
    column_indices: list[int] = dataclasses.field(default_factory=list)
    file_major_version: int = 0
    file_minor_version: int = 0
    file_size_bytes: Optional[int] = None
    base_id: Optional[int] = None

    def __init__(
        self,
        path: str,
        fields: list[int],
        column_indices: Optional[list[int]] = None,
        file_major_version: int = 0,
        file_minor_version: int = 0,
        file_size_bytes: Optional[int] = None,
        base_id: Optional[int] = None,
    ):
        self._path = str(path)
        self.fields = fields
        self.column_indices = column_indices or []
        self.file_major_version = file_major_version
        self.file_minor_version = file_minor_version
        self.file_size_bytes = file_size_bytes
        self.base_id = base_id

    def __repr__(self) -> str:
        return (
            f"DataFile(path='{self._path}', fields={self.fields}, "
            f"column_indices={self.column_indices}, "
            f"file_major_version={self.file_major_version}, "
            f"file_minor_version={self.file_minor_version}, "
            f"file_size_bytes={self.file_size_bytes})"
        )

    @property
    def path(self) -> str:
        """Its name below the table's folder of data files."""
        return _CallablePath(self._path)

    def field_ids(self) -> list[int]:
        """Deprecated, as in the reference: fields."""
        warnings.warn(
            "DataFile.field_ids is deprecated, use DataFile.fields instead",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.fields

    @classmethod
    def create(cls, dataset: Any, path: str, *, base_id: Optional[int] = None) -> "DataFile":
        """Describe a file below the table's folder of data files by what is in it.

        Parameters
        ----------
        dataset : LanceDataset
            The table.
        path : str
            The file, below the folder of data files.
        base_id : int, optional
            The place that it is in; None: the table's own.
        """
        return cls(**_core.describe_data_file(dataset._ds, str(path), base_id))

    def _asdict(self) -> dict[str, Any]:
        described = dataclasses.asdict(self)
        described["path"] = described.pop("_path")
        return described


@dataclasses.dataclass
class FragmentMetadata:
    """What a version says of a fragment.

    The stamp of a clustering definition is read-only: only the library sets one.
    """

    id: int
    files: list[DataFile]
    physical_rows: int
    deletion_file: Optional[DeletionFile] = None
    row_id_meta: Optional[RowIdMeta] = None
    created_at_version_meta: Optional[RowDatasetVersionMeta] = None
    last_updated_at_version_meta: Optional[RowDatasetVersionMeta] = None
    overlays: list[Any] = dataclasses.field(default_factory=list)
    # Clustering id, version and group; and what the stored message holds besides.
    _stamp: tuple[int, int, str] = dataclasses.field(
        default=(0, 0, ""), repr=False, compare=False, kw_only=True
    )
    _unknown: bytes = dataclasses.field(default=b"", repr=False, compare=False, kw_only=True)

    @property
    def num_deletions(self) -> int:
        """Rows that are deleted."""
        return 0 if self.deletion_file is None else self.deletion_file.num_deleted_rows

    @property
    def num_rows(self) -> int:
        """Rows that are left."""
        return self.physical_rows - self.num_deletions

    @property
    def clustering_id(self) -> int:
        """The clustering definition that it was written under; 0: none."""
        return self._stamp[0]

    @property
    def clustering_version(self) -> int:
        """The layout version of its stamp; 0: none."""
        return self._stamp[1]

    @property
    def clustering_group_id(self) -> str:
        """The group of one sorted write; "": none."""
        return self._stamp[2]

    def data_files(self) -> list[DataFile]:
        """Deprecated, as in the reference: files."""
        warnings.warn(
            "FragmentMetadata.data_files is deprecated. Use .files instead.",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.files

    def to_json(self) -> dict[str, Any]:
        """As a dictionary that can become JSON; the reference reads it, too."""

        def of(part: Any) -> Any:
            return None if part is None else part.asdict()

        return {
            "id": self.id,
            "files": [file._asdict() for file in self.files],
            "overlays": list(self.overlays),
            "physical_rows": self.physical_rows,
            "deletion_file": of(self.deletion_file),
            "row_id_meta": of(self.row_id_meta),
            "created_at_version_meta": of(self.created_at_version_meta),
            "last_updated_at_version_meta": of(self.last_updated_at_version_meta),
            "lance_cpp": {"stamp": list(self._stamp), "unknown": list(self._unknown)},
        }

    @staticmethod
    def from_json(json_data: str) -> "FragmentMetadata":
        """The inverse of to_json, of the reference's text as well.

        Parameters
        ----------
        json_data : str
            What to_json gave, or the reference's text.
        """
        given = json.loads(json_data)
        own = given.get("lance_cpp") or {}

        def part(kind: Any, key: str) -> Any:
            return None if given.get(key) is None else kind.from_dict(given[key])

        deletions = given.get("deletion_file")
        return FragmentMetadata(
            id=given["id"],
            files=[DataFile(**file) for file in given["files"]],
            physical_rows=given["physical_rows"],
            deletion_file=None if deletions is None else DeletionFile(**deletions),
            row_id_meta=part(RowIdMeta, "row_id_meta"),
            created_at_version_meta=part(RowDatasetVersionMeta, "created_at_version_meta"),
            last_updated_at_version_meta=part(
                RowDatasetVersionMeta, "last_updated_at_version_meta"
            ),
            overlays=given.get("overlays") or [],
            _stamp=tuple(own.get("stamp", (0, 0, ""))),
            _unknown=bytes(own.get("unknown", b"")),
        )

    @staticmethod
    def _of(described: dict[str, Any]) -> "FragmentMetadata":
        def stored(kind: Any, key: str) -> Any:
            return None if described[key] is None else kind(described[key])

        deletions = described["deletion_file"]
        return FragmentMetadata(
            described["id"],
            [DataFile(**file) for file in described["files"]],
            described["physical_rows"],
            None if deletions is None else DeletionFile(**deletions),
            stored(RowIdMeta, "row_ids"),
            stored(RowDatasetVersionMeta, "created_at_versions"),
            stored(RowDatasetVersionMeta, "last_updated_at_versions"),
            _stamp=described["clustering"],
            _unknown=described["unknown_fields"],
        )

    def _asdict(self) -> dict[str, Any]:
        """What the library takes."""
        if self.overlays:
            raise unsupported("a fragment with overlays")

        def stored(part: Optional[_Stored]) -> Optional[bytes]:
            return None if part is None else part._bytes

        return {
            "id": self.id,
            "files": [file._asdict() for file in self.files],
            "physical_rows": self.physical_rows,
            "deletion_file": None if self.deletion_file is None else self.deletion_file.asdict(),
            "row_ids": stored(self.row_id_meta),
            "created_at_versions": stored(self.created_at_version_meta),
            "last_updated_at_versions": stored(self.last_updated_at_version_meta),
            "unknown_fields": self._unknown,
        }


def all_metadata(described: list[dict[str, Any]]) -> list[FragmentMetadata]:
    """What the library says of fragments."""
    return [FragmentMetadata._of(fragment) for fragment in described]
