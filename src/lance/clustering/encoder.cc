#include "lance/encoder.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "arrow/api.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/clustering/curve_block.h"
#include "lance/clustering/key_type.h"
#include "lance/clustering/rank_lookup.h"
#include "lance/clustering/rank_model.h"

namespace lance {
namespace {

using clustering::BlockCurve;
using clustering::FittedModel;
using clustering::KeyType;
using clustering::ModelAccess;
using clustering::RankLookup;

// One column of this many rows is ranked at a time, so that a column's sample stays in cache.
constexpr int64_t kBlockRows = 32768;

/// How one key column becomes coordinates: by its fitted sample, or by the fixed domain.
struct ColumnEncoder {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  KeyType key_type;
  std::optional<RankLookup> lookup;

  void Coordinates(const arrow::Array& column, int64_t first, uint32_t bits,
                   std::span<uint64_t> out) const;
};

uint64_t LargestCoordinate(uint32_t bits) { return ~uint64_t{0} >> (64 - bits); }

// The top bits of the 64-bit order-preserving key (contract section 4, the stand-alone encoder).
void FixedDomainCoordinates(const KeyType& key_type, const arrow::Array& column, int64_t first,
                            uint32_t bits, std::span<uint64_t> out) {
  clustering::ReadOrderedWords(column, {first}, out);
  const size_t width = column.type_id() == arrow::Type::BOOL ? 1 : key_type.payload_bytes * 8;
  for (uint64_t& word : out) word = word << (64 - width) >> (64 - bits);
}

void ColumnEncoder::Coordinates(const arrow::Array& column, int64_t first, uint32_t bits,
                                std::span<uint64_t> out) const {
  if (lookup) {
    lookup->Coordinates(column, first, out);
  } else {
    FixedDomainCoordinates(key_type, column, first, bits, out);
  }
  if (column.null_count() == 0) return;
  for (size_t i = 0; i < out.size(); ++i) {
    if (column.IsNull(first + static_cast<int64_t>(i))) out[i] = LargestCoordinate(bits);
  }
}

arrow::Status CheckModelColumns(const FittedModel& model, const arrow::Schema& key_columns) {
  if (model.columns.size() != static_cast<size_t>(key_columns.num_fields())) {
    return arrow::Status::Invalid("the rank model has ", model.columns.size(),
                                  " key columns; the schema has ", key_columns.num_fields());
  }
  for (size_t i = 0; i < model.columns.size(); ++i) {
    const auto& column = model.columns[i];
    const auto& field = *key_columns.field(static_cast<int>(i));
    if (column.name != field.name() || !column.type->Equals(*field.type())) {
      return arrow::Status::Invalid("key column ", i, " of the rank model is \"", column.name,
                                    "\" of type ", column.type->ToString(), "; the schema has \"",
                                    field.name(), "\" of type ", field.type()->ToString());
    }
  }
  return arrow::Status::OK();
}

arrow::Result<ColumnEncoder> MakeColumnEncoder(const arrow::Field& field,
                                               ClusteringAlgorithm algorithm,
                                               const std::vector<std::string>* fitted_values,
                                               uint32_t bits) {
  ARROW_ASSIGN_OR_RAISE(
      const auto encoding,
      clustering::MakeValueEncoding(algorithm, *field.type(), "column \"" + field.name() + "\""));
  ColumnEncoder column{field.name(), field.type(), encoding.type, std::nullopt};
  if (fitted_values != nullptr) {
    ARROW_ASSIGN_OR_RAISE(column.lookup, RankLookup::Make(encoding, *fitted_values, bits));
  }
  return column;
}

}  // namespace

/// The columns' encoders and the curve.
class SpaceFillingEncoder::Impl {
 public:
  Impl(std::vector<ColumnEncoder> columns, const EncoderOptions& options)
      : columns_(std::move(columns)),
        bits_(options.bits_per_dim),
        curve_(options.curve, columns_.size(), options.bits_per_dim) {}

  const std::vector<ColumnEncoder>& columns() const { return columns_; }
  size_t key_size() const { return curve_.key_size(); }

  /// \pre one plain array per column, all of the same length
  void Encode(const std::vector<std::shared_ptr<arrow::Array>>& plain, std::byte* keys) const {
    const int64_t num_rows = plain[0]->length();
    const auto block_rows = static_cast<size_t>(std::min(num_rows, kBlockRows));
    std::vector<uint64_t> coordinates(columns_.size() * block_rows);
    std::vector<const uint64_t*> dimensions;
    for (size_t i = 0; i < columns_.size(); ++i) {
      dimensions.push_back(coordinates.data() + i * block_rows);
    }
    for (int64_t first = 0; first < num_rows; first += kBlockRows) {
      const auto count = static_cast<size_t>(std::min(kBlockRows, num_rows - first));
      for (size_t i = 0; i < columns_.size(); ++i) {
        columns_[i].Coordinates(*plain[i], first, bits_,
                                std::span(coordinates).subspan(i * block_rows, count));
      }
      curve_.Keys(dimensions, count, keys + static_cast<size_t>(first) * key_size());
    }
  }

 private:
  std::vector<ColumnEncoder> columns_;
  uint32_t bits_;
  BlockCurve curve_;
};

arrow::Result<SpaceFillingEncoder> SpaceFillingEncoder::Make(const arrow::Schema& key_columns,
                                                             EncoderOptions options) {
  if (options.bits_per_dim < 1 || options.bits_per_dim > 64) {
    return arrow::Status::Invalid("bits_per_dim is ", options.bits_per_dim, "; allowed: 1 to 64");
  }
  if (key_columns.num_fields() == 0) {
    return arrow::Status::Invalid("an encoder needs key columns; there are none");
  }
  auto algorithm = ClusteringAlgorithm::kQuantileRankV1;  // the types of the fixed domain, too
  const FittedModel* model = nullptr;
  if (options.model) {
    model = &ModelAccess::Of(*options.model);
    ARROW_RETURN_NOT_OK(CheckModelColumns(*model, key_columns));
    algorithm = model->algorithm;
  }
  std::vector<ColumnEncoder> columns;
  for (int i = 0; i < key_columns.num_fields(); ++i) {
    const auto* values =
        model != nullptr ? &model->columns[static_cast<size_t>(i)].values : nullptr;
    ARROW_ASSIGN_OR_RAISE(
        columns.emplace_back(),
        MakeColumnEncoder(*key_columns.field(i), algorithm, values, options.bits_per_dim));
  }
  return SpaceFillingEncoder(std::make_shared<Impl>(std::move(columns), options));
}

int SpaceFillingEncoder::key_size_bytes() const { return static_cast<int>(impl_->key_size()); }

arrow::Result<std::shared_ptr<arrow::FixedSizeBinaryArray>> SpaceFillingEncoder::Encode(
    const arrow::RecordBatch& keys) const {
  const auto& columns = impl_->columns();
  if (static_cast<size_t>(keys.num_columns()) != columns.size()) {
    return arrow::Status::Invalid("the batch has ", keys.num_columns(), " key columns; expected ",
                                  columns.size());
  }
  std::vector<std::shared_ptr<arrow::Array>> plain;
  for (size_t i = 0; i < columns.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(plain.emplace_back(),
                          clustering::PlainKeyColumn(keys.column(static_cast<int>(i)),
                                                     *columns[i].type, columns[i].name));
  }
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_bytes, CheckedMul(static_cast<uint64_t>(keys.num_rows()),
                                                             impl_->key_size(), "curve keys"));
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(static_cast<int64_t>(num_bytes)));
  impl_->Encode(plain, reinterpret_cast<std::byte*>(buffer->mutable_data()));
  return std::make_shared<arrow::FixedSizeBinaryArray>(
      arrow::fixed_size_binary(key_size_bytes()), keys.num_rows(),
      std::shared_ptr<arrow::Buffer>(std::move(buffer)));
}

}  // namespace lance
