"""Check who may include what: house rules as tables, every #include read.

A layer includes itself and those to its left; a few headers and calls belong in one place only.
Prints each offending line with the rule that it breaks.
"""

import re
import sys
from typing import NamedTuple

import source_tree

# The line of layers. Each may include itself and those to its left.
LAYERS = ("base", "io", "format", "table", "index", "clustering", "dataset")

# Linked by tests only.
TESTING = "testing"

# Who may include lance/testing/.
TESTING_USERS = ("src/lance/testing/", "tests/", "fuzz/", "benchmarks/")

# Everything that sees what a user sees: public headers of include/lance and its own files.
PUBLIC_ONLY = (
    "tools/cli/",
    "examples/",
    "tests/interop/",
    "tests/golden/",
    "tests/consumer/",
    "python/",
    "src/python/",
    "java/",
)

# Files above the library that reach inside all the same, each with its reason.
EXEMPT = frozenset(
    # Exchanges single data files, for which there is no public header yet.
    ("tests/interop/file_tool.cc",)
)

# Public headers that speak of whole tables; the layers below dataset know values and interfaces.
HANDLE_HEADERS = frozenset(
    f"lance/{name}.h"
    for name in (
        "dataset",
        "history",
        "index",
        "json",
        "lance",
        "metadata",
        "optimize",
        "scan",
        "write",
    )
)


class PlaceRule(NamedTuple):
    """Something that may appear in some files only."""

    # Matched against an include path ("include") or against a line without comments ("code").
    kind: str
    pattern: re.Pattern
    # Files that the rule looks at, and those of them where the thing is allowed.
    scope: re.Pattern
    allowed: re.Pattern
    rule: str


SOURCE = re.compile(r"^(src|include|tools|examples)/")
LIBRARY = re.compile(r"^(src|include)/")

PLACE_RULES = (
    PlaceRule(
        "include",
        re.compile(r"\.pb\.h$"),
        SOURCE,
        re.compile(r"^src/lance/(.*_proto\.(h|cc)|format/(encodings|encode)/[^/]*)$"),
        "generated protobuf headers belong in *_proto.{h,cc}, format/encodings/ and format/encode/",
    ),
    PlaceRule(
        "include",
        re.compile(r"^arrow/filesystem/"),
        SOURCE,
        re.compile(r"^src/lance/io/"),
        "arrow/filesystem belongs in io/",
    ),
    # base/clock sleeps, which is in <thread> too.
    PlaceRule(
        "include",
        re.compile(r"^(thread|future)$"),
        LIBRARY,
        re.compile(r"^src/lance/(base/(executor|clock)\.(h|cc)|testing/.*)$"),
        "threads belong in base/executor",
    ),
    PlaceRule(
        "code",
        re.compile(r"\bstd::(thread|jthread|async)\b"),
        LIBRARY,
        re.compile(r"^src/lance/(base/executor\.(h|cc)|testing/.*)$"),
        "threads belong in base/executor",
    ),
    PlaceRule(
        "code",
        re.compile(r"\bsystem_clock::now\b"),
        LIBRARY,
        re.compile(r"^src/lance/base/clock\.(h|cc)$"),
        "wall-clock time belongs in base/clock",
    ),
    PlaceRule(
        "include",
        re.compile(r"^lance/io/"),
        re.compile(
            r"^src/lance/clustering/" r"(curve|rank_sample|planner|encoded_value|key_sort)\.(h|cc)$"
        ),
        re.compile(r"$^"),
        "the pure core of clustering/ does no io",
    ),
)

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
STANDARD_HEADER = re.compile(r"^[a-z_]+$")
DEPENDS = re.compile(r"lance_add_layer\(\s*(\w+)\b(.*?)\)", re.DOTALL)


def strip_comments(lines: list[str]) -> list[str]:
    """The lines with comments blanked, same numbering. String contents stay."""
    code, in_block = [], False
    for line in lines:
        kept = ""
        while line:
            if in_block:
                end = line.find("*/")
                line, in_block = (line[end + 2 :], False) if end >= 0 else ("", True)
                continue
            token = re.search(r'"(?:\\.|[^"\\])*"|//|/\*', line)
            if token is None:
                kept, line = kept + line, ""
            elif token[0].startswith('"'):
                kept, line = kept + line[: token.end()], line[token.end() :]
            else:
                kept += line[: token.start()]
                line, in_block = (line[token.end() :], True) if token[0] == "/*" else ("", False)
        code.append(kept)
    return code


def layer_of(path: str) -> str | None:
    """The folder below src/lance/ that a file lies in, or None."""
    match = re.match(r"src/lance/(\w+)/", path)
    return match[1] if match else None


def included_layer(include: str) -> str | None:
    """The layer of an include like lance/io/stores.h, or None for a public or foreign header."""
    match = re.match(r"lance/(\w+)/", include)
    return match[1] if match else None


def layer_problem(path: str, include: str) -> str | None:
    """What is wrong with a file of src/lance including a file of ours, or None."""
    layer, target = layer_of(path), included_layer(include)
    if layer == TESTING:
        return None
    if target == TESTING:
        return "testing/ is for tests, fuzzers and benchmarks only"
    if layer not in LAYERS:
        return f"src/lance/{layer}/ is no layer; the layers are {' < '.join(LAYERS)}"
    if target is None:
        if include in HANDLE_HEADERS and layer != LAYERS[-1]:
            return f"{layer}/ may use public values and interfaces, not {include}"
        return None
    if target not in LAYERS:
        return f"lance/{target}/ is no layer; the layers are {' < '.join(LAYERS)}"
    if LAYERS.index(target) > LAYERS.index(layer):
        return f"{layer}/ may not include {target}/: {' < '.join(LAYERS)}"
    return None


def public_header_problem(include: str, quoted: bool) -> str | None:
    """What is wrong with an include of a public header, or None."""
    if included_layer(include) or include.endswith(".pb.h"):
        return "public headers include the standard library, Arrow and each other"
    if include.startswith(("lance/", "arrow/")):
        return None
    if not quoted and STANDARD_HEADER.match(include):
        return None
    return "public headers include the standard library, Arrow and each other"


def include_problem(path: str, include: str, quoted: bool) -> str | None:
    """What is wrong with one include, by the rules on folders, or None."""
    if path.startswith("include/lance/"):
        return public_header_problem(include, quoted)
    if path in EXEMPT:
        return None
    if path.startswith(PUBLIC_ONLY) and (included_layer(include) or include.endswith(".pb.h")):
        return "only public headers (include/lance) may be used here"
    if path.startswith("src/lance/") and include.startswith("lance/"):
        return layer_problem(path, include)
    if included_layer(include) == TESTING and not path.startswith(TESTING_USERS):
        return "testing/ is for tests, fuzzers and benchmarks only"
    return None


def check_file(tree: source_tree.SourceTree, path: str, findings: source_tree.Findings) -> int:
    """Check one C++ file and say how many includes it has."""
    includes = 0
    for number, line in enumerate(strip_comments(tree.lines(path)), start=1):
        match = INCLUDE.match(line)
        if match:
            includes += 1
            problem = include_problem(path, match[2], match[1] == '"')
            if problem:
                findings.add(path, number, f'#include "{match[2]}": {problem}')
        for rule in PLACE_RULES:
            text = match[2] if match and rule.kind == "include" else line
            if (rule.kind == "include") != bool(match) or not rule.pattern.search(text):
                continue
            if rule.scope.search(path) and not rule.allowed.search(path):
                findings.add(path, number, f"{line.strip()}: {rule.rule}")
    return includes


def declared_depends(
    tree: source_tree.SourceTree, findings: source_tree.Findings
) -> dict[str, set[str]]:
    """DEPENDS of each lance_add_layer, checked against the line of layers."""
    depends = {}
    for path in tree.files("CMakeLists.txt"):
        if not path.startswith("src/lance/"):
            continue
        for match in DEPENDS.finditer(tree.read(path)):
            words = match[2].split()
            start = words.index("DEPENDS") + 1 if "DEPENDS" in words else len(words)
            named = []
            for word in words[start:]:
                if word.isupper():
                    break
                named.append(word)
            depends[match[1]] = set(named)
            number = tree.read(path)[: match.start()].count("\n") + 1
            for name in named:
                if match[1] in LAYERS and name not in LAYERS[: LAYERS.index(match[1])]:
                    findings.add(
                        path,
                        number,
                        f"layer {match[1]} may not depend on {name}: {' < '.join(LAYERS)}",
                    )
    return depends


def check_depends(tree, paths, depends, findings) -> None:
    """Every layer that a file includes must be in its layer's DEPENDS."""
    for path in paths:
        layer = layer_of(path)
        if layer not in depends:
            continue
        for number, line in enumerate(strip_comments(tree.lines(path)), start=1):
            match = INCLUDE.match(line)
            target = included_layer(match[2]) if match else None
            if target in LAYERS and target != layer and target not in depends[layer]:
                findings.add(
                    path,
                    number,
                    f"{line.strip()}: {target} is not in DEPENDS of lance_add_layer({layer})",
                )


def main(arguments=None) -> int:
    options = source_tree.argument_parser(__doc__).parse_args(arguments)
    tree = source_tree.SourceTree(options.root)
    findings = source_tree.Findings("check_layers")
    paths = tree.files(".h", ".cc", ".cpp", ".hpp")
    includes = sum(check_file(tree, path, findings) for path in paths)
    check_depends(tree, paths, declared_depends(tree, findings), findings)
    if includes == 0:
        findings.add(".", 1, "no #include found: nothing was checked")
    return findings.finish(f"{includes} includes in {len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
