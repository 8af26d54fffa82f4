"""Processes killed while they make, change or remove branches, clones and copies.

Both we and the reference then see all of it or nothing, and doing it again finishes it.
"""

import pathlib
import shutil

import lance
import lance_cpp
import pytest
from killed_operations import BRANCH_OPERATIONS, ROWS, rows
from lancectl import IS_LONG, rng_of

MOMENTS = 30 if IS_LONG else 2


def make_tables(uri):
    """A table with a branch that has a version of its own."""
    ds = lance_cpp.write_dataset(rows(range(ROWS)), uri, max_rows_per_file=150)
    ds.create_branch("b").delete("id = 7")


def _of(ds):
    return (ds.version, ds.schema.names, sorted(ds.to_table().to_pylist(), key=lambda r: r["id"]))


def state_of(module, uri):
    """The main branch, all others, the tags and the target, as one package reads them."""
    main = module.dataset(uri)
    branches = {name: _of(main.checkout_version((name, None))) for name in main.branches.list()}
    target = pathlib.Path(uri + ".target")
    has_target = bool(list(target.glob("_versions/*.manifest")))
    made = _of(module.dataset(str(target))) if has_target else None
    return _of(main), branches, sorted(main.tags.list()), made


def files_of_branch(uri):
    return [path for path in pathlib.Path(uri, "tree/b").rglob("*") if path.is_file()]


def again(name, uri, server, state, old, new):
    """Do it again: it gets done, or says that it was."""
    outcome = server.run(name, uri)
    if outcome["error"] is not None:
        assert state == new, outcome["error"]
        assert "already" in outcome["error"] or "no branch" in outcome["error"], outcome["error"]
    if state == old or outcome["error"] is not None:
        for module in (lance, lance_cpp):
            assert state_of(module, uri) == new
    if name == "delete_branch":
        assert files_of_branch(uri) == []


@pytest.mark.parametrize("name", list(BRANCH_OPERATIONS))
def test_killed_at_any_moment(name, server, tmp_path):
    undisturbed = str(tmp_path / "undisturbed.lance")
    make_tables(undisturbed)
    old = state_of(lance, undisturbed)
    clean = server.run(name, undisturbed)
    assert clean["error"] is None, clean["error"]
    new = state_of(lance, undisturbed)
    assert new != old

    rng = rng_of("killed", name)
    num_killed = 0
    for moment in range(MOMENTS):
        uri = str(tmp_path / f"{moment}.lance")
        make_tables(uri)
        outcome = server.run(name, uri, rng.random() * clean["seconds"] * 1.1)

        assert outcome["error"] is None, outcome["error"]
        num_killed += outcome["killed"]
        state = state_of(lance, uri)
        assert state == state_of(lance_cpp, uri)
        assert state in (old, new)
        if outcome["version"] is not None:
            assert state == new
        again(name, uri, server, state, old, new)
        lance.dataset(uri).create_branch("next").insert(rows([9000]))
        lance_cpp.dataset(uri).branches.delete("next")
        lance.dataset(uri).validate()
        shutil.rmtree(uri)
        shutil.rmtree(uri + ".target", ignore_errors=True)
    assert num_killed > 0 or not IS_LONG


