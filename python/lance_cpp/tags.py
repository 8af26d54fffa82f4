"""Tags: names of versions."""

import datetime
import json
from typing import Any, Optional, Union

from . import _core
from ._missing import KnowsItsGaps
from .errors import InvalidError, NotFoundError

# The number of a version, the name of a tag, or a branch and a number; None: the newest.
Reference = Union[int, str, tuple[Optional[str], Optional[int]], None]

# Inside of Tags, list is a method.
_OrderedTags = list[tuple[str, dict[str, Any]]]


def version_arguments(reference: Reference) -> dict[str, Any]:
    """What the library calls a version by; a number alone is one of the handle's own branch."""
    if isinstance(reference, tuple):
        if len(reference) != 2 or isinstance(reference[1], str):
            raise InvalidError("a version is a number, a tag, or a branch and a number")
        branch, number = reference
        return {"branch": branch or "main", "version": number}
    if isinstance(reference, str):
        return {"tag": reference}
    return {} if reference is None else {"version": reference}


def as_of_argument(asof: Union[datetime.datetime, str]) -> dict[str, Any]:
    """What the library calls the newest version by that is earlier than a time.

    Earlier in whole microseconds, as the reference compares; a time without a zone is local.
    """
    if isinstance(asof, str):
        try:
            asof = datetime.datetime.fromisoformat(asof)
        except ValueError as error:
            raise InvalidError(f"asof is {asof!r}; allowed: a time in ISO 8601") from error
    if not isinstance(asof, datetime.datetime):
        raise TypeError(f"asof is {asof!r}; allowed: a datetime or its text")
    seconds = int(asof.replace(microsecond=0).timestamp())
    return {"as_of": max((seconds * 1_000_000 + asof.microsecond) * 1000 - 1, 0)}


def _time(text: Optional[str]) -> Optional[datetime.datetime]:
    """A time with its zone, in microseconds as Python has them."""
    if text is None:
        return None
    # The library writes nine digits, of which the standard library reads six.
    return datetime.datetime.fromisoformat(text[:26] + "+00:00")


class Tags(KnowsItsGaps):
    """The tags of a table. They belong to the table, not to one version of it."""

    _gaps = "Tags"

    def __init__(self, dataset: Any):
        self._dataset = dataset

    def _version(self, reference: Reference) -> _core.Dataset:
        if reference is None:
            return self._dataset._ds
        return self._dataset._ds.checkout(**version_arguments(reference))

    def create(self, tag: str, reference: Reference = None) -> None:
        """Name a version; None: the one of the dataset.

        Parameters
        ----------
        tag : str
            Its name.
        reference : int, str or tuple, optional
            The version, as checkout_version takes it; None: that of the dataset.
        """
        self._version(reference).set_tag(tag, True)

    def update(self, tag: str, reference: Reference = None) -> None:
        """Let a tag name another version; None: the one of the dataset.

        Parameters
        ----------
        tag : str
            Its name.
        reference : int, str or tuple, optional
            The version, as checkout_version takes it; None: that of the dataset.
        """
        self._version(reference).set_tag(tag, False)

    def delete(self, tag: str) -> None:
        """Remove a tag; its version stays.

        Parameters
        ----------
        tag : str
            Its name.
        """
        self._dataset._ds.delete_tag(tag)

    def list(self) -> dict[str, dict[str, Any]]:
        """The tags by name: branch, version, created_at, updated_at, manifest_size, metadata."""
        tags = {}
        for document in self._dataset._ds.tags():
            tag = json.loads(document)
            tags[tag["name"]] = {
                "branch": tag["branch"] or None,
                "version": tag["version"],
                "created_at": _time(tag["created_at"]),
                "updated_at": _time(tag["updated_at"]),
                "manifest_size": tag["manifest_size_bytes"],
                "metadata": tag["metadata"],
            }
        return tags

    def list_ordered(self, order: Optional[str] = None) -> _OrderedTags:
        """The tags by version, newest first; order="asc": oldest first.

        Parameters
        ----------
        order : str, optional
            "desc" or "asc"; None: "desc".
        """
        if order not in (None, "asc", "desc"):
            raise InvalidError(f"order is {order!r}; allowed: asc, desc")
        tags = self.list().items()
        return sorted(tags, key=lambda tag: tag[1]["version"], reverse=order != "asc")

    def get_version(self, tag: str) -> int:
        """The version that a tag names.

        Parameters
        ----------
        tag : str
            Its name.
        """
        tags = self.list()
        if tag not in tags:
            raise NotFoundError(f"there is no tag {tag}")
        return tags[tag]["version"]
