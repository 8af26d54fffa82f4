"""Branches: lines of versions beside the main one; clones and copies of tables."""

import datetime
import json
import os
from typing import Any, Optional, Union

from . import _core
from .errors import InvalidError, NotFoundError, refuse_given
from .tags import Reference, version_arguments

# Inside of Branches, list is a method.
_OrderedBranches = list[tuple[str, dict[str, Any]]]


def _described(document: str) -> tuple[str, dict[str, Any]]:
    """A branch as the reference gives it."""
    branch = json.loads(document)
    created = datetime.datetime.fromisoformat(branch["created_at"][:19] + "+00:00")
    return branch["name"], {
        "parent_branch": branch["parent_branch"] or None,
        "branch_identifier": [
            (step["parent_version"], step["uuid"]) for step in branch["identifier"]
        ],
        "parent_version": branch["parent_version"],
        "create_at": int(created.timestamp()),
        "manifest_size": branch["manifest_size_bytes"],
        "metadata": branch["metadata"],
    }


class Branches:
    """The branches of a table. They belong to the table, not to one version of it."""

    def __init__(self, dataset: Any):
        self._dataset = dataset

    def list(self) -> dict[str, dict[str, Any]]:
        """The branches by name; the main one is not among them."""
        return dict(map(_described, _core.branches(self._dataset._ds)))

    def list_ordered(self, order: Optional[str] = None) -> _OrderedBranches:
        """The branches by the version they began with, newest first; order="asc": oldest first.

        Parameters
        ----------
        order : str, optional
            "desc" or "asc"; None: "desc".
        """
        if order not in (None, "asc", "desc"):
            raise InvalidError(f"order is {order!r}; allowed: asc, desc")
        sign = 1 if order == "asc" else -1
        return sorted(
            self.list().items(), key=lambda branch: (sign * branch[1]["parent_version"], branch[0])
        )

    def delete(self, branch: str) -> None:
        """Remove a branch with its versions, while no tag names one and no branch begins on it.

        Parameters
        ----------
        branch : str
            Its name.
        """
        _core.delete_branch(self._dataset._ds, branch)

    def replace_metadata(self, branch: str, metadata: dict[str, str]) -> None:
        """Give a branch other metadata.

        Parameters
        ----------
        branch : str
            Its name.
        metadata : dict of str to str
            All of it.
        """
        _core.replace_branch_metadata(self._dataset._ds, branch, metadata)


class Copies:
    """The part of LanceDataset that makes branches, clones and copies."""

    _ds: _core.Dataset
    _uri: str
    _storage_options: Optional[dict[str, str]]
    _default_scan_options: Optional[dict[str, Any]]

    def _at(self, reference: Reference) -> _core.Dataset:
        """The version that a reference names; None: this one."""
        return self._ds if reference is None else self._ds.checkout(**version_arguments(reference))

    def _of_place(self, ds: _core.Dataset) -> Any:
        other = type(self)._of(ds, ds.uri, self._storage_options)  # type: ignore[attr-defined]
        other._default_scan_options = self._default_scan_options
        return other

    @property
    def branches(self) -> Branches:
        """Lines of versions beside the main one."""
        return Branches(self)

    def create_branch(
        self,
        branch: str,
        reference: Reference = None,
        storage_options: Optional[dict[str, str]] = None,
    ) -> Any:
        """Begin a branch and open it there. No data is copied.

        Parameters
        ----------
        branch : str
            Letters and digits, '.', '-' and '_', in segments joined by '/'; not "main".
        reference : int, str or tuple, optional
            What it begins with: a version of this branch, a tag, or a branch and a version of it,
            where None is the newest; None: this version.
        storage_options : dict, optional
            Those of the dataset, or None.
        """
        self._refuse_others(storage_options)
        return self._of_place(_core.create_branch(self._at(reference), branch))

    def shallow_clone(
        self,
        target_path: Union[str, os.PathLike],
        reference: Reference,
        storage_options: Optional[dict[str, str]] = None,
        **kwargs: Any,
    ) -> Any:
        """Make a table that shares the files of a version, and open it.

        It breaks when those files go: by a cleanup here, or when this table is moved.

        Parameters
        ----------
        target_path : str or Path
            Where the clone lies; there must be no table yet.
        reference : int, str or tuple
            The version, as in create_branch.
        kwargs
            Of LanceDataset, for opening the clone.
        storage_options : dict, optional
            Those of the dataset, or None.
        """
        self._refuse_others(storage_options)
        place = os.fspath(target_path)
        _core.shallow_clone(self._at(reference), place)
        kwargs.setdefault("storage_options", self._storage_options)
        return type(self)(place, **kwargs)  # type: ignore[call-arg]

    def copy(
        self,
        target_uri: Union[str, os.PathLike],
        *,
        cluster_by: Optional[list[str]] = None,
        commit_message: Optional[str] = None,
    ) -> Any:
        """Write the rows of this version to a new table, which shares nothing with this one.

        Schema, configuration and metadata come along; a clustering, history, tags, branches,
        indices and row ids do not. So every writer takes the copy, unless cluster_by declares it
        anew.

        Parameters
        ----------
        target_uri : str or Path
            Where the copy lies; there must be no table yet.
        cluster_by : list of str, optional
            Declare these columns for the copy, whose rows arrive in that order.
        commit_message : str, optional
            Kept with the commit.
        """
        place = os.fspath(target_uri)
        made = _core.copy_table(
            self._ds, place, cluster_by=cluster_by, commit_message=commit_message
        )
        return type(self)._of(made, place, self._storage_options)  # type: ignore[attr-defined]

    @staticmethod
    def drop(
        base_uri: Union[str, os.PathLike],
        storage_options: Optional[dict[str, str]] = None,
        ignore_not_found: Optional[bool] = None,
    ) -> None:
        """Remove a table with everything that lies below its root.

        Parameters
        ----------
        base_uri : str or Path
            The table's root.
        storage_options : dict, optional
            Options of the store.
        ignore_not_found : bool, optional
            Do nothing where no table is.
        """
        try:
            _core.drop_table(os.fspath(base_uri), None, storage_options=storage_options)
        except NotFoundError:
            if not ignore_not_found:
                raise

    def _refuse_others(self, storage_options: Optional[dict[str, str]]) -> None:
        """The store of the new place is opened with the options of this dataset."""
        same = storage_options is None or storage_options == self._storage_options
        refuse_given(storage_options=None if same else storage_options)
