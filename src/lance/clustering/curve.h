#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lance/clustering.h"

namespace lance::clustering {

/// The size of a curve key: ceil(dimensions * bits_per_dim / 8).
size_t CurveKeySize(size_t dimensions, uint32_t bits_per_dim);

/// Write the curve key of one row.
///
/// \param coordinates one per key column, each below 2^bits_per_dim; used as scratch space
/// \param bits_per_dim 1 to 64
/// \param[out] key CurveKeySize() bytes, big-endian, right-aligned: unused leading bits are zero
///
/// Hilbert is Skilling's axes-to-transpose transform before the interleaving; with one column both
/// curves are the identity. Never fails and allocates nothing. Thread-safe.
/// Source: contract section 4 "Curve"; vectors: curves.json.
void CurveKey(ClusteringCurve curve, std::span<uint64_t> coordinates, uint32_t bits_per_dim,
              std::span<std::byte> key);

/// The coordinate of a rank (contract section 4 "Coordinate"): rank * (2^bits - 2) / (n - 1).
uint64_t RankCoordinate(uint64_t rank, uint64_t num_samples, uint32_t bits);

}  // namespace lance::clustering
