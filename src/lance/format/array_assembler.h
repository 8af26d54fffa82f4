#pragma once

#include <cstdint>
#include <memory>

#include "arrow/buffer_builder.h"
#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/column_type.h"
#include "lance/format/encodings/value_buffer.h"

namespace lance::format {

/// Rows [begin, begin + count) of a decoded chunk. A plain value.
struct ChunkRows {
  uint64_t begin = 0;
  uint64_t count = 0;
};

/// Puts the decoded rows of one column together as an Arrow array. Thread-compatible.
///
/// For every run of rows, call one function that appends values and one that appends validity.
class ArrayAssembler {
 public:
  ArrayAssembler(ColumnType type, arrow::MemoryPool* pool);

  /// Where a decoder may append the values of a whole chunk.
  ValueBuffer* values() { return &values_; }

  /// Append some values of a decoded chunk.
  void AppendValues(const ValueBuffer& chunk, ChunkRows rows);

  /// Append values by their indices.
  ///
  /// \param indices 32 bits each, untrusted
  /// \param levels one u16 a row, or null: rows that are not 0 are null, their index is not looked
  /// at \return SerializationError when an index is not in the dictionary
  arrow::Status AppendFromDictionary(const ValueBuffer& dictionary, const ValueBuffer& indices,
                                     const ValueBuffer* levels, ChunkRows rows);

  /// Append values for rows that are null.
  void AppendNullValues(uint64_t count);

  /// Append the same validity for some rows.
  arrow::Status AppendValidity(bool is_valid, uint64_t count);

  /// Append validity from definition levels, of which 0 is valid.
  arrow::Status AppendValidity(const ValueBuffer& levels, ChunkRows rows);

  /// Make the array. The assembler is empty afterwards.
  ///
  /// \return SerializationError for text that is not UTF-8; CapacityError when the bytes do not fit
  ///   the type's offsets
  arrow::Result<std::shared_ptr<arrow::Array>> Finish();

 private:
  arrow::Status CheckValues() const;
  arrow::Result<std::shared_ptr<arrow::Buffer>> FinishOffsets();
  arrow::Result<std::shared_ptr<arrow::Buffer>> FinishValidity();

  ColumnType type_;
  arrow::MemoryPool* pool_;
  ValueBuffer values_;
  // Stays empty until the first null comes.
  arrow::TypedBufferBuilder<bool> validity_;
  uint64_t num_rows_ = 0;
};

/// Check that every value is UTF-8 of its own.
///
/// \param offsets num_values + 1 ascending positions in `bytes`
bool AreValuesUtf8(const uint8_t* bytes, const uint64_t* offsets, uint64_t num_values);

}  // namespace lance::format
