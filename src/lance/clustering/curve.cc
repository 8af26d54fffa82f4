#include "lance/clustering/curve.h"

#include <algorithm>

#include "lance/base/check.h"
#include "lance/clustering/key_type.h"

namespace lance::clustering {
namespace {

// Skilling's axes-to-transpose ("Programming the Hilbert curve", 2004), one row at a time. The
// plain twin of the transform across rows in curve_block.cc.
void AxesToTranspose(std::span<uint64_t> x, uint32_t bits) {
  for (uint32_t level = bits - 1; level > 0; --level) {  // the transform has no step for bit 0
    const uint64_t lower = (uint64_t{1} << level) - 1;
    for (uint64_t& axis : x) {
      if ((axis >> level & 1) != 0) {
        x[0] ^= lower;
      } else {
        const uint64_t swapped = (x[0] ^ axis) & lower;
        x[0] ^= swapped;
        axis ^= swapped;
      }
    }
  }
  for (size_t i = 1; i < x.size(); ++i) x[i] ^= x[i - 1];
  uint64_t inverted = 0;
  for (uint32_t level = bits - 1; level > 0; --level) {
    if ((x.back() >> level & 1) != 0) inverted ^= (uint64_t{1} << level) - 1;
  }
  for (uint64_t& axis : x) axis ^= inverted;
}

void Interleave(std::span<const uint64_t> coordinates, uint32_t bits, std::span<std::byte> key) {
  std::fill(key.begin(), key.end(), std::byte{0});
  size_t position = coordinates.size() * bits;  // counted from the key's last bit
  for (uint32_t level = bits; level-- > 0;) {
    for (const uint64_t coordinate : coordinates) {
      --position;
      const auto bit = static_cast<std::byte>(coordinate >> level & 1);
      key[key.size() - 1 - position / 8] |= bit << (position % 8);
    }
  }
}

}  // namespace

size_t CurveKeySize(size_t dimensions, uint32_t bits_per_dim) {
  return (dimensions * bits_per_dim + 7) / 8;
}

void CurveKey(ClusteringCurve curve, std::span<uint64_t> coordinates, uint32_t bits_per_dim,
              std::span<std::byte> key) {
  LANCE_DCHECK(!coordinates.empty() && bits_per_dim >= 1 && bits_per_dim <= 64);
  LANCE_DCHECK(key.size() == CurveKeySize(coordinates.size(), bits_per_dim));
  if (curve == ClusteringCurve::kHilbert && coordinates.size() > 1) {
    AxesToTranspose(coordinates, bits_per_dim);
  }
  Interleave(coordinates, bits_per_dim, key);
}

uint64_t RankCoordinate(uint64_t rank, uint64_t num_samples, uint32_t bits) {
  LANCE_DCHECK(bits >= 1 && bits <= 64);
  if (num_samples <= 1) return 0;
  const WideWord largest = (WideWord{1} << bits) - 2;  // 2^bits - 1 is null's
  return static_cast<uint64_t>(rank * largest / (num_samples - 1));
}

}  // namespace lance::clustering
