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


INNER = pa.struct([("a", pa.int64()), ("b", pa.string())])
OUTER = pa.struct([("x", pa.int64()), ("y", pa.float64()), ("n", INNER)])
NESTED = [
    {"x": 1, "y": 1.5, "n": {"a": 1, "b": "one"}},
    {"x": 2, "y": None, "n": None},
    {"x": 3, "y": 3.5, "n": {"a": 3, "b": None}},
    None,
]


@pytest.mark.parametrize(
    "given, type_",
    [
        ([{"x": 22}, None, {"x": None}, {"x": 5}, {"x": 9}], pa.struct([("x", pa.int64())])),
        (
            [{"n": {"b": "z"}}, {"n": {"b": None}}, {"n": None}, None, {"n": {"b": "new"}}],
            pa.struct([("n", pa.struct([("b", pa.string())]))]),
        ),
        (
            [{"y": 7.0, "x": 7}, {"y": 1.0, "x": None}, None, {"y": 0.0}, {"y": 2.0, "x": 1}],
            pa.struct([("y", pa.float64()), ("x", pa.int64())]),
        ),
        ([*NESTED[::-1], {"x": 0, "y": 0.0, "n": None}], OUTER),
    ],
    ids=["one member", "a member of a member", "two in another order", "all"],
)
@pytest.mark.parametrize("has_all_columns", [False, True])
def test_a_merge_keeps_the_members_that_its_source_lacks(given, type_, has_all_columns, tmp_path):
    table = pa.table({"id": range(4), "st": pa.array(NESTED, OUTER), "z": [0, 10, 20, 30]})
    source = pa.table({"id": [0, 1, 2, 3, 7], "st": pa.array(given, type_)})
    if has_all_columns:
        source = source.append_column("z", pa.array([5, 6, 7, 8, 9]))
    found = []
    for module in (lance_cpp, lance):
        uri = str(tmp_path / module.__name__)
        ds = module.write_dataset(table, uri)
        merge = ds.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        merge.execute(source)
        assert lance.dataset(uri).to_table() == lance_cpp.dataset(uri).to_table()
        found.append(sorted(lance.dataset(uri).to_table().to_pylist(), key=lambda row: row["id"]))
    assert found[0] == found[1]
