"""Cleanup, by us and by the reference: both keep the same files, after changes by either.

Where ours keeps more, a test of its own says what.
"""

import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import lance
import lance_cpp
import pyarrow as pa
import pytest
from lancectl import INVALID, IS_LONG, attempt, rng_of, run

WRITERS = [lance_cpp, lance]
BOTH = pytest.mark.parametrize("writer", WRITERS, ids=lambda module: module.__name__)
NOW = datetime.timedelta(0)
STATS = (
    "bytes_removed", "old_versions", "data_files_removed", "transaction_files_removed",
    "index_files_removed", "deletion_files_removed", "failed_deletes",
)
LEFTOVERS = (
    "data/x.lance", "data/sub/y.lance", "data/foo.txt", "data/x.lance-stage", "data/.tmp_b",
    "data/x/00000000000000000000000000000001.blob", "_versions/.tmp_a", "_versions/9.manifest-abc",
    "_indices/5c1b4e6e-8a5f-4b0e-9a2e-1f7f3f5b9b10/index.idx", "_indices/loose",
    "_deletions/0-1-5.arrow", "_deletions/0-1-5.bin", "_deletions/foo.txt",
    "_transactions/1-aaa.txn", "_transactions/x.foo", "_blobs/a/b.blob",
    "_fri/3/stable_partition.lance", "other/z.lance", "_clustering/x",
)


def files_of(uri):
    """Path to size of everything below a table; the hint is nobody's."""
    root = pathlib.Path(uri)
    return {
        str(path.relative_to(root)): path.stat().st_size
        for path in root.rglob("*")
        if path.is_file() and path.name != "latest_version_hint.json"
    }


def stats_of(stats):
    return {name: getattr(stats, name) for name in STATS}


def numbers_of(uri):
    return [version["version"] for version in lance.dataset(uri).versions()]


def rows_of(module, uri, version=None):
    return module.dataset(uri, version=version).to_table().to_pylist()


def plant(uri, age_days):
    """Files that no version names."""
    for name in LEFTOVERS:
        path = pathlib.Path(uri, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("leftover")
        then = time.time() - age_days * 86400
        os.utime(path, (then, then))


def clean_both(uri, tmp_path, **arguments):
    """Clean up two copies of a table, one by each. \\return the files that ours kept"""
    kept = []
    for module in WRITERS:
        copy = tmp_path / f"cleaned_by_{module.__name__}"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(uri, copy)  # with its times
        planned = module.dataset(str(copy)).explain_cleanup_old_versions(**arguments)
        stats = module.dataset(str(copy)).cleanup_old_versions(**arguments)
        assert stats_of(planned.stats) == stats_of(stats)
        kept.append((files_of(copy), stats_of(stats)))
        lance.dataset(str(copy)).validate()
        assert rows_of(lance_cpp, str(copy)) == rows_of(lance, str(copy)) == rows_of(lance, uri)
    assert kept[0] == kept[1]
    return kept[0][0]


def make_churn(writer, uri, rng, steps):
    """Versions of all kinds, with deletion files and replaced indices."""
    first = pa.table({"id": pa.array(range(20), pa.int64()), "x": ["a"] * 20})
    ds = writer.write_dataset(
        first, uri, max_rows_per_file=6, enable_v2_manifest_paths=rng.random() < 0.7
    )
    for step in range(steps):
        kind = rng.choice(["append", "delete", "update", "index", "config", "overwrite"])
        rows = pa.table({"id": pa.array([100 + step], pa.int64()), "x": ["b"]})
        if kind == "append":
            ds.insert(rows)
        elif kind == "overwrite" and rng.random() < 0.4:
            ds = writer.write_dataset(rows, uri, mode="overwrite")
        elif kind == "delete":
            ds.delete(f"id % {rng.choice([3, 5, 7])} = 0")
        elif kind == "update":
            ds.update({"x": f"'{step}'"}, where=f"id % 4 = {step % 4}")
        elif kind == "index":
            ds.create_scalar_index("id", "ZONEMAP", replace=True)
        else:
            ds.update_config({"step": str(step)})
    return ds


@BOTH
@pytest.mark.parametrize("seed", range(40 if IS_LONG else 3))
def test_both_keep_the_same_files(writer, seed, tmp_path):
    rng = rng_of("cleanup", writer.__name__, seed)
    uri = str(tmp_path / "t")
    steps = rng.randrange(3, 14)
    make_churn(writer, uri, rng, steps)
    plant(uri, rng.choice([0, 8]))
    numbers = numbers_of(uri)
    policies = [
        {"older_than": NOW},
        {"retain_versions": rng.randrange(1, len(numbers) + 2)},
        {"retain_versions": 1, "delete_unverified": True},
        {},
        {"older_than": NOW, "retain_versions": 2},
    ]
    for policy in policies if IS_LONG else rng.sample(policies, 2):
        clean_both(uri, tmp_path, **policy)


@BOTH
def test_files_that_no_version_names_go_after_seven_days(writer, tmp_path):
    uri = str(tmp_path / "t")
    make_churn(writer, uri, rng_of("unverified"), 4)
    plant(uri, 6)
    young = clean_both(uri, tmp_path, older_than=NOW)
    assert set(LEFTOVERS) <= set(young)
    asked = clean_both(uri, tmp_path, older_than=NOW, delete_unverified=True)
    plant(uri, 8)
    old = clean_both(uri, tmp_path, older_than=NOW)
    assert asked == old
    assert set(LEFTOVERS) & set(old) == {
        "data/foo.txt", "data/x.lance-stage", "_versions/9.manifest-abc", "_deletions/foo.txt",
        "_transactions/x.foo", "other/z.lance", "_clustering/x",
    }


@BOTH
def test_tagged_versions_stay(writer, tmp_path):
    uri = str(tmp_path / "t")
    for step in range(5):
        ds = writer.write_dataset(pa.table({"id": [step]}), uri, mode="overwrite")
    ds.tags.create("keep", 2)
    before = files_of(uri)
    for module in WRITERS:
        with pytest.raises(OSError, match="tag"):
            module.dataset(uri).cleanup_old_versions(older_than=NOW)
        with pytest.raises(OSError, match="tag"):
            module.dataset(uri).explain_cleanup_old_versions(versions=[1, 2])
    assert files_of(uri) == before
    clean_both(uri, tmp_path, older_than=NOW, error_if_tagged_old_versions=False)
    lance_cpp.dataset(uri).cleanup_old_versions(
        older_than=NOW, error_if_tagged_old_versions=False
    )
    assert numbers_of(uri) == [2, 5]
    assert rows_of(lance, uri, "keep") == rows_of(lance_cpp, uri, "keep") == [{"id": 1}]


@BOTH
def test_old_handles_remove_what_is_older_than_they_are(writer, tmp_path):
    uri = str(tmp_path / "t")
    for step in range(6):
        writer.write_dataset(pa.table({"id": [step]}), uri, mode="overwrite")
    numbers = []
    for module in WRITERS:
        copy = str(tmp_path / module.__name__)
        shutil.copytree(uri, copy)
        module.dataset(copy, version=3).cleanup_old_versions(retain_versions=1)
        numbers.append(numbers_of(copy))
    assert numbers == [[3, 4, 5, 6]] * 2


def make_branch(uri, writer=lance):
    """Four overwrites, and a branch from the second with a version and a file of its own."""
    for step in range(4):
        ds = writer.write_dataset(pa.table({"id": [step, step + 10]}), uri, mode="overwrite")
    branch = ds.create_branch("side/x", 2)
    branch.insert(pa.table({"id": [99]}))
    return ds


def branch_rows(uri, version=None):
    return sorted(
        lance.dataset(uri).checkout_version(("side/x", version)).to_table()["id"].to_pylist()
    )


@BOTH
def test_what_a_branch_needs_stays(writer, tmp_path):
    uri = str(tmp_path / "t")
    make_branch(uri, writer)
    explanations = [m.dataset(uri).explain_cleanup_old_versions(older_than=NOW) for m in WRITERS]
    assert [
        [(b.name, b.referenced_version, b.cleanup_candidate) for b in e.referenced_branches]
        for e in explanations
    ] == [[("side/x", 2, False)]] * 2
    stats = lance_cpp.dataset(uri).cleanup_old_versions(older_than=NOW)
    assert stats == explanations[0].stats
    theirs = stats_of(explanations[1].stats)
    # The reference takes the transaction of the version that stays; ours stays whole.
    assert stats.transaction_files_removed == theirs.pop("transaction_files_removed") - 1
    theirs["bytes_removed"] = stats.bytes_removed
    assert theirs.items() <= stats_of(stats).items()
    assert numbers_of(uri) == [2, 4]
    assert branch_rows(uri) == [1, 11, 99]
    assert branch_rows(uri, 2) == [1, 11]


def test_the_beginning_of_a_branch_goes_when_the_branch_needs_it_no_more(tmp_path):
    uri = str(tmp_path / "t")
    make_branch(uri)
    branch = lance.dataset(uri).checkout_version(("side/x", None))
    branch = lance.write_dataset(pa.table({"id": [7]}), branch, mode="overwrite")
    branch.cleanup_old_versions(older_than=NOW)
    explained = [
        stats_of(m.dataset(uri).explain_cleanup_old_versions(older_than=NOW).stats) for m in WRITERS
    ]
    assert explained[0] == explained[1]
    lance_cpp.dataset(uri).cleanup_old_versions(older_than=NOW)
    assert numbers_of(uri) == [4]
    assert branch_rows(uri) == [7]


@BOTH
@pytest.mark.parametrize("by_place", [True, False])
def test_a_branch_is_cleaned_up_alone(writer, by_place, tmp_path):
    uri = str(tmp_path / "t")
    make_branch(uri, writer)
    for step in range(3):
        branch = lance.dataset(uri).checkout_version(("side/x", None))
        branch.insert(pa.table({"id": [step]}))
    main = {path: size for path, size in files_of(uri).items() if not path.startswith("tree/")}
    expected = lance.dataset(uri).checkout_version(("side/x", None))
    expected = stats_of(expected.explain_cleanup_old_versions(older_than=NOW).stats)

    branch = lance_cpp.dataset(uri).checkout_version(("side/x", None))
    if by_place:
        branch = lance_cpp.dataset(f"{uri}/tree/side/x")
    ours = branch.cleanup_old_versions(older_than=NOW)

    assert stats_of(ours) == expected
    after = files_of(uri)
    assert {path: size for path, size in after.items() if not path.startswith("tree/")} == main
    assert branch_rows(uri) == [0, 1, 1, 2, 11, 99]


def test_ours_keeps_files_of_a_branch_without_description(tmp_path):
    """Its creator may be about to write it; the reference takes its files away."""
    uri = str(tmp_path / "t")
    make_branch(uri)
    description = pathlib.Path(uri, "_refs/branches/side%2Fx.json")
    text = description.read_text()
    description.unlink()
    lance_cpp.dataset(uri).cleanup_old_versions(older_than=NOW)
    assert numbers_of(uri) == [4]
    description.write_text(text)
    assert branch_rows(uri) == [1, 11, 99]


def test_ours_keeps_files_of_a_branch_of_a_table_that_was_moved(tmp_path):
    """Its base paths point at the old place."""
    old, uri = tmp_path / "old", tmp_path / "new"
    make_branch(str(old))
    old.rename(uri)
    lance_cpp.dataset(str(uri)).cleanup_old_versions(older_than=NOW)
    uri.rename(old)
    assert branch_rows(str(old)) == [1, 11, 99]


def test_ours_keeps_files_of_detached_versions(tmp_path):
    uri = str(tmp_path / "t")
    for step in range(3):
        lance.write_dataset(pa.table({"id": [step]}), uri, mode="overwrite")
    fragments = lance.fragment.write_fragments(pa.table({"id": [7]}), uri)
    detached = lance.LanceDataset.commit(
        uri, lance.LanceOperation.Append(fragments), read_version=3, detached=True
    )
    for path in pathlib.Path(uri, "data").iterdir():
        os.utime(path, (0, 0))
    lance_cpp.write_dataset(pa.table({"id": [9]}), uri, mode="overwrite")
    lance_cpp.dataset(uri).cleanup_old_versions(older_than=NOW)
    assert rows_of(lance, uri, detached.version) == [{"id": 2}, {"id": 7}]


@pytest.mark.parametrize("deletes", [{"older_than": NOW}, {"retain_versions": 1}])
def test_ours_keeps_the_newest_version_also_from_a_detached_one(deletes, tmp_path):
    uri = str(tmp_path / "t")
    for step in range(3):
        ds = lance_cpp.write_dataset(pa.table({"id": [step]}), uri, mode="overwrite")
    fragments = lance.fragment.write_fragments(
        pa.table({"id": [7]}), uri, data_storage_version=ds.data_storage_version
    )
    detached = lance.LanceDataset.commit(
        uri, lance.LanceOperation.Append(fragments), read_version=3, detached=True
    )
    handle = lance_cpp.dataset(uri, version=detached.version)
    assert handle.cleanup_old_versions(**deletes).old_versions == 2
    assert numbers_of(uri) == [3]
    assert rows_of(lance, uri) == [{"id": 2}]
    assert rows_of(lance, uri, detached.version) == [{"id": 2}, {"id": 7}]


@BOTH
@pytest.mark.parametrize("folder, is_root", [("", True), ("/data", False), ("/data/sub", False)])
def test_base_paths_may_lie_in_the_table_itself(writer, folder, is_root, tmp_path):
    uri = str(tmp_path / "t")
    base = writer.DatasetBasePath(uri + folder, name="own", is_dataset_root=is_root)
    for step in range(3):
        mode, bases = ("append", None) if step else ("create", [base])
        writer.write_dataset(
            pa.table({"id": [step]}), uri, mode=mode, initial_bases=bases, target_bases=["own"]
        )
    how = {"older_than": NOW, "delete_unverified": True}
    if folder != "/data/sub":  # of which the reference deletes the rows
        clean_both(uri, tmp_path, **how)
    assert lance_cpp.dataset(uri).cleanup_old_versions(**how).data_files_removed == 0
    assert rows_of(lance, uri) == [{"id": 0}, {"id": 1}, {"id": 2}]


def test_a_shallow_clone_is_cleaned_up_without_its_source(tmp_path):
    source, uri = str(tmp_path / "source"), str(tmp_path / "clone")
    ds = lance.write_dataset(pa.table({"id": range(10)}), source, max_rows_per_file=5)
    before = files_of(source)
    clone = ds.shallow_clone(uri, 1)
    clone.delete("id < 5")
    clone.insert(pa.table({"id": [99]}))
    planned = stats_of(lance.dataset(uri).explain_cleanup_old_versions(older_than=NOW).stats)
    assert stats_of(lance_cpp.dataset(uri).cleanup_old_versions(older_than=NOW)) == planned
    assert planned["old_versions"] > 0
    assert files_of(source) == before
    for module in WRITERS:
        ids = sorted(row["id"] for row in rows_of(module, uri))
        assert ids == [5, 6, 7, 8, 9, 99]


def test_clustered_tables_are_cleaned_up(tmp_path):
    """The reference refuses there: it does not know the flag."""
    uri = str(tmp_path / "t")
    ds = lance_cpp.write_dataset(pa.table({"id": range(10)}), uri)
    ds.set_clustering(["id"])
    ds.insert(pa.table({"id": [11]}))
    ds.delete("id < 3")
    ds.optimize.compact_files()
    with pytest.raises(OSError):
        lance.dataset(uri).cleanup_old_versions(older_than=NOW)
    stats = ds.cleanup_old_versions(older_than=NOW)
    assert stats.old_versions == ds.version - 1
    assert sorted(row["id"] for row in rows_of(lance, uri)) == [3, 4, 5, 6, 7, 8, 9, 11]


@pytest.mark.parametrize(
    "arguments",
    [
        {"retain_versions": 0},
        {"versions": []},
        {"delete_rate_limit": 0},
        {"delete_concurrency": 0},
    ],
    ids=lambda arguments: next(iter(arguments)),
)
def test_both_refuse(arguments, tmp_path):
    uri = str(tmp_path / "t")
    lance.write_dataset(pa.table({"id": [1]}), uri)
    for module in WRITERS:
        with pytest.raises((ValueError, OSError)):
            module.dataset(uri).cleanup_old_versions(**arguments)


def test_explanation_is_that_of_the_reference(tmp_path):
    uri = str(tmp_path / "t")
    make_churn(lance, uri, rng_of("explain"), 6)
    plant(uri, 8)
    found = []
    for module in WRITERS:
        explained = module.dataset(uri).explain_cleanup_old_versions(
            older_than=NOW, include_files=True
        )
        files = {(f.path, f.kind, f.unverified, f.size_bytes) for f in explained.candidate_files}
        found.append((
            files, stats_of(explained.stats), explained.read_version, explained.warnings,
            explained.candidate_files_truncated, explained.candidate_file_limit,
        ))
        cut = module.dataset(uri).explain_cleanup_old_versions(
            older_than=NOW, include_files=True, max_files=2
        )
        assert len(cut.candidate_files) == 2 and cut.candidate_files_truncated
        bare = module.dataset(uri).explain_cleanup_old_versions(older_than=NOW)
        assert bare.candidate_files == [] and not bare.candidate_files_truncated
    assert found[0] == found[1]


def test_progress_is_reported(tmp_path):
    uri = str(tmp_path / "t")
    for step in range(4):
        lance_cpp.write_dataset(pa.table({"id": [step]}), uri, mode="overwrite")
    reports = []
    lance_cpp.dataset(uri).cleanup_old_versions(older_than=NOW, observer=reports.append)
    assert [r["event"] for r in (reports[0], reports[-1])] == ["start", "complete"]
    assert {report["operation"] for report in reports} == {"cleanup"}
    assert (reports[-1]["completed"], reports[-1]["total"]) == (9, 9)


AUTO = "lance.auto_cleanup."


@pytest.mark.parametrize(
    "config",
    [
        {"interval": "3", "older_than": "0s"},
        {"interval": "3"},
        {"interval": "2", "retain_versions": "2"},
        {"interval": "0", "retain_versions": "2"},
        {"interval": "x", "retain_versions": "2"},
        {"interval": "1", "retain_versions": "0"},
        {"interval": "1", "retain_versions": "2", "older_than": "1h"},
        {"interval": "1", "retain_versions": "2", "delete_rate_limit": "900",
         "delete_concurrency": "2", "referenced_branch": "false"},
        {"interval": "1", "retain_versions": "2", "referenced_branch": "maybe"},
        {"interval": "+1", "older_than": "1ms 5us"},
        {"interval": " 1", "retain_versions": "2"},
        {"interval": "1", "older_than": "soon"},
    ],
    ids=lambda config: ",".join(f"{key}={value}" for key, value in config.items()),
)
def test_commits_clean_up_as_those_of_the_reference(config, tmp_path):
    found = []
    for module in WRITERS:
        uri = str(tmp_path / module.__name__)
        ds = module.write_dataset(pa.table({"id": [0]}), uri)
        ds.update_config({AUTO + key: value for key, value in config.items()})
        numbers = [numbers_of(uri)]
        for step in range(5):
            time.sleep(0.01)
            module.write_dataset(pa.table({"id": [step]}), uri, mode="append")
            numbers.append(numbers_of(uri))
        ds = module.dataset(uri)
        ds.delete("id = 2")
        numbers.append(numbers_of(uri))
        found.append(numbers)
    assert found[0] == found[1]


def test_auto_cleanup_is_switched_by_the_same_calls(tmp_path):
    found = []
    for module in WRITERS:
        ds = module.write_dataset(pa.table({"id": [0]}), str(tmp_path / module.__name__))
        ds.optimize.enable_auto_cleanup({"interval": 5, "older_than_seconds": 9})
        on = module.dataset(ds.uri).config()
        module.dataset(ds.uri).optimize.disable_auto_cleanup()
        found.append((on, module.dataset(ds.uri).config()))
    assert found[0] == found[1]


CLEANUP = [
    {"interval": 3, "older_than_seconds": 100},
    {"interval": 7},
    {"older_than_seconds": 90_061},
    {"interval": 0, "older_than_seconds": 0},
    {"interval": None, "older_than_seconds": None},
    {},
]


def auto_cleanup_of(uri):
    """What the configuration asks for, whatever the spelling of the age."""
    config = lance.dataset(uri).config()
    units = {"days": 86_400, "day": 86_400, "h": 3_600, "m": 60, "s": 1}
    age = config.pop(AUTO + "older_than", None)
    parts = re.findall(r"(\d+)([a-z]+)", age or "")
    return config, age and sum(int(number) * units[unit] for number, unit in parts)


@pytest.mark.parametrize("options", CLEANUP, ids=str)
@pytest.mark.parametrize("mode", ["create", "append", "overwrite"])
def test_a_new_table_is_given_auto_cleanup_as_by_the_reference(mode, options, tmp_path):
    found = []
    for module in WRITERS:
        uri = str(tmp_path / module.__name__)
        table = pa.table({"id": [0]})
        module.write_dataset(table, uri, mode=mode, auto_cleanup_options=options)
        found.append(auto_cleanup_of(uri))
    assert found[0] == found[1] and found[0][1] is not None


@pytest.mark.parametrize("mode", ["append", "overwrite"])
@pytest.mark.parametrize("configured", [None, {"interval": 3, "older_than_seconds": 100}], ids=str)
def test_a_table_keeps_its_auto_cleanup_when_it_is_written_to(mode, configured, tmp_path):
    for handle in (False, True):
        found = []
        for module in WRITERS:
            uri = str(tmp_path / f"{module.__name__}-{handle}")
            table = pa.table({"id": [0]})
            ds = module.write_dataset(table, uri, auto_cleanup_options=configured)
            before = auto_cleanup_of(uri)
            place, asked = ds if handle else uri, {"interval": 5, "older_than_seconds": 7}
            module.write_dataset(table, place, mode=mode, auto_cleanup_options=asked)
            assert auto_cleanup_of(uri) == before
            found.append(before)
        assert found[0] == found[1]


@pytest.mark.parametrize(
    "options",
    [
        5, [("interval", 1)], {"interval": "7"}, {"interval": -1}, {"interval": 2**64},
        {"interval": True}, {"older_than_seconds": 1.5}, {"older_than_seconds": -5},
        {"older_than_seconds": 2**62}, {"interval": 1, "retain_versions": 4},
    ],
    ids=str,
)
def test_auto_cleanup_options_that_mean_nothing_write_nothing(options, tmp_path):
    """The reference takes its defaults for most of them, which nobody asked for."""
    with pytest.raises((TypeError, lance_cpp.InvalidError), match="auto_cleanup_options"):
        lance_cpp.write_dataset({"id": [0]}, str(tmp_path / "t"), auto_cleanup_options=options)
    assert not (tmp_path / "t").exists()


def test_lancectl_cleans_up(tmp_path):
    uri = str(tmp_path / "t")
    for step in range(4):
        ds = lance.write_dataset(pa.table({"id": [step]}), uri, mode="overwrite")
    ds.tags.create("keep", 1)
    before = files_of(uri)
    refused = attempt("cleanup", uri, "--retain-versions", "1")
    assert refused.code == INVALID and "keep (version 1)" in refused.error
    planned = run("cleanup", uri, "--older-than", "0s", "--keep-tagged", "--dry-run", "--json").json
    assert planned["dry_run"] and len(planned["files"]) == 6 and files_of(uri) == before
    text = run("cleanup", uri, "--older-than", "0s", "--keep-tagged", "--dry-run").out
    assert "would remove 2 versions" in text and "data/" in text
    done = run("cleanup", uri, "--older-than", "0s", "--keep-tagged", "--json").json
    assert done["bytes_removed"] == planned["bytes_removed"] and not done["dry_run"]
    assert numbers_of(uri) == [1, 4]
    assert "removed 0 versions" in run("cleanup", uri, "--keep-tagged").out
    for flags in (["--older-than", "soon"], ["--retain-versions", "0"]):
        assert attempt("cleanup", uri, *flags).code == INVALID


def test_a_commit_on_a_version_that_was_cleaned_up_lands_as_it_should_or_fails(tmp_path):
    """Handed case B129: nobody's change may be lost, and version 2 is not made again."""
    for cleaner in WRITERS:
        uri = str(tmp_path / cleaner.__name__)
        lance_cpp.write_dataset(pa.table({"id": [1]}), uri)
        slow = lance_cpp.dataset(uri)
        for id_ in (2, 3):
            lance.write_dataset(pa.table({"id": [id_]}), uri, mode="append")
        cleaner.dataset(uri).cleanup_old_versions(older_than=NOW)
        assert numbers_of(uri) == [3]
        try:
            slow.insert(pa.table({"id": [4]}))
        except OSError:
            assert numbers_of(uri) == [3]
        else:
            assert numbers_of(uri) == [3, 4]
            assert sorted(row["id"] for row in rows_of(lance, uri)) == [1, 2, 3, 4]


def test_a_tag_does_not_hold_later_files(tmp_path):
    """Handed case B127."""
    uri = str(tmp_path / "t")
    for rows in (3, 4, 5):
        ds = lance_cpp.write_dataset(pa.table({"id": range(rows)}), uri, mode="overwrite")
        if rows == 3:
            ds.tags.create("keep")
    ds.cleanup_old_versions(older_than=NOW, error_if_tagged_old_versions=False)
    assert len(list(pathlib.Path(uri, "data").iterdir())) == 2
    for module in WRITERS:
        assert module.dataset(uri, version="keep").count_rows() == 3
        assert module.dataset(uri).to_table().num_rows == 5


SECONDS = 30 if IS_LONG else 3


# Whether the reference's cleanup lets ours work beside it is for the long size.
RACES = [(lance_cpp, lance_cpp), (lance, lance_cpp)] + [(lance_cpp, lance)] * IS_LONG


@pytest.mark.parametrize("writer, cleaner", RACES)
def test_cleanup_races_a_writer_and_readers(writer, cleaner, tmp_path):
    """Nobody fails, nothing is lost, and the table stays small."""
    uri = str(tmp_path / "t")
    writer.write_dataset(pa.table({"id": pa.array(range(50), pa.int64())}), uri)
    script = pathlib.Path(__file__).with_name("cleanup_race.py")
    roles = [("write", writer), ("read", lance_cpp), ("read", lance), ("clean", cleaner)]
    running = [
        subprocess.Popen(
            [sys.executable, script, role, module.__name__, uri, str(SECONDS)],
            stdout=subprocess.PIPE, text=True,
        )
        for role, module in roles
    ]
    reports = [json.loads(process.communicate(timeout=SECONDS + 300)[0]) for process in running]
    assert [report["errors"] for report in reports] == [[]] * len(roles)
    assert all(report["rounds"] > 1 for report in reports)
    ids = sorted(row["id"] for row in rows_of(lance, uri))
    assert ids == rows_of_model(reports[0]["rounds"])
    assert reports[3]["old_versions"] > 0
    lance.dataset(uri).validate()
    lance_cpp.dataset(uri).cleanup_old_versions(older_than=NOW)
    assert sorted(row["id"] for row in rows_of(lance, uri)) == ids


def rows_of_model(rounds):
    """What cleanup_race.py leaves after so many rounds of its writer."""
    ids = set(range(50))
    for step in range(rounds):
        ids.add(1000 + step)
        if step % 3 == 1:
            ids.discard(1000 + step - 1)
    return sorted(ids)
