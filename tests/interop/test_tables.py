"""Tables exchanged with the reference implementation, both ways.

Needs the reference package and lancectl (LANCE_CLI). Neither is optional: without them these tests
fail.
"""

import math

import lance
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lance.indices import IndexConfig
from lancectl import (
    IS_LONG, UNSUPPORTED, assert_same, assert_same_rows, attempt, explain, rng_of, run, scan_ipc,
    to_ipc, write,
)
from random_tables import NEGATIVE_NAN, TYPES, random_schema, random_table

# What the reference says when it refuses to write to a table with a clustering definition. The
# guide quotes it.
REFUSAL = "This dataset cannot be written by this version of Lance"

ROUNDS = range(20 if IS_LONG else 2)


def read_reference(uri, **options):
    """The rows as the reference reads them, checked against its own count."""
    dataset = lance.dataset(str(uri))
    table = dataset.to_table(**options)
    if not options:
        assert dataset.count_rows() == table.num_rows
        assert dataset.schema.equals(table.schema)
    return table


def read_ours(uri):
    """The rows as we read them, checked against our own count."""
    table = scan_ipc(uri)
    assert run("count", uri, "--json").json["rows"] == table.num_rows
    return table


def write_reference(uri, table, mode="append", **options):
    """Write with the reference, in the only format that this version reads."""
    options.setdefault("max_rows_per_file", 1500)
    return lance.write_dataset(table, str(uri), mode=mode, data_storage_version="2.1", **options)


def random_batch_rows(rng):
    return rng.choice([1, 7, 100, 1024, 5000])


# --- Written by us ---------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [0, 1, 2, 1023, 1025])
def test_the_reference_reads_a_table_that_we_created(rows, tmp_path):
    rng = rng_of("create", rows)
    table = random_table(random_schema(), rows, rng)

    write("create", tmp_path / "t.lance", table, batch_rows=max(1, rows // 3))

    assert_same(read_reference(tmp_path / "t.lance"), table)
    assert_same(read_ours(tmp_path / "t.lance"), table)


@pytest.mark.parametrize("round_", ROUNDS)
def test_the_reference_reads_what_we_appended_and_overwrote(round_, tmp_path):
    rng = rng_of("append", round_)
    uri = tmp_path / "t.lance"
    # Parquet has no timestamps in seconds: it would give them back in milliseconds.
    schema = random_schema([type_ for type_ in TYPES if "timestamp[s" not in str(type_)])
    parts = []
    for verb in ["create", "append", "append", "append"]:
        first = sum(part.num_rows for part in parts)
        part = random_table(schema, rng.choice([1, 50, 700, 1500]), rng, first)
        parts.append(part)
        if rng.random() < 0.5:
            pq.write_table(part, tmp_path / "p.parquet", store_schema=True)
            run(verb, uri, tmp_path / "p.parquet", "--max-rows-per-file", "400")
        else:
            write(verb, uri, part, batch_rows=random_batch_rows(rng))
    appended = pa.concat_tables(parts)
    assert_same(read_reference(uri), appended)
    assert_same(read_ours(uri), appended)

    other = random_table(random_schema(rng.sample(TYPES, 5)), 300, rng)
    write("overwrite", uri, other)

    assert_same(read_reference(uri), other)
    assert_same(read_ours(uri), other)
    assert_same(lance.dataset(str(uri), version=4).to_table(), appended)
    assert_same(scan_ipc(uri, "--version", "4"), appended)


@pytest.mark.parametrize("round_", ROUNDS)
def test_the_reference_reads_what_we_clustered(round_, tmp_path):
    rng = rng_of("cluster", round_)
    uri = tmp_path / "t.lance"
    schema = random_schema()
    keys = rng.sample(schema.names[1:], rng.randint(1, 4))
    parts = [random_table(schema, 700, rng, 700 * i) for i in range(5)]
    write("create", uri, parts[0])
    write("append", uri, parts[1])
    run("cluster", "set", uri, "--columns", ",".join(keys))
    assert_same(read_reference(uri), pa.concat_tables(parts[:2]))  # nothing has moved

    write("append", uri, parts[2], batch_rows=random_batch_rows(rng))
    assert_same_rows(read_reference(uri), pa.concat_tables(parts[:3]))

    run("optimize", uri, "--rows-per-zone", "128", "--target-rows-per-fragment", "1000")
    assert_same_rows(read_reference(uri), pa.concat_tables(parts[:3]))

    write("append", uri, parts[3])
    write("append", uri, parts[4], "--no-cluster")
    run("optimize", uri)
    assert_same_rows(read_reference(uri), pa.concat_tables(parts))
    # Both see the same rows in the same order.
    assert_same(read_ours(uri), read_reference(uri))


def test_the_reference_reads_the_columns_it_asks_for(tmp_path):
    table = random_table(random_schema(), 2000, rng_of("columns"))
    write("create", tmp_path / "t.lance", table, "--max-rows-per-file", "600")
    names = ["string", "id", "timestamp_us_UTC", "bool_required"]

    found = read_reference(tmp_path / "t.lance", columns=names, limit=700, offset=550)

    assert_same(found, table.select(names).slice(550, 700))
    rows = [0, 1999, 599, 600, 601]
    taken = lance.dataset(str(tmp_path / "t.lance")).take(rows)
    assert_same(taken, table.take(rows))


def test_a_rolled_back_declaration_leaves_a_table_that_the_reference_reads(tmp_path):
    table = random_table(random_schema(), 500, rng_of("clear"))
    uri = tmp_path / "t.lance"
    write("create", uri, table, "--cluster-by", "string,int32", "--declare")
    run("cluster", "clear", uri)

    assert_same_rows(read_reference(uri), table)


def test_the_reference_reads_what_we_say_about_a_commit(tmp_path):
    uri = tmp_path / "t.lance"
    table = pa.table({"id": [1]})
    write("create", uri, table, "--message", "first", "--property", "a=b", "--property", "c=d=e")
    write("append", uri, table)
    run("cluster", "set", uri, "--columns", "id", "--message", "now sorted")

    dataset = lance.dataset(str(uri))
    said = [dataset.read_transaction(version).transaction_properties for version in [1, 2, 3]]

    assert said[0] == {"__lance_commit_message": "first", "a": "b", "c": "d=e"}
    assert not said[1]
    assert said[2] == {"__lance_commit_message": "now sorted"}


# --- Written by the reference ----------------------------------------------------------------


def reference_parts(rng, count, schema):
    """Tables with texts that the reference does not store as full-zip pages (256 bytes and up)."""
    sizes = [rng.choice([1, 60, 1200, 2500]) for _ in range(count)]
    firsts = [sum(sizes[:i]) for i in range(count)]
    return [
        random_table(schema, size, rng, first, longest_text=200)
        for size, first in zip(sizes, firsts)
    ]


@pytest.mark.parametrize("v2_names", [True, False], ids=["v2 names", "v1 names"])
@pytest.mark.parametrize("round_", ROUNDS)
def test_writers_take_turns(round_, v2_names, tmp_path):
    rng = rng_of("turns", round_, v2_names)
    uri = tmp_path / "t.lance"
    schema = random_schema().with_metadata({"made": "by the reference"})
    parts = reference_parts(rng, 6, schema)

    dataset = write_reference(uri, parts[0], "create", enable_v2_manifest_paths=v2_names)
    dataset.update_config({"owner": "someone"})
    write_reference(uri, parts[1], max_rows_per_file=rng.choice([100, 1500]))
    write_reference(uri, parts[2])
    assert_same(read_ours(uri), pa.concat_tables(parts[:3]))

    write("append", uri, parts[3], batch_rows=random_batch_rows(rng))
    write("append", uri, parts[4])
    assert_same(read_reference(uri), pa.concat_tables(parts[:5]))

    write_reference(uri, parts[5])
    assert_same(read_ours(uri), pa.concat_tables(parts))
    # Our commits kept what was not about them.
    dataset = lance.dataset(str(uri))
    assert dataset.config() == {"owner": "someone"}
    assert dataset.schema.metadata == {b"made": b"by the reference"}
    assert [version["version"] for version in dataset.versions()] == list(range(1, 8))
    names = [path.name for path in (uri / "_versions").glob("*.manifest")]
    assert ("7.manifest" in names) == (not v2_names)


@pytest.mark.parametrize("v2_names", [True, False], ids=["v2 names", "v1 names"])
def test_a_table_of_the_reference_is_clustered(v2_names, tmp_path):
    rng = rng_of("cluster theirs", v2_names)
    uri = tmp_path / "t.lance"
    parts = reference_parts(rng, 4, random_schema())
    write_reference(uri, parts[0], "create", enable_v2_manifest_paths=v2_names)
    write_reference(uri, parts[1])
    write_reference(uri, parts[2])

    run("cluster", "set", uri, "--columns", "int16,string,timestamp_ms_UTC")
    run("optimize", uri, "--rows-per-zone", "100")
    write("append", uri, parts[3])

    assert_same_rows(read_reference(uri), pa.concat_tables(parts))
    assert_same(read_ours(uri), read_reference(uri))


def test_overwrites_of_the_reference_are_read(tmp_path):
    rng = rng_of("overwrite theirs")
    uri = tmp_path / "t.lance"
    first = random_table(random_schema(), 400, rng, longest_text=200)
    second = random_table(random_schema(TYPES[:4]), 30, rng)
    write("create", uri, first)

    write_reference(uri, second, "overwrite")

    assert_same(read_ours(uri), second)
    assert_same(scan_ipc(uri, "--version", "1"), first)


def test_an_empty_table_of_the_reference_is_read_and_appended_to(tmp_path):
    uri = tmp_path / "t.lance"
    schema = random_schema()
    write_reference(uri, schema.empty_table(), "create")
    assert_same(read_ours(uri), schema.empty_table())

    table = random_table(schema, 10, rng_of("empty"))
    write("append", uri, table)

    assert_same(read_reference(uri), table)


def test_a_dropped_column_of_the_reference_is_gone_and_an_added_one_is_null(tmp_path):
    uri = tmp_path / "t.lance"
    table = pa.table({"id": range(50), "gone": range(50), "kept": [f"v{i}" for i in range(50)]})
    dataset = write_reference(uri, table, "create")
    dataset.drop_columns(["gone"])
    dataset.add_columns(pa.field("late", pa.int32()))
    expected = table.drop_columns("gone").append_column("late", pa.nulls(50, pa.int32()))
    assert_same(read_ours(uri), expected)

    more = pa.table({"id": [50], "kept": ["w"], "late": pa.array([7], pa.int32())})
    write("append", uri, more)

    assert_same(read_reference(uri), pa.concat_tables([expected, more]))
    assert_same(read_ours(uri), pa.concat_tables([expected, more]))


# --- Pruning ---------------------------------------------------------------------------------


def clustered_flights(uri, rows=20000, zone=256):
    """Flights in miniature, clustered by two columns with a zonemap each."""
    rng = rng_of("flights")
    places = [f"{a}{b}" for a in "ABCDEFGHIJ" for b in "KLMNOPQRST"]
    table = pa.table(
        {
            "id": range(rows),
            "dest": [rng.choice(places) for _ in range(rows)],
            "day": pa.array([rng.randrange(365) for _ in range(rows)], pa.int32()),
        }
    )
    write("create", uri, table)
    run("cluster", "set", uri, "--columns", "dest,day")
    run("optimize", uri, "--rows-per-zone", zone)
    return table


def scan_reference(uri, filter_):
    """Rows of a scan of the reference, what it counted, and its plan as text."""
    counted = []
    scanner = lance.dataset(str(uri)).scanner(filter=filter_, scan_stats_callback=counted.append)
    table = scanner.to_table()
    plan = lance.dataset(str(uri)).scanner(filter=filter_).analyze_plan()
    return table, counted[0].all_counts, plan


def test_the_reference_prunes_by_our_zonemaps(tmp_path):
    uri = tmp_path / "t.lance"
    table = clustered_flights(uri)

    for filter_, index in [
        ("dest = 'CM'", "@dest_idx(ZoneMap)"),
        ("day >= 100 AND day < 107", "@day_idx(ZoneMap)"),
        ("dest IN ('CM', 'FN') AND day < 50", "@dest_idx(ZoneMap)"),
    ]:
        found, counts, plan = scan_reference(uri, filter_)

        assert index in plan, plan
        assert 0 < counts["rows_scanned"] < table.num_rows / 2, filter_
        ours = explain(uri, filter_, "--analyze")
        assert ours["actual"]["rows_scanned"] == counts["rows_scanned"], filter_
        assert ours["actual"]["rows_returned"] == found.num_rows > 0, filter_


def test_our_zonemaps_look_like_the_references_own(tmp_path):
    ours, theirs = tmp_path / "ours.lance", tmp_path / "theirs.lance"
    clustered_flights(ours)
    sorted_rows = read_reference(ours)
    dataset = lance.write_dataset(sorted_rows, str(theirs), data_storage_version="2.1")
    for name in ["dest", "day"]:
        config = IndexConfig("zonemap", {"rows_per_zone": 256})
        dataset.create_scalar_index(name, config, name=f"{name}_idx")

    for filter_ in ["dest = 'CM'", "day >= 100 AND day < 107", "dest < 'B' AND day = 17"]:
        found, counts, _ = scan_reference(ours, filter_)
        expected, expected_counts, _ = scan_reference(theirs, filter_)
        assert_same(found, expected)
        assert counts["rows_scanned"] == expected_counts["rows_scanned"], filter_


@pytest.mark.parametrize("parameters", [{}, {"rows_per_zone": 128}, {"use_seeds": True}], ids=str)
def test_we_prune_by_a_zonemap_of_the_reference(parameters, tmp_path):
    uri = tmp_path / "t.lance"
    rows = 20000
    table = pa.table({"id": range(rows), "word": [f"w{i // 100:03}" for i in range(rows)]})
    dataset = write_reference(uri, table, "create", max_rows_per_file=9000)
    for name in ["id", "word"]:
        dataset.create_scalar_index(name, IndexConfig("zonemap", dict(parameters)))
    # Rows that the indices do not cover.
    write_reference(uri, pa.table({"id": [5, 10**6], "word": ["w007", "x"]}))

    for filter_, count in [("id = 5", 2), ("id >= 999999", 1), ("word = 'w007'", 101)]:
        plan = explain(uri, filter_, "--analyze")
        assert plan["actual"]["rows_returned"] == count
        assert plan["actual"]["rows_scanned"] < rows
        assert [part["index_type"] for part in plan["predicates"]] == ["zonemap"]
        assert scan_ipc(uri, "--filter", filter_).num_rows == count
        assert scan_ipc(uri, "--filter", filter_, "--no-index").num_rows == count


NOT_A_NUMBER = [
    [math.nan, math.nan],
    [NEGATIVE_NAN, NEGATIVE_NAN],
    [NEGATIVE_NAN, math.nan],
    [math.nan, 5.0],
    [math.nan, -5.0],
    [NEGATIVE_NAN, 5.0],
    [NEGATIVE_NAN, -5.0],
    [NEGATIVE_NAN, 5.0, math.nan, None],
]


@pytest.mark.parametrize("values", NOT_A_NUMBER, ids=str)
@pytest.mark.parametrize("writer", ["ours", "theirs"])
def test_zones_with_nan_lose_no_rows(writer, values, tmp_path):
    """The reference loses rows by its own zonemaps here; by ours neither of us does."""
    uri = tmp_path / "t.lance"
    table = pa.table({"x": pa.array(values, pa.float64())})
    if writer == "ours":
        write("create", uri, table)
        run("cluster", "set", uri, "--columns", "x")
        run("optimize", uri)
    else:
        dataset = write_reference(uri, table, "create")
        dataset.create_scalar_index("x", IndexConfig("zonemap", {}))
    dataset = lance.dataset(str(uri))
    assert dataset.describe_indices()[0].index_type == "ZoneMap"

    for filter_ in ["x > 0.5", "x >= 5", "x < -0.5", "x <= -5", "x = 5", "x IN (5, -5, 7, 8, 9)",
                    "x BETWEEN -9 AND 9", "x > 1000", "x < -1000", "x NOT BETWEEN -9 AND 9"]:
        in_full = dataset.scanner(filter=filter_, use_scalar_index=False).to_table().num_rows
        assert scan_ipc(uri, "--filter", filter_).num_rows == in_full, filter_
        if writer == "ours":
            assert dataset.to_table(filter=filter_).num_rows == in_full, filter_


@pytest.mark.parametrize("kind", ["BTREE", "BITMAP", "BLOOMFILTER"])
def test_other_indices_of_the_reference_are_left_alone(kind, tmp_path):
    uri = tmp_path / "t.lance"
    table = pa.table({"id": range(1000), "few": [i % 7 for i in range(1000)]})
    write_reference(uri, table, "create", max_rows_per_file=5000).create_scalar_index("few", kind)

    assert scan_ipc(uri, "--filter", "few = 3").num_rows == 143
    write("append", uri, pa.table({"id": [1000], "few": [3]}))

    assert scan_ipc(uri, "--filter", "few = 3").num_rows == 144
    dataset = lance.dataset(str(uri))
    assert [index.index_type.upper() for index in dataset.describe_indices()] == [kind]
    assert dataset.count_rows("few = 3") == 144


@pytest.mark.parametrize("kind", ["BTREE", "BITMAP"])
def test_rows_are_found_after_a_rewrite_under_an_index_that_we_do_not_write(kind, tmp_path):
    uri = tmp_path / "t.lance"
    table = pa.table({"id": range(1000), "few": [i % 7 for i in range(1000)]})
    write_reference(uri, table, "create", max_rows_per_file=500).create_scalar_index("few", kind)
    run("cluster", "set", uri, "--columns", "few")

    run("optimize", uri)

    dataset = lance.dataset(str(uri))
    for value, count in [(3, 143), (6, 142), (8, 0)]:
        assert dataset.count_rows(f"few = {value}") == count
        assert scan_ipc(uri, "--filter", f"few = {value}").num_rows == count


# --- What is refused -------------------------------------------------------------------------


WRITES = {
    "append": lambda dataset: lance.write_dataset(dataset.to_table(), dataset.uri, mode="append"),
    "overwrite": lambda dataset: lance.write_dataset(
        dataset.to_table(), dataset.uri, mode="overwrite"
    ),
    "delete": lambda dataset: dataset.delete("id = 1"),
    "update": lambda dataset: dataset.update({"id": "id + 1"}),
    "config": lambda dataset: dataset.update_config({"a": "b"}),
    "compact": lambda dataset: dataset.optimize.compact_files(),
    "index": lambda dataset: dataset.create_scalar_index("id", "BTREE"),
}


@pytest.mark.parametrize("verb", WRITES)
def test_the_reference_refuses_to_write_to_a_declared_table(verb, tmp_path):
    uri = tmp_path / "t.lance"
    table = pa.table({"id": range(10)})
    write("create", uri, table)
    write("append", uri, table)
    run("cluster", "set", uri, "--columns", "id")

    with pytest.raises((OSError, NotImplementedError), match=REFUSAL):
        WRITES[verb](lance.dataset(str(uri)))

    dataset = lance.dataset(str(uri))
    assert dataset.version == 3
    assert dataset.count_rows() == 20


REFUSED = {
    "data file format 0.1 (legacy)": lambda uri, table: lance.write_dataset(
        table, str(uri), data_storage_version="legacy"
    ),
    "data file format 2.3": lambda uri, table: lance.write_dataset(
        table, str(uri), data_storage_version="2.3"
    ),
}


@pytest.mark.parametrize("feature", REFUSED)
def test_what_this_version_lacks_is_refused_by_name(feature, tmp_path):
    uri = tmp_path / "t.lance"
    table = pa.table({"id": range(10)})
    REFUSED[feature](uri, table)

    for arguments in [("scan", uri), ("scan", uri, "--filter", "id = 1", "--format", "ipc")]:
        outcome = attempt(*arguments, "--json")
        assert outcome.code == UNSUPPORTED, outcome
        assert outcome.json_error["detail"]["feature"] == feature
        assert feature in outcome.json_error["message"]
    before = sorted(path.name for path in uri.rglob("*"))
    outcome = attempt("append", uri, "-", "--json", stdin=to_ipc(table))
    assert outcome.code == UNSUPPORTED, outcome
    assert sorted(path.name for path in uri.rglob("*")) == before
