#include "lance/format/encode/packed_structs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "arrow/api.h"
#include "lance/base/check.h"
#include "lance/format/encode/chunk_encoder.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

using Arrays = std::vector<std::shared_ptr<arrow::Array>>;

arrow::Status RefuseNullMember(const arrow::Field& member) {
  return arrow::Status::Invalid("member \"", member.name(),
                                "\" of a packed struct has null values or items, which packed "
                                "structs cannot hold");
}

/// Whether a member is null in a row whose struct is there.
bool HasNullMember(const Arrays& parts, std::span<const uint16_t> slots) {
  size_t slot = 0;
  for (const auto& part : parts) {
    for (int64_t i = 0; i < part->length(); ++i, ++slot) {
      if (part->IsNull(i) && (slots.empty() || slots[slot] == 0)) return true;
    }
  }
  return false;
}

arrow::Result<PageValues> CollectMember(const ValueShape& shape, const Arrays& parts,
                                        const arrow::Field& field, std::span<const uint16_t> slots,
                                        arrow::MemoryPool* pool) {
  if (HasNullMember(parts, slots)) return RefuseNullMember(field);
  if (!shape.is_fixed_size_list()) return CollectPlainValues(shape, parts, slots, pool);
  ARROW_ASSIGN_OR_RAISE(PageValues values, CollectFixedSizeLists(shape, parts, slots, pool));
  const bool has_null_item = std::ranges::any_of(
      values.item_validity, [](const ByteBuffer& bits) { return !bits.empty(); });
  if (has_null_item) return RefuseNullMember(field);
  return values;
}

/// Describe a member; choose how the values of one of variable width are compressed.
///
/// \return the values as they are to be stored
arrow::Result<FullZipValues> DescribeMember(const PageValues& values, const ValueShape& shape,
                                            std::span<const uint16_t> slots,
                                            const EncodingRequest& request,
                                            pb::VariablePackedStruct::FieldEncoding* field) {
  if (!values.is_variable()) {
    field->set_bits_per_value(values.bits_per_value);
    DescribeLists(values, shape, field->mutable_value())
        ->mutable_flat()
        ->set_bits_per_value(shape.bits_per_value);
    return FullZipValues();
  }
  field->set_bits_per_length(values.offset_bits);
  return ChooseFullZipEncoding(values, slots, MeasureLengths(values), request,
                               field->mutable_value());
}

void AppendMember(const PageValues& member, uint64_t row, ByteBuffer* out) {
  const auto value = member.value(row);
  if (member.is_variable()) {
    const uint64_t length = value.size();
    const size_t width = member.offset_bits / 8;
    std::memcpy(out->Grow(width), &length, width);  // little-endian
  }
  out->Append(value);
}

arrow::Status AppendOffset(PageValues* rows) {
  if (rows->byte_storage.size() > INT32_MAX) {
    return arrow::Status::CapacityError("the packed structs of a page have more than ", INT32_MAX,
                                        " bytes");
  }
  const auto offset = static_cast<uint32_t>(rows->byte_storage.size());
  std::memcpy(rows->offset_storage.Grow(sizeof(offset)), &offset, sizeof(offset));
  return arrow::Status::OK();
}

}  // namespace

bool IsPlainPackedStruct(const ValueShape& shape) {
  return std::ranges::all_of(shape.members, [](const ValueShape& member) {
    return !member.is_variable() && !member.is_fixed_size_list();
  });
}

arrow::Result<std::vector<PageValues>> CollectMembers(const ValueShape& shape, const Arrays& arrays,
                                                      std::span<const uint16_t> slots,
                                                      arrow::MemoryPool* pool) {
  const auto& fields = arrays.front()->type()->fields();
  std::vector<PageValues> members;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    const ValueShape& member = shape.members[i];
    if (member.bits_per_value * member.items_per_value() % 8 != 0 || member.is_packed()) {
      return arrow::Status::NotImplemented("packed struct member \"", fields[i]->name(),
                                           "\" has type ", fields[i]->type()->ToString(),
                                           "; members have whole bytes and no members");
    }
    Arrays parts;
    for (const auto& array : arrays) {
      parts.push_back(static_cast<const arrow::StructArray&>(*array).field(static_cast<int>(i)));
    }
    ARROW_ASSIGN_OR_RAISE(PageValues values, CollectMember(member, parts, *fields[i], slots, pool));
    members.push_back(std::move(values));
  }
  return members;
}

PageValues PackFixedRows(const std::vector<PageValues>& members, arrow::MemoryPool* pool) {
  PageValues rows(pool);
  rows.num_values = members.front().num_values;
  for (const PageValues& member : members) rows.bits_per_value += member.bits_per_value;
  const uint64_t row_bytes = rows.bits_per_value / 8;
  std::byte* to = rows.byte_storage.Grow(rows.num_values * row_bytes);
  for (const PageValues& member : members) {
    const uint64_t width = member.bits_per_value / 8;
    for (uint64_t i = 0; i < rows.num_values; ++i) {
      std::memcpy(to + i * row_bytes, member.bytes.data() + i * width, width);
    }
    to += width;
  }
  rows.UseStorage();
  return rows;
}

arrow::Result<PageValues> PackVariableRows(const std::vector<PageValues>& members,
                                           const ValueShape& shape, std::span<const uint16_t> slots,
                                           const EncodingRequest& request,
                                           pb::CompressiveEncoding* encoding) {
  auto* const message = encoding->mutable_variable_packed_struct();
  std::vector<FullZipValues> compressed;
  std::vector<const PageValues*> stored;
  for (size_t i = 0; i < members.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(FullZipValues values, DescribeMember(members[i], shape.members[i], slots,
                                                               request, message->add_fields()));
    stored.push_back(values.compressed != nullptr ? values.compressed.get() : &members[i]);
    compressed.push_back(std::move(values));
  }
  PageValues rows(request.pool);
  rows.num_values = members.front().num_values;
  ARROW_RETURN_NOT_OK(AppendOffset(&rows));
  for (uint64_t i = 0; i < rows.num_values; ++i) {
    if (slots.empty() || slots[i] == 0) {
      for (const PageValues* const member : stored) AppendMember(*member, i, &rows.byte_storage);
    }
    ARROW_RETURN_NOT_OK(AppendOffset(&rows));
  }
  rows.UseStorage();
  return rows;
}

}  // namespace lance::format
