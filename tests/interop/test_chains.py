"""Chains of random changes of a table, each made by us or by the reference, in one process.

After every change both read what a plain model holds: whole, filtered, by place, and now and then
an older version; rows lie where no change has touched them, and the reference finds the table
valid.
"""

import pathlib
import uuid

import lance
import lance_cpp
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from lance.file import LanceFileWriter
from lance.fragment import DataFile
from lance.indices import IndexConfig
from lancectl import IS_LONG, rng_of
from table_model import WIDER, TableModel, random_value, stored

WRITERS = {"ours": lance_cpp, "reference": lance}
CHAINS = range(200 if IS_LONG else 10)
STEPS = 50 if IS_LONG else 12
ROWS = 60
ROWS_PER_FILE = 25

FIRST_SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("n", pa.int16()),
        ("x", pa.float32()),
        ("t", pa.string()),
        ("s", pa.struct([("a", pa.int32()), ("b", pa.string())])),
    ]
)


class Log(list):
    """What happened, the end of which a failure shows."""

    def __repr__(self):
        return f"... {' '.join(map(str, self[-20:]))}"


class Chain:
    """The table on storage and what it should hold."""

    def __init__(self, rng, uri, is_declared=False, has_stable_row_ids=False):
        self.rng = rng
        self.uri = uri
        self.is_declared = is_declared  # the reference refuses to write such a table
        self.has_stable_row_ids = has_stable_row_ids
        self.names = iter(f"c{i}" for i in range(10000))
        self.next_id = 0
        self.log = Log()
        self.handles = {}
        version = rng.choice(["2.0", "2.1", "2.2"])
        self.model = TableModel(FIRST_SCHEMA, [], version)
        self.model.append(self.new_rows(ROWS))
        self.is_v2_named = rng.random() < 0.5
        self.log.append((version, self.is_v2_named, is_declared))
        writer = self.pick_writer()
        writer.write_dataset(
            self.model.table_of(self.model.rows), uri, max_rows_per_file=ROWS_PER_FILE,
            data_storage_version=version, enable_v2_manifest_paths=self.is_v2_named,
            enable_stable_row_ids=has_stable_row_ids,
        )
        if is_declared:
            lance_cpp.dataset(uri).set_clustering(["n", "id"])
        elif rng.random() < 0.5:
            self.index()
        self.snapshots = {}
        self.physical_rows = {}  # by fragment that was ever there
        self.check()

    def pick_writer(self):
        name = "ours" if self.is_declared else self.rng.choice(sorted(WRITERS))
        self.log.append(name)
        return WRITERS[name]

    def open(self):
        """A handle of ours or of the reference on the newest version, opened now or long ago."""
        writer = self.pick_writer()
        if writer not in self.handles or self.rng.random() < 0.5:
            self.log.append("reopened")
            self.handles[writer] = writer.dataset(self.uri)
        handle = self.handles[writer]
        handle.checkout_latest()
        return handle

    def pick(self, condition=lambda field: True):
        """A column other than the key; None when there is none that fits."""
        fields = [field for field in self.model.schema if field.name != "id" and condition(field)]
        return self.rng.choice(fields) if fields else None

    def keys(self):
        """Columns of the declaration: test_clustered_schema.py changes those."""
        return {"n"} if self.is_declared else set()

    def some_names(self):
        """The key, another column, and those that must be there.

        In 2.0 a struct is null only where no file holds it.
        """
        field = self.pick()
        names = ["id"] if field is None else ["id", field.name]
        names += [field.name for field in self.model.schema if not field.nullable]
        if self.model.file_version == "2.0" and "s" in self.model.schema.names:
            names.append("s")
        return list(dict.fromkeys(names))

    def new_rows(self, count, names=None):
        """Random rows with ids that were never used."""
        ids = range(self.next_id, self.next_id + count)
        self.next_id += count
        return [self.random_row(id_, names) for id_ in ids]

    def random_row(self, id_, names=None):
        version = self.model.file_version
        row = {
            field.name: stored(random_value(self.rng, field), field.type, version)
            for field in self.model.schema
            if names is None or field.name in names
        }
        return {**row, "id": id_}

    def random_filter(self):
        """A condition in SQL, and the same in Python."""
        kind = self.rng.randrange(6)
        low = self.rng.randrange(self.next_id + 1)
        if kind == 0:
            ids = self.rng.sample(range(self.next_id), min(self.next_id, self.rng.choice([1, 9])))
            return f"id IN ({', '.join(map(str, ids))})", lambda row: row["id"] in ids
        if kind == 1:
            return f"id BETWEEN {low} AND {low + 9}", lambda row: low <= row["id"] <= low + 9
        rest = self.rng.randrange(6)
        by_id = f"id % 6 = {rest}", lambda row: row["id"] % 6 == rest
        field = self.pick(lambda field: not pa.types.is_nested(field.type))
        if kind == 2 or field is None:
            return by_id
        name = field.name
        if kind == 3:
            sql, python = by_id
            return (
                f"{name} IS NULL OR {sql}",
                lambda row: row[name] is None or python(row),
            )
        value = random_value(self.rng, field) or 0
        if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
            letter = self.rng.choice("it")
            return f"{name} LIKE '{letter}%'", lambda row: (row[name] or "").startswith(letter)
        if kind == 4:
            return f"{name} > {value}", lambda row: row[name] is not None and row[name] > value
        return f"NOT ({name} >= {value})", lambda row: row[name] is not None and row[name] < value

    # --- Changes of rows ------------------------------------------------------------------------

    def append(self):
        names = self.some_names() if self.rng.random() < 0.2 else None
        rows = self.new_rows(self.rng.choice([1, 4, 30]), names)
        self.pick_writer().write_dataset(
            self.model.table_of(rows, names), self.uri, mode="append",
            max_rows_per_file=ROWS_PER_FILE,
        )
        self.model.append(rows)

    def delete(self):
        sql, python = self.random_filter()
        ids = self.model.ids_where(python)
        done = self.open().delete(sql)
        assert done["num_deleted_rows"] == len(ids), (sql, self.log)
        self.model.delete(ids)

    def truncate(self):
        self.open().truncate_table()
        self.model.delete(set(self.model.ids))

    def update(self):
        sql, python = self.random_filter()
        ids = self.model.ids_where(python)
        name, (text, change) = self.random_assignment()
        done = self.open().update({name: text}, sql)
        assert done["num_rows_updated"] == len(ids), (sql, self.log)
        self.model.update(ids, {name: change})

    def random_assignment(self):
        """A column, and what it is set to in SQL and in Python."""
        is_v20 = self.model.file_version == "2.0"
        field = self.pick(lambda field: not (is_v20 and pa.types.is_struct(field.type)))
        if field is None:
            return "id", ("id", lambda row: row["id"])
        name = field.name
        if pa.types.is_integer(field.type):
            change = f"{name} + 1", lambda row: None if row[name] is None else row[name] + 1
        elif pa.types.is_floating(field.type):
            change = f"{name} / 2", lambda row: None if row[name] is None else row[name] / 2
        elif pa.types.is_nested(field.type):
            change = "NULL", lambda row: None
        else:
            change = f"'u' || {name}", lambda row: None if row[name] is None else f"u{row[name]}"
        return name, change

    def merge_insert(self):
        """Every clause of a merge by the key."""
        old = self.rng.sample(self.model.ids, min(len(self.model.rows), self.rng.choice([2, 20])))
        has_choice = not self.model.unwritten and self.rng.random() < 0.3
        names = self.some_names() if has_choice else None
        source = [self.random_row(id_, names) for id_ in old]
        source += self.new_rows(self.rng.choice([1, 8]), names)
        self.rng.shuffle(source)
        rows = self.model.table_of(source, names)
        kind = self.rng.choice(
            ["upsert", "insert", "update", "condition", "delete", "replace"]
            if names is None
            else ["upsert", "update"]
        )
        self.log.append((kind, names))
        merge = self.open().merge_insert("id")
        counts = self.run_merge(kind, merge, source)
        done = merge.execute(rows)
        found = tuple(done[f"num_{what}_rows"] for what in ["inserted", "updated", "deleted"])
        assert found == counts, self.log

    def run_merge(self, kind, merge, source):
        """Say what to do, and do it to the model. \\return rows inserted, updated and deleted"""
        low = self.rng.randrange(self.next_id)
        unmatched = set()
        if kind in ("upsert", "update", "replace"):
            merge.when_matched_update_all()
        if kind == "condition":
            merge.when_matched_update_all("source.id > target.id - 1 AND source.id % 2 = 0")
        if kind == "delete":
            merge.when_matched_delete()
            gone = {row["id"] for row in source} & set(self.model.ids)
            self.model.delete(gone)
            return 0, 0, len(gone)
        if kind != "update":
            merge.when_not_matched_insert_all()
        if kind == "replace":
            merge.when_not_matched_by_source_delete(f"id < {low}")
            unmatched = self.model.ids_where(lambda row: row["id"] < low)
            unmatched -= {row["id"] for row in source}
        matched = {
            "insert": lambda row: False, "condition": lambda row: row["id"] % 2 == 0
        }.get(kind, lambda row: True)
        self.model.delete(unmatched)
        return *self.model.merge(source, matched, kind != "update"), len(unmatched)

    def overwrite(self):
        """New rows, and often other columns and another version of the files."""
        model = self.model
        if self.rng.random() < 0.5:
            model.file_version = self.rng.choice(["2.0", "2.1", "2.2"])
        if self.rng.random() < 0.5:
            model.schema = FIRST_SCHEMA
        model.rows, model.unwritten, model.field_metadata = [], {}, {}
        model.schema_metadata = {}
        model.append(self.new_rows(self.rng.choice([0, 5, ROWS])))
        self.pick_writer().write_dataset(
            model.table_of(model.rows), self.uri, mode="overwrite",
            max_rows_per_file=ROWS_PER_FILE, data_storage_version=model.file_version,
        )

    def restore(self):
        version = self.rng.choice(sorted(self.snapshots))
        self.pick_writer().dataset(self.uri, version=version).restore()
        self.model = self.snapshots[version].copy()

    def compact(self):
        """By the reference, or by us when there is a declaration."""
        if self.is_declared:
            lance_cpp.dataset(self.uri).optimize.compact_files(full=self.rng.random() < 0.3)
        else:
            rows = self.rng.choice([40, 1000])
            lance.dataset(self.uri).optimize.compact_files(target_rows_per_fragment=rows)

    # --- Changes of columns ---------------------------------------------------------------------

    def add_by_sql(self):
        name, factor = next(self.names), self.rng.randint(2, 9)
        dataset = self.open()
        dataset.add_columns({name: f"id * {factor} + 1"})
        self.model.add_column(name, pa.int64(), [id_ * factor + 1 for id_ in self.model.ids])
        if isinstance(dataset, lance.LanceDataset):
            # The reference concludes from the expression whether the column may be null.
            self.model.set_nullable(name, self.model.schema.field("id").nullable)

    def add_nulls(self):
        name = next(self.names)
        type_ = self.rng.choice([pa.int32(), pa.string(), pa.list_(pa.int64())])
        self.open().add_columns(pa.schema([pa.field(name, type_)]))
        self.model.add_column(name, type_, [None] * len(self.model.rows))

    def add_member(self):
        if self.model.file_version != "2.2" or "s" not in self.model.schema.names:
            return
        name = next(self.names)
        self.open().add_columns(pa.schema([("s", pa.struct([(name, pa.int32())]))]))
        self.model.add_member("s", name, pa.int32())

    def add_rows(self):
        name = next(self.names)
        values = [None if id_ % 3 == 0 else [f"v{id_}"] * (id_ % 4) for id_ in self.model.ids]
        type_ = pa.list_(pa.string())
        new = pa.table({name: pa.array(values, type_)})
        self.open().add_columns(new.to_reader(max_chunksize=self.rng.choice([7, 64])))
        self.model.add_column(name, type_, values)

    def add_by_function(self):
        if not self.model.rows:
            return  # the reference tries the function on the first row
        name = next(self.names)

        def square(batch):
            return pa.record_batch({name: pc.multiply(batch["id"], batch["id"])})

        self.open().add_columns(square, read_columns=["id"], batch_size=self.rng.choice([3, 1024]))
        self.model.add_column(name, pa.int64(), [id_ * id_ for id_ in self.model.ids])

    def merge_columns(self):
        name = next(self.names)
        keys = [id_ for id_ in self.model.ids if self.rng.random() < 0.6]
        self.rng.shuffle(keys)
        if not keys:
            return
        values = [f"m{key}" for key in keys]
        self.open().merge(pa.table({"key": pa.array(keys, pa.int64()), name: values}), "id", "key")
        found = dict(zip(keys, values))
        self.model.add_column(name, pa.string(), [found.get(id_) for id_ in self.model.ids])

    def drop(self):
        keys = self.keys()
        field = self.pick(lambda field: field.name not in keys)
        if field is None:
            return
        self.open().drop_columns([field.name])
        self.model.drop_column(field.name)

    def drop_member(self):
        field = self.pick(lambda field: pa.types.is_struct(field.type))
        if field is None:
            return
        gone = self.rng.choice([child.name for child in field.type])
        self.open().drop_columns([f"{field.name}.{gone}"])
        self.model.drop_member(field.name, gone)

    def rename(self):
        kept = {"s", *self.keys()}
        field = self.pick(lambda field: field.name not in kept)
        if field is None:
            return
        name = next(self.names)
        self.open().alter_columns({"path": field.name, "name": name})
        self.model.rename({field.name: name})

    def swap_names(self):
        """Names are no identity: two columns of one type change theirs."""
        keys = self.keys()
        one = self.pick(lambda field: field.name not in keys)
        two = one and self.pick(
            lambda field: field.type == one.type and field.name not in {one.name, *keys}
        )
        if two is None:
            return
        name = next(self.names)
        self.open().alter_columns({"path": one.name, "name": name})
        self.open().alter_columns({"path": two.name, "name": one.name})
        self.open().alter_columns({"path": name, "name": two.name})
        self.model.rename({one.name: two.name, two.name: one.name})

    def cast(self):
        keys = self.keys()
        field = self.pick(lambda field: field.type in WIDER and field.name not in keys)
        if field is None:
            return
        change = {"path": field.name, "data_type": WIDER[field.type]}
        reference = lance.dataset(self.uri)
        for index in reference.describe_indices():
            if field.name in index.field_names:
                with pytest.raises(OSError, match="index"):
                    self.open().alter_columns(change)
                reference.drop_index(index.name)
        dataset = self.open()
        dataset.alter_columns(change)
        if isinstance(dataset, lance.LanceDataset):
            self.model.field_metadata.pop(field.name, None)  # the reference loses it
        self.model.cast(field.name, WIDER[field.type])

    def nullability(self):
        """Of the key, the one column without nulls."""
        is_nullable = not self.model.schema.field("id").nullable
        self.open().alter_columns({"path": "id", "nullable": is_nullable})
        self.model.set_nullable("id", is_nullable)

    def cast_member(self):
        # In 2.0 the reference makes a table that it cannot read.
        if self.model.file_version == "2.0" or "s" not in self.model.schema.names:
            return
        members = self.model.schema.field("s").type
        narrow = [child.name for child in members if child.type == pa.int32()]
        if not narrow:
            return
        name = self.rng.choice(narrow)
        self.open().alter_columns({"path": f"s.{name}", "data_type": pa.int64()})
        self.model.cast_member("s", name, pa.int64())

    def replace_values(self):
        """New files in the place of those of one column; only the reference does that."""
        field = self.pick(lambda field: field.type in (pa.int64(), pa.string()) and field.nullable)
        if field is None or self.is_declared:
            return
        dataset = lance.dataset(self.uri)
        field_id = next(f.id() for f in dataset.lance_schema.fields() if f.name() == field.name)
        new = [None if id_ % 2 else id_ for id_ in self.model.ids]
        column = pa.array(new, pa.int64()).cast(field.type)
        groups, start = [], 0
        for fragment in dataset.get_fragments():
            live = fragment.count_rows()
            file = self.write_values(fragment, field, column[start : start + live], field_id)
            groups.append(lance.LanceOperation.DataReplacementGroup(fragment.fragment_id, file))
            start += live
        operation = lance.LanceOperation.DataReplacement(groups)
        lance.LanceDataset.commit(self.uri, operation, read_version=dataset.version)
        self.model.set_column(field.name, column.to_pylist())

    def write_values(self, fragment, field, live, field_id):
        """A data file with a value for every physical row: the deleted ones get any."""
        addresses = fragment.to_table(columns=[], with_row_address=True)["_rowaddr"].to_pylist()
        values = [None] * fragment.physical_rows
        for address, value in zip(addresses, live.to_pylist(), strict=True):
            values[address & 0xFFFFFFFF] = value
        path = f"{uuid.UUID(int=self.rng.getrandbits(128))}.lance"
        schema, version = pa.schema([field]), self.model.file_version
        with LanceFileWriter(
            str(pathlib.Path(self.uri) / "data" / path), schema, version=version
        ) as file:
            file.write_batch(pa.record_batch([pa.array(values, field.type)], schema=schema))
        return DataFile(path, [field_id], [0], *map(int, version.split(".")))

    # --- Everything else ------------------------------------------------------------------------

    def metadata(self):
        """One of the four maps."""
        keys = self.rng.sample("abcd", 2)
        values = {keys[0]: f"v{self.rng.randrange(99)}", keys[1]: self.rng.choice([None, "w"])}
        replace = self.rng.random() < 0.2
        if replace:
            values = {key: value for key, value in values.items() if value is not None}
        kind = self.rng.choice(["config", "metadata", "schema_metadata", "field_metadata"])
        self.log.append((kind, values, replace))
        dataset = self.open()
        if kind == "field_metadata":
            name = self.rng.choice(self.model.schema.names)
            dataset.update_field_metadata({name: values}, replace=replace)
            entries = self.model.field_metadata.setdefault(name, {})
        else:
            # What belongs to clustering stays.
            replace = replace and not self.is_declared
            getattr(dataset, f"update_{kind}")(values, replace=replace)
            entries = getattr(self.model, kind)
        self.model.update_map(entries, values, replace)

    def index(self):
        """A zonemap; filters are pruned from now on."""
        field = self.pick(lambda field: not pa.types.is_nested(field.type))
        is_free = field is not None and not self.is_declared  # we cannot drop an index yet
        name = field.name if is_free and self.rng.random() < 0.5 else "id"
        rows = self.rng.choice([4, 8192])
        self.log.append((name, rows))
        dataset = self.open()
        if isinstance(dataset, lance.LanceDataset):
            dataset.create_scalar_index(name, IndexConfig("zonemap", {"rows_per_zone": rows}))
        else:
            dataset.create_scalar_index(name, "ZONEMAP", rows_per_zone=rows)

    def extend_indices(self):
        if not self.is_declared:
            lance.dataset(self.uri).optimize.optimize_indices()

    def migrate_names(self):
        """From V1 to V2 names of manifests; the version stays."""
        if not self.is_declared:
            lance.dataset(self.uri).migrate_manifest_paths_v2()
            self.is_v2_named = True

    ROW_CHANGES = [append, append, delete, delete, update, update, merge_insert, merge_insert]
    COLUMN_CHANGES = [
        add_by_sql, add_nulls, add_member, add_rows, add_by_function, merge_columns, drop,
        drop_member, rename, swap_names, nullability, cast, cast_member, replace_values,
    ]
    OTHER_CHANGES = [
        truncate, overwrite, restore, compact, compact, metadata, metadata, index, index,
        extend_indices, migrate_names,
    ]

    def step(self):
        changes = self.rng.choice([self.ROW_CHANGES, self.COLUMN_CHANGES, self.OTHER_CHANGES])
        change = self.rng.choice(changes)
        if self.is_declared and change in (Chain.overwrite, Chain.restore):
            change = Chain.append  # the declaration goes with the schema
        self.log.append(change.__name__)
        getattr(self, change.__name__)()

    # --- What must hold -------------------------------------------------------------------------

    def check(self):
        reference = lance.dataset(self.uri)
        reference.validate()
        ours = lance_cpp.dataset(self.uri)
        assert ours.version == reference.version, self.log
        self.take_order(reference)
        self.check_places(reference, ours)
        for dataset in (reference, ours):
            self.check_rows(dataset)
            self.check_metadata(dataset)
        self.check_names(ours.version)
        self.check_older_version()
        self.snapshots[ours.version] = self.model.copy()

    def take_order(self, reference):
        """Where a merge, a compaction or a sort puts rows is theirs to say; which, is not."""
        order = {id_: i for i, id_ in enumerate(reference.to_table(["id"])["id"].to_pylist())}
        assert order.keys() == set(self.model.ids), self.log
        moves = any(step in self.log for step in ("merge_insert", "compact")) or self.is_declared
        ids = self.model.ids
        self.model.rows.sort(key=lambda row: order[row["id"]])
        assert moves or ids == self.model.ids, self.log

    def check_rows(self, dataset):
        model, rng, what = self.model, self.rng, (type(dataset), self.log)
        assert dataset.schema.names == model.schema.names, what
        assert dataset.schema.types == model.schema.types, what
        nullable = [field.nullable for field in model.schema]
        assert [field.nullable for field in dataset.schema] == nullable, what
        assert dataset.to_table().to_pylist() == model.rows, what
        assert dataset.count_rows() == len(model.rows), what
        for _ in range(3):
            sql, python = self.random_filter()
            passing = [row for row in model.rows if python(row)]
            assert dataset.to_table(filter=sql).to_pylist() == passing, (sql, what)
            assert dataset.count_rows(sql) == len(passing), (sql, what)
        if model.rows:
            places = [rng.randrange(len(model.rows)) for _ in range(5)]
            assert dataset.take(places).to_pylist() == [model.rows[i] for i in places], what
        column = rng.choice(model.schema.names)
        found = dataset.to_table(columns=[column], filter=f"{column} is null").num_rows
        assert found == sum(row[column] is None for row in model.rows), (column, what)

    def check_metadata(self, dataset):
        """Entries of others are not ours to look at: those of clustering, of encodings."""
        what = (type(dataset), self.log)

        def own(entries):
            return {key: value for key, value in entries.items() if len(key) == 1}

        def texts(entries):
            return {key.decode(): value.decode() for key, value in (entries or {}).items()}

        assert own(dataset.config()) == self.model.config, what
        assert own(dataset.metadata) == self.model.metadata, what
        assert own(texts(dataset.schema.metadata)) == self.model.schema_metadata, what
        for field in dataset.schema:
            wanted = self.model.field_metadata.get(field.name, {})
            assert own(texts(field.metadata)) == wanted, (field.name, what)

    def check_places(self, reference, ours):
        """Rows that no change has touched lie where they were; new ones in fragments of their own.

        A fragment never gets rows; deletions are counted right.
        """
        asked = {"columns": ["id"], "with_row_address": True, "with_row_id": True}
        found = ours.to_table(**asked)
        assert found.to_pylist() == reference.to_table(**asked).to_pylist(), self.log
        if not self.has_stable_row_ids:
            assert found["_rowid"].to_pylist() == found["_rowaddr"].to_pylist(), self.log
        places = dict(zip(found["id"].to_pylist(), found["_rowaddr"].to_pylist()))
        live = {}
        for address in places.values():
            live[address >> 32] = live.get(address >> 32, 0) + 1
        fragments = reference.get_fragments()
        assert [fragment.fragment_id for fragment in fragments] == sorted(live), self.log
        most = max(self.physical_rows, default=-1)
        for fragment in fragments:
            id_, rows = fragment.fragment_id, fragment.physical_rows
            assert self.physical_rows.setdefault(id_, rows) == rows, (id_, self.log)
            assert fragment.num_deletions == rows - live[id_], (id_, self.log)
        moved = {id_ for id_, place in places.items() if self.model.places.get(id_) != place}
        assert all(places[id_] >> 32 > most for id_ in moved), self.log
        self.model.rows_were_written(moved)
        self.model.places = places

    def check_names(self, version):
        name = f"{2**64 - 1 - version}" if self.is_v2_named else f"{version}"
        assert (pathlib.Path(self.uri) / "_versions" / f"{name}.manifest").exists(), self.log

    def check_older_version(self):
        if not self.snapshots:
            return
        version = self.rng.choice(sorted(self.snapshots))
        for writer in WRITERS.values():
            old = writer.dataset(self.uri, version=version).to_table()
            assert old.to_pylist() == self.snapshots[version].rows, (version, self.log)


def run_chain(chain):
    for _ in range(STEPS):
        chain.step()
        chain.check()


@pytest.mark.parametrize("number", CHAINS)
def test_both_read_what_a_chain_of_changes_left(number, tmp_path):
    run_chain(Chain(rng_of("chain", number), str(tmp_path / "t.lance")))


@pytest.mark.parametrize("number", range(len(CHAINS) // 5))
def test_both_read_what_a_chain_of_our_changes_left_of_a_declared_table(number, tmp_path):
    run_chain(Chain(rng_of("declared", number), str(tmp_path / "t.lance"), is_declared=True))
