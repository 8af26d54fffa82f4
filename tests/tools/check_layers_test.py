"""Tests of tools/dev/check_layers.py: every rule, broken once."""

import unittest

from planted_tree import run_check

import check_layers

GOOD = {
    "include/lance/scan.h": "#include <vector>\n"
    '#include "arrow/result.h"\n'
    '#include "lance/filter.h"\n',
    "src/lance/CMakeLists.txt": "add_subdirectory(table)\n",
    "src/lance/table/CMakeLists.txt": "lance_add_layer(table PROTO\n  DEPENDS base io format\n"
    "  SOURCES\n    commit.cc)\n",
    "src/lance/table/commit.cc": '#include "lance/io/stores.h"\n'
    '#include "lance/refs.h"\n'
    '#include "lance/table/commit.h"\n',
    "src/lance/table/manifest_proto.cc": '#include "lance_table.pb.h"\n',
    "src/lance/format/encodings/flat.cc": '#include "lance_encodings21.pb.h"\n',
    "src/lance/io/local_store.cc": '#include "arrow/filesystem/localfs.h"\n',
    "src/lance/base/executor.cc": "#include <thread>\nstd::thread worker;\n",
    "src/lance/base/clock.cc": "auto now = std::chrono::system_clock::now();\n",
    "src/lance/testing/fault_store.h": '#include "lance/dataset/dataset_impl.h"\n',
    "tests/unit/io/store_test.cc": '#include "lance/testing/fault_store.h"\n#include <thread>\n',
    "tools/cli/main.cc": '#include "lance/lance.h"\n#include "command_line.h"\n',
}

# Name, path, text, and a part of the message.
VIOLATIONS = [
    (
        "UpwardInclude",
        "src/lance/io/a.cc",
        '#include "lance/table/commit.h"',
        "io/ may not include",
    ),
    ("CommentedInclude", "src/lance/io/a.cc", "/* x */ #include <lance/index/a.h>", "io/ may not"),
    ("UnknownLayer", "src/lance/extra/a.cc", '#include "lance/io/a.h"', "is no layer"),
    ("UnknownTarget", "src/lance/io/a.cc", '#include "lance/extra/a.h"', "is no layer"),
    ("Handle", "src/lance/table/a.h", '#include "lance/dataset.h"', "values and interfaces"),
    ("Testing", "src/lance/dataset/a.cc", '#include "lance/testing/a.h"', "for tests, fuzzers"),
    ("TestingInCli", "tools/cli/a.cc", '#include "lance/testing/a.h"', "only public headers"),
    ("CliInside", "tools/cli/a.cc", '#include "lance/base/uuid.h"', "only public headers"),
    ("ExampleInside", "examples/a.cc", '#include "lance/io/stores.h"', "only public headers"),
    ("InteropInside", "tests/interop/a.cc", '#include "lance/io/stores.h"', "only public headers"),
    ("PublicInside", "include/lance/a.h", '#include "lance/base/uuid.h"', "public headers include"),
    ("PublicProto", "include/lance/a.h", '#include "lance_table.pb.h"', "public headers include"),
    ("PublicJson", "include/lance/a.h", "#include <nlohmann/json.hpp>", "public headers include"),
    ("Proto", "src/lance/table/commit.h", '#include "lance_table.pb.h"', "generated protobuf"),
    ("Filesystem", "src/lance/table/a.cc", '#include "arrow/filesystem/api.h"', "belongs in io/"),
    ("ThreadHeader", "src/lance/dataset/a.cc", "#include <thread>", "base/executor"),
    ("Thread", "src/lance/io/a.cc", "  std::thread worker(Run);", "base/executor"),
    ("Clock", "src/lance/io/a.cc", "x = system_clock::now();", "base/clock"),
    ("PlannerIo", "src/lance/clustering/planner.cc", '#include "lance/io/a.h"', "does no io"),
    ("KeySortIo", "src/lance/clustering/key_sort.h", '#include "lance/io/a.h"', "does no io"),
    (
        "DependsUpward",
        "src/lance/table/CMakeLists.txt",
        "lance_add_layer(table\n  DEPENDS base io format index\n  SOURCES a.cc)",
        "may not depend on index",
    ),
    (
        "DependsForgotten",
        "src/lance/table/CMakeLists.txt",
        "lance_add_layer(table DEPENDS base SOURCES a.cc)",
        "io is not in DEPENDS",
    ),
]


class CheckLayers(unittest.TestCase):

    def test_accepts_a_tree_that_keeps_the_rules(self):
        code, output = run_check(check_layers, GOOD)

        self.assertEqual((code, "check_layers: ok" in output), (0, True), output)

    def test_refuses_each_planted_violation_at_its_line(self):
        for name, path, text, message in VIOLATIONS:
            with self.subTest(name):
                code, output = run_check(check_layers, {**GOOD, path: text + "\n"})

                self.assertEqual(code, 1, output)
                self.assertIn(message, output)
                self.assertIn(".cc:1: " if "Forgotten" in name else f"{path}:1: ", output)

    def test_ignores_what_stands_in_comments(self):
        text = '// #include "lance/dataset/a.h"\n/*\n#include "lance/dataset/a.h"\n*/\nint a;\n'
        code, output = run_check(check_layers, {**GOOD, "src/lance/io/a.cc": text})

        self.assertEqual(code, 0, output)

    def test_an_empty_tree_is_no_success(self):
        self.assertEqual(run_check(check_layers, {"README.md": ""})[0], 1)


if __name__ == "__main__":
    unittest.main()
