"""Manifests named by version (V1) and by reversed version (V2), and the way between them."""

import os
import pathlib
import shutil

import lance
import lance_cpp
import pyarrow as pa
import pytest

TABLE = pa.table({"id": pa.array(range(5), pa.int64())})
V2_OF_4 = "18446744073709551611.manifest"


def old_names(folder, writer, versions=4):
    """A table of V1 names."""
    for i in range(versions):
        writer.write_dataset(
            TABLE,
            str(folder),
            mode="append" if i else "create",
            enable_v2_manifest_paths=False,
            data_storage_version="2.1",
        )
    return str(folder)


def names_of(uri):
    return sorted(os.listdir(pathlib.Path(uri) / "_versions"))


@pytest.mark.parametrize("writer", [lance, lance_cpp])
def test_both_migrate_to_the_same_names(tmp_path, writer):
    ours = old_names(tmp_path / "ours.lance", writer)
    theirs = str(tmp_path / "theirs.lance")
    shutil.copytree(ours, theirs)
    versions = tmp_path / "ours.lance/_versions"
    before = (versions / "4.manifest").read_bytes()

    lance_cpp.dataset(ours).migrate_manifest_paths_v2()
    lance.dataset(theirs).migrate_manifest_paths_v2()

    assert names_of(ours) == names_of(theirs)
    assert (versions / V2_OF_4).read_bytes() == before
    for uri in (ours, theirs):
        for library in (lance, lance_cpp):
            assert [v["version"] for v in library.dataset(uri).versions()] == [1, 2, 3, 4]
            assert library.dataset(uri, version=2).count_rows() == 10


def test_a_table_keeps_its_names_until_it_is_migrated(tmp_path):
    uri = old_names(tmp_path / "t.lance", lance)
    ours = lance_cpp.dataset(uri)
    ours.insert(TABLE)
    assert "5.manifest" in names_of(uri)

    ours.migrate_manifest_paths_v2()
    assert ours.version == 5
    ours.insert(TABLE)

    assert names_of(uri)[0] == "18446744073709551609.manifest"
    assert lance.dataset(uri).version == 6
    lance.dataset(uri).insert(TABLE)
    assert lance_cpp.dataset(uri).count_rows() == 35


def test_migrating_twice_changes_nothing(tmp_path):
    uri = old_names(tmp_path / "t.lance", lance_cpp)
    lance_cpp.dataset(uri).migrate_manifest_paths_v2()
    names = names_of(uri)

    lance_cpp.dataset(uri).migrate_manifest_paths_v2()
    lance.dataset(uri).migrate_manifest_paths_v2()

    assert names_of(uri) == names


@pytest.mark.parametrize("finisher", [lance, lance_cpp])
@pytest.mark.parametrize("is_copied", [False, True])
def test_either_finishes_a_migration_that_stopped(tmp_path, finisher, is_copied):
    uri = old_names(tmp_path / "t.lance", lance)
    versions = pathlib.Path(uri) / "_versions"
    (shutil.copy if is_copied else os.rename)(versions / "4.manifest", versions / V2_OF_4)

    # Both refuse the newest version, and both open one that is named.
    for library in (lance, lance_cpp):
        with pytest.raises(Exception, match="(?i)migrate_?manifest_?paths_?v2"):
            library.dataset(uri)
        assert library.dataset(uri, version=4).count_rows() == 20
    finisher.dataset(uri, version=1).migrate_manifest_paths_v2()

    for library in (lance, lance_cpp):
        assert library.dataset(uri).version == 4
        assert library.dataset(uri).count_rows() == 20
