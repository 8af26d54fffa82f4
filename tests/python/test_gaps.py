"""What the reference has and this version has not: whoever asks is told, by name."""

import importlib
import inspect
import pkgutil
import types

import lance
import lance.blob
import lance.file
import lance.fragment
import lance.indices
import lance.schema
import lance.udf
import lance_cpp
import pytest
from lance_cpp._missing import ADVICE

dataset_module = importlib.import_module("lance_cpp.dataset")
reference_dataset = importlib.import_module("lance.dataset")
# Of the reference's machinery, not its interface.
INTERNAL = {"lance", "dependencies"}
MODULES = ("", ".dataset", ".optimize", ".file", ".blob", ".udf", ".fragment", ".schema")
MODULES += (".indices",)
CLASSES = {
    "LanceDataset": (lance_cpp.LanceDataset, lance.LanceDataset),
    "DatasetOptimizer": (dataset_module.DatasetOptimizer, reference_dataset.DatasetOptimizer),
    "LanceOperation": (lance_cpp.LanceOperation, lance.LanceOperation),
    "LanceFragment": (lance_cpp.LanceFragment, lance.LanceFragment),
    "Tags": (importlib.import_module("lance_cpp.tags").Tags, reference_dataset.Tags),
    "MergeInsertBuilder": (lance_cpp.MergeInsertBuilder, reference_dataset.MergeInsertBuilder),
}


def public_names(module):
    """What a module of the reference defines, re-exports of its own and submodules among it."""
    for name, value in vars(module).items():
        home = value.__name__ if isinstance(value, types.ModuleType) else None
        home = home or getattr(value, "__module__", None) or module.__name__
        own = home.split(".")[0] == "lance" and not isinstance(value, types.GenericAlias)
        constant = isinstance(value, str) and name.isupper()
        meant = constant or callable(value) or inspect.ismodule(value)
        if own and meant and not name.startswith("_") and name not in INTERNAL:
            yield name


def in_both_or_refused():
    for suffix in MODULES:
        reference = importlib.import_module("lance" + suffix)
        for name in public_names(reference):
            yield pytest.param(importlib.import_module("lance_cpp" + suffix), name)
    for ours, reference in CLASSES.values():
        for name in dir(reference):
            if not name.startswith("_"):
                yield pytest.param(ours, name, id=f"{ours.__name__}-{name}")


@pytest.mark.parametrize("place, name", list(in_both_or_refused()))
def test_every_name_of_the_reference_is_there_or_refused_by_name(place, name):
    try:
        getattr(place, name)
    except lance_cpp.UnsupportedError as error:
        assert error.feature.endswith(f".{name}")
        assert error.feature in str(error)


def test_the_table_lists_nothing_that_is_there_or_that_nobody_has():
    for place, names in ADVICE.items():
        if place in CLASSES:
            ours, reference = CLASSES[place]
        else:
            ours = importlib.import_module(place)
            reference = importlib.import_module(place.replace("lance_cpp", "lance"))
        there = [name for name in names if name in dir(ours)]
        modules = {found.name for found in pkgutil.iter_modules(getattr(reference, "__path__", []))}
        invented = [n for n in names if not hasattr(reference, n) and n not in modules]
        assert (place, there, invented) == (place, [], [])


def test_advice_reaches_an_import_statement():
    with pytest.raises(lance_cpp.UnsupportedError, match="large_binary"):
        from lance_cpp import blob_field  # noqa: F401


def test_objects_can_be_asked_what_they_have(flights, place):
    ds = lance_cpp.write_dataset(flights, place)

    assert not hasattr(ds, "sql")
    with pytest.raises(lance_cpp.UnsupportedError, match="copy writes"):
        ds.deep_clone("side", 1)
    with pytest.raises(lance_cpp.UnsupportedError, match="and commit"):
        lance_cpp.LanceDataset.commit_batch(place, [])
    with pytest.raises(NotImplementedError, match="scans load what they need"):
        ds.prewarm_index("k_idx")
    with pytest.raises(NotImplementedError, match=r'create_scalar_index\("user_id", "BTREE"\)'):
        ds.create_index("user_id", "BTREE")


@pytest.mark.parametrize("place", [lance_cpp, lance_cpp.LanceDataset, lance_cpp.file])
def test_names_that_nobody_has_are_attribute_errors(place):
    with pytest.raises(AttributeError, match="colour") as info:
        place.colour  # noqa: B018
    assert not isinstance(info.value, lance_cpp.LanceError)


def test_subclasses_know_it_too(flights, place):
    class Mine(lance_cpp.LanceDataset):
        pass

    lance_cpp.write_dataset(flights, place)
    with pytest.raises(lance_cpp.UnsupportedError, match="LanceDataset.deep_clone"):
        Mine(place).deep_clone("side", 1)
