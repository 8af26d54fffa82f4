#include "lance/clustering/rank_model.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "arrow/api.h"
#include "lance/base/byte_reader.h"
#include "lance/clustering/key_type.h"

namespace lance {

/// A fitted model and its digest.
class RankModel::Impl {
 public:
  clustering::FittedModel model;
  std::string digest;
};

/// A sample that still grows.
class PartialRankModel::Impl {
 public:
  clustering::SampledModel model;
};

namespace {

using clustering::ColumnSample;
using clustering::EncodedColumn;
using clustering::FittedColumn;
using clustering::FittedModel;
using clustering::KeyShape;
using clustering::ModelAccess;
using clustering::RowSelection;
using clustering::SampledColumn;
using clustering::SampledModel;

// Counts all candidates of a column, which is what W is about, without touching their bytes.
void NoteWidths(const arrow::Array& values, SampledColumn* column) {
  if (values.null_count() == values.length()) return;
  const uint64_t longest = column->encoding.type.shape == KeyShape::kBytes
                               ? clustering::LongestValue(values).value_or(0)
                               : 0;
  column->sample.NoteWidth(column->encoding.EncodedSize(longest));
}

// Priorities are computed for a block of rows first, so that the loop over rows is one of
// arithmetic only and values are read for the few rows that can still be kept.
void SampleColumn(const arrow::Array& values, const uint64_t* positions, SampledColumn* column) {
  constexpr int64_t kBlockRows = 256;
  NoteWidths(values, column);
  ColumnSample& sample = column->sample;
  std::array<uint64_t, kBlockRows> priorities;
  std::array<int64_t, kBlockRows> picked;
  EncodedColumn encoded;
  for (int64_t first = 0; first < values.length(); first += kBlockRows) {
    const int64_t count = std::min(kBlockRows, values.length() - first);
    for (int64_t i = 0; i < count; ++i) {
      priorities[i] = clustering::SamplePriority(positions[first + i], sample.column_index());
    }
    size_t num_picked = 0;
    for (int64_t i = 0; i < count; ++i) {
      picked[num_picked] = first + i;
      num_picked += sample.CanKeep(priorities[i]) ? 1 : 0;
    }
    if (num_picked == 0) continue;
    encoded.bytes.clear();
    encoded.offsets.assign(1, 0);
    encoded.is_null.clear();
    column->encoding.Append(values, RowSelection{0, picked.data()}, num_picked, &encoded);
    for (size_t i = 0; i < num_picked; ++i) {
      if (!encoded.is_null[i]) sample.Add(positions[picked[i]], encoded.value(i));
    }
  }
}

arrow::Status CheckPositions(const arrow::RecordBatch& keys, const arrow::UInt64Array& positions) {
  if (positions.length() != keys.num_rows()) {
    return arrow::Status::Invalid("row positions: there are ", positions.length(), " for ",
                                  keys.num_rows(), " rows");
  }
  if (positions.null_count() != 0) {
    return arrow::Status::Invalid("row positions: ", positions.null_count(),
                                  " are null; allowed: none");
  }
  return arrow::Status::OK();
}

// SHA-256 of pieces, each with its length before it so that no two lists of pieces look alike.
class PieceDigest {
 public:
  PieceDigest() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_, EVP_sha256(), nullptr); }
  PieceDigest(const PieceDigest&) = delete;
  PieceDigest& operator=(const PieceDigest&) = delete;
  ~PieceDigest() { EVP_MD_CTX_free(context_); }

  void Add(uint64_t number) {
    std::string bytes;
    AppendLittleEndian(number, &bytes);
    EVP_DigestUpdate(context_, bytes.data(), bytes.size());
  }

  void Add(std::string_view piece) {
    Add(uint64_t{piece.size()});
    EVP_DigestUpdate(context_, piece.data(), piece.size());
  }

  std::string Hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_, hash.data(), &size);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
      text.push_back(kDigits[hash[i] >> 4]);
      text.push_back(kDigits[hash[i] & 15]);
    }
    return text;
  }

 private:
  EVP_MD_CTX* context_;
};

arrow::Status CheckSameColumns(const SampledModel& mine, const SampledModel& other) {
  if (mine.algorithm != other.algorithm) {
    return arrow::Status::Invalid("the sample merged has algorithm ", ToString(other.algorithm),
                                  "; expected ", ToString(mine.algorithm));
  }
  if (mine.columns.size() != other.columns.size()) {
    return arrow::Status::Invalid("the sample merged has ", other.columns.size(),
                                  " key columns; expected ", mine.columns.size());
  }
  for (size_t i = 0; i < mine.columns.size(); ++i) {
    const SampledColumn& wanted = mine.columns[i];
    const SampledColumn& found = other.columns[i];
    if (wanted.name != found.name || !wanted.type->Equals(*found.type)) {
      return arrow::Status::Invalid("key column ", i, " of the sample merged is \"", found.name,
                                    "\" of type ", found.type->ToString(), "; expected \"",
                                    wanted.name, "\" of type ", wanted.type->ToString());
    }
  }
  return arrow::Status::OK();
}

}  // namespace

namespace clustering {

const FittedModel& ModelAccess::Of(const RankModel& model) { return model.impl_->model; }

const SampledModel& ModelAccess::Of(const PartialRankModel& model) { return model.impl_->model; }

RankModel ModelAccess::Make(FittedModel model) {
  auto impl = std::make_shared<RankModel::Impl>();
  impl->digest = FittedModelDigest(model);
  impl->model = std::move(model);
  return RankModel(std::move(impl));
}

PartialRankModel ModelAccess::Make(SampledModel model) {
  auto impl = std::make_shared<PartialRankModel::Impl>();
  impl->model = std::move(model);
  return PartialRankModel(std::move(impl));
}

std::vector<std::string> SmallSampleWarnings(const PartialRankModel& model) {
  constexpr uint64_t kFewValues = 1024;  // contract section 4 "Sample"
  std::vector<std::string> warnings;
  for (const SampledColumn& column : ModelAccess::Of(model).columns) {
    const uint64_t limit = column.sample.limit();
    if (limit >= kFewValues) continue;
    warnings.push_back("clustering column \"" + column.name + "\" has a value of " +
                       std::to_string(column.sample.widest_bytes()) +
                       " encoded bytes: its sample keeps only " + std::to_string(limit) +
                       " values");
  }
  return warnings;
}

std::string FittedModelDigest(const FittedModel& model) {
  PieceDigest digest;
  digest.Add(ToString(model.algorithm));
  digest.Add(uint64_t{model.columns.size()});
  for (const FittedColumn& column : model.columns) {
    digest.Add(column.type->ToString());
    digest.Add(uint64_t{column.values.size()});
    for (const std::string& value : column.values) digest.Add(value);
  }
  return digest.Hex();
}

}  // namespace clustering

int RankModel::num_columns() const { return static_cast<int>(impl_->model.columns.size()); }

const std::string& RankModel::digest() const { return impl_->digest; }

arrow::Result<PartialRankModel> PartialRankModel::Make(const arrow::Schema& key_columns,
                                                       ClusteringAlgorithm algorithm) {
  if (key_columns.num_fields() == 0) {
    return arrow::Status::Invalid("a rank model needs key columns; there are none");
  }
  SampledModel model{algorithm, {}};
  for (const auto& field : key_columns.fields()) {
    ARROW_ASSIGN_OR_RAISE(const auto encoding,
                          clustering::MakeValueEncoding(algorithm, *field->type(),
                                                        "column \"" + field->name() + "\""));
    model.columns.push_back(
        {field->name(), field->type(), encoding, ColumnSample(model.columns.size())});
  }
  return ModelAccess::Make(std::move(model));
}

arrow::Status PartialRankModel::Add(const arrow::RecordBatch& keys,
                                    const arrow::UInt64Array& positions) {
  SampledModel& model = impl_->model;
  if (static_cast<size_t>(keys.num_columns()) != model.columns.size()) {
    return arrow::Status::Invalid("the batch has ", keys.num_columns(), " key columns; expected ",
                                  model.columns.size());
  }
  ARROW_RETURN_NOT_OK(CheckPositions(keys, positions));
  std::vector<std::shared_ptr<arrow::Array>>
      plain;  // all checked before the first changes a sample
  for (size_t i = 0; i < model.columns.size(); ++i) {
    const SampledColumn& column = model.columns[i];
    ARROW_ASSIGN_OR_RAISE(
        plain.emplace_back(),
        clustering::PlainKeyColumn(keys.column(static_cast<int>(i)), *column.type, column.name));
  }
  for (size_t i = 0; i < model.columns.size(); ++i) {
    SampleColumn(*plain[i], positions.raw_values(), &model.columns[i]);
  }
  return arrow::Status::OK();
}

arrow::Status PartialRankModel::Merge(const PartialRankModel& other) {
  if (other.impl_ == impl_) {
    return arrow::Status::Invalid("the sample merged is the same one; its rows are not disjoint");
  }
  ARROW_RETURN_NOT_OK(CheckSameColumns(impl_->model, other.impl_->model));
  for (size_t i = 0; i < impl_->model.columns.size(); ++i) {
    impl_->model.columns[i].sample.Merge(other.impl_->model.columns[i].sample);
  }
  return arrow::Status::OK();
}

arrow::Result<RankModel> PartialRankModel::Finish() const {
  FittedModel fitted{impl_->model.algorithm, {}};
  for (const SampledColumn& column : impl_->model.columns) {
    ARROW_ASSIGN_OR_RAISE(auto values, column.sample.SortedValues(column.name));
    fitted.columns.push_back({column.name, column.type, std::move(values)});
  }
  return ModelAccess::Make(std::move(fitted));
}

}  // namespace lance
