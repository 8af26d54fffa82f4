#!/usr/bin/env python3
"""Check that functions and files stay small, and print how large they are.

Prints, for each kind, the median, the 90th percentile and the five largest; fails on what is larger
than allowed. Functions are found by their braces: a line that ends a signature with '{' opens one,
the matching '}' closes it.
"""

import re
import statistics
import sys

import source_tree

# What is refused; the aims are lower (see CONTRIBUTING.md).
MOST_LINES = {"function": 80, "header": 400, "source": 800, "test": 1000, "python": 1000}
FOLDERS = ["include", "src", "tests", "tools", "examples", "fuzz", "benchmarks", "python"]
# Tables of cases, which are data.
EXEMPT = {"tests/interop/format_matrix.py"}

NOT_A_FUNCTION = re.compile(
    r"^\s*(namespace|class|struct|enum|union|extern|switch|if|for|while|do|else|try|return|case|"
    r"public|private|default)\b|=\s*\{$|\[\S*\]\s*\(")


def kind_of(path):
    if path.endswith(".py"):
        return "python"
    if path.startswith("tests/"):
        return "test"
    return "header" if path.endswith(".h") else "source"


def strip_text(line):
    """A line without string and character literals and comments, whose braces do not count."""
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    line = re.sub(r"'(\\.|[^'\\])'", "''", line)
    return line.split("//")[0]


def functions_of(lines):
    """(first line, number of lines) of every outermost function."""
    depth, stack = 0, []
    signature = ""
    for number, raw in enumerate(lines, 1):
        line = strip_text(raw)
        signature += " " + line.strip()
        opens, closes = line.count("{"), line.count("}")
        if opens > closes:
            is_function = "(" in signature and not NOT_A_FUNCTION.search(signature.strip())
            inside = any(entry[1] for entry in stack)
            stack.append((depth, is_function and not inside, number))
        depth += opens - closes
        while stack and depth <= stack[-1][0]:
            _, is_function, first = stack.pop()
            if is_function:
                yield first, number - first + 1
        if line.rstrip().endswith((";", "}", "{", ":")) or not line.strip():
            signature = ""


def measure(tree):
    """(lines, place) of everything that has a size, by kind."""
    sizes = {kind: [] for kind in MOST_LINES}
    for path in tree.files(".h", ".cc", ".py"):
        if path.split("/")[0] not in FOLDERS or path in EXEMPT:
            continue
        lines = tree.lines(path)
        kind = kind_of(path)
        sizes[kind].append((len(lines), path))
        if kind in ("header", "source"):
            sizes["function"] += [(n, f"{path}:{first}") for first, n in functions_of(lines)]
    return sizes


def main(arguments=None) -> int:
    options = source_tree.argument_parser(__doc__).parse_args(arguments)
    findings = source_tree.Findings("check_sizes")
    sizes = measure(source_tree.SourceTree(options.root))
    for kind, found in sizes.items():
        if not found:
            continue
        found.sort(reverse=True)
        counts = [count for count, _ in found]
        middle, p90 = statistics.median(counts), counts[len(counts) // 10]
        print(f"{kind}: {len(counts)}, median {middle:g} lines, p90 {p90}")
        for count, place in found[:5]:
            print(f"    {count:5} {place}")
        for count, place in found:
            if count > MOST_LINES[kind]:
                path, _, line = place.partition(":")
                text = f"{kind} of {count} lines; allowed: {MOST_LINES[kind]}"
                findings.add(path, int(line or 1), text)
    number = sum(len(found) for found in sizes.values())
    if number == 0:
        findings.add(".", 1, "no sources found: nothing was checked")
    return findings.finish(f"{number} functions and files")


if __name__ == "__main__":
    sys.exit(main())
