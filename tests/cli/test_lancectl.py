"""lancectl as a user or a script meets it: commands, flags, outputs and exit codes (api.md 3)."""

import datetime
import json
import os
import re
import signal
import subprocess
import threading

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from lancectl import (
    CORRUPT, EXISTS, INVALID, IO_ERROR, LANCECTL, NOT_FOUND, STOPPED, UNSUPPORTED, assert_same,
    assert_same_rows, attempt, explain, rng_of, run, scan_ipc, to_ipc, write,
)

ROWS = pa.table(
    {
        "id": pa.array(range(100), pa.int64()),
        "city": [f"c{i % 7}" for i in range(100)],
        "price": [i / 4 if i % 10 else None for i in range(100)],
    }
)
COMMON_FLAGS = [
    "--storage-option", "--memory", "--threads", "--json", "--quiet", "--no-progress",
]
COMMIT_FLAGS = ["--message", "--property", "--retries"]
WRITE_FLAGS = [
    "--input-format", "--cluster-by", "--no-cluster", "--max-rows-per-file", "--max-bytes-per-file",
    "--data-storage-version", *COMMIT_FLAGS,
]
FILTER_FLAGS = ["--filter", "--no-pruning"]
SCAN_FLAGS = [*FILTER_FLAGS, "--columns", "--limit", "--offset"]
COMMANDS = {
    "create": [*WRITE_FLAGS, "--declare"],
    "append": WRITE_FLAGS,
    "overwrite": WRITE_FLAGS,
    "delete": COMMIT_FLAGS,
    "truncate": COMMIT_FLAGS,
    "update": ["--set", "--where", *COMMIT_FLAGS],
    "merge": [
        "--input-format", "--on", "--matched", "--not-matched", "--not-matched-by-source",
        "--condition", *COMMIT_FLAGS,
    ],
    "info": [],
    "schema": [],
    "versions": [],
    "scan": [*SCAN_FLAGS, "--format", "--stats"],
    "count": FILTER_FLAGS,
    "explain": [*SCAN_FLAGS, "--analyze"],
    "cluster set": [
        "--columns", "--curve", "--bits-per-dim", "--algorithm", "--layout-version", *COMMIT_FLAGS,
    ],
    "cluster show": [],
    "cluster clear": COMMIT_FLAGS,
    "cluster prune": COMMIT_FLAGS,
    "add-column": COMMIT_FLAGS,
    "drop-column": COMMIT_FLAGS,
    "rename": COMMIT_FLAGS,
    "alter": ["--type", "--nullable", *COMMIT_FLAGS],
    "config get": ["--target"],
    "config set": ["--target", *COMMIT_FLAGS],
    "config unset": ["--target", *COMMIT_FLAGS],
    "check": ["--deep", "--repair", "--version", "--tag", "--as-of", *COMMIT_FLAGS],
    "optimize": [
        "--max-source-rows", "--max-source-fragments", "--max-source-bytes",
        "--target-rows-per-fragment", "--target-rows-per-group", "--max-bytes-per-file",
        "--min-merge-ratio", "--full", "--take-over", "--rows-per-zone", "--dry-run", *COMMIT_FLAGS,
    ],
}


@pytest.fixture
def table(tmp_path):
    """A table of two fragments of 100 and 100 rows, and two versions."""
    uri = tmp_path / "t.lance"
    write("create", uri, ROWS)
    write("append", uri, ROWS)
    return uri


@pytest.fixture
def clustered(table):
    run("cluster", "set", table, "--columns", "city,id")
    run("optimize", table, "--rows-per-zone", "20")
    return table


def all_files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# --- Help and misuse -------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_lists_every_flag(command):
    out = run(*command.split(), "--help").out

    # Writes go onto the newest version, so they take none.
    commits = "--message" in COMMANDS[command]
    version = [] if commits else ["--version"]
    for flag in [*COMMON_FLAGS, *version, *COMMANDS[command]]:
        assert flag in out
    assert "TABLE" in out


def test_help_lists_every_command_and_the_version_is_printed():
    out = run("--help").out
    for command in COMMANDS:
        assert f"\n  {command.split()[0]} " in out
    assert run("--version").out.strip().count(".") == 2


def test_the_one_way_door_is_in_the_help():
    for arguments in [("cluster", "--help"), ("cluster", "set", "--help")]:
        out = run(*arguments).out
        assert "One-way door" in out
        assert "copy the table" in out
    assert "for good" in run("create", "--help").out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["bogus"],
        ["bogus", "t.lance"],
        ["scan"],
        ["scan", "t.lance", "--bogus"],
        ["scan", "t.lance", "other.lance"],
        ["scan", "t.lance", "--limit", "x"],
        ["scan", "t.lance", "--limit", "-1"],
        ["scan", "t.lance", "--offset", "1.5"],
        ["scan", "t.lance", "--version", "-1"],
        ["create", "t.lance"],
        ["cluster", "t.lance"],
        ["cluster", "bogus", "t.lance"],
        ["update", "t.lance", "--set", "id=1", "--where", ""],
        ["cluster", "set", "t.lance"],
        ["append", "t.lance", "a.csv", "--declare"],
        ["optimize", "t.lance", "--max-source-rows"],
    ],
    ids=" ".join,
)
def test_misuse_is_exit_2(arguments, tmp_path):
    outcome = attempt(*arguments, cwd=tmp_path)
    assert outcome.code == INVALID
    assert outcome.error.startswith("lancectl: ")
    assert outcome.error.endswith("--help\n")
    assert outcome.error.count("\n") == 1
    assert outcome.out == ""

    # A script that asks for JSON gets JSON.
    error = attempt(*arguments, "--json", cwd=tmp_path).json_error
    assert error["exit"] == INVALID
    assert error["code"] == "Invalid"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["bogus"], "there is no command bogus; see lancectl --help"),
        (["cluster", "bogus"], "there is no command cluster bogus; see lancectl --help"),
        (["scan"], "TABLE is required; see lancectl scan --help"),
        (["cluster", "set", "t"], "--columns is required; see lancectl cluster set --help"),
    ],
)
def test_misuse_says_what_is_wrong_and_where_to_read_on(arguments, message):
    assert attempt(*arguments).error == f"lancectl: {message}\n"


# --- Failures --------------------------------------------------------------------------------


FAILURES = {
    "no such table": (["scan", "none.lance"], NOT_FOUND, "NotFound"),
    "append to no table": (["append", "none.lance", "a.csv"], NOT_FOUND, "NotFound"),
    "declare on no table": (
        ["cluster", "set", "none.lance", "--columns", "id"], NOT_FOUND, "NotFound"
    ),
    "no such version": (["scan", "t.lance", "--version", "9"], NOT_FOUND, "NotFound"),
    "no such column": (["scan", "t.lance", "--columns", "id,nope"], NOT_FOUND, "NotFound"),
    "no such key": (["cluster", "set", "t.lance", "--columns", "nope"], NOT_FOUND, "NotFound"),
    "table exists": (["create", "t.lance", "a.csv"], EXISTS, None),
    "version 0": (["scan", "t.lance", "--version", "0"], INVALID, None),
    "filter column": (["count", "t.lance", "--filter", "nope = 1"], INVALID, "FilterError"),
    "filter type": (["count", "t.lance", "--filter", "id = 'x'"], INVALID, "FilterError"),
    "filter syntax": (["explain", "t.lance", "--filter", "id ="], INVALID, "FilterError"),
    "filter later": (["scan", "t.lance", "--filter", "id & 1 = 1"], UNSUPPORTED, "FilterError"),
    "open quote in a list": (["scan", "t.lance", "--columns", '"id'], INVALID, None),
    "format": (["scan", "t.lance", "--format", "xml"], INVALID, None),
    "scheme": (["scan", "s3://bucket/t.lance"], INVALID, None),
    "empty name": (["scan", ""], INVALID, None),
    "undeclared": (["optimize", "t.lance"], INVALID, None),
    "size": (["scan", "t.lance", "--memory", "3XB"], INVALID, None),
    "no memory": (["scan", "t.lance", "--memory", "0"], INVALID, None),
    "pair": (["append", "t.lance", "a.csv", "--property", "a"], INVALID, None),
    "storage pair": (["scan", "t.lance", "--storage-option", "=a"], INVALID, None),
    "input absent": (["append", "t.lance", "none.csv"], NOT_FOUND, "NotFound"),
    "input a folder": (["append", "t.lance", "folder.csv"], INVALID, None),
    "input unknown": (["append", "t.lance", "a.txt"], INVALID, None),
    "input broken": (["append", "t.lance", "broken.parquet"], INVALID, None),
    "input other columns": (["append", "t.lance", "other.csv"], INVALID, None),
    "merge of nothing": (["merge", "t.lance", "a.csv", "--on", "id"], INVALID, None),
    "inputs differ": (["create", "u.lance", "a.csv", "other.csv"], INVALID, None),
    "csv from standard input": (["append", "t.lance", "-", "--input-format", "csv"], INVALID, None),
    "rows per file": (["append", "t.lance", "a.csv", "--max-rows-per-file", "0"], INVALID, None),
    "storage version": (
        ["create", "u.lance", "a.csv", "--data-storage-version", "2.3"],
        UNSUPPORTED,
        "UnsupportedFeature",
    ),
    "declare what": (["create", "u.lance", "a.csv", "--declare"], INVALID, None),
    "sorted and not": (
        ["append", "t.lance", "a.csv", "--no-cluster", "--cluster-by", "id"], INVALID, None
    ),
    "curve": (["cluster", "set", "t.lance", "--columns", "id", "--curve", "spiral"], INVALID, None),
    "bits": (
        ["cluster", "set", "t.lance", "--columns", "id", "--bits-per-dim", "65"], INVALID, None,
    ),
    "algorithm": (
        ["cluster", "set", "t.lance", "--columns", "city", "--algorithm", "quantile-rank-v1"],
        INVALID,
        None,
    ),
    "key twice": (["cluster", "set", "t.lance", "--columns", "id,ID"], INVALID, None),
}
CODE_NAMES = {
    INVALID: "Invalid", NOT_FOUND: "Key error", IO_ERROR: "IOError", UNSUPPORTED: "NotImplemented",
    EXISTS: "Already exists",
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures_say_what_is_wrong_and_change_nothing(name, table, tmp_path):
    arguments, code, detail = FAILURES[name]
    (tmp_path / "a.csv").write_text("id,city,price\n1,x,2\n")
    (tmp_path / "a.txt").write_text("id,city,price\n1,x,2\n")
    (tmp_path / "other.csv").write_text("id,town\n1,x\n")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 is not enough")
    (tmp_path / "folder.csv").mkdir()
    before = all_files(tmp_path)

    outcome = attempt(*arguments, cwd=tmp_path)
    assert outcome.code == code, outcome
    assert outcome.out == ""
    assert outcome.error.startswith("lancectl: ")
    names = re.findall(r"[\w-]+\.(?:lance|csv|parquet|txt)\b", outcome.error)
    assert sorted(names) == sorted(set(names)), outcome
    if detail != "FilterError":  # which shows the place below the message
        assert outcome.error.count("\n") == 1

    with_json = attempt(*arguments, "--json", cwd=tmp_path)
    assert with_json.code == code
    error = with_json.json_error
    assert error["code"] == CODE_NAMES[code]
    assert error["exit"] == code
    assert error["retryable"] is False
    assert (error["detail"] or {}).get("type") == detail
    assert "lancectl: " + error["message"] == outcome.error.removesuffix("\n")
    assert all_files(tmp_path) == before


def test_a_filter_error_shows_the_place(table):
    outcome = attempt("scan", table, "--filter", "id > 1 AND nope = 2")
    assert outcome.error.endswith("  id > 1 AND nope = 2\n             ^^^^\n")

    failed = attempt("scan", table, "--filter", "id > 1 AND nope = 2", "--json")
    detail = failed.json_error["detail"]
    assert detail == {"type": "FilterError", "offset": 11, "length": 4}


def flip(path, offset):
    data = bytearray(path.read_bytes())
    data[offset] ^= 0xFF
    path.write_bytes(data)


def newest_manifest(table):
    return min((table / "_versions").glob("*.manifest"))  # the names count down


CORRUPTIONS = {
    "manifest magic": lambda table: flip(newest_manifest(table), -1),
    "manifest length": lambda table: flip(newest_manifest(table), -14),
    "manifest cut": lambda table: os.truncate(newest_manifest(table), 30),
    "manifest empty": lambda table: os.truncate(newest_manifest(table), 0),
    "data file magic": lambda table: flip(min((table / "data").iterdir()), -1),
    "data file footer": lambda table: flip(min((table / "data").iterdir()), -20),
    "data file column table": lambda table: flip(min((table / "data").iterdir()), -38),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corrupt_bytes_are_exit_7_and_name_the_file(name, table):
    CORRUPTIONS[name](table)

    outcome = attempt("scan", table, "--json")

    assert outcome.code == CORRUPT, outcome
    detail = outcome.json_error["detail"]
    assert detail["type"] == "CorruptFile"
    folder = "_versions/" if "manifest" in name else "data/"
    assert detail["path"].startswith(folder), detail
    assert (table / detail["path"]).exists()


def test_any_flipped_byte_gives_a_truthful_code(clustered):
    """Whatever is damaged: rows or a truthful refusal, never a crash."""
    rng = rng_of("flips")
    write("append", clustered, ROWS)
    paths = [newest_manifest(clustered), *(clustered / "data").iterdir()]
    paths += list((clustered / "_indices").rglob("*.lance"))
    for path in paths:
        data = path.read_bytes()
        for _ in range(4):
            flip(path, rng.randrange(len(data)))
            outcome = attempt("scan", clustered, "--filter", "city = 'c3' OR id < 5")
            assert outcome.code in (0, NOT_FOUND, CORRUPT, UNSUPPORTED), (path, outcome)
            path.write_bytes(data)


def test_any_bytes_in_a_path_are_fine(tmp_path):
    """Linux has no encoding of file names."""
    uri = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.lance")
    write("create", uri, ROWS)

    assert run("info", uri, "--json").json["uri"].endswith("caf\ufffd.lance")
    assert run("count", uri).out == "100\n"
    assert attempt("scan", uri + ".none", "--json").json_error["exit"] == NOT_FOUND


def test_names_and_metadata_do_not_steer_the_terminal(tmp_path):
    uri = tmp_path / "t.lance"
    write("create", uri, pa.table({"red\x1b[31m": [1]}))
    run("config", "set", uri, "key=\x1b]0;title\x07")

    for command in ("schema", "scan"):
        assert "red\\x1b[31m" in run(command, uri).out
    assert run("config", "get", uri).out == "key=\\x1b]0;title\\x07\n"


def test_messages_do_not_steer_the_terminal_either(tmp_path):
    """What a damaged file holds can be part of a message."""
    uri = tmp_path / "t.lance"
    write("create", uri, ROWS)
    [path] = (uri / "data").iterdir()
    steering = b"\x1b[3m\xff\xc2\x9b\xc3\xa9.Column"
    path.write_bytes(path.read_bytes().replace(b"encodings.Column", steering))

    shown = "\\x1b[3m\\xff\\xc2\\x9b\u00e9.Column"
    assert shown in attempt("scan", uri).error
    assert shown in attempt("check", uri, "--deep").out
    assert "\n  nope\n  ^^^^" in attempt("scan", uri, "--filter", "nope").error


# --- Writing ---------------------------------------------------------------------------------


def test_rows_come_from_standard_input_parquet_arrow_and_csv(tmp_path):
    pq.write_table(ROWS, tmp_path / "a.parquet")
    pyarrow.feather.write_feather(ROWS, tmp_path / "b.feather", compression="uncompressed")
    path = str(tmp_path / "c.arrow")
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, ROWS.schema) as w:
        w.write_table(ROWS)
    (tmp_path / "d.data").write_bytes((tmp_path / "a.parquet").read_bytes())
    pa.csv.write_csv(ROWS, tmp_path / "e.csv")
    uri = tmp_path / "t.lance"

    write("create", uri, ROWS)
    run("append", uri, tmp_path / "a.parquet", tmp_path / "b.feather")
    run("append", uri, tmp_path / "c.arrow")
    run("append", uri, tmp_path / "d.data", "--input-format", "parquet")
    run("append", uri, tmp_path / "e.csv")

    assert_same(scan_ipc(uri), pa.concat_tables([ROWS] * 6))


def test_an_overwrite_infers_the_types_of_csv_as_a_create_does(tmp_path):
    uri = tmp_path / "t.lance"
    write("create", uri, pa.table({"id": pa.array([1], pa.int8()), "at": [2.5]}))
    (tmp_path / "a.csv").write_text("id,at,new\n300,2013-03-01,x\n")

    run("overwrite", uri, tmp_path / "a.csv")
    run("create", tmp_path / "u.lance", tmp_path / "a.csv")

    found = scan_ipc(uri)
    assert_same(found, scan_ipc(tmp_path / "u.lance"))
    assert found.schema.types == [pa.int64(), pa.date32(), pa.string()]


def test_csv_columns_are_cast_by_name_to_the_types_of_the_table(tmp_path):
    schema = pa.schema(
        [
            pa.field("id", pa.int8(), nullable=False),
            ("small", pa.uint16()),
            ("ratio", pa.float32()),
            ("ok", pa.bool_()),
            ("name", pa.utf8()),
            ("day", pa.date32()),
            ("at", pa.timestamp("ms", "UTC")),
            ("local", pa.timestamp("us")),
        ]
    )
    uri = tmp_path / "t.lance"
    write("create", uri, schema.empty_table())
    (tmp_path / "a.csv").write_text(
        "at,local,day,name,ok,ratio,small,id\n"
        "2013-01-01 05:00:00Z,2013-01-01 05:00:00.25,2013-01-01,7,true,0.5,65535,1\n"
        'NA,,NA,NA,,,"",2\n'
    )

    run("append", uri, tmp_path / "a.csv")

    moment = datetime.datetime(2013, 1, 1, 5, tzinfo=datetime.timezone.utc)
    rows = [
        {
            "id": 1, "small": 65535, "ratio": 0.5, "ok": True, "name": "7",
            "day": datetime.date(2013, 1, 1), "at": moment,
            "local": datetime.datetime(2013, 1, 1, 5, 0, 0, 250000),
        },
        {"id": 2},
    ]
    assert_same(scan_ipc(uri), pa.Table.from_pylist(rows, schema))

    # Columns that are not there are null; a value that does not fit is refused.
    (tmp_path / "b.csv").write_text("id\n3\n")
    run("append", uri, tmp_path / "b.csv")
    assert scan_ipc(uri, "--filter", "id = 3")["name"].to_pylist() == [None]
    for text, place in [("id\n300\n", "300"), ("small\n3\n", "id"), ("id,ok\n4,maybe\n", "maybe")]:
        (tmp_path / "c.csv").write_text(text)
        outcome = attempt("append", uri, tmp_path / "c.csv")
        assert outcome.code == INVALID
        assert place in outcome.error


@pytest.mark.parametrize(
    "name",
    [
        "two words", "\u00fcn\u00ef \u8868", "100%", "a%20b", "q?x#y", "it's", "new\nline",
        "a:b", "~t",
        "deep/er/t.lance", "slash/",
    ],
)
def test_a_path_is_taken_as_it_is(name, tmp_path):
    write("create", tmp_path / name, ROWS)

    assert (tmp_path / name.rstrip("/") / "_versions").is_dir()
    run("append", tmp_path / name, "-", stdin=to_ipc(ROWS))
    assert run("count", name, cwd=tmp_path).out == "200\n"
    assert run("info", tmp_path / name, "--json").json["uri"] == str(tmp_path / name).rstrip("/")


def test_a_uri_is_decoded(tmp_path):
    run("create", f"file://{tmp_path}/two%20w%C3%B6rds", "-", stdin=to_ipc(ROWS))

    assert run("count", tmp_path / "two w\u00f6rds").out == "100\n"
    for bad in ["a?b", "a#b", "%zz", "%00"]:
        assert attempt("count", f"file://{tmp_path}/{bad}").code == INVALID


def test_overwrite_replaces_rows_and_schema_and_old_versions_stay(table):
    other = pa.table({"x": pa.array([1, 2], pa.int16())})

    result = write("overwrite", table, other, "--json").json

    assert result["kind"] == "write_result"
    assert result["version"] == 3
    assert_same(scan_ipc(table), other)
    assert_same(scan_ipc(table, "--version", "1"), ROWS)
    assert run("count", table, "--version", "2").out == "200\n"
    # Without a table it makes one.
    write("overwrite", table.parent / "new.lance", other)
    assert_same(scan_ipc(table.parent / "new.lance"), other)


def test_files_are_cut_where_asked(tmp_path):
    result = write("create", tmp_path / "a", ROWS, "--max-rows-per-file", "30", "--json").json
    assert result["num_fragments"] == 4
    assert result["num_rows"] == 100
    assert len(list((tmp_path / "a/data").iterdir())) == 4

    result = write(
        "create", tmp_path / "b", pa.concat_tables([ROWS] * 500), "--max-bytes-per-file", "64KiB",
        "--json",
    ).json
    assert result["num_fragments"] > 3
    assert result["bytes_written"] == sum(
        path.stat().st_size for path in (tmp_path / "b/data").iterdir()
    )


def test_one_shot_sort_declares_nothing_and_says_so(tmp_path):
    outcome = write("create", tmp_path / "t", ROWS, "--cluster-by", "city,id")

    assert outcome.error.startswith("warning: ")
    assert "one_shot_sort" in outcome.error
    assert run("cluster", "show", tmp_path / "t", "--json").json is None
    found = scan_ipc(tmp_path / "t")
    assert found["id"].to_pylist() != ROWS["id"].to_pylist()
    assert_same_rows(found, ROWS)
    quiet = write("create", tmp_path / "u", ROWS, "--cluster-by", "city,id", "--quiet")
    assert quiet.error == "" and quiet.out == ""


def test_create_with_declare_stamps_the_first_rows(tmp_path):
    result = write("create", tmp_path / "t", ROWS, "--cluster-by", "city,id", "--declare", "--json")

    assert result.error == ""
    assert result.json["stamped"] is True
    assert result.json["clustered_by"]["columns"] == ["city", "id"]
    info = run("info", tmp_path / "t", "--json").json
    assert info["stamped_fragments"] == info["fragments"] == 1
    assert info["clustering"] == run("cluster", "show", tmp_path / "t", "--json").json
    # The next optimize has zonemaps to make and no rows to move.
    assert run("optimize", tmp_path / "t", "--json").json["rows_rewritten"] == 0


def test_writes_to_a_declared_table_inherit_switch_off_or_repeat(clustered):
    def append(*arguments):
        return attempt("append", clustered, "-", "--json", *arguments, stdin=to_ipc(ROWS))

    assert append().json["stamped"] is True
    assert append("--cluster-by", "city,id").json["stamped"] is True
    assert append("--no-cluster").json["stamped"] is False
    refused = append("--cluster-by", "id,city")
    assert refused.code == INVALID
    assert "city, id" in refused.json_error["message"]


def test_quiet_says_nothing_on_success(table, tmp_path):
    (tmp_path / "a.csv").write_text("id,city,price\n1,x,2\n")
    for arguments in [
        ["create", tmp_path / "q.lance", tmp_path / "a.csv"],
        ["append", table, tmp_path / "a.csv"],
        ["overwrite", tmp_path / "q.lance", tmp_path / "a.csv"],
        ["cluster", "set", table, "--columns", "id"],
        ["optimize", table],
        ["optimize", table],
        ["cluster", "clear", table],
    ]:
        for json_flag in [[], ["--json"]]:
            if json_flag and arguments[0] == "create":
                continue
            outcome = run(*arguments, "--quiet", *json_flag)
            assert outcome.out == "" and outcome.error == "", outcome


# --- Looking ---------------------------------------------------------------------------------


def test_formats(tmp_path):
    table = pa.table(
        {
            "n": pa.array([1, None], pa.uint64()),
            "f": [float("nan"), float("-inf")],
            "t": ["a,\"b\"\u00e9", None],
            "b": [True, None],
            "d": [datetime.date(2013, 3, 1), None],
            "at": pa.array([datetime.datetime(2013, 3, 1, 5), None], pa.timestamp("s", "UTC")),
        }
    )
    uri = tmp_path / "t.lance"
    write("create", uri, table)

    lines = run("scan", uri, "--format", "jsonl").json_lines
    assert lines == run("scan", uri, "--json").json_lines
    assert lines[0]["n"] == 1 and lines[0]["f"] == "NaN" and lines[0]["t"] == 'a,"b"\u00e9'
    assert lines[0]["b"] is True and lines[0]["d"] == "2013-03-01"
    assert lines[0]["at"].startswith("2013-03-01 05:00:00")
    assert lines[1] == {"n": None, "f": "-Infinity", "t": None, "b": None, "d": None, "at": None}
    assert_same(scan_ipc(uri), table)
    csv = run("scan", uri, "--format", "csv").out.splitlines()
    assert csv[0] == '"n","f","t","b","d","at"'
    assert csv[1].startswith('1,nan,"a,""b""\u00e9",true,2013-03-01,2013-03-01 05:00:00')
    assert csv[2] == ",-inf,,,,"
    text = run("scan", uri).out.splitlines()
    assert text[0].split() == ["n", "f", "t", "b", "d", "at"]
    assert len(text) == 3
    # A format that is asked for wins over --json, which then only says how errors look.
    assert run("scan", uri, "--format", "csv", "--json").out.splitlines() == csv


def test_limit_and_offset_count_rows_that_pass(table):
    def ids(*arguments):
        return scan_ipc(table, "--columns", "id", *arguments)["id"].to_pylist()

    both = [*range(100), *range(100)]
    assert ids("--limit", "3") == [0, 1, 2]
    assert ids("--offset", "198") == [98, 99]
    assert ids("--limit", "4", "--offset", "98") == [98, 99, 0, 1]
    assert ids("--limit", "0") == []
    assert ids("--offset", "200") == []
    assert ids("--limit", "18446744073709551615") == both
    assert ids("--filter", "id > 90", "--limit", "3", "--offset", "8") == [99, 91, 92]


def test_columns_are_a_list_with_csv_quotes(tmp_path):
    table = pa.table(
        {"a,b": [1], 'q"t': [2], "two words": [3], "`k": [4], "Case": [5], "case": [6]}
    )
    uri = tmp_path / "t.lance"
    write("create", uri, table)

    for text, names in [
        ('"a,b"', ["a,b"]),
        ('"q""t",two words', ['q"t', "two words"]),
        ("`k, case", ["`k", "case"]),
        ("Case", ["Case"]),
        ("TWO WORDS", ["two words"]),
    ]:
        assert_same(scan_ipc(uri, "--columns", text), table.select(names))
    assert attempt("scan", uri, "--columns", "CASE").code == NOT_FOUND
    # Filters quote with backticks.
    assert run("count", uri, "--filter", "`a,b` = 1 AND `q\"t` = 2 AND ```k` = 4").out == "1\n"
    run("cluster", "set", uri, "--columns", '"a,b",two words')
    assert run("cluster", "show", uri, "--json").json["columns"] == ["a,b", "two words"]


def test_versions_and_one_version(table):
    lines = run("versions", table, "--json").json_lines

    assert [line["version"] for line in lines] == [1, 2]
    assert [line["metadata"]["total_rows"] for line in lines] == ["100", "200"]
    assert all(line["kind"] == "version_info" for line in lines)
    assert lines[0]["timestamp"] < lines[1]["timestamp"]
    assert lines[0]["timestamp"].endswith("Z")
    assert len(run("versions", table).out.splitlines()) == 3
    assert run("info", table, "--version", "1", "--json").json["rows"] == 100
    assert run("count", table, "--version", "1", "--json").json["rows"] == 100


def test_schema_and_info(clustered):
    schema = run("schema", clustered, "--json").json
    assert schema["fields"] == [
        {"name": "id", "type": "int64", "nullable": True},
        {"name": "city", "type": "string", "nullable": True},
        {"name": "price", "type": "double", "nullable": True},
    ]
    assert "city" in run("schema", clustered).out

    info = run("info", clustered, "--json").json
    assert info["rows"] == 200
    assert info["fragments"] == info["stamped_fragments"] == 1
    assert [index["name"] for index in info["indices"]] == ["city_idx", "id_idx"]
    assert all(index["index_type"] == "ZoneMap" for index in info["indices"])
    assert info["properties"]["config"]["lance.clustering.columns"] == '["city","id"]'
    assert info["properties"]["reader_flags"] == 0
    assert info["properties"]["writer_flags"] & (1 << 17)
    text = run("info", clustered).out
    assert "200" in text and "city_idx" in text


def test_count_scan_and_explain_agree_with_and_without_pruning(clustered):
    for filter_ in ["city = 'c3'", "id < 10 AND price IS NOT NULL", "price IS NULL", "id > 1000"]:
        rows = scan_ipc(clustered, "--filter", filter_).num_rows
        for flags in [[], ["--no-pruning"], ["--no-index"]]:
            assert run("count", clustered, "--filter", filter_, *flags).out == f"{rows}\n"
        actual = explain(clustered, filter_, "--analyze")["actual"]
        assert actual["rows_returned"] == rows
        in_full = explain(clustered, filter_, "--analyze", "--no-pruning")
        assert in_full["actual"]["rows_scanned"] == 200
        assert in_full["zones"]["kept"] == in_full["zones"]["total"]
    assert explain(clustered, "id < 10")["actual"] is None
    assert run("explain", clustered, "--filter", "city = 'c3'").out.startswith("Scan version")


def test_statistics_go_to_standard_error(clustered):
    outcome = run("scan", clustered, "--filter", "city = 'c3'", "--format", "csv", "--stats")

    statistics = json.loads(outcome.error)
    assert statistics["kind"] == "scan_statistics"
    assert statistics["rows_returned"] == len(outcome.out.splitlines()) - 1 == 28
    assert statistics["zones_kept"] < statistics["zones_total"] == 10


# --- Clustering ------------------------------------------------------------------------------


def test_cluster_set_show_and_clear(table):
    assert run("cluster", "show", table).out == "no clustering is declared\n"

    text = run("cluster", "set", table, "--columns", "CITY,id", "--curve", "zorder").out
    assert text.startswith("clustered by city, id; curve zorder, 16 bits, typed-quantile-rank-v2")
    spec = run("cluster", "show", table, "--json").json
    assert spec == {
        "columns": ["city", "id"], "curve": "zorder", "version": 1, "bits_per_dim": 16,
        "algorithm": "typed-quantile-rank-v2",
    }
    assert run("versions", table, "--json").json_lines[-1]["version"] == 3

    # The same again is no new version.
    run("cluster", "set", table, "--columns", "city,id", "--curve", "zorder")
    assert len(run("versions", table, "--json").json_lines) == 3

    assert run("cluster", "clear", table).out == "declaration removed; table version 4\n"
    assert run("cluster", "clear", table).out == "no clustering is declared\n"
    assert run("cluster", "show", table, "--json").json is None
    undeclared = attempt("optimize", table)
    assert undeclared.code == INVALID
    # Calls of the library have the names of commands.
    assert "declare it with cluster set. Ordinary compaction (compact)" in undeclared.error

    # What was declared once is known for good.
    spec = run("cluster", "set", table, "--columns", "id", "--bits-per-dim", "8", "--json").json
    assert spec["version"] == 2
    assert spec["bits_per_dim"] == 8
    assert spec["algorithm"] == "quantile-rank-v1"
    given = run("cluster", "set", table, "--columns", "id", "--layout-version", "7", "--json").json
    assert given["version"] == 7
    lower = attempt("cluster", "set", table, "--columns", "city", "--layout-version", "6")
    assert lower.code == INVALID


def test_many_keys_are_warned_about(tmp_path):
    write("create", tmp_path / "t", pa.table({name: [1] for name in "abcdefghijklmnopq"}))

    outcome = run("cluster", "set", tmp_path / "t", "--columns", "a,b,c,d,e")
    assert "many_clustering_columns" in outcome.error

    many = ",".join("abcdefghijklmnopq")
    assert attempt("cluster", "set", tmp_path / "t", "--columns", many).code == INVALID


def test_optimize_within_a_budget_and_to_the_end(table):
    run("cluster", "set", table, "--columns", "city,id")
    first = run("optimize", table, "--max-source-rows", "100", "--json").json
    assert first["rows_rewritten"] == 100
    assert first["stopped_by"]["budget"] == "max_source_rows"
    assert first["stopped_by"]["allowed"] == 100
    assert first["version"] == first["versions"][-1]
    assert_same_rows_twice(table)

    second = run("optimize", table, "--json").json
    assert second["stopped_by"] is None
    assert second["remaining"]["rows"] == 0
    assert_same_rows_twice(table)

    before = all_files(table)
    third = run("optimize", table, "--json").json
    assert third["version"] is None and third["versions"] == []
    assert third["rows_rewritten"] == third["tasks_planned"] == 0
    assert all_files(table) == before
    assert "no version was created" in run("optimize", table).out

    full = run("optimize", table, "--full", "--json").json
    assert full["rows_rewritten"] == 200
    assert_same_rows_twice(table)


def assert_same_rows_twice(table):
    found = scan_ipc(table)["id"].to_pylist()
    assert sorted(found) == sorted([*range(100), *range(100)])


def test_a_dry_run_prints_the_plan_and_changes_nothing(table):
    run("cluster", "set", table, "--columns", "city")
    before = all_files(table)

    plan = run("optimize", table, "--dry-run", "--rows-per-zone", "64", "--json").json

    assert plan["totals"] == {
        "fragments": 2, "rows": 200, "bytes": sum(task["bytes"] for task in plan["tasks"]),
    }
    assert [task["fragment_ids"] for task in plan["tasks"]] == [[0, 1]]
    assert plan["options"]["rows_per_zone"] == 64
    assert plan["zonemaps"] == [{"column": "city", "action": "create"}]
    again = run("optimize", table, "--dry-run", "--rows-per-zone", "64", "--json").json
    assert again["plan_id"] == plan["plan_id"]
    other = run("optimize", table, "--dry-run", "--rows-per-zone", "65", "--json").json
    assert other["plan_id"] != plan["plan_id"]
    text = run("optimize", table, "--dry-run").out
    assert "2 fragments" in text and "200 rows" in text
    assert all_files(table) == before


def test_target_rows_cut_fragments(table):
    run("cluster", "set", table, "--columns", "id")

    result = run("optimize", table, "--target-rows-per-fragment", "60", "--json").json

    assert result["fragments_added"] == 4  # 60, 60, 60 and 20
    assert run("info", table, "--json").json["fragments"] == 4


# --- Shapes ----------------------------------------------------------------------------------


SPEC_KEYS = {"columns", "curve", "version", "bits_per_dim", "algorithm"}
SIZE_KEYS = {"fragments", "rows", "bytes"}
PLAN_KEYS = {
    "kind", "format", "plan_id", "table_uri", "read_version", "spec", "options", "tasks", "totals",
    "remaining", "stopped_by", "left_out", "zonemaps",
}
OPTION_KEYS = {
    "compaction_mode", "target_rows_per_fragment", "max_bytes_per_file", "max_source_fragments",
    "max_source_rows", "max_source_bytes", "full", "target_rows_per_group", "min_merge_ratio",
    "take_over", "rows_per_zone", "index_policy",
}
RESULT_KEYS = {
    "kind", "format", "mode", "version", "versions", "fragments_removed", "fragments_added",
    "files_removed", "files_added", "rows_rewritten", "bytes_read", "bytes_written", "seconds",
    "tasks_planned", "tasks_committed", "tasks_conflicted", "stopped_by", "remaining", "zonemaps",
    "uncovered_indices", "reclaimable_bytes",
}
EXPLANATION_KEYS = {
    "kind", "format", "table_version", "filter", "predicates", "fragments", "zones", "rows",
    "bytes", "late_materialization", "text", "actual",
}
STATISTICS_KEYS = {
    "iops", "requests", "bytes_read", "indices_loaded", "parts_loaded", "index_comparisons",
    "index_cache_hits", "index_cache_misses", "fragments_scanned", "ranges_scanned", "rows_scanned",
    "rows_returned", "zones_kept", "zones_total", "fragments_kept", "fragments_total", "seconds",
}


def test_json_documents_have_the_keys_of_the_vocabulary(table):
    spec = run("cluster", "set", table, "--columns", "city", "--json").json
    assert set(spec) == SPEC_KEYS  # bare: no kind

    plan = run("optimize", table, "--dry-run", "--json").json
    assert set(plan) >= PLAN_KEYS
    assert set(plan["options"]) >= OPTION_KEYS
    assert set(plan["spec"]) == SPEC_KEYS
    assert set(plan["totals"]) == set(plan["remaining"]) == SIZE_KEYS
    assert set(plan["tasks"][0]) >= SIZE_KEYS | {"task_id", "fragment_ids", "reason"}

    result = run("optimize", table, "--json", "--max-source-rows", "100").json
    assert set(result) >= RESULT_KEYS
    assert set(result["stopped_by"]) == {"budget", "allowed", "needed", "next_fragment_id"}
    assert set(result["zonemaps"][0]) == {"column", "covered_fragments", "error"}

    explanation = explain(table, "city = 'c3'", "--analyze")
    assert set(explanation) >= EXPLANATION_KEYS
    for part in ["fragments", "zones", "rows", "bytes"]:
        assert set(explanation[part]) == {"kept", "total"}
    assert set(explanation["predicates"][0]) == {
        "predicate", "index", "index_type", "exact", "zones_kept", "zones_total",
    }
    assert set(explanation["actual"]) == STATISTICS_KEYS

    kinds = {
        "clustering_plan": plan,
        "compaction_result": result,
        "scan_explanation": explanation,
        "write_result": write("append", table, ROWS, "--json").json,
        "info": run("info", table, "--json").json,
        "schema": run("schema", table, "--json").json,
        "count": run("count", table, "--json").json,
        "version_info": run("versions", table, "--json").json_lines[0],
    }
    for kind, document in kinds.items():
        assert document["kind"] == kind
        assert document["format"] == 1


# --- Interrupts ------------------------------------------------------------------------------


def feed_until_interrupted(arguments, schema):
    """Feed lancectl rows without an end, interrupt it in the middle. \return code and errors"""
    process = subprocess.Popen(
        [LANCECTL, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    is_fed = threading.Event()

    def feed():
        batch = pa.record_batch([pa.array(range(50000), pa.int64())], schema=schema)
        try:
            with pa.ipc.new_stream(process.stdin, schema) as stream:
                for count in range(2000):  # 800 MB: an end, should the signal be lost
                    stream.write_batch(batch)
                    if count == 20:  # 8 MB were taken: it runs, and its handler is there
                        is_fed.set()
        except (BrokenPipeError, OSError):
            pass
        finally:
            is_fed.set()

    feeder = threading.Thread(target=feed)
    feeder.start()
    assert is_fed.wait(60)
    process.send_signal(signal.SIGINT)
    error = process.stderr.read().decode()  # until it has ended
    code = process.wait(60)
    feeder.join(60)
    process.stdout.close()
    process.stderr.close()
    return code, error


@pytest.mark.parametrize("is_declared", [False, True], ids=["undeclared", "declared"])
def test_an_interrupted_append_leaves_the_old_version_and_no_file(is_declared, tmp_path):
    uri = tmp_path / "t.lance"
    table = pa.table({"id": pa.array(range(10), pa.int64())})
    write("create", uri, table)
    if is_declared:
        run("cluster", "set", uri, "--columns", "id")
    before = all_files(uri)

    arguments = ["append", uri, "-", "--max-rows-per-file", "200000", "--json"]
    code, error = feed_until_interrupted(arguments, table.schema)

    assert code == STOPPED, error
    assert json.loads(error)["error"]["code"] == "Cancelled"
    assert all_files(uri) == before
    assert_same(scan_ipc(uri), table)
    write("append", uri, table)
    assert run("count", uri).out == "20\n"
