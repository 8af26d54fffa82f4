"""Check house rules that no other tool checks: characters, names, paths, hosts, sizes, and that
every test is run.
"""

import re
import sys

import source_tree

# Plain ASCII, and lines of at most 100 columns (clang-format sees to those of C++).
SOURCES = (
    ".h",
    ".cc",
    ".cpp",
    ".py",
    ".sh",
    ".cmake",
    ".proto",
    "CMakeLists.txt",
    ".json",
    ".toml",
    "run",
    ".in",
    ".txt",
)
WIDTH = 100
NARROW = (".py", ".sh", ".cmake", ".proto", "CMakeLists.txt", "run")

# A file with one of these words as its name is a file whose name has not been found.
EMPTY_WORDS = frozenset(
    ("util", "utils", "helper", "helpers", "common", "manager", "managers", "misc", "stuff")
)

# Lines above which a file is refused.
SIZE_LIMITS = (
    (re.compile(r"^tests/.*\.(cc|py)$"), 1000, "test"),
    (re.compile(r"\.h$"), 400, "header"),
    (re.compile(r"\.(cc|py|sh)$|^run$"), 800, "source"),
)

# Paths that exist on one machine only. Written in pieces, so that this file does not hold them.
MACHINE_PATHS = re.compile(
    r"(?<![\w.~/-])/(?:" + "|".join(("work", "root", "home", "Users")) + r")/\w"
)

# Where packages come from is the business of whoever installs them.
PACKAGE_HOSTS = re.compile(
    "|".join(
        host.replace("@", r"\.")
        for host in (
            "pypi@org",
            "pythonhosted@org",
            "crates@io/",
            "proxy@golang@org",
            "npmjs@org",
            "deb@debian@org",
            "repo1@maven@org",
            "repo@maven@apache@org",
        )
    )
)
INDEX_OPTION = re.compile(r"--(?:extra-)?index" + r"-url[= ]|--trusted" + r"-host[= ]")

# Data, not text of ours.
DATA = re.compile(r"^tests/(vectors/data|golden|interop/data)/|\.lock$|^LICENSE$")


def check_name(path: str, findings: source_tree.Findings) -> None:
    """The file's own name and its folders'."""
    for part in path.split("/"):
        words = re.split(r"[_.\-]", part.lower())
        # "cost_util_test.cc" is as empty as "util.h".
        empty = EMPTY_WORDS.intersection(words)
        if empty:
            findings.add(path, 1, f'the name "{part}" says nothing: {", ".join(sorted(empty))}')


def check_text(path: str, lines: list[str], findings: source_tree.Findings) -> None:
    """Each line's characters, width, paths and hosts."""
    is_source, is_narrow = path.endswith(SOURCES), path.endswith(NARROW)
    for number, line in enumerate(lines, start=1):
        if is_source and not line.isascii():
            character = next(c for c in line if ord(c) > 127)
            findings.add(path, number, f"U+{ord(character):04X} is not ASCII")
        if is_narrow and len(line) > WIDTH and "://" not in line:
            findings.add(path, number, f"{len(line)} columns; allowed {WIDTH}")
        machine_path = MACHINE_PATHS.search(line)
        if machine_path:
            findings.add(path, number, f"{machine_path[0]}...: a path of one machine")
        if PACKAGE_HOSTS.search(line) or INDEX_OPTION.search(line):
            findings.add(path, number, "names a package host; leave it to pip's configuration")


# Cases as data, a line or two each.
TABLES_OF_DATA = {"tests/interop/format_matrix.py"}


def check_size(path: str, lines: list[str], findings: source_tree.Findings) -> None:
    """The number of lines against what house rules refuse; tables of data are exempt."""
    if path in TABLES_OF_DATA:
        return
    for pattern, limit, kind in SIZE_LIMITS:
        if pattern.search(path):
            if len(lines) > limit:
                findings.add(path, limit, f"{len(lines)} lines; a {kind} file has at most {limit}")
            return


TEST_FILE = re.compile(r"^tests/(?!tools/).*(/test_\w+\.py|_test\.cc)$")


def check_tests(tree: source_tree.SourceTree, findings: source_tree.Findings) -> None:
    """Each test file is named once by the CMakeLists.txt of its folder, or else nobody runs it."""
    named: dict[str, list[str]] = {}
    for path in filter(TEST_FILE.search, tree.files()):
        folder, _, name = path.rpartition("/")
        listing = f"{folder}/CMakeLists.txt"
        if listing not in named:
            is_there = (tree.root / listing).exists()
            text = "\n".join(tree.lines(listing)) if is_there else ""
            named[listing] = re.findall(r"[\w.]+", re.sub(r"#.*", "", text))
        times = named[listing].count(name)
        if times != 1:
            findings.add(path, 1, f"is named {times} times in {listing}; allowed: once")


def main(arguments=None) -> int:
    options = source_tree.argument_parser(__doc__).parse_args(arguments)
    tree = source_tree.SourceTree(options.root)
    findings = source_tree.Findings("check_project")
    paths = tree.files()
    for path in paths:
        check_name(path, findings)
        if DATA.search(path) and not path.endswith(".lock"):
            continue
        if b"\0" in (tree.root / path).read_bytes()[:4096]:
            continue
        lines = tree.lines(path)
        check_text(path, lines, findings)
        check_size(path, lines, findings)
    check_tests(tree, findings)
    if not paths:
        findings.add(".", 1, "no files found")
    return findings.finish(f"{len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
