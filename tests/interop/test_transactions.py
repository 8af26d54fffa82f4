"""Changes that are written now and committed later, by ours and by the reference."""

import lance
import lance_cpp
import pyarrow as pa
import pytest


def rows(first, count):
    ids = range(first, first + count)
    return pa.table({"id": pa.array(ids, pa.int64()), "s": [f"row {i}" for i in ids]})


@pytest.fixture
def uri(tmp_path):
    place = str(tmp_path / "t.lance")
    lance.write_dataset(rows(0, 20), place, data_storage_version="2.1", max_rows_per_file=10)
    return place


SOURCE = pa.table({"id": pa.array([3, 100], pa.int64()), "s": ["new 3", "new 100"]})


def merge(library, uri):
    builder = library.dataset(uri).merge_insert("id")
    builder.when_matched_update_all().when_not_matched_insert_all()
    return builder.execute_uncommitted(SOURCE)


def values_of(uri):
    theirs = lance.dataset(uri)
    theirs.validate()
    table = theirs.to_table()
    assert table.to_pylist() == lance_cpp.dataset(uri).to_table().to_pylist()
    return dict(zip(table["id"].to_pylist(), table["s"].to_pylist(), strict=True))


def test_a_merge_is_no_version_until_it_is_committed(uri):
    ours, counts = merge(lance_cpp, uri)
    theirs, reference_counts = merge(lance, uri)

    assert lance.dataset(uri).version == 1
    assert {name: reference_counts[name] for name in counts} == counts
    assert (ours.read_version, len(ours.uuid)) == (theirs.read_version, len(theirs.uuid))

    committed = lance_cpp.LanceDataset.commit(uri, ours)

    assert committed.version == 2
    found = values_of(uri)
    assert (found[3], found[100], len(found)) == ("new 3", "new 100", 21)


@pytest.mark.parametrize("rival", [lance, lance_cpp])
def test_a_merge_passes_changes_of_other_rows(uri, rival):
    ours, _ = merge(lance_cpp, uri)
    rival.dataset(uri).delete("id = 4")
    rival.write_dataset(rows(50, 2), uri, mode="append")

    lance_cpp.LanceDataset.commit(uri, ours)

    found = values_of(uri)
    assert (found[3], found[100], len(found)) == ("new 3", "new 100", 22)
    assert 4 not in found


@pytest.mark.parametrize("rival", [lance, lance_cpp])
def test_a_merge_meets_changes_of_its_rows(uri, rival):
    ours, _ = merge(lance_cpp, uri)
    rival.dataset(uri).delete("id = 3")

    with pytest.raises(lance_cpp.CommitConflictError) as failure:
        lance_cpp.LanceDataset.commit(uri, ours)

    assert failure.value.retryable
    assert len(values_of(uri)) == 19


def test_a_transaction_lands_once(uri):
    ours, _ = merge(lance_cpp, uri)
    lance_cpp.LanceDataset.commit(uri, ours)

    again = lance_cpp.LanceDataset.commit(lance_cpp.dataset(uri), ours)

    assert again.version == lance.dataset(uri).version == 2


def test_the_reference_sees_properties_and_passes_our_transactions(uri):
    late = lance.dataset(uri)
    ours, _ = merge(lance_cpp, uri)
    ours.transaction_properties["who"] = "us"
    lance_cpp.LanceDataset.commit(uri, ours)

    late.insert(rows(70, 1))

    assert len(values_of(uri)) == 22
    stored = lance.dataset(uri).read_transaction(2)
    assert stored.uuid == ours.uuid
    assert stored.transaction_properties == {"who": "us"}


def test_detached_versions_are_read_by_both(uri):
    ours, _ = merge(lance_cpp, uri)

    detached = lance_cpp.LanceDataset.commit(uri, ours, detached=True)

    assert detached.version >= 2**63
    assert lance.dataset(uri).version == lance_cpp.dataset(uri).version == 1
    reference = lance.dataset(uri, version=detached.version)
    reference.validate()
    assert reference.to_table().to_pylist() == detached.to_table().to_pylist()
    assert len(lance.dataset(uri).versions()) == len(lance_cpp.dataset(uri).versions()) == 1


def test_an_old_version_is_restored(uri):
    lance.dataset(uri).delete("id < 5")

    restored = lance_cpp.LanceDataset.commit(
        uri, lance_cpp.LanceOperation.Restore(1), commit_message="back"
    )

    assert restored.version == 3
    assert len(values_of(uri)) == 20
    stored = lance.dataset(uri).read_transaction(3)
    assert stored.transaction_properties == {"__lance_commit_message": "back"}


def test_a_projection_keeps_field_ids(uri):
    schema = pa.schema([lance_cpp.dataset(uri).schema.field("s")])

    lance_cpp.LanceDataset.commit(uri, lance_cpp.LanceOperation.Project(schema), read_version=1)

    reference = lance.dataset(uri)
    reference.validate()
    assert reference.to_table().to_pydict() == {"s": [f"row {i}" for i in range(20)]}
    assert [field.id() for field in reference.lance_schema.fields()] == [1]


def test_what_is_not_supported_is_refused_by_name(uri):
    commit = lance_cpp.LanceDataset.commit
    made, _ = merge(lance_cpp, uri)

    with pytest.raises(lance_cpp.UnsupportedError, match="BaseOperation"):
        commit(uri, lance_cpp.LanceOperation.BaseOperation(), read_version=1)
    with pytest.raises(lance_cpp.InvalidError, match="transaction uuid is"):
        commit(uri, lance_cpp.Transaction(1, lance_cpp.LanceOperation.Restore(1), "nonsense"))
    with pytest.raises(lance_cpp.UnsupportedError, match="commit_lock"):
        commit(uri, made, commit_lock=lambda version: None)
    with pytest.raises(TypeError, match="operation is a str"):
        commit(uri, "append")
    with pytest.raises(ValueError, match="read_version is missing"):
        commit(uri, lance_cpp.LanceOperation.Project(pa.schema([])))
    made.uuid = "550e8400-e29b-41d4-a716-446655440000"
    with pytest.raises(lance_cpp.InvalidError, match="cannot be changed"):
        commit(uri, made)
    assert lance.dataset(uri).version == 1
