#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "lance/base/byte_reader.h"
#include "lance/format/encodings/codec.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

/// Bytes from numbers.
inline std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes.push_back(static_cast<char>(value));
  return bytes;
}

/// Little-endian integers back to back.
template <typename T>
std::string Integers(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Values of fixed width.
template <typename T>
ValueBuffer FixedValues(const std::vector<T>& values) {
  return {.bits_per_value = 8 * sizeof(T), .num_values = values.size(), .bytes = Integers(values)};
}

/// Values of variable width.
inline ValueBuffer VariableValues(const std::vector<std::string>& values) {
  ValueBuffer buffer{.num_values = values.size(), .offsets = {0}};
  for (const std::string& value : values) {
    buffer.bytes += value;
    buffer.offsets.push_back(buffer.bytes.size());
  }
  return buffer;
}

/// Cut a variable-width buffer into its values.
inline std::vector<std::string> Strings(const ValueBuffer& buffer) {
  std::vector<std::string> values;
  for (uint64_t i = 0; i < buffer.num_values; ++i) {
    values.push_back(
        buffer.bytes.substr(buffer.offsets[i], buffer.offsets[i + 1] - buffer.offsets[i]));
  }
  return values;
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

inline pb::CompressiveEncoding Fsst(std::string table, pb::CompressiveEncoding inner) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_fsst()->set_symbol_table(std::move(table));
  *encoding.mutable_fsst()->mutable_values() = std::move(inner);
  return encoding;
}

inline pb::CompressiveEncoding ParseEncoding(const std::string& serialized) {
  pb::CompressiveEncoding encoding;
  if (!encoding.ParseFromString(serialized)) std::abort();
  return encoding;
}

/// Decode one chunk's buffers.
inline arrow::Result<ValueBuffer> DecodeMini(const pb::CompressiveEncoding& encoding,
                                             uint32_t bits_per_value,
                                             const std::vector<std::string>& buffers,
                                             uint64_t num_values) {
  ARROW_ASSIGN_OR_RAISE(const auto decoder, MakeMiniBlockDecoder(encoding, bits_per_value));
  std::vector<std::span<const std::byte>> views;
  for (const std::string& buffer : buffers) views.push_back(AsBytes(buffer));
  ValueBuffer out{.bits_per_value = bits_per_value};
  ARROW_RETURN_NOT_OK(decoder->Decode(views, num_values, &out));
  return out;
}

/// Decode one block.
inline arrow::Result<ValueBuffer> DecodeBlock(const pb::CompressiveEncoding& encoding,
                                              uint32_t bits_per_value, const std::string& bytes,
                                              uint64_t num_values) {
  ARROW_ASSIGN_OR_RAISE(const auto decoder, MakeBlockDecoder(encoding, bits_per_value));
  ValueBuffer out{.bits_per_value = bits_per_value};
  ARROW_RETURN_NOT_OK(decoder->Decode(AsBytes(bytes), num_values, &out));
  return out;
}

/// Decode all chunks into one buffer.
inline arrow::Result<ValueBuffer> DecodeChunks(const EncodedMiniBlocks& encoded,
                                               uint32_t bits_per_value) {
  ARROW_ASSIGN_OR_RAISE(const auto decoder,
                        MakeMiniBlockDecoder(ParseEncoding(encoded.encoding), bits_per_value));
  ValueBuffer out{.bits_per_value = bits_per_value};
  for (const EncodedChunk& chunk : encoded.chunks) {
    const std::span<const std::byte> buffer = AsBytes(chunk.buffers.at(0));
    ARROW_RETURN_NOT_OK(decoder->Decode({&buffer, 1}, chunk.num_values, &out));
  }
  return out;
}

/// The seed of property tests: LANCE_TEST_SEED, else a fixed one.
inline uint64_t TestSeed() {
  const char* seed = std::getenv("LANCE_TEST_SEED");
  return seed == nullptr ? 20240607 : std::strtoull(seed, nullptr, 10);
}

/// Rounds of a property test: `rounds`, or twenty times as many where LANCE_TEST_SIZE is "long".
inline int TestRounds(int rounds) {
  const char* size = std::getenv("LANCE_TEST_SIZE");
  return size != nullptr && std::string_view(size) == "long" ? 20 * rounds : rounds;
}

}  // namespace lance::format
