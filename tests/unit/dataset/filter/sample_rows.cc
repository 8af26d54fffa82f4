#include "sample_rows.h"

#include <bit>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "gtest/gtest.h"
#include "lance/dataset/filter/filter_plan.h"

namespace lance::filter {

namespace {

struct SampleColumn {
  const char* name;
  const char* logical_type;
  std::shared_ptr<arrow::DataType> type;
  const char* json;  // null: floats, which JSON cannot give bit by bit
};

const std::vector<SampleColumn>& SampleColumns() {
  using arrow::TimeUnit;
  const char* const small = "[0, 1, 2, 3, 4, 5, 6, 7, null]";
  const char* const texts = R"(["", "a", "b", "ab", "A", "\u00e9", "\u65e5\u672c", "it's", null])";
  const char* const micros =
      "[-1, 0, 1, 5, 86400000000, 86401000000, 1641600000000000, 1641600005500000, null]";
  const char* const local_micros =
      "[-1, 0, 1, 5, 86400000000, 86401000000, 1641600000000000, 1641618000000000, null]";
  static const auto* const columns = new std::vector<SampleColumn>{
      {"i8", "int8", arrow::int8(), "[-128, -1, 0, 1, 2, 3, 5, 127, null]"},
      {"i16", "int16", arrow::int16(), "[-32768, -1, 0, 1, 2, 3, 5, 32767, null]"},
      {"i32", "int32", arrow::int32(), "[-2147483648, -1, 0, 1, 2, 3, 5, 2147483647, null]"},
      {"i64", "int64", arrow::int64(),
       "[-9223372036854775808, -1, 0, 1, 2, 3, 5, 9223372036854775807, null]"},
      {"u8", "uint8", arrow::uint8(), "[0, 1, 2, 3, 4, 5, 6, 255, null]"},
      {"u16", "uint16", arrow::uint16(), "[0, 1, 2, 3, 4, 5, 6, 65535, null]"},
      {"u32", "uint32", arrow::uint32(), "[0, 1, 2, 3, 4, 5, 6, 4294967295, null]"},
      {"u64", "uint64", arrow::uint64(), "[0, 1, 2, 3, 4, 5, 6, 18446744073709551615, null]"},
      {"f32", "float", arrow::float32(), nullptr},
      {"f64", "double", arrow::float64(), nullptr},
      {"g64", "double", arrow::float64(), nullptr},
      {"b", "bool", arrow::boolean(), "[true, false, true, false, null, true, false, true, null]"},
      {"b2", "bool", arrow::boolean(), "[true, true, false, false, null, null, false, true, null]"},
      {"s", "string", arrow::utf8(), texts},
      {"s2", "string", arrow::utf8(),
       R"(["", "b", "b", "ab", "a", "e", "\u65e5\u672c", "it's", null])"},
      {"ls", "large_string", arrow::large_utf8(), texts},
      {"bin", "binary", arrow::binary(),
       R"(["", "\n", "\u0000", "ab", "\u00ff", "\n\u000b", "zz", "\u007f", null])"},
      {"d", "date32:day", arrow::date32(), "[-1, 0, 1, 2, 19000, 19001, 19002, 20000, null]"},
      {"ts_s", "timestamp:s:-", arrow::timestamp(TimeUnit::SECOND),
       "[-1, 0, 1, 5, 86400, 86401, 1641600000, 1641600005, null]"},
      {"ts_ms", "timestamp:ms:-", arrow::timestamp(TimeUnit::MILLI),
       "[-1, 0, 1, 5, 86400000, 86401000, 1641600000000, 1641600005500, null]"},
      {"ts_us", "timestamp:us:-", arrow::timestamp(TimeUnit::MICRO), micros},
      {"ts_ns", "timestamp:ns:-", arrow::timestamp(TimeUnit::NANO),
       "[-1, 0, 1, 5, 86400000000000, 86401000000000, 1641600000000000000, 1641600005500000000, "
       "null]"},
      {"ts_utc", "timestamp:us:UTC", arrow::timestamp(TimeUnit::MICRO, "UTC"), micros},
      {"ts_ny", "timestamp:us:America/New_York",
       arrow::timestamp(TimeUnit::MICRO, "America/New_York"), local_micros},
      {"ts_off", "timestamp:us:+02:00", arrow::timestamp(TimeUnit::MICRO, "+02:00"), local_micros},
      {"i642", "int64", arrow::int64(),
       "[-9223372036854775808, 1, 0, 2, 1, 3, 6, 9223372036854775807, null]"},
      {"CamelCase", "int32", arrow::int32(), small},
      {"dup", "int32", arrow::int32(), small},
      {"DUP", "int32", arrow::int32(), "[7, 6, 5, 4, 3, 2, 1, 0, null]"},
      {"gr\xC3\xB6\xC3\x9F"
       "e",
       "int32", arrow::int32(), small},
      {"my col", "int32", arrow::int32(), small},
      {"tick`y", "int32", arrow::int32(), small},
      {"select", "int32", arrow::int32(), small},
      {"between", "int32", arrow::int32(), small},
      {"dec", "decimal:128:5:2", arrow::decimal128(5, 2),
       R"(["1.00", "2.00", "3.00", null, "5.00", "6.00", "7.00", "8.00", null])"},
  };
  return *columns;
}

/// -NaN, -inf, -1, -0, +0, 1, inf, NaN in rows 0 to 7, or the other way round.
std::shared_ptr<arrow::Array> Floats(const arrow::DataType& type, bool reversed) {
  const std::vector<double> ascending = {std::bit_cast<double>(0xFFF8000000000000),
                                         std::bit_cast<double>(0xFFF0000000000000),
                                         -1,
                                         -0.0,
                                         0.0,
                                         1,
                                         std::bit_cast<double>(0x7FF0000000000000),
                                         std::bit_cast<double>(0x7FF8000000000000)};
  arrow::FloatBuilder floats;
  arrow::DoubleBuilder doubles;
  for (size_t i = 0; i < ascending.size(); ++i) {
    const double value = ascending[reversed ? ascending.size() - 1 - i : i];
    EXPECT_TRUE(floats.Append(static_cast<float>(value)).ok());
    EXPECT_TRUE(doubles.Append(value).ok());
  }
  EXPECT_TRUE(floats.AppendNull().ok());
  EXPECT_TRUE(doubles.AppendNull().ok());
  return type.id() == arrow::Type::FLOAT ? floats.Finish().ValueOrDie()
                                         : doubles.Finish().ValueOrDie();
}

}  // namespace

std::shared_ptr<arrow::RecordBatch> SampleRows() {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const SampleColumn& column : SampleColumns()) {
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(column.json == nullptr
                         ? Floats(*column.type, /*reversed=*/std::string("g64") == column.name)
                         : arrow::json::ArrayFromJSONString(column.type, column.json).ValueOrDie());
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), 9, arrays);
}

format::LanceSchema SampleSchema() {
  format::LanceSchema schema;
  for (const SampleColumn& column : SampleColumns()) {
    format::SchemaField field;
    field.name = column.name;
    field.id = static_cast<int32_t>(schema.fields.size());
    field.logical_type = column.logical_type;
    schema.fields.push_back(field);
  }
  return schema;
}

std::string KeptRows(const std::string& sql) {
  const auto filter = BoundFilter::Make(sql, SampleSchema());
  if (!filter.ok()) return "error: " + filter.status().ToString();
  const auto mask = filter->Evaluate(*SampleRows());
  if (!mask.ok()) return "error: " + mask.status().ToString();
  std::string rows;
  for (int64_t row = 0; row < (*mask)->length(); ++row) {
    if ((*mask)->IsNull(row) || !(*mask)->Value(row)) continue;
    rows += (rows.empty() ? "" : ",") + std::to_string(row);
  }
  return rows;
}

}  // namespace lance::filter
