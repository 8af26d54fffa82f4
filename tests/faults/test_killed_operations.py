"""Processes killed at any moment of an operation: the table is the old or the new version.

Both we and the reference open it afterwards, and both go on with it.
"""

import shutil

import killed_operations
import lance
import lance_cpp
import pytest
from killed_operations import OPERATIONS
from lancectl import IS_LONG, rng_of

MOMENTS = 30 if IS_LONG else 2


def state_of(module, uri):
    """The newest version of a table and what it holds, as one of the two packages reads it."""
    ds = module.dataset(str(uri))
    table = ds.to_table()
    rows = sorted(table.to_pylist(), key=lambda row: row["id"])
    schema = [(field.name, str(field.type), field.nullable, field.metadata) for field in ds.schema]
    maps = (ds.config(), ds.metadata, ds.schema.metadata)
    indices = sorted(index.name for index in ds.describe_indices())
    return ds.version, (rows, schema, maps, indices)


def check_versions(uri):
    """Every version that opens reads."""
    for found in lance.dataset(str(uri)).versions():
        for module in (lance, lance_cpp):
            module.dataset(str(uri), version=found["version"]).to_table()


def go_on(name, uri, server_, is_done, new):
    """Do it again, or the next thing."""
    operation = OPERATIONS[name]
    if is_done:
        lance_cpp.dataset(str(uri)).update_config({"ours": "goes on"})
    else:
        again = server_.run(name, uri)
        assert again["error"] is None, again["error"]
        assert state_of(lance, uri)[1] == new
    if not operation.is_clustered:
        lance.dataset(str(uri)).update_config({"theirs": "goes on"})
    lance.dataset(str(uri)).validate()


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_killed_at_any_moment(name, server, tmp_path):
    operation = OPERATIONS[name]
    template = tmp_path / "template.lance"
    killed_operations.make_table(str(template), operation)
    old_version, old = state_of(lance, template)
    undisturbed = tmp_path / "undisturbed.lance"
    shutil.copytree(template, undisturbed)
    clean = server.run(name, undisturbed)
    assert clean["error"] is None, clean["error"]
    new_version, new = state_of(lance, undisturbed)
    assert new_version == clean["version"] == old_version + operation.commits
    assert new != old or name in ("optimize", "compact", "cleanup")  # which change no rows

    rng = rng_of("killed", name)
    num_killed = 0
    for moment in range(MOMENTS):
        uri = tmp_path / f"{moment}.lance"
        shutil.copytree(template, uri)
        delay = rng.random() * clean["seconds"] * 1.1

        outcome = server.run(name, uri, delay)

        assert outcome["error"] is None, outcome["error"]
        num_killed += outcome["killed"]
        version, state = state_of(lance, uri)
        assert state_of(lance_cpp, uri) == (version, state)
        assert old_version <= version <= new_version
        if operation.commits == 1:
            assert state == (new if version == new_version else old)
        assert state in (old, new)
        if outcome["version"] is not None:
            assert version == outcome["version"] == new_version
        lance.dataset(str(uri)).validate()
        check_versions(uri)
        go_on(name, uri, server, version == new_version, new)
        shutil.rmtree(uri)
    assert num_killed > 0 or not IS_LONG


def names_of(uri):
    return {path.name for path in (uri / "_versions").glob("*.manifest")}


def test_a_migration_is_killed_at_any_moment(server, tmp_path):
    """No version is ever without a name, and whoever comes next finishes it."""
    template = tmp_path / "template.lance"
    killed_operations.make_old_table(str(template))
    versions = range(1, killed_operations.OLD_VERSIONS + 1)
    assert names_of(template) == {f"{version}.manifest" for version in versions}
    undisturbed = tmp_path / "undisturbed.lance"
    shutil.copytree(template, undisturbed)
    clean = server.run("migration", undisturbed)
    assert clean["error"] is None, clean["error"]
    new_names = {f"{2**64 - 1 - version}.manifest" for version in versions}
    assert names_of(undisturbed) == new_names

    rng = rng_of("killed", "migration")
    num_halfway = 0
    for moment in range(MOMENTS * 2):
        uri = tmp_path / f"{moment}.lance"
        shutil.copytree(template, uri)

        outcome = server.run("migration", uri, rng.random() * clean["seconds"] * 1.1)

        assert outcome["error"] is None, outcome["error"]
        names = names_of(uri)
        num_halfway += names not in (names_of(template), new_names)
        for library in (lance, lance_cpp):
            for version in versions:
                assert library.dataset(str(uri), version=version).count_rows() == version * 10
        if outcome["version"] is not None:
            assert names == new_names
        finisher = (lance, lance_cpp)[moment % 2]
        finisher.dataset(str(uri), version=1).migrate_manifest_paths_v2()
        assert names_of(uri) == new_names
        assert state_of(lance, uri) == state_of(lance_cpp, uri) == state_of(lance, template)
        shutil.rmtree(uri)
    assert num_halfway > 0 or not IS_LONG
