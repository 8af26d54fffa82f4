#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/refs.h"

namespace lance {

/// The space-filling curve that orders rows. Source: contract section 4 "Curve".
enum class ClusteringCurve {
  kHilbert,  ///< "hilbert": neighbours on the curve are neighbours in space.
  kZOrder,   ///< "zorder": interleaved bits; cheaper, and a third more zones to read.
};

/// How values become coordinates, versioned. Source: contract section 2.
enum class ClusteringAlgorithm {
  kQuantileRankV1,       ///< "quantile-rank-v1": booleans, integers and floats.
  kTypedQuantileRankV1,  ///< "typed-quantile-rank-v1": also strings, binary, temporal, decimal.
  kTypedQuantileRankV2,  ///< "typed-quantile-rank-v2": as v1, strings by their first 256 bytes.
};

/// The name of a curve as the declaration stores it.
std::string ToString(ClusteringCurve curve);
/// The name of an algorithm as the declaration stores it.
std::string ToString(ClusteringAlgorithm algorithm);
/// Parse a curve's name. \return Invalid listing what is allowed
arrow::Result<ClusteringCurve> ParseClusteringCurve(std::string_view text);
/// Parse an algorithm's name. \return Invalid listing what is allowed
arrow::Result<ClusteringAlgorithm> ParseClusteringAlgorithm(std::string_view text);

/// The declaration: the layout that a table should have. A plain value.
struct ClusteringSpec {
  /// Key columns in order, as the schema spells them; 1 to 16, distinct, top level.
  std::vector<std::string> columns;
  /// The curve that orders rows.
  ClusteringCurve curve = ClusteringCurve::kHilbert;
  /// Layout version, 1 or higher; 0 for a one-shot sort.
  uint64_t version = 0;
  /// Bits of each coordinate, 2 to 64.
  uint32_t bits_per_dim = 16;
  /// How values become coordinates.
  ClusteringAlgorithm algorithm = ClusteringAlgorithm::kQuantileRankV1;

  /// Compare all fields.
  bool operator==(const ClusteringSpec&) const = default;
};

/// A request to declare. A plain value.
struct ClusteringRequest {
  /// Key columns in order; found exactly, else ignoring case when unique.
  std::vector<std::string> columns;
  /// The curve that orders rows.
  ClusteringCurve curve = ClusteringCurve::kHilbert;
  /// Layout version; no value: one more than the highest that the table knows.
  std::optional<uint64_t> version;
  /// Bits of each coordinate, 2 to 64.
  uint32_t bits_per_dim = 16;
  /// No value: quantile-rank-v1 when every column fits it, else typed-quantile-rank-v2.
  std::optional<ClusteringAlgorithm> algorithm;
  /// How to commit.
  CommitOptions commit;
};

/// One immutable entry of a table's clustering definitions, of any provider. A plain value.
struct ClusteringDefinition {
  /// Unique in the table's history, never 0.
  uint32_t id = 0;
  /// Field ids of the key columns, in order.
  std::vector<int32_t> field_ids;
  /// Who defined it; ours is "lance.liquid-clustering".
  std::string provider;
  /// The provider's layout version, never 0.
  uint64_t version = 0;
  /// Serialized unknown fields of the stored entry; written back as they came.
  std::string unknown_fields;

  /// Compare all fields.
  bool operator==(const ClusteringDefinition&) const = default;
};

}  // namespace lance
