"""Tables with stable row ids: chains of changes by us and by the reference, in one process.

After every change both tell the same ids and versions of all rows, ids are unique, and a row that
stays keeps its id and the version in which it was created.
"""

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import IS_LONG, rng_of, run

WRITERS = [lance_cpp, lance]
CHAINS = range(40 if IS_LONG else 4)
STEPS = 30 if IS_LONG else 10
LINEAGE = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]


def rows(keys, offset=0):
    keys = list(keys)
    return pa.table({"k": keys, "v": [key + offset for key in keys]})


def create(writer, uri, table, **options):
    writer.write_dataset(table, uri, enable_stable_row_ids=True, max_rows_per_file=20, **options)


def lineage_of(reader, uri):
    """Key, value, id and versions of all rows, by key."""
    table = reader.dataset(uri).to_table(columns=["k", "v", *LINEAGE])
    assert [table.schema.field(name).type for name in LINEAGE] == [pa.uint64()] * 3
    return sorted(zip(*(table[name].to_pylist() for name in table.column_names)))


def check(uri):
    """Both readers agree. \\return id and version of creation by key"""
    ours, theirs = lineage_of(lance_cpp, uri), lineage_of(lance, uri)
    assert ours == theirs
    lance.dataset(uri).validate()
    ids = [row[2] for row in ours]
    assert len(set(ids)) == len(ids)
    wanted = ids[::7]
    by_id = {row[2]: row[:2] for row in ours}
    taken = lance_cpp.dataset(uri)._take_rows(wanted, columns=["k", "v"])
    assert list(zip(*taken.to_pydict().values())) == [by_id[row_id] for row_id in wanted]
    assert taken.equals(lance.dataset(uri)._take_rows(wanted, columns=["k", "v"]))
    return {row[0]: (row[2], row[3]) for row in ours}


class Changes:
    """Random changes of the rows of a table."""

    def __init__(self, rng, uri):
        self.rng = rng
        self.uri = uri
        self.next_key = 60
        self.columns = 0

    def append(self, writer):
        count = self.rng.randrange(1, 30)
        table = rows(range(self.next_key, self.next_key + count))
        for i in range(self.columns):
            table = table.append_column(f"c{i}", pa.nulls(count, pa.int64()))
        writer.write_dataset(table, self.uri, mode="append")
        self.next_key += count

    def delete(self, writer):
        writer.dataset(self.uri).delete(f"k % {self.rng.randrange(5, 12)} = 3")

    def update(self, writer):
        where = f"k % {self.rng.randrange(2, 6)} = 1"
        writer.dataset(self.uri).update({"v": "v + 1000"}, where=where)

    def merge(self, writer):
        first = self.rng.randrange(self.next_key)
        source = rows(range(first, first + 20), 7)
        for i in range(self.columns):
            source = source.append_column(f"c{i}", pa.nulls(20, pa.int64()))
        merge = writer.dataset(self.uri).merge_insert("k")
        merge.when_matched_update_all().when_not_matched_insert_all().execute(source)
        self.next_key = max(self.next_key, first + 20)

    def insert(self, writer):
        source = rows(range(self.next_key - 3, self.next_key + 3))
        for i in range(self.columns):
            source = source.append_column(f"c{i}", pa.nulls(6, pa.int64()))
        writer.dataset(self.uri).merge_insert("k").when_not_matched_insert_all().execute(source)
        self.next_key += 3

    def add_column(self, writer):
        writer.dataset(self.uri).add_columns({f"c{self.columns}": "v * 2"})
        self.columns += 1

    def cast(self, writer):
        for type_ in (pa.int32(), pa.int64()):
            writer.dataset(self.uri).alter_columns({"path": "v", "data_type": type_})

    def config(self, writer):
        writer.dataset(self.uri).update_config({"note": str(self.rng.random())})

    def compact(self, _):
        lance.dataset(self.uri).optimize.compact_files()


def spill_into_columns(uri):
    """From now on the reference puts sequences into hidden columns."""
    config = {"lance.row_lineage.spill": "true", "lance.row_lineage.inline_max_bytes": "1"}
    lance.dataset(uri).update_config(config)


@pytest.mark.parametrize("number", CHAINS)
def test_chains_of_changes_keep_the_lineage_of_rows(number, tmp_path):
    rng = rng_of("row ids", number)
    uri = str(tmp_path / "t")
    options = {
        "data_storage_version": rng.choice(["2.0", "2.1", "2.2"]),
        "enable_v2_manifest_paths": rng.random() < 0.5,
    }
    create(rng.choice(WRITERS), uri, rows(range(60)), **options)
    if number % 2 == 1:
        spill_into_columns(uri)
    changes = Changes(rng, uri)
    steps = [name for name in vars(Changes) if not name.startswith("_")]
    before = check(uri)
    for _ in range(STEPS):
        getattr(changes, rng.choice(steps))(rng.choice(WRITERS))
        after = check(uri)
        # A key that was deleted and came again is a new row.
        for key in before.keys() & after.keys():
            assert after[key][0] == before[key][0] or after[key][0] not in {
                row_id for row_id, _ in before.values()
            }
            if after[key][0] == before[key][0]:
                assert after[key][1] == before[key][1]
        before = after


@pytest.mark.parametrize("is_spilled", [False, True], ids=["inline", "in_columns"])
@pytest.mark.parametrize("creator", WRITERS, ids=lambda module: module.__name__)
def test_optimize_keeps_the_lineage_of_rows(creator, is_spilled, tmp_path):
    uri = str(tmp_path / "t")
    create(creator, uri, rows([(i * 37) % 100 for i in range(100)]))
    if is_spilled:
        spill_into_columns(uri)
    lance.dataset(uri).delete("k % 9 = 2")
    lance.dataset(uri).update({"v": "v + 1"}, where="k % 4 = 3")
    lance.dataset(uri).optimize.compact_files()
    before = lineage_of(lance_cpp, uri)
    lance_cpp.dataset(uri).set_clustering(["v", "k"])

    lance_cpp.dataset(uri).optimize.compact_files()

    check(uri)
    assert lineage_of(lance, uri) == before
    lance_cpp.write_dataset(rows(range(200, 240)), uri, mode="append")
    check(uri)
    assert lineage_of(lance, uri)[: len(before)] == before


def test_restored_rows_come_back_with_their_ids(tmp_path):
    uri = str(tmp_path / "t")
    create(lance_cpp, uri, rows(range(30)))
    before = lineage_of(lance_cpp, uri)
    lance_cpp.write_dataset(rows(range(30, 40)), uri, mode="append")
    lance_cpp.dataset(uri).update({"v": "v + 1"})

    lance.dataset(uri, version=1).restore()

    check(uri)
    assert lineage_of(lance, uri) == before
    lance_cpp.write_dataset(rows(range(40, 50)), uri, mode="append")
    ids = [row[2] for row in lineage_of(lance, uri)]
    assert min(ids[30:]) >= 40


@pytest.mark.parametrize("kind", ["BITMAP", "BTREE", "ZONEMAP"])
def test_indices_of_the_reference_answer_for_rows_that_we_moved(kind, tmp_path):
    uri = str(tmp_path / "t")
    table = rows(range(300)).append_column("g", pa.array([i % 7 for i in range(300)]))
    lance.write_dataset(table, uri, enable_stable_row_ids=True, max_rows_per_file=100)
    lance.dataset(uri).create_scalar_index("g", kind)

    def check_answers():
        every = lance.dataset(uri).to_table().to_pylist()
        expected = sorted(row["k"] for row in every if row["g"] == 3)
        for reader in WRITERS:
            found = reader.dataset(uri).to_table(filter="g = 3", columns=["k"])
            assert sorted(found["k"].to_pylist()) == expected
            assert reader.dataset(uri).count_rows("g = 3") == len(expected)

    lance_cpp.dataset(uri).update({"g": "g + 1"}, where="k % 2 = 0")
    check_answers()
    lance_cpp.dataset(uri).delete("k % 13 = 0")
    check_answers()
    lance.dataset(uri).optimize.optimize_indices()
    lance_cpp.dataset(uri).update({"g": "3"}, where="k % 9 = 0")
    check_answers()
    lance_cpp.dataset(uri).set_clustering(["v", "k"])
    lance_cpp.dataset(uri).optimize.compact_files()
    check_answers()


def test_system_columns_filter_and_project(tmp_path):
    uri = str(tmp_path / "t")
    create(lance_cpp, uri, rows(range(50)))
    lance_cpp.dataset(uri).update({"v": "0"}, where="k >= 40")

    for reader in WRITERS:
        table = reader.dataset(uri).to_table(
            columns=["_rowaddr", "k", "_rowid"], filter="_rowid in (3, 45)"
        )
        assert table["k"].to_pylist() == [3, 45]
        assert table["_rowid"].to_pylist() == [3, 45]
        assert table["_rowaddr"].to_pylist()[1] >> 32 == 3
    ours = lance_cpp.dataset(uri)
    assert ours.count_rows("_row_last_updated_at_version = 2") == 10
    assert ours.count_rows("_row_created_at_version = 1") == 50


def test_ids_that_are_gone_are_named(tmp_path):
    uri = str(tmp_path / "t")
    create(lance_cpp, uri, rows(range(50)))
    lance_cpp.dataset(uri).delete("k = 7")

    for row_id in (7, 50, 2**63):
        message = f"row id {row_id} is not in the version"
        with pytest.raises(lance_cpp.errors.NotFoundError, match=message):
            lance_cpp.dataset(uri)._take_rows([1, row_id])


def test_tables_without_stable_ids_have_versions_too(tmp_path):
    """Nobody notes them: 1 everywhere."""
    uri = str(tmp_path / "t")
    lance_cpp.write_dataset(rows(range(5)), uri)
    lance_cpp.write_dataset(rows(range(5, 8)), uri, mode="append")

    assert lineage_of(lance_cpp, uri) == lineage_of(lance, uri)
    with pytest.raises(ValueError, match="can only be chosen when a table is created"):
        lance_cpp.write_dataset(rows([9]), uri, mode="append", enable_stable_row_ids=True)
    with pytest.raises(ValueError, match="can only be chosen when a table is created"):
        lance_cpp.write_dataset(rows([9]), uri, mode="overwrite", enable_stable_row_ids=True)


def test_lancectl_creates_them(tmp_path):
    uri = tmp_path / "t.lance"
    source = tmp_path / "rows.csv"
    source.write_text("k\n1\n2\n")
    run("create", uri, source, "--enable-stable-row-ids")

    assert lance.dataset(str(uri)).has_stable_row_ids
    assert lance_cpp.dataset(uri).has_stable_row_ids
