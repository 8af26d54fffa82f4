"""Zonemaps that are kept up to date and dropped, by us and by the reference."""

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lance.indices import IndexConfig
from lancectl import INVALID, attempt, run
from random_tables import NEGATIVE_NAN

WRITERS = [lance_cpp, lance]


def rows(first, count):
    return pa.table({"id": range(first, first + count), "k": [i // 10 for i in range(count)]})


@pytest.fixture(name="uri", params=WRITERS, ids=lambda module: module.__name__)
def table_with_a_stale_zonemap(request, tmp_path):
    """Two fragments that the zonemap of k knows, and two that it does not."""
    uri = str(tmp_path / "t")
    request.param.write_dataset(rows(0, 100), uri, max_rows_per_file=50)
    if request.param is lance:
        config = IndexConfig("zonemap", {"rows_per_zone": 16})
        lance.dataset(uri).create_scalar_index("k", config)
    else:
        lance_cpp.dataset(uri).create_scalar_index("k", "ZONEMAP", rows_per_zone=16)
    for first in (100, 130):
        request.param.write_dataset(rows(first, 30), uri, mode="append")
    return uri


def uncovered(uri):
    (index,) = lance_cpp.dataset(uri).describe_indices()
    return index.num_unindexed_fragments


@pytest.mark.parametrize("writer", WRITERS, ids=lambda module: module.__name__)
def test_zonemaps_are_brought_up_to_date(writer, uri):
    assert uncovered(uri) == 2

    writer.dataset(uri).optimize.optimize_indices()

    assert uncovered(uri) == 0
    for reader in WRITERS:
        found = reader.dataset(uri).to_table(filter="k = 2")["id"].to_pylist()
        assert found == [*range(20, 30), *range(120, 130), *range(150, 160)]
    (index,) = lance.dataset(uri).describe_indices()
    assert index.num_rows_indexed == 160
    version = lance_cpp.dataset(uri).version
    writer.dataset(uri).optimize.optimize_indices()
    assert lance_cpp.dataset(uri).version == version


def test_an_update_takes_over_the_zones_that_are_there(uri):
    dataset = lance_cpp.dataset(uri)
    before = dataset.load_zones("k")
    dataset.optimize.optimize_indices(index_names=["k_idx"])
    after = dataset.load_zones("k")
    assert after.slice(0, before.num_rows).equals(before)
    assert after.num_rows > before.num_rows
    assert after["zone_length"].to_pylist()[:4] == [16, 16, 16, 2]
    assert pa.compute.sum(after["zone_length"]).as_py() == 160


def test_zones_are_told_with_bounds_and_counts(tmp_path):
    uri = str(tmp_path / "t")
    values = [1.5, None, float("nan"), -2.0]
    lance_cpp.write_dataset(pa.table({"f": values}), uri)
    with pytest.raises(lance_cpp.errors.NotFoundError, match="column f has no zonemap"):
        lance_cpp.dataset(uri).load_zones("f")
    dataset = lance_cpp.dataset(uri)
    dataset.create_scalar_index("f", "ZONEMAP", rows_per_zone=2)
    zones = dataset.load_zones("f").to_pydict()
    assert zones["fragment_id"] == [0, 0]
    assert zones["zone_start"] == [0, 2]
    assert (zones["min"], zones["max"][0]) == ([1.5, -2.0], 1.5)
    assert (zones["null_count"], zones["nan_count"]) == ([1, 0], [0, 1])


@pytest.mark.parametrize("writer", WRITERS, ids=lambda module: module.__name__)
def test_indices_are_dropped(writer, uri):
    writer.dataset(uri).drop_index("k_idx")
    for reader in WRITERS:
        assert reader.dataset(uri).describe_indices() == []
        assert reader.dataset(uri).to_table(filter="k = 2").num_rows == 30
    with pytest.raises(lance_cpp.errors.NotFoundError, match="no index k_idx; indices: none"):
        lance_cpp.dataset(uri).drop_index("k_idx")


def test_indices_of_other_kinds_stay_and_are_dropped_by_name(uri):
    lance.dataset(uri).create_scalar_index("id", "BLOOMFILTER")
    lance_cpp.write_dataset(rows(500, 5), uri, mode="append")
    dataset = lance_cpp.dataset(uri)
    dataset.optimize.optimize_indices()
    found = {index.name: index.num_unindexed_fragments for index in dataset.describe_indices()}
    assert found == {"id_idx": 1, "k_idx": 0}
    with pytest.raises(lance_cpp.errors.UnsupportedError, match="id_idx is a BloomFilter index"):
        dataset.optimize.optimize_indices(index_names=["id_idx"])
    dataset.drop_index("id_idx")
    assert [index.name for index in lance.dataset(uri).describe_indices()] == ["k_idx"]


def test_lancectl_keeps_indices(tmp_path):
    uri = tmp_path / "t"
    lance.write_dataset(rows(0, 40), str(uri))
    run("index", "create", uri, "--column", "k", "--rows-per-zone", 16, "--name", "zones")
    assert "zones" in run("index", "list", uri).out
    assert run("index", "optimize", uri).out == "nothing to do\n"
    zones = run("index", "zones", uri, "--column", "k", "--format", "csv").out.splitlines()
    assert zones[1:] == ["0,0,16,0,1,0,0", "0,16,16,1,3,0,0", "0,32,8,3,3,0,0"]
    assert "version 3" in run("index", "drop", uri, "zones").out
    assert attempt("index", "create", uri, "--column", "k", "--type", "ngram").code == 8
    assert attempt("index", "create", uri, "--column", "k", "--rows-per-zone", 0).code == INVALID


def test_a_zonemap_of_the_reference_over_a_dictionary_stays_as_it_is(tmp_path):
    uri = str(tmp_path / "t.lance")
    texts = pa.array(["a", "b", "a"]).dictionary_encode()
    table = pa.table({"d": texts, "id": [1, 2, 3]})
    theirs = lance.write_dataset(table, uri)
    theirs.create_scalar_index("d", IndexConfig("zonemap", {"rows_per_zone": 2}))
    theirs.create_scalar_index("id", IndexConfig("zonemap", {"rows_per_zone": 2}))
    lance_cpp.write_dataset(table, uri, mode="append")

    lance_cpp.dataset(uri).optimize.optimize_indices()

    ours = lance_cpp.dataset(uri)
    assert {index["name"]: index["fragment_ids"] for index in ours.list_indices()} == {
        "d_idx": {0},
        "id_idx": {0, 1},
    }
    with pytest.raises(lance_cpp.UnsupportedError, match="no order"):
        ours.optimize.optimize_indices(index_names=["d_idx"])
    assert ours.count_rows("d = 'a'") == lance.dataset(uri).count_rows("d = 'a'") == 4


@pytest.mark.parametrize("is_carried", [False, True])
def test_a_negative_nan_among_numbers_of_the_reference_is_not_lost(is_carried, tmp_path):
    """Its statistics tell no sign: copied into our zonemap they would hide the row from it."""
    uri = str(tmp_path / "t.lance")
    numbers = [float(number) for number in range(100, 120)]
    table = pa.table({"f": [*numbers, NEGATIVE_NAN, *numbers]})
    if is_carried:
        theirs = lance.write_dataset(table, uri)
        config = IndexConfig("zonemap", {"rows_per_zone": 8, "use_seeds": True})
        theirs.create_scalar_index("f", config)
    else:
        lance_cpp.write_dataset(table, uri)
        lance_cpp.dataset(uri).create_scalar_index("f", "ZONEMAP", rows_per_zone=8, use_seeds=True)
    lance.write_dataset(table, uri, mode="append")

    lance_cpp.dataset(uri).optimize.optimize_indices()

    for module in (lance, lance_cpp):
        assert module.dataset(uri).count_rows("f < 50") == 2
