#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lancectl {

/// Text that came out of a table, safe to print: control characters, and bytes that are no UTF-8,
/// as \xNN, as a value must not steer the terminal.
std::string Printable(const std::string& text);

/// The same for a message, which may have lines.
std::string PrintableMessage(const std::string& text);

/// Print a JSON document on one line. Bytes that are no UTF-8, of a path, are replaced.
void PrintJson(const nlohmann::ordered_json& json);

/// Prints columns of text, aligned, some rows at a time; all of it Printable. A column is as wide
/// as what was printed of it so far needs. Thread-compatible.
class TablePrinter {
 public:
  explicit TablePrinter(std::vector<std::string> heading);

  /// Print rows, the first time below the heading.
  void Print(std::vector<std::vector<std::string>> rows);

 private:
  void Widen(const std::vector<std::string>& row);
  void PrintLine(const std::vector<std::string>& row) const;

  std::vector<std::string> heading_;
  std::vector<size_t> widths_;
  bool has_heading_ = false;
};

/// Print columns of text, aligned, under a heading; all of it Printable.
void PrintTable(std::vector<std::string> heading, std::vector<std::vector<std::string>> rows);

/// Names with ", " between them.
std::string JoinNames(const std::vector<std::string>& names);

/// 336776 as "336,776".
std::string WithCommas(uint64_t number);

/// "1 row", "2,500 rows". \param many "": `one` with an s
std::string Counted(uint64_t count, const std::string& one, const std::string& many = "");

/// A text with its ASCII letters in lower case.
std::string Lowered(std::string text);

}  // namespace lancectl
