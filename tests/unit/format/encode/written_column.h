#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/format/describe_page.h"
#include "lance/format/field_tree.h"
#include "lance/format/field_writer.h"
#include "lance/format/schema.h"

namespace lance::format {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using Metadata = std::map<std::string, std::string>;

/// Keeps the buffers of pages. Thread-compatible.
class MemorySink : public PageSink {
 public:
  arrow::Result<ByteRange> AppendBuffer(std::string_view bytes) override {
    const ByteRange range = {bytes_.size(), bytes.size()};
    bytes_ += bytes;
    bytes_.resize((bytes_.size() + 63) / 64 * 64, 'H');
    return range;
  }

  std::string At(const ByteRange& range) const { return bytes_.substr(range.offset, range.length); }

 private:
  std::string bytes_;
};

/// How a test writes an array. A plain value.
struct WriteRequest {
  FileVersion version = FileVersion::k2_1;
  Metadata metadata = {};
  uint64_t max_page_bytes = 8 << 20;
  bool nullable = true;
};

/// The columns of one field, and the bytes of its pages. A plain value.
struct WrittenField {
  std::vector<ColumnMetadata> columns;
  MemorySink sink;

  const PageMetadata& page(size_t i = 0, size_t column = 0) const {
    return columns.at(column).pages.at(i);
  }
  std::string Buffer(size_t i, size_t page_index = 0, size_t column = 0) const {
    return sink.At(page(page_index, column).buffers.at(i));
  }
  /// The bytes of all buffers of all pages.
  uint64_t num_bytes() const {
    uint64_t bytes = 0;
    for (const ColumnMetadata& column : columns) {
      for (const PageMetadata& each : column.pages) {
        for (const ByteRange& range : each.buffers) bytes += range.length;
      }
    }
    return bytes;
  }
};

inline FieldNode NodeOf(const std::shared_ptr<arrow::DataType>& type, const WriteRequest& request) {
  std::vector<std::string> keys;
  std::vector<std::string> values;
  for (const auto& [key, value] : request.metadata) {
    keys.push_back(key);
    values.push_back(value);
  }
  const auto field =
      arrow::field("c", type, request.nullable, arrow::key_value_metadata(keys, values));
  const auto schema = MakeLanceSchema(arrow::Schema({field})).ValueOrDie();
  return MakeFieldTree(schema).ValueOrDie()[0];
}

/// Write arrays one after the other.
inline arrow::Result<std::unique_ptr<WrittenField>> TryWrite(const std::vector<ArrayPtr>& arrays,
                                                             const WriteRequest& request = {}) {
  auto written = std::make_unique<WrittenField>();
  const FieldNode node = NodeOf(arrays.front()->type(), request);
  const FieldWriterOptions options = {.max_page_bytes = request.max_page_bytes};
  ARROW_ASSIGN_OR_RAISE(const auto writer,
                        MakeFieldWriter(node, request.version, options, &written->sink));
  for (const ArrayPtr& array : arrays) ARROW_RETURN_NOT_OK(writer->Write(array));
  ARROW_RETURN_NOT_OK(writer->Finish());
  written->columns = writer->TakeColumns();
  return written;
}

inline std::unique_ptr<WrittenField> Write(const ArrayPtr& array,
                                           const WriteRequest& request = {}) {
  return TryWrite({array}, request).ValueOrDie();
}

/// How the first page of a column of an array is encoded.
inline std::string Described(const ArrayPtr& array, const WriteRequest& request = {},
                             size_t column = 0) {
  return DescribePage(Write(array, request)->page(0, column), request.version);
}

inline ArrayPtr FromJson(const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

/// `count` values that `make(i)` gives, as an array of a type that has a builder.
template <typename Type, typename Make>
ArrayPtr MakeArrayOf(
    int64_t count, Make&& make,
    const std::shared_ptr<arrow::DataType>& type = arrow::TypeTraits<Type>::type_singleton()) {
  typename arrow::TypeTraits<Type>::BuilderType builder(type, arrow::default_memory_pool());
  for (int64_t i = 0; i < count; ++i) {
    auto value = make(i);
    const auto status = value ? builder.Append(*value) : builder.AppendNull();
    if (!status.ok()) status.Abort();
  }
  return builder.Finish().ValueOrDie();
}

/// A number that looks random.
inline uint64_t Scatter(int64_t i) {
  uint64_t x = static_cast<uint64_t>(i) + 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

}  // namespace lance::format
