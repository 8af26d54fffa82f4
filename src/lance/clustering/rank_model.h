#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/clustering/encoded_value.h"
#include "lance/clustering/rank_sample.h"
#include "lance/encoder.h"

namespace lance::clustering {

/// The fitted sample of one key column. A plain value.
struct FittedColumn {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::vector<std::string> values;  // encoded, ascending, duplicates included
};

/// What a RankModel holds. A plain value.
struct FittedModel {
  ClusteringAlgorithm algorithm = ClusteringAlgorithm::kQuantileRankV1;
  std::vector<FittedColumn> columns;
};

/// The sample of one key column. A plain value.
struct SampledColumn {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  ValueEncoding encoding;
  ColumnSample sample;
};

/// What a PartialRankModel holds. A plain value.
struct SampledModel {
  ClusteringAlgorithm algorithm = ClusteringAlgorithm::kQuantileRankV1;
  std::vector<SampledColumn> columns;
};

/// The way from the public models to what they hold and back, for this layer and those above it.
class ModelAccess {
 public:
  static const FittedModel& Of(const RankModel& model);
  static const SampledModel& Of(const PartialRankModel& model);

  /// \pre every type is accepted by the algorithm, values are encoded and ascending; what reads a
  /// stored model proves that by RankLookup::Make
  static RankModel Make(FittedModel model);
  static PartialRankModel Make(SampledModel model);
};

/// One line for each key column whose values are so wide that fewer than 1,024 of them are kept.
std::vector<std::string> SmallSampleWarnings(const PartialRankModel& model);

/// SHA-256 in hex over algorithm, types and fitted values; names do not matter.
std::string FittedModelDigest(const FittedModel& model);

}  // namespace lance::clustering
