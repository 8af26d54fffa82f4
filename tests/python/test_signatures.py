"""Whether everything has the reference's parameters, in its order and with its defaults."""

import enum
import importlib
import inspect

import lance
import lance.file
import lance_cpp
import lance_cpp.file
import pyarrow.dataset as pads
import pytest

# The functions "dataset" stand in front of the modules of this name.
ours_dataset = importlib.import_module("lance_cpp.dataset")
reference_dataset = importlib.import_module("lance.dataset")
ours_fragment = importlib.import_module("lance_cpp.fragment")
reference_fragment = importlib.import_module("lance.fragment")

CLASSES = [
    (lance_cpp.LanceDataset, lance.LanceDataset),
    (lance_cpp.LanceScanner, lance.LanceScanner),
    (ours_dataset.DatasetOptimizer, reference_dataset.DatasetOptimizer),
    (lance_cpp.file.LanceFileReader, lance.file.LanceFileReader),
    (lance_cpp.file.LanceFileWriter, lance.file.LanceFileWriter),
    (lance_cpp.BlobFile, lance.BlobFile),
    (lance_cpp.Transaction, lance.Transaction),
    (lance_cpp.LanceFragment, lance.LanceFragment),
    (lance_cpp.FragmentMetadata, lance.FragmentMetadata),
    (ours_dataset.DataFile, reference_dataset.DataFile),
    (lance_cpp.Index, lance.Index),
    (lance_cpp.IndexFile, lance.IndexFile),
    *[
        (getattr(lance_cpp.LanceOperation, name), getattr(lance.LanceOperation, name))
        for name, kind in vars(lance_cpp.LanceOperation).items()
        if isinstance(kind, type) and name != "BaseOperation"
    ],
    (lance_cpp.file.ReaderResults, lance.file.ReaderResults),
]
FUNCTIONS = [
    (lance_cpp.dataset, lance.dataset),
    (lance_cpp.write_dataset, lance.write_dataset),
    (ours_fragment.write_fragments, reference_fragment.write_fragments),
    (lance_cpp.batch_udf, lance.batch_udf),
    # Native there: its class has the constructor's signature.
    (lance_cpp.Session, reference_dataset.Session),
    (lance_cpp.file.stable_version, lance.file.stable_version),
]
# Ours alone.
ADDED_METHODS = {
    "LanceDataset": {
        "check", "clear_clustering", "clustering_spec", "copy", "estimate", "explain", "history",
        "load_zones", "plan_scan", "repair", "verify_pruning",
        "set_clustering",
    },
    "DatasetOptimizer": {"commit_clustering", "plan_clustering"},
}


def methods_of(kind):
    """Public methods and the constructor, those of base classes too."""
    return {
        name: getattr(kind, name)
        for name in dir(kind)
        if (name == "__init__" or not name.startswith("_")) and callable(getattr(kind, name))
    }


def own_methods_of(kind):
    """Those of our own classes."""
    own = {name for base in kind.__mro__ if "lance_cpp" in base.__module__ for name in vars(base)}
    return {name: method for name, method in methods_of(kind).items() if name in own}


def parameters_of(function):
    """Name, kind and default of each; private ones are their owner's business."""
    found = inspect.signature(function).parameters.values()
    return [
        (p.name, p.kind, p.default.value if isinstance(p.default, enum.Enum) else p.default)
        for p in found
        if not p.name.startswith("_")
    ]


def without(parameters, kind):
    return [parameter for parameter in parameters if parameter[1] != kind]


def assert_same_parameters(ours, reference, where):
    found, expected = parameters_of(ours), parameters_of(reference)
    variable = inspect.Parameter.VAR_KEYWORD
    assert [p for p in found if p[1] == variable] == [p for p in expected if p[1] == variable]
    found, expected = without(found, variable), without(expected, variable)
    assert found[: len(expected)] == expected, where
    for name, kind, default in found[len(expected) :]:
        assert kind == inspect.Parameter.KEYWORD_ONLY, (where, name)
        assert default is not inspect.Parameter.empty, (where, name)


def both_methods():
    for ours, reference in CLASSES:
        theirs = methods_of(reference)
        for name, method in own_methods_of(ours).items():
            if name in theirs:
                yield pytest.param(method, theirs[name], id=f"{ours.__name__}.{name}")


@pytest.mark.parametrize("ours, reference", list(both_methods()))
def test_a_method_has_the_parameters_of_the_reference(ours, reference):
    try:
        inspect.signature(reference)
    except ValueError:
        pytest.fail(f"{reference} has no signature to compare with")
    assert_same_parameters(ours, reference, ours.__qualname__)


@pytest.mark.parametrize("ours, reference", FUNCTIONS)
def test_a_function_has_the_parameters_of_the_reference(ours, reference):
    assert_same_parameters(ours, reference, ours.__name__)


@pytest.mark.parametrize("ours, reference", CLASSES)
def test_what_is_ours_alone_is_meant_to_be(ours, reference):
    added = set(own_methods_of(ours)) - set(methods_of(reference))

    assert added == ADDED_METHODS.get(ours.__name__, set())


@pytest.mark.parametrize(
    "ours, pyarrows",
    [(lance_cpp.LanceDataset, pads.Dataset), (lance_cpp.LanceScanner, pads.Scanner)],
)
def test_no_method_of_pyarrow_is_inherited(ours, pyarrows):
    """They would read a C++ object that is not there, and the process would end."""
    inherited = [
        name for name in dir(pyarrows) if not name.startswith("_") and name not in vars(ours)
    ]

    assert inherited == []


@pytest.mark.parametrize("kind", [pair[0] for pair in CLASSES])
def test_everything_public_says_what_it_does(kind):
    fields = getattr(kind, "__dataclass_fields__", {})  # of those, vars has the defaults
    public = [name for name in vars(kind) if not name.startswith("_") and name not in fields]
    silent = [name for name in public if not inspect.getdoc(getattr(kind, name))]

    assert silent == []
