#include "lance/format/pages/read_leaf.h"

#include <algorithm>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/pages/blob_descriptors.h"
#include "lance/format/pages/dictionaries.h"
#include "lance/format/pages/page_layout_proto.h"
#include "lance/format/pages/page_scan.h"

namespace lance::format {
namespace {

/// One page of a call.
struct Part {
  size_t page = 0;
  std::shared_ptr<const LoadedHeader> header;
  bool is_loaded = false;
  std::unique_ptr<PageScan> scan;
};

arrow::Status InPage(const arrow::Status& status, size_t page) {
  return status.ok() ? status : WithContext(status, "page " + std::to_string(page));
}

/// Count rows as pages do: `entries_per_row` for one, below fixed-size lists of struct.
std::vector<RowRange> Flatten(const RowRanges& rows, uint64_t entries_per_row) {
  std::vector<RowRange> flat = rows.ranges();
  for (RowRange& range : flat) {
    range.begin *= entries_per_row;
    range.end *= entries_per_row;
  }
  return flat;
}

/// Find the pages that hold wanted rows. Linear in the pages and ranges.
std::vector<PageRead> PlanPages(const std::vector<PageMetadata>& pages,
                                const std::vector<RowRange>& rows) {
  std::vector<PageRead> reads;
  auto range = rows.begin();
  for (size_t i = 0; i < pages.size() && range != rows.end(); ++i) {
    const uint64_t first = pages[i].first_row;
    const uint64_t last = first + pages[i].num_rows;
    PageRead read{.index = i, .page = &pages[i], .rows = {}};
    for (; range != rows.end() && range->begin < last; ++range) {
      if (range->end > first) {
        read.rows.push_back(
            {std::max(range->begin, first) - first, std::min(range->end, last) - first});
      }
      if (range->end > last) break;  // the next page has a part of it too
    }
    if (!read.rows.empty()) reads.push_back(std::move(read));
  }
  return reads;
}

/// Check that the pages of a column hold the file's rows: file-format 12.
arrow::Status CheckPageRows(const std::vector<PageMetadata>& pages, uint64_t num_rows,
                            uint64_t entries_per_row) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t expected,
                        CheckedMul(num_rows, entries_per_row, "the rows of a column's pages"));
  const uint64_t found = pages.empty() ? 0 : pages.back().first_row + pages.back().num_rows;
  if (found != expected) {
    return arrow::Status::SerializationError("Page.length: the column's pages have ", found,
                                             " rows, expected are ", expected);
  }
  if (entries_per_row == 1) return arrow::Status::OK();
  for (size_t i = 0; i < pages.size(); ++i) {
    if (pages[i].num_rows % entries_per_row == 0) continue;
    return arrow::Status::SerializationError("Page.length of page ", i, " is ", pages[i].num_rows,
                                             ", rows have ", entries_per_row, " each");
  }
  return arrow::Status::OK();
}

ValueShape DescriptorShape() {
  return {.members = {ValueShape{.bits_per_value = 64}, ValueShape{.bits_per_value = 64}}};
}

arrow::Result<LeafTarget> MakeTarget(const LeafRequest& request) {
  LeafTarget target{.version = request.metadata.version, .path = request.path, .shape = {}};
  const FieldNode& leaf = request.leaf;
  target.is_blob = leaf.kind == FieldKind::kBlob;
  target.is_empty_struct = leaf.kind == FieldKind::kStruct;
  if (target.is_blob) {
    if (request.path.max_rep() > 0) {
      return UnsupportedError("blobs inside lists",
                              "legacy blobs inside lists cannot be read back by any release");
    }
    target.shape = DescriptorShape();
    return target;
  }
  ARROW_ASSIGN_OR_RAISE(target.shape, MakeValueShape(*leaf.type));
  if (leaf.kind == FieldKind::kLeaf && leaf.type->id() == arrow::Type::DICTIONARY) {
    const auto& type = static_cast<const arrow::DictionaryType&>(*leaf.type);
    if (arrow::is_nested(type.value_type()->id())) {
      return UnsupportedError("dictionary of " + type.value_type()->ToString(),
                              "dictionary arrays with values of type " +
                                  type.value_type()->ToString() + " are not supported");
    }
    target.index_bits = static_cast<uint32_t>(type.index_type()->bit_width());
  }
  return target;
}

/// Reads the wanted rows of one leaf. Borrows the request.
class LeafReader {
 public:
  LeafReader(const LeafRequest& request, const LeafTarget& target)
      : request_(request),
        target_(target),
        value_type_(target.index_bits != 0
                        ? static_cast<const arrow::DictionaryType&>(*request.leaf.type).value_type()
                        : request.leaf.type),
        scope_{target_, value_type_, request.metadata.file_size, request.stop},
        column_(request.metadata.columns[static_cast<size_t>(request.column_index)]) {}

  arrow::Result<LeafColumn> Read() {
    ARROW_RETURN_NOT_OK(CheckColumnEncoding(column_.encoding));
    const uint64_t entries_per_row = request_.path.entries_per_row();
    ARROW_RETURN_NOT_OK(CheckPageRows(column_.pages, request_.metadata.num_rows, entries_per_row));
    const std::vector<RowRange> rows = Flatten(request_.rows, entries_per_row);
    for (PageRead& read : PlanPages(column_.pages, rows)) {
      const size_t page = read.index;
      ARROW_RETURN_NOT_OK(InPage(AddPart(std::move(read)), page));
    }
    ARROW_RETURN_NOT_OK(Load());
    LeafBuilder out(target_.value_shape(), request_.pool);
    Reserve(&out);
    ARROW_RETURN_NOT_OK(DecodeParts(&out));
    out.column()->num_rows = request_.rows.num_rows();
    return std::move(*out.column());
  }

 private:
  arrow::Status AddPart(PageRead read) {
    Part part{.page = read.index};
    HeaderSlot slot;
    if (auto cached = request_.headers.Find(request_.column_index, part.page, reading())) {
      // Nobody else puts headers there.
      slot.header = std::static_pointer_cast<const LoadedHeader>(std::move(cached));
      part.is_loaded = true;
    } else {
      auto header = std::make_shared<LoadedHeader>();
      ARROW_ASSIGN_OR_RAISE(header->layout, ParsePageLayout(*read.page, target_));
      slot.loading = header.get();
      slot.header = std::move(header);
    }
    part.header = slot.header;
    part.scan = MakePageScan(scope_, std::move(read), std::move(slot));
    parts_.push_back(std::move(part));
    return arrow::Status::OK();
  }

  /// Read headers, row indices and rows: one request each, for all pages.
  arrow::Status Load() {
    for (const Part& part : parts_) part.scan->PlanHeader(&batch_);
    ARROW_RETURN_NOT_OK(batch_.Read(request_.location, request_.stop));
    for (const Part& part : parts_) {
      ARROW_RETURN_NOT_OK(InPage(part.scan->PlanIndex(&batch_), part.page));
      if (part.is_loaded) continue;
      request_.headers.Put(request_.column_index, part.page, reading(), part.header);
    }
    ARROW_RETURN_NOT_OK(batch_.Read(request_.location, request_.stop));
    for (const Part& part : parts_) {
      ARROW_RETURN_NOT_OK(InPage(part.scan->PlanData(&batch_), part.page));
    }
    return batch_.Read(request_.location, request_.stop);
  }

  void Reserve(LeafBuilder* out) const {
    uint64_t num_values = 0;
    for (const Part& part : parts_) num_values += part.scan->EstimateValues();
    // Every row of a list may have an entry without a value.
    const uint64_t num_rows = request_.path.max_rep() > 0 ? request_.rows.num_rows() : 0;
    out->Reserve(num_values, num_values + num_rows, batch_.num_bytes());
  }

  arrow::Status DecodeParts(LeafBuilder* out) {
    std::vector<PageDictionary> dictionaries;
    for (Part& part : parts_) {
      const uint64_t first_value = out->values()->num_values;
      const uint64_t first_entry = out->num_entries();
      ARROW_RETURN_NOT_OK(InPage(part.scan->Decode(&batch_, out), part.page));
      part.scan.reset();  // frees what it read
      dictionaries.push_back(
          {first_value, out->values()->num_values, part.header->dictionary_array});
      if (request_.leaf.kind != FieldKind::kBlobV2) continue;
      ARROW_RETURN_NOT_OK(InPage(
          CheckBlobDescriptors(*out->column(), first_entry, first_value, request_), part.page));
    }
    if (target_.index_bits == 0) return arrow::Status::OK();
    return UnifyDictionaries(static_cast<const arrow::DictionaryType&>(*request_.leaf.type),
                             std::move(dictionaries), request_.pool, out->column());
  }

  LeafReading reading() const {
    return {.kind = request_.leaf.kind, .type = request_.leaf.type, .path = request_.path};
  }

  const LeafRequest& request_;
  const LeafTarget& target_;
  std::shared_ptr<arrow::DataType> value_type_;
  LeafScope scope_;
  const ColumnMetadata& column_;
  RangeBatch batch_;
  std::vector<Part> parts_;
};

}  // namespace

bool LeafReading::operator==(const LeafReading& other) const {
  return kind == other.kind && path == other.path && type->Equals(*other.type);
}

std::shared_ptr<const PageHeader> PageHeaderCache::Find(int column, size_t page,
                                                        const LeafReading& reading) const {
  const std::lock_guard lock(mutex_);
  const auto found = headers_.find({column, page});
  if (found == headers_.end() || !(found->second.reading == reading)) return nullptr;
  return found->second.header;
}

void PageHeaderCache::Put(int column, size_t page, const LeafReading& reading,
                          std::shared_ptr<const PageHeader> header) {
  const std::lock_guard lock(mutex_);
  Entry& entry = headers_[{column, page}];
  if (entry.header != nullptr) size_bytes_ -= entry.header->size_bytes();
  size_bytes_ += header->size_bytes();
  entry = {reading, std::move(header)};
}

uint64_t PageHeaderCache::size_bytes() const {
  const std::lock_guard lock(mutex_);
  return size_bytes_;
}

uint64_t LoadedHeader::size_bytes() const {
  uint64_t bytes = sizeof(LoadedHeader) + chunks.size_bytes() + dictionary.bytes.size() +
                   dictionary.offsets.size() + constant.bytes.size() + constant.offsets.size();
  if (dictionary_array != nullptr) {
    bytes += static_cast<uint64_t>(arrow::util::TotalBufferSize(*dictionary_array));
  }
  if (row_index != nullptr) bytes += static_cast<uint64_t>(row_index->size());
  return bytes;
}

uint64_t PageRead::num_rows() const {
  uint64_t sum = 0;
  for (const RowRange& range : rows) sum += range.size();
  return sum;
}

std::unique_ptr<PageScan> MakePageScan(const LeafScope& scope, PageRead read, HeaderSlot slot) {
  const PageLayout& layout = slot.header->layout;
  if (layout.blob_layers.has_value()) {
    return MakeBlobScan(scope, std::move(read), std::move(slot));
  }
  if (std::holds_alternative<MiniBlockLayout>(layout.body)) {
    return MakeMiniBlockScan(scope, scope.target.path, std::move(read), std::move(slot));
  }
  if (std::holds_alternative<FullZipLayout>(layout.body)) {
    return MakeFullZipScan(scope, std::move(read), std::move(slot));
  }
  return MakeConstantScan(scope, std::move(read), std::move(slot));
}

arrow::Result<LeafColumn> ReadLeaf(const LeafRequest& request) {
  ARROW_ASSIGN_OR_RAISE(const LeafTarget target, MakeTarget(request));
  return LeafReader(request, target).Read();
}

}  // namespace lance::format
