"""lancectl add-column, drop-column, rename, alter, config, check and cluster prune."""

import lance
import pyarrow as pa
import pytest
from lancectl import INVALID, NOT_FOUND, attempt, run, to_ipc, write


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
    run("alter", table, "t", "--type", "timestamp")
    assert lance.dataset(str(table)).schema.field("t").type == pa.timestamp("us")
    outcome = attempt("alter", table, "t", "--type", "colour")
    assert outcome.code == INVALID
    assert "decimal(P,S)" in outcome.error


TYPES = [
    pa.bool_(), pa.float16(), pa.float32(), pa.float64(), pa.date32(), pa.date64(),
    pa.time32("s"), pa.time64("ns"), pa.duration("ms"), pa.timestamp("ns"),
    pa.timestamp("us", "Europe/Berlin"), pa.timestamp("ms", "+07:30"), pa.decimal128(10, 2),
    pa.decimal256(40, -3), pa.string(), pa.large_string(), pa.large_binary(), pa.binary(4),
    pa.list_(pa.int32()), pa.large_list(pa.string()), pa.list_(pa.float32(), 3),
    pa.list_(pa.field("item", pa.int8(), nullable=False)),
    pa.dictionary(pa.int8(), pa.string()), pa.map_(pa.string(), pa.int32()),
    pa.struct([("a b", pa.list_(pa.struct([("x", pa.decimal128(5, 1)), ("y", pa.int8())]))),
               pa.field("c", pa.timestamp("us", "UTC"), nullable=False)]),
]


def test_every_type_can_be_given_as_schema_prints_it(table):
    """Converting int64 to them mostly fails, but never because the name is not known."""
    for type_ in TYPES:
        outcome = attempt("alter", table, "id", "--type", str(type_))
        assert "is no type" not in outcome.error
        assert outcome.code == 0 or str(type_) in outcome.error, outcome
        if outcome.code == 0:
            assert lance.dataset(str(table)).schema.field("id").type == type_
            run("alter", table, "id", "--type", "int64")


@pytest.mark.parametrize(
    "text", ["int33", "list<", "list<>", "list<int33>", "struct<int8>", "timestamp[m]",
             "time32[us]", "decimal(1)", "decimal(99,1)", "fixed_size_binary[0]",
             "dictionary<int8>", "fixed_size_list<int8>[0]", "map<int8>",
             "list<" * 60 + "int8" + ">" * 60]
)
def test_what_is_no_type_is_said(table, text):
    outcome = attempt("alter", table, "id", f"--type={text}")
    assert outcome.code == INVALID
    assert "is no type" in outcome.error


def test_columns_of_csv_files_can_be_given_types(tmp_path):
    (tmp_path / "a.csv").write_text('id,price,"when,at",s\n1,2.50,2024-01-01 00:00:00Z,x\n,,,\n')
    types = 'id=int32,price=decimal(10,2),"when,at=timestamp[us, tz=UTC]"'
    for verb in ("create", "overwrite"):
        run(verb, tmp_path / "t", tmp_path / "a.csv", "--types", types)
        found = lance.dataset(str(tmp_path / "t")).to_table()
        assert found.schema.types == [
            pa.int32(), pa.decimal128(10, 2), pa.timestamp("us", "UTC"), pa.string()]
        assert found["id"].to_pylist() == [1, None]
    for given, code, word in (
        ("ident=int32", NOT_FOUND, "id, price"), ("id", INVALID, "COLUMN=TYPE"),
        ("id=int33", INVALID, "int33"), ("id=int8,id=int8", INVALID, "two types"),
        ("s=int8", INVALID, "a.csv"),
    ):
        outcome = attempt("create", tmp_path / "u", tmp_path / "a.csv", "--types", given)
        assert (outcome.code, word in outcome.error) == (code, True), outcome
    outcome = attempt("create", tmp_path / "u", "-", "--types", "id=int32",
                      stdin=to_ipc(pa.table({"id": [1]})))
    assert outcome.code == INVALID and "only columns of CSV" in outcome.error
    assert not (tmp_path / "u").exists()


def test_errors_call_options_as_the_command_does(table):
    run("tag", "create", table, "t")
    run("rename", table, "name", "n")
    refused = attempt("cleanup", table, "--older-than", "0s")
    assert "--keep-tagged" in refused.error and "error_if" not in refused.error
    refused = attempt("append", table, "-", "--max-rows-per-file", "0",
                      stdin=to_ipc(pa.table({"id": [1], "n": ["x"]})))
    assert "--max-rows-per-file is 0" in refused.error
    refused = attempt("diff", table, "1", "2", "--json")
    assert "create --enable-stable-row-ids" in refused.json_error["message"]


@pytest.mark.parametrize("name", ["older_than", "max_rows_per_file", "set_clustering"])
def test_errors_leave_names_of_columns_as_they_are(table, name):
    for arguments in (["drop-column", table, name], ["index", "create", table, "--column", name]):
        refused = attempt(*arguments)
        assert refused.code == NOT_FOUND
        assert f"column {name}" in refused.error, refused.error
    assert f"tag {name}" in attempt("tag", "delete", table, name).error


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
    assert "1 definition removed" in run("cluster", "prune", table).out
    assert run("check", table, "--json").json == []
    assert "0 definitions removed" in run("cluster", "prune", table).out
    assert "nothing to report" in run("check", table, "--repair").out
