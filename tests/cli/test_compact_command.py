"""compact of lancectl: what it prints, changes and refuses."""

import pyarrow as pa
import pytest
from lancectl import INVALID, UNSUPPORTED, attempt, run, scan_ipc, write

ROWS = pa.table({"id": range(60), "city": [f"c{i % 3}" for i in range(60)]})


@pytest.fixture
def table(tmp_path):
    write("create", tmp_path / "t.lance", ROWS, "--max-rows-per-file", 10)
    return tmp_path / "t.lance"


def test_compact_merges_and_keeps_the_order(table):
    run("delete", table, "id = 11")

    done = run("compact", table)

    assert done.out == "rewrote 59 rows: 6 fragments became 1; left 0 rows\nversion 4\n"
    assert scan_ipc(table)["id"].to_pylist() == [id_ for id_ in range(60) if id_ != 11]
    assert run("compact", table).out == "nothing to rewrite; left 0 rows\nno version was created\n"


def test_compact_takes_the_options_of_the_reference(table):
    options = ["--target-rows-per-fragment", 20, "--excluded-fragment-ids", "0,1", "--json"]
    plan = run("compact", table, *options, "--dry-run").json
    assert plan["kind"] == "compaction_plan"
    assert [task["fragment_ids"] for task in plan["tasks"]] == [[2, 3], [4, 5]]

    found = run("compact", table, *options, "--compaction-mode", "try_binary_copy").json
    assert (found["mode"], found["fragments_removed"]) == ("try_binary_copy", 4)
    assert run("compact", table, "--max-source-fragments", 1, "--quiet").out == ""
    assert run("count", table).out == "60\n"


def test_a_dry_run_is_for_people_too(table):
    bounds = ["--target-rows-per-fragment", 20, "--max-source-rows", 40]
    done = run("compact", table, "--dry-run", *bounds)

    assert done.out.splitlines() == [
        "plan for version 1: 2 tasks",
        "task 0: fragments 0 to 1, 20 rows",
        "task 1: fragments 2 to 3, 20 rows",
        "stopped by --max-source-rows 40: fragment 4 would need 60",
    ]


def test_compact_never_clusters(table):
    run("cluster", "set", table, "--columns", "city")

    done = run("compact", table, "--json")
    assert done.json["mode"] == "reencode"
    assert "optimize will rewrite" in done.error
    assert run("compact", table).error == ""  # nothing was rewritten

    assert scan_ipc(table)["id"].to_pylist() == [*range(60)]
    assert run("optimize", table, "--json").json["rows_rewritten"] == 60


@pytest.mark.parametrize(
    "flags, code, message",
    [
        (["--compaction-mode", "cluster"], INVALID, "optimize clusters"),
        (["--target-rows-per-fragment", 0], INVALID, "--target-rows-per-fragment is 0"),
        (["--excluded-fragment-ids", "1,x"], INVALID, '--excluded-fragment-ids has "x"'),
        (["--materialize-deletions-threshold", -1], INVALID, "-threshold is -1"),
        (["--data-storage-version", "2.2"], UNSUPPORTED, "--data-storage-version is 2.2"),
    ],
)
def test_what_compact_refuses(table, flags, code, message):
    outcome = attempt("compact", table, *flags)

    assert outcome.code == code
    assert message in outcome.error


def test_pages_that_cannot_be_copied_are_refused_when_they_must(table):
    run("delete", table, "id = 11")

    outcome = attempt("compact", table, "--compaction-mode", "force_binary_copy")

    assert outcome.code == UNSUPPORTED
    assert "fragment 1 has deleted rows" in outcome.error
