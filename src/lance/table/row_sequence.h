#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/base/row_ranges.h"

namespace lance::table {

/// The stable ids of a fragment's rows in physical order, deleted rows included (table-format 8.3).
///
/// Kept as runs of ids that ascend by one. Thread-compatible.
class RowIdSequence {
 public:
  /// Rows [first_row, first_row + length) have the ids first_id, first_id + 1 and so on.
  struct Run {
    uint64_t first_row = 0;
    uint64_t first_id = 0;
    uint64_t length = 0;

    bool operator==(const Run&) const = default;
  };

  /// Parse a RowIdSequence message (table-format 8.4).
  ///
  /// \param num_rows how many ids it must have
  /// \return SerializationError saying what is wrong
  static arrow::Result<RowIdSequence> Parse(std::string_view bytes, uint64_t num_rows);

  /// As Parse, with `num_rows` values or fewer.
  static arrow::Result<RowIdSequence> ParseUpTo(std::string_view bytes, uint64_t num_rows);

  /// Add rows behind the others. \pre the ids do not wrap
  void Append(uint64_t first_id, uint64_t length);

  uint64_t num_rows() const { return num_rows_; }
  const std::vector<Run>& runs() const { return runs_; }

  /// The id of a row. \pre row < num_rows()
  uint64_t IdOf(uint64_t row) const;

  /// The ids of some rows, in their order. \pre all are below num_rows()
  RowIdSequence Select(const RowRanges& rows) const;

  /// The message in the smallest of its forms, ranges, bitmap or array.
  std::string Serialize() const;

  bool operator==(const RowIdSequence&) const = default;

 private:
  std::vector<Run> runs_;  // ascending rows
  uint64_t num_rows_ = 0;
};

/// The versions in which a fragment's rows were created, or last changed (table-format 8.6).
///
/// Thread-compatible.
class VersionSequence {
 public:
  /// So many consecutive rows with one version.
  struct Run {
    uint64_t first_row = 0;
    uint64_t version = 0;
    uint64_t length = 0;

    bool operator==(const Run&) const = default;
  };

  /// Parse a RowDatasetVersionSequence message. \return as RowIdSequence::Parse
  static arrow::Result<VersionSequence> Parse(std::string_view bytes, uint64_t num_rows);

  /// As Parse, with `num_rows` values or fewer.
  static arrow::Result<VersionSequence> ParseUpTo(std::string_view bytes, uint64_t num_rows);

  /// All rows with one version.
  static VersionSequence Of(uint64_t version, uint64_t num_rows);

  /// Add rows behind the others.
  void Append(uint64_t version, uint64_t length);

  uint64_t num_rows() const { return num_rows_; }
  const std::vector<Run>& runs() const { return runs_; }

  /// The version of a row. \pre row < num_rows()
  uint64_t VersionOf(uint64_t row) const;

  /// The message, with ranges that count from 0.
  std::string Serialize() const;

  bool operator==(const VersionSequence&) const = default;

 private:
  std::vector<Run> runs_;
  uint64_t num_rows_ = 0;
};

}  // namespace lance::table
