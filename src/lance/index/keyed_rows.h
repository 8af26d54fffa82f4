#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/growing_memory.h"
#include "lance/base/run_context.h"
#include "lance/index/row_gather.h"

namespace lance::index {

/// Rows by the value that they have: what a bitmap file is made of. Thread-compatible.
///
/// Keys differ when their bits do: both zeros of a float type are keys, and so is null.
class KeyedRows {
 public:
  /// \param key_type a type with an order (ordered_value.h)
  /// \param run whose memory budget it takes its memory from
  static arrow::Result<KeyedRows> Make(const std::shared_ptr<arrow::DataType>& key_type,
                                       const RunContext& run);
  KeyedRows(KeyedRows&&) noexcept;
  ~KeyedRows();

  /// Number the keys, those that are new too. \return the number of every element's key
  arrow::Result<std::vector<uint32_t>> NumberKeys(const arrow::Array& keys);

  /// The rows of a key by its number.
  RowGather& rows(uint32_t key) { return rows_[key]; }

  /// Add to the key of every element its row. \pre as many rows as keys
  arrow::Status Add(const arrow::Array& keys, const arrow::UInt64Array& rows);

  /// All keys by their numbers. Ends the adding.
  arrow::Result<std::shared_ptr<arrow::Array>> FinishKeys();

 private:
  KeyedRows(std::unique_ptr<arrow::ArrayBuilder> keys, const RunContext& run);
  arrow::Result<uint32_t> NumberKey(const arrow::Array& keys, const arrow::Array& bits,
                                    int64_t place);

  std::unique_ptr<arrow::ArrayBuilder> keys_;
  std::unordered_map<std::string, uint32_t> numbers_;  // by the key's bytes
  std::vector<RowGather> rows_;                        // by number; 0: null
  uint64_t size_bytes_ = 0;                            // about
  GrowingMemory memory_;
};

/// The keys without null in ascending order (zonemap-and-indices 2.6), and the places of null.
struct KeyOrder {
  std::vector<uint32_t> ascending;
  std::vector<uint32_t> nulls;
};

/// Sort keys, equal ones by place. \return CapacityError beyond 2^32 keys
arrow::Result<KeyOrder> SortKeys(const arrow::Array& keys);

}  // namespace lance::index
