#include "lance/format/v20/packed_page_builder.h"

#include <cstring>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"

namespace lance::format::v20 {
namespace {

arrow::Result<PackedMember> MakeMember(const arrow::Field& field) {
  PackedMember member;
  const arrow::DataType* item = field.type().get();
  while (item->id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*item);
    member.dimensions.push_back(static_cast<uint32_t>(list.list_size()));
    item = list.value_type().get();
  }
  const bool is_plain = arrow::is_fixed_width(item->id()) && !arrow::is_nested(item->id()) &&
                        !arrow::is_dictionary(item->id());
  if (!is_plain || item->bit_width() % 8 != 0) {
    return UnsupportedError(
        "packed struct member of type " + field.type()->ToString() + " in 2.0 data files",
        "member " + field.name() + " of a packed struct is a " + field.type()->ToString() +
            "; allowed are types of whole bytes");
  }
  member.bits_per_value = static_cast<uint64_t>(item->bit_width());
  return member;
}

/// Find the values of rows [begin, end) of a member. \return Invalid when one of them is null
arrow::Result<const uint8_t*> ValuesOf(const arrow::Array& member, int64_t begin, int64_t end) {
  if (member.null_count() > 0 && member.Slice(begin, end - begin)->null_count() > 0) {
    return arrow::Status::Invalid("has nulls, which packed structs cannot hold");
  }
  if (member.type_id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListArray&>(member);
    const int64_t first = list.value_offset(begin);
    return ValuesOf(*list.values(), first, first + (end - begin) * list.value_length());
  }
  const auto width = static_cast<int64_t>(member.type()->bit_width() / 8);
  return member.data()->buffers[1]->data() + (member.offset() + begin) * width;
}

}  // namespace

arrow::Result<std::unique_ptr<PackedPageBuilder>> PackedPageBuilder::Make(
    const arrow::DataType& type, arrow::MemoryPool* pool) {
  std::unique_ptr<PackedPageBuilder> builder(new PackedPageBuilder(pool));
  for (const auto& field : type.fields()) {
    ARROW_ASSIGN_OR_RAISE(PackedMember member, MakeMember(*field));
    uint64_t bytes = member.bits_per_value / 8;
    for (const uint32_t dimension : member.dimensions) {
      ARROW_ASSIGN_OR_RAISE(bytes, CheckedMul(bytes, dimension, "a packed member"));
    }
    ARROW_ASSIGN_OR_RAISE(builder->row_bytes_,
                          CheckedAdd(builder->row_bytes_, bytes, "a packed row"));
    builder->members_.push_back(std::move(member));
    builder->member_bytes_.push_back(bytes);
  }
  if (builder->row_bytes_ == 0) {
    return UnsupportedError("packed structs without members",
                            "a packed struct without members is not supported");
  }
  return builder;
}

arrow::Result<int64_t> PackedPageBuilder::Append(const arrow::Array& array, int64_t begin,
                                                 int64_t end) {
  if (begin == end) return 0;
  const auto& rows = static_cast<const arrow::StructArray&>(array);
  const auto count = static_cast<uint64_t>(end - begin);
  std::byte* const out = rows_.Grow(count * row_bytes_);
  uint64_t member_begin = 0;
  for (size_t i = 0; i < members_.size(); ++i) {
    auto values = ValuesOf(*rows.field(static_cast<int>(i)), begin, end);
    if (!values.ok())
      return WithContext(values.status(),
                         "member " + array.type()->field(static_cast<int>(i))->name());
    const uint8_t* from = *values;
    std::byte* to = out + member_begin;
    for (uint64_t row = 0; row < count; ++row, from += member_bytes_[i], to += row_bytes_) {
      std::memcpy(to, from, member_bytes_[i]);
    }
    member_begin += member_bytes_[i];
  }
  num_rows_ += count;
  return end - begin;
}

uint64_t PackedPageBuilder::BytesOf(const arrow::Array&, int64_t begin, int64_t end) const {
  return static_cast<uint64_t>(end - begin) * row_bytes_;
}

arrow::Result<ArrayEncoding> PackedPageBuilder::Build(
    std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  PackedStructEncoding encoding{.members = members_,
                                .buffer = static_cast<uint32_t>(buffers->size())};
  buffers->push_back(rows_.Finish());
  num_rows_ = 0;
  return ArrayEncoding{std::move(encoding)};
}

}  // namespace lance::format::v20
