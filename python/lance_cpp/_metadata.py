"""Texts that are kept with a table: configuration and metadata."""

import json
import warnings
from typing import Any, Optional

import pyarrow as pa

from . import _core


class MetadataChanges:
    """Changing them; a part of LanceDataset."""

    _ds: _core.Dataset

    @property
    def metadata(self) -> dict[str, str]:
        """The table's free metadata."""
        return self._properties()["table_metadata"]

    @property
    def schema_metadata(self) -> dict[str, str]:
        """The schema's metadata."""
        metadata = pa.schema(self._ds.schema).metadata or {}
        # Values may be any bytes; as in the reference, what is no UTF-8 is replaced.
        return {key.decode(): value.decode(errors="replace") for key, value in metadata.items()}

    def config(self) -> dict[str, str]:
        """The table's configuration."""
        return self._properties()["config"]

    def _properties(self) -> dict[str, Any]:
        return json.loads(self._ds.properties)

    def update_config(
        self, values: dict[str, Optional[str]], *, replace: bool = False
    ) -> dict[str, str]:
        """Set keys of the configuration, None deletes one; replace: make it exactly these.

        Parameters
        ----------
        values : dict of str to str
            Keys and their values; None deletes a key.
        replace : bool
            Make it exactly these.
        """
        self._ds = self._ds.update("config", values, replace)
        return self.config()

    def delete_config_keys(self, keys: list[str]) -> None:
        """Delete keys of the configuration.

        Parameters
        ----------
        keys : list of str
            Those that go.
        """
        self.update_config(dict.fromkeys(keys))

    def update_metadata(
        self, values: dict[str, Optional[str]], *, replace: bool = False
    ) -> dict[str, str]:
        """Set keys of the free metadata, None deletes one; replace: make it exactly these.

        Parameters
        ----------
        values : dict of str to str
            Keys and their values; None deletes a key.
        replace : bool
            Make it exactly these.
        """
        self._ds = self._ds.update("table", values, replace)
        return self.metadata

    def update_schema_metadata(
        self, values: dict[str, Optional[str]], *, replace: bool = False
    ) -> dict[str, str]:
        """Set keys of the schema's metadata, None deletes one; replace: make it exactly these.

        Parameters
        ----------
        values : dict of str to str
            Keys and their values; None deletes a key.
        replace : bool
            Make it exactly these.
        """
        self._ds = self._ds.update("schema", values, replace)
        return self.schema_metadata

    def replace_schema_metadata(self, new_metadata: dict[str, str]) -> None:
        """Deprecated, as in the reference: update_schema_metadata with replace."""
        warnings.warn(
            "replace_schema_metadata is deprecated; use update_schema_metadata with replace=True",
            DeprecationWarning,
            stacklevel=2,
        )
        self.update_schema_metadata(new_metadata, replace=True)

    def update_field_metadata(
        self, field_updates: dict[str, dict[str, Optional[str]]], *, replace: bool = False
    ) -> None:
        """Set keys of the metadata of columns, by name or path; None deletes a key.

        Parameters
        ----------
        field_updates : dict of str to dict
            By column, or by path: keys and their values; None deletes a key.
        replace : bool
            Make it exactly these.
        """
        self._ds = self._ds.update_fields(field_updates, replace)

    def replace_field_metadata(self, field_name: str, new_metadata: dict[str, str]) -> None:
        """Deprecated, as in the reference: update_field_metadata with replace."""
        warnings.warn(
            "replace_field_metadata is deprecated; use update_field_metadata with replace=True",
            DeprecationWarning,
            stacklevel=2,
        )
        self.update_field_metadata({field_name: new_metadata}, replace=True)
