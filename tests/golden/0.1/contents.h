#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "arrow/api.h"
#include "arrow/json/from_string.h"

namespace lance::golden {

/// Repeat a JSON list of rows, so that pages are large enough for every encoding.
inline std::string Rows(std::string_view rows, int repeats) {
  std::string json = "[";
  for (int i = 0; i < repeats; ++i) json += (i == 0 ? "" : ",") + std::string(rows);
  return json + "]";
}

/// What the files of version 0.1 hold. Frozen with the release: never edit it, add a new folder.
///
/// \param version "2.0", "2.1" or "2.2": what the format version can hold
inline arrow::Result<std::shared_ptr<arrow::Table>> Contents(std::string_view version) {
  constexpr int kRepeats = 150;
  const auto json = [](const std::shared_ptr<arrow::DataType>& type, std::string_view rows) {
    return arrow::json::ArrayFromJSONString(type, Rows(rows, kRepeats));
  };
  const bool has_struct_nulls = version != "2.0";
  const auto point =
      arrow::struct_({arrow::field("x", arrow::int32()), arrow::field("y", arrow::utf8())});
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  const auto add = [&](const char* name, const std::shared_ptr<arrow::DataType>& type,
                       std::string_view rows) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto column, json(type, rows));
    fields.push_back(arrow::field(name, type));
    columns.push_back(std::move(column));
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(add("small", arrow::int32(), "1, 2, null, 4"));
  ARROW_RETURN_NOT_OK(add("wide", arrow::int64(), "-9007199254740993, 7, null, 1"));
  ARROW_RETURN_NOT_OK(add("constant", arrow::int8(), "5, 5, 5, 5"));
  ARROW_RETURN_NOT_OK(add("nothing", arrow::float32(), "null, null, null, null"));
  ARROW_RETURN_NOT_OK(add("real", arrow::float64(), "0.5, -1.25, null, 3e100"));
  ARROW_RETURN_NOT_OK(add("flag", arrow::boolean(), "true, false, null, true"));
  ARROW_RETURN_NOT_OK(add("word", arrow::utf8(), R"("alpha", "", null, "gr\u00fc\u00df")"));
  ARROW_RETURN_NOT_OK(add("blob", arrow::large_binary(), R"("abc", "", null, "abcabcabc")"));
  ARROW_RETURN_NOT_OK(add("price", arrow::decimal128(12, 2), R"("1.00", "-3.25", null, "9.99")"));
  ARROW_RETURN_NOT_OK(add("day", arrow::date32(), "0, 19000, null, -1"));
  ARROW_RETURN_NOT_OK(add("when", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                          "0, 1700000000000000, null, -1"));
  ARROW_RETURN_NOT_OK(add("vector", arrow::fixed_size_list(arrow::float32(), 2),
                          "[1, 2], [3, null], null, [5, 6]"));
  ARROW_RETURN_NOT_OK(add("numbers", arrow::list(arrow::int64()), "[1, 2], [], null, [3, null]"));
  ARROW_RETURN_NOT_OK(add("nested", arrow::list(arrow::list(arrow::utf8())),
                          R"([["a"], []], null, [null, ["b", null]], [])"));
  ARROW_RETURN_NOT_OK(add(
      "point", point,
      has_struct_nulls ? R"({"x": 1, "y": "a"}, null, {"x": null, "y": "b"}, {"x": 2, "y": null})"
                       : R"({"x": 1, "y": "a"}, {"x": null, "y": null}, {"x": null, "y": "b"},
                                   {"x": 2, "y": null})"));
  ARROW_RETURN_NOT_OK(add("coded", arrow::dictionary(arrow::int8(), arrow::utf8()),
                          R"("red", "blue", null, "red")"));
  if (version == "2.2") {
    ARROW_RETURN_NOT_OK(add("map", arrow::map(arrow::utf8(), arrow::int32()),
                            R"([["a", 1], ["b", null]], [], null, [["c", 3]])"));
    ARROW_RETURN_NOT_OK(add("points", arrow::fixed_size_list(point, 2),
                            R"([{"x": 1, "y": "a"}, null], null, [null, {"x": 2, "y": null}],
                               [{"x": 3, "y": "c"}, {"x": 4, "y": "d"}])"));
  }
  return arrow::Table::Make(arrow::schema(std::move(fields)), std::move(columns));
}

}  // namespace lance::golden
