#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lance/clustering.h"
#include "lance/clustering/curve.h"
#include "lance/clustering/key_type.h"

namespace lance::clustering {

/// Writes the curve keys of many rows: CurveKey() at a tenth of its cost. Immutable.
///
/// The Hilbert transform runs across rows, in lanes as narrow as the bits allow, and bits are
/// interleaved eight at a time from a table: eight levels of d dimensions are exactly d bytes.
/// More than 16 dimensions go row by row through CurveKey().
class BlockCurve {
 public:
  /// \pre dimensions >= 1, bits_per_dim is 1 to 64
  BlockCurve(ClusteringCurve curve, size_t dimensions, uint32_t bits_per_dim);

  size_t key_size() const { return CurveKeySize(dimensions_, bits_per_dim_); }

  /// Write `num_rows` keys of key_size() bytes, one after the other.
  ///
  /// \param coordinates one pointer per dimension to num_rows values below 2^bits_per_dim
  void Keys(std::span<const uint64_t* const> coordinates, size_t num_rows, std::byte* keys) const;

 private:
  template <typename Lane>
  void KeysByLane(std::span<const uint64_t* const> coordinates, size_t num_rows,
                  std::byte* keys) const;
  template <typename Lane>
  void Interleave(const Lane* lanes, size_t num_rows, std::byte* keys) const;
  void KeysByRow(std::span<const uint64_t* const> coordinates, size_t num_rows,
                 std::byte* keys) const;

  ClusteringCurve curve_;
  size_t dimensions_;
  uint32_t bits_per_dim_;
  // Entry v has bit k of v at bit k * dimensions. One of the two is filled, none beyond 16
  // dimensions.
  std::vector<uint64_t> spread_;
  std::vector<WideWord> wide_spread_;
};

}  // namespace lance::clustering
