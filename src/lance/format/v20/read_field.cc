#include "lance/format/v20/read_field.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "lance/base/status_detail.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/v20/column_reader.h"
#include "lance/format/v20/list_reader.h"

namespace lance::format::v20 {
namespace {

// Null rows take memory but no bytes of the file: what the caller may expect of one row.
constexpr uint64_t kNullBytesPerRow = uint64_t{64} << 10;
constexpr uint64_t kMostRows = uint64_t{1} << 32;

// A null blob, as file-format 4.2 stores it.
constexpr uint64_t kNullBlobPosition = 1;

std::shared_ptr<arrow::DataType> BlobDescriptorType() {
  return arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
}

/// Reads the descriptors of blobs, and which of them are null.
class BlobReader : public ArrayReader {
 public:
  BlobReader(std::unique_ptr<ArrayReader> descriptors, arrow::MemoryPool* pool)
      : descriptors_(std::move(descriptors)), pool_(pool) {}

  arrow::Result<bool> Advance(RangeBatch* batch) override { return descriptors_->Advance(batch); }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    ARROW_ASSIGN_OR_RAISE(const auto array, descriptors_->Finish());
    const auto& descriptors = static_cast<const arrow::StructArray&>(*array);
    const auto& positions = static_cast<const arrow::UInt64Array&>(*descriptors.field(0));
    const auto& sizes = static_cast<const arrow::UInt64Array&>(*descriptors.field(1));
    const int64_t num_rows = array->length();
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> validity,
                          arrow::AllocateEmptyBitmap(num_rows, pool_));
    int64_t null_count = 0;
    for (int64_t i = 0; i < num_rows; ++i) {
      const bool is_null = sizes.Value(i) == 0 && positions.Value(i) == kNullBlobPosition;
      null_count += is_null ? 1 : 0;
      arrow::bit_util::SetBitTo(validity->mutable_data(), i, !is_null);
    }
    auto data = array->data()->Copy();
    data->buffers[0] = null_count > 0 ? std::move(validity) : nullptr;
    data->null_count = null_count;
    return arrow::MakeArray(std::move(data));
  }

 private:
  std::unique_ptr<ArrayReader> descriptors_;
  arrow::MemoryPool* pool_;
};

/// Reads the members of a struct side by side.
class StructReader : public ArrayReader {
 public:
  StructReader(const FieldNode& node, uint64_t num_rows,
               std::vector<std::unique_ptr<ArrayReader>> members)
      : node_(node), num_rows_(num_rows), members_(std::move(members)) {}

  arrow::Result<bool> Advance(RangeBatch* batch) override {
    bool is_done = true;
    for (const auto& member : members_) {
      ARROW_ASSIGN_OR_RAISE(const bool done, member->Advance(batch));
      is_done &= done;
    }
    return is_done;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    std::vector<std::shared_ptr<arrow::ArrayData>> members;
    arrow::FieldVector fields;
    for (size_t i = 0; i < members_.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const auto member, members_[i]->Finish());
      if (static_cast<uint64_t>(member->length()) != num_rows_) {
        return InternalError("a struct's members have different lengths");
      }
      members.push_back(member->data());
      // Blobs came as descriptors.
      fields.push_back(node_.type->field(static_cast<int>(i))->WithType(member->type()));
    }
    return arrow::MakeArray(arrow::ArrayData::Make(arrow::struct_(std::move(fields)),
                                                   static_cast<int64_t>(num_rows_), {nullptr},
                                                   std::move(members), 0));
  }

 private:
  const FieldNode& node_;
  uint64_t num_rows_;
  std::vector<std::unique_ptr<ArrayReader>> members_;
};

/// Takes some members out of packed rows that have more.
class PackedProjection : public ArrayReader {
 public:
  PackedProjection(std::unique_ptr<ArrayReader> all, std::shared_ptr<arrow::DataType> type)
      : all_(std::move(all)), type_(std::move(type)) {}

  arrow::Result<bool> Advance(RangeBatch* batch) override { return all_->Advance(batch); }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    ARROW_ASSIGN_OR_RAISE(const auto array, all_->Finish());
    const auto& all = static_cast<const arrow::StructArray&>(*array);
    std::vector<std::shared_ptr<arrow::ArrayData>> kept;
    for (const auto& member : type_->fields()) {
      kept.push_back(all.GetFieldByName(member->name())->data());
    }
    return arrow::MakeArray(
        arrow::ArrayData::Make(type_, array->length(), {nullptr}, std::move(kept), 0));
  }

 private:
  std::unique_ptr<ArrayReader> all_;
  std::shared_ptr<arrow::DataType> type_;
};

/// Makes the readers of a field's tree.
class ReaderFactory {
 public:
  ReaderFactory(const FieldRequest& field, uint64_t max_null_bytes)
      : field_(field), max_null_bytes_(max_null_bytes) {}

  arrow::Result<std::unique_ptr<ArrayReader>> Make(const FieldNode& node, uint64_t num_values,
                                                   const RowRanges& rows) const {
    ARROW_ASSIGN_OR_RAISE(const int column, ColumnOf(node));
    const ColumnRequest request{.field = field_,
                                .column = column,
                                .num_values = num_values,
                                .rows = rows,
                                .max_null_bytes = max_null_bytes_};
    switch (node.kind) {
      case FieldKind::kLeaf:
        return MakeLeaf(node, request);
      case FieldKind::kStruct:
        return MakeStruct(node, request);
      case FieldKind::kList:
        return MakeList(node, request);
      case FieldKind::kPackedStruct:
        return MakePacked(node, request);
      case FieldKind::kBlob:
        return MakeBlob(request);
      case FieldKind::kMap:
      case FieldKind::kFixedSizeListOfStruct:
      case FieldKind::kBlobV2:
        break;
    }
    return UnsupportedError(
        node.type->ToString() + " in a 2.0 file",
        "field " + node.name + " is a " + node.type->ToString() + ", which format 2.0 cannot hold");
  }

 private:
  arrow::Result<int> ColumnOf(const FieldNode& node) const {
    const auto found = field_.columns.find(node.id);
    if (found != field_.columns.end()) return found->second;
    return arrow::Status::SerializationError("field ", node.name, " with id ", node.id,
                                             " has no column in the file");
  }

  arrow::Result<std::unique_ptr<ArrayReader>> MakeLeaf(const FieldNode& node,
                                                       const ColumnRequest& request) const {
    const bool is_bytes = arrow::is_base_binary_like(node.type->id());
    if (is_bytes && IsListedBytes(field_, request.column)) {
      return MakeListedBytesReader(request, node.type);
    }
    return MakeColumnReader(request, node.type, ColumnEncodingKind::kValues);
  }

  arrow::Result<std::unique_ptr<ArrayReader>> MakeStruct(const FieldNode& node,
                                                         const ColumnRequest& request) const {
    // The header column says how many structs there are; it has nothing to read.
    ARROW_RETURN_NOT_OK(CheckColumn(request, ColumnEncodingKind::kValues));
    std::vector<std::unique_ptr<ArrayReader>> members;
    for (const FieldNode& child : node.children) {
      ARROW_ASSIGN_OR_RAISE(auto member, Make(child, request.num_values, request.rows));
      members.push_back(std::move(member));
    }
    return std::make_unique<StructReader>(node, request.rows.num_rows(), std::move(members));
  }

  arrow::Result<std::unique_ptr<ArrayReader>> MakeList(const FieldNode& node,
                                                       const ColumnRequest& request) const {
    if (node.children.size() != 1) return InternalError("a list field without one item field");
    return MakeListReader(
        request, node.type,
        [this, &item = node.children[0]](uint64_t num_items, const RowRanges& items) {
          return Make(item, num_items, items);
        });
  }

  /// The members of a packed struct as the file has them: the request may want fewer.
  arrow::Result<std::shared_ptr<arrow::DataType>> StoredType(const FieldNode& node) const {
    arrow::FieldVector members;
    for (const SchemaField& field : field_.metadata.schema.fields) {
      if (field.parent_id != node.id) continue;
      ARROW_ASSIGN_OR_RAISE(auto type, ParseLogicalType(field.logical_type));
      members.push_back(arrow::field(field.name, std::move(type)));
    }
    if (members.size() <= node.children.size()) return node.type;
    return arrow::struct_(std::move(members));
  }

  arrow::Result<std::unique_ptr<ArrayReader>> MakePacked(const FieldNode& node,
                                                         const ColumnRequest& request) const {
    ARROW_ASSIGN_OR_RAISE(const auto stored, StoredType(node));
    for (const auto& member : node.type->fields()) {
      if (static_cast<const arrow::StructType&>(*stored).GetFieldIndex(member->name()) < 0) {
        return arrow::Status::SerializationError("packed struct ", node.name, " has no member ",
                                                 member->name(), ", or several");
      }
    }
    ARROW_ASSIGN_OR_RAISE(auto reader,
                          MakeColumnReader(request, stored, ColumnEncodingKind::kValues));
    if (stored == node.type) return reader;
    return std::make_unique<PackedProjection>(std::move(reader), node.type);
  }

  arrow::Result<std::unique_ptr<ArrayReader>> MakeBlob(const ColumnRequest& request) const {
    ARROW_ASSIGN_OR_RAISE(auto descriptors, MakeColumnReader(request, BlobDescriptorType(),
                                                             ColumnEncodingKind::kBlob));
    return std::make_unique<BlobReader>(std::move(descriptors), field_.pool);
  }

  const FieldRequest& field_;
  uint64_t max_null_bytes_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> ReadField(const FieldRequest& request) {
  const uint64_t num_rows = request.rows.num_rows();
  const uint64_t expected = std::min(num_rows, kMostRows) * kNullBytesPerRow;
  const ReaderFactory factory(request, kMaxExpandedBytes + expected);
  RangeBatch batch;  // outlives the reader
  ARROW_ASSIGN_OR_RAISE(auto reader,
                        factory.Make(request.node, request.metadata.num_rows, request.rows));
  for (bool is_done = false; !is_done;) {
    ARROW_ASSIGN_OR_RAISE(is_done, reader->Advance(&batch));
    ARROW_RETURN_NOT_OK(batch.Read(request.location, request.stop));
  }
  return reader->Finish();
}

}  // namespace lance::format::v20
