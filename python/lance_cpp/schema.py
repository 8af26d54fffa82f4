"""Schemas with field ids, as transactions that are made by hand need them."""

from collections.abc import Iterator
from typing import Any, Optional

import pyarrow as pa

from ._missing import module_getattr
from .errors import InvalidError

__all__ = ["LanceField", "LanceSchema"]

__getattr__ = module_getattr(__name__)


def _members(kind: pa.DataType) -> list[pa.Field]:
    """The fields that a type has below it, as the format counts them."""
    if isinstance(kind, pa.BaseExtensionType):
        return _members(kind.storage_type)
    if pa.types.is_struct(kind):
        return [kind.field(i) for i in range(kind.num_fields)]
    if pa.types.is_map(kind):
        entries = pa.struct([kind.key_field, kind.item_field])
        return [pa.field("entries", entries, nullable=False)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [kind.value_field]
    if pa.types.is_fixed_size_list(kind) and pa.types.is_struct(kind.value_type):
        return [kind.value_field]
    return []


class LanceField:
    """A field of a LanceSchema."""

    def __init__(self, field: pa.Field, ids: Iterator[int]):
        self._field = field
        self._id = next(ids)
        self._children = [LanceField(member, ids) for member in _members(field.type)]

    def __repr__(self) -> str:
        return f"LanceField(id={self._id}, {self._field})"

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, LanceField):
            return NotImplemented
        return self._field.equals(other._field) and self._ids() == other._ids()

    def name(self) -> str:
        """What it is called."""
        return self._field.name

    def id(self) -> int:
        """Its id; never used again in the table."""
        return self._id

    def children(self) -> list["LanceField"]:
        """The fields below it."""
        return list(self._children)

    @property
    def metadata(self) -> dict[str, str]:
        """Its metadata."""
        return {key.decode(): value.decode() for key, value in (self._field.metadata or {}).items()}

    def to_arrow(self) -> pa.Field:
        """It as an Arrow field."""
        return self._field

    def _ids(self) -> list[int]:
        return [self._id, *(number for child in self._children for number in child._ids())]


class LanceSchema:
    """Columns with the ids of all fields, members included."""

    def __init__(self) -> None:
        raise TypeError("make it by LanceSchema.from_pyarrow, or take LanceDataset.lance_schema")

    @classmethod
    def _of(cls, schema: pa.Schema, ids: list[int]) -> "LanceSchema":
        made = cls.__new__(cls)
        rest = iter(ids)
        try:
            made._fields = [LanceField(field, rest) for field in schema]
        except StopIteration:
            raise InvalidError(f"{len(ids)} ids are too few for {schema}") from None
        made._schema = schema
        return made

    @staticmethod
    def from_pyarrow(schema: pa.Schema) -> "LanceSchema":
        """The columns of an Arrow schema, with ids that count from 0.

        Parameters
        ----------
        schema : pyarrow.Schema
            The columns.
        """

        def count(fields: list[pa.Field]) -> int:
            return sum(1 + count(_members(field.type)) for field in fields)

        return LanceSchema._of(schema, list(range(count(list(schema)))))

    def __repr__(self) -> str:
        return f"LanceSchema({self._fields})"

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, LanceSchema):
            return NotImplemented
        return self._fields == other._fields

    def __reduce__(self) -> Any:
        return LanceSchema._of, (self._schema, self._ids())

    def to_pyarrow(self) -> pa.Schema:
        """The columns without ids."""
        return self._schema

    def fields(self) -> list[LanceField]:
        """The columns."""
        return list(self._fields)

    def field(self, name: str) -> Optional[LanceField]:
        """A column by name, or a member by path.

        Parameters
        ----------
        name : str
            "a", or "a.b".
        """
        return self._find(name, lambda text: text)

    def field_case_insensitive(self, name: str) -> Optional[LanceField]:
        """As field, whatever the case.

        Parameters
        ----------
        name : str
            "a", or "a.b".
        """
        return self._find(name, str.lower)

    def _find(self, path: str, key: Any) -> Optional[LanceField]:
        fields, found = self._fields, None
        for name in path.split("."):
            found = next((field for field in fields if key(field.name()) == key(name)), None)
            if found is None:
                return None
            fields = found.children()
        return found

    def _ids(self) -> list[int]:
        return [number for field in self._fields for number in field._ids()]

    def _paths(self) -> dict[int, str]:
        """Paths by id."""
        paths: dict[int, str] = {}

        def add(fields: list[LanceField], prefix: str) -> None:
            for field in fields:
                paths[field.id()] = prefix + field.name()
                add(field.children(), f"{paths[field.id()]}.")

        add(self._fields, "")
        return paths
