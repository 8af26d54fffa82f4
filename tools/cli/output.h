#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lancectl {

/// How rows are printed.
enum class RowFormat { kTable, kCsv, kJsonLines, kIpc };

/// Parse --format. \return Invalid saying what is allowed
arrow::Result<RowFormat> ParseRowFormat(const std::string& text);

/// Print all rows of a reader to standard output.
arrow::Status PrintRows(arrow::RecordBatchReader& reader, RowFormat format);

/// Text that came out of a table, safe to print: control characters, and bytes that are no UTF-8,
/// as \xNN, as a value must not steer the terminal.
std::string Printable(const std::string& text);

/// The same for a message, which may have lines.
std::string PrintableMessage(const std::string& text);

/// Print a JSON document on one line. Bytes that are no UTF-8, of a path, are replaced.
void PrintJson(const nlohmann::ordered_json& json);

/// Print columns of text, aligned, under a heading; all of it Printable.
void PrintTable(std::vector<std::string> heading, std::vector<std::vector<std::string>> rows);

/// Names with ", " between them.
std::string JoinNames(const std::vector<std::string>& names);

/// 336776 as "336,776".
std::string WithCommas(uint64_t number);

}  // namespace lancectl
