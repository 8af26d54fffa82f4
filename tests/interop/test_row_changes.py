"""Deletes, updates and merges of ours and of the reference: each reads what the other did."""

import datetime
import math

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import IS_LONG, assert_same_rows, rng_of

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("k", pa.int32()),
        ("s", pa.utf8()),
        ("f", pa.float64()),
        ("d", pa.date32()),
        ("st", pa.struct([("a", pa.int32()), ("b", pa.utf8())])),
        ("li", pa.list_(pa.int32())),
    ]
)
WORDS = [None, "", "a", "w5", "it's", "\u4e2d"]
FLOATS = [None, 0.0, -0.0, 1.5, math.inf, -1.0]


def rows_of(rng, ids):
    def one(id_):
        return {
            "id": id_,
            "k": rng.choice([None, *range(8)]),
            "s": rng.choice(WORDS),
            "f": rng.choice(FLOATS),
            "d": rng.choice([None, datetime.date(2020, 1, 31), datetime.date(1969, 12, 31)]),
            "st": rng.choice([None, {"a": rng.randint(0, 9), "b": rng.choice(WORDS)}]),
            "li": rng.choice([None, [], [1, None], [rng.randint(0, 9)] * 3]),
        }

    return pa.Table.from_pylist([one(id_) for id_ in ids], schema=SCHEMA)


def twins(folder, table, rows_per_file=50):
    """The same rows in a table of ours and in one of the reference."""
    ours = lance_cpp.write_dataset(table, folder / "ours.lance", max_rows_per_file=rows_per_file)
    theirs = lance.write_dataset(
        table, folder / "theirs.lance", max_rows_per_file=rows_per_file, data_storage_version="2.1"
    )
    return ours, theirs


def assert_reads_alike(ours):
    """The reference finds the table valid and reads what we read, in our order."""
    reference = lance.dataset(ours.uri)
    reference.validate()
    assert reference.version == ours.version
    assert reference.to_table().to_pylist() == ours.to_table().to_pylist()
    assert reference.count_rows() == ours.count_rows()
    deleted = [fragment.num_deletions for fragment in reference.get_fragments()]
    assert sum(deleted) == sum(
        fragment.physical_rows - fragment.count_rows() for fragment in reference.get_fragments()
    )


DELETES = [
    "id = 7", "id < 60", "k IS NULL", "k > 3 AND s LIKE 'w%'", "st.a > 4", "f = 0", "id % 3 = 1",
    "lower(s) = 'w5' OR li IS NULL", "true", "false", "id > 1000", "_rowaddr = 4294967297",
    "d < DATE '1970-01-01'", "li[1] = 1", "NOT (k BETWEEN 2 AND 5)",
]


@pytest.mark.parametrize("filter_", DELETES)
def test_deletes_what_the_reference_deletes(filter_, tmp_path):
    ours, theirs = twins(tmp_path, rows_of(rng_of("delete"), range(180)))

    assert ours.delete(filter_) == theirs.delete(filter_)

    assert_same_rows(ours.to_table(), theirs.to_table())
    assert_reads_alike(ours)


UPDATES = [
    ({"k": "k + 1"}, "k IS NOT NULL"),
    ({"k": "0"}, "k IS NULL"),
    ({"s": "upper(s) || '-' || k", "f": "k / 2"}, "id < 90"),
    ({"s": "NULL"}, None),
    ({"f": "CAST(id AS double) * 1.5"}, "st.a > 3"),
    ({"k": "st.a"}, "st IS NOT NULL"),
    ({"k": "CAST(f AS int)"}, "f = 1.5"),
    ({"st": "NULL"}, "id % 2 = 0"),
    ({"li": "li"}, "id = 3"),
    ({"d": "DATE '2024-02-29'"}, "true"),
    ({"id": "id + 1000"}, "id > 100"),
    ({"k": "id"}, "id < 10"),
    ({"f": "7"}, "false"),
    ({"k": "'5'"}, "id < 9"),
    ({"k": "1.5"}, "id < 9"),
    ({"k": "-k * 2 % 5"}, None),
]


@pytest.mark.parametrize(("updates", "where"), UPDATES)
def test_updates_what_the_reference_updates(updates, where, tmp_path):
    ours, theirs = twins(tmp_path, rows_of(rng_of("update"), range(180)))

    assert ours.update(updates, where) == theirs.update(updates, where)

    assert_same_rows(ours.to_table(), theirs.to_table())
    assert_reads_alike(ours)


REFUSED_UPDATES = [
    ({"nope": "1"}, None), ({}, None), ({"st.a": "1"}, None), ({"k": "'x'"}, None),
    ({"k": "300000000000"}, None), ({"k": "s"}, "s = 'w5'"),
    ({"k": "id / 0"}, None), ({"k": "nope"}, None),
    ({"k": "CAST(f AS int)"}, "f > 100"), ({"s": "1"}, "nope = 1"),
]


@pytest.mark.parametrize(("updates", "where"), REFUSED_UPDATES)
def test_refuses_the_updates_that_the_reference_refuses(updates, where, tmp_path):
    ours, theirs = twins(tmp_path, rows_of(rng_of("refused"), range(60)))
    before = ours.to_table()

    for dataset in [ours, theirs]:
        with pytest.raises((ValueError, OSError, NotImplementedError)):
            dataset.update(updates, where)

    assert lance_cpp.dataset(ours.uri).version == 1
    assert lance_cpp.dataset(ours.uri).to_table().equals(before)


MERGES = {
    "upsert": lambda b: b.when_matched_update_all().when_not_matched_insert_all(),
    "insert": lambda b: b.when_not_matched_insert_all(),
    "update": lambda b: b.when_matched_update_all(),
    "condition": lambda b: b.when_matched_update_all(
        "source.k > target.k OR target.s IS NULL"
    ).when_not_matched_insert_all(),
    "delete": lambda b: b.when_matched_delete(),
    "delete and insert": lambda b: b.when_matched_delete().when_not_matched_insert_all(),
    "mirror": lambda b: b.when_matched_update_all()
    .when_not_matched_insert_all()
    .when_not_matched_by_source_delete(),
    "replace part": lambda b: b.when_matched_update_all()
    .when_not_matched_insert_all()
    .when_not_matched_by_source_delete("id < 20"),
    "only by source": lambda b: b.when_not_matched_by_source_delete(),
}


@pytest.mark.parametrize("name", MERGES)
def test_merges_what_the_reference_merges(name, tmp_path):
    rng = rng_of("merge")
    ours, theirs = twins(tmp_path, rows_of(rng, range(180)))
    source = rows_of(rng, rng.sample(range(100, 260), 90))

    found = MERGES[name](ours.merge_insert("id")).execute(source)
    expected = MERGES[name](theirs.merge_insert("id")).execute(source)

    assert found == {count: expected[count] for count in found}
    assert_same_rows(ours.to_table(), theirs.to_table())
    assert_reads_alike(ours)


KEYS = {
    "two": (["k", "s"], None),
    "text": (["s"], None),
    "float": (["f"], None),
    "date": (["d"], None),
    "struct": (["st"], None),
    "list": (["li"], None),
    "other case": (["ID"], None),
    "nulls": (["k"], None),
}


@pytest.mark.parametrize("name", KEYS)
def test_merges_by_keys_of_any_type(name, tmp_path):
    rng = rng_of("keys")
    on, _ = KEYS[name]
    ours, theirs = twins(tmp_path, rows_of(rng, range(60)))
    # Each key once, so that no row of the table matches two of the source.
    names = [SCHEMA.names[[n.lower() for n in SCHEMA.names].index(key.lower())] for key in on]
    seen, rows = set(), []
    for row in rows_of(rng, range(30, 90)).to_pylist():
        key = repr([row[n] for n in names])
        if key not in seen:
            seen.add(key)
            rows.append(row)
    source = pa.Table.from_pylist(rows, schema=SCHEMA)

    found = MERGES["upsert"](ours.merge_insert(on)).execute(source)
    expected = MERGES["upsert"](theirs.merge_insert(on)).execute(source)

    assert found == {count: expected[count] for count in found}
    order = [("id", "ascending"), ("k", "ascending"), ("s", "ascending")]
    found, expected = (d.to_table().sort_by(order) for d in [ours, theirs])
    assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, expected.to_pylist()))
    assert_reads_alike(ours)


def refused_merges():
    row = {"id": 5, "k": 1, "s": "a", "f": 1.0, "d": None, "st": None, "li": None}
    one = pa.Table.from_pylist([row], schema=SCHEMA)
    two = pa.concat_tables([one, one])
    extra = one.append_column("zz", pa.array([1]))
    typed = one.set_column(0, "id", pa.array([5], pa.int32()))
    return {
        "two rows for one": ("id", two, MERGES["upsert"]),
        "two deletes for one": ("id", two, MERGES["delete"]),
        "a match": ("id", one, lambda b: b.when_matched_fail()),
        "no clause": ("id", one, lambda b: b),
        "unknown key": ("nope", one, MERGES["upsert"]),
        "no key": ([], one, MERGES["upsert"]),
        "key is not in the source": ("id", one.drop_columns("id"), MERGES["upsert"]),
        "more columns": ("id", extra, MERGES["upsert"]),
        "another type": ("id", typed, MERGES["upsert"]),
        "unknown field": ("id", one, lambda b: b.when_matched_update_all("source.zz > 1")),
        "no condition": ("id", one, lambda b: b.when_matched_update_all("source.k")),
    }


@pytest.mark.parametrize("name", refused_merges())
def test_refuses_the_merges_that_the_reference_refuses(name, tmp_path):
    ours, theirs = twins(tmp_path, rows_of(rng_of("refused"), range(60)))
    on, source, clauses = refused_merges()[name]

    for dataset in [ours, theirs]:
        with pytest.raises((ValueError, OSError, LookupError)):
            clauses(dataset.merge_insert(on)).execute(source)

    assert lance_cpp.dataset(ours.uri).version == 1


def test_updates_and_inserts_rows_with_some_columns(tmp_path):
    ours, theirs = twins(tmp_path, rows_of(rng_of("some"), range(60)))
    source = pa.table({"k": pa.array([1, 2], pa.int32()), "id": pa.array([3, 99], pa.int64())})

    found = MERGES["upsert"](ours.merge_insert("id")).execute(source)
    MERGES["upsert"](theirs.merge_insert("id")).execute(source)

    assert found == {"num_inserted_rows": 1, "num_updated_rows": 1, "num_deleted_rows": 0}
    assert_same_rows(ours.to_table(), theirs.to_table())


def test_makes_no_version_when_nothing_changes(tmp_path):
    ours, _ = twins(tmp_path, rows_of(rng_of("nothing"), range(60)))

    ours.delete("id > 1000")
    ours.update({"k": "1"}, "id > 1000")
    ours.merge_insert("id").when_matched_delete().execute(rows_of(rng_of("none"), [2000]))

    assert lance_cpp.dataset(ours.uri).version == 1


@pytest.mark.parametrize("rows", [4999, 5000, 5001])
def test_writes_the_deletion_file_that_fits(rows, tmp_path):
    table = pa.table({"id": pa.array(range(9000), pa.int64())})
    ours = lance_cpp.write_dataset(table, tmp_path / "t.lance")

    ours.delete(f"id < {rows}")

    files = [path.suffix for path in (tmp_path / "t.lance" / "_deletions").iterdir()]
    assert files == [".arrow" if rows < 5000 else ".bin"]
    assert_reads_alike(ours)
    ours.delete(f"id = {rows}")
    assert ours.count_rows() == 9000 - rows - 1
    assert_reads_alike(ours)


def random_change(rng, dataset, next_id):
    """One change through either module; ids are never used twice."""
    kind = rng.randint(0, 4)
    key = rng.randint(0, next_id)
    if kind == 0:
        dataset.delete(f"id BETWEEN {key} AND {key + 5}")
    elif kind == 1:
        dataset.update({"k": "k + 1", "s": "'u'"}, f"id % 7 = {rng.randint(0, 6)}")
    elif kind == 2:
        dataset.insert(rows_of(rng, range(next_id, next_id + 10)))
    elif kind == 3:
        ids = rng.sample(range(next_id + 5), 8)
        MERGES["upsert"](dataset.merge_insert("id")).execute(rows_of(rng, ids))
    else:
        dataset.delete("k IS NULL")
    return next_id + 10


@pytest.mark.parametrize("seed", range(100 if IS_LONG else 3))
def test_two_writers_take_turns(seed, tmp_path):
    """Chains of changes by both, in turns, equal the same changes by the reference alone."""
    ours, alone = twins(tmp_path, rows_of(rng_of("turns"), range(60)), rows_per_file=25)
    rngs = [rng_of(f"turns{seed}") for _ in range(2)]
    next_id = 60
    for _ in range(50 if IS_LONG else 15):
        who = [lance_cpp, lance][rngs[0].randint(0, 1)]
        rngs[1].randint(0, 1)
        random_change(rngs[0], who.dataset(ours.uri), next_id)
        next_id = random_change(rngs[1], alone, next_id)
        assert_reads_alike(lance_cpp.dataset(ours.uri))
        assert_same_rows(lance_cpp.dataset(ours.uri).to_table(), alone.to_table())


def test_reads_what_the_reference_deleted(tmp_path):
    """B098, B102, B107: limits, offsets, takes and counts over deleted rows."""
    ids = pa.table({"id": pa.array(range(5000), pa.int64())})
    for rows_per_file in [5000, 1000]:
        uri = str(tmp_path / f"{rows_per_file}.lance")
        lance.write_dataset(ids, uri, max_rows_per_file=rows_per_file, data_storage_version="2.1")
        lance.dataset(uri).delete("id % 5 = 0")
        ours = lance_cpp.dataset(uri)

        def page(offset, dataset=ours):
            return dataset.to_table(offset=offset, limit=10)["id"].to_pylist()

        assert page(2000) == [2501, 2502, 2503, 2504, 2506, 2507, 2508, 2509, 2511, 2512]
        assert page(3995) == [4994, 4996, 4997, 4998, 4999]
        assert page(4000) == []
        assert ours.take([2000, 0])["id"].to_pylist() == [2501, 1]
        assert (ours.count_rows(), ours.count_rows("id >= 2500")) == (4000, 2000)


def test_a_fragment_with_deleted_rows_is_not_empty_yet(tmp_path):
    """B102"""
    ours = lance_cpp.write_dataset(pa.table({"id": range(10)}), tmp_path / "t.lance")

    ours.delete("id < 4")
    ours.delete("id IN (4, 5, 6)")
    assert ours.to_table()["id"].to_pylist() == [7, 8, 9]
    reference = lance.dataset(ours.uri)
    reference.optimize.compact_files()
    ours.checkout_latest()
    assert ours.to_table()["id"].to_pylist() == [7, 8, 9]
    ours.delete("true")
    assert ours.count_rows() == 0
    assert lance.dataset(ours.uri).get_fragments() == []


def test_a_delete_by_row_address_touches_one_fragment(tmp_path):
    """B100"""
    uri = tmp_path / "t.lance"
    ours = lance_cpp.write_dataset(pa.table({"id": [7, 8, 9]}), uri, max_rows_per_file=1)

    ours.delete("_rowaddr = 0")
    assert ours.to_table()["id"].to_pylist() == [8, 9]
    ours.delete("_rowaddr = 8589934592")
    assert ours.to_table()["id"].to_pylist() == [8]
    assert [f.fragment_id for f in lance.dataset(ours.uri).get_fragments()] == [1]


def test_limits_count_rows_that_pass(tmp_path):
    """B104"""
    text = [f"ab-yz-{i}" if 5 <= i <= 8 else "zzz" for i in range(10)]
    table = pa.table({"id": range(10), "s": text})
    ours = lance_cpp.write_dataset(table, tmp_path / "t.lance")

    def page(**bounds):
        return ours.to_table(filter="s LIKE 'ab%yz%'", **bounds)["id"].to_pylist()

    assert page(limit=3) == [5, 6, 7]
    assert page(limit=3, offset=2) == [7, 8]
    assert page(limit=100) == [5, 6, 7, 8]


def test_counts_live_rows(tmp_path):
    """B107"""
    table = pa.table({"id": range(10)})
    ours = lance_cpp.write_dataset(table, tmp_path / "t.lance", max_rows_per_file=5)
    ours.delete("id IN (0, 5, 9)")

    assert ours.count_rows() == 7
    assert ours.count_rows("id >= 5") == 3
    assert ours.to_table(columns=["_rowid"]).num_rows == 7
