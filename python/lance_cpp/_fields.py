"""Documents of the library as objects."""

from typing import Any


class Fields:
    """The fields of a JSON document as attributes."""

    def __init__(self, fields: dict[str, Any]):
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_fields"][name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and other._fields == self._fields

    __hash__ = None  # type: ignore[assignment]

    def _show(self, names: Any) -> str:
        shown = ", ".join(f"{name}={self._fields[name]}" for name in names)
        return f"{type(self).__name__}({shown})"

    def __repr__(self) -> str:
        return self._show(self._fields)

    def to_dict(self) -> dict[str, Any]:
        """All of them."""
        return dict(self._fields)
