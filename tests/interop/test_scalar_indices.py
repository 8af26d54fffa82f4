"""Btrees, bitmaps, label lists and bloom filters: built, used and brought up to date by both.

Each filter has four answers that must be the same: ours with indices and without, the reference's
with indices and without.
"""

import collections
import json
import math
import warnings

import lance
import lance_cpp
import numpy
import pyarrow as pa
import pytest
from known_faults import KNOWN_OF_FILTERS
from lance.indices import IndexConfig
from lance_cpp.file import LanceFileWriter
from lance_cpp.fragment import DataFile
from lancectl import IS_LONG, attempt, rng_of, run
from random_tables import NEGATIVE_NAN

WRITERS = [lance_cpp, lance]
TABLES = range(60 if IS_LONG else 6)
FILTERS = 60 if IS_LONG else 15
STEPS = 8 if IS_LONG else 5
KINDS = {"BTREE": "BTree", "BITMAP": "Bitmap", "LABEL_LIST": "LabelList", "ZONEMAP": "ZoneMap"}

warnings.simplefilter("ignore", DeprecationWarning)


def knows_lists():
    """Whether filters of ours can ask for items of lists; indices of them are built before that."""
    dataset = lance_cpp.write_dataset(pa.table({"l": [[1]]}), "memory://lists")
    try:
        return dataset.count_rows("array_has(l, 1)") == 1
    except lance_cpp.InvalidError:
        return False


KNOWS_LISTS = knows_lists()


def known(filters):
    return [sql for sql in filters if KNOWS_LISTS or "array_has" not in sql]


def from_numbers(type_):
    """A function from a whole number to a value of a type."""
    if pa.types.is_string(type_):
        return lambda n: f"w{n}"
    if pa.types.is_binary(type_):
        return lambda n: n.to_bytes(2, "big")
    if pa.types.is_boolean(type_):
        return lambda n: n % 2 == 0
    if pa.types.is_floating(type_):
        return lambda n: [n / 4, -n / 4, math.nan, NEGATIVE_NAN, 0.0, -0.0, math.inf][
            min(n % 20, 6) if n % 20 in (2, 3, 4, 5, 6) else n % 2
        ]
    return lambda n: n


def is_negative(value):
    return math.copysign(1, value) < 0


def literal_of(type_, value):
    """SQL for a value of a type; None: it has none."""
    if value is None or (isinstance(value, float) and math.isnan(value) and is_negative(value)):
        return None
    if pa.types.is_string(type_):
        return f"'{value}'"
    if pa.types.is_binary(type_):
        return f"X'{value.hex()}'"
    if pa.types.is_boolean(type_):
        return str(value).lower()
    if pa.types.is_floating(type_):
        name = "DOUBLE" if type_ == pa.float64() else "FLOAT"
        if math.isnan(value):
            return f"CAST('NaN' AS {name})"
        return f"CAST('{value}' AS {name})" if math.isinf(value) else repr(value)
    if pa.types.is_timestamp(type_):
        return f"arrow_cast({value}, 'Timestamp(Microsecond, None)')"
    if pa.types.is_date(type_):
        return f"arrow_cast({value}, 'Date32')"
    return str(value)


SCALARS = {
    "i32": pa.int32(), "u64": pa.uint64(), "f64": pa.float64(), "f32": pa.float32(),
    "s": pa.string(), "bin": pa.binary(), "b": pa.bool_(), "d": pa.date32(),
    "ts": pa.timestamp("us"),
}
LISTS = {"li": pa.list_(pa.int32()), "ls": pa.list_(pa.string()), "ll": pa.large_list(pa.int64())}
BLOOM = ["i32", "u64", "f64", "f32", "s", "bin", "d", "ts"]  # what the reference builds them on


class Past:
    """A table with indices of both, and what was done to it."""

    def __init__(self, rng, uri):
        self.rng = rng
        self.uri = uri
        self.next_id = 0
        self.log = []
        self.stable = rng.random() < 0.5
        self.spread = rng.choice([5, 40, 1000])
        names = [*rng.sample(sorted(SCALARS), 3), rng.choice(sorted(LISTS))]
        self.columns = {name: {**SCALARS, **LISTS}[name] for name in names}
        self.pick().write_dataset(
            self.rows(rng.choice([80, 300])), uri, max_rows_per_file=rng.choice([60, 130]),
            enable_stable_row_ids=self.stable, data_storage_version=rng.choice(["2.0", "2.1"]),
        )
        for name in names:
            self.index(name)

    def pick(self):
        writer = self.rng.choice(WRITERS)
        self.log.append(writer.__name__)
        return writer

    def value(self, type_):
        rng = self.rng
        if rng.random() < 0.15:
            return None
        if pa.types.is_list(type_) or pa.types.is_large_list(type_):
            return [self.value(type_.value_type) for _ in range(rng.choice([0, 1, 2, 4]))]
        return from_numbers(type_)(rng.randrange(self.spread))

    def rows(self, count):
        columns = {"id": pa.array(range(self.next_id, self.next_id + count), pa.int64())}
        self.next_id += count
        for name, type_ in self.columns.items():
            columns[name] = pa.array([self.value(type_) for _ in range(count)], type_)
        return pa.table(columns)

    def index(self, column):
        kinds = ["LABEL_LIST"] if column in LISTS else ["BTREE", "BITMAP"]
        for kind in [*kinds, "BLOOMFILTER", "ZONEMAP"]:
            if kind == "BLOOMFILTER" and column not in BLOOM:
                continue
            if kind == "ZONEMAP" and column in LISTS:
                continue
            if kind != "LABEL_LIST" and self.rng.random() < 0.5:
                continue
            writer = lance if kind == "BLOOMFILTER" else self.pick()
            if kind == "ZONEMAP" and writer is lance and column in ("f32", "f64"):
                continue  # docs/differences.md: it loses NaNs
            writer.dataset(self.uri).create_scalar_index(
                column, kind, name=f"{column}_{kind.lower()}", train=self.rng.random() < 0.9
            )
            self.log.append((column, kind))

    def step(self):
        rng = self.rng
        change = rng.choice(["append", "delete", "update", "optimize", "optimize", "index"])
        dataset = self.pick().dataset(self.uri)
        low = rng.randrange(self.next_id)
        self.log.append(change)
        if change == "append":
            self.pick().write_dataset(
                self.rows(rng.choice([5, 90])), self.uri, mode="append", max_rows_per_file=50
            )
        elif change == "delete":
            dataset.delete(rng.choice([f"id % 7 = {low % 7}", f"id BETWEEN {low} AND {low + 70}"]))
        elif change == "update":
            name = rng.choice([name for name in self.columns if name in SCALARS])
            value = literal_of(self.columns[name], self.value(self.columns[name])) or "NULL"
            dataset.update({name: value}, where=f"id BETWEEN {low} AND {low + rng.choice([2, 60])}")
        elif change == "optimize":
            # The reference finds rows twice when it appends segments by row ids, see below.
            merges = [None, 1, 2, 9] + ([0] if not (self.stable and is_theirs(dataset)) else [])
            options = {"num_indices_to_merge": rng.choice(merges)}
            if rng.random() < 0.2:
                options = {"retrain": True}
            self.log.append(options)
            dataset.optimize.optimize_indices(**options)
        else:
            self.index(rng.choice(sorted(self.columns)))

    def leaf(self, name, values):
        rng, type_ = self.rng, self.columns[name]
        if name in LISTS:
            items = [literal_of(type_.value_type, item) for v in values[name] for item in v or []]
            items = [item for item in items if item is not None]
            if not items:
                return f"{name} IS NULL"
            some = ", ".join(rng.choice(items) for _ in range(rng.randint(1, 3)))
            return rng.choice(known([
                f"array_has({name}, {rng.choice(items)})", f"array_has_any({name}, [{some}])",
                f"array_has_all({name}, [{some}])", f"{name} IS NULL",
            ]))
        literals = [literal_of(type_, value) for value in values[name]]
        literals = [literal for literal in literals if literal is not None]
        if not literals or rng.random() < 0.1:
            return f"{name} IS {rng.choice(['', 'NOT '])}NULL"
        one, other = rng.choice(literals), rng.choice(literals)
        if pa.types.is_boolean(type_):
            return rng.choice([name, f"NOT {name}", f"{name} = {one}"])
        return rng.choice([
            f"{name} = {one}", f"{name} <> {one}", f"{name} < {one}", f"{name} >= {one}",
            f"{name} IN ({one}, {other})", f"{name} NOT IN ({one}, {other})",
            f"{name} IN ({', '.join(rng.choice(literals) for _ in range(6))})",
            f"{name} BETWEEN {one} AND {other}",
        ])

    def filter(self, values):
        rng = self.rng
        text = self.leaf(rng.choice(sorted(self.columns)), values)
        for _ in range(rng.choice([0, 0, 1, 2])):
            text = f"({text} {rng.choice(['AND', 'OR'])} " + (
                self.leaf(rng.choice(sorted(self.columns)), values) + ")"
            )
            if rng.random() < 0.2:
                text = f"NOT {text}"
        return text


def is_theirs(dataset):
    return isinstance(dataset, lance.LanceDataset)


def ids(dataset, sql, **options):
    return dataset.to_table(columns=["id"], filter=sql, **options)["id"].to_pylist()


def values_of(table):
    values = {}
    for name in table.column_names:
        column = table[name]
        if pa.types.is_temporal(column.type):
            column = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
        values[name] = column.to_pylist()
    return values


def check_answers(past, counts):
    ours, theirs = lance_cpp.dataset(past.uri), lance.dataset(past.uri)
    values = values_of(ours.to_table())
    for _ in range(FILTERS):
        sql = past.filter(values)
        reports = []
        scanner = ours.scanner(columns=["id"], filter=sql, scan_stats_callback=reports.append)
        found = scanner.to_table()["id"].to_pylist()
        expected = ids(ours, sql, use_scalar_index=False, use_stats=False)
        assert found == expected, sql
        assert ours.count_rows(sql) == len(expected), sql
        estimate = ours.estimate(sql, columns=["id"])
        assert estimate["rows_min"] <= len(found) <= estimate["rows_max"], sql
        assert reports[0].bytes_read <= estimate["bytes_max"], sql
        if sorted(ids(theirs, sql, use_scalar_index=False)) != sorted(expected):
            assert KNOWN_OF_FILTERS.search(sql), sql
        else:
            assert sorted(ids(theirs, sql)) == sorted(expected), sql
        counts["filters"] += 1
        counts["skipping"] += reports[0].rows_scanned < ours.count_rows()
    assert ours.verify_pruning(num_generated_filters=10, seed=1)["missed"] == []


@pytest.fixture(scope="module", name="counts")
def counts_of_all():
    counts = collections.Counter()
    yield counts
    print(dict(counts))
    assert counts["skipping"] * 3 >= counts["filters"]


@pytest.mark.parametrize("number", TABLES)
def test_all_answers_are_the_same(number, counts, tmp_path):
    past = Past(rng_of("scalar indices", number), str(tmp_path / "t"))
    try:
        for _ in range(STEPS):
            check_answers(past, counts)
            past.step()
        check_answers(past, counts)
        lance.dataset(past.uri).validate()
        found = lance_cpp.dataset(past.uri).check(deep=True)
        assert [one for one in found if one["severity"] == "error"] == []
    except (OSError, ValueError, RuntimeError, AssertionError) as error:
        raise AssertionError(f"{error}\n{past.log}") from error


# --- One kind at a time ---------------------------------------------------------------------------


def small(first=0, count=300):
    numbers = range(first, first + count)
    return pa.table({
        "id": pa.array(numbers, pa.int64()),
        "k": pa.array([n % 5 if n % 7 else None for n in numbers], pa.int32()),
        "l": pa.array([[n % 3, None] if n % 4 else None for n in numbers], pa.list_(pa.int64())),
        "st": pa.array([{"x": n % 10, "y": f"y{n}"} if n % 6 else None for n in numbers]),
    })


def index_of(uri, name):
    [found] = [index for index in lance.dataset(uri).describe_indices() if index.name == name]
    return found


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("column, kind, sql, version", [
    ("id", "BTREE", "id = 77", {False: 0, True: 1}),
    ("k", "BITMAP", "k = 3", {False: 0, True: 0}),
    ("l", "LABEL_LIST", "array_has(l, 2)", {False: 1, True: 1}),
])
def test_ours_is_what_the_reference_builds(column, kind, sql, version, stable, tmp_path):
    uri = str(tmp_path / "t")
    lance.write_dataset(small(), uri, max_rows_per_file=100, enable_stable_row_ids=stable)
    for writer in WRITERS:
        writer.dataset(uri).create_scalar_index(column, kind, name=writer.__name__)
    ours, theirs = (index_of(uri, writer.__name__) for writer in WRITERS)
    for index in (ours, theirs):
        assert (index.index_type, index.num_rows_indexed) == (KINDS[kind], 300)
        assert index.segments[0].index_version == version[stable]
    assert ours.type_url == theirs.type_url
    lance.dataset(uri).drop_index("lance")
    assert f"@lance_cpp({KINDS[kind]})" in lance.dataset(uri).scanner(filter=sql).explain_plan()
    expected = ids(lance.dataset(uri), sql, use_scalar_index=False)
    assert ids(lance.dataset(uri), sql) == expected
    for one in known([sql]):
        assert ids(lance_cpp.dataset(uri), one) == expected
    statistics = [
        module.dataset(uri).stats.index_stats("lance_cpp") for module in WRITERS
    ]
    for found in statistics:
        found["segments"] = [
            {key: one[key] for key in one if key.startswith("num_")} for one in found["segments"]
        ]
        del found["indices"]
    assert statistics[0] == statistics[1]


@pytest.mark.parametrize("sql", known([
    "id = 77", "id BETWEEN 5 AND 8", "k IS NULL", "NOT (k = 3)", "array_has_all(l, [1])",
    "NOT array_has(l, 1)",
]))
def test_only_rows_that_match_are_read(sql, tmp_path):
    uri = str(tmp_path / "t")
    lance_cpp.write_dataset(small(), uri)
    kind = "LABEL_LIST" if "array" in sql else "BTREE" if "id" in sql else "BITMAP"
    rows = lance.dataset(uri).count_rows(sql)
    column = {"BTREE": "id", "BITMAP": "k", "LABEL_LIST": "l"}[kind]
    lance_cpp.dataset(uri).create_scalar_index(column, kind)
    reports = []
    dataset = lance_cpp.dataset(uri)
    for _ in range(2):
        scanner = dataset.scanner(filter=sql, scan_stats_callback=reports.append)
        assert scanner.to_table().num_rows == rows
    assert [report.rows_scanned for report in reports] == [rows, rows]
    assert (reports[0].indices_loaded, reports[1].indices_loaded) == (1, 0)
    predicates = dataset.explain(sql)["predicates"]
    assert reports[0].index_comparisons == reports[1].index_comparisons == len(predicates)
    assert (reports[1].index_cache_hits, reports[1].index_cache_misses) == (1, 0)
    for predicate in predicates:
        assert (predicate["index"], predicate["exact"]) == (f"{column}_idx", True)
        assert predicate["index_type"] == KINDS[kind].lower()
    ignored = []
    dataset.scanner(
        filter=sql, use_scalar_index=False, scan_stats_callback=ignored.append
    ).to_table()
    assert (ignored[0].rows_scanned, ignored[0].indices_loaded) == (300, 0)


@pytest.mark.parametrize("writer", WRITERS, ids=lambda module: module.__name__)
def test_an_index_of_a_member_of_a_struct(writer, tmp_path):
    uri = str(tmp_path / "t")
    writer.write_dataset(small(), uri)
    writer.dataset(uri).create_scalar_index("st.x", "BTREE")
    writer.dataset(uri).create_scalar_index("st.x", "ZONEMAP")
    for reader in WRITERS:
        described = {i.name: i.field_names for i in reader.dataset(uri).describe_indices()}
        assert described == {"st.x_idx": ["st.x"], "st.x_idx_2": ["st.x"]}
        for sql in ("st.x = 3", "st.x IS NULL", "st.x > 7 AND k = 1"):
            expected = ids(lance.dataset(uri), sql, use_scalar_index=False)
            assert ids(reader.dataset(uri), sql) == expected
    lance_cpp.write_dataset(small(300, 50), uri, mode="append")
    lance_cpp.dataset(uri).optimize.optimize_indices()
    assert index_of(uri, "st.x_idx").num_rows_indexed == 350
    assert len(ids(lance.dataset(uri), "st.x = 3")) == len(ids(lance_cpp.dataset(uri), "st.x = 3"))


def segments(uri, name):
    return [sorted(segment.fragment_ids) for segment in index_of(uri, name).segments]


@pytest.mark.parametrize("writer", WRITERS, ids=lambda module: module.__name__)
@pytest.mark.parametrize("merge, expected", [
    (None, [[0, 1, 2], [3, 4]]), (0, [[0, 1, 2], [3], [4]]), (1, [[0, 1, 2], [3, 4]]),
    (2, [[0, 1, 2, 3, 4]]), (9, [[0, 1, 2, 3, 4]]),
])
def test_segments_are_merged_as_asked(merge, expected, writer, tmp_path):
    uri = str(tmp_path / "t")
    lance.write_dataset(small(), uri, max_rows_per_file=100)
    for column, kind in (("id", "BTREE"), ("k", "BITMAP"), ("l", "LABEL_LIST")):
        lance.dataset(uri).create_scalar_index(column, kind)
    for first in (300, 400):
        lance.write_dataset(small(first, 100), uri, mode="append")
        options = {"num_indices_to_merge": 0 if first == 300 else merge}
        writer.dataset(uri).optimize.optimize_indices(**options)
    for name in ("id_idx", "k_idx", "l_idx"):
        assert sorted(segments(uri, name)) == expected
    version = lance.dataset(uri).version
    writer.dataset(uri).optimize.optimize_indices()
    assert lance.dataset(uri).version == version
    for sql in known(["id > 350", "k = 2", "array_has(l, 1)"]):
        assert ids(lance.dataset(uri), sql) == ids(lance_cpp.dataset(uri), sql)
        assert ids(lance.dataset(uri), sql) == ids(lance.dataset(uri), sql, use_scalar_index=False)


def test_retraining_builds_anew(tmp_path):
    uri = str(tmp_path / "t")
    lance_cpp.write_dataset(small(), uri)
    dataset = lance_cpp.dataset(uri)
    dataset.create_scalar_index("id", "BTREE")
    before = dataset.describe_indices()[0].segments[0]
    dataset.optimize.optimize_indices(retrain=True)
    [after] = dataset.describe_indices()[0].segments
    assert (after.fragment_ids, after.uuid == before.uuid) == ({0}, False)
    assert after.dataset_version_at_last_update == before.dataset_version_at_last_update + 1


def test_stale_rows_of_stable_ids_are_never_found_twice(tmp_path):
    """The reference, when it appends a segment to one by ids, gives id 50 for its old value."""
    uri = str(tmp_path / "t")
    lance.write_dataset(small(), uri, max_rows_per_file=100, enable_stable_row_ids=True)
    lance.dataset(uri).create_scalar_index("k", "BITMAP")
    lance.dataset(uri).update({"k": "99"}, where="id = 50")
    lance_cpp.dataset(uri).optimize.optimize_indices(num_indices_to_merge=0)
    for reader in WRITERS:
        assert 50 not in ids(reader.dataset(uri), "k = 0")
        assert ids(reader.dataset(uri), "k = 99") == [50]
    assert segments(uri, "k_idx") == [[0, 1, 2, 3]]


@pytest.mark.parametrize("writer", WRITERS, ids=lambda module: module.__name__)
def test_updated_rows_stay_covered_by_what_names_them_by_id(writer, tmp_path):
    uri = str(tmp_path / "t")
    lance.write_dataset(small(), uri, max_rows_per_file=100, enable_stable_row_ids=True)
    for column, kind in (("id", "BTREE"), ("k", "BITMAP"), ("l", "LABEL_LIST"), ("id", "ZONEMAP")):
        lance.dataset(uri).create_scalar_index(column, kind)
    writer.dataset(uri).update({"k": "99"}, where="id IN (50, 150)")
    assert segments(uri, "k_idx") == segments(uri, "id_idx") == segments(uri, "id_idx_2")
    assert segments(uri, "k_idx") == [[0, 1, 2]]
    assert segments(uri, "l_idx") == [[0, 1, 2, 3]]
    writer.dataset(uri).merge_insert("id").when_matched_update_all().when_not_matched_insert_all(
    ).execute(small(295, 10))
    assert segments(uri, "l_idx") == [[0, 1, 2, 3]]
    for sql in known(["k = 99", "array_has(l, 2)", "id > 290", "k = 1"]):
        expected = sorted(ids(lance.dataset(uri), sql, use_scalar_index=False))
        for reader in WRITERS:
            assert sorted(ids(reader.dataset(uri), sql)) == expected


@pytest.mark.parametrize("kind", ["BTREE", "BITMAP"])
def test_an_index_that_was_not_trained_is_filled(kind, tmp_path):
    uri = str(tmp_path / "t")
    lance_cpp.write_dataset(small(), uri)
    lance_cpp.dataset(uri).create_scalar_index("k", kind, train=False)
    assert segments(uri, "k_idx") == [[]]
    for reader in WRITERS:
        assert len(ids(reader.dataset(uri), "k = 2")) == 51
    lance.dataset(uri).optimize.optimize_indices()
    assert segments(uri, "k_idx") == [[0]]
    assert len(ids(lance_cpp.dataset(uri), "k = 2")) == 51


def test_names_as_the_reference_gives_them(tmp_path):
    uris = []
    for writer in WRITERS:
        uris.append(str(tmp_path / writer.__name__))
        dataset = writer.write_dataset(small(), uris[-1])
        for kind in ("BTREE", "BITMAP", "ZONEMAP", "BITMAP", "BTREE"):
            dataset.create_scalar_index("id", kind)
        dataset.create_scalar_index("k", "BTREE", name="mine")
        dataset.create_scalar_index("k", "BITMAP", name="mine")
        with pytest.raises((ValueError, RuntimeError)):
            dataset.create_scalar_index("id", "BITMAP", name="mine")
        with pytest.raises((OSError, RuntimeError)):
            dataset.create_scalar_index("k", "BITMAP", name="mine", replace=False)
    found = [
        {index.name: index.index_type for index in lance.dataset(uri).describe_indices()}
        for uri in uris
    ]
    assert found[0] == found[1]
    assert found[0] == {
        "id_idx": "BTree", "id_idx_2": "Bitmap", "id_idx_3": "ZoneMap", "mine": "Bitmap"
    }


@pytest.mark.parametrize("column, kind", [
    ("l", "BTREE"), ("st", "BITMAP"), ("k", "LABEL_LIST"), ("nope", "BTREE"), ("k", "MAGIC"),
    ("l", IndexConfig("btree", {})), ("st", IndexConfig("bitmap", {})),
    ("k", IndexConfig("labellist", {})), ("k", IndexConfig("magic", {})), (["id", "k"], "BTREE"),
    ("k", 7),
])
def test_refusals_are_those_of_the_reference(column, kind, tmp_path):
    kinds = []
    for writer in WRITERS:
        dataset = writer.write_dataset(small(), str(tmp_path / writer.__name__))
        with pytest.raises(Exception) as info:
            dataset.create_scalar_index(column, kind)
        kinds.append(info.type)
        assert dataset.version == 1
    families = [kind for kind in kinds[1].__mro__ if kind.__module__ == "builtins"]
    assert issubclass(kinds[0], families[0]), kinds


def test_an_index_that_is_damaged_is_not_used(tmp_path):
    uri = str(tmp_path / "t")
    lance_cpp.write_dataset(small(), uri)
    lance_cpp.dataset(uri).create_scalar_index("id", "BTREE")
    [page] = (tmp_path / "t" / "_indices").glob("*/page_data.lance")
    page.write_bytes(page.read_bytes()[:-9])
    scanner = lance_cpp.dataset(uri).scanner(filter="id = 7 OR id = 9")
    assert scanner.to_table()["id"].to_pylist() == [7, 9]
    done = attempt("scan", uri, "--filter", "id = 7 OR id = 9", "--format", "jsonl")
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == [7, 9]
    assert done.error.count("index id_idx") == 1


def test_progress_is_reported_as_in_the_reference(tmp_path):
    for writer in WRITERS:
        events = []
        dataset = writer.write_dataset(small(), str(tmp_path / writer.__name__))
        dataset.create_scalar_index("id", "BTREE", progress_callback=events.append)
        assert {"start", "complete"} <= {event.event for event in events}
        assert all(event.fraction is None or 0 <= event.fraction <= 1 for event in events)


def test_the_program_builds_all_kinds(tmp_path):
    uri = str(tmp_path / "t")
    lance.write_dataset(small(), uri)
    for column, kind in (("id", "btree"), ("k", "bitmap"), ("l", "label_list"), ("k", "zonemap")):
        run("index", "create", uri, "--column", column, "--type", kind)
    found = {index.name: index.index_type for index in lance.dataset(uri).describe_indices()}
    assert found == {
        "id_idx": "BTree", "k_idx": "Bitmap", "l_idx": "LabelList", "k_idx_2": "ZoneMap"
    }
    plan = run("explain", uri, "--filter", "id = 7").out
    assert "by btree id_idx, exactly" in plan


def test_many_pages_are_read_only_where_it_pays(tmp_path):
    """100,000 rows are 25 pages: a narrow range reads some, a wide one none."""
    uri = str(tmp_path / "t")
    numbers = numpy.random.default_rng(1).permutation(100_000)
    lance_cpp.write_dataset(pa.table({"n": numbers}), uri)
    lance_cpp.dataset(uri).create_scalar_index("n", "BTREE")
    reports = []
    for sql, rows in (("n < 1000", 1000), ("n < 90000", 90_000)):
        scanner = lance_cpp.dataset(uri).scanner(filter=sql, scan_stats_callback=reports.append)
        assert scanner.to_table().num_rows == rows
    assert [report.rows_scanned for report in reports] == [1000, 100_000]
    assert [report.index_comparisons for report in reports] == [1, 0]


def replace_values(dataset, values):
    """Another file in the place of column v of fragment 0."""
    name = "replaced.lance"
    path = f"{dataset.uri}/data/{name}"
    with LanceFileWriter(path, pa.schema([("v", pa.int64())]), version="2.1") as writer:
        writer.write_batch(pa.table({"v": pa.array(values, pa.int64())}))
    group = lance_cpp.LanceOperation.DataReplacementGroup(0, DataFile(name, [1], [0], 2, 1))
    operation = lance_cpp.LanceOperation.DataReplacement([group])
    lance_cpp.LanceDataset.commit(dataset.uri, operation, read_version=dataset.version)


@pytest.mark.parametrize("kind", ["ZONEMAP", "BLOOMFILTER", "BTREE", "BITMAP"])
def test_what_an_index_says_of_values_that_were_replaced_never_comes_back(kind, tmp_path):
    """The reference keeps nulls of replaced values in zonemaps and bloom filters, unless they cover
    nothing when it brings them up to date."""
    uri = str(tmp_path / "t")
    values = [None if n % 10 == 0 else n for n in range(200)]
    table = pa.table({"id": range(200), "v": pa.array(values, pa.int64())})
    lance.write_dataset(table, uri, max_rows_per_file=100, data_storage_version="2.1")
    lance.dataset(uri).create_scalar_index("v", kind)
    replace_values(lance_cpp.dataset(uri), [1000 + n if n % 10 else 5 for n in range(100)])
    for optimizes in (False, True):
        if optimizes:
            lance.dataset(uri).optimize.optimize_indices()
            assert segments(uri, "v_idx") == [[0, 1]]
        for sql, rows in (("v IS NULL", 10), ("v IS NOT NULL", 190), ("v = 5", 10), ("v = 11", 0)):
            for reader in WRITERS:
                assert len(ids(reader.dataset(uri), sql)) == rows, sql
