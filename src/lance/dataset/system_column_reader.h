#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/system_column.h"
#include "lance/table/row_sequence.h"

namespace lance {

/// Gives the system columns of one fragment. Sequences are parsed once. Thread-compatible.
class SystemColumnReader {
 public:
  /// \param reader of the fragment, for sequences that are in hidden columns; must outlive this
  /// \param has_stable_row_ids whether the table has them
  SystemColumnReader(FragmentReader* reader, bool has_stable_row_ids, const RunContext& run);

  /// Say how many live rows the fragments before this one have, for `_rowoffset`.
  void set_first_row_offset(uint64_t offset) { first_row_offset_ = offset; }

  /// The values of some rows. \return SerializationError for sequences that are damaged
  arrow::Result<std::shared_ptr<arrow::Array>> Read(SystemColumn column, const RowRanges& rows);

  /// The stable ids of all rows. \pre the table has them
  arrow::Result<const table::RowIdSequence*> RowIds();
  /// In which versions all rows were created; 1 where the table does not say.
  arrow::Result<const table::VersionSequence*> CreatedAt();
  /// In which versions all rows last changed; where the table does not say, as CreatedAt.
  arrow::Result<const table::VersionSequence*> LastUpdatedAt();

 private:
  arrow::Result<std::shared_ptr<arrow::Array>> RowOffsets(const RowRanges& rows,
                                                          arrow::MemoryPool* pool);
  /// Read a hidden column whole.
  arrow::Result<std::shared_ptr<arrow::Array>> ReadHidden(int32_t field_id);
  arrow::Result<table::VersionSequence> ReadVersions(const table::StoredSequence& stored,
                                                     int32_t field_id);

  FragmentReader* reader_;
  bool has_stable_row_ids_;
  RunContext run_;
  uint64_t first_row_offset_ = 0;
  std::optional<RowRanges> live_;
  std::optional<table::RowIdSequence> row_ids_;
  std::optional<table::VersionSequence> created_at_;
  std::optional<table::VersionSequence> last_updated_at_;
};

}  // namespace lance
