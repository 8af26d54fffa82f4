#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/io/stores.h"
#include "lance/lance.h"
#include "lance/testing/fault_store.h"
#include "lance/testing/seeded_random.h"

namespace lance::testing {

/// A store in memory that can be made to fail, and sessions that open tables in it as "fault://t".
class FaultySession {
 public:
  explicit FaultySession(std::shared_ptr<ObjectStore> memory = MakeMemoryStore())
      : memory_(std::move(memory)), store_(FaultStore::Make(memory_)) {}

  FaultStore& store() { return *store_; }
  /// The same objects without faults.
  const std::shared_ptr<ObjectStore>& memory() const { return memory_; }

  /// Options whose session sees the store, with faults or without.
  OpenOptions Options(bool with_faults = true) const {
    std::shared_ptr<ObjectStore> store = with_faults ? store_ : memory_;
    SessionOptions options;
    options.object_stores["fault"] = [store](const std::string&, const StorageOptions&)
        -> arrow::Result<std::shared_ptr<ObjectStore>> { return store; };
    return {.session = Session::Make(std::move(options)).ValueOrDie()};
  }

  static constexpr const char* kUri = "fault://t";

 private:
  std::shared_ptr<ObjectStore> memory_;
  std::shared_ptr<FaultStore> store_;
};

/// A table from JSON rows: `TableFromJson({{"a", arrow::int64()}}, R"([[1], [null]])")`.
inline std::shared_ptr<arrow::Table> TableFromJson(
    const std::vector<std::pair<std::string, std::shared_ptr<arrow::DataType>>>& columns,
    const std::string& rows) {
  arrow::FieldVector fields;
  for (const auto& [name, type] : columns) fields.push_back(arrow::field(name, type));
  // Rows become one struct array, whose fields are the columns.
  const auto type = arrow::struct_(fields);
  const auto array = arrow::json::ArrayFromJSONString(type, rows).ValueOrDie();
  const auto batch = arrow::RecordBatch::FromStructArray(array).ValueOrDie();
  return arrow::Table::FromRecordBatches({batch}).ValueOrDie();
}

/// Rows `a` int64 (some null), `b` float64 (some null and NaN), `s` utf8 (some null), `id` uint64.
inline std::shared_ptr<arrow::Table> RandomRows(int64_t num_rows, uint64_t first_id,
                                                SeededRandom* random) {
  arrow::Int64Builder a;
  arrow::DoubleBuilder b;
  arrow::StringBuilder s;
  arrow::UInt64Builder id;
  for (int64_t i = 0; i < num_rows; ++i) {
    const bool a_is_null = random->OneIn(17);
    const int64_t a_value = random->Between(-500, 500);
    (void)(a_is_null ? a.AppendNull() : a.Append(a_value));
    const uint64_t kind = random->Below(20);
    const double b_value = kind == 1   ? std::nan("")
                           : kind == 2 ? -0.0
                                       : static_cast<double>(random->Between(-300, 300)) / 4;
    (void)(kind == 0 ? b.AppendNull() : b.Append(b_value));
    const std::string text = "k" + std::to_string(random->Below(200));
    (void)(random->OneIn(23) ? s.AppendNull() : s.Append(text));
    (void)id.Append(first_id + static_cast<uint64_t>(i));
  }
  return arrow::Table::Make(
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::float64()),
                     arrow::field("s", arrow::utf8()),
                     arrow::field("id", arrow::uint64(), /*nullable=*/false)}),
      {a.Finish().ValueOrDie(), b.Finish().ValueOrDie(), s.Finish().ValueOrDie(),
       id.Finish().ValueOrDie()});
}

/// The values of the column `id`, in the order of the rows.
inline std::vector<uint64_t> Ids(const arrow::Table& table) {
  std::vector<uint64_t> ids;
  for (const auto& chunk : table.GetColumnByName("id")->chunks()) {
    const auto& values = static_cast<const arrow::UInt64Array&>(*chunk);
    for (int64_t i = 0; i < values.length(); ++i) ids.push_back(values.Value(i));
  }
  return ids;
}

}  // namespace lance::testing
