"""Chains of random changes of the schema, each made by us or by the reference, in one process.

After every change both read what a plain model holds, whole, filtered and by place.
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
from lancectl import IS_LONG, rng_of

WRITERS = {"ours": lance_cpp.dataset, "reference": lance.dataset}
CHAINS = range(100 if IS_LONG else 4)
STEPS = 25 if IS_LONG else 8
ROWS = 60


def first_rows(rng, version):
    """A key, numbers, text and a struct; nulls everywhere but in the key."""
    count = range(ROWS)
    # Files of 2.0 do not say which structs are null.
    structs = [{"a": rng.choice([None, i]), "b": rng.choice([None, f"b{i % 3}"])} for i in count]
    if version != "2.0":
        structs = [None if i % 5 == 0 else value for i, value in enumerate(structs)]

    def maybe(value):
        return None if rng.random() < 0.2 else value

    return pa.table(
        {
            "id": pa.array(count, pa.int64()),
            "n": pa.array([maybe(rng.randint(-100, 100)) for _ in count], pa.int16()),
            "x": pa.array([maybe(rng.randint(-80, 80) / 4) for _ in count], pa.float32()),
            "t": pa.array([maybe(f"t{rng.randint(0, 9)}") for _ in count], pa.string()),
            "s": pa.array(structs, pa.struct([("a", pa.int32()), ("b", pa.string())])),
        }
    )


def set_column(table, name, type_, values):
    return table.append_column(pa.field(name, type_), pa.array(values, type_))


def replace_column(table, name, array):
    place = table.schema.get_field_index(name)
    return table.set_column(place, pa.field(name, array.type), array)


class Chain:
    """The table on storage and what it should hold."""

    def __init__(self, rng, uri):
        self.rng = rng
        self.uri = uri
        self.version = rng.choice(["2.0", "2.1", "2.2"])
        self.model = first_rows(rng, self.version)
        self.names = iter(f"c{i}" for i in range(1000))
        self.unwritten = set()  # members of s that no data file holds
        self.log = []
        lance.write_dataset(
            self.model, uri, max_rows_per_file=25, data_storage_version=self.version
        )

    def open(self):
        writer = self.rng.choice(sorted(WRITERS))
        self.log.append(writer)
        return WRITERS[writer](self.uri)

    def pick(self, condition=lambda field: True):
        """A column other than the key; None when there is none that fits."""
        fields = [field for field in self.model.schema if field.name != "id" and condition(field)]
        return self.rng.choice(fields) if fields else None

    def ids(self):
        return self.model["id"].to_pylist()

    # --- The changes ----------------------------------------------------------------------------

    def add_by_sql(self):
        name, factor = next(self.names), self.rng.randint(2, 9)
        self.open().add_columns({name: f"id * {factor} + 1"})
        self.model = set_column(
            self.model, name, pa.int64(), [id_ * factor + 1 for id_ in self.ids()]
        )

    def add_nulls(self):
        name = next(self.names)
        type_ = self.rng.choice([pa.int32(), pa.string(), pa.list_(pa.int64())])
        self.open().add_columns(pa.schema([pa.field(name, type_)]))
        self.model = set_column(self.model, name, type_, [None] * len(self.model))

    def add_member(self):
        if self.version != "2.2" or "s" not in self.model.column_names:
            return
        name = next(self.names)
        self.open().add_columns(pa.schema([("s", pa.struct([(name, pa.int32())]))]))
        self.unwritten.add(name)
        type_ = pa.struct([*self.model.schema.field("s").type, (name, pa.int32())])
        rows = [row and {**row, name: None} for row in self.model["s"].to_pylist()]
        self.model = replace_column(self.model, "s", pa.array(rows, type_))

    def add_rows(self):
        name = next(self.names)
        values = [None if id_ % 3 == 0 else [f"v{id_}"] * (id_ % 4) for id_ in self.ids()]
        new = pa.table({name: pa.array(values, pa.list_(pa.string()))})
        self.open().add_columns(new.to_reader(max_chunksize=self.rng.choice([7, 64])))
        self.model = self.model.append_column(new.schema.field(0), new.column(0))

    def add_by_function(self):
        name = next(self.names)

        def square(batch):
            return pa.record_batch({name: pc.multiply(batch["id"], batch["id"])})

        self.open().add_columns(square, read_columns=["id"], batch_size=self.rng.choice([3, 1024]))
        self.model = set_column(self.model, name, pa.int64(), [id_ * id_ for id_ in self.ids()])

    def merge(self):
        name = next(self.names)
        keys = [id_ for id_ in self.ids() if self.rng.random() < 0.6]
        self.rng.shuffle(keys)
        if not keys:
            return
        right = pa.table(
            {"key": pa.array(keys, pa.int64()), name: pa.array([f"m{key}" for key in keys])}
        )
        self.open().merge(right, "id", "key")
        found = set(keys)
        self.model = set_column(
            self.model, name, pa.string(), [f"m{i}" if i in found else None for i in self.ids()]
        )

    def drop(self):
        field = self.pick()
        if field is None:
            return
        self.open().drop_columns([field.name])
        self.model = self.model.drop_columns([field.name])

    def drop_member(self):
        field = self.pick(lambda field: pa.types.is_struct(field.type))
        if field is None:
            return
        gone = self.rng.choice([child.name for child in field.type])
        self.open().drop_columns([f"{field.name}.{gone}"])
        rest = [child for child in field.type if child.name != gone]
        if not rest:
            self.model = self.model.drop_columns([field.name])
            return
        # Which structs are null is known from the files of their members: without any, all are.
        is_null = all(child.name in self.unwritten for child in rest)
        rows = [
            None
            if is_null or row is None
            else {name: value for name, value in row.items() if name != gone}
            for row in self.model[field.name].to_pylist()
        ]
        self.model = replace_column(self.model, field.name, pa.array(rows, pa.struct(rest)))

    def rename(self):
        field = self.pick(lambda field: field.name != "s")
        if field is None:
            return
        name = next(self.names)
        self.open().alter_columns({"path": field.name, "name": name})
        names = [name if old == field.name else old for old in self.model.column_names]
        self.model = self.model.rename_columns(names)

    def cast(self):
        wider = {pa.int16(): pa.int32(), pa.int32(): pa.int64(), pa.float32(): pa.float64(),
                 pa.string(): pa.large_string()}
        field = self.pick(lambda field: field.type in wider)
        if field is None:
            return
        type_ = wider[field.type]
        self.open().alter_columns({"path": field.name, "data_type": type_})
        self.model = replace_column(self.model, field.name, self.model[field.name].cast(type_))

    def cast_member(self):
        # In 2.0 the reference makes a table that it cannot read.
        if self.version == "2.0" or "s" not in self.model.column_names:
            return
        old = self.model.schema.field("s").type
        narrow = [child.name for child in old if child.type == pa.int32()]
        if not narrow:
            return
        name = self.rng.choice(narrow)
        self.open().alter_columns({"path": f"s.{name}", "data_type": pa.int64()})
        self.unwritten.discard(name)
        type_ = pa.struct(
            [child.with_type(pa.int64()) if child.name == name else child for child in old]
        )
        self.model = replace_column(
            self.model, "s", pa.array(self.model["s"].to_pylist(), type_)
        )

    def append(self):
        start = max(self.ids()) + 1
        rows = self.rng.choice([1, 30])
        columns = {"id": pa.array(range(start, start + rows), pa.int64())}
        for field in self.model.schema:
            if field.name == "id":
                continue
            value = {} if self.version == "2.0" and pa.types.is_struct(field.type) else None
            columns[field.name] = pa.array([value] * rows, field.type)
        new = pa.table(columns)
        writer = self.rng.choice([lance, lance_cpp])
        self.log.append(writer.__name__)
        writer.write_dataset(new, self.uri, mode="append", max_rows_per_file=25)
        self.model = pa.concat_tables([self.model, new])

    def delete(self):
        gone = self.rng.sample(self.ids(), min(len(self.ids()) - 1, self.rng.choice([1, 9])))
        if not gone:
            return
        self.open().delete(f"id in ({', '.join(map(str, gone))})")
        kept = pc.invert(pc.is_in(self.model["id"], pa.array(gone)))
        self.model = self.model.filter(kept)

    def swap_names(self):
        """Names are no identity: two columns of one type change theirs."""
        one = self.pick()
        two = one and self.pick(lambda field: field.type == one.type and field.name != one.name)
        if two is None:
            return
        name = next(self.names)
        self.open().alter_columns({"path": one.name, "name": name})
        self.open().alter_columns({"path": two.name, "name": one.name})
        self.open().alter_columns({"path": name, "name": two.name})
        swapped = {one.name: two.name, two.name: one.name}
        names = [swapped.get(name, name) for name in self.model.column_names]
        self.model = self.model.rename_columns(names)

    def replace_values(self):
        """New files in the place of those of one column; only the reference does that."""
        field = self.pick(lambda field: field.type in (pa.int64(), pa.string()))
        if field is None:
            return
        dataset = lance.dataset(self.uri)
        field_id = next(f.id() for f in dataset.lance_schema.fields() if f.name() == field.name)
        major, minor = map(int, self.version.split("."))
        new = [None if id_ % 2 else id_ for id_ in self.ids()]
        column = pa.array(new, pa.int64()).cast(field.type)
        groups, start = [], 0
        for fragment in dataset.get_fragments():
            path = f"{uuid.UUID(int=self.rng.getrandbits(128))}.lance"
            # A value for every physical row: the deleted ones get any.
            live = fragment.count_rows()
            places = [address & 0xFFFFFFFF for address in fragment.to_table(
                columns=[], with_row_address=True)["_rowaddr"].to_pylist()]
            values = [None] * fragment.physical_rows
            for place, value in zip(places, column[start : start + live].to_pylist()):
                values[place] = value
            schema = pa.schema([field])
            with LanceFileWriter(
                str(pathlib.Path(self.uri) / "data" / path), schema, version=self.version
            ) as file:
                file.write_batch(pa.record_batch([pa.array(values, field.type)], schema=schema))
            start += live
            file = DataFile(path, [field_id], [0], major, minor)
            groups.append(lance.LanceOperation.DataReplacementGroup(fragment.fragment_id, file))
        operation = lance.LanceOperation.DataReplacement(groups)
        lance.LanceDataset.commit(self.uri, operation, read_version=dataset.version)
        self.model = replace_column(self.model, field.name, column)

    CHANGES = [
        add_by_sql, add_nulls, add_member, add_rows, add_by_function, merge, drop, drop_member,
        rename, cast, cast_member, append, replace_values, delete, swap_names,
    ]

    def step(self):
        change = self.rng.choice(self.CHANGES)
        self.log.append(change.__name__)
        change(self)

    # --- What must hold -------------------------------------------------------------------------

    def check(self):
        lance.dataset(self.uri).validate()
        rows = self.model.to_pylist()
        places = [self.rng.randrange(len(rows)) for _ in range(5)]
        limit = self.rng.randint(0, 60)
        passing = [row for row in rows if row["id"] > limit]
        for name, open_ in WRITERS.items():
            dataset = open_(self.uri)
            what = (name, self.version, self.log)
            assert dataset.schema.names == self.model.schema.names, what
            assert dataset.schema.types == self.model.schema.types, what
            assert dataset.to_table().to_pylist() == rows, what
            assert dataset.to_table(filter=f"id > {limit}").to_pylist() == passing, what
            assert dataset.take(places).to_pylist() == [rows[place] for place in places], what
            column = self.rng.choice(self.model.column_names)
            found = dataset.to_table(columns=[column], filter=f"{column} is null").num_rows
            assert found == self.model[column].null_count, (*what, column)


@pytest.mark.parametrize("number", CHAINS)
def test_both_read_what_a_chain_of_changes_left(number, tmp_path):
    chain = Chain(rng_of("schema chain", number), str(tmp_path / "t.lance"))
    for _ in range(STEPS):
        chain.step()
        chain.check()
