#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lance/base/byte_reader.h"
#include "lance/format/encodings/codec.h"
#include "lance_encodings21.pb.h"
#include "value_samples.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

/// The shape of single values; 0 bits: of text.
inline ValueShape Single(uint32_t bits_per_value) { return {.bits_per_value = bits_per_value}; }

/// Bytes from numbers.
inline std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes.push_back(static_cast<char>(value));
  return bytes;
}

inline pb::CompressiveEncoding Flat(uint64_t bits) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_flat()->set_bits_per_value(bits);
  return encoding;
}

inline pb::CompressiveEncoding Variable(uint64_t offset_bits) {
  pb::CompressiveEncoding encoding;
  *encoding.mutable_variable()->mutable_offsets() = Flat(offset_bits);
  return encoding;
}

inline pb::CompressiveEncoding Constant() {
  pb::CompressiveEncoding encoding;
  encoding.mutable_constant();
  return encoding;
}

inline pb::CompressiveEncoding Inline(uint64_t bits) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_inline_bitpacking()->set_uncompressed_bits_per_value(bits);
  return encoding;
}

inline pb::CompressiveEncoding OutOfLine(uint64_t bits, uint64_t width) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_out_of_line_bitpacking()->set_uncompressed_bits_per_value(bits);
  *encoding.mutable_out_of_line_bitpacking()->mutable_values() = Flat(width);
  return encoding;
}

inline pb::CompressiveEncoding Rle(uint64_t value_bits, uint64_t length_bits = 8) {
  pb::CompressiveEncoding encoding;
  *encoding.mutable_rle()->mutable_values() = Flat(value_bits);
  *encoding.mutable_rle()->mutable_run_lengths() = Flat(length_bits);
  return encoding;
}

inline pb::CompressiveEncoding Split(uint64_t bits) {
  pb::CompressiveEncoding encoding;
  *encoding.mutable_byte_stream_split()->mutable_values() = Flat(bits);
  return encoding;
}

inline pb::CompressiveEncoding Fsst(std::string table, pb::CompressiveEncoding inner) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_fsst()->set_symbol_table(std::move(table));
  *encoding.mutable_fsst()->mutable_values() = std::move(inner);
  return encoding;
}

inline pb::CompressiveEncoding General(pb::BufferCompression::Scheme scheme,
                                       pb::CompressiveEncoding inner) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_general()->mutable_compression()->set_scheme(scheme);
  *encoding.mutable_general()->mutable_values() = std::move(inner);
  return encoding;
}

inline pb::CompressiveEncoding Lz4(pb::CompressiveEncoding inner) {
  return General(pb::BufferCompression::LZ4, std::move(inner));
}

inline pb::CompressiveEncoding Zstd(pb::CompressiveEncoding inner) {
  return General(pb::BufferCompression::ZSTD, std::move(inner));
}

inline pb::CompressiveEncoding ListOf(uint64_t dimension, pb::CompressiveEncoding inner,
                                      bool has_validity = false) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_fixed_size_list()->set_items_per_value(dimension);
  encoding.mutable_fixed_size_list()->set_has_validity(has_validity);
  *encoding.mutable_fixed_size_list()->mutable_values() = std::move(inner);
  return encoding;
}

inline pb::CompressiveEncoding Packed(const std::vector<uint64_t>& bits, uint64_t row_bits) {
  pb::CompressiveEncoding encoding;
  for (const uint64_t member : bits) encoding.mutable_packed_struct()->add_bits_per_value(member);
  *encoding.mutable_packed_struct()->mutable_values() = Flat(row_bits);
  return encoding;
}

using RowField = pb::VariablePackedStruct::FieldEncoding;

inline RowField FixedField(pb::CompressiveEncoding value, uint64_t bits) {
  RowField field;
  *field.mutable_value() = std::move(value);
  field.set_bits_per_value(bits);
  return field;
}

inline RowField SizedField(pb::CompressiveEncoding value, uint64_t length_bits) {
  RowField field;
  *field.mutable_value() = std::move(value);
  field.set_bits_per_length(length_bits);
  return field;
}

inline pb::CompressiveEncoding PackedRows(const std::vector<RowField>& fields) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_variable_packed_struct();
  for (const RowField& field : fields) {
    *encoding.mutable_variable_packed_struct()->add_fields() = field;
  }
  return encoding;
}

/// A stored symbol table: header, symbols, lengths, zeros.
inline std::string SymbolTable(const std::vector<std::string>& symbols, int switch_byte = 1) {
  std::string table = Bytes({static_cast<int>(symbols.size()), 0, 13, switch_byte}) + "TSSF";
  for (std::string symbol : symbols) {
    symbol.resize(8);
    table += symbol;
  }
  for (const std::string& symbol : symbols) table.push_back(static_cast<char>(symbol.size()));
  table.resize(2312);
  return table;
}

/// A Variable chunk with offsets of type T.
template <typename T = uint32_t>
std::string TextChunk(const std::vector<std::string>& values) {
  std::vector<T> offsets;
  std::string bytes;
  const size_t header = sizeof(T) * (values.size() + 1);
  for (const std::string& value : values) {
    offsets.push_back(static_cast<T>(header + bytes.size()));
    bytes += value;
  }
  offsets.push_back(static_cast<T>(header + bytes.size()));
  return Integers(offsets) + bytes;
}

inline std::vector<std::span<const std::byte>> Views(const std::vector<std::string>& buffers) {
  std::vector<std::span<const std::byte>> views;
  for (const std::string& buffer : buffers) views.push_back(AsBytes(buffer));
  return views;
}

/// Decode one chunk's buffers.
inline arrow::Result<ValueBuffer> DecodeMini(const pb::CompressiveEncoding& encoding,
                                             const ValueShape& shape,
                                             const std::vector<std::string>& buffers,
                                             uint64_t num_values) {
  ARROW_ASSIGN_OR_RAISE(const auto decoder, MakeMiniBlockDecoder(encoding, shape));
  ValueBuffer out(shape, nullptr);
  ARROW_RETURN_NOT_OK(decoder->Decode(Views(buffers), num_values, &out));
  return out;
}

/// Decode one block.
inline arrow::Result<ValueBuffer> DecodeBlock(const pb::CompressiveEncoding& encoding,
                                              const ValueShape& shape, const std::string& bytes,
                                              uint64_t num_values) {
  ARROW_ASSIGN_OR_RAISE(const auto decoder, MakeBlockDecoder(encoding, shape));
  ValueBuffer out(shape, nullptr);
  ARROW_RETURN_NOT_OK(decoder->Decode(AsBytes(bytes), num_values, &out));
  return out;
}

/// What stands for a null row without bytes in DecodeValues.
inline constexpr std::string_view kNoBytes{};

/// Decode values that are stored one by one.
inline arrow::Result<ValueBuffer> DecodeValues(const pb::CompressiveEncoding& encoding,
                                               const ValueShape& shape,
                                               const std::vector<std::string_view>& values) {
  ARROW_ASSIGN_OR_RAISE(const auto decoder, MakePerValueDecoder(encoding, shape));
  std::vector<std::span<const std::byte>> views;
  for (const std::string_view value : values) views.push_back(AsBytes(value));
  ValueBuffer out(shape, nullptr);
  ARROW_RETURN_NOT_OK(decoder->Decode(views, &out));
  return out;
}

}  // namespace lance::format
