#include <string_view>
#include <vector>

#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/v20/array_encoding_proto.h"
#include "lance_encodings20.pb.h"

namespace lance::format::v20 {
namespace {

namespace pb = lance_pb::encodings;

void Write(const FixedValues& values, pb::ArrayEncoding* out) {
  pb::Flat* flat = out->mutable_flat();  // we write no other form
  flat->set_bits_per_value(values.bits_per_value);
  flat->mutable_buffer()->set_buffer_index(values.buffer);
  switch (values.codec) {
    case BufferCodec::kNone:
      break;
    case BufferCodec::kStored:
      flat->mutable_compression()->set_scheme("none");
      break;
    case BufferCodec::kLz4:
      flat->mutable_compression()->set_scheme("lz4");
      break;
    case BufferCodec::kZstd:
      flat->mutable_compression()->set_scheme("zstd");
      break;
  }
}

/// Write a Nullable. \return where its values go; null: all null
pb::ArrayEncoding* WriteNullable(const SlotLevel& level, pb::ArrayEncoding* out) {
  pb::Nullable* nullable = out->mutable_nullable();
  switch (level.nulls) {
    case Nulls::kNone:
      return nullable->mutable_no_nulls()->mutable_values();
    case Nulls::kSome: {
      pb::Nullable::SomeNull* some = nullable->mutable_some_nulls();
      Write(FixedValues{.bits_per_value = 1, .buffer = level.validity_buffer},
            some->mutable_validity());
      return some->mutable_values();
    }
    case Nulls::kAll:
      nullable->mutable_all_nulls();
      break;
  }
  return nullptr;
}

void Write(const FixedWidthEncoding& encoding, pb::ArrayEncoding* out) {
  out = WriteNullable(encoding.levels[0], out);
  for (size_t i = 0; i < encoding.dimensions.size(); ++i) {
    pb::FixedSizeList* list = out->mutable_fixed_size_list();
    list->set_dimension(encoding.dimensions[i]);
    out = WriteNullable(encoding.levels[i + 1], list->mutable_items());
  }
  if (out != nullptr && encoding.values.has_value()) Write(*encoding.values, out);
}

void WriteNumbers(const FixedValues& values, pb::ArrayEncoding* out) {
  Write(values, WriteNullable({Nulls::kNone, 0}, out));
}

void Write(const BinaryEncoding& encoding, pb::ArrayEncoding* out) {
  if (!encoding.symbol_table.empty()) {
    out->mutable_fsst()->set_symbol_table(encoding.symbol_table);
    out = out->mutable_fsst()->mutable_binary();
  }
  pb::Binary* binary = out->mutable_binary();
  WriteNumbers(encoding.ends, binary->mutable_indices());
  Write(encoding.bytes, binary->mutable_bytes());
  binary->set_null_adjustment(encoding.null_adjustment);
}

void Write(const FixedSizeBinaryEncoding& encoding, pb::ArrayEncoding* out) {
  out = WriteNullable(encoding.rows, out);
  if (out == nullptr) return;
  Write(encoding.bytes, out->mutable_fixed_size_binary()->mutable_bytes());
  out->mutable_fixed_size_binary()->set_byte_width(encoding.byte_width);
}

void Write(const ListEncoding& encoding, pb::ArrayEncoding* out) {
  pb::List* list = out->mutable_list();
  WriteNumbers(encoding.ends, list->mutable_offsets());
  list->set_null_offset_adjustment(encoding.null_offset_adjustment);
  list->set_num_items(encoding.num_items);
}

void Write(const StructEncoding&, pb::ArrayEncoding* out) { out->mutable_struct_(); }

void Write(const PackedStructEncoding& encoding, pb::ArrayEncoding* out) {
  pb::PackedStruct* packed = out->mutable_packed_struct();
  packed->mutable_buffer()->set_buffer_index(encoding.buffer);
  for (const PackedMember& member : encoding.members) {
    Write(FixedWidthEncoding{.levels = std::vector<SlotLevel>(member.dimensions.size() + 1),
                             .dimensions = member.dimensions,
                             .values = FixedValues{.bits_per_value = member.bits_per_value}},
          packed->add_inner());
  }
}

void Write(const ArrayEncoding& encoding, pb::ArrayEncoding* out);

void Write(const DictionaryEncoding& encoding, pb::ArrayEncoding* out) {
  pb::Dictionary* dictionary = out->mutable_dictionary();
  Write(encoding.indices, dictionary->mutable_indices());
  Write(*encoding.items, dictionary->mutable_items());
  dictionary->set_num_dictionary_items(encoding.num_items);
}

void Write(const ArrayEncoding& encoding, pb::ArrayEncoding* out) {
  std::visit([out](const auto& form) { Write(form, out); }, encoding.form);
}

}  // namespace

std::string SerializeArrayEncoding(const ArrayEncoding& encoding) {
  pb::ArrayEncoding message;
  Write(encoding, &message);
  return PackEncoding(message.SerializeAsString(), kArrayEncodingType);
}

}  // namespace lance::format::v20
