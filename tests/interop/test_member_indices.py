"""Indices of members of structs: scans ask them, and skip no row that passes.

The tables hold a struct with an inner one, both null in places, with values below the nulls that
nobody may see; members are added, dropped, renamed and rewritten in place.
"""

import collections
import os
import re

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lance.indices import IndexConfig
from lancectl import IS_LONG, rng_of
from test_pruning import Answers, Past, Values, check_filter, columns_of

TABLES = range(int(os.environ.get("LANCE_TEST_TABLES", 150 if IS_LONG else 6)))
FILTERS = 60 if IS_LONG else 25
INNER = pa.struct([("k", pa.int64()), ("f64", pa.float64()), ("s", pa.string())])
STRUCT = pa.struct([("x", pa.int32()), ("y", pa.string()), ("b", pa.bool_()), ("n", INNER)])

# pylance 14.0.2 cannot rewrite some structs with nulls in structs, nor bring some indices of their
# members up to date.
THEIR_FAULTS = re.compile("null_bit_buffer size too small|No column with name")


def masked(values, type_):
    """An array; a struct that is null keeps the values of another below it."""
    if not pa.types.is_struct(type_):
        return pa.array(values, type_)
    hidden = next((value for value in values if value is not None), {})
    below = [hidden if value is None else value for value in values]
    members = [masked([value.get(m.name) for value in below], m.type) for m in type_]
    mask = pa.array([value is None for value in values], pa.bool_())
    return pa.StructArray.from_arrays(members, fields=list(type_), mask=mask)


class StructValues(Values):
    """Structs whose members go up in runs."""

    def __init__(self, rng, type_):
        super().__init__(rng, type_)
        self.null_share = rng.choice([0.02, 0.3])

    def ordinary(self, place):
        return {
            "x": place - 500, "y": f"y{place:05d}" if place % 5 else None,
            "b": place // 64 % 2 == 1, "z": place,
            "n": {"k": place * 3, "f64": place / 4, "s": f"s{place:05d}"} if place % 7 else None,
        }

    def special(self):
        return self.rng.choice([
            {"x": None, "y": None, "b": None, "n": None},
            {"x": -(2**31), "y": "", "b": False, "n": {"k": None, "f64": 0.0, "s": None}},
            {"x": 2**31 - 1, "y": "\U0010ffff", "n": {"k": 2**63 - 1, "f64": -0.0, "s": ""}},
        ])

    def array(self, count):
        return masked(self.next(count), self.type)


class MemberPast(Past):
    """A table with a struct, and what was done to it."""

    versions = ["2.1", "2.2"]

    def choose_columns(self, version):
        self.version = version
        return ["i32", "st"]

    def values_of(self, type_):
        if pa.types.is_struct(type_):
            return StructValues(self.rng, STRUCT)
        return super().values_of(type_)

    def write(self, rows, max_rows_per_file, mode="create", **options):
        """File by file: the reference fails at slices of structs with nulls in structs."""
        writer = self.writer()
        for begin in range(0, rows.num_rows, max_rows_per_file):
            part = rows.take(list(range(rows.num_rows))[begin : begin + max_rows_per_file])
            writer.write_dataset(part, self.uri, mode=mode, **options)
            mode, options = "append", {}

    def changes(self):
        return [*super().changes(), self.index, self.rewrite_member, self.add_member,
                self.drop_member]

    def columns(self):
        """The members that are there, by path."""
        struct = pa.field("st", self.values["st"].type)
        return {column.sql(): column.type for column in columns_of(struct)}

    def indexable(self):
        return sorted(self.columns())

    def index_column(self, dataset, name, kind):
        if kind == "BLOOMFILTER" and self.columns()[name] == pa.bool_():
            kind = "BITMAP"
        super().index_column(dataset, name, kind)

    def update(self):
        """Move structs to rows that had others."""
        low = self.rng.randrange(self.next_id)
        where = f"id BETWEEN {low} AND {low + self.rng.choice([3, 40])}"
        self.writer().dataset(self.uri).update({"st": "NULL"}, where=where)

    def rewrite(self):
        self.despite_faults(super().rewrite, lambda optimize: optimize.compact_files())

    def optimize(self):
        self.despite_faults(super().optimize, lambda optimize: optimize.optimize_indices())

    def despite_faults(self, change, change_of_ours):
        """Where the reference cannot do it, we do."""
        try:
            change()
        except OSError as error:
            assert THEIR_FAULTS.search(str(error)), self.log
            change_of_ours(lance_cpp.dataset(self.uri).optimize)

    def rewrite_member(self):
        """Give rows another member, in a file that holds that member alone."""
        name, type_ = self.rng.choice([
            (member.name, member.type) for member in self.values["st"].type
            if not pa.types.is_struct(member.type)
        ])
        low = self.rng.randrange(self.next_id)
        ids = list(range(low, low + self.rng.choice([1, 30])))
        part = pa.struct([(name, type_)])
        values = [self.values["st"].ordinary(self.rng.randrange(3000)) for _ in ids]
        rows = pa.table({
            "id": pa.array(ids, pa.int64()),
            "st": pa.array([{name: value[name]} for value in values], part),
        })
        writer = lance_cpp if self.is_declared else lance
        merge = writer.dataset(self.uri).merge_insert("id")
        merge.when_matched_update_all().execute(rows)

    def add_member(self):
        type_ = self.values["st"].type
        if self.version != "2.2" or type_.get_field_index("z") >= 0:
            return
        added = pa.schema([("st", pa.struct([("z", pa.int64())]))])
        self.writer().dataset(self.uri).add_columns(added)
        self.values["st"].type = pa.struct([*type_, pa.field("z", pa.int64())])

    def drop_member(self):
        type_ = self.values["st"].type
        if type_.num_fields < 4:
            return
        name = self.rng.choice(["x", "y", "b"])
        if type_.get_field_index(name) < 0:
            return
        self.writer().dataset(self.uri).drop_columns([f"st.{name}"])
        self.values["st"].type = pa.struct([m for m in type_ if m.name != name])


@pytest.fixture(scope="module", name="counts")
def counts_of_all():
    counts = collections.Counter()
    yield counts
    print(dict(counts))
    assert counts["pruned"] * 2 >= counts["filters"]
    assert counts["zones read again"] > 10 * len(TABLES)


@pytest.mark.parametrize("number", TABLES)
def test_no_row_that_passes_is_skipped(number, counts, tmp_path):
    rng = rng_of("member indices", number)
    past = MemberPast(rng, str(tmp_path / "t"))
    past.index()
    answers = Answers(past.uri)
    table = answers.ours.to_table()
    rows = past.plain(table)
    assert repr(rows) == repr(past.plain(answers.reference.to_table()))
    verified = answers.ours.verify_pruning(num_generated_filters=20, seed=number)
    assert verified["missed"] == [], past.log
    counts["zones read again"] += verified["zones_reread"]
    nodes = past.filters(table.select(["st"]), FILTERS)
    for node in nodes:
        try:
            check_filter(answers, rows, node, counts)
        except (OSError, ValueError, RuntimeError) as error:
            raise AssertionError(f"{node.sql()}\n{past.log}") from error
    check_changes(past.uri, rows, nodes, rng)


def check_changes(uri, rows, nodes, rng):
    """Deletions and updates find the rows that scans find."""
    dataset = lance_cpp.dataset(uri)
    for node in nodes[:3]:
        passing = [row["id"] for row in rows if node.of(row) is True]
        if rng.random() < 0.5:
            dataset.delete(node.sql())
            rows = [row for row in rows if row["id"] not in set(passing)]
        else:
            assert dataset.update({"i32": "7"}, node.sql())["num_rows_updated"] == len(passing)
        assert sorted(dataset.to_table(columns=["id"])["id"].to_pylist()) == sorted(
            row["id"] for row in rows
        ), node.sql()


# --- What is asked, kind by kind ------------------------------------------------------------------

KINDS = ["ZONEMAP", "BTREE", "BITMAP", "BLOOMFILTER"]


@pytest.fixture(scope="module", name="places")
def table_of_places(tmp_path_factory):
    """A function that gives a table of 4 fragments with indices of one kind by one writer."""
    def struct_of(i):
        inner = {"k": i, "f64": i / 2, "s": ""} if i % 9 else None
        return {"x": i, "y": f"w{i:04d}", "b": i < 200, "n": inner}

    values = [None if i % 10 == 3 else struct_of(i) for i in range(400)]
    values[100:200] = [struct_of(150)] * 100
    folder = tmp_path_factory.mktemp("places")

    def make(writer, kind, version="2.1"):
        uri = str(folder / f"{writer.__name__}_{kind}_{version}")
        rows = pa.table({"id": range(400), "p": masked(values, STRUCT)})
        writer.write_dataset(rows, uri, max_rows_per_file=100, data_storage_version=version)
        for name in ["p.x", "p.y", "p.n.k", *(["p.b"] if kind != "BLOOMFILTER" else [])]:
            dataset = writer.dataset(uri)
            config = kind
            if kind == "ZONEMAP" and writer is lance:
                config = IndexConfig("zonemap", {"rows_per_zone": 20})
            if kind == "BLOOMFILTER":
                config = IndexConfig("bloomfilter", {"number_of_items": 20})
            zones = {"rows_per_zone": 20} if kind == "ZONEMAP" and writer is lance_cpp else {}
            dataset.create_scalar_index(name, config, **zones)
        return uri, values

    return make


def at_path(value, path):
    for name in path.split("."):
        value = None if value is None else value[name]
    return value


@pytest.mark.parametrize("writer,kind", [
    (writer, kind) for kind in KINDS for writer in (lance_cpp, lance)
    if kind != "BLOOMFILTER" or writer is lance  # which we do not build
])
def test_each_kind_of_index_is_asked(places, writer, kind):
    uri, values = places(writer, kind)
    ours, theirs = lance_cpp.dataset(uri), lance.dataset(uri)
    equal = lambda path, wanted: [i for i, v in enumerate(values) if at_path(v, path) == wanted]
    null = [i for i, v in enumerate(values) if at_path(v, "x") is None]
    cases = [
        ("p.x = 7", equal("x", 7)),
        ("7 = p.x", equal("x", 7)),
        ("p.x IN (7, 8, NULL)", [7, 8]),
        ("p.y = 'w0301'", equal("y", "w0301")),
        ("p.n.k = 301", equal("n.k", 301)),
        ("p.x IS NULL AND p.y IS NULL", null),
    ]
    if kind != "BLOOMFILTER":
        cases += [
            ("p.x < 5", [0, 1, 2, 4]),
            ("p.x BETWEEN 390 AND 394", [390, 391, 392, 394]),
            ("NOT p.x <> 7", [7]),
            ("p.x NOT IN (150, 7) AND p.x < 10", [0, 1, 2, 4, 5, 6, 8, 9]),
            ("p.y LIKE 'w030%' AND p.x IS NOT NULL",
             [i for i in range(300, 310) if values[i] is not None]),
            ("CAST(p.x AS DOUBLE) > 397.5", [398, 399]),
            ("NOT p.b", [i for i, v in enumerate(values) if at_path(v, "b") is False]),
        ]
    for sql, expected in cases:
        assert ours.to_table(columns=["id"], filter=sql)["id"].to_pylist() == expected, sql
        found = theirs.scanner(columns=["id"], filter=sql).to_table()["id"].to_pylist()
        assert found == expected, sql
        tasks = ours.plan_scan(columns=["id"], filter=sql)
        planned = [i for task in tasks for i in task.execute(ours).read_all()["id"].to_pylist()]
        assert planned == expected, sql
        estimate = ours.estimate(sql)
        assert estimate["rows_min"] <= len(expected) <= estimate["rows_max"], sql
        explained = ours.explain(sql)
        assert explained["rows"]["kept"] < 400, sql
        for leaf in explained["predicates"]:
            assert leaf["index_type"] == kind.lower(), (sql, leaf)


@pytest.mark.parametrize("kind", ["ZONEMAP", "BTREE", "BITMAP"])
def test_a_member_that_was_rewritten_in_place_is_found(places, kind):
    """The reference puts the new values beside the old file, and takes back the coverage."""
    uri, _ = places(lance, kind, "2.2")
    part = pa.struct([("x", pa.int32())])
    rows = pa.table({"id": [3, 205], "p": pa.array([{"x": 9001}, {"x": 9001}], part)})
    lance.dataset(uri).merge_insert("id").when_matched_update_all().execute(rows)
    ours = lance_cpp.dataset(uri)
    assert any(len(fragment.data_files()) == 2 for fragment in ours.get_fragments())
    assert ours.to_table(columns=["id"], filter="p.x = 9001")["id"].to_pylist() == [3, 205]
    assert ours.count_rows("p.x = 205") == 0
    # A row whose struct was null has one now, of the new member alone.
    assert ours.to_table(filter="p.x = 9001 AND p.y IS NULL")["id"].to_pylist() == [3]
    assert ours.verify_pruning(num_generated_filters=30)["missed"] == []


def test_zones_of_members_rule_out_whole_fragments(tmp_path):
    """With so many fragments all zones are looked at together."""
    rows = pa.table({"id": range(700), "p": masked([{"x": i} for i in range(700)],
                                                   pa.struct([("x", pa.int64())]))})
    dataset = lance_cpp.write_dataset(rows, str(tmp_path / "t"), max_rows_per_file=10)
    dataset.create_scalar_index("p.x", "ZONEMAP")
    for _ in range(2):  # read, and known to the session
        explained = dataset.explain("p.x IN (15, 695)")
        assert explained["fragments"] == {"total": 70, "kept": 2}
        assert dataset.to_table(filter="p.x IN (15, 695)")["id"].to_pylist() == [15, 695]
    assert dataset.delete("p.x >= 690")["num_deleted_rows"] == 10
    assert dataset.count_rows("p.x IS NOT NULL") == 690


def test_a_label_list_below_a_struct_is_asked(tmp_path):
    tags = [None if i % 3 == 0 else {"tags": None if i % 5 == 0 else [f"t{i % 50}", "all"]}
            for i in range(400)]
    type_ = pa.struct([("tags", pa.list_(pa.string()))])
    dataset = lance_cpp.write_dataset(
        pa.table({"id": range(400), "p": masked(tags, type_)}), str(tmp_path / "t")
    )
    dataset.create_scalar_index("p.tags", "LABEL_LIST")
    theirs = lance.dataset(str(tmp_path / "t"))
    for sql, expected in [
        ("array_has(p.tags, 't7')",
         [i for i, t in enumerate(tags) if t and t["tags"] and "t7" in t["tags"]]),
        ("NOT array_has(p.tags, 'all')", []),
    ]:
        assert dataset.to_table(filter=sql)["id"].to_pylist() == expected
        assert theirs.to_table(filter=sql)["id"].to_pylist() == expected
        explained = dataset.explain(sql)
        assert explained["predicates"][0]["index_type"] == "labellist"
        assert explained["rows"]["kept"] == len(expected)


def test_an_index_of_a_dropped_member_goes(places):
    uri, values = places(lance_cpp, "BTREE", "2.2")
    dataset = lance_cpp.dataset(uri)
    dataset.drop_columns(["p.x"])
    assert [list(index.field_names) for index in dataset.describe_indices()] == [
        ["p.y"], ["p.n.k"], ["p.b"]
    ]
    dataset.alter_columns({"path": "p.y", "name": "why"})
    assert dataset.explain("p.why = 'w0301'")["predicates"][0]["index_type"] == "btree"
    assert dataset.count_rows("p.why = 'w0301'") == 1
