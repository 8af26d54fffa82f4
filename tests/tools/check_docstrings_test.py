"""Tests of tools/dev/check_docstrings.py."""

import unittest

from planted_tree import run_check

import check_docstrings

DOCUMENTED = """
#pragma once
#define LANCE_EXPORT __attribute__((visibility("default")))
namespace arrow { class Buffer; }
namespace lance {
struct Forward;
enum class AlsoForward : int;
using namespace std::literals;

/// A thing.
template <typename T, typename U = std::vector<T>>
class LANCE_EXPORT Thing final : public Base<T> {
 public:
  Thing() = default;
  ~Thing() override;
  Thing(const Thing&) = delete;
  friend class Other;
  class Impl;

  /// Make one.
  [[nodiscard]] static Result<Thing> Make(Options options = {}, int n = f({1, 2}));
  /// Look.
  const Impl& impl() const { return *impl_; }
  /// Wrap.
  explicit Thing(int n) : n_{n}, m_(n) {}
  /// Compare.
  bool operator==(const Thing& other) const { return n_ == other.n_; }
  bool operator!=(const Thing&) const = default;
  /// A nested value.
  struct Inner {
    int a = 1;  ///< Its a.
    /// Its b.
    std::chrono::milliseconds b{30'000};
    std::map<std::string, int> c = {{"x{", 1}};  ///< Its c.
  };

 private:
  void Hidden();
  struct Secret { int s; };
  int n_, m_;
};

/// A choice.
enum class Choice : uint8_t {
  kFirst,       ///< The first.
  kSecond = 2,  ///< The second.
  /// The third.
  kThird
};

/// A name.
using Name = std::string;
/// A number.
inline constexpr int kNumber = 'x' + 1;
/// A function.
template <typename T>
Result<T> Free(const std::function<Status(int)>& visit);
}  // namespace lance
"""

# Name, declarations, and what the message names.
MISSING = [
    ("Class", "class A {};", "class A"),
    ("Struct", "struct A { };", "struct A"),
    ("Enum", "enum class E { };", "enum E"),
    ("EnumValue", "/// E.\nenum class E { kA,  ///< A.\n kB };", "value kB"),
    ("FirstEnumValue", "/// E.\nenum class E {\n kA,\n kB,  ///< B.\n};", "value kA"),
    ("Function", "int Run(int a);", "function Run"),
    ("InlineFunction", "inline int Run() { return 1; }", "function Run"),
    ("Template", "template <typename T>\nint Run(T a);", "function Run"),
    ("Alias", "using A = int;", "alias A"),
    ("Constant", "inline constexpr int kA = Max(1, 2);", "member kA"),
    ("Field", "/// A.\nstruct A {\n  int b;\n};", "member b"),
    ("FieldWithBraces", "/// A.\nstruct A {\n  int b{1};\n};", "member b"),
    ("FieldAfterField", "/// A.\nstruct A {\n  int b;  ///< B.\n  int c = {};\n};", "member c"),
    ("Method", "/// A.\nclass A {\n public:\n  int b() const { return 1; }\n};", "function b"),
    ("Operator", "/// A.\nstruct A {\n  bool operator==(const A& a) const;\n};", "operator=="),
    (
        "Constructor",
        "/// A.\nclass A {\n public:\n  explicit A(int b) : b_{b} {}\n};",
        "function A",
    ),
    ("Nested", "/// A.\nclass A {\n public:\n  struct B {};\n};", "struct B"),
    (
        "AfterPrivate",
        "/// A.\nclass A {\n private:\n  int b_;\n public:\n  int c();\n};",
        "function c",
    ),
    ("BlankLineBetween", "/// About nothing.\n\nint Run();", "function Run"),
    ("OrdinaryComment", "// Not a docstring.\nint Run();", "function Run"),
]


def header(text: str) -> dict[str, str]:
    """A tree with one public header."""
    return {"include/lance/a.h": f"namespace lance {{\n{text}\n}}  // namespace lance\n"}


class CheckDocstrings(unittest.TestCase):

    def test_accepts_a_header_where_all_is_documented(self):
        code, output = run_check(check_docstrings, {"include/lance/a.h": DOCUMENTED})

        self.assertEqual(code, 0, output)

    def test_lists_every_declaration_once_in_order(self):
        names = [found.name for found in check_docstrings.scan_header(DOCUMENTED)]

        self.assertEqual(
            names,
            ["Thing", "Make", "impl", "Thing", "operator==", "Inner", "a", "b", "c", "Choice"]
            + ["kFirst", "kSecond", "kThird", "Name", "kNumber", "Free"],
        )

    def test_names_each_declaration_without_docstring(self):
        for name, text, message in MISSING:
            with self.subTest(name):
                code, output = run_check(check_docstrings, header(text))

                self.assertEqual(code, 1, output)
                self.assertIn(f"{message} has no /// docstring", output)
                self.assertIn("check_docstrings: 1 problems", output)

    def test_gives_the_line_of_the_declaration(self):
        _, output = run_check(check_docstrings, header("/// A.\nint A();\nint B();"))

        self.assertIn("include/lance/a.h:4: function B", output)

    def test_asks_inner_headers_for_classes_only(self):
        files = {"src/lance/io/a.h": "namespace lance {\nint Run();\nclass A { int b; };\n}\n"}
        _, output = run_check(check_docstrings, files)

        self.assertIn("src/lance/io/a.h:3: class A has no", output)
        self.assertNotIn("Run", output)

    def test_nothing_declared_is_no_success(self):
        self.assertEqual(run_check(check_docstrings, header(""))[0], 1)


if __name__ == "__main__":
    unittest.main()
