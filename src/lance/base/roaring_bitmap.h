#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"

class Roaring;  // of CRoaring, which declares it at global scope

namespace lance {

/// A set of 32-bit numbers: fragment ids, or row offsets of one fragment. A value; copies are deep.
///
/// Serialized as portable 32-bit Roaring (zonemap-and-indices 1.3). Thread-compatible.
class RoaringBitmap {
 public:
  RoaringBitmap();
  explicit RoaringBitmap(std::span<const uint32_t> values);
  RoaringBitmap(std::initializer_list<uint32_t> values);
  RoaringBitmap(const RoaringBitmap&);
  RoaringBitmap(RoaringBitmap&&) noexcept;
  RoaringBitmap& operator=(const RoaringBitmap&);
  RoaringBitmap& operator=(RoaringBitmap&&) noexcept;
  ~RoaringBitmap();

  /// Parse untrusted bytes: both cookies, every container validated before use, no bytes left over.
  ///
  /// \return SerializationError naming `structure` and the place
  static arrow::Result<RoaringBitmap> Parse(std::span<const std::byte> bytes,
                                            std::string_view structure);

  /// Parse untrusted bytes that more may follow, as Parse does, and move `bytes` behind them.
  static arrow::Result<RoaringBitmap> ParsePrefix(std::span<const std::byte>* bytes,
                                                  std::string_view structure);

  /// Serialize in portable form without run containers.
  std::string Serialize() const;

  void Add(uint32_t value);
  /// Add [begin, end).
  void AddRange(uint64_t begin, uint64_t end);
  void Remove(uint32_t value);
  bool Contains(uint32_t value) const;
  /// How many members are below a value.
  uint64_t Rank(uint32_t value) const;
  uint64_t size() const;
  bool empty() const;
  /// The members in ascending order.
  std::vector<uint32_t> ToVector() const;
  bool operator==(const RoaringBitmap& other) const;
  RoaringBitmap& operator|=(const RoaringBitmap& other);
  RoaringBitmap& operator&=(const RoaringBitmap& other);
  /// Remove the members of `other`.
  RoaringBitmap& operator-=(const RoaringBitmap& other);
  bool Intersects(const RoaringBitmap& other) const;

 private:
  std::unique_ptr<::Roaring> bitmap_;
};

}  // namespace lance
