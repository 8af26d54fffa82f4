#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "google/protobuf/text_format.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/field_tree.h"
#include "lance/format/schema.h"
#include "lance/format/v20/array_encoding_proto.h"
#include "lance/format/v20/read_field.h"
#include "lance/io/stores.h"
#include "lance_encodings20.pb.h"

namespace lance::format::v20 {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using FieldPtr = std::shared_ptr<arrow::Field>;
using TypePtr = std::shared_ptr<arrow::DataType>;

/// Little-endian numbers back to back.
template <typename T>
std::string Numbers(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string U64(const std::vector<uint64_t>& values) { return Numbers(values); }
inline std::string I32(const std::vector<int32_t>& values) { return Numbers(values); }

/// The serialized Encoding message of a page whose ArrayEncoding is given as protobuf text.
inline std::string EncodingOf(const std::string& text) {
  lance_pb::encodings::ArrayEncoding message;
  if (!google::protobuf::TextFormat::ParseFromString(text, &message)) return "not parsed: " + text;
  return PackEncoding(message.SerializeAsString(), kArrayEncodingType);
}

/// Protobuf text of encodings that tests need often.
inline std::string Flat(int bits, int buffer) {
  return "flat { bits_per_value: " + std::to_string(bits) +
         " buffer { buffer_index: " + std::to_string(buffer) + " } }";
}
inline std::string NoNulls(const std::string& values) {
  return "nullable { no_nulls { values { " + values + " } } }";
}
inline std::string SomeNulls(int validity_buffer, const std::string& values) {
  return "nullable { some_nulls { validity { " + Flat(1, validity_buffer) + " } values { " +
         values + " } } }";
}
inline std::string Binary(uint64_t null_adjustment, int first_buffer = 0) {
  return "binary { indices { " + NoNulls(Flat(64, first_buffer)) + " } bytes { " +
         Flat(8, first_buffer + 1) + " } null_adjustment: " + std::to_string(null_adjustment) +
         " }";
}
inline std::string List(uint64_t null_offset_adjustment, uint64_t num_items) {
  return "list { offsets { " + NoNulls(Flat(64, 0)) +
         " } null_offset_adjustment: " + std::to_string(null_offset_adjustment) +
         " num_items: " + std::to_string(num_items) + " }";
}

/// A page: protobuf text of its ArrayEncoding, its buffers, its values.
struct HandMadePage {
  std::string encoding;
  std::vector<std::string> buffers;
  uint64_t num_values = 0;
};

/// One field of a 2.0 file, with every byte of its pages under the test's control.
struct HandMadeField {
  FieldPtr field;
  uint64_t num_rows = 0;
  std::vector<std::vector<HandMadePage>> columns;
  std::string column_encoding = PlainColumnEncoding();
};

/// A hand-made field in a store of its own.
class OpenedField {
 public:
  static arrow::Result<OpenedField> Make(const HandMadeField& made) {
    OpenedField opened;
    opened.metadata.version = FileVersion::k2_0;
    opened.metadata.num_rows = made.num_rows;
    ARROW_ASSIGN_OR_RAISE(opened.metadata.schema, MakeLanceSchema(arrow::Schema({made.field})));
    std::string bytes;
    for (const auto& pages : made.columns) {
      ColumnMetadata column;
      column.encoding = made.column_encoding;
      uint64_t first = 0;
      for (const HandMadePage& page : pages) {
        PageMetadata out{.buffers = {},
                         .num_rows = page.num_values,
                         .first_row = first,
                         .encoding = EncodingOf(page.encoding)};
        for (const std::string& buffer : page.buffers) {
          out.buffers.push_back({bytes.size(), buffer.size()});
          bytes += buffer + "?";  // so that nothing is aligned
        }
        first += page.num_values;
        column.pages.push_back(std::move(out));
      }
      opened.metadata.columns.push_back(std::move(column));
    }
    return opened.Open(bytes);
  }

  /// The pages of some columns, their buffers in `bytes`.
  static arrow::Result<OpenedField> Make(const FieldPtr& field, uint64_t num_rows,
                                         std::vector<ColumnMetadata> columns,
                                         const std::string& bytes) {
    OpenedField opened;
    opened.metadata.version = FileVersion::k2_0;
    opened.metadata.num_rows = num_rows;
    ARROW_ASSIGN_OR_RAISE(opened.metadata.schema, MakeLanceSchema(arrow::Schema({field})));
    opened.metadata.columns = std::move(columns);
    return opened.Open(bytes);
  }

  arrow::Result<ArrayPtr> Read(const FieldNode& as, const RowRanges& rows) const {
    const DataFileLocation location{store, "f"};
    const ColumnMap columns = NumberColumns({node}, FileVersion::k2_0);
    const auto never = arrow::StopToken::Unstoppable();
    return ReadField({.location = location,
                      .metadata = metadata,
                      .columns = columns,
                      .node = as,
                      .rows = rows,
                      .pool = arrow::default_memory_pool(),
                      .stop = never});
  }
  arrow::Result<ArrayPtr> Read(const RowRanges& rows) const { return Read(node, rows); }
  arrow::Result<ArrayPtr> ReadAll() const { return Read(RowRanges::All(metadata.num_rows)); }

  FieldNode node;
  DataFileMetadata metadata;
  std::shared_ptr<IoCounters> counters = std::make_shared<IoCounters>();
  std::shared_ptr<ObjectStore> store;

 private:
  arrow::Result<OpenedField> Open(const std::string& bytes) {
    metadata.file_size = bytes.size();
    ARROW_ASSIGN_OR_RAISE(auto nodes, MakeFieldTree(metadata.schema));
    node = std::move(nodes[0]);
    store = MakeCountingStore(MakeMemoryStore(), counters);
    ARROW_RETURN_NOT_OK(
        store->Put("f", arrow::Buffer::FromString(bytes), PutMode::kOverwrite).status());
    counters->requests = 0;
    return std::move(*this);
  }
};

/// Read all rows of a hand-made field.
inline arrow::Result<ArrayPtr> ReadAll(const HandMadeField& made) {
  ARROW_ASSIGN_OR_RAISE(const OpenedField opened, OpenedField::Make(made));
  return opened.ReadAll();
}

inline ArrayPtr FromJson(const TypePtr& type, const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

}  // namespace lance::format::v20
