#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/dictionary_values.h"
#include "lance/format/v20/page_builder.h"

namespace lance::format::v20 {

/// Makes pages of Arrow dictionary arrays: Dictionary (file-format 4.2).
///
/// A page has the items that its rows name, each once, whatever dictionaries the arrays had. Null
/// rows name a null item behind the others, so that a page ends when its indices can name no more.
class DictionaryPageBuilder : public PageBuilder {
 public:
  /// \param max_page_bytes ends a page, whose items are not known before
  /// \return NotImplemented + UnsupportedFeature for values of a type that is no primitive, text or
  ///   binary
  static arrow::Result<std::unique_ptr<DictionaryPageBuilder>> Make(const arrow::DataType& type,
                                                                    uint64_t max_page_bytes,
                                                                    arrow::MemoryPool* pool);

  arrow::Result<int64_t> Append(const arrow::Array& array, int64_t begin, int64_t end) override;
  uint64_t num_rows() const override { return num_rows_; }
  uint64_t pending_bytes() const override;
  uint64_t BytesOf(const arrow::Array& array, int64_t begin, int64_t end) const override;
  arrow::Result<ArrayEncoding> Build(std::vector<std::shared_ptr<arrow::Buffer>>* buffers) override;

 private:
  DictionaryPageBuilder(const arrow::DictionaryType& type, uint64_t max_page_bytes,
                        std::unique_ptr<PageBuilder> items, arrow::MemoryPool* pool);

  void UseDictionary(const std::shared_ptr<arrow::ArrayData>& dictionary);
  arrow::Result<int32_t> NumberOfRow(const arrow::DictionaryArray& rows, int64_t i);
  arrow::Result<int32_t> NumberOfKey(int64_t key, const arrow::Array& dictionary);
  arrow::Status AppendItem(const arrow::Array& dictionary, int64_t key);

  std::shared_ptr<arrow::DataType> value_type_;
  uint64_t index_bytes_;
  uint64_t max_page_bytes_;
  uint64_t max_items_;           // what indices can name, a null item included
  DictionaryCapacity capacity_;  // of the file, not only the page
  std::unique_ptr<PageBuilder> items_;
  ByteBuffer indices_;  // int32 a row: the item's number, or kNullRow
  arrow::MemoryPool* pool_;
  uint64_t num_rows_ = 0;
  bool has_null_ = false;
  /// The items of the page by their bytes.
  std::unordered_map<std::string, int32_t> numbers_;
  /// The dictionary of the last array, and the number of each of its values.
  std::shared_ptr<arrow::ArrayData> dictionary_;
  std::vector<int32_t> number_of_key_;
};

}  // namespace lance::format::v20
