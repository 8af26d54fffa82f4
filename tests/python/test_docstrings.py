"""Every public class and function says what it does and what its parameters are."""

import importlib
import inspect
import pkgutil
import re

import lance_cpp
import pytest

# What a docstring may say in the place of its own list.
ELSEWHERE = re.compile(
    "Not in this version|Refused|Deprecated|"
    "[Tt]he (other )?parameters are those of|kwargs are those of"
)


def modules():
    """The package and its public modules."""
    yield lance_cpp
    for found in pkgutil.iter_modules(lance_cpp.__path__, "lance_cpp."):
        if not found.name.split(".")[1].startswith("_"):
            yield importlib.import_module(found.name)


def public_names(module):
    """Those that a module says, else those of its classes: its functions are the package's own."""
    if hasattr(module, "__all__"):
        return module.__all__
    return [name for name, thing in vars(module).items() if inspect.isclass(thing)]


def is_ours(thing):
    return (getattr(thing, "__module__", None) or "").startswith("lance_cpp")


def public_functions():
    found = {}
    for module in modules():
        for name in public_names(module):
            thing = getattr(module, name)
            if name.startswith("_") or not is_ours(thing):
                continue
            if inspect.isclass(thing):
                for base in thing.__mro__:
                    if not is_ours(base):
                        continue
                    for method_name, method in vars(base).items():
                        method = getattr(method, "__func__", method)
                        if inspect.isfunction(method) and not method_name.startswith("_"):
                            found[f"{base.__name__}.{method_name}"] = method
            elif inspect.isfunction(thing):
                found[name] = thing
    return found


FUNCTIONS = public_functions()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_says_what_each_parameter_is(name):
    function = FUNCTIONS[name]
    assert function.__doc__, f"{name} has no docstring"
    parameters = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
    text = inspect.getdoc(function)
    if not parameters or ELSEWHERE.search(text):
        return
    assert "Parameters\n----------\n" in text, f"{name} has no section Parameters"
    section = text.split("Parameters\n----------\n")[1].split("\n\n")[0]
    named = {
        word.strip(" *")
        for line in re.findall(r"^\S.*", section, re.M)
        for word in line.split(" : ")[0].split(",")
    }
    if "The other parameters are the reference's" in text:  # what they ask for is refused
        return
    assert set(parameters) - {"kwargs", "args"} <= named, f"{name}: {set(parameters) - named}"
