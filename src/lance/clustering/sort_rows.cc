#include "lance/clustering/sort_rows.h"

#include <algorithm>
#include <numeric>

#include "arrow/api.h"
#include "arrow/util/thread_pool.h"
#include "lance/base/executor.h"
#include "lance/clustering/gather.h"
#include "lance/clustering/key_sort.h"
#include "lance/clustering/rank_model.h"
#include "lance/progress.h"

namespace lance::clustering {
namespace {

constexpr int64_t kBlockRows = int64_t{1} << 17;
constexpr int64_t kMaxArrayBytes = int64_t{1} << 30;  // half of what 32-bit offsets reach

int NumThreads(const RunContext& context) {
  return context.num_threads > 0 ? context.num_threads : arrow::GetCpuThreadPoolCapacity();
}

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

/// Cut a table into batches of at most kBlockRows rows. No result depends on where.
arrow::Result<Batches> CutIntoBlocks(const arrow::Table& table) {
  arrow::TableBatchReader reader(table);
  reader.set_chunksize(kBlockRows);
  return reader.ToRecordBatches();
}

arrow::Result<std::shared_ptr<arrow::Table>> SelectKeys(
    const arrow::Table& table, const std::vector<std::string>& key_columns) {
  std::vector<int> indices;
  for (const std::string& name : key_columns) {
    const std::vector<int> found = table.schema()->GetAllFieldIndices(name);
    if (found.size() != 1) {
      return arrow::Status::KeyError("clustering column \"", name, "\" is in the table's schema ",
                                     found.size(), " times; expected once");
    }
    indices.push_back(found[0]);
  }
  return table.SelectColumns(indices);
}

arrow::Status CheckPositions(const arrow::ChunkedArray& positions, int64_t num_rows) {
  if (positions.type()->id() != arrow::Type::UINT64) {
    return arrow::Status::Invalid("row positions have type ", positions.type()->ToString(),
                                  "; expected uint64");
  }
  if (positions.length() != num_rows) {
    return arrow::Status::Invalid("row positions: there are ", positions.length(), " for ",
                                  num_rows, " rows");
  }
  return arrow::Status::OK();
}

void Warn(const PartialRankModel& sample, const RunContext& context) {
  if (!context.observer) return;
  for (std::string& message : SmallSampleWarnings(sample)) {
    context.observer->OnWarning({"small_clustering_sample", std::move(message)});
  }
}

/// A key column of dictionary arrays stands for a field of the dictionary's value type.
std::shared_ptr<arrow::Schema> PlainSchema(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) {
    const bool is_encoded = field->type()->id() == arrow::Type::DICTIONARY;
    fields.push_back(
        is_encoded ? field->WithType(
                         static_cast<const arrow::DictionaryType&>(*field->type()).value_type())
                   : field);
  }
  return arrow::schema(std::move(fields));
}

}  // namespace

arrow::Result<RankModel> FitRankModel(const arrow::Table& keys, ClusteringAlgorithm algorithm,
                                      const arrow::ChunkedArray& positions,
                                      const RunContext& context) {
  ARROW_RETURN_NOT_OK(CheckPositions(positions, keys.num_rows()));
  const int num_keys = keys.num_columns();
  ARROW_ASSIGN_OR_RAISE(
      const auto with_positions,
      keys.AddColumn(num_keys, arrow::field("position", arrow::uint64()),
                     std::make_shared<arrow::ChunkedArray>(positions.chunks(), positions.type())));
  ARROW_ASSIGN_OR_RAISE(const Batches blocks, CutIntoBlocks(*with_positions));
  const auto schema = PlainSchema(*keys.schema());
  std::vector<PartialRankModel> samples;  // one a thread; whose rows are in which means nothing
  const auto num_samples =
      std::clamp<size_t>(blocks.size(), 1, static_cast<size_t>(NumThreads(context)));
  for (size_t i = 0; i < num_samples; ++i) {
    ARROW_ASSIGN_OR_RAISE(auto sample, PartialRankModel::Make(*schema, algorithm));
    samples.push_back(std::move(sample));
  }
  const auto add_blocks = [&](int sample) {
    for (auto i = static_cast<size_t>(sample); i < blocks.size(); i += num_samples) {
      ARROW_ASSIGN_OR_RAISE(const auto block_keys, blocks[i]->RemoveColumn(num_keys));
      const auto& block_positions =
          static_cast<const arrow::UInt64Array&>(*blocks[i]->column(num_keys));
      ARROW_RETURN_NOT_OK(samples[static_cast<size_t>(sample)].Add(*block_keys, block_positions));
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ParallelFor(static_cast<int>(num_samples), context.num_threads,
                                  context.stop_token, add_blocks));
  for (size_t i = 1; i < num_samples; ++i) ARROW_RETURN_NOT_OK(samples[0].Merge(samples[i]));
  Warn(samples[0], context);
  return samples[0].Finish();
}

arrow::Result<std::shared_ptr<arrow::ChunkedArray>> EncodeKeys(const SpaceFillingEncoder& encoder,
                                                               const arrow::Table& keys,
                                                               const RunContext& context) {
  ARROW_ASSIGN_OR_RAISE(const Batches blocks, CutIntoBlocks(keys));
  arrow::ArrayVector encoded(blocks.size());
  const auto encode_block = [&](int i) {
    const auto block = static_cast<size_t>(i);
    ARROW_ASSIGN_OR_RAISE(encoded[block], encoder.Encode(*blocks[block]));
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ParallelFor(static_cast<int>(blocks.size()), context.num_threads,
                                  context.stop_token, encode_block));
  return arrow::ChunkedArray::Make(std::move(encoded),
                                   arrow::fixed_size_binary(encoder.key_size_bytes()));
}

arrow::Result<std::shared_ptr<arrow::ChunkedArray>> ConsecutivePositions(uint64_t first,
                                                                         int64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(num_rows * static_cast<int64_t>(sizeof(uint64_t))));
  auto* values = reinterpret_cast<uint64_t*>(buffer->mutable_data());
  std::iota(values, values + num_rows, first);
  return std::make_shared<arrow::ChunkedArray>(
      std::make_shared<arrow::UInt64Array>(num_rows, std::move(buffer)));
}

arrow::Result<std::shared_ptr<arrow::Table>> GatherRows(const arrow::Table& table,
                                                        const std::vector<uint64_t>& order,
                                                        const RunContext& context) {
  arrow::ChunkedArrayVector columns(static_cast<size_t>(table.num_columns()));
  const auto gather = [&](int i) {
    ARROW_ASSIGN_OR_RAISE(columns[static_cast<size_t>(i)],
                          GatherColumn(*table.column(i), order, kMaxArrayBytes, context.pool()));
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(
      ParallelFor(table.num_columns(), context.num_threads, context.stop_token, gather));
  return arrow::Table::Make(table.schema(), std::move(columns), static_cast<int64_t>(order.size()));
}

arrow::Result<SortedRows> ClusterSort(const arrow::Table& table,
                                      const std::vector<std::string>& key_columns,
                                      const ClusteringSpec& spec,
                                      const arrow::ChunkedArray& positions,
                                      const RunContext& context) {
  ARROW_ASSIGN_OR_RAISE(const auto keys, SelectKeys(table, key_columns));
  ARROW_ASSIGN_OR_RAISE(const RankModel model,
                        FitRankModel(*keys, spec.algorithm, positions, context));
  ARROW_ASSIGN_OR_RAISE(
      const auto encoder,
      SpaceFillingEncoder::Make(
          *PlainSchema(*keys->schema()),
          {.curve = spec.curve, .bits_per_dim = spec.bits_per_dim, .model = model}));
  ARROW_ASSIGN_OR_RAISE(const auto curve_keys, EncodeKeys(encoder, *keys, context));
  SortedRows sorted;
  ARROW_ASSIGN_OR_RAISE(sorted.permutation, SortByKey(*curve_keys));
  ARROW_ASSIGN_OR_RAISE(sorted.table, GatherRows(table, sorted.permutation, context));
  return sorted;
}

}  // namespace lance::clustering
