#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/byte_reader.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/footer.h"
#include "lance/format/pages/read_leaf.h"
#include "lance/io/stores.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

/// Bytes from numbers below 256.
inline std::string Bytes(std::initializer_list<int> numbers) {
  std::string bytes;
  for (const int number : numbers) bytes.push_back(static_cast<char>(number));
  return bytes;
}

/// Little-endian integers back to back.
template <typename T>
std::string Numbers(const std::vector<T>& numbers) {
  std::string bytes;
  for (const T number : numbers) AppendLittleEndian(number, &bytes);
  return bytes;
}

/// The serialized Encoding message of a page.
inline std::string EncodingOf(const lance_pb::encodings21::PageLayout& layout) {
  return PackEncoding(layout.SerializeAsString(), "lance.encodings21.PageLayout");
}

/// The same from the layout's bytes, as specifications print them.
inline std::string EncodingOf(const std::string& layout) {
  return PackEncoding(layout, "lance.encodings21.PageLayout");
}

/// One column of a file that consists of nothing else, with every byte under the test's control.
class HandMadeLeaf {
 public:
  explicit HandMadeLeaf(const std::shared_ptr<arrow::DataType>& type,
                        FileVersion version = FileVersion::k2_1) {
    node_.name = "x";
    node_.type = type;
    path_.layers = {PathLayer{}};
    metadata_.version = version;
    metadata_.columns.resize(1);
    metadata_.columns[0].encoding = PlainColumnEncoding();
  }

  /// Put the leaf below layers, innermost first.
  HandMadeLeaf& Below(const std::vector<PathLayer>& layers) {
    path_.layers.insert(path_.layers.end(), layers.begin(), layers.end());
    return *this;
  }

  HandMadeLeaf& OfKind(FieldKind kind) {
    node_.kind = kind;
    return *this;
  }

  /// Add a page. \param num_rows its Page.length
  HandMadeLeaf& Page(const std::string& encoding, const std::vector<std::string>& buffers,
                     uint64_t num_rows) {
    PageMetadata page;
    for (const std::string& buffer : buffers) {
      page.buffers.push_back({bytes_.size(), buffer.size()});
      bytes_ += buffer;
      bytes_.resize((bytes_.size() + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment);
    }
    page.num_rows = num_rows;
    page.first_row = num_page_rows_;
    page.encoding = encoding;
    num_page_rows_ += num_rows;
    metadata_.columns[0].pages.push_back(std::move(page));
    metadata_.num_rows = num_page_rows_ / path_.entries_per_row();
    return *this;
  }

  /// Leave bytes between pages, so that they are not read together.
  HandMadeLeaf& Gap(size_t num_bytes) {
    bytes_.resize(bytes_.size() + num_bytes);
    return *this;
  }

  DataFileMetadata& metadata() { return metadata_; }
  /// What went to the store so far.
  const IoCounters& counters() const { return *counters_; }

  arrow::Result<LeafColumn> Read(const std::vector<RowRange>& rows) {
    if (location_.store == nullptr) {
      metadata_.file_size = bytes_.size();
      auto store = MakeMemoryStore();
      ARROW_RETURN_NOT_OK(
          store->Put("f", arrow::Buffer::FromString(bytes_), PutMode::kOverwrite).status());
      location_ = {MakeCountingStore(store, counters_), "f"};
    }
    const auto never = arrow::StopToken::Unstoppable();
    return ReadLeaf({.location = location_,
                     .metadata = metadata_,
                     .headers = *headers_,
                     .column_index = 0,
                     .leaf = node_,
                     .path = path_,
                     .rows = RowRanges::Make(rows),
                     .pool = arrow::default_memory_pool(),
                     .stop = never});
  }

  arrow::Result<LeafColumn> ReadAll() { return Read({{0, metadata_.num_rows}}); }

 private:
  FieldNode node_;
  LeafPath path_;
  DataFileMetadata metadata_;
  uint64_t num_page_rows_ = 0;
  std::string bytes_;
  DataFileLocation location_;
  std::shared_ptr<IoCounters> counters_ = std::make_shared<IoCounters>();
  std::unique_ptr<PageHeaderCache> headers_ = std::make_unique<PageHeaderCache>();
};

/// The values of a leaf of fixed width.
template <typename T>
std::vector<T> FixedValues(const LeafColumn& column) {
  std::vector<T> values;
  for (uint64_t i = 0; i < column.values.num_values; ++i) {
    values.push_back(LoadLittleEndian<T>(column.values.bytes.data() + i * sizeof(T)));
  }
  return values;
}

/// The values of a leaf of variable width.
inline std::vector<std::string> TextValues(const LeafColumn& column) {
  std::vector<std::string> values;
  for (uint64_t i = 0; i < column.values.num_values; ++i) {
    const uint64_t begin = column.values.offset(i);
    values.emplace_back(reinterpret_cast<const char*>(column.values.bytes.data()) + begin,
                        column.values.offset(i + 1) - begin);
  }
  return values;
}

}  // namespace lance::format
