"""Random tables and filters: what statistics skip never holds a row that passes.

Four answers are compared: ours with pruning and without, the reference's, and that of an evaluator
in Python that looks at every row. The tables have rows in runs, so that zones can be skipped, and
a past: zonemaps, btrees, bitmaps, label lists and bloom filters of ours and of the reference that
do not know all of it, deletions, updates, added columns, rewrites.
"""

import collections
import decimal
import math
import os

import lance
import lance_cpp
import numpy
import pyarrow as pa
import pytest
from known_faults import KNOWN_OF_FILTERS, KNOWN_OF_INDICES
from lance.indices import IndexConfig
from lancectl import IS_LONG, rng_of
from random_filters import Column, FilterMaker, values_of
from random_lists import LISTS, is_list, list_condition, ordinary_list, special_list
from random_tables import NEGATIVE_NAN

TABLES = range(int(os.environ.get("LANCE_TEST_TABLES", 200 if IS_LONG else 8)))
FILTERS = 100 if IS_LONG else 40
WRITERS = [lance_cpp, lance]
WORDS = ["", "a", "ab", "abc", "b\u4e2d", "it's", "m%_\\", "zz\U0001f600", "\U0010ffff"]

COLUMNS = {
    "i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "i64": pa.int64(), "u8": pa.uint8(),
    "u16": pa.uint16(), "u32": pa.uint32(), "u64": pa.uint64(), "f32": pa.float32(),
    "f64": pa.float64(), "s": pa.string(), "b": pa.bool_(), "bin": pa.binary(),
    "d": pa.date32(), "ts": pa.timestamp("s"), "tms": pa.timestamp("ms"),
    "tus": pa.timestamp("us"), "tns": pa.timestamp("ns"), "tz": pa.timestamp("us", "UTC"),
    "dec": pa.decimal128(12, 3), "d256": pa.decimal256(50, 2), "f16": pa.float16(),
    "t32": pa.time32("s"), "t64": pa.time64("us"), "du": pa.duration("ms"), "fsb": pa.binary(3),
    "d64": pa.date64(), "dic": pa.dictionary(pa.int32(), pa.string()),
    "st": pa.struct([("x", pa.int32()), ("y", pa.string())]), **LISTS,
}
# Of which the reference builds bloom filters.
BLOOM_COLUMNS = {"id", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "s"}
BLOOM_COLUMNS |= {"bin", "d", "ts", "tms", "tus", "tns", "tz", "t32", "t64", "d64"}
NO_KEYS = {"st", "d256", "f16", "fsb", "dic", "du", *LISTS}  # of a declaration


class Values:
    """Values of one column that go up in runs, with what statistics get wrong strewn in."""

    def __init__(self, rng, type_):
        self.rng = rng
        self.type = type_
        self.step = rng.choice([0, 1, 1, 7])
        self.at = 0
        self.special_share = rng.choice([0, 0, 0.02, 0.2])
        self.null_share = rng.choice([0, 0.02, 0.3])
        self.items = Values(rng, type_.value_type) if is_list(type_) else None

    def next(self, count):
        """The next rows; now and then a run of nulls or of one value."""
        rng = self.rng
        kind = rng.choice(["run"] * 8 + ["nulls", "constant", "random"])
        values = []
        for _ in range(count):
            if kind == "nulls" or rng.random() < self.null_share:
                values.append(None)
                continue
            self.at += self.step if kind != "constant" else 0
            place = rng.randrange(10_000) if kind == "random" else self.at
            is_special = rng.random() < self.special_share
            values.append(self.special() if is_special else self.ordinary(place))
        return values

    def ordinary(self, place):
        type_ = self.type
        if is_list(type_):
            return ordinary_list(self.rng, self.items.ordinary, place)
        if pa.types.is_struct(type_):
            return {"x": place, "y": f"y{place:05d}" if place % 5 else None}
        if pa.types.is_integer(type_):
            bits = type_.bit_width
            is_unsigned = pa.types.is_unsigned_integer(type_)
            return place % 2**bits if is_unsigned else (place % 2**bits) - 2 ** (bits - 1)
        if pa.types.is_floating(type_):
            return place / 4 - 100
        if is_text(type_):
            return f"{self.rng.choice(['k', 'k', 'K'])}{place:06d}"
        if pa.types.is_binary(type_) or pa.types.is_fixed_size_binary(type_):
            return place.to_bytes(3, "big")
        if pa.types.is_boolean(type_):
            return place // 64 % 2 == 1
        if pa.types.is_decimal(type_):
            return decimal.Decimal(place - 300).scaleb(-type_.scale)
        if pa.types.is_date32(type_):
            return place - 200
        if pa.types.is_date64(type_):
            return (place - 200) * 86_400_000
        if pa.types.is_time(type_):
            return place
        unit = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type_.unit]
        return (place - 100) * unit // 2

    def special(self):
        rng, type_ = self.rng, self.type
        if is_list(type_):
            return special_list(rng, self.items.special)
        if pa.types.is_struct(type_):
            return rng.choice([None, {"x": None, "y": None}, {"x": -(2**31), "y": ""}])
        if pa.types.is_integer(type_):
            bits = type_.bit_width
            low = 0 if pa.types.is_unsigned_integer(type_) else -(2 ** (bits - 1))
            return rng.choice([low, low + 2**bits - 1, 0])
        if pa.types.is_floating(type_):
            big = {16: 60000.0, 32: 3.0e38, 64: 1.5e308}[type_.bit_width]
            return rng.choice(
                [math.nan, NEGATIVE_NAN, math.inf, -math.inf, 0.0, -0.0, big, -big]
            )
        if is_text(type_):
            return rng.choice(WORDS)
        if pa.types.is_binary(type_):
            return rng.choice([b"", b"\xff" * 4, b"\0"])
        if pa.types.is_fixed_size_binary(type_):
            return rng.choice([b"\xff" * 3, b"\0" * 3])
        if pa.types.is_decimal(type_):
            return decimal.Decimal((rng.choice([0, 1]), (9,) * type_.precision, -type_.scale))
        return self.ordinary(rng.choice([0, 1, 50_000]) if not pa.types.is_boolean(type_) else 0)

    def array(self, count):
        values = self.next(count)
        type_ = self.type
        if pa.types.is_temporal(type_):
            whole = pa.int32() if type_.bit_width == 32 else pa.int64()
            return pa.array(values, whole).cast(type_)
        if pa.types.is_float16(type_):
            return pa.array([None if v is None else numpy.float16(v) for v in values], type_)
        if pa.types.is_dictionary(type_):
            return pa.array(values, type_.value_type).dictionary_encode()
        return pa.array(values, type_)


class Past:
    """A table and what was done to it."""

    versions = ["2.0", "2.1", "2.2"]

    def __init__(self, rng, uri):
        self.rng = rng
        self.uri = uri
        self.log = []
        version = rng.choice(self.versions)
        names = self.choose_columns(version)
        self.values = {name: self.values_of(COLUMNS[name]) for name in names}
        self.next_id = 0
        self.added = 0
        self.is_declared = rng.random() < 0.3
        self.writers = [lance_cpp] if self.is_declared else WRITERS
        stable = rng.random() < 0.3
        self.write(
            self.rows(rng.choice([60, 400])), data_storage_version=version,
            max_rows_per_file=rng.choice([50, 120, 1000]), enable_stable_row_ids=stable,
        )
        self.log.append((version, stable, names))
        if self.is_declared:
            keys = [name for name in names if name not in NO_KEYS][:3] or ["id"]
            lance_cpp.dataset(uri).set_clustering(keys)
        self.index()
        for _ in range(rng.randint(1, 6)):
            change = rng.choice(self.changes())
            self.log.append(change.__name__)
            change()

    def choose_columns(self, version):
        choice = sorted(set(COLUMNS) - set(LISTS))
        if version == "2.0":
            choice.remove("st")  # 2.0 has no null structs
        names = self.rng.sample(choice, self.rng.randint(2, 6))
        return names + self.rng.sample(sorted(LISTS), self.rng.choice([0, 0, 1, 1]))

    def values_of(self, type_):
        return Values(self.rng, type_)

    def changes(self):
        return [
            self.append, self.append, self.delete, self.update, self.index, self.rewrite,
            self.add_column, self.optimize,
        ]

    def writer(self):
        writer = self.rng.choice(self.writers)
        self.log.append(writer.__name__)
        return writer

    def rows(self, count):
        columns = {"id": pa.array(range(self.next_id, self.next_id + count), pa.int64())}
        self.next_id += count
        parts = []
        while count > 0:  # several runs
            size = min(count, self.rng.choice([20, 60]))
            parts.append({name: values.array(size) for name, values in self.values.items()})
            count -= size
        for name in self.values:
            columns[name] = pa.chunked_array([part[name] for part in parts])
        return pa.table(columns)

    def write(self, rows, **options):
        self.writer().write_dataset(rows, self.uri, **options)

    def append(self):
        rows = self.rows(self.rng.choice([10, 100]))
        for i in range(self.added):
            rows = rows.append_column(f"c{i}", pa.array(range(rows.num_rows), pa.int64()))
        self.write(rows, mode="append", max_rows_per_file=70)

    def delete(self):
        low = self.rng.randrange(self.next_id)
        where = self.rng.choice([f"id % 5 = {low % 5}", f"id BETWEEN {low} AND {low + 60}"])
        self.writer().dataset(self.uri).delete(where)

    def update(self):
        """Move values to rows that had others."""
        dataset = self.writer().dataset(self.uri)
        low = self.rng.randrange(self.next_id)
        name = self.rng.choice(sorted(self.values))
        value = "NULL" if name == "st" else self.rng.choice([name, "NULL"])
        if COLUMNS[name] in (pa.float32(), pa.float64()):
            value = f"{name} * 2"
        where = f"id BETWEEN {low} AND {low + self.rng.choice([3, 40])}"
        dataset.update({name: value}, where=where)

    def add_column(self):
        self.writer().dataset(self.uri).add_columns({f"c{self.added}": "id * 3"})
        self.added += 1

    def indexable(self):
        return [name for name in ["id", *self.values] if name != "st"]

    def index(self):
        """Indices of some columns; zonemaps in zones that cut runs."""
        dataset = self.writer().dataset(self.uri)
        names = [name for name in self.indexable() if self.rng.random() < 0.8]
        if not isinstance(dataset, lance.LanceDataset):
            names = [name for name in names if name != "dic"]  # the reference would lose rows
        for name in names:
            kind = self.rng.choice(["ZONEMAP", "ZONEMAP", "BTREE", "BITMAP", "BLOOMFILTER"])
            # The reference alone builds bloom filters, and writes no declared table.
            has_bloom = name in BLOOM_COLUMNS and not self.is_declared
            if name in LISTS:
                kind = "LABEL_LIST"
            elif name == "dic" or (kind == "BLOOMFILTER" and not has_bloom):
                kind = "ZONEMAP"
            self.index_column(dataset, name, kind)

    def index_column(self, dataset, name, kind):
        self.log.append((name, kind))
        rows = self.rng.choice([3, 8, 32])
        if kind == "BLOOMFILTER":
            config = IndexConfig("bloomfilter", {"number_of_items": rows})
            lance.dataset(self.uri).create_scalar_index(name, config, name=f"{name}_bloom")
        elif kind != "ZONEMAP":
            dataset.create_scalar_index(name, kind, name=f"{name}_{kind.lower()}")
        elif isinstance(dataset, lance.LanceDataset):
            dataset.create_scalar_index(name, IndexConfig("zonemap", {"rows_per_zone": rows}))
        else:
            dataset.create_scalar_index(name, "ZONEMAP", rows_per_zone=rows)

    def optimize(self):
        self.writer().dataset(self.uri).optimize.optimize_indices()

    def rewrite(self):
        if self.is_declared:
            lance_cpp.dataset(self.uri).optimize.compact_files(full=True)
        else:
            lance.dataset(self.uri).optimize.compact_files(target_rows_per_fragment=200)

    def filters(self, rows, count):
        """Random ones over what the table holds now."""
        values = {}
        columns = [column for field in rows.schema for column in columns_of(field)]
        plain = self.plain(rows)
        for column in columns:
            found = [column.of(row) for row in plain]
            values[column.path] = [v for v in found if v is not None and not is_negative_nan(v)]
        maker = FilterMaker(self.rng, columns, values, list_condition)
        return [maker.make() for _ in range(count if maker.columns else 0)]

    @staticmethod
    def plain(rows):
        """The rows as the evaluator has them."""
        columns = [values_of(column) for column in rows.columns]
        return [dict(zip(rows.column_names, row)) for row in zip(*columns)]


def columns_of(field, outer=()):
    """A field as a column, or the members of a struct, those of inner ones included."""
    path = (*outer, field.name)
    if not pa.types.is_struct(field.type):
        return [Column(path, field.type)]
    return [column for member in field.type for column in columns_of(member, path)]


def is_text(type_):
    is_dictionary = pa.types.is_dictionary(type_)
    return pa.types.is_string(type_.value_type if is_dictionary else type_)


def is_negative_nan(value):
    """Whether it is one, or a list with one: no literal gives it."""
    if isinstance(value, list):
        return any(map(is_negative_nan, value))
    return isinstance(value, float) and math.isnan(value) and math.copysign(1, value) < 0


class Answers:
    """Row numbers that each gives."""

    def __init__(self, uri):
        self.ours = lance_cpp.dataset(uri)
        self.reference = lance.dataset(uri)

    def pruned(self, sql):
        """With what the library says before, which bounds what it gives and reads."""
        estimate = self.ours.estimate(sql, columns=["id"])
        reports = []
        rows = self.ours.scanner(
            columns=["id"], filter=sql, scan_stats_callback=reports.append
        ).to_table()["id"].to_pylist()
        assert estimate["rows_min"] <= len(rows) <= estimate["rows_max"], sql
        assert estimate["bytes_min"] <= reports[0].bytes_read <= estimate["bytes_max"], sql
        return rows

    def unpruned(self, sql):
        scanner = self.ours.scanner(columns=["id"], filter=sql, use_stats=False)
        return scanner.to_table()["id"].to_pylist()

    def theirs(self, sql, **options):
        """None: it refuses."""
        try:
            found = self.reference.scanner(columns=["id"], filter=sql, **options).to_table()
        except (OSError, ValueError, NotImplementedError):
            return None
        return found["id"].to_pylist()

    def prunes(self, sql):
        rows = self.ours.explain(sql)["rows"]
        return rows["kept"] < rows["total"]


def check_filter(answers, rows, node, counts):
    sql = node.sql()
    expected = [row["id"] for row in rows if node.of(row) is True]
    assert answers.pruned(sql) == expected, sql
    assert answers.unpruned(sql) == expected, sql
    assert answers.ours.count_rows(sql) == len(expected), sql
    counts["filters"] += 1
    counts["pruned"] += answers.prunes(sql)
    theirs = answers.theirs(sql)
    if theirs is None:
        counts["refused by the reference"] += 1
    elif theirs != expected:
        counts["the reference is wrong"] += 1
        is_by_index = answers.theirs(sql, use_scalar_index=False) == expected
        known = KNOWN_OF_INDICES if is_by_index else KNOWN_OF_FILTERS
        assert known.search(sql), sql


@pytest.fixture(scope="module", name="counts")
def counts_of_all():
    counts = collections.Counter()
    yield counts
    print(dict(counts))
    assert counts["pruned"] * 2 >= counts["filters"]
    assert counts["zones read again"] > 10 * len(TABLES)


@pytest.mark.parametrize("number", TABLES)
def test_no_row_that_passes_is_skipped(number, counts, tmp_path):
    rng = rng_of("pruning", number)
    past = Past(rng, str(tmp_path / "t"))
    answers = Answers(past.uri)
    table = answers.ours.to_table()
    rows = past.plain(table)
    assert repr(rows) == repr(past.plain(answers.reference.to_table()))  # NaN differs from NaN
    # What the library finds out about itself.
    verified = answers.ours.verify_pruning(num_generated_filters=20, seed=number)
    assert verified["missed"] == [], past.log
    counts["zones read again"] += verified["zones_reread"]
    for node in past.filters(table, FILTERS):
        try:
            check_filter(answers, rows, node, counts)
        except (OSError, ValueError, RuntimeError) as error:
            raise AssertionError(f"{node.sql()}\n{past.log}") from error


def test_filters_are_made_of_items_of_lists(tmp_path):
    lists = pa.array([[float(i), i + 0.5, -0.0, 1e300, math.inf] for i in range(100)])
    dataset = lance_cpp.write_dataset(pa.table({"l": lists}), str(tmp_path / "t"))
    dataset.create_scalar_index("l", "LABEL_LIST")
    found = dataset.verify_pruning(num_generated_filters=50, seed=1)
    assert (found["num_filters"], found["missed"]) == (50, [])


def test_a_share_of_what_is_skipped_is_read_again(tmp_path):
    dataset = lance_cpp.write_dataset(pa.table({"id": range(10_000)}), str(tmp_path / "t"))
    dataset.create_scalar_index("id", "ZONEMAP", rows_per_zone=100)
    found = dataset.verify_pruning("id < 1000")
    assert (found["num_filters"], found["zones_pruned"], found["missed"]) == (1, 90, [])
    assert (found["zones_reread"], found["rows_reread"]) == (90, 9000)
    some = [dataset.verify_pruning("id < 1000", sample_fraction=0.2, seed=s) for s in (1, 1, 2)]
    assert some[0] == some[1]
    assert 5 <= some[0]["zones_reread"] <= 35
    assert some[0]["zones_pruned"] == some[2]["zones_pruned"] == 90
    with pytest.raises(ValueError, match="sample_fraction is 0.000000; allowed: above 0 to 1"):
        dataset.verify_pruning(sample_fraction=0.0)
