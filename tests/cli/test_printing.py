"""How lancectl prints rows and plans: nested values, streams, orders, durations, estimates."""

import datetime
import json
import subprocess

import pyarrow as pa
import pytest
from lancectl import INVALID, LANCECTL, UNSUPPORTED, attempt, run, scan_ipc, write

DAY = datetime.date(2024, 3, 1)
NESTED = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int64()),
        "tags": [["us", None, 'a"\u00e9'], [], None],
        "geo": [{"country": "JP", "at": {"x": 1.5}}, None, {"country": None, "at": {"x": 2.0}}],
        "days": pa.array([[DAY], None, []], pa.large_list(pa.date32())),
        "pair": pa.array([[1, 2], [3, None], None], pa.list_(pa.int16(), 2)),
        "word": pa.array(["b", None, "b"]).dictionary_encode(),
    }
)


@pytest.fixture
def nested(tmp_path):
    write("create", tmp_path / "n.lance", NESTED)
    return tmp_path / "n.lance"


def test_lists_and_structs_are_json_in_tables_as_in_json_lines(nested):
    lines = run("scan", nested, "--json").json_lines
    assert lines == [
        {
            "id": 1, "tags": ["us", None, 'a"\u00e9'], "geo": {"country": "JP", "at": {"x": 1.5}},
            "days": ["2024-03-01"], "pair": [1, 2], "word": "b",
        },
        {"id": 2, "tags": [], "geo": None, "days": None, "pair": [3, None], "word": None},
        {
            "id": 3, "tags": None, "geo": {"country": None, "at": {"x": 2.0}}, "days": [],
            "pair": None, "word": "b",
        },
    ]
    for name in ["tags", "geo", "days", "pair"]:
        cells = run("scan", nested, "--columns", name).out.splitlines()[1:]
        assert [json.loads(cell or "null") for cell in cells] == [line[name] for line in lines]
    heading, *rows = run("scan", nested, "--columns", "tags,word,id").out.splitlines()
    assert rows[1].split() == ["[]", "2"]
    assert rows[0][heading.index("id")] == "1"  # \u00e9 is one place wide


def test_batches_that_are_slices_print_their_own_items(tmp_path):
    lists = pa.table({"l": [[i, i + 1] if i % 3 else None for i in range(20_000)]})
    write("create", tmp_path / "t", lists, batch_rows=20_000)

    found = run("scan", tmp_path / "t", "--offset", "9000", "--limit", "9000", "--json").json_lines
    assert [line["l"] for line in found] == lists["l"].to_pylist()[9000:18_000]


def test_csv_names_a_column_that_it_cannot_hold(nested):
    outcome = attempt("scan", nested, "--format", "csv")
    assert outcome.code == UNSUPPORTED
    assert "column tags of type list<" in outcome.error
    assert "--columns" in outcome.error and "--format jsonl" in outcome.error
    assert outcome.out == ""
    assert run("scan", nested, "--format", "csv", "--columns", "id").out == '"id"\n1\n2\n3\n'


def test_a_duration_has_its_unit_in_tables_and_is_a_number_elsewhere(tmp_path):
    table = pa.table({"d": pa.array([176013, None], pa.duration("ms")), "n": [1, 2]})
    write("create", tmp_path / "t", table)

    assert run("scan", tmp_path / "t").out == "d          n\n176013 ms  1\n           2\n"
    assert run("scan", tmp_path / "t", "--json").json_lines == [
        {"d": 176013, "n": 1}, {"d": None, "n": 2},
    ]
    assert run("scan", tmp_path / "t", "--format", "csv").out.splitlines()[1] == "176013,1"


def test_rows_are_printed_as_they_come_and_a_closed_pipe_ends_that(tmp_path):
    write("create", tmp_path / "t", pa.table({"n": range(200_000)}), batch_rows=50_000)

    for format_ in ["table", "jsonl", "csv", "ipc"]:
        process = subprocess.Popen(
            [LANCECTL, "scan", tmp_path / "t", "--format", format_],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            restore_signals=False,  # the signal is ignored, as below some parents
        )
        assert process.stdout.read(20)
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(60) != 0  # of the signal: not all rows were printed


@pytest.mark.parametrize(
    "order, ids",
    [
        ("price DESC NULLS LAST", [2, 1, 3]), ("price desc nulls first", [3, 2, 1]),
        ("price  Asc  Nulls  First", [3, 1, 2]), ("PRICE Nulls Last", [1, 2, 3]),
        ("last DESC", [3, 2, 1]), ("last", [1, 2, 3]),
    ],
)
def test_the_words_of_an_order_are_read_in_any_case(order, ids, tmp_path):
    table = pa.table({"id": [1, 2, 3], "price": [1.0, 2.0, None], "last": [1, 2, 3]})
    write("create", tmp_path / "t", table)

    assert scan_ipc(tmp_path / "t", "--order-by", order)["id"].to_pylist() == ids


def test_columns_can_be_computed(nested):
    found = scan_ipc(nested, "--columns", 'id,x=id * 2,"y=coalesce(geo.country, \'-\')"')
    assert found.to_pydict() == {"id": [1, 2, 3], "x": [2, 4, 6], "y": ["JP", "-", "-"]}
    assert attempt("scan", nested, "--columns", "x=nope").code == INVALID


def test_explain_says_members_and_what_is_not_asked_of_statistics(nested):
    filter_ = "geo.country = 'JP' AND upper(word) = 'B' AND tags[1] = 'us' AND _rowid IN (0, 1)"
    lines = run("explain", nested, "--filter", filter_, "--columns", "id,geo").out.splitlines()

    assert lines[0] == "Scan version 1: 1 of 1 fragment, 1 of 1 zone, 3 of 3 rows"
    assert "    geo.country = 'JP': 1 of 1 zone, no statistics" in lines
    for text in ["upper(word) = 'B'", "tags[1] = 'us'", "_rowid IN (0, 1)"]:
        assert f"    {text}: not asked of statistics" in lines
    [early] = [line for line in lines if line.startswith("  read first:")]
    assert early.split() == ["read", "first:", "geo.country", "word", "tags", "_rowid"]
    plan = run("explain", nested, "--filter", filter_, "--json").json
    assert [p["zones_total"] for p in plan["predicates"]] == [1, 0, 0, 0]


def test_an_estimate_is_text_or_json(tmp_path):
    table = pa.table({"id": range(2000), "d": pa.array([5] * 2000, pa.duration("s"))})
    write("create", tmp_path / "t", table)
    run("index", "create", tmp_path / "t", "--column", "id")

    rows, size, heading, first, second = (
        run("explain", tmp_path / "t", "--estimate").out.splitlines()
    )
    assert rows == "rows that come out  exactly 2,000"
    assert size.startswith("bytes to read       at most ")
    assert heading.split() == ["column", "least", "greatest", "most", "nulls", "exact"]
    assert first.split() == ["id", "0", "1999", "0", "yes"]
    assert second.split() == ["d", "?", "?", "?", "no"]
    some = run("explain", tmp_path / "t", "--estimate", "--filter", "id < 5").out
    assert some.startswith("rows that come out  0 to 2,000\n")
    document = run("explain", tmp_path / "t", "--estimate", "--json").json
    assert document["kind"] == "scan_estimate" and document["rows_max"] == 2000


@pytest.mark.parametrize(
    "filter_, hint",
    [
        ("year(day) = 2024", "write date_part('year', x)"),
        ("startswith(word, 'a')", "near names: starts_with"),
        ("qqq(id) = 1", "there is no function qqq; all functions: docs/guide/filters.md"),
        ("EXTRACT(year FROM day) = 1", "date_part('year', x)"),
        ("substr(word, 1, 2) = 'a'", "left(x, n)"),
        ("trim(word) = 'a'", "btrim(x)"),
        ("floor(id) = 1", "x >= 3 AND x < 4"),
        ("CASE WHEN id = 1 THEN TRUE END", "AND and OR"),
        ("day > INTERVAL '1 day'", "compute the time beforehand"),
        ("wrod = 'a'", "near names: word"),
        ("nope = 1", "columns: id, word, day"),
    ],
)
def test_a_filter_that_is_not_known_says_what_to_write(filter_, hint, tmp_path):
    write("create", tmp_path / "t", pa.table({"id": [1], "word": ["a"], "day": [DAY]}))

    outcome = attempt("count", tmp_path / "t", "--filter", filter_)
    assert outcome.code in (INVALID, UNSUPPORTED)
    assert hint in outcome.error
    assert len(outcome.error) < 500
