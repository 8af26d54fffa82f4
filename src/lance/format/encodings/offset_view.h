#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace lance::format {

/// Where values of variable width lie in their bytes: value i is [at(i), at(i + 1)). A borrowed
/// view of Arrow offsets of 32 or 64 bits; the first need not be 0.
class OffsetView {
 public:
  /// \param offsets one more than there are values, rising
  /// \param offset_bits 32 or 64
  OffsetView(const std::byte* offsets, uint32_t offset_bits)
      : offsets_(offsets), is_wide_(offset_bits == 64) {}
  /// NOLINTNEXTLINE(google-explicit-constructor): what Arrow arrays give
  OffsetView(std::span<const int32_t> offsets) : OffsetView(AsBytePointer(offsets.data()), 32) {}
  /// NOLINTNEXTLINE(google-explicit-constructor): what Arrow arrays give
  OffsetView(std::span<const int64_t> offsets) : OffsetView(AsBytePointer(offsets.data()), 64) {}

  uint64_t at(uint64_t i) const { return is_wide_ ? Load<uint64_t>(i) : Load<uint32_t>(i); }

  /// The view without its first values.
  OffsetView Skip(uint64_t num_values) const {
    return {offsets_ + num_values * (is_wide_ ? 8 : 4), is_wide_ ? 64u : 32u};
  }

 private:
  static const std::byte* AsBytePointer(const void* offsets) {
    return static_cast<const std::byte*>(offsets);
  }

  template <typename T>
  T Load(uint64_t i) const {
    T offset;
    std::memcpy(&offset, offsets_ + i * sizeof(T), sizeof(T));
    return offset;
  }

  const std::byte* offsets_;
  bool is_wide_;
};

}  // namespace lance::format
