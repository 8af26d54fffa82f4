#include <optional>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/array/concatenate.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/dictionary_values.h"
#include "lance/format/encode/array_size.h"
#include "lance/format/encode/column_writer.h"
#include "lance/format/encode/page_encoder.h"

namespace lance::format {
namespace {

/// Put parts of a leaf together.
ShreddedLeaf Join(std::vector<ShreddedLeaf> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  ShreddedLeaf whole;
  bool has_def = false;
  for (const ShreddedLeaf& part : parts) {
    whole.num_rows += part.num_rows;
    whole.num_entries += part.num_entries;
    has_def |= !part.def.empty();
  }
  if (has_def) whole.def.reserve(whole.num_entries);
  for (ShreddedLeaf& part : parts) {
    whole.rep.insert(whole.rep.end(), part.rep.begin(), part.rep.end());
    if (part.def.empty() && has_def) {
      whole.def.resize(whole.def.size() + part.num_entries, 0);
    } else {
      whole.def.insert(whole.def.end(), part.def.begin(), part.def.end());
    }
    for (auto& array : part.values) whole.values.push_back(std::move(array));
  }
  return whole;
}

/// Rows of a leaf that make a page. Borrows request and column.
class LeafPage : public PendingPage {
 public:
  LeafPage(const ColumnRequest& request, ShreddedLeaf rows, uint64_t size_bytes,
           ColumnMetadata* column)
      : request_(request), rows_(std::move(rows)), size_bytes_(size_bytes), column_(column) {}

  uint64_t size_bytes() const override { return size_bytes_; }

  arrow::Status Encode() override { return EncodeRows(std::exchange(rows_, {})); }

  arrow::Status Write(PageSink* out) override {
    for (Part& part : std::exchange(parts_, {})) {
      ARROW_RETURN_NOT_OK(
          WritePage(std::move(part.page.encoding), part.page.buffers, part.num_rows, out, column_));
    }
    return arrow::Status::OK();
  }

 private:
  struct Part {
    EncodedPage page;
    uint64_t num_rows;
  };

  /// Encode one page; where no page can hold all rows, two of half the rows each.
  arrow::Status EncodeRows(ShreddedLeaf rows) {
    std::erase_if(rows.values, [](const auto& array) { return array->length() == 0; });
    const uint64_t num_rows = rows.num_rows * request_.path.entries_per_row();
    const PageRows page_rows = {.leaf = request_.leaf,
                                .path = request_.path,
                                .nullable_layers = request_.nullable_layers,
                                .num_rows = num_rows,
                                .num_entries = rows.num_entries,
                                .rep = rows.rep,
                                .def = rows.def,
                                .values = rows.values};
    auto page = EncodePage(page_rows, request_.version, request_.hints, request_.options.pool);
    if (page.status().IsCapacityError() && rows.num_rows > 1) {
      ShreddedLeaf first = TakeRows(rows.num_rows / 2, request_.path, &rows);
      ARROW_RETURN_NOT_OK(EncodeRows(std::move(first)));
      return EncodeRows(std::move(rows));
    }
    if (!page.ok()) return WithContext(page.status(), "field \"" + request_.name + "\"");
    parts_.push_back({*std::move(page), num_rows});
    return arrow::Status::OK();
  }

  const ColumnRequest& request_;
  ShreddedLeaf rows_;
  uint64_t size_bytes_;
  ColumnMetadata* column_;
  std::vector<Part> parts_;
};

/// Buffers rows until they make a page.
class LeafWriter : public ColumnWriter {
 public:
  explicit LeafWriter(ColumnRequest request)
      : request_(std::move(request)),
        size_(*request_.leaf.type, request_.path),
        max_page_bits_(request_.options.max_page_bytes * 8) {
    column_.encoding = PlainColumnEncoding();
    column_.entries_per_row = request_.path.entries_per_row();
    if (request_.leaf.type->id() == arrow::Type::DICTIONARY) {
      capacity_.emplace(static_cast<const arrow::DictionaryType&>(*request_.leaf.type));
    }
  }

  arrow::Status Append(ShreddedLeaf leaf) override {
    if (capacity_) {
      for (const auto& array : leaf.values) {
        const arrow::Status counted =
            capacity_->CountRows(static_cast<const arrow::DictionaryArray&>(*array));
        if (!counted.ok()) return WithContext(counted, "field \"" + request_.name + "\"");
      }
    }
    while (leaf.num_rows > 0) {
      const uint64_t num_rows = size_.RowsToFill(leaf, max_page_bits_ - pending_bits_);
      const bool is_all = num_rows == leaf.num_rows;
      ShreddedLeaf part =
          is_all ? std::exchange(leaf, {}) : TakeRows(num_rows, request_.path, &leaf);
      pending_bits_ += size_.Bits(part);
      pending_.push_back(std::move(part));
      if (pending_bits_ >= max_page_bits_) ARROW_RETURN_NOT_OK(Finish());
    }
    return arrow::Status::OK();
  }

  arrow::Status LetGoOfInput(uint64_t batch_bytes) override {
    for (; num_own_ < pending_.size(); ++num_own_) {
      for (auto& array : pending_[num_own_].values) {
        const uint64_t bytes = EstimateArrayBytes(*array->data());
        if (batch_bytes <= 2 * bytes && !KeepsMuchMore(*array->data())) continue;
        ARROW_ASSIGN_OR_RAISE(array, arrow::Concatenate({array}, request_.options.pool));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Finish() override {
    if (pending_.empty()) return arrow::Status::OK();
    const uint64_t size_bytes = std::exchange(pending_bits_, 0) / 8;
    num_own_ = 0;
    return request_.sink->AppendPage(std::make_unique<LeafPage>(
        request_, Join(std::exchange(pending_, {})), size_bytes, &column_));
  }

  uint64_t pending_bytes() const override { return pending_bits_ / 8; }

  ColumnMetadata TakeColumn() override { return std::move(column_); }

 private:
  ColumnRequest request_;
  LeafSize size_;
  uint64_t max_page_bits_;
  std::optional<DictionaryCapacity> capacity_;  // of a dictionary column
  std::vector<ShreddedLeaf> pending_;
  uint64_t pending_bits_ = 0;
  size_t num_own_ = 0;  // of the pending parts: the first ones keep no input alive
  ColumnMetadata column_;
};

}  // namespace

arrow::Status WritePage(std::string encoding, const std::vector<ByteBuffer>& buffers,
                        uint64_t num_rows, PageSink* out, ColumnMetadata* column) {
  PageMetadata page;
  for (const ByteBuffer& buffer : buffers) {
    ARROW_ASSIGN_OR_RAISE(
        const ByteRange range,
        out->AppendBuffer({reinterpret_cast<const char*>(buffer.data()), buffer.size()}));
    page.buffers.push_back(range);
  }
  page.num_rows = num_rows;
  if (!column->pages.empty()) {
    const PageMetadata& last = column->pages.back();
    page.first_row = last.first_row + last.num_rows;
  }
  page.encoding = std::move(encoding);
  column->pages.push_back(std::move(page));
  return arrow::Status::OK();
}

std::unique_ptr<ColumnWriter> MakeLeafWriter(ColumnRequest request) {
  return std::make_unique<LeafWriter>(std::move(request));
}

}  // namespace lance::format
