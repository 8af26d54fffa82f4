"""Changes of the schema of a clustered table (contract section 2), and the care of its metadata.

The reference refuses to write such a table; it reads it.
"""

import lance
import lance_cpp
import pyarrow as pa
import pytest


@pytest.fixture(name="place")
def _place(tmp_path):
    return str(tmp_path / "t.lance")


def rows_from(first):
    return pa.table(
        {
            "a": pa.array([(first + i) * 7 % 50 for i in range(50)], pa.int32()),
            "b": [f"k{(first + i) * 3 % 11}" for i in range(50)],
            "c": pa.array(range(first, first + 50), pa.int64()),
        }
    )


def clustered(place):
    """Two sorted writes, declared by (a, b), with zonemaps."""
    ds = lance_cpp.write_dataset(rows_from(0), place, max_rows_per_file=25)
    ds.set_clustering(["a", "b"])
    ds.optimize.compact_files()
    return lance_cpp.write_dataset(rows_from(50), place, mode="append")


def definitions(ds):
    return ds._properties()["clustering_definitions"]


def stamps(ds):
    return [found["clustering_id"] for found in ds.optimize.plan_clustering().to_dict()["tasks"]]


def assert_same_for_all(place):
    ours = lance_cpp.dataset(place)
    theirs = lance.dataset(place)
    theirs.validate()
    assert ours.schema.equals(theirs.schema, check_metadata=True)
    assert ours.to_table().to_pylist() == theirs.to_table().to_pylist()


def stale_rows(ds):
    plan = ds.optimize.plan_clustering().to_dict()
    return sum(task["rows"] for task in plan["tasks"] if task["reason"] == "stale")


def test_dropping_a_clustering_column_is_refused_with_both_ways_out(place):
    ds = clustered(place)
    version = ds.version
    for columns in (["a"], ["c", "b"]):
        with pytest.raises(ValueError, match="clear_clustering"):
            ds.drop_columns(columns)
    assert lance_cpp.dataset(place).version == version
    ds.clear_clustering()
    ds.drop_columns(["a"])
    assert len(definitions(ds)) == 1  # legal: retired
    assert_same_for_all(place)


def test_dropping_and_adding_other_columns_keeps_every_stamp(place):
    ds = clustered(place)
    ds.drop_columns(["c"])
    ds.add_columns({"d": "a * 2"})
    ds.add_columns(pa.field("e", pa.int8()))
    assert stale_rows(ds) == 0
    assert ds.clustering_spec()["columns"] == ["a", "b"]
    assert_same_for_all(place)


def test_renaming_a_clustering_column_rewrites_the_declaration(place):
    ds = clustered(place)
    before = ds.clustering_spec()
    indices = [index.name for index in ds.describe_indices()]
    ds.alter_columns({"path": "a", "name": "alpha"})
    after = ds.clustering_spec()
    assert after == {**before, "columns": ["alpha", "b"]}
    assert ds.config()["lance.clustering.columns"] == '["alpha","b"]'
    assert len(definitions(ds)) == 1
    assert stale_rows(ds) == 0
    assert [index.name for index in ds.describe_indices()] == indices
    assert ds.explain("alpha = 3")["zones"]["kept"] <= ds.explain("alpha = 3")["zones"]["total"]
    lance_cpp.write_dataset(
        rows_from(100).rename_columns(["alpha", "b", "c"]), place, mode="append"
    )
    assert_same_for_all(place)


def test_clustering_columns_can_swap_their_names(place):
    ds = lance_cpp.write_dataset(rows_from(0), place)
    ds.set_clustering(["a", "c"])
    ds.alter_columns({"path": "a", "name": "c"}, {"path": "c", "name": "a"})
    assert ds.clustering_spec()["columns"] == ["c", "a"]
    assert len(definitions(ds)) == 1


def test_a_cast_of_a_clustering_column_defines_the_layout_again(place):
    ds = clustered(place)
    before = definitions(ds)
    assert {index.name for index in ds.describe_indices()} == {"a_idx", "b_idx"}
    ds.alter_columns({"path": "a", "data_type": pa.int64()})
    after = definitions(ds)
    assert after[:1] == before
    assert len(after) == 2
    assert after[1]["field_ids"][1] == before[0]["field_ids"][1]
    assert after[1]["version"] == before[0]["version"] == ds.clustering_spec()["version"]
    assert [index.name for index in ds.describe_indices()] == ["b_idx"]
    assert stale_rows(ds) == 100
    assert_same_for_all(place)
    ds.optimize.compact_files()
    assert {index.name for index in ds.describe_indices()} == {"a_idx", "b_idx"}
    assert stale_rows(ds) == 0
    assert ds.to_table(filter="a = 7").num_rows == 2
    assert_same_for_all(place)


def test_a_cast_to_a_type_that_cannot_be_clustered_is_refused(place):
    ds = lance_cpp.write_dataset(pa.table({"d": pa.array([1], pa.decimal128(5, 1))}), place)
    ds.set_clustering(["d"])
    with pytest.raises(ValueError, match="clear_clustering"):
        ds.alter_columns({"path": "d", "data_type": pa.decimal256(40, 1)})
    assert lance.dataset(place).version == 2


def test_another_index_on_a_clustering_column_refuses_the_cast(place):
    ds = lance.write_dataset(rows_from(0), place, data_storage_version="2.1")
    ds.create_scalar_index("a", "BTREE", name="tree")
    ours = lance_cpp.dataset(place)
    ours.set_clustering(["a"])
    with pytest.raises(ValueError, match="tree"):
        ours.alter_columns({"path": "a", "data_type": pa.int64()})


def test_a_cast_of_another_column_keeps_every_stamp(place):
    ds = clustered(place)
    ds.alter_columns({"path": "c", "data_type": pa.int32()})
    assert stale_rows(ds) == 0
    assert len(definitions(ds)) == 1


def test_a_key_that_is_cast_and_one_that_is_renamed_take_two_calls(place):
    ds = clustered(place)
    with pytest.raises(ValueError, match="one call for each"):
        ds.alter_columns({"path": "a", "data_type": pa.int64(), "name": "alpha"})


def test_keys_of_the_declaration_in_the_config_obey_its_rules(place):
    ds = clustered(place)
    for values, word in (
        ({"lance.clustering.curve": "spiral"}, "curve"),
        ({"lance.clustering.columns": None}, "columns"),
        ({"lance.clustering.columns": '["nope"]'}, "nope"),
        ({"lance.clustering.colour": "red"}, "colour"),
        ({"lance.clustering.version": "1", "lance.clustering.curve": "zorder"}, "version"),
    ):
        with pytest.raises((ValueError, KeyError), match=word):
            ds.update_config(values)
    with pytest.raises(ValueError, match="reserved"):
        ds.update_metadata({"lance.liquid-clustering.max_version": "0"})
    before = ds.metadata
    ds.update_metadata({"mine": "1"}, replace=True)
    assert ds.metadata == {**before, "mine": "1"}
    ds.update_config({"lance.clustering.version": "2", "lance.clustering.curve": "zorder"})
    assert ds.clustering_spec()["curve"] == "zorder"


def test_a_healthy_table_has_nothing_to_report(place):
    ds = clustered(place)
    version = ds.version
    assert ds.check() == []
    ds.repair()
    assert ds.version == version


def test_a_definition_that_nothing_refers_to_is_reported_and_pruned(place):
    ds = lance_cpp.write_dataset(rows_from(0), place)
    ds.set_clustering(["a"])
    ds.set_clustering(["b"])
    findings = ds.check()
    assert [found["code"] for found in findings] == ["clustering_definition_unused"]
    ds._ds = lance_cpp._core.prune_clustering_definitions(ds._ds)
    assert [found["field_ids"] for found in definitions(ds)] == [[1]]
    assert not any(key.startswith("lance.liquid-clustering.1.") for key in ds.metadata)
    assert ds.metadata["lance.liquid-clustering.max_clustering_id"] == "2"
    version = ds.version
    ds._ds = lance_cpp._core.prune_clustering_definitions(ds._ds)
    assert ds.version == version
    ds.set_clustering(["c"])
    assert definitions(ds)[-1]["id"] == 3  # ids are not used again
    assert_same_for_all(place)
