#include "lance/clustering/curve_block.h"

#include <algorithm>

#include "lance/base/check.h"

namespace lance::clustering {
namespace {

constexpr size_t kBlockRows = 256;  // a block of all dimensions stays in the first-level cache

template <typename Word>
std::vector<Word> MakeSpread(size_t dimensions) {
  std::vector<Word> spread(256);
  for (size_t value = 0; value < spread.size(); ++value) {
    for (size_t bit = 0; bit < 8; ++bit) {
      spread[value] |= static_cast<Word>(value >> bit & 1) << (bit * dimensions);
    }
  }
  return spread;
}

// One level of the transform for one axis of all rows. Selects by masks, so that it vectorises.
template <typename Lane>
void TransformAxis(Lane* __restrict first, Lane* __restrict axis, uint32_t level) {
  const auto lower = static_cast<Lane>((Lane{1} << level) - 1);
  for (size_t row = 0; row < kBlockRows; ++row) {
    const auto set = static_cast<Lane>(0 - (axis[row] >> level & 1));  // all ones or none
    const auto swapped = static_cast<Lane>((first[row] ^ axis[row]) & lower & ~set);
    first[row] = static_cast<Lane>(first[row] ^ (swapped | (set & lower)));
    axis[row] = static_cast<Lane>(axis[row] ^ swapped);
  }
}

template <typename Lane>
void TransformFirstAxis(Lane* first, uint32_t level) {
  const auto lower = static_cast<Lane>((Lane{1} << level) - 1);
  for (size_t row = 0; row < kBlockRows; ++row) {
    const auto set = static_cast<Lane>(0 - (first[row] >> level & 1));
    first[row] = static_cast<Lane>(first[row] ^ (set & lower));
  }
}

// The curve's last step: each bit is inverted by the parity of the last axis' bits above it.
template <typename Lane>
Lane ParityOfHigherBits(Lane last_axis) {
  auto parity = static_cast<Lane>(last_axis >> 1);
  for (size_t shift = 1; shift < sizeof(Lane) * 8; shift *= 2) {
    parity = static_cast<Lane>(parity ^ (parity >> shift));
  }
  return parity;
}

// AxesToTranspose() of curve.cc for kBlockRows rows; lanes hold axis after axis.
template <typename Lane>
void TransformBlock(Lane* lanes, size_t dimensions, uint32_t bits) {
  const auto axis = [lanes](size_t i) { return lanes + i * kBlockRows; };
  for (uint32_t level = bits - 1; level > 0; --level) {
    TransformFirstAxis(axis(0), level);
    for (size_t i = 1; i < dimensions; ++i) TransformAxis(axis(0), axis(i), level);
  }
  for (size_t i = 1; i < dimensions; ++i) {
    for (size_t row = 0; row < kBlockRows; ++row) axis(i)[row] ^= axis(i - 1)[row];
  }
  for (size_t row = 0; row < kBlockRows; ++row) {
    const Lane inverted = ParityOfHigherBits(axis(dimensions - 1)[row]);
    for (size_t i = 0; i < dimensions; ++i) axis(i)[row] ^= inverted;
  }
}

/// What a key is made of.
struct KeyShapeInBytes {
  size_t dimensions;
  uint32_t bits_per_dim;
  size_t key_bytes;
};

// Eight levels at a time, from the last bytes of each key up. kDimensions 0: as many as `shape`
// says.
template <size_t kDimensions, typename Lane, typename Word>
void InterleaveRows(const Lane* lanes, size_t num_rows, const std::vector<Word>& spread,
                    const KeyShapeInBytes& shape, std::byte* keys) {
  const size_t dimensions = kDimensions != 0 ? kDimensions : shape.dimensions;
  const Word* const spread_of = spread.data();
  for (size_t row = 0; row < num_rows; ++row) {
    size_t left = shape.key_bytes;
    std::byte* const key = keys + row * shape.key_bytes;
    for (uint32_t level = 0; level < shape.bits_per_dim; level += 8) {
      Word word = 0;
      for (size_t i = 0; i < dimensions; ++i) {
        word |= spread_of[lanes[i * kBlockRows + row] >> level & 0xff] << (dimensions - 1 - i);
      }
      if (left >= dimensions) {
        left -= dimensions;
        for (size_t byte = 0; byte < dimensions; ++byte) {
          key[left + byte] = static_cast<std::byte>(word >> (8 * (dimensions - 1 - byte)));
        }
      } else {  // the top piece; what does not fit is zero
        for (; left > 0; word >>= 8) key[--left] = static_cast<std::byte>(word);
      }
    }
  }
}

}  // namespace

BlockCurve::BlockCurve(ClusteringCurve curve, size_t dimensions, uint32_t bits_per_dim)
    : curve_(dimensions == 1 ? ClusteringCurve::kZOrder : curve),  // both are the identity then
      dimensions_(dimensions),
      bits_per_dim_(bits_per_dim) {
  LANCE_DCHECK(dimensions >= 1 && bits_per_dim >= 1 && bits_per_dim <= 64);
  if (dimensions <= 8) {
    spread_ = MakeSpread<uint64_t>(dimensions);
  } else if (dimensions <= 16) {
    wide_spread_ = MakeSpread<WideWord>(dimensions);
  }
}

void BlockCurve::Keys(std::span<const uint64_t* const> coordinates, size_t num_rows,
                      std::byte* keys) const {
  LANCE_DCHECK(coordinates.size() == dimensions_);
  if (dimensions_ > 16) return KeysByRow(coordinates, num_rows, keys);
  if (bits_per_dim_ <= 16) return KeysByLane<uint16_t>(coordinates, num_rows, keys);
  if (bits_per_dim_ <= 32) return KeysByLane<uint32_t>(coordinates, num_rows, keys);
  return KeysByLane<uint64_t>(coordinates, num_rows, keys);
}

template <typename Lane>
void BlockCurve::KeysByLane(std::span<const uint64_t* const> coordinates, size_t num_rows,
                            std::byte* keys) const {
  std::vector<Lane> lanes(dimensions_ * kBlockRows);
  for (size_t begin = 0; begin < num_rows; begin += kBlockRows) {
    const size_t count = std::min(kBlockRows, num_rows - begin);
    for (size_t i = 0; i < dimensions_; ++i) {
      std::transform(coordinates[i] + begin, coordinates[i] + begin + count,
                     lanes.data() + i * kBlockRows,
                     [](uint64_t coordinate) { return static_cast<Lane>(coordinate); });
    }
    if (curve_ == ClusteringCurve::kHilbert) {
      TransformBlock(lanes.data(), dimensions_, bits_per_dim_);
    }
    Interleave(lanes.data(), count, keys + begin * key_size());
  }
}

template <typename Lane>
void BlockCurve::Interleave(const Lane* lanes, size_t num_rows, std::byte* keys) const {
  const KeyShapeInBytes shape{dimensions_, bits_per_dim_, key_size()};
  switch (dimensions_) {  // the usual numbers as constants, so that the loops over them unroll
    case 1:
      return InterleaveRows<1>(lanes, num_rows, spread_, shape, keys);
    case 2:
      return InterleaveRows<2>(lanes, num_rows, spread_, shape, keys);
    case 3:
      return InterleaveRows<3>(lanes, num_rows, spread_, shape, keys);
    case 4:
      return InterleaveRows<4>(lanes, num_rows, spread_, shape, keys);
    default:
      break;
  }
  if (dimensions_ <= 8) return InterleaveRows<0>(lanes, num_rows, spread_, shape, keys);
  InterleaveRows<0>(lanes, num_rows, wide_spread_, shape, keys);
}

void BlockCurve::KeysByRow(std::span<const uint64_t* const> coordinates, size_t num_rows,
                           std::byte* keys) const {
  std::vector<uint64_t> scratch(dimensions_);
  for (size_t row = 0; row < num_rows; ++row) {
    for (size_t i = 0; i < dimensions_; ++i) scratch[i] = coordinates[i][row];
    CurveKey(curve_, scratch, bits_per_dim_, {keys + row * key_size(), key_size()});
  }
}

}  // namespace lance::clustering
