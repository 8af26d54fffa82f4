#include "lance/format/encodings/packed_struct.h"

#include <cstring>
#include <utility>
#include <vector>

#include "lance/base/check.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// Copy one member out of rows.
template <uint64_t kBytes>
void CopyMember(const std::byte* rows, uint64_t row_bytes, uint64_t num_rows, std::byte* out) {
  for (uint64_t i = 0; i < num_rows; ++i) {
    std::memcpy(out + i * kBytes, rows + i * row_bytes, kBytes);
  }
}

void CopyMemberOf(uint64_t member_bytes, const std::byte* rows, uint64_t row_bytes,
                  uint64_t num_rows, std::byte* out) {
  switch (member_bytes) {
    case 1:
      return CopyMember<1>(rows, row_bytes, num_rows, out);
    case 2:
      return CopyMember<2>(rows, row_bytes, num_rows, out);
    case 4:
      return CopyMember<4>(rows, row_bytes, num_rows, out);
    case 8:
      return CopyMember<8>(rows, row_bytes, num_rows, out);
    case 16:
      return CopyMember<16>(rows, row_bytes, num_rows, out);
    default:
      break;
  }
  for (uint64_t i = 0; i < num_rows; ++i) {
    std::memcpy(out + i * member_bytes, rows + i * row_bytes, member_bytes);
  }
}

class PackedStructMiniBlockDecoder : public MiniBlockDecoder {
 public:
  explicit PackedStructMiniBlockDecoder(std::vector<uint64_t> member_bytes)
      : member_bytes_(std::move(member_bytes)) {
    for (const uint64_t bytes : member_bytes_) row_bytes_ += bytes;
  }

  int num_buffers() const override { return 1; }

  arrow::Status Decode(std::span<const std::span<const std::byte>> buffers, uint64_t num_values,
                       ValueBuffer* out) const override {
    LANCE_DCHECK(buffers.size() == 1 && out->members.size() == member_bytes_.size());
    if (buffers[0].size() % row_bytes_ != 0 || buffers[0].size() / row_bytes_ != num_values) {
      return arrow::Status::SerializationError("PackedStruct: buffer has ", buffers[0].size(),
                                               " bytes, ", num_values, " rows of ", row_bytes_,
                                               " bytes need others");
    }
    if (num_values == 0) return arrow::Status::OK();
    const std::byte* member = buffers[0].data();
    for (size_t i = 0; i < member_bytes_.size(); ++i) {
      ValueBuffer* const to = &out->members[i];
      CopyMemberOf(member_bytes_[i], member, row_bytes_, num_values, GrowFixed(num_values, to));
      AppendMemberItemsValid(num_values, to);
      member += member_bytes_[i];
    }
    out->num_values += num_values;
    return arrow::Status::OK();
  }

 private:
  /// Members that are lists have no item validity here.
  static void AppendMemberItemsValid(uint64_t num_values, ValueBuffer* member) {
    const uint64_t num_before = member->num_values - num_values;
    for (size_t i = 0; i < member->item_validity.size(); ++i) {
      const uint64_t items = member->level_items[i];
      AppendSameBits(true, num_values * items, num_before * items, &member->item_validity[i]);
    }
  }

  std::vector<uint64_t> member_bytes_;
  uint64_t row_bytes_ = 0;
};

/// Check one member's width. \return its bytes
arrow::Result<uint64_t> CheckMember(size_t index, uint64_t claimed_bits, const ValueShape& shape) {
  if (claimed_bits == 0 || claimed_bits % 8 != 0) {
    return arrow::Status::SerializationError("PackedStruct: member ", index, " has ", claimed_bits,
                                             " bits; allowed: multiples of 8");
  }
  const bool is_fixed = !shape.is_variable() && !shape.is_packed() && shape.bits_per_value % 8 == 0;
  if (!is_fixed || claimed_bits != shape.items_per_value() * shape.bits_per_value) {
    return arrow::Status::SerializationError("PackedStruct: member ", index, " has ", claimed_bits,
                                             " bits, the column needs ", shape.items_per_value(),
                                             " * ", ShapeName(shape));
  }
  return claimed_bits / 8;
}

arrow::Status CheckNumMembers(int num_members, const ValueShape& shape, std::string_view codec) {
  if (!shape.is_packed()) {
    return arrow::Status::SerializationError(codec, ": has rows of members, the column needs ",
                                             ShapeName(shape));
  }
  if (static_cast<size_t>(num_members) != shape.members.size()) {
    return arrow::Status::SerializationError(codec, ": has ", num_members,
                                             " members, the column needs ", shape.members.size());
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::unique_ptr<MiniBlockDecoder>> MakePackedStructMiniBlockDecoder(
    const pb::PackedStruct& packed, const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckNumMembers(packed.bits_per_value_size(), shape, "PackedStruct"));
  std::vector<uint64_t> member_bytes;
  uint64_t row_bits = 0;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    const uint64_t claimed_bits = packed.bits_per_value(static_cast<int>(i));
    ARROW_ASSIGN_OR_RAISE(const uint64_t bytes, CheckMember(i, claimed_bits, shape.members[i]));
    member_bytes.push_back(bytes);
    if (__builtin_add_overflow(row_bits, claimed_bits, &row_bits)) {
      return arrow::Status::SerializationError("PackedStruct: rows are too wide");
    }
  }
  ARROW_ASSIGN_OR_RAISE(const uint64_t claimed_bits,
                        ClaimedFlatBits(packed.values(), "PackedStruct.values"));
  if (claimed_bits != row_bits) {
    return arrow::Status::SerializationError("PackedStruct.values has ", claimed_bits,
                                             " bits; allowed: the sum of the members, ", row_bits);
  }
  return std::make_unique<PackedStructMiniBlockDecoder>(std::move(member_bytes));
}

namespace {

using StoredValues = std::span<const std::span<const std::byte>>;

/// How one member of a row is stored.
struct RowMember {
  std::unique_ptr<PerValueDecoder> decoder;
  /// Fixed width: the bytes of the member. 0: it stands behind its length.
  uint64_t bytes = 0;
  /// Variable width: the bytes of the length, 4 or 8.
  uint64_t length_bytes = 0;
};

class VariablePackedStructPerValueDecoder : public PerValueDecoder {
 public:
  explicit VariablePackedStructPerValueDecoder(std::vector<RowMember> members)
      : members_(std::move(members)) {}

  uint64_t stored_bits() const override { return 0; }

  arrow::Status Decode(StoredValues values, ValueBuffer* out) const override {
    LANCE_DCHECK(out->members.size() == members_.size());
    std::vector<std::span<const std::byte>> rests(values.begin(), values.end());
    std::vector<std::span<const std::byte>> member_values(values.size());
    for (size_t m = 0; m < members_.size(); ++m) {
      for (size_t row = 0; row < rests.size(); ++row) {
        if (rests[row].data() == nullptr) continue;  // and so is the member
        if (!TakeMember(members_[m], &rests[row], &member_values[row])) {
          return arrow::Status::SerializationError("VariablePackedStruct: member ", m,
                                                   " does not fit row ", row, " of ",
                                                   values[row].size(), " bytes");
        }
      }
      ARROW_RETURN_NOT_OK(members_[m].decoder->Decode(member_values, &out->members[m]));
    }
    for (size_t row = 0; row < rests.size(); ++row) {
      if (!rests[row].empty()) {
        return arrow::Status::SerializationError("VariablePackedStruct: ", rests[row].size(),
                                                 " bytes follow the last member of row ", row);
      }
    }
    out->num_values += values.size();
    return arrow::Status::OK();
  }

 private:
  /// Move a member from the rest of a row to `value`. \return false when it is not there
  static bool TakeMember(const RowMember& member, std::span<const std::byte>* rest,
                         std::span<const std::byte>* value) {
    uint64_t size = member.bytes;
    if (member.length_bytes > 0) {
      if (rest->size() < member.length_bytes) return false;
      std::memcpy(&size, rest->data(), member.length_bytes);  // the low bytes come first
      *rest = rest->subspan(member.length_bytes);
    }
    if (rest->size() < size) return false;
    *value = rest->first(size);
    *rest = rest->subspan(size);
    return true;
  }

  std::vector<RowMember> members_;
};

arrow::Result<RowMember> MakeRowMember(size_t index,
                                       const pb::VariablePackedStruct::FieldEncoding& field,
                                       const ValueShape& shape) {
  RowMember member;
  ARROW_ASSIGN_OR_RAISE(member.decoder, MakePerValueDecoder(field.value(), shape));
  const uint64_t stored_bits = member.decoder->stored_bits();
  if (field.has_bits_per_value() && stored_bits != 0) {
    if (field.bits_per_value() != stored_bits) {
      return arrow::Status::SerializationError("VariablePackedStruct: member ", index, " has ",
                                               field.bits_per_value(), " bits, its encoding needs ",
                                               stored_bits);
    }
    member.bytes = stored_bits / 8;
    return member;
  }
  if (!field.has_bits_per_length() || stored_bits != 0) {
    return arrow::Status::SerializationError(
        "VariablePackedStruct: member ", index, " has ", field.has_bits_per_length() ? "a" : "no",
        " length, its encoding is ", EncodingName(field.value()));
  }
  if (field.bits_per_length() != 32 && field.bits_per_length() != 64) {
    return arrow::Status::SerializationError("VariablePackedStruct: length of member ", index,
                                             " has ", field.bits_per_length(),
                                             " bits; allowed: 32, 64");
  }
  member.length_bytes = field.bits_per_length() / 8;
  return member;
}

}  // namespace

arrow::Result<std::unique_ptr<PerValueDecoder>> MakeVariablePackedStructPerValueDecoder(
    const pb::VariablePackedStruct& packed, const ValueShape& shape) {
  ARROW_RETURN_NOT_OK(CheckNumMembers(packed.fields_size(), shape, "VariablePackedStruct"));
  std::vector<RowMember> members;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    if (shape.members[i].is_packed()) {  // and so nothing here recurses
      return arrow::Status::SerializationError("VariablePackedStruct: member ", i,
                                               " is a packed struct itself");
    }
    ARROW_ASSIGN_OR_RAISE(RowMember member,
                          MakeRowMember(i, packed.fields(static_cast<int>(i)), shape.members[i]));
    members.push_back(std::move(member));
  }
  return std::make_unique<VariablePackedStructPerValueDecoder>(std::move(members));
}

}  // namespace lance::format
