"""Indices through compaction and clustering, by us and by the reference, at once and deferred.

The vectors V4, V5c, V5d and V5e of zonemap-and-indices 8.3, and walks of random steps: after every
step each filter gives the same rows with and without indices, from both readers.
"""

import functools
import os
import random
import tempfile

import lance
import lance.optimize
import lance_cpp
import numpy as np
import pyarrow as pa
import pytest
from lance_cpp.errors import InvalidError, UnsupportedError
from lancectl import IS_LONG

WRITERS = {"theirs": lance, "ours": lance_cpp}
REUSE = "__lance_frag_reuse"
FILTERS = [
    "id = 77",
    "id = 0",
    "id >= 1400",
    "id IN (1, 2, 500, 999, 1499, 4000)",
    "NOT (id < 1300)",
    "k = 3",
    "k IS NULL",
    "NOT (k = 3)",
    "k = 3 OR id = 5",
    "k IN (2, 5) AND id > 700",
    "array_has(tags, 't2')",
    "array_has_any(tags, ['t1', 'u'])",
    "f > 1300.0",
    "f IS NULL",
    "f < 100.0 AND k = 1",
]


def rows(first, count, seed=0):
    """Rows from `first` on; the values of f have no order."""
    ids = np.arange(first, first + count)
    shuffled = np.random.default_rng(first + seed).permutation(ids).astype(float)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "k": pa.array([None if i % 11 == 10 else i % 7 for i in ids.tolist()], pa.int32()),
            "f": pa.array([None if v % 13 == 12 else v for v in shuffled.tolist()]),
            "tags": pa.array([[f"t{i % 5}"] + (["u"] if i % 9 == 0 else []) for i in ids.tolist()]),
        }
    )


def make(uri, *, stable=False, maker=lance, size=500):
    """Three fragments, and an index on each column."""
    dataset = lance.write_dataset(
        rows(0, 3 * size), uri, max_rows_per_file=size, enable_stable_row_ids=stable
    )
    dataset = maker.dataset(uri)
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_scalar_index("k", "BITMAP")
    dataset.create_scalar_index("tags", "LABEL_LIST")
    dataset.create_scalar_index("f", "ZONEMAP")
    return uri


def ids_of(module, uri, condition, use_index):
    scanner = module.dataset(uri).scanner(
        columns=["id"], filter=condition, use_scalar_index=use_index
    )
    return sorted(scanner.to_table()["id"].to_pylist())


@functools.cache
def has_list_functions():
    """Whether filters of this build can ask which items a list has."""
    with tempfile.TemporaryDirectory() as folder:
        lance_cpp.write_dataset(pa.table({"l": [["a"]]}), folder + "/t")
        try:
            return lance_cpp.dataset(folder + "/t").count_rows(filter="array_has(l, 'a')") == 1
        except InvalidError as error:
            assert "there is no function array_has" in str(error)
            return False


def check(uri, filters=FILTERS):
    """Every filter gives the same rows with and without indices, from both readers."""
    for condition in filters:
        expected = ids_of(lance, uri, condition, use_index=False)
        for name, module in WRITERS.items():
            if module is lance_cpp and "array_has" in condition and not has_list_functions():
                continue
            for use_index in (True, False):
                found = ids_of(module, uri, condition, use_index)
                assert found == expected, (condition, name, use_index)
    lance.dataset(uri).validate()
    lance_cpp.dataset(uri).validate()


def rows_read(uri, condition):
    """Rows that our filter looks at: few, when an index names them."""
    statistics = []
    lance_cpp.dataset(uri).scanner(
        columns=["id"], filter=condition, scan_stats_callback=statistics.append
    ).to_table()
    return statistics[-1].rows_scanned


def segments(uri):
    """Claimed fragments of each index, as the reference sees them."""
    return {
        index["name"]: sorted(index["fragment_ids"]) for index in lance.dataset(uri).list_indices()
    }


def uuids(uri):
    return {index["name"]: index["uuid"] for index in lance.dataset(uri).list_indices()}


def live(uri):
    return [fragment.fragment_id for fragment in lance.dataset(uri).get_fragments()]


def compact(writer, uri, **options):
    WRITERS[writer].dataset(uri).optimize.compact_files(**options)


def optimize(writer, uri):
    WRITERS[writer].dataset(uri).optimize.optimize_indices()


# V4: compaction of a table of row addresses.


@pytest.mark.parametrize("maker", WRITERS)
def test_compaction_moves_indices_that_name_rows_along(tmp_path, maker):
    uri = make(str(tmp_path / "t"), maker=WRITERS[maker])
    before = uuids(uri)
    lance.dataset(uri).delete("id % 10 = 3")
    compact("ours", uri)
    check(uri)

    assert rows_read(uri, "id = 77") == 1
    assert live(uri) == [3]
    covered = segments(uri)
    assert [covered[name] for name in ("id_idx", "k_idx", "tags_idx")] == [[3]] * 3
    assert set(covered["f_idx"]) == {0, 1, 2}
    after = uuids(uri)
    assert {name for name in before if before[name] != after[name]} == {
        "id_idx", "k_idx", "tags_idx"
    }


@pytest.mark.parametrize("writer", WRITERS)
def test_segments_through_compactions_and_refreshes(tmp_path, writer):
    """V4, number by number; the zonemap is not trained at first."""
    uri = str(tmp_path / "t")
    lance.write_dataset(rows(0, 1500), uri, max_rows_per_file=500)
    dataset = WRITERS[writer].dataset(uri)
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_scalar_index("k", "BITMAP")
    dataset.create_scalar_index("f", "ZONEMAP", train=False)
    version = dataset.version

    compact(writer, uri)
    optimize(writer, uri)
    assert (live(uri), lance.dataset(uri).version) == ([3], version + 3)
    read = lance_cpp.dataset(uri).read_transaction
    (group,) = read(version + 2).operation.groups
    old, new = group.old_fragments, group.new_fragments
    assert ([old_.id for old_ in old], [new_.id for new_ in new]) == ([0, 1, 2], [3])
    refreshed = read(version + 3).operation
    (before,), (after,) = refreshed.removed_indices, refreshed.new_indices
    assert (before.name, before.fragment_ids, after.fragment_ids) == ("f_idx", [], [3])
    assert segments(uri) == {"f_idx": [3], "id_idx": [3], "k_idx": [3]}
    lance.dataset(uri).update({"f": "-1.0"}, where="id = 77")
    assert live(uri) == [3, 4]
    assert segments(uri) == {"f_idx": [3], "id_idx": [3], "k_idx": [3]}

    lance.dataset(uri).delete("id % 8 = 1")
    lance.write_dataset(rows(1500, 1), uri, mode="append")
    compact(writer, uri)
    assert live(uri) == [6, 7], "what is covered and what is not are compacted apart"
    covered = segments(uri)
    assert (covered["id_idx"], covered["k_idx"]) == ([6], [6])
    optimize(writer, uri)
    assert segments(uri) == {"f_idx": [6, 7], "id_idx": [6, 7], "k_idx": [6, 7]}
    check(uri)


@pytest.mark.parametrize("others", WRITERS)
def test_indices_stay_right_through_a_life_of_a_table(tmp_path, others):
    uri = make(str(tmp_path / "t"))
    lance.dataset(uri).delete("id % 10 = 3")
    compact("ours", uri)
    optimize(others, uri)
    check(uri)
    WRITERS[others].dataset(uri).update({"f": "-1.0"}, where="id = 77")
    WRITERS[others].dataset(uri).delete("id % 8 = 1")
    compact("ours", uri)
    check(uri)
    optimize("ours", uri)
    WRITERS[others].write_dataset(rows(1500, 200), uri, mode="append")
    compact(others, uri)
    check(uri)
    optimize(others, uri)
    compact("ours", uri)
    compact(others, uri)
    check(uri)
    covered = segments(uri)
    assert all(set(live(uri)) <= set(covered[name]) for name in ("id_idx", "k_idx", "tags_idx"))


def test_fragments_that_different_segments_cover_are_not_merged(tmp_path):
    uri = make(str(tmp_path / "t"))
    lance.write_dataset(rows(1500, 100), uri, mode="append")
    lance.write_dataset(rows(1600, 100), uri, mode="append")
    plans = [
        lance.optimize.Compaction.plan(lance.dataset(uri), {}),
        lance_cpp.optimize.Compaction.plan(lance_cpp.dataset(uri)),
    ]
    tasks = [[[f.id for f in task.fragments] for task in plan.tasks] for plan in plans]
    assert tasks == [[[0, 1, 2], [3, 4]]] * 2
    compact("ours", uri)
    check(uri)


# V5c: stable row ids.


@pytest.mark.parametrize("others", WRITERS)
def test_with_stable_row_ids_only_addresses_are_written_again(tmp_path, others):
    uri = make(str(tmp_path / "t"), stable=True, maker=WRITERS[others])
    before = uuids(uri)
    lance.dataset(uri).delete("id % 10 = 3")
    compact("ours", uri)
    check(uri)
    after = uuids(uri)
    assert {name for name in before if before[name] != after[name]} == {"id_idx"}
    assert segments(uri) == {"id_idx": [3], "k_idx": [3], "tags_idx": [3], "f_idx": []}
    optimize(others, uri)
    lance.dataset(uri).update({"f": "-1.0"}, where="id = 77")
    WRITERS[others].dataset(uri).update({"k": "6"}, where="id = 78")
    check(uri)
    lance.write_dataset(rows(1500, 200), uri, mode="append")
    optimize("ours", uri)
    check(uri)
    compact("ours", uri)
    check(uri)
    compact(others, uri, target_rows_per_fragment=400)
    optimize(others, uri)
    check(uri)


# V5d, V5e: rows in another order.


@pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable"])
@pytest.mark.parametrize("maker", WRITERS)
def test_clustering_moves_indices_along(tmp_path, stable, maker):
    uri = make(str(tmp_path / "t"), stable=stable, maker=WRITERS[maker])
    lance.dataset(uri).delete("id % 10 = 3")
    dataset = lance_cpp.dataset(uri)
    dataset.set_clustering(["f"])
    result = dataset.optimize.compact_files(target_rows_per_fragment=400)
    check(uri)
    new = live(uri)
    covered = segments(uri)
    assert [covered[name] for name in ("id_idx", "k_idx", "tags_idx", "f_idx")] == [new] * 4
    assert result.uncovered_indices == []
    assert rows_read(uri, "id = 77") == 1
    lance_cpp.write_dataset(rows(1500, 300), uri, mode="append")
    lance_cpp.dataset(uri).delete("k = 5 AND id > 1000")
    lance_cpp.dataset(uri).optimize.compact_files(full=True)
    check(uri)
    optimize("ours", uri)
    check(uri)
    lance_cpp.dataset(uri).clear_clustering()
    lance_cpp.dataset(uri).delete("id % 6 = 1")
    compact("ours", uri)
    check(uri)


def test_clustering_does_not_mix_what_is_indexed_with_what_is_not(tmp_path):
    uri = make(str(tmp_path / "t"))
    lance.write_dataset(rows(1500, 300), uri, mode="append")
    dataset = lance_cpp.dataset(uri)
    dataset.set_clustering(["f"])
    plan = dataset.optimize.plan_clustering()
    assert [task.source_fragment_ids for task in plan.tasks] == [[0, 1, 2], [3]]
    dataset.optimize.compact_files()
    check(uri)


def test_a_strict_policy_refuses_to_uncover_an_index(tmp_path):
    uri = str(tmp_path / "t")
    dataset = lance.write_dataset(rows(0, 300), uri, max_rows_per_file=100)
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_scalar_index("k", "BLOOMFILTER")
    ours = lance_cpp.dataset(uri)
    ours.set_clustering(["f"])
    version = ours.version
    with pytest.raises(InvalidError, match="k_idx.*index_policy keep"):
        ours.optimize.compact_files(index_policy="strict")
    assert lance_cpp.dataset(uri).version == version
    kept = ours.optimize.compact_files()
    assert [index["name"] for index in kept.uncovered_indices] == ["k_idx"]
    check(uri, [condition for condition in FILTERS if "tags" not in condition])
    ours.drop_index("k_idx")
    ours.optimize.compact_files(index_policy="strict", full=True)
    check(uri, [condition for condition in FILTERS if "tags" not in condition])


# Deferred.


@pytest.mark.parametrize("second", WRITERS)
@pytest.mark.parametrize("first", WRITERS)
def test_what_was_deferred_is_read_by_both(tmp_path, first, second):
    uri = make(str(tmp_path / "t"))
    before = uuids(uri)
    lance.dataset(uri).delete("id % 10 = 3")
    compact(first, uri, defer_index_remap=True)
    check(uri)
    assert rows_read(uri, "id = 77") == 1
    assert {name: uuid for name, uuid in uuids(uri).items() if name != REUSE} == before
    assert segments(uri) == {name: [3] for name in (*before, REUSE)}
    lance.dataset(uri).delete("id % 8 = 1")
    lance.write_dataset(rows(1500, 100), uri, mode="append")
    compact(second, uri, defer_index_remap=True)
    check(uri)
    assert rows_read(uri, "id = 77") == 1 + 100, "nobody indexed what was appended"
    optimize(second, uri)
    check(uri)
    assert rows_read(uri, "id = 77") == 1


def test_an_ordinary_compaction_goes_through_what_was_deferred(tmp_path):
    """8.1, 10a: rows that came through the record are not lost."""
    uri = make(str(tmp_path / "t"))
    lance.dataset(uri).delete("id % 10 = 3")
    compact("theirs", uri, defer_index_remap=True)
    lance.dataset(uri).delete("id % 8 = 1")
    compact("ours", uri)
    check(uri)
    assert segments(uri)["id_idx"] == live(uri)
    lance.dataset(uri).delete("id % 9 = 1")
    compact("ours", uri, defer_index_remap=True)
    compact("theirs", uri, defer_index_remap=True, target_rows_per_fragment=300)
    check(uri)
    lance_cpp.dataset(uri).set_clustering(["f"])
    lance_cpp.dataset(uri).optimize.compact_files(target_rows_per_fragment=300)
    check(uri)


@pytest.mark.parametrize("first", WRITERS)
def test_optimize_catches_up_and_forgets_what_nobody_needs(tmp_path, first):
    uri = make(str(tmp_path / "t"))
    lance.dataset(uri).delete("id % 10 = 3")
    compact(first, uri, defer_index_remap=True)
    optimize("ours", uri)
    check(uri)
    assert rows_read(uri, "id = 77") == 1
    addresses = pa.array([0, 3, 4, (2 << 32) + 7], pa.uint64())
    # The reference reads the entry, and there is nothing in it any more.
    assert lance.dataset(uri).remap_row_addrs(addresses).equals(addresses)
    # So that even the reference may now compact at once without losing rows.
    lance.dataset(uri).delete("id % 8 = 1")
    compact("theirs", uri)
    check(uri)
    version = lance_cpp.dataset(uri).version
    optimize("ours", uri)
    optimize("ours", uri)
    assert lance_cpp.dataset(uri).version <= version + 1


def test_values_that_change_under_a_record_are_uncovered(tmp_path):
    """Coverage moves through the record before a change takes fragments out of it."""
    uri = make(str(tmp_path / "t"))
    lance.dataset(uri).delete("id % 10 = 3")
    compact("theirs", uri, defer_index_remap=True)
    source = pa.table({"id": pa.array([77, 78], pa.int64()), "k": pa.array([4, 4], pa.int32())})
    lance_cpp.dataset(uri).merge_insert("id").when_matched_update_all().execute(source)
    check(uri)
    lance_cpp.dataset(uri).update({"k": "1"}, where="id < 20")
    check(uri)
    optimize("ours", uri)
    check(uri)


def test_a_large_record_is_a_file(tmp_path):
    uri = str(tmp_path / "t")
    ids = np.arange(2_000_000)
    table = pa.table({"id": ids})
    dataset = lance.write_dataset(table, uri, max_rows_per_file=400_000)
    dataset.create_scalar_index("id", "BTREE")
    dataset.delete("(id * 2654435761) % 1000 < 300")
    compact("ours", uri, defer_index_remap=True)
    files = [name for _, _, names in os.walk(uri) for name in names if name == "details.binpb"]
    assert files == ["details.binpb"]
    check(uri, ["id = 777777", "id > 1999000", "id = 333"])
    lance_cpp.dataset(uri).cleanup_old_versions(older_than=None, delete_unverified=True)
    check(uri, ["id = 777777", "id > 1999000", "id = 333"])


def test_rows_of_stable_ids_are_not_deferred(tmp_path):
    uri = make(str(tmp_path / "t"), stable=True)
    with pytest.raises(UnsupportedError, match="defer_index_remap is true"):
        compact("ours", uri, defer_index_remap=True)
    dataset = lance_cpp.dataset(uri)
    dataset.set_clustering(["f"])
    with pytest.raises(InvalidError, match="defer_index_remap"):
        dataset.optimize.compact_files(defer_index_remap=True)


# Commits of others in between.


@pytest.mark.parametrize("defer", [False, True], ids=["at once", "deferred"])
def test_an_index_that_is_built_meanwhile_is_not_lost(tmp_path, defer):
    uri = make(str(tmp_path / "t"))
    plan = lance_cpp.optimize.Compaction.plan(
        lance_cpp.dataset(uri), {"defer_index_remap": defer}
    )
    results = [task.execute(lance_cpp.dataset(uri)) for task in plan.tasks]
    lance.dataset(uri).create_scalar_index("k", "BTREE", name="late")
    with pytest.raises(lance_cpp.errors.CommitConflictError):
        lance_cpp.optimize.Compaction.commit(lance_cpp.dataset(uri), results)
    check(uri)
    compact("ours", uri, defer_index_remap=defer)
    check(uri)
    assert segments(uri)["late"] == live(uri)


def test_an_index_that_is_dropped_meanwhile_stays_away(tmp_path):
    uri = make(str(tmp_path / "t"))
    plan = lance_cpp.optimize.Compaction.plan(lance_cpp.dataset(uri))
    results = [task.execute(lance_cpp.dataset(uri)) for task in plan.tasks]
    lance.dataset(uri).drop_index("k_idx")
    lance_cpp.optimize.Compaction.commit(lance_cpp.dataset(uri), results)
    assert set(segments(uri)) == {"id_idx", "tags_idx", "f_idx"}
    check(uri)


# Walks.


class Walk:
    """Random steps on one table; after each, all filters are checked."""

    def __init__(self, uri, seed):
        self.random = random.Random(seed)
        self.stable = self.random.random() < 0.4
        self.uri = make(
            uri, stable=self.stable, maker=self.random.choice([*WRITERS.values()]), size=120
        )
        self.next_id = 360
        self.steps = []
        self.is_ours = False  # the reference does not write a table that was clustered

    def writer(self):
        return "ours" if self.is_ours else self.random.choice([*WRITERS])

    def has_record(self):
        return REUSE in segments(self.uri)

    def delete(self):
        modulus = self.random.randint(3, 12)
        rest = self.random.randrange(modulus)
        WRITERS[self.writer()].dataset(self.uri).delete(f"id % {modulus} = {rest}")

    def update(self):
        first = self.random.randrange(self.next_id)
        column = self.random.choice(["k", "f"])
        WRITERS[self.writer()].dataset(self.uri).update(
            {column: "2"}, where=f"id >= {first} AND id < {first + 20}"
        )

    def append(self):
        count = self.random.randint(5, 60)
        WRITERS[self.writer()].write_dataset(rows(self.next_id, count), self.uri, mode="append")
        self.next_id += count

    def compact(self):
        writer = self.writer()
        defer = not self.stable and self.random.random() < 0.4
        if writer == "theirs" and self.has_record():
            defer = True  # 8.1, 10a: it would lose rows
        target = self.random.choice([40, 150, 10_000])
        compact(writer, self.uri, defer_index_remap=defer, target_rows_per_fragment=target)
        return writer, defer, target

    def optimize(self):
        writer = self.writer()
        optimize(writer, self.uri)
        return writer

    def cluster(self):
        self.is_ours = True
        dataset = lance_cpp.dataset(self.uri)
        dataset.set_clustering([self.random.choice(["f", "k"])])
        dataset.optimize.compact_files(full=self.random.random() < 0.5, target_rows_per_fragment=70)
        dataset.clear_clustering()

    def step(self):
        kinds = ["delete", "update", "append", "compact", "compact", "optimize"]
        kind = "cluster" if self.random.random() < 0.08 else self.random.choice(kinds)
        self.steps.append((kind, getattr(self, kind)()))
        check(self.uri)


SEED = int(os.environ.get("LANCE_TEST_SEED", "1"))


@pytest.mark.parametrize("seed", range(SEED, SEED + (60 if IS_LONG else 3)))
def test_random_walks(tmp_path, seed):
    walk = Walk(str(tmp_path / "t"), seed)
    try:
        for _ in range(14 if IS_LONG else 6):
            walk.step()
    except BaseException:
        print("seed", seed, "stable", walk.stable, "steps", walk.steps)
        raise
