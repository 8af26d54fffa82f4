"""Operations that are committed by hand, by the same lines with the reference and with ours.

Every scenario runs with `library` as either: what the reference's users write works unchanged. Then
both read the table and agree.
"""

import importlib
import json
import pickle
import uuid
import warnings

import lance
import lance_cpp
import pyarrow as pa
import pyarrow.compute as pc
import pytest

LIBRARIES = [lance, lance_cpp]
BOTH = pytest.mark.parametrize("library", LIBRARIES, ids=["theirs", "ours"])
OTHER = {lance: lance_cpp, lance_cpp: lance}


def module(library, name):
    return importlib.import_module(f"{library.__name__}.{name}")


def rows(first, count):
    ids = range(first, first + count)
    texts = pa.array([f"row {i}" for i in ids], pa.string())
    return pa.table({"id": pa.array(ids, pa.int64()), "s": texts})


@pytest.fixture(params=["2.0", "2.1", "2.2"])
def version(request):
    return request.param


@pytest.fixture
def uri(tmp_path, version):
    place = str(tmp_path / "t.lance")
    lance.write_dataset(rows(0, 20), place, data_storage_version=version, max_rows_per_file=10)
    return place


def assert_alike(uri):
    theirs = lance.dataset(uri)
    theirs.validate()
    ours = lance_cpp.dataset(uri)
    assert ours.version == theirs.version
    table = theirs.to_table()
    assert ours.to_table().equals(table)
    return table.to_pydict()


def handed_over(library, fragment):
    """A fragment as the other library's object, by way of JSON."""
    return module(library, "fragment").FragmentMetadata.from_json(json.dumps(fragment.to_json()))


@BOTH
def test_append(uri, version, library):
    fragments = module(library, "fragment")
    one = fragments.LanceFragment.create(uri, rows(100, 3), data_storage_version=version)
    two = fragments.write_fragments(rows(200, 4), uri, max_rows_per_file=2)
    operation = library.LanceOperation.Append([one, *two])

    made = library.LanceDataset.commit(uri, operation, read_version=1)

    assert made.version == 2
    assert assert_alike(uri)["id"] == [*range(20), 100, 101, 102, 200, 201, 202, 203]
    assert [f.fragment_id for f in library.dataset(uri).get_fragments()] == [0, 1, 2, 3, 4]


@BOTH
def test_fragments_of_one_writer_are_committed_by_the_other(uri, version, library):
    other = OTHER[library]
    written = module(library, "fragment").write_fragments(rows(50, 5), uri, max_rows_per_file=3)
    operation = other.LanceOperation.Append([handed_over(other, one) for one in written])

    other.LanceDataset.commit(uri, operation, read_version=1)

    assert assert_alike(uri)["id"] == [*range(20), *range(50, 55)]


@BOTH
def test_append_needs_the_columns_of_the_table(uri, library):
    fragments = module(library, "fragment")

    with pytest.raises(OSError, match="id"):
        fragments.LanceFragment.create(uri, pa.table({"other": [1]}))
    with pytest.raises(ValueError, match="read_version"):
        library.LanceDataset.commit(uri, library.LanceOperation.Append([]))
    with pytest.raises(TypeError, match="FragmentMetadata"):
        library.LanceOperation.Append(["fragment"])


@BOTH
def test_a_table_is_created_from_fragments(tmp_path, version, library):
    place = str(tmp_path / "new.lance")
    create = module(library, "fragment").LanceFragment.create
    parts = [
        create(place, rows(first, 3), data_storage_version=version) for first in (0, 10)
    ]
    operation = library.LanceOperation.Overwrite(rows(0, 0).schema, parts)

    made = library.LanceDataset.commit(
        place, operation, commit_message="born", enable_stable_row_ids=True
    )

    assert made.version == 1
    assert assert_alike(place)["id"] == [0, 1, 2, 10, 11, 12]
    assert lance.dataset(place).has_stable_row_ids
    stored = lance.dataset(place).read_transaction(1)
    assert stored.transaction_properties == {"__lance_commit_message": "born"}


@BOTH
def test_overwrite(uri, version, library):
    table = pa.table({"x": [1.5, 2.5], "p": [{"a": 1}, {"a": None}]})
    fragment = module(library, "fragment").LanceFragment.create(
        uri, table, mode="overwrite", data_storage_version=version
    )

    library.LanceDataset.commit(uri, library.LanceOperation.Overwrite(table.schema, [fragment]))

    assert assert_alike(uri)["x"] == [1.5, 2.5]
    assert lance.dataset(uri).version == 2


@BOTH
def test_delete(uri, library):
    updated, deleted = [], []
    dataset = library.dataset(uri)
    for fragment in dataset.get_fragments():
        left = fragment.delete("id >= 8")
        if left is None:
            deleted.append(fragment.fragment_id)
        else:
            updated.append(left)
    assert (len(updated), deleted) == (1, [1])
    assert (updated[0].num_deletions, updated[0].num_rows) == (2, 8)
    operation = library.LanceOperation.Delete(updated, deleted, "id >= 8")

    library.LanceDataset.commit(uri, operation, read_version=dataset.version)

    assert assert_alike(uri)["id"] == list(range(8))


@BOTH
def test_deletions_of_one_writer_are_committed_by_the_other(uri, library):
    other = OTHER[library]
    left = library.dataset(uri).get_fragment(0).delete("id % 2 = 0")
    operation = other.LanceOperation.Delete([handed_over(other, left)], [1], "some")

    other.LanceDataset.commit(uri, operation, read_version=1)

    assert assert_alike(uri)["id"] == [1, 3, 5, 7, 9]


@BOTH
def test_update_moves_rows(uri, version, library):
    dataset = library.dataset(uri)
    left = dataset.get_fragment(0).delete("id < 3")
    moved = pa.table({"id": pa.array([0, 1, 2], pa.int64()), "s": ["new"] * 3})
    written = module(library, "fragment").LanceFragment.create(
        uri, moved, data_storage_version=version
    )
    operation = library.LanceOperation.Update(
        updated_fragments=[left],
        new_fragments=[written],
        fields_for_preserving_frag_bitmap=[0, 1],
        update_mode="rewrite_rows",
    )

    library.LanceDataset.commit(uri, operation, read_version=1)

    found = assert_alike(uri)
    assert found["id"] == [*range(3, 20), 0, 1, 2]
    assert found["s"][-3:] == ["new"] * 3


@BOTH
def test_rewrite_replaces_fragments(uri, version, library):
    dataset = library.dataset(uri)
    old = [fragment.metadata for fragment in dataset.get_fragments()]
    new = module(library, "fragment").LanceFragment.create(
        uri, dataset.to_table(), data_storage_version=version
    )
    operations = library.LanceOperation
    operation = operations.Rewrite([operations.RewriteGroup(old, [new])], [])

    library.LanceDataset.commit(uri, operation, read_version=1)

    assert assert_alike(uri)["id"] == list(range(20))
    assert len(lance.dataset(uri).get_fragments()) == 1


def double(batch):
    return pa.record_batch([pc.multiply(batch["id"], 2)], ["twice"])


@BOTH
@pytest.mark.parametrize("how", ["function", "sql", "struct"])
def test_merge_adds_columns(uri, library, how):
    if how == "function":
        value, columns, name = double, ["id"], "twice"
    elif how == "sql":
        value, columns, name = {"twice": "id * 2", "more": "id + 1"}, None, "twice"
    else:
        members = pa.struct([("a", pa.int64()), ("b", pa.string())])
        value = library.batch_udf(pa.schema([("p", members)]))(
            lambda batch: pa.record_batch(
                [pa.array([{"a": i, "b": "x"} for i in batch["id"].to_pylist()], members)], ["p"]
            )
        )
        columns, name = ["id"], "p"
    dataset = library.dataset(uri)
    fragments, schema = [], None
    for fragment in dataset.get_fragments():
        merged, schema = fragment.merge_columns(value, columns=columns)
        fragments.append(merged)
    operation = library.LanceOperation.Merge(fragments, schema)

    library.LanceDataset.commit(uri, operation, read_version=dataset.version)

    found = assert_alike(uri)
    expected = {"a": 6, "b": "x"} if how == "struct" else 12
    assert found[name][6] == expected
    ids = [field.id() for field in library.dataset(uri).lance_schema.fields()]
    assert ids == [field.id() for field in lance.dataset(uri).lance_schema.fields()]
    assert [field.id() for field in schema.fields()] == ids
    # Ids go on behind the members of a struct.
    library.dataset(uri).add_columns({"last": "id"})
    assert_alike(uri)


@BOTH
def test_merge_takes_a_pyarrow_schema(uri, library):
    dataset = library.dataset(uri)
    merged = [f.merge_columns({"twice": "id * 2"})[0] for f in dataset.get_fragments()]
    schema = dataset.schema.append(pa.field("twice", pa.int64()))
    with pytest.warns(DeprecationWarning, match="LanceSchema"):
        operation = library.LanceOperation.Merge(merged, schema)

    library.LanceDataset.commit(uri, operation, read_version=1)

    assert assert_alike(uri)["twice"] == [2 * i for i in range(20)]


@BOTH
def test_project_swaps_and_renames_columns(uri, library):
    # Field 0 becomes "s", field 1 becomes "id".
    schema = pa.schema([("s", pa.int64()), ("id", pa.string())])
    lance_schema = module(library, "schema").LanceSchema.from_pyarrow(schema)

    library.LanceDataset.commit(
        uri, library.LanceOperation.Project(lance_schema), read_version=1
    )

    found = assert_alike(uri)
    assert found["s"] == list(range(20))
    assert found["id"][4] == "row 4"


@BOTH
def test_restore(uri, library):
    lance.dataset(uri).delete("id < 5")

    library.LanceDataset.commit(uri, library.LanceOperation.Restore(1))

    assert assert_alike(uri)["id"] == list(range(20))


def split(uri):
    """A column in files of its own, which can be replaced."""
    lance.dataset(uri).add_columns({"v": "id * 10"})
    return lance.dataset(uri)


def write_file(library, uri, version, table):
    """A data file of the table that nothing refers to yet."""
    name = f"{uuid.uuid4()}.lance"
    writer = module(library, "file").LanceFileWriter(
        f"{uri}/data/{name}", schema=table.schema, version=version
    )
    with writer:
        writer.write_batch(table)
    return name


@BOTH
def test_data_replacement(uri, version, library):
    split(uri)
    operations = library.LanceOperation
    table = pa.table({"v": pa.array(range(500, 510), pa.int64())})
    name = write_file(library, uri, version, table)
    dataset = library.dataset(uri)
    file = module(library, "fragment").DataFile.create(dataset, name)
    field = dataset.lance_schema.field("v").id()
    assert (file.fields, file.column_indices) == ([field], [0])
    assert (file.file_major_version, file.file_minor_version) == tuple(map(int, version.split(".")))
    operation = operations.DataReplacement([operations.DataReplacementGroup(1, file)])

    library.LanceDataset.commit(uri, operation, read_version=dataset.version)

    found = assert_alike(uri)
    assert found["v"] == [*range(0, 100, 10), *range(500, 510)]


@BOTH
def test_data_replacement_by_a_file_that_is_described_by_hand(uri, version, library):
    split(uri)
    operations = library.LanceOperation
    name = write_file(OTHER[library], uri, version, pa.table({"v": pa.array([7] * 10, pa.int64())}))
    major, minor = map(int, version.split("."))
    file = module(library, "fragment").DataFile(name, [2], [0], major, minor)
    operation = operations.DataReplacement([operations.DataReplacementGroup(0, file)])

    library.LanceDataset.commit(uri, operation, read_version=2)

    assert assert_alike(uri)["v"][:10] == [7] * 10


@BOTH
def test_update_config(uri, library):
    operations = library.LanceOperation
    operation = operations.UpdateConfig(
        config_updates=operations.UpdateMap({"a": "1", "b": "2"}),
        table_metadata_updates=operations.UpdateMap({"t": "3"}, replace=True),
        schema_metadata_updates=operations.UpdateMap({"s": "4"}),
        field_metadata_updates={1: operations.UpdateMap({"f": "5"})},
    )
    library.LanceDataset.commit(uri, operation, read_version=1)
    again = operations.UpdateConfig(config_updates=operations.UpdateMap({"a": None}))
    library.LanceDataset.commit(uri, again, read_version=2)

    assert_alike(uri)
    for reader in LIBRARIES:
        dataset = reader.dataset(uri)
        assert dataset.config().get("b") == "2"
        assert "a" not in dataset.config()
        assert dataset.metadata == {"t": "3"}
        assert dataset.schema.metadata == {b"s": b"4"}
        assert dataset.schema.field("s").metadata == {b"f": b"5"}


def segment_of(library, uri):
    """The zonemap's segment as an Index of the library, for a commit by hand."""
    [stored] = lance.dataset(uri).describe_indices()
    [segment] = stored.segments
    return dict(
        uuid=str(segment.uuid),
        name="id_idx",
        fields=[0],
        dataset_version=segment.dataset_version_at_last_update,
        fragment_ids=set(segment.fragment_ids),
        index_version=segment.index_version,
        created_at=segment.created_at,
    )


@BOTH
def test_create_index_removes_and_adds_segments(uri, library):
    lance.dataset(uri).create_scalar_index("id", "ZONEMAP")
    details = lance.dataset(uri).read_transaction(2).operation.new_indices[0]
    index = module(library, "dataset").Index(
        **segment_of(library, uri), index_details=details.index_details
    )
    operations = library.LanceOperation
    library.LanceDataset.commit(uri, operations.CreateIndex([], [index]), read_version=2)
    assert lance.dataset(uri).describe_indices() == []
    assert lance_cpp.dataset(uri).describe_indices() == []

    library.LanceDataset.commit(uri, operations.CreateIndex([index], []), read_version=3)

    assert_alike(uri)
    assert [found.name for found in lance.dataset(uri).describe_indices()] == ["id_idx"]
    [ours] = lance_cpp.dataset(uri).describe_indices()
    assert (ours.name, ours.index_type, ours.num_rows_indexed) == ("id_idx", "ZoneMap", 20)
    assert lance_cpp.dataset(uri).explain("id = 5")["fragments"] == {"kept": 1, "total": 2}
    assert lance.dataset(uri).to_table(filter="id = 5").num_rows == 1


@BOTH
def test_a_transaction_around_an_operation_keeps_its_identity(uri, library):
    written = module(library, "fragment").write_fragments(
        rows(100, 2), uri, return_transaction=True
    )
    written.transaction_properties = {"who": "me"}
    assert isinstance(written.operation, library.LanceOperation.Append)

    library.LanceDataset.commit(uri, written)

    assert assert_alike(uri)["id"][-2:] == [100, 101]
    stored = lance.dataset(uri).read_transaction(2)
    assert (stored.uuid, stored.transaction_properties) == (written.uuid, {"who": "me"})


@BOTH
def test_a_transaction_creates_a_table(tmp_path, library):
    place = str(tmp_path / "new.lance")
    written = module(library, "fragment").write_fragments(
        rows(0, 2), place, return_transaction=True
    )
    assert (written.read_version, type(written.operation).__name__) == (0, "Overwrite")

    library.LanceDataset.commit(place, written)

    assert assert_alike(place)["id"] == [0, 1]
    assert lance.dataset(place).read_transaction(1).uuid == written.uuid


def test_our_transactions_survive_pickling(uri):
    builder = lance_cpp.dataset(uri).merge_insert("id")
    builder.when_matched_update_all().when_not_matched_insert_all()
    made, _ = builder.execute_uncommitted(rows(19, 2))

    again = pickle.loads(pickle.dumps(made))
    lance_cpp.LanceDataset.commit(uri, again)

    assert assert_alike(uri)["id"] == [*range(19), 19, 20]
    assert lance.dataset(uri).read_transaction(2).uuid == made.uuid


def upsert(library, uri):
    builder = library.dataset(uri).merge_insert("id")
    builder.when_matched_update_all().when_not_matched_insert_all()
    made, _ = builder.execute_uncommitted(rows(19, 2))
    return made


def test_a_transaction_that_was_made_shows_its_operation(uri):
    ours, theirs = (upsert(library, uri).operation for library in (lance_cpp, lance))

    assert isinstance(ours, lance_cpp.LanceOperation.Update)
    for name in (
        "removed_fragment_ids",
        "fields_modified",
        "fields_for_preserving_frag_bitmap",
        "update_mode",
    ):
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in ("updated_fragments", "new_fragments"):
        found, expected = getattr(ours, name), getattr(theirs, name)
        shape = [(f.id, f.physical_rows, f.num_deletions) for f in expected]
        assert [(f.id, f.physical_rows, f.num_deletions) for f in found] == shape


def test_an_operation_that_was_taken_out_of_a_transaction_is_committed(uri):
    operation = upsert(lance_cpp, uri).operation

    lance_cpp.LanceDataset.commit(uri, operation, read_version=1)

    assert assert_alike(uri)["id"] == [*range(19), 19, 20]


def test_a_transaction_whose_operation_was_changed_is_committed_as_changed(uri):
    made = upsert(lance_cpp, uri)
    made.operation = lance_cpp.LanceOperation.Restore(1)

    lance_cpp.LanceDataset.commit(uri, made)

    assert assert_alike(uri)["id"] == list(range(20))
    assert lance.dataset(uri).read_transaction(2).uuid == made.uuid


@BOTH
@pytest.mark.parametrize("kind", ["append", "delete", "config", "replacement"])
def test_an_operation_meets_other_commits_as_in_the_reference(uri, version, library, kind):
    split(uri)
    operations = library.LanceOperation
    if kind == "append":
        one = module(library, "fragment").LanceFragment.create(uri, pa.table(
            {"id": pa.array([77], pa.int64()), "s": ["x"], "v": pa.array([1], pa.int64())}
        ), data_storage_version=version)
        operation = operations.Append([one])
    elif kind == "delete":
        left = library.dataset(uri).get_fragment(0).delete("id = 1")
        operation = operations.Delete([left], [], "id = 1")
    elif kind == "config":
        operation = operations.UpdateConfig(operations.UpdateMap({"k": "v"}))
    else:
        name = write_file(library, uri, version, pa.table({"v": pa.array([7] * 10, pa.int64())}))
        file = module(library, "fragment").DataFile.create(library.dataset(uri), name)
        operation = operations.DataReplacement([operations.DataReplacementGroup(0, file)])
    OTHER[library].dataset(uri).delete("id = 2")  # in fragment 0
    passes = kind != "delete"

    if passes:
        library.LanceDataset.commit(uri, operation, read_version=2)
    else:
        with pytest.raises(OSError, match="[Cc]onflict|was changed|meets|concurrent|DELETE|Delete"):
            library.LanceDataset.commit(uri, operation, read_version=2, max_retries=0)

    found = assert_alike(uri)
    assert 2 not in found["id"]
    assert (77 in found["id"]) == (kind == "append")


def test_metadata_is_the_reference_s(uri):
    lance.dataset(uri).delete("id in (1, 2)")
    for ours, theirs in zip(
        lance_cpp.dataset(uri).get_fragments(), lance.dataset(uri).get_fragments(), strict=True
    ):
        described = ours.metadata.to_json()
        own = described.pop("lance_cpp")
        assert own == {"stamp": [0, 0, ""], "unknown": []}
        assert described == theirs.metadata.to_json()
        assert repr(ours.metadata) == repr(theirs.metadata)
        assert handed_over(lance, ours.metadata) == theirs.metadata
        assert handed_over(lance_cpp, theirs.metadata) == ours.metadata
        assert pickle.loads(pickle.dumps(ours.metadata)) == ours.metadata
        assert ours.deletion_file() == theirs.deletion_file()
        assert ours.to_table().equals(theirs.to_table())
        assert ours.count_rows("id > 5") == theirs.count_rows("id > 5")
        assert (ours.num_deletions, ours.physical_rows) == (
            theirs.num_deletions, theirs.physical_rows,
        )
        some = {"columns": ["s"], "limit": 3, "with_row_id": True}
        assert ours.to_table(**some).equals(theirs.to_table(**some))


def test_metadata_of_rows_with_stable_ids_is_the_reference_s(tmp_path):
    place = str(tmp_path / "t.lance")
    lance.write_dataset(rows(0, 6), place, enable_stable_row_ids=True)
    lance.dataset(place).update({"s": "'x'"}, where="id = 3")

    for ours, theirs in zip(
        lance_cpp.dataset(place).get_fragments(), lance.dataset(place).get_fragments(), strict=True
    ):
        described = ours.metadata.to_json()
        del described["lance_cpp"]
        assert described == theirs.metadata.to_json()
        assert handed_over(lance, ours.metadata) == theirs.metadata


@BOTH
def test_rows_that_move_take_their_ids_along(tmp_path, library):
    place = str(tmp_path / "t.lance")
    lance.write_dataset(rows(0, 4), place, enable_stable_row_ids=True)
    dataset = library.dataset(place)
    [old] = dataset.get_fragments()
    new = module(library, "fragment").LanceFragment.create(place, dataset.to_table())
    new.row_id_meta = old.metadata.row_id_meta
    operation = library.LanceOperation.Update(
        removed_fragment_ids=[0], new_fragments=[new], fields_for_preserving_frag_bitmap=[0, 1]
    )

    library.LanceDataset.commit(place, operation, read_version=1)

    assert_alike(place)
    for reader in LIBRARIES:
        found = reader.dataset(place).to_table(with_row_id=True)
        assert found["_rowid"].to_pylist() == [0, 1, 2, 3]


def test_what_is_not_honoured_is_refused_by_name(uri):
    operations = lance_cpp.LanceOperation
    commit = lance_cpp.LanceDataset.commit
    [first, _] = lance_cpp.dataset(uri).get_fragments()

    for name in ("Clone", "DataOverlay", "DataOverlayFile", "DataOverlayGroup"):
        with pytest.raises(lance_cpp.UnsupportedError, match=name):
            getattr(operations, name)
    with pytest.raises(lance_cpp.UnsupportedError, match="rewritten_indices"):
        index = operations.RewrittenIndex("a", "b", "", b"", 0)
        commit(uri, operations.Rewrite([], [index]), read_version=1)
    with pytest.raises(lance_cpp.UnsupportedError, match="updated_fragment_offsets"):
        commit(uri, operations.Update(updated_fragment_offsets={0: b""}), read_version=1)
    with pytest.raises(lance_cpp.InvalidError, match="update_mode"):
        commit(uri, operations.Update(update_mode="sideways"), read_version=1)
    for name in ("merge", "update_columns", "delete_rows", "open_session", "validate"):
        with pytest.raises(lance_cpp.UnsupportedError, match=f"LanceFragment.{name}"):
            getattr(first, name)
    with pytest.raises(lance_cpp.UnsupportedError, match="overlays"):
        metadata = first.metadata
        metadata.overlays = ["overlay"]
        commit(uri, operations.Delete([metadata], [], ""), read_version=1)
    with pytest.raises(lance_cpp.UnsupportedError, match="RowIdSequence"):
        module(lance_cpp, "fragment").RowIdSequence  # noqa: B018
    assert lance.dataset(uri).version == 1


@pytest.mark.parametrize(
    "change, problem",
    [
        (lambda m: setattr(m.files[0], "_path", "../outside.lance"), "outside"),
        (lambda m: setattr(m.files[0], "column_indices", [0]), "column indices"),
        (lambda m: setattr(m.files[0], "column_indices", [0, 0]), "stands for two fields"),
        (lambda m: setattr(m, "physical_rows", 2**40), "rows"),
        (lambda m: setattr(m.files[0], "file_major_version", 9), "version"),
    ],
)
def test_metadata_that_is_wrong_is_refused(uri, change, problem):
    written = module(lance_cpp, "fragment").LanceFragment.create(uri, rows(50, 5))
    change(written)

    with pytest.raises(ValueError, match=problem):
        lance_cpp.LanceDataset.commit(
            uri, lance_cpp.LanceOperation.Append([written]), read_version=1
        )
    assert lance.dataset(uri).version == 1


def test_scans_of_some_fragments_are_the_reference_s(uri):
    for chosen in ([1], [0, 1], [1, 0]):
        found = []
        for library in LIBRARIES:
            dataset = library.dataset(uri)
            parts = [dataset.get_fragment(number) for number in chosen]
            found.append(dataset.scanner(fragments=parts, filter="id > 3").to_table())
        assert sorted(found[0]["id"].to_pylist()) == sorted(found[1]["id"].to_pylist())


def test_warnings_are_no_surprise(uri):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lance_cpp.dataset(uri).get_fragments()
    file = lance_cpp.dataset(uri).get_fragments()[0].data_files()[0]
    with pytest.warns(DeprecationWarning, match="path"):
        assert file.path() == file.path
