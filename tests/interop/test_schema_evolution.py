"""Changes of the schema: what the reference makes of a table we read, and the other way round."""

import os
import random

import lance
import lance_cpp
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from lance.file import LanceFileWriter

VERSIONS = ["2.0", "2.1", "2.2"]


@pytest.fixture(name="place")
def _place(tmp_path):
    return str(tmp_path / "t.lance")


def flat_rows():
    return pa.table(
        {
            "id": pa.array(range(10), pa.int64()),
            "w": [None if i % 4 == 2 else i + 0.5 for i in range(10)],
            "name": [None if i % 5 == 3 else f"n{i}" for i in range(10)],
        }
    )


def nested_rows():
    return pa.table(
        {
            "id": pa.array([1, 2, 3, 4], pa.int64()),
            "s": [{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}, {"a": 4, "b": None}],
            "l": [[{"p": 1, "q": 2}], [], None, [{"p": 3, "q": 4}, {"p": 5, "q": 6}]],
        }
    )


def assert_agree(place, filters=()):
    """Both read the same, the whole table, single columns, filtered rows and single rows."""
    theirs = lance.dataset(place)
    ours = lance_cpp.dataset(place)
    theirs.validate()
    assert ours.schema.equals(theirs.schema, check_metadata=True)
    rows = theirs.to_table()
    assert ours.to_table().to_pylist() == rows.to_pylist()
    for name in rows.column_names:
        assert ours.to_table(columns=[name]).to_pylist() == rows.select([name]).to_pylist()
    for condition in filters:
        expected = theirs.to_table(filter=condition).to_pylist()
        assert ours.to_table(filter=condition).to_pylist() == expected, condition
    wanted = [rows.num_rows - 1, 0, rows.num_rows // 2]
    assert ours.take(wanted).to_pylist() == theirs.take(wanted).to_pylist()
    return rows


def file_fields(place):
    """The field ids of every data file, by fragment."""
    return [
        [list(file.fields) for file in fragment.metadata.files]
        for fragment in lance.dataset(place).get_fragments()
    ]


# --- What the reference makes -------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_we_read_what_the_reference_adds_drops_renames_and_casts(place, version):
    ds = lance.write_dataset(flat_rows(), place, max_rows_per_file=4, data_storage_version=version)
    ds.add_columns({"twice": "id * 2", "text": "concat('t', CAST(id AS STRING))"})
    assert_agree(place, ["twice > 8 AND w < 9", "text = 't3' OR name IS NULL"])
    ds.add_columns(pa.schema([("later", pa.timestamp("us")), ("list", pa.list_(pa.int8()))]))
    assert_agree(place, ["later IS NULL AND id > 6"])
    ds.alter_columns({"path": "id", "data_type": pa.int16()}, {"path": "w", "name": "weight"})
    assert_agree(place, ["id >= 5 AND weight > 6"])
    ds.merge(pa.table({"k": pa.array([1, 5, 9], pa.int16()), "far": ["a", "b", "c"]}), "id", "k")
    ds.drop_columns(["twice", "name"])
    rows = assert_agree(place, ["far IS NOT NULL", "far = 'b' AND text = 't5'"])
    assert rows.column_names == ["id", "weight", "text", "later", "list", "far"]


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_we_read_structs_and_lists_whose_members_lie_in_several_files(place, version):
    options = {"max_rows_per_file": 2, "data_storage_version": version}
    ds = lance.write_dataset(nested_rows(), place, **options)
    ds.alter_columns({"path": "s.a", "data_type": pa.int32()})
    ds.alter_columns({"path": "l.item.q", "data_type": pa.int16()})
    assert len(file_fields(place)[0]) == 3
    assert_agree(place, ["s.a IS NULL", "s.b = 'x'", "id > 2"])
    ds.drop_columns(["s.b"])
    assert_agree(place)


def test_we_read_members_that_no_file_holds(place):
    ds = lance.write_dataset(nested_rows(), place, max_rows_per_file=2, data_storage_version="2.2")
    member = pa.list_(pa.struct([("r", pa.string())]))
    ds.add_columns(pa.schema([("s", pa.struct([("c", pa.int64())])), ("l", member)]))
    assert_agree(place, ["s.c IS NULL AND s.b = 'y'"])
    ds.drop_columns(["s.a", "s.b"])
    assert_agree(place)


def replacement(place, name, table, fields, version="2.1"):
    """A data file of the reference as it takes it for a DataReplacement."""
    path = os.path.join(place, "data", name)
    with LanceFileWriter(path, schema=table.schema, version=version) as writer:
        writer.write_batch(table)
    major, minor = version.split(".")
    return lance.fragment.DataFile(
        name, fields, list(range(len(fields))), int(major), int(minor), os.path.getsize(path)
    )


def test_we_read_replaced_columns(place):
    rows = flat_rows()
    ds = lance.write_dataset(rows, place, max_rows_per_file=5, data_storage_version="2.1")
    new = pa.table({"w": pa.array([float(i) for i in range(5)])})
    group = lance.LanceOperation.DataReplacementGroup(1, replacement(place, "r.lance", new, [1]))
    operation = lance.LanceOperation.DataReplacement([group])
    lance.LanceDataset.commit(place, operation, read_version=ds.version)
    assert file_fields(place) == [[[0, 1, 2]], [[0, -2, 2], [1]]]
    read = assert_agree(place, ["w = 3.0", "w < 2 AND name IS NOT NULL"])
    assert read["w"].to_pylist() == rows["w"].to_pylist()[:5] + new["w"].to_pylist()


def test_we_read_a_column_that_was_null_and_is_filled_in_one_fragment(place):
    ds = lance.write_dataset(flat_rows(), place, max_rows_per_file=5, data_storage_version="2.1")
    ds.add_columns(pa.field("x", pa.int32()))
    new = pa.table({"x": pa.array(range(5), pa.int32())})
    group = lance.LanceOperation.DataReplacementGroup(0, replacement(place, "r.lance", new, [3]))
    operation = lance.LanceOperation.DataReplacement([group])
    lance.LanceDataset.commit(place, operation, read_version=ds.version)
    read = assert_agree(place, ["x = 2", "x IS NULL"])
    assert read["x"].to_pylist() == [0, 1, 2, 3, 4] + [None] * 5


# --- What we make -------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_the_reference_reads_every_kind_of_new_column(place, version):
    rows = flat_rows()
    ds = lance_cpp.write_dataset(
        rows, place, max_rows_per_file=4, data_storage_version=version
    )
    ds.add_columns({"twice": "id * 2", "text": "concat('t', CAST(id AS STRING))"})
    ds.add_columns(
        lambda batch: pa.record_batch([pc.add(batch["id"], 100)], names=["more"]),
        read_columns=["id"],
        batch_size=3,
    )
    ds.add_columns(pa.table({"given": [f"g{i}" for i in range(10)]}).to_reader(max_chunksize=3))
    ds.add_columns([pa.field("none", pa.list_(pa.int8())), pa.field("nil", pa.float32())])
    ds.merge(pa.table({"k": [1, 5, 5, 9], "far": ["a", "lost", "b", "c"]}), "id", "k")
    read = assert_agree(place, ["twice > 8 AND w < 9", "given = 'g3'", "far = 'b' AND more = 105"])
    assert read["twice"].to_pylist() == [2 * i for i in range(10)]
    assert read["text"].to_pylist() == [f"t{i}" for i in range(10)]
    assert read["more"].to_pylist() == [100 + i for i in range(10)]
    assert read["given"].to_pylist() == [f"g{i}" for i in range(10)]
    assert read["none"].null_count == 10 and read["nil"].null_count == 10
    assert read["far"].to_pylist() == [{1: "a", 5: "b", 9: "c"}.get(i) for i in range(10)]
    assert read.select(rows.column_names).to_pylist() == rows.to_pylist()


def test_our_new_columns_have_the_ids_and_files_that_the_reference_gives(tmp_path):
    layouts = []
    for library in (lance, lance_cpp):
        place = str(tmp_path / library.__name__)
        rows = nested_rows()
        ds = library.write_dataset(rows, place, max_rows_per_file=2, data_storage_version="2.2")
        ds.add_columns({"x": "id + 1", "y": "'a'"})
        ds.add_columns(pa.schema([("n", pa.int8()), ("s", pa.struct([("c", pa.int64())]))]))
        ds.alter_columns({"path": "id", "data_type": pa.int32()}, {"path": "x", "name": "xx"})
        ds.alter_columns({"path": "s.a", "data_type": pa.int16()})
        ds.drop_columns(["l.item.p", "y"])
        ds.alter_columns({"path": "l", "name": "ll"})
        ids = [(f.name(), f.id()) for f in lance.dataset(place).lance_schema.fields()]
        layouts.append((ids, file_fields(place)))
        assert_agree(place)
    assert layouts[0] == layouts[1]


def test_the_reference_reads_our_casts(place):
    casts = {
        "i": (pa.array([1, None, 100], pa.int64()), pa.int8()),
        "u": (pa.array([1, None, 255], pa.uint8()), pa.uint64()),
        "f": (pa.array([1.5, None, -2.25], pa.float64()), pa.float32()),
        "t": (pa.array(["a", None, "\u00e9"], pa.string()), pa.large_string()),
        "b": (pa.array([b"a", None, b""], pa.large_binary()), pa.binary()),
        "d": (pa.array([0, None, 86400000], pa.timestamp("ms")), pa.timestamp("us")),
        "l": (pa.array([[1, None], None, []], pa.list_(pa.int64())), pa.large_list(pa.int32())),
    }
    rows = pa.table({name: values for name, (values, _) in casts.items()})
    ds = lance_cpp.write_dataset(rows, place, max_rows_per_file=2)
    ds.alter_columns(*({"path": name, "data_type": to} for name, (_, to) in casts.items()))
    read = assert_agree(place)
    for name, (values, to) in casts.items():
        assert read.schema.field(name).type == to
        assert read[name].to_pylist() == values.cast(to).to_pylist()
    assert [len(files) for files in file_fields(place)] == [1, 1]  # the first files left


def test_we_refuse_the_casts_that_the_reference_refuses(place):
    types = [
        pa.int8(), pa.int64(), pa.float64(), pa.string(), pa.large_string(), pa.binary(),
        pa.date32(), pa.timestamp("us"), pa.bool_(), pa.decimal128(10, 2), pa.list_(pa.int8()),
        pa.list_(pa.int64()), pa.large_list(pa.string()),
    ]
    schema = pa.schema([(f"c{i}", kind) for i, kind in enumerate(types)])
    lance.write_dataset(schema.empty_table(), place)
    outcomes = []
    for library in (lance, lance_cpp):
        done = set()
        for i in range(len(types)):
            for kind in types:
                ds = library.dataset(place)
                try:
                    ds.alter_columns({"path": f"c{i}", "data_type": kind})
                except (ValueError, OSError):
                    continue
                done.add((str(types[i]), str(kind)))
                ds.checkout_version(1).restore() if library is lance else lance.dataset(
                    place, version=1
                ).restore()
        outcomes.append(done)
    assert outcomes[1] == outcomes[0]


def test_a_value_that_a_cast_would_lose_is_an_error_and_nothing_is_left(place):
    ds = lance_cpp.write_dataset(pa.table({"x": [1, 300]}), place)
    files = sorted(os.listdir(os.path.join(place, "data")))
    with pytest.raises(ValueError, match="x.*300"):
        ds.alter_columns({"path": "x", "data_type": pa.int8()})
    assert lance.dataset(place).version == 1
    assert sorted(os.listdir(os.path.join(place, "data"))) == files


def test_nullability_is_relaxed_freely_and_tightened_after_a_look(place):
    ds = lance_cpp.write_dataset(flat_rows(), place)
    ds.alter_columns({"path": "id", "nullable": False})
    assert not lance.dataset(place).schema.field("id").nullable
    with pytest.raises(ValueError, match="w"):
        ds.alter_columns({"path": "w", "nullable": False})
    with pytest.raises(OSError, match="id"):
        lance.write_dataset(pa.table({"w": [1.0]}), place, mode="append")
    ds = lance_cpp.dataset(place)
    ds.alter_columns({"path": "id", "nullable": True})
    lance.write_dataset(pa.table({"w": [1.0]}), place, mode="append")
    assert_agree(place, ["id IS NULL"])


def test_a_null_struct_has_no_null_members_when_these_may_not_be_null(place):
    kind = pa.struct([("a", pa.int64())])
    ds = lance_cpp.write_dataset(pa.table({"s": pa.array([{"a": 1}, None], kind)}), place)
    ds.alter_columns({"path": "s.a", "nullable": False})
    assert not lance.dataset(place).schema.field("s").type.field("a").nullable
    assert_agree(place)


def test_names_may_be_swapped_in_one_call(place):
    ds = lance_cpp.write_dataset(flat_rows(), place)
    ds.alter_columns({"path": "id", "name": "w"}, {"path": "w", "name": "id"})
    read = assert_agree(place, ["w = 3"])
    assert read["w"].to_pylist() == list(range(10))
    with pytest.raises(ValueError, match="name"):
        ds.alter_columns({"path": "id", "name": "name"})


def test_appends_of_both_go_on_after_every_change(place):
    ds = lance_cpp.write_dataset(flat_rows(), place, max_rows_per_file=4)
    ds.add_columns({"x": "id"})
    ds.alter_columns({"path": "x", "data_type": pa.int32()})
    ds.drop_columns(["name"])
    more = pa.table({"id": [100], "w": [1.0], "x": pa.array([7], pa.int32())})
    lance.write_dataset(more, place, mode="append")
    lance_cpp.write_dataset(more, place, mode="append")
    lance.write_dataset(pa.table({"id": [200]}), place, mode="append")
    read = assert_agree(place, ["x = 7", "x IS NULL"])
    assert read["x"].to_pylist() == [*range(10), 7, 7, None]


def test_deleted_rows_have_values_in_new_files(place):
    ds = lance.write_dataset(flat_rows(), place, max_rows_per_file=4, data_storage_version="2.1")
    ds.delete("id IN (0, 3, 5, 9)")
    ours = lance_cpp.dataset(place)
    ours.add_columns({"twice": "id * 2"})
    ours.add_columns(pa.table({"given": [10, 20, 30, 40, 50, 60]}))
    ours.alter_columns({"path": "id", "data_type": pa.int32()})
    read = assert_agree(place, ["twice = 8", "given > 30"])
    assert read["twice"].to_pylist() == [2, 4, 8, 12, 14, 16]
    assert read["given"].to_pylist() == [10, 20, 30, 40, 50, 60]
    everything = lance.dataset(place).scanner(include_deleted_rows=True, with_row_id=True)
    assert everything.to_table()["twice"].to_pylist() == [2, 2, 4, 2, 8, 8, 12, 14, 16, 16]


def test_indices_stay_on_renamed_columns_and_leave_with_dropped_ones(place):
    ds = lance.write_dataset(flat_rows(), place)
    ds.create_scalar_index("id", "BTREE")
    ds.create_scalar_index("w", "ZONEMAP")
    ours = lance_cpp.dataset(place)
    ours.alter_columns({"path": "id", "name": "key"})
    with pytest.raises(ValueError, match="id_idx"):
        ours.alter_columns({"path": "key", "data_type": pa.int32()})
    ours.drop_columns(["w"])
    theirs = lance.dataset(place)
    assert [index.name for index in theirs.describe_indices()] == ["id_idx"]
    assert theirs.to_table(filter="key = 7")["name"].to_pylist() == ["n7"]
    assert_agree(place, ["key = 7"])


def test_what_cannot_be_done_is_refused_by_name(place):
    ds = lance_cpp.write_dataset(flat_rows(), place, max_rows_per_file=4)
    refused = [
        (lambda: ds.add_columns({"id": "1"}), "id"),
        (lambda: ds.add_columns({"a.b": "1"}), "a.b"),
        (lambda: ds.add_columns({"_rowid": "1"}), "_rowid"),
        (lambda: ds.add_columns({"z": "nope + 1"}), "nope"),
        (lambda: ds.add_columns(pa.field("z", pa.int8(), nullable=False)), "z"),
        (lambda: ds.add_columns(pa.table({"z": [1, 2]})), "ends after 2"),
        (lambda: ds.add_columns(pa.table({"z": [1] * 11})), "more rows"),
        (lambda: ds.merge(pa.table({"k": [1], "w": [1]}), "id", "k"), "w"),
        (lambda: ds.merge(pa.table({"k": ["1"], "z": [1]}), "id", "k"), "k"),
        (lambda: ds.merge(pa.table({"k": [1], "z": [1]}), "id"), "id"),
        (lambda: ds.drop_columns(["nope"]), "nope"),
        (lambda: ds.drop_columns(["id", "w", "name"]), "all columns"),
        (lambda: ds.alter_columns({"path": "nope", "name": "x"}), "nope"),
        (lambda: ds.alter_columns({"path": "id", "name": ""}), "empty"),
        (lambda: ds.alter_columns({"path": "id", "name": "a.b"}), "a.b"),
        (lambda: ds.alter_columns({"path": "id"}), "data_type"),
        (lambda: ds.alter_columns({"path": "id", "colour": "red"}), "colour"),
    ]
    for call, word in refused:
        with pytest.raises((ValueError, OSError, KeyError), match=word.replace(".", r"\.")):
            call()
    assert lance.dataset(place).version == 1
    assert len(os.listdir(os.path.join(place, "data"))) == 3


def test_what_a_function_raises_comes_back_as_it_was(place):
    ds = lance_cpp.write_dataset(flat_rows(), place, max_rows_per_file=4)

    @lance_cpp.batch_udf(output_schema=pa.schema([("z", pa.int64())]))
    def fails_late(batch):
        if batch["id"][0].as_py() > 4:
            raise ZeroDivisionError("on purpose")
        return pa.record_batch([batch["id"]], names=["z"])

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        ds.add_columns(fails_late, batch_size=2)
    assert lance.dataset(place).version == 1
    assert len(os.listdir(os.path.join(place, "data"))) == 3


def test_nothing_to_do_makes_no_version(place):
    ds = lance_cpp.write_dataset(flat_rows(), place)
    ds.add_columns({})
    ds.drop_columns([])
    ds.alter_columns({"path": "id", "name": "id"}, {"path": "w", "data_type": pa.float64()})
    ds.update_config({})
    ds.update_schema_metadata({"absent": None})
    assert ds.version == 1


# --- Both in turn -------------------------------------------------------------------------------


def random_change(rng, ds, library, model, step):
    """One change of a flat table, made by a library and by the model."""
    names = model.column_names
    kind = rng.choice(["sql", "null", "rows", "rename", "cast", "drop", "append"])
    new = f"c{step}"
    if kind == "sql":
        ds.add_columns({new: "key + 1"})
        return model.append_column(new, pc.add(model["key"], 1))
    if kind == "null":
        ds.add_columns(pa.field(new, pa.int32()))
        return model.append_column(new, pa.nulls(model.num_rows, pa.int32()))
    if kind == "rows":
        values = pa.array([rng.choice([None, f"v{i}"]) for i in range(model.num_rows)])
        ds.add_columns(pa.table({new: values}).to_reader())
        return model.append_column(new, values)
    others = [name for name in names if name != "key"]
    if kind == "append" or not others:
        rows = pa.table({"key": pa.array([rng.randrange(100)], pa.int64())})
        place = ds.uri
        library.write_dataset(rows, place, mode="append")
        return pa.concat_tables([model, rows], promote_options="default")
    name = rng.choice(others)
    if kind == "rename":
        ds.alter_columns({"path": name, "name": new})
        return model.rename_columns([new if old == name else old for old in names])
    if kind == "drop":
        ds.drop_columns([name])
        return model.drop_columns([name])
    to = {
        pa.int64(): pa.int32(), pa.int32(): pa.int64(), pa.string(): pa.large_string(),
        pa.large_string(): pa.string(),
    }[model.schema.field(name).type]
    ds.alter_columns({"path": name, "data_type": to})
    i = names.index(name)
    return model.set_column(i, name, model[name].cast(to))


@pytest.mark.parametrize("seed", range(200 if os.environ.get("LANCE_TEST_SIZE") == "long" else 6))
def test_chains_of_changes_by_both_writers(place, seed):
    rng = random.Random(seed + int(os.environ.get("LANCE_TEST_SEED", "0")))
    model = pa.table({"key": pa.array(range(7), pa.int64())})
    version = rng.choice(VERSIONS)
    lance.write_dataset(model, place, max_rows_per_file=3, data_storage_version=version)
    for step in range(12):
        library = rng.choice([lance, lance_cpp])
        model = random_change(rng, library.dataset(place), library, model, step)
        read = assert_agree(place)
        assert read.to_pylist() == model.to_pylist(), (seed, step, library.__name__)
