"""What a table should hold, in plain Python, for tests that compare after every change.

Rows are dicts that are never changed in place, so that a copy of the model is cheap. Each row has
an `id` that no other row of the same version has.
"""

import copy

import pyarrow as pa

WIDER = {
    pa.int16(): pa.int32(), pa.int32(): pa.int64(), pa.float32(): pa.float64(),
    pa.string(): pa.large_string(),
}


def stored(value, type_, version):
    """The value as a table of this version gives it: 2.0 does not say which structs are null."""
    if pa.types.is_struct(type_):
        if value is None and version != "2.0":
            return None
        return {
            child.name: stored((value or {}).get(child.name), child.type, version)
            for child in type_
        }
    return value


def random_value(rng, field):
    """A value of one of the types that the chains use; every fifth is null where it may be."""
    type_ = field.type
    if field.nullable and rng.random() < 0.2:
        return None
    if pa.types.is_struct(type_):
        return {child.name: random_value(rng, child) for child in type_}
    if pa.types.is_list(type_):
        return [random_value(rng, type_.value_field) for _ in range(rng.randrange(4))]
    if pa.types.is_floating(type_):
        return rng.randint(-80, 80) / 4
    if pa.types.is_integer(type_):
        return rng.randint(-100, 100)
    return rng.choice(["", f"t{rng.randint(0, 9)}", "it's", "\u4e2d"])


class TableModel:
    """Rows in order, columns, and metadata of one version of a table."""

    def __init__(self, schema, rows, version):
        self.schema = schema
        self.file_version = version
        self.rows = [self._stored(row) for row in rows]
        self.config = {}
        self.metadata = {}
        self.schema_metadata = {}
        self.field_metadata = {}  # by top-level column
        self.places = {}  # row addresses by id
        self.unwritten = {}  # members of structs: ids of the rows of which no data file holds them

    def _stored(self, row):
        return {
            field.name: stored(row.get(field.name), field.type, self.file_version)
            for field in self.schema
        }

    def copy(self):
        other = copy.copy(self)
        for name in ("rows", "config", "metadata", "schema_metadata"):
            setattr(other, name, copy.copy(getattr(self, name)))
        other.field_metadata = {name: dict(found) for name, found in self.field_metadata.items()}
        other.unwritten = {name: set(ids) for name, ids in self.unwritten.items()}
        return other

    def table_of(self, rows, names=None):
        """Rows as Arrow has them, with these columns, else with all."""
        schema = self.schema
        if names is not None:
            schema = pa.schema([self.schema.field(name) for name in names])
        return pa.Table.from_pylist(rows, schema=schema)

    @property
    def ids(self):
        return [row["id"] for row in self.rows]

    def ids_where(self, predicate):
        return {row["id"] for row in self.rows if predicate(row)}

    # --- Rows -----------------------------------------------------------------------------------

    def append(self, rows):
        self.rows += [self._stored(row) for row in rows]

    def delete(self, ids):
        self.rows = [row for row in self.rows if row["id"] not in ids]

    def update(self, ids, changes):
        """Set columns to functions of the row before; changed rows move behind the others."""
        changed = [
            self._stored({**row, **{name: change(row) for name, change in changes.items()}})
            for row in self.rows
            if row["id"] in ids
        ]
        self.delete(ids)
        self.rows += changed

    def merge(self, source, updates, inserts):
        """Merge by id; `updates` says of a source row whether it replaces the one of the table.

        \\return the numbers of inserted and of updated rows
        """
        found = {row["id"]: row for row in self.rows}
        changed, new = [], []
        for row in source:
            if row["id"] not in found:
                new.append(row)
            elif updates(row):
                changed.append(self._stored({**found[row["id"]], **row}))
        self.delete({row["id"] for row in changed})
        self.rows += changed
        if not inserts:
            new = []
        self.append(new)
        return len(new), len(changed)

    # --- Columns --------------------------------------------------------------------------------

    def add_column(self, name, type_, values):
        self.schema = self.schema.append(pa.field(name, type_))
        self.set_column(name, values)

    def set_column(self, name, values):
        self.rows = [
            self._stored({**row, name: value}) for row, value in zip(self.rows, values, strict=True)
        ]

    def set_type(self, name, type_):
        place = self.schema.get_field_index(name)
        self.schema = self.schema.set(place, self.schema.field(place).with_type(type_))

    def set_nullable(self, name, is_nullable):
        place = self.schema.get_field_index(name)
        field = self.schema.field(place).with_nullable(is_nullable)
        self.schema = self.schema.set(place, field)

    def cast(self, name, type_):
        values = pa.array([row[name] for row in self.rows], self.schema.field(name).type)
        self.set_type(name, type_)
        self.set_column(name, values.cast(type_).to_pylist())

    def drop_column(self, name):
        self.schema = self.schema.remove(self.schema.get_field_index(name))
        self.rows = [self._stored(row) for row in self.rows]
        self.field_metadata.pop(name, None)

    def rename(self, new_names):
        """Give columns new names, all at once."""
        names = [new_names.get(name, name) for name in self.schema.names]
        self.rows = [dict(zip(names, row.values())) for row in self.rows]
        self.schema = pa.schema(
            [field.with_name(name) for field, name in zip(self.schema, names)]
        )
        self.field_metadata = {
            new_names.get(name, name): found for name, found in self.field_metadata.items()
        }

    def add_member(self, column, name, type_):
        """A member of a struct column that no data file holds yet."""
        members = self.schema.field(column).type
        self.set_type(column, pa.struct([*members, (name, type_)]))
        self.rows = [self._stored(row) for row in self.rows]
        self.unwritten[name] = set(self.ids)

    def cast_member(self, column, name, type_):
        members = self.schema.field(column).type
        self.set_type(
            column,
            pa.struct([child.with_type(type_) if child.name == name else child
                       for child in members]),
        )
        self.unwritten.pop(name, None)

    def drop_member(self, column, name):
        """Which structs are null is known from the files of their members: without any, all are."""
        rest = [child for child in self.schema.field(column).type if child.name != name]
        if not rest:
            self.drop_column(column)
            return

        def is_null(row):
            return row[column] is None or all(
                row["id"] in self.unwritten.get(child.name, ()) for child in rest
            )

        values = [None if is_null(row) else row[column] for row in self.rows]
        self.set_type(column, pa.struct(rest))
        self.set_column(column, values)
        self.unwritten.pop(name, None)

    def rows_were_written(self, ids):
        """These rows lie in data files with all columns."""
        for unwritten in self.unwritten.values():
            unwritten -= ids

    # --- Metadata -------------------------------------------------------------------------------

    def update_map(self, entries, values, replace):
        """Set keys, None deletes one; replace: make it exactly these."""
        if replace:
            entries.clear()
        for key, value in values.items():
            if value is None:
                entries.pop(key, None)
            else:
                entries[key] = value
