#include <cstring>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/format/v20/fixed_values_reader.h"
#include "lance/format/v20/page_readers.h"

namespace lance::format::v20 {
namespace {

/// Where a member lies in a packed row.
struct MemberBytes {
  uint64_t begin = 0;
  uint64_t size = 0;
};

arrow::Result<uint64_t> BytesOf(const PackedMember& member) {
  uint64_t bytes = member.bits_per_value / 8;
  for (const uint32_t dimension : member.dimensions) {
    ARROW_ASSIGN_OR_RAISE(bytes, CheckedMul(bytes, dimension, "a packed member"));
  }
  return bytes;
}

/// Whether values of a type are stored as the member says.
bool Fits(const arrow::DataType& type, const PackedMember& member) {
  const arrow::DataType* item = &type;
  for (const uint32_t dimension : member.dimensions) {
    if (item->id() != arrow::Type::FIXED_SIZE_LIST) return false;
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*item);
    if (static_cast<uint32_t>(list.list_size()) != dimension) return false;
    item = list.value_type().get();
  }
  return arrow::is_fixed_width(item->id()) && !arrow::is_nested(item->id()) &&
         !arrow::is_dictionary(item->id()) &&
         static_cast<uint64_t>(item->bit_width()) == member.bits_per_value;
}

class PackedPageReader : public ArrayReader {
 public:
  PackedPageReader(PageRequest request, FixedValuesReader rows, std::vector<MemberBytes> members)
      : request_(std::move(request)), rows_(std::move(rows)), members_(std::move(members)) {}

  arrow::Result<bool> Advance(RangeBatch* batch) override {
    if (is_planned_) return true;
    is_planned_ = true;
    rows_.Plan(request_.rows, batch);
    return false;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    ARROW_ASSIGN_OR_RAISE(const auto rows, rows_.Take(request_.pool));
    const auto num_rows = static_cast<int64_t>(CountRows(request_.rows));
    std::vector<std::shared_ptr<arrow::ArrayData>> children;
    for (size_t i = 0; i < members_.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto values, TakeMember(*rows, members_[i]));
      children.push_back(
          MakeMember(request_.type->field(static_cast<int>(i))->type(), num_rows, values));
    }
    return arrow::MakeArray(
        arrow::ArrayData::Make(request_.type, num_rows, {nullptr}, std::move(children), 0));
  }

 private:
  arrow::Result<std::shared_ptr<arrow::Buffer>> TakeMember(const arrow::Buffer& rows,
                                                           const MemberBytes& member) const {
    const uint64_t num_rows = CountRows(request_.rows);
    const uint64_t row_bytes = num_rows > 0 ? static_cast<uint64_t>(rows.size()) / num_rows : 0;
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<arrow::Buffer> out,
        arrow::AllocateBuffer(static_cast<int64_t>(num_rows * member.size), request_.pool));
    uint8_t* to = out->mutable_data();
    const uint8_t* from = rows.data() + member.begin;
    for (uint64_t i = 0; i < num_rows; ++i, to += member.size, from += row_bytes) {
      std::memcpy(to, from, member.size);
    }
    return out;
  }

  static std::shared_ptr<arrow::ArrayData> MakeMember(const std::shared_ptr<arrow::DataType>& type,
                                                      int64_t length,
                                                      const std::shared_ptr<arrow::Buffer>& bytes) {
    if (type->id() != arrow::Type::FIXED_SIZE_LIST) {
      return arrow::ArrayData::Make(type, length, {nullptr, bytes}, 0);
    }
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*type);
    return arrow::ArrayData::Make(type, length, {nullptr},
                                  {MakeMember(list.value_type(), length * list.list_size(), bytes)},
                                  0);
  }

  PageRequest request_;
  FixedValuesReader rows_;
  std::vector<MemberBytes> members_;
  bool is_planned_ = false;
};

}  // namespace

arrow::Result<std::unique_ptr<ArrayReader>> MakePackedPageReader(
    PageRequest request, const PackedStructEncoding& encoding) {
  if (request.type->id() != arrow::Type::STRUCT) return CannotBe(request);
  if (static_cast<size_t>(request.type->num_fields()) != encoding.members.size()) {
    return arrow::Status::SerializationError("PackedStruct.inner has ", encoding.members.size(),
                                             " members, the column's type is ",
                                             request.type->ToString());
  }
  std::vector<MemberBytes> members;
  uint64_t row_bytes = 0;
  for (size_t i = 0; i < encoding.members.size(); ++i) {
    const auto& type = *request.type->field(static_cast<int>(i))->type();
    if (!Fits(type, encoding.members[i])) {
      return arrow::Status::SerializationError("PackedStruct.inner ", i,
                                               " does not hold values of type ", type.ToString());
    }
    ARROW_ASSIGN_OR_RAISE(const uint64_t size, BytesOf(encoding.members[i]));
    members.push_back({row_bytes, size});
    ARROW_ASSIGN_OR_RAISE(row_bytes, CheckedAdd(row_bytes, size, "a packed row"));
  }
  ARROW_ASSIGN_OR_RAISE(const uint64_t row_bits, CheckedMul(row_bytes, 8, "a packed row"));
  const FixedValues form{.bits_per_value = row_bits, .buffer = encoding.buffer};
  ARROW_ASSIGN_OR_RAISE(auto rows,
                        FixedValuesReader::Make(form, request.page, row_bits, request.num_rows));
  return std::make_unique<PackedPageReader>(std::move(request), std::move(rows),
                                            std::move(members));
}

}  // namespace lance::format::v20
