#pragma once

#include <cstdint>
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

/// Print columns of text, aligned, under a heading.
void PrintTable(const std::vector<std::string>& heading,
                const std::vector<std::vector<std::string>>& rows);

/// 336776 as "336,776".
std::string WithCommas(uint64_t number);

}  // namespace lancectl
