#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "lance/clustering.h"

namespace lance {

namespace clustering {
class ModelAccess;
}

/// Fitted quantiles of all key columns. Immutable.
///
/// Made by PartialRankModel::Finish. Source: contract section 4 "Sample", "Coordinate".
class RankModel {
 public:
  /// The number of key columns.
  int num_columns() const;
  /// SHA-256 in hex over the fitted values: equal digests key rows equally.
  const std::string& digest() const;

 private:
  friend class clustering::ModelAccess;
  class Impl;
  explicit RankModel(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// The mergeable sample of some rows. Thread-compatible.
///
/// Bounded: at most 8 MiB and 65,536 values per key column. The result does not depend on batch
/// sizes or on the order of Add and Merge. Source: contract section 4 "Sample".
class PartialRankModel {
 public:
  /// Start an empty sample. \return Invalid naming a column whose type the algorithm refuses
  static arrow::Result<PartialRankModel> Make(const arrow::Schema& key_columns,
                                              ClusteringAlgorithm algorithm);
  /// Add rows. \param positions row addresses, or ordinals of the write; disjoint over all parts
  arrow::Status Add(const arrow::RecordBatch& keys, const arrow::UInt64Array& positions);
  /// Take in the sample of disjoint rows. \return Invalid when it has other columns or algorithm
  arrow::Status Merge(const PartialRankModel& other);
  /// Fit. \return CapacityError naming a column whose values are too wide to keep even one
  arrow::Result<RankModel> Finish() const;

 private:
  friend class clustering::ModelAccess;
  class Impl;
  explicit PartialRankModel(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// How an encoder works. A plain value.
struct EncoderOptions {
  /// The curve.
  ClusteringCurve curve = ClusteringCurve::kHilbert;
  /// Bits of each coordinate, 1 to 64.
  uint32_t bits_per_dim = 16;
  /// Fitted quantiles; no value: the fixed domain, for booleans, integers and floats only.
  std::optional<RankModel> model;
};

/// Turns key columns into curve keys. Immutable, share freely.
///
/// Source: contract section 4; vectors: curves.json, fixed_domain.json, end_to_end.json.
class SpaceFillingEncoder {
 public:
  /// Make an encoder. \return Invalid for bits outside 1 to 64, no columns, a model of other
  /// columns, or a type that
  ///   the algorithm refuses
  static arrow::Result<SpaceFillingEncoder> Make(const arrow::Schema& key_columns,
                                                 EncoderOptions options = {});
  /// ceil(columns * bits_per_dim / 8).
  int key_size_bytes() const;
  /// One curve key per row, never null, big-endian; unsigned byte order is the curve's order.
  arrow::Result<std::shared_ptr<arrow::FixedSizeBinaryArray>> Encode(
      const arrow::RecordBatch& keys) const;

 private:
  class Impl;
  explicit SpaceFillingEncoder(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace lance
