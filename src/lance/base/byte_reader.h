#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/result.h"

namespace lance {

/// Load one little-endian unsigned integer. \pre sizeof(T) bytes are readable at `bytes`
template <std::unsigned_integral T>
T LoadLittleEndian(const std::byte* bytes) {
  T value;  // every platform that Arrow's wheels support is little-endian
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Append one little-endian unsigned integer.
template <std::unsigned_integral T>
void AppendLittleEndian(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// View a string's bytes.
inline std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Forward-only cursor over bytes that nobody has checked yet.
///
/// Every read stays inside the view, or fails with SerializationError that names the structure,
/// the field and the byte offset. Borrows `bytes`, allocates nothing. Thread-compatible.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string_view structure)
      : bytes_(bytes), structure_(structure) {}

  size_t remaining() const { return bytes_.size() - offset_; }
  size_t offset() const { return offset_; }

  /// Read one little-endian unsigned integer.
  template <std::unsigned_integral T>
  arrow::Result<T> Read(std::string_view field) {
    ARROW_ASSIGN_OR_RAISE(const auto raw, Take(sizeof(T), field));
    return LoadLittleEndian<T>(raw.data());
  }

  /// Borrow the next `size` bytes.
  arrow::Result<std::span<const std::byte>> Take(uint64_t size, std::string_view field) {
    field_offset_ = offset_;
    if (size > remaining()) {  // never `offset_ + size > total`: that sum can wrap
      return Corrupt(field, "needs ", size, " bytes, ", remaining(), " are left");
    }
    const auto taken = bytes_.subspan(offset_, size);
    offset_ += size;
    return taken;
  }

  /// Refuse bytes that are left over after the last field.
  arrow::Status ExpectEnd() {
    field_offset_ = offset_;
    return remaining() == 0 ? arrow::Status::OK()
                            : Corrupt("end", remaining(), " bytes follow the last field");
  }

  /// Build the error for a field whose value is not allowed.
  template <typename... Args>
  arrow::Status Corrupt(std::string_view field, Args&&... problem) const {
    return arrow::Status::SerializationError(structure_, ".", field, " at byte ", field_offset_,
                                             ": ", std::forward<Args>(problem)...);
  }

 private:
  std::span<const std::byte> bytes_;
  std::string structure_;
  size_t offset_ = 0;
  size_t field_offset_ = 0;  // where the field being read starts, for messages
};

}  // namespace lance
