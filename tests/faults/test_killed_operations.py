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
    assert new != old or name == "optimize"  # which only moves rows

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
        go_on(name, uri, server, version == new_version, new)
        shutil.rmtree(uri)
    assert num_killed > 0 or not IS_LONG

