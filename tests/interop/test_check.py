"""check of whole tables: nothing on healthy ones, and damage that only the reference can do."""

import json
import os
import pathlib
import random
import shutil

import lance
import lance_cpp
import pyarrow as pa
import pytest
from check_tables import RandomTable
from lancectl import CORRUPT, IS_LONG, attempt, rng_of, run

TABLES = int(os.environ.get("LANCE_TEST_TABLES") or (100 if IS_LONG else 12))


def problems(dataset, deep):
    return [found for found in dataset.check(deep=deep) if found["severity"] != "info"]


def codes(dataset, deep=False):
    return {found["code"] for found in dataset.check(deep=deep)}


@pytest.mark.parametrize("number", range(TABLES))
def test_there_is_nothing_wrong_with_healthy_tables(number, tmp_path):
    rng = rng_of(f"healthy{number}")
    table = RandomTable(rng, tmp_path)
    done = table.change(rng.randrange(3, 25 if IS_LONG else 12))
    for place in [table.uri, *table.clones]:
        dataset = lance_cpp.dataset(place)
        assert problems(dataset, deep=False) == [], done
        assert problems(dataset, deep=True) == [], done
        dataset.validate()
    lance.dataset(table.uri).validate()
    versions = [version["version"] for version in lance_cpp.dataset(table.uri).versions()]
    old = lance_cpp.dataset(table.uri, version=rng.choice(versions))
    assert problems(old, deep=True) == [], done


@pytest.fixture
def table(tmp_path):
    uri = tmp_path / "t.lance"
    rows = pa.table({"id": range(100), "s": [f"text {i}" for i in range(100)]})
    lance.write_dataset(rows, str(uri), max_rows_per_file=40)
    lance.write_dataset(rows, str(uri), mode="append")
    return uri


def files_of(folder, kind):
    return sorted(pathlib.Path(folder).glob(kind))


def test_a_check_has_severity_code_path_and_message_and_an_exit_code(table):
    assert "nothing to report" in run("check", table, "--deep").out
    lost = files_of(table, "data/*.lance")[0]
    lost.unlink()

    outcome = attempt("check", table, "--json")

    assert outcome.code == CORRUPT
    assert [list(found) for found in outcome.json] == [["severity", "code", "path", "message"]]
    assert outcome.json[0]["code"] == "data_file_missing"
    assert outcome.json[0]["path"] == f"data/{lost.name}"
    assert json.loads(outcome.error)["error"]["exit"] == CORRUPT
    with pytest.raises(lance_cpp.errors.CorruptError, match=lost.name) as raised:
        lance_cpp.dataset(table).validate()
    assert raised.value.path == f"data/{lost.name}"


def test_warnings_have_exit_code_0(table):
    (table / "_versions" / "latest_version_hint.json").write_text("garbage")
    outcome = run("check", table)
    assert "warning: " in outcome.out and "(hint_broken)" in outcome.out


def test_a_table_that_cannot_be_opened_is_checked_all_the_same(table):
    newest = files_of(table, "_versions/*.manifest")[0]
    newest.write_bytes(newest.read_bytes()[:50])
    for data in files_of(table, "data/*.lance"):  # some only the newest version names
        data.write_bytes(b"short")

    found = attempt("check", table, "--json").json

    assert {"manifest_broken", "data_file_size_wrong"} <= {each["code"] for each in found}


def test_old_versions_and_tags_are_checked_by_flag(table):
    lance_cpp.dataset(table, version=1).tags.create("old", 1)
    assert "nothing to report" in run("check", table, "--version", 1).out
    assert "nothing to report" in run("check", table, "--tag", "old", "--deep").out
    assert attempt("check", table, "--version", 1, "--repair").code != 0


def test_branches_and_their_files_are_looked_at(table):
    branch = lance.dataset(str(table)).create_branch("side/x")
    lance.write_dataset(pa.table({"id": [1], "s": ["a"]}), branch.uri, mode="append")
    assert problems(lance_cpp.dataset(table), deep=True) == []
    own = files_of(table, "tree/side/x/data/*.lance")[0]
    own.unlink()
    found = [each["path"] for each in problems(lance_cpp.dataset(table), deep=False)]
    assert found == [f"tree/side/x/data/{own.name}"]


def test_a_branch_can_be_checked_by_itself(table):
    branch = lance.dataset(str(table)).create_branch("side/x")
    lance.write_dataset(pa.table({"id": [1], "s": ["a"]}), branch.uri, mode="append")
    for place in [(branch.uri,), (table, "--branch", "side/x")]:
        assert "nothing to report" in run("check", *place, "--deep").out
    own = files_of(table, "tree/side/x/data/*.lance")[0]
    own.write_bytes(b"".join([b"\xff" * 40, own.read_bytes()[40:]]))
    for place in [(branch.uri,), (table, "--branch", "side/x")]:
        found = attempt("check", *place, "--deep", "--json").json
        assert [each["path"] for each in found] == [f"tree/side/x/data/{own.name}"]
        assert found[0]["message"].count("tree/side/x") == 1
    # Of the table only the newest version of the main line is read.
    assert "nothing to report" in run("check", table, "--deep").out


def test_files_that_only_a_branch_names_are_no_orphans(table):
    dataset = lance.dataset(str(table))
    dataset.create_branch("side")
    lance.write_dataset(pa.table({"id": [1], "s": ["a"]}), str(table), mode="overwrite")
    for manifest in files_of(table, "_versions/*.manifest")[1:]:
        manifest.unlink()  # as a clean-up that leaves files alone
    assert "orphans" not in codes(lance_cpp.dataset(table)) or all(
        each["path"] != "data" for each in lance_cpp.dataset(table).check()
        if each["code"] == "orphans"
    )


def test_files_of_a_clone_are_found_where_they_are(table, tmp_path):
    clone = tmp_path / "clone.lance"
    lance.dataset(str(table)).shallow_clone(str(clone), 2)
    lance.dataset(str(clone)).delete("id = 3")
    assert problems(lance_cpp.dataset(clone), deep=True) == []
    lost = files_of(table, "data/*.lance")[1]
    lost.unlink()
    found = problems(lance_cpp.dataset(clone), deep=True)
    assert [each["code"] for each in found] == ["data_file_missing"]
    assert found[0]["path"] == str(lost)
    other = files_of(table, "data/*.lance")[0]
    other.write_bytes(b"".join([b"\xff" * 40, other.read_bytes()[40:]]))
    found = [each for each in problems(lance_cpp.dataset(clone), deep=True)
             if each["code"] == "column_broken"]
    assert {each["path"] for each in found} == {str(other)}
    assert str(other) in found[0]["message"] and "_bases" not in found[0]["message"]


def test_blobs_that_are_gone_are_found(tmp_path):
    uri = str(tmp_path / "blobs.lance")
    blobs = lance.blob.blob_array([b"x" * 70_000, None, b"y" * 5_000_000])
    table = pa.table({"id": [1, 2, 3], "b": blobs})
    lance.write_dataset(table, uri, data_storage_version="2.2")
    assert problems(lance_cpp.dataset(uri), deep=True) == []
    side = files_of(uri, "data/*/*.blob")
    assert side
    side[0].unlink()
    assert codes(lance_cpp.dataset(uri), deep=True) == {"blob_broken"}


def test_a_clone_of_a_damaged_table_is_told_from_the_table(table, tmp_path):
    copy = tmp_path / "copy.lance"
    shutil.copytree(table, copy)
    files_of(copy, "data/*.lance")[0].unlink()
    assert problems(lance_cpp.dataset(table), deep=True) == []
    assert codes(lance_cpp.dataset(copy)) == {"data_file_missing"}


def test_progress_is_reported(table):
    reports = []
    lance_cpp.dataset(table).check(deep=True, observer=reports.append)
    assert {report["operation"] for report in reports} == {"check"}
    assert reports[0]["event"] == "start" and reports[-1]["event"] == "complete"


def test_random_flips_are_found_or_harmless(tmp_path):
    """Of tables of the reference: a check ends, and what has no findings can be read."""
    rng = random.Random(rng_of("flips").random())
    made = RandomTable(rng, tmp_path)
    made.change(8)
    found = 0
    rounds = 400 if IS_LONG else 15
    for number in range(rounds):
        copy = tmp_path / "copy.lance"
        shutil.copytree(made.uri, copy)
        files = [path for path in copy.rglob("*") if path.is_file() and path.stat().st_size]
        victim = rng.choice(files)
        data = bytearray(victim.read_bytes())
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        victim.write_bytes(data)
        outcome = attempt("check", copy, "--deep", "--json")
        assert outcome.code in (0, CORRUPT, 8), (number, victim, outcome.error)
        if outcome.code == 0 and not [f for f in outcome.json if f["severity"] == "warning"]:
            dataset = lance_cpp.dataset(copy)
            assert dataset.to_table().num_rows == dataset.count_rows(), (number, victim)
        else:
            found += 1
        shutil.rmtree(copy)
    assert found > rounds / 8
