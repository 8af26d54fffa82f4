"""lancectl add-column, drop-column, rename, alter, config, check and cluster prune."""

import lance
import pyarrow as pa
import pytest
from lancectl import INVALID, NOT_FOUND, attempt, run, write


@pytest.fixture(name="table")
def _table(tmp_path):
    place = tmp_path / "t.lance"
    write("create", place, pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]}))
    return place


def test_columns_are_added_renamed_cast_and_dropped(table):
    run("add-column", table, "twice=id * 2", "full=concat(name, '-', name)")
    run("rename", table, "twice", "double")
    run("alter", table, "double", "--type", "int32")
    run("alter", table, "id", "--nullable", "false")
    changed = run("drop-column", table, "name", "--json").json
    assert changed["kind"] == "dataset"
    assert changed["version"] == 6
    ds = lance.dataset(str(table))
    assert ds.schema == pa.schema(
        [pa.field("id", pa.int64(), nullable=False), ("double", pa.int32()), ("full", pa.string())]
    )
    assert ds.to_table()["double"].to_pylist() == [2, 4, 6]
    assert ds.to_table()["full"].to_pylist() == ["a-a", "b-b", "c-c"]


def test_types_are_said_as_text(table):
    run("add-column", table, "t=CAST('2024-01-01 00:00:00' AS TIMESTAMP)")
    run("alter", table, "t", "--type", "timestamp(ms)")
    assert lance.dataset(str(table)).schema.field("t").type == pa.timestamp("ms")
    outcome = attempt("alter", table, "t", "--type", "colour")
    assert outcome.code == INVALID
    assert "decimal(P,S)" in outcome.error


def test_nothing_to_do_is_success_without_a_version(table):
    assert "nothing to do" in run("rename", table, "id", "id").out
    assert lance.dataset(str(table)).version == 1


@pytest.mark.parametrize(
    "arguments, code, word",
    [
        (["add-column", "x"], INVALID, "NAME=VALUE"),
        (["add-column", "id=1"], INVALID, "id"),
        (["drop-column", "nope"], NOT_FOUND, "nope"),
        (["rename", "nope", "x"], NOT_FOUND, "nope"),
        (["rename", "id", "name"], INVALID, "name"),
        (["alter", "id"], INVALID, "--type"),
        (["alter", "id", "--type", "string"], INVALID, "int64"),
        (["config get", "absent"], NOT_FOUND, "absent"),
        (["config set", "x"], INVALID, "NAME=VALUE"),
        (["config set", "a=b", "--target", "moon"], INVALID, "moon"),
        (["config set", "a=b", "--target", "field:nope"], NOT_FOUND, "nope"),
    ],
)
def test_what_cannot_be_done_is_said_and_has_its_exit_code(table, arguments, code, word):
    command, *rest = arguments
    outcome = attempt(*command.split(), table, *rest)
    assert outcome.code == code
    assert word in outcome.error


def test_config_and_metadata_are_set_read_and_deleted(table):
    run("config", "set", table, "owner=me", "note=a=b")
    assert run("config", "get", table).out == "note=a=b\nowner=me\n"
    assert run("config", "get", table, "owner", "--json").json == {"owner": "me"}
    run("config", "unset", table, "owner")
    run("config", "set", table, "k=1", "--target", "table")
    run("config", "set", table, "k=2", "--target", "schema")
    run("config", "set", table, "k=3", "--target", "field:id", "--message", "units")
    ds = lance.dataset(str(table))
    assert ds.config() == {"note": "a=b"}
    assert ds.metadata == {"k": "1"}
    assert ds.schema.metadata == {b"k": b"2"}
    assert ds.schema.field("id").metadata == {b"k": b"3"}
    assert run("config", "get", table, "--target", "field:id").out == "k=3\n"


def test_check_and_prune(table):
    assert "nothing to report" in run("check", table).out
    run("cluster", "set", table, "--columns", "id")
    run("cluster", "set", table, "--columns", "name")
    found = run("check", table, "--json").json
    assert [finding["code"] for finding in found] == ["clustering_definition_unused"]
    assert "1 definitions removed" in run("cluster", "prune", table).out
    assert run("check", table, "--json").json == []
    assert "0 definitions removed" in run("cluster", "prune", table).out
    assert "nothing to report" in run("check", table, "--repair").out
