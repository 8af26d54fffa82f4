"""Check that docs/contract-map.md names functions and tests that exist.

A name in backticks with a dot between two capitalised words is a test, Suite.Name; any other
capitalised name in backticks is a function or class of include/ or src/.
"""

import re
import sys

import source_tree

MAP = "docs/contract-map.md"
NAME = re.compile(r"`([A-Z]\w+(?:\.[A-Z]\w+)?)`")
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)


def main(arguments=None) -> int:
    options = source_tree.argument_parser(__doc__).parse_args(arguments)
    tree = source_tree.SourceTree(options.root)
    findings = source_tree.Findings("check_contract")
    files = tree.files(".h", ".cc")
    tests = {
        f"{suite}.{name}"
        for path in files if path.startswith("tests/")
        for suite, name in TEST.findall(tree.read(path))
    }
    words = set()
    for path in files:
        if path.startswith(("include/", "src/")):
            words.update(re.findall(r"\b[A-Z]\w+", tree.read(path)))
    named = 0
    for number, line in enumerate(tree.lines(MAP), 1):
        for name in NAME.findall(line):
            if name == "WHERE":
                continue
            named += 1
            if "." in name and name not in tests:
                findings.add(MAP, number, f"there is no test {name}")
            elif "." not in name and name not in words:
                findings.add(MAP, number, f"there is no function or class {name}")
    if named == 0:
        findings.add(MAP, 1, "no names found: nothing was checked")
    return findings.finish(f"{named} names")


if __name__ == "__main__":
    sys.exit(main())
