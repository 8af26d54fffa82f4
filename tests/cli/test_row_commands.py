"""delete, truncate, update and merge of lancectl: what they print, change and refuse."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lancectl import INVALID, NOT_FOUND, attempt, run, scan_ipc, to_ipc, write

ROWS = pa.table({"id": range(10), "city": [f"c{i % 3}" for i in range(10)], "n": range(10)})


@pytest.fixture
def table(tmp_path):
    write("create", tmp_path / "t.lance", ROWS, "--max-rows-per-file", 4)
    return tmp_path / "t.lance"


def ids(uri):
    return sorted(scan_ipc(uri)["id"].to_pylist())


def test_delete_says_how_many_rows_went(table):
    assert run("delete", table, "id < 5").out == "version 2: 5 rows deleted\n"
    found = run("delete", table, "city = 'c0'", "--json").json

    assert found["kind"] == "delete_result"
    assert (found["version"], found["num_deleted_rows"]) == (3, 2)
    assert ids(table) == [5, 7, 8]
    assert run("count", table).out == "3\n"


def test_delete_of_nothing_makes_no_version(table):
    assert run("delete", table, "id > 100").out == "0 rows deleted; no version was created\n"
    assert run("delete", table, "id > 100", "--quiet").out == ""


@pytest.mark.parametrize("filter_", [["id = 5"], ["--filter", "id = 5"]])
def test_delete_takes_its_filter_either_way_and_only_once(filter_, table):
    assert run("delete", table, *filter_).out == "version 2: 1 row deleted\n"
    assert ids(table) == [0, 1, 2, 3, 4, 6, 7, 8, 9]
    assert attempt("delete", table, "id = 1", "--filter", "id = 2").code == INVALID
    assert attempt("delete", table).code == INVALID


def test_truncate_leaves_the_schema(table):
    assert run("truncate", table).out == "version 2: 10 rows deleted\n"

    assert scan_ipc(table).column_names == ["id", "city", "n"]
    assert ids(table) == []


def test_update_sets_columns(table):
    done = run(
        "update", table, "--set", "n=n * 2 + 1", "--set", "city=upper(city)", "--where", "id >= 8"
    )

    assert done.out == "version 2: 2 rows updated\n"
    changed = scan_ipc(table, "--filter", "id >= 8").sort_by("id")
    assert changed["n"].to_pylist() == [17, 19]
    assert changed["city"].to_pylist() == ["C2", "C0"]
    found = run("update", table, "--set", "n=0", "--json").json
    assert (found["kind"], found["num_rows_updated"]) == ("update_result", 10)


def test_a_change_that_finds_nothing_makes_no_version_and_says_so(table):
    nothing = "; no version was created\n"
    update = run("update", table, "--set", "n=0", "--filter", "id > 100")
    assert update.out == "0 rows updated" + nothing
    merge = run("merge", table, "-", "--on", "id", "--matched", "delete", stdin=to_ipc(ROWS[:0]))
    assert merge.out == "0 rows inserted, 0 updated, 0 deleted" + nothing
    assert len(run("versions", table, "--json").json_lines) == 1


def test_update_refuses_what_is_no_assignment(table):
    for flags in [["--set", "n"], ["--set", "=1"], ["--set", "n=1", "--set", "n=2"], []]:
        assert attempt("update", table, *flags).code == INVALID
    assert attempt("update", table, "--set", "nope=1").code == NOT_FOUND
    outcome = attempt("update", table, "--set", "n=n +", "--json")
    assert outcome.code == INVALID
    assert outcome.json_error["detail"]["type"] == "FilterError"


def test_merge_says_what_it_did(table, tmp_path):
    news = pa.table({"id": [8, 9, 10], "city": ["x", "y", "z"], "n": [80, 9, 100]})
    pq.write_table(news, tmp_path / "news.parquet")

    done = run(
        "merge", table, tmp_path / "news.parquet", "--on", "id", "--matched", "update",
        "--condition", "source.n > target.n", "--not-matched", "insert",
    )

    assert done.out == "version 2: 1 row inserted, 1 updated, 0 deleted\n"
    changed = scan_ipc(table, "--filter", "id >= 8").sort_by("id")
    assert changed["city"].to_pylist() == ["x", "c0", "z"]


def test_merge_deletes_what_the_source_lacks(table):
    news = pa.table({"id": [8, 9], "city": ["c2", "c0"], "n": [1, 2]})

    found = run(
        "merge", table, "-", "--on", "id,city", "--not-matched-by-source", "delete", "--json",
        stdin=to_ipc(news),
    ).json

    assert found["kind"] == "merge_insert_result"
    counts = [found[f"num_{kind}_rows"] for kind in ["inserted", "updated", "deleted"]]
    assert counts == [0, 0, 8]
    assert ids(table) == [8, 9]


def test_merge_refuses_what_makes_no_sense(table):
    news = to_ipc(ROWS)
    for flags in [
        ["--on", "id"], ["--on", "id", "--matched", "maybe"], ["--matched", "update"],
        ["--on", "id", "--matched", "fail", "--not-matched", "insert"],
        ["--on", "id", "--not-matched", "insert", "--condition", "source.n > 1"],
    ]:
        assert attempt("merge", table, "-", *flags, stdin=news).code == INVALID, flags
    assert ids(table) == list(range(10))
