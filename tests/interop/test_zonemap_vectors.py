"""The vectors of zonemaps in zonemap-and-indices 8.3, walked from the outside.

V1, V2, V2b, V3, V5, V5b, V8, V8b, V8c and V9; V4 and V5c to V5e: see test_index_rewrites.py.

Zonemap files are written by hand, as a file with columns and a global buffer, and named by a
CreateIndex commit. For every filter the rows of both readers are compared with those of a scan
without indices, and the rows that were read are counted.
"""

import dataclasses
import math
import os
import re
import struct
import uuid

import lance
import lance.file
import lance_cpp
import lance_cpp.file
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from lance.dataset import Index
from lance.indices import IndexConfig
from random_tables import NEGATIVE_NAN

READERS = {"ours": lance_cpp, "theirs": lance}
NAN = "CAST('NaN' AS DOUBLE)"
ZONES = pa.schema([
    ("fragment_id", pa.uint64()), ("zone_start", pa.uint64()), ("zone_length", pa.uint64()),
    ("null_count", pa.uint32()), ("nan_count", pa.uint32()),
])
DETAILS = ("/lance.table.ZoneMapIndexDetails", bytes.fromhex("086410001801"))


def value_of_table_a(i):
    """The float of row i."""
    if i >= 550:
        return None if i % 10 == 3 else float(i)
    of_even_and_odd = [(i, i), (None, None), (math.nan, math.nan), (i, math.nan), (0.0, -0.0)]
    value = [*of_even_and_odd, (i, None)][i // 100][i % 2]
    return None if value is None else float(value)


def table_a(first, end):
    return pa.table({
        "id": pa.array(range(first, end), pa.int64()),
        "f": pa.array([value_of_table_a(i) for i in range(first, end)], pa.float64()),
        "s": pa.array([None if 700 <= i < 720 else f"s{i:04d}" for i in range(first, end)]),
    })


def write_table_a(uri):
    """Fragments of 550 and of 250 rows."""
    lance.write_dataset(table_a(0, 550), uri)
    lance.write_dataset(table_a(550, 800), uri, mode="append")
    return uri


# Fragment, start, length, minimum, maximum, nulls, NaNs: as the reference writes them.
ZONES_OF_F = [
    (0, 0, 100, 0.0, 99.0, 0, 0), (0, 100, 100, None, None, 100, 0),
    (0, 200, 100, None, math.nan, 0, 100), (0, 300, 100, 300.0, math.nan, 0, 50),
    (0, 400, 100, -0.0, 0.0, 0, 0), (0, 500, 50, 500.0, 548.0, 25, 0),
    (1, 0, 100, 550.0, 649.0, 10, 0), (1, 100, 100, 650.0, 749.0, 10, 0),
    (1, 200, 50, 750.0, 799.0, 5, 0),
]
NULLS_OF_F = {
    0: [*range(100, 200), *range(501, 550, 2)], 1: [i - 550 for i in range(553, 800, 10)],
}


def zones_of(*fragments):
    return [zone for zone in ZONES_OF_F if zone[0] in fragments]


def nulls_of(*fragments):
    return {fragment: NULLS_OF_F[fragment] for fragment in fragments}


def tree_map(offsets):
    """Offsets by fragment as zonemap-and-indices 2.7 writes them; below 65,536 each."""
    parts = [struct.pack("<I", len(offsets))]
    for fragment, values in sorted(offsets.items()):
        roaring = struct.pack("<IIHHI", 0x303A, 1, 0, len(values) - 1, 16)
        roaring += struct.pack(f"<{len(values)}H", *sorted(values))
        parts.append(struct.pack("<II", fragment, len(roaring)) + roaring)
    return b"".join(parts)


def offsets_of(data):
    """The reverse of tree_map."""
    found, at = {}, 4
    for _ in range(struct.unpack_from("<I", data)[0]):
        fragment, size, cookie, containers, _, last, _ = struct.unpack_from("<IIIIHHI", data, at)
        assert (cookie, containers) == (0x303A, 1)
        found[fragment] = list(struct.unpack_from(f"<{last + 1}H", data, at + 24))
        at += 8 + size
    return found


@dataclasses.dataclass
class Segment:
    """A segment of a zonemap, by hand."""

    fragments: set
    zones: list
    nulls: dict

    def write(self, uri, column, writer):
        """Its file. Returns its entry."""
        ours = lance_cpp.dataset(uri)
        name = str(uuid.uuid4())
        folder = os.path.join(uri, "_indices", name)
        os.makedirs(folder)
        path = os.path.join(folder, "zonemap.lance")
        schema, rows = self.rows(ours.schema.field(column).type)
        with writer.file.LanceFileWriter(path, schema) as file:
            file.write_batch(rows)
            file.add_schema_metadata("rows_per_zone", "100")
            buffer = file.add_global_buffer(tree_map(self.nulls))
            file.add_schema_metadata("null_bitmap", str(buffer))
        return Index(
            uuid=name, name=f"{column}_idx", fields=[ours.schema.names.index(column)],
            dataset_version=ours.version, fragment_ids=set(self.fragments), index_version=0,
            index_details=DETAILS,
        )

    def rows(self, type_):
        columns = list(zip(*self.zones))
        bounds = pa.schema([("min", type_), ("max", type_)])
        fields = [*bounds, *(field.with_nullable(False) for field in list(ZONES)[3:])]
        fields += [field.with_nullable(False) for field in list(ZONES)[:3]]
        values = [columns[i] for i in (3, 4, 5, 6, 0, 1, 2)]
        arrays = [pa.array(part, field.type) for part, field in zip(values, fields)]
        return pa.schema(fields), pa.table(arrays, schema=pa.schema(fields))


def index_by_hand(uri, column, *segments, writer=lance):
    operation = lance.LanceOperation.CreateIndex(
        new_indices=[segment.write(uri, column, writer) for segment in segments],
        removed_indices=[],
    )
    lance.LanceDataset.commit(uri, operation, read_version=lance.dataset(uri).version)


def null_bits(uri):
    """Of all segments of the one index, by fragment."""
    (index,) = lance_cpp.dataset(uri).describe_indices()
    found = {}
    for segment in index.segments:
        path = os.path.join(uri, "_indices", segment.uuid, "zonemap.lance")
        reader = lance_cpp.file.LanceFileReader(path)
        buffer = reader.metadata().schema.metadata[b"null_bitmap"]
        found.update(offsets_of(reader.read_global_buffer(int(buffer))))
    return found


def rows_without_indices(uri, sql):
    found = lance.dataset(uri).scanner(columns=["id"], filter=sql, use_scalar_index=False)
    return found.to_table()["id"].to_pylist()


def rows_and_read(reader, uri, sql):
    """Ids, and how many rows were read for them."""
    if reader == "theirs":
        scanner = lance.dataset(uri).scanner(columns=["id"], filter=sql)
        scanned = re.findall(r"rows_scanned=(\d+)", scanner.analyze_plan())
        return scanner.to_table()["id"].to_pylist(), sum(map(int, scanned))
    reports = []
    scanner = lance_cpp.dataset(uri).scanner(
        columns=["id"], filter=sql, scan_stats_callback=reports.append
    )
    return scanner.to_table()["id"].to_pylist(), reports[0].rows_scanned


def check(uri, expected, readers=("ours", "theirs")):
    """
    Rows of every filter, and the rows read for them.

    \\param expected by filter: the number of rows, and of the rows read by each reader
    """
    for sql, (count, *read) in expected.items():
        right = rows_without_indices(uri, sql)
        assert len(right) == count, sql
        for reader, rows_read in zip(readers, read):
            assert rows_and_read(reader, uri, sql) == (right, rows_read), (sql, reader)


# V1: filter, rows, read by us, read by the reference; there a fourth number is what it finds when
# it is wrong (8.1, defect 1). We read more where a zone has NaNs, whose sign no bound tells, and
# less where a condition is not one of the reference's.
TABLE_A = [
    ("f < 50", 150, 650, 450),
    ("f = 5", 1, 350, 350),
    ("f = 0.0", 101, 450, 450),
    ("f = -0.0", 101, 450, 450),
    ("f < 0.0", 0, 450, 250),
    ("f <= -0.0", 101, 650, 450),
    ("f > 0.0", 549, 600, 500, 449),
    ("f >= 0.0", 650, 700, 600, 550),
    ("f > 1000", 150, 450, 350, 50),
    (f"f = {NAN}", 150, 450, 450),
    (f"f >= {NAN}", 150, 450, 350, 50),
    (f"f > {NAN}", 0, 250, 250),
    (f"f < {NAN}", 500, 700, 600),
    ("f IS NULL", 150, 375, 375),
    ("f IS NOT NULL", 650, 675, 675),
    ("f IS NULL OR f = 5", 151, 475, 475),
    ("NOT (f = 5 OR f IS NULL)", 649, 675, 675),
    ("NOT (f > 100)", 200, 650, 450),
    ("f BETWEEN 10 AND 20", 11, 350, 350),
    ("f > 299 AND f < 301", 1, 350, 350),
    ("5 < f AND 8 > f", 2, 350, 350),
    ("f IN (5.0, 505.0)", 1, 500, 500),
    ("f IN (5.0, NULL)", 1, 350, 800),
    ("f NOT IN (5.0, 505.0)", 649, 700, 800),
    ("f <> 5", 649, 700, 800),
    ("f < 5 OR id = 7", 106, 800, 800),
    ("f = 5 AND id = 5", 1, 350, 350),
    ("f < 50 OR s = 's0100'", 151, 750, 550),
    ("f < 50 AND s LIKE 's00%'", 50, 350, 350),
    ("s LIKE 's004%'", 10, 350, 350),
    ("s LIKE 's0_1%'", 70, 800, 800),
    ("s LIKE '%1'", 78, 800, 800),
    ("starts_with(s, 's05')", 100, 300, 300),
    ("s > 's0540'", 239, 300, 300),
    ("s IS NULL", 20, 250, 250),
    ("s ILIKE 'S00%'", 100, 800, 800),
    ("isnan(f)", 150, 800, 800),
    ("f NOT BETWEEN 10 AND 20", 639, 700, 600, 539),
    ("f IN (1.0, 2.0, 3.0, 4.0)", 4, 350, 350),
    ("f IS DISTINCT FROM 5", 799, 800, 800),
    ("f IS NOT DISTINCT FROM 5", 1, 800, 800),
    ("(f = 5) IS TRUE", 1, 350, 800),
    ("f = 5 OR s IS NULL", 21, 350, 350),
    ("f > 100 AND f < 100", 0, 250, 250),
    ("s IS NOT NULL", 780, 800, 800),
    ("s NOT LIKE 's00%'", 680, 800, 800),
    ("s LIKE 's0045'", 1, 350, 350),
    ("regexp_like(s, '^s000')", 10, 350, 350),
    ("s BETWEEN 's0100' AND 's0110'", 11, 350, 350),
    ("s IN ('s0001', 's0799')", 2, 350, 350),
    ("lower(s) = 's0001'", 1, 800, 800),
    ("f = id", 400, 800, 800),
    ("coalesce(f, 0) = 0", 251, 800, 800),
]


def create_zonemap(builder, uri, column, use_seeds=False):
    if builder == "theirs":
        config = IndexConfig("zonemap", {"rows_per_zone": 100, "use_seeds": use_seeds})
        lance.dataset(uri).create_scalar_index(column, config)
    else:
        lance_cpp.dataset(uri).create_scalar_index(
            column, "ZONEMAP", rows_per_zone=100, use_seeds=use_seeds
        )


@pytest.fixture(scope="module", name="a", params=["ours", "theirs"])
def indexed_table_a(request, tmp_path_factory):
    """Table A: zonemaps of f and s over fragment 0, and their builder."""
    uri = str(tmp_path_factory.mktemp("a") / "t")
    lance.write_dataset(table_a(0, 550), uri)
    for column in "fs":
        create_zonemap(request.param, uri, column)
    lance.write_dataset(table_a(550, 800), uri, mode="append")
    return uri, request.param


@pytest.mark.parametrize("sql, count, read, their_read, their_count", [
    (*row, row[1])[:5] for row in TABLE_A
])
def test_v1_table_a(a, sql, count, read, their_read, their_count):
    uri, builder = a
    right = rows_without_indices(uri, sql)
    assert len(right) == count
    assert rows_and_read("ours", uri, sql) == (right, read)
    theirs, rows_read = rows_and_read("theirs", uri, sql)
    if builder == "theirs":
        assert (len(theirs), rows_read) == (their_count, their_read)
    else:
        assert theirs == right, "our bounds are right for the reference, too"


def test_v1_zones_and_null_bits(a):
    uri, builder = a
    zones = lance_cpp.dataset(uri).load_zones("f").to_pydict()
    names = ["fragment_id", "zone_start", "zone_length", "min", "max", "null_count", "nan_count"]
    expected = zones_of(0)
    if builder == "ours":
        expected[2] = (0, 200, 100, math.nan, math.nan, 0, 100)
    assert repr(list(zip(*(zones[name] for name in names)))) == repr(expected)
    by_column = {}
    for index in lance_cpp.dataset(uri).describe_indices():
        (segment,) = index.segments
        path = os.path.join(uri, "_indices", segment.uuid, "zonemap.lance")
        reader = lance_cpp.file.LanceFileReader(path)
        buffer = int(reader.metadata().schema.metadata[b"null_bitmap"])
        by_column[index.name] = offsets_of(reader.read_global_buffer(buffer))
    assert by_column == {"f_idx": nulls_of(0), "s_idx": {}}
    with pytest.raises(lance_cpp.InvalidError, match="nan does not fit"):
        lance_cpp.dataset(uri).count_rows("CAST(f AS INT) = 5")
    with pytest.raises((OSError, ValueError)):
        lance.dataset(uri).count_rows("CAST(f AS INT) = 5")


def value_of_negative_nans(i):
    kinds = [
        NEGATIVE_NAN, (i, NEGATIVE_NAN)[i % 2], (NEGATIVE_NAN, math.nan, i)[i % 3],
        (i, math.nan)[i % 2],
    ]
    return float(kinds[i // 100])


V2B = {
    "f > 1000": 83, "f < 50": 183, "f <= 100": 184, f"f < {NAN}": 317, f"f <= {NAN}": 400,
    f"f >= {NAN}": 83, "f < CAST('-inf' AS DOUBLE)": 183, "f > CAST('inf' AS DOUBLE)": 83,
    "f NOT BETWEEN 100 AND 120": 389, "f IN (102, 150, 170, 180)": 4,
    f"f IN (102, 150, 170, 302, {NAN})": 87, "f BETWEEN 100 AND 120": 11, "f >= 300": 133,
    "f = 0": 0,
}
WRONG_IN_V2B = {
    "f < 50": 0, "f <= 100": 51, f"f < {NAN}": 217, f"f <= {NAN}": 300,
    "f < CAST('-inf' AS DOUBLE)": 0, "f NOT BETWEEN 100 AND 120": 289,
}


# The first 300 rows of it.
V2 = {
    "f > 1000": 33, "f < 50": 183, "f < -1000": 183, "f <= 100": 184, f"f = {NAN}": 33,
    f"f < {NAN}": 267, f"f <= {NAN}": 300, f"f > {NAN}": 0, "f BETWEEN 100 AND 120": 11,
    "f = 102": 1, "isnan(f)": 216, "NOT (f < 50)": 117,
}
WRONG_IN_V2 = {
    "f < 50": 0, "f < -1000": 0, "f <= 100": 51, f"f < {NAN}": 167, f"f <= {NAN}": 200,
}


@pytest.mark.parametrize("builder", READERS)
@pytest.mark.parametrize(
    "size, answers, wrong", [(300, V2, WRONG_IN_V2), (400, V2B, WRONG_IN_V2B)], ids=["v2", "v2b"]
)
def test_v2_negative_nans(size, answers, wrong, builder, tmp_path):
    uri = str(tmp_path / "t")
    values = pa.array([value_of_negative_nans(i) for i in range(size)])
    lance.write_dataset(pa.table({"id": range(size), "f": values}), uri)
    create_zonemap(builder, uri, "f")
    for sql, count in answers.items():
        right = rows_without_indices(uri, sql)
        assert len(right) == count, sql
        assert rows_and_read("ours", uri, sql)[0] == right, sql
        theirs = wrong.get(sql, count) if builder == "theirs" else count
        assert len(rows_and_read("theirs", uri, sql)[0]) == theirs, sql


@pytest.mark.parametrize("builder, zones, read", [
    ("theirs", [(5, 140), (145, 100), (245, 100), (345, 100), (445, 100), (545, 5)], (200, 5)),
    # As in seeds, which is allowed: each hundred rows of the file.
    ("ours", [(0, 100), (100, 100), (200, 100), (300, 100), (400, 100), (500, 50)], (155, 50)),
], ids=["theirs", "ours"])
def test_v3_zones_over_deleted_rows(builder, zones, read, tmp_path):
    uri = str(tmp_path / "t")
    lance.write_dataset(pa.table({"id": range(550)}), uri)
    lance.dataset(uri).delete("id < 5 OR id BETWEEN 95 AND 134")
    create_zonemap(builder, uri, "id")
    found = lance_cpp.dataset(uri).load_zones("id").to_pydict()
    assert list(zip(found["zone_start"], found["zone_length"])) == zones
    check(uri, {
        "id < 200": (155, read[0], read[0]), "id = 545": (1, read[1], read[1]), "id = 100": (0,),
    })


# V5: seeds.


def seeded_table(builder, uri):
    """Table A with seeded zonemaps of f and s over fragment 0; the rest appended by the builder."""
    lance.write_dataset(table_a(0, 550), uri)
    for column in "fs":
        create_zonemap(builder, uri, column, use_seeds=True)
    READERS[builder].write_dataset(table_a(550, 800), uri, mode="append")
    files = lance.dataset(uri).get_fragments()[1].data_files()
    return os.path.join(uri, "data", files[0].path)


def seed_of(path, column):
    """The bytes of a column's seed in a data file."""
    file = lance_cpp.file.LanceFileReader(path)
    entry = file.metadata().schema.metadata[f"lance.seed.{column}".encode()]
    return file.read_global_buffer(int(entry.split(b":")[0]))


def zones_of_fragment_1(uri, column):
    zones = lance_cpp.dataset(uri).load_zones(column).to_pylist()
    return [
        tuple(zone[name] for name in ("zone_start", "zone_length", "min", "max", "null_count"))
        for zone in zones if zone["fragment_id"] == 1
    ]


@pytest.mark.parametrize("refresher", READERS)
@pytest.mark.parametrize("builder", READERS)
def test_v5_seeds_become_zones(builder, refresher, tmp_path):
    uri = str(tmp_path / "t")
    path = seeded_table(builder, uri)
    metadata = lance_cpp.file.LanceFileReader(path).metadata().schema.metadata
    keys = {key: value for key, value in metadata.items() if key.startswith(b"lance.seed.")}
    assert set(keys) == {b"lance.seed.f", b"lance.seed.s"}
    assert set(keys.values()) == {b"1:100", b"2:100"}
    seed = pa.ipc.open_file(seed_of(path, "s")).read_all()
    assert seed["min"].to_pylist() == ["s0550", "s0650", "s0750"]

    READERS[refresher].dataset(uri).optimize.optimize_indices()

    assert zones_of_fragment_1(uri, "s") == [
        (0, 100, "s0550", "s0649", 0), (100, 100, "s0650", "s0749", 20),
        (200, 50, "s0750", "s0799", 0),
    ]
    assert zones_of_fragment_1(uri, "f") == [
        (0, 100, 550.0, 649.0, 10), (100, 100, 650.0, 749.0, 10), (200, 50, 750.0, 799.0, 5),
    ]
    check(uri, {
        "s = 's0560'": (1, 100, 100), "s IS NULL": (20, 20, 20), "f IS NULL": (150, 150, 150),
        "f = 5": (1, 100, 100),
    })


@pytest.mark.parametrize("refresher", READERS)
@pytest.mark.parametrize("rows_per_zone, minimum", [("100", "s0500"), ("050", "s0550")])
def test_v5b_a_seed_is_believed_when_its_zones_have_the_size_of_the_others(
    rows_per_zone, minimum, refresher, tmp_path
):
    uri = str(tmp_path / "t")
    path = seeded_table("theirs", uri)
    with open(path, "rb") as file:
        data = file.read()
    seed = seed_of(path, "s")
    assert (data.count(seed), seed.count(b"s0550")) == (1, 1)
    data = data.replace(seed, seed.replace(b"s0550", b"s0500"))
    (key,) = re.findall(rb"lance\.seed\.s..\d:100", data, re.DOTALL)
    data = data.replace(key, key[:-3] + rows_per_zone.encode())
    with open(path, "wb") as file:
        file.write(data)

    READERS[refresher].dataset(uri).optimize.optimize_indices()

    assert zones_of_fragment_1(uri, "s")[0] == (0, 100, minimum, "s0649", 0)


# V8: what the list of fragments says, and what the file has.


@pytest.mark.parametrize("writer", [lance_cpp, lance], ids=READERS)
def test_v8_a_fragment_that_is_gone_is_not_covered(writer, tmp_path):
    uri = write_table_a(str(tmp_path / "t"))
    segment = Segment({0, 1}, zones_of(0, 1), nulls_of(0, 1))
    index_by_hand(uri, "f", segment, writer=writer)
    check(uri, {"f = 5": (1, 100, 100), "f IS NULL": (150, 150, 150)})
    lance_cpp.dataset(uri).delete("id >= 550")
    lance.write_dataset(table_a(550, 800), uri, mode="append")
    assert [fragment.fragment_id for fragment in lance.dataset(uri).get_fragments()] == [0, 2]
    check(uri, {
        "f = 5": (1, 350, 350), "f = 600": (1, 350, 350), "f IS NULL": (150, 375, 375),
        "f IS NOT NULL": (650, 675, 675), "f IS NULL OR f = 5": (151, 475, 475),
    })
    (index,) = lance_cpp.dataset(uri).describe_indices()
    assert (index.num_rows_indexed, index.num_unindexed_fragments) == (550, 1)


def test_v8_a_fragment_that_is_claimed_without_zones_is_scanned(tmp_path):
    """8.1, 6: the reference finds nothing in it."""
    uri = write_table_a(str(tmp_path / "t"))
    index_by_hand(uri, "f", Segment({0, 1}, zones_of(0), nulls_of(0)))
    check(uri, {
        "f = 5": (1, 350), "f = 600": (1, 350), "f > 540 AND f < 600": (49, 400),
        "f IS NULL": (150, 375), "f IS NOT NULL": (650, 675),
    })
    assert rows_and_read("theirs", uri, "f = 600") == ([], 100)


def test_v8_zones_of_a_fragment_that_is_not_claimed_are_ignored(tmp_path):
    """Those of fragment 1 lie, and so do its null bits."""
    uri = write_table_a(str(tmp_path / "t"))
    lies = [(1, start, length, 5.0, 5.0, 0, 0) for _, start, length, *_ in zones_of(1)]
    index_by_hand(uri, "f", Segment({0}, [*zones_of(0), *lies], {**nulls_of(0), 1: [1, 2]}))
    check(uri, {
        "f = 5": (1, 350, 350), "f = 600": (1, 350, 350), "f IS NULL": (150, 375, 375),
        "f IS NOT NULL": (650, 675, 675), "f IS NULL OR f = 5": (151, 475, 475),
    })


def test_v8b_segments_with_zones_of_each_others_fragments(tmp_path):
    uri = write_table_a(str(tmp_path / "t"))
    index_by_hand(
        uri, "f", Segment({0}, zones_of(0), nulls_of(0)),
        Segment({1}, zones_of(0, 1), nulls_of(0, 1)),
    )
    check(uri, {
        "f = 5": (1, 100, 100), "f < 50": (150, 400, 200), "f <> 5": (649, 700, 800),
        "f > 540 AND f < 600": (49, 250, 250), "f IS NULL": (150, 150, 150),
        "f IS NOT NULL": (650, 650, 650), "f IS NULL OR f = 5": (151, 250, 250),
        "NOT (f = 5 OR f IS NULL)": (649, 650, 650), "f IN (5.0, 505.0)": (1, 250, 250),
    })


@pytest.mark.parametrize("is_merged", [False, True])
def test_v8c_stale_zones_and_null_bits_leave_at_a_refresh(is_merged, tmp_path):
    """8.1, 15: the reference keeps them."""
    uri = write_table_a(str(tmp_path / "t"))
    stale = [(0, start, length, -5.0, -5.0, 0, 0) for _, start, length, *_ in zones_of(0)]
    planted = {0: [7, 8, 9], 1: NULLS_OF_F[1]}
    index_by_hand(uri, "f", Segment({1}, [*stale, *zones_of(1)], planted))
    assert null_bits(uri)[0] == [7, 8, 9]
    check(uri, {"f IS NULL": (150, 575, 575), "f = 600": (1, 650, 650)})
    dataset = lance_cpp.dataset(uri)
    if is_merged:
        lance.write_dataset(table_a(800, 900), uri, mode="append")
        dataset = lance_cpp.dataset(uri)

    dataset.optimize.optimize_indices()

    more = {2: [i - 800 for i in range(803, 900, 10)]} if is_merged else {}
    assert null_bits(uri) == {**NULLS_OF_F, **more}
    zones = lance_cpp.dataset(uri).load_zones("f")
    assert zones.num_rows == 9 + is_merged
    assert pc.sum(pc.equal(zones["min"], -5.0)).as_py() == 0
    nulls = 160 if is_merged else 150
    check(uri, {
        "f IS NULL": (nulls, nulls, nulls), "f = 5": (1, 100, 100), "f = 600": (1, 200, 200),
        "f IS NOT NULL": (740, 740, 740) if is_merged else (650, 650, 650),
    })


def test_v9_a_zone_of_unknown_bounds_is_kept_for_every_value(tmp_path):
    uri = write_table_a(str(tmp_path / "t"))
    lance_cpp.dataset(uri).delete("id >= 200")
    for column, bounds in (("f", (0.0, 1.0)), ("s", ("s0100", "s0199"))):
        zones = [(0, 0, 100, None, None, 0, 0), (0, 100, 100, *bounds, 0, 0)]
        index_by_hand(uri, column, Segment({0}, zones, {}))
    dataset = lance_cpp.dataset(uri)
    assert dataset.load_zones("f")["min"].to_pylist() == [None, 0.0]
    for sql, count, read in [
        ("f = 5", 1, 100), ("f < -5", 0, 100), ("f > 5", 94, 100), ("f IN (5.0, 7.0)", 2, 100),
        ("f IN (5.0, 7.0, 8.0, 9.0, 10.0)", 5, 100), ("f BETWEEN 3 AND 4", 2, 100),
        ("s = 's0005'", 1, 100), ("s < 's0005'", 5, 100), ("s > 's0300'", 0, 100),
        ("s IN ('s0005', 's0007')", 2, 100), ("s LIKE 's000%'", 10, 100),
        ("starts_with(s, 's000')", 10, 100), ("s IS NULL", 0, 0),
    ]:
        right = rows_without_indices(uri, sql)
        assert len(right) == count, sql
        assert rows_and_read("ours", uri, sql) == (right, read), sql
