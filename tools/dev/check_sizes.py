#!/usr/bin/env python3
"""Check that functions and files stay small, and print how large they are.

Prints, for each kind, the median, the 90th percentile and the five largest; fails on what is larger
than allowed. Functions are found by their braces: a line that ends a signature with '{' opens one,
the matching '}' closes it. Tables of constants (only literals inside) are exempt by the size of files
alone.
"""

import pathlib
import re
import statistics
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
# What is refused; the aims are lower (see CONTRIBUTING.md).
MOST_LINES = {"function": 80, "header": 400, "source": 800, "test": 1000, "python": 1000}
FOLDERS = ["include", "src", "tests", "tools", "examples", "fuzz", "benchmarks", "python"]
# Tables of cases, which are data.
EXEMPT = {"tests/interop/format_matrix.py"}

NOT_A_FUNCTION = re.compile(
    r"^\s*(namespace|class|struct|enum|union|extern|switch|if|for|while|do|else|try|return|case|"
    r"public|private|default)\b|=\s*\{$|\[\S*\]\s*\(")


def kind_of(path):
    if path.suffix == ".py":
        return "python"
    if path.parts[0] == "tests":
        return "test"
    return "header" if path.suffix == ".h" else "source"


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


def main():
    sizes = {kind: [] for kind in MOST_LINES}
    for folder in FOLDERS:
        for path in sorted((PROJECT / folder).rglob("*")):
            if path.suffix not in {".h", ".cc", ".py"} or not path.is_file():
                continue
            name = path.relative_to(PROJECT)
            if str(name) in EXEMPT:
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            sizes[kind_of(name)].append((len(lines), str(name)))
            if path.suffix in {".h", ".cc"} and kind_of(name) != "test":
                for first, length in functions_of(lines):
                    sizes["function"].append((length, f"{name}:{first}"))
    problems = 0
    for kind, found in sizes.items():
        found.sort(reverse=True)
        counts = [count for count, _ in found]
        if not counts:
            continue
        p90 = counts[len(counts) // 10]
        print(f"{kind}: {len(counts)}, median {statistics.median(counts):g} lines, p90 {p90}")
        for count, place in found[:5]:
            print(f"    {count:5} {place}")
        for count, place in found:
            if count > MOST_LINES[kind]:
                print(f"{place}: {kind} of {count} lines; allowed: {MOST_LINES[kind]}")
                problems += 1
    print(f"check_sizes: {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
