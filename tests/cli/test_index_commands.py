"""index create, list, optimize, drop and zones of lancectl: what they print and refuse."""

import pyarrow as pa
import pytest
from lancectl import INVALID, NOT_FOUND, UNSUPPORTED, attempt, run, write

ROWS = pa.table(
    {
        "user_id": pa.array(range(2000), pa.int64()),
        "kind": ["abc"[i % 3] for i in range(2000)],
        "tags": [["x", "y"][: i % 3] for i in range(2000)],
        "code": pa.array(["a", "b"] * 1000).dictionary_encode(),
    }
)


@pytest.fixture
def table(tmp_path):
    write("create", tmp_path / "t.lance", ROWS)
    return tmp_path / "t.lance"


def create(table, column, *arguments):
    return run("index", "create", table, "--column", column, *arguments).out


@pytest.mark.parametrize(
    "column, name, kind",
    [
        ("user_id", "BTREE", "BTree"), ("user_id", "zone_map", "ZoneMap"),
        ("kind", "Bitmap", "Bitmap"), ("tags", "labellist", "LabelList"),
        ("tags", "LABEL_LIST", "LabelList"),
    ],
)
def test_kinds_are_found_however_they_are_written(column, name, kind, table):
    create(table, column, "--type", name)

    [index] = run("index", "list", table, "--json").json_lines
    assert index["index_type"] == kind


def test_a_kind_that_is_not_built_is_told_from_one_that_is_not_known(table):
    def refused(name):
        return attempt("index", "create", table, "--column", "kind", "--type", name)

    allowed = "; allowed: zonemap, btree, bitmap, label_list\n"
    for name in ["bloomfilter", "BLOOM_FILTER", "inverted", "IVF_PQ"]:
        outcome = refused(name)
        assert outcome.code == UNSUPPORTED
        assert outcome.error == f"lancectl: --type {name} is not built by this version{allowed}"
    outcome = refused("tree")
    assert outcome.code == INVALID
    assert outcome.error == f"lancectl: --type tree is no kind of index{allowed}"


def test_refusals_are_whole_sentences_in_the_words_of_the_command(table):
    def error(*arguments):
        outcome = attempt("index", "create", table, *arguments)
        assert outcome.code in (INVALID, NOT_FOUND, UNSUPPORTED)
        return outcome.error

    assert "--column is user_id,kind, which names 2 columns" in error("--column", "user_id,kind")
    assert error("--column", "userid") == (
        "lancectl: there is no column userid; near names: user_id\n"
    )
    assert error("--column", "nope") == (
        "lancectl: there is no column nope; columns: user_id, kind, tags, code\n"
    )
    zones = error("--column", "user_id", "--type", "btree", "--rows-per-zone", "100")
    assert zones == "lancectl: --rows-per-zone is an option of zonemaps, not of a BTree index\n"
    bitmap = error("--column", "code", "--type", "bitmap")
    assert "is not supported; allowed: types whose values have an order" in bitmap


def test_create_says_when_it_builds_an_index_again(table):
    assert create(table, "kind", "--type", "bitmap") == "column kind has a bitmap; version 2\n"
    again = create(table, "kind", "--type", "bitmap")
    assert again == "index kind_idx of column kind is built again; version 3\n"
    other = create(table, "kind", "--name", "kind_idx")
    assert other == (
        "index kind_idx of column kind is built again, as a zonemap in place of a Bitmap; "
        "version 4\n"
    )


def test_optimize_says_which_indices_are_behind(table):
    create(table, "kind", "--type", "bitmap")
    create(table, "user_id", "--type", "btree")
    write("append", table, ROWS)

    one = run("index", "optimize", table, "--name", "kind_idx").out
    assert one == "index kind_idx is up to date; others are not: user_id_idx; version 5\n"
    assert run("index", "optimize", table).out == "indices are up to date; version 6\n"
    assert run("index", "optimize", table).out == "nothing to do\n"


def test_list_shows_counts_with_commas_and_sizes(table):
    create(table, "user_id", "--type", "btree")
    [index] = run("index", "list", table, "--json").json_lines

    heading, line = run("index", "list", table).out.splitlines()
    assert heading.split() == [
        "index", "type", "columns", "segments", "rows", "rows", "left", "bytes", "used",
    ]
    assert line.split() == [
        "user_id_idx", "BTree", "user_id", "1", "2,000", "0", f"{index['total_size_bytes']:,}",
        "yes",
    ]


def test_drop_takes_several_names_or_none(table):
    create(table, "kind")
    create(table, "user_id")
    assert attempt("index", "drop", table, "kind_idx", "nope").code == NOT_FOUND
    assert len(run("index", "list", table, "--json").json_lines) == 2

    dropped = run("index", "drop", table, "kind_idx", "user_id_idx").out
    assert dropped == "indices kind_idx, user_id_idx are dropped; version 5\n"
    assert run("index", "list", table, "--json").out == ""


def test_history_names_the_indices_that_a_commit_wrote_or_dropped(table):
    create(table, "kind", "--type", "bitmap")
    create(table, "kind", "--type", "bitmap")
    run("index", "drop", table, "kind_idx")

    lines = run("history", table).out.splitlines()[1:]
    for line, text in zip(
        lines, ["dropped kind_idx", "rewrote kind_idx", "wrote kind_idx", "Overwrite"]
    ):
        assert text in line


def test_verify_pruning_counts_alike_and_says_the_verdict(table):
    create(table, "user_id", "--rows-per-zone", "100")
    create(table, "kind", "--type", "bitmap")

    one = run("verify-pruning", table, "--filter", "user_id < 250")
    assert one.out == (
        "1 filter skips 17 zones; all of them were read, 1,700 rows: no row is missed\n"
    )
    both = ["--filter", "user_id < 250", "--filter", "user_id IN (5, 700) AND kind = 'a'"]
    found = run("verify-pruning", table, *both, "--json").json
    assert found["num_filters"] == 2
    assert found["zones_pruned"] == found["zones_reread"] > 17
    nothing = run("verify-pruning", table, "--filter", "tags IS NULL OR user_id >= 0").out
    assert nothing == "1 filter skips 0 zones: no row is missed\n"
