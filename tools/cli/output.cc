#include "output.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/csv/writer.h"
#include "arrow/io/stdio.h"
#include "arrow/ipc/writer.h"
#include "arrow/util/float16.h"
#include "arrow/util/utf8.h"

namespace lancectl {

namespace {

/// The bytes of the character that a text begins with; 0 when it is no UTF-8 or a control
/// character.
size_t PrintableBytes(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x80) return byte(0) < 0x20 || byte(0) == 0x7f ? 0 : 1;
  for (size_t length = 2; length <= std::min<size_t>(text.size(), 4); ++length) {
    const auto* data = reinterpret_cast<const uint8_t*>(text.data());
    if (!arrow::util::ValidateUTF8(data, static_cast<int64_t>(length))) continue;
    const bool is_control = byte(0) == 0xc2 && byte(1) < 0xa0;  // U+0080 to U+009F
    return is_control ? 0 : length;
  }
  return 0;
}

std::string Escape(std::string_view text, std::string_view kept) {
  std::string printable;
  while (!text.empty()) {
    const size_t length = kept.find(text[0]) == kept.npos ? PrintableBytes(text) : 1;
    if (length == 0) {
      constexpr char kDigits[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(text[0]);
      printable += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    printable += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return printable;
}

}  // namespace

std::string Printable(const std::string& text) { return Escape(text, ""); }

std::string PrintableMessage(const std::string& text) { return Escape(text, "\n"); }

namespace {

/// One value for people; null is the empty text, as Scalar::ToString would print "null".
arrow::Result<std::string> CellText(const arrow::Array& values, int64_t row) {
  if (values.IsNull(row)) return std::string();
  ARROW_ASSIGN_OR_RAISE(auto scalar, values.GetScalar(row));
  if (scalar->type->id() == arrow::Type::DICTIONARY) {
    const auto& encoded = static_cast<const arrow::DictionaryScalar&>(*scalar);
    ARROW_ASSIGN_OR_RAISE(scalar, encoded.GetEncodedValue());
  }
  return scalar->ToString();
}

arrow::Status PrintAsTable(arrow::RecordBatchReader& reader) {
  ARROW_ASSIGN_OR_RAISE(const auto table, reader.ToTable());
  std::vector<std::vector<std::string>> rows(static_cast<size_t>(table->num_rows()));
  for (const auto& column : table->columns()) {
    size_t row = 0;
    for (const auto& chunk : column->chunks()) {
      for (int64_t i = 0; i < chunk->length(); ++i) {
        ARROW_ASSIGN_OR_RAISE(std::string text, CellText(*chunk, i));
        rows[row++].push_back(std::move(text));
      }
    }
  }
  PrintTable(table->schema()->field_names(), rows);
  return arrow::Status::OK();
}

using Json = nlohmann::ordered_json;

Json DoubleJson(double value) {
  if (std::isfinite(value)) return Json(value);
  if (std::isnan(value)) return Json("NaN");
  return Json(value > 0 ? "Infinity" : "-Infinity");
}

arrow::Result<Json> ScalarJson(const arrow::Scalar& scalar);

arrow::Result<Json> ListJson(const arrow::Array& items) {
  Json list = Json::array();
  for (int64_t i = 0; i < items.length(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const auto item, items.GetScalar(i));
    ARROW_ASSIGN_OR_RAISE(Json value, ScalarJson(*item));
    list.push_back(std::move(value));
  }
  return list;
}

arrow::Result<Json> StructJson(const arrow::StructScalar& scalar) {
  Json object = Json::object();
  for (size_t i = 0; i < scalar.value.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(Json value, ScalarJson(*scalar.value[i]));
    object[scalar.type->field(static_cast<int>(i))->name()] = std::move(value);
  }
  return object;
}

/// A value as JSON: numbers as numbers, lists and structs as such, everything without a JSON form
/// as its text.
arrow::Result<Json> ScalarJson(const arrow::Scalar& scalar) {
  if (!scalar.is_valid) return Json(nullptr);
  const auto id = scalar.type->id();
  if (id == arrow::Type::BOOL) {
    return Json(static_cast<const arrow::BooleanScalar&>(scalar).value);
  }
  if (arrow::is_unsigned_integer(id)) {
    ARROW_ASSIGN_OR_RAISE(const auto wide, scalar.CastTo(arrow::uint64()));
    return Json(static_cast<const arrow::UInt64Scalar&>(*wide).value);
  }
  if (arrow::is_signed_integer(id)) {
    ARROW_ASSIGN_OR_RAISE(const auto wide, scalar.CastTo(arrow::int64()));
    return Json(static_cast<const arrow::Int64Scalar&>(*wide).value);
  }
  if (id == arrow::Type::HALF_FLOAT) {  // Arrow's cast would take the bits for a number
    const uint16_t bits = static_cast<const arrow::HalfFloatScalar&>(scalar).value;
    return DoubleJson(arrow::util::Float16::FromBits(bits).ToDouble());
  }
  if (arrow::is_floating(id)) {
    ARROW_ASSIGN_OR_RAISE(const auto wide, scalar.CastTo(arrow::float64()));
    return DoubleJson(static_cast<const arrow::DoubleScalar&>(*wide).value);
  }
  if (id == arrow::Type::DICTIONARY) {
    const auto& encoded = static_cast<const arrow::DictionaryScalar&>(scalar);
    ARROW_ASSIGN_OR_RAISE(const auto value, encoded.GetEncodedValue());
    return ScalarJson(*value);
  }
  if (arrow::is_list_like(id)) {
    return ListJson(*static_cast<const arrow::BaseListScalar&>(scalar).value);
  }
  if (id == arrow::Type::STRUCT) return StructJson(static_cast<const arrow::StructScalar&>(scalar));
  return Json(scalar.ToString());
}

arrow::Result<Json> CellJson(const arrow::Array& values, int64_t row) {
  ARROW_ASSIGN_OR_RAISE(const auto scalar, values.GetScalar(row));
  return ScalarJson(*scalar);
}

arrow::Status PrintAsJsonLines(arrow::RecordBatchReader& reader) {
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      nlohmann::ordered_json line = nlohmann::ordered_json::object();
      for (int column = 0; column < batch->num_columns(); ++column) {
        ARROW_ASSIGN_OR_RAISE(line[batch->column_name(column)],
                              CellJson(*batch->column(column), row));
      }
      PrintJson(line);
    }
  }
}

arrow::Status WriteAll(arrow::RecordBatchReader& reader, arrow::ipc::RecordBatchWriter* writer) {
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader.ReadNext(&batch));
    if (batch == nullptr) return writer->Close();
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  }
}

arrow::Status PrintAsCsv(arrow::RecordBatchReader& reader) {
  arrow::io::StdoutStream out;
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::csv::MakeCSVWriter(&out, reader.schema()));
  ARROW_RETURN_NOT_OK(WriteAll(reader, writer.get()));
  return out.Flush();
}

arrow::Status PrintAsIpc(arrow::RecordBatchReader& reader) {
  arrow::io::StdoutStream out;
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeStreamWriter(&out, reader.schema()));
  const arrow::Status status = WriteAll(reader, writer.get());
  if (status.ok()) return out.Flush();
  // A reader takes the end of its input between two messages for the end of the stream. Begin one
  // more message, so that whoever reads on in a pipe sees that the rows are not all there.
  constexpr char kUnfinished[] = "\xff\xff\xff\xff\x40\x00\x00\x00";
  (void)out.Write(kUnfinished, 8);
  (void)out.Flush();
  return status;
}

}  // namespace

arrow::Result<RowFormat> ParseRowFormat(const std::string& text) {
  if (text == "table") return RowFormat::kTable;
  if (text == "csv") return RowFormat::kCsv;
  if (text == "jsonl") return RowFormat::kJsonLines;
  if (text == "ipc") return RowFormat::kIpc;
  return arrow::Status::Invalid("--format is \"", text, "\"; allowed: table, csv, jsonl, ipc");
}

arrow::Status PrintRows(arrow::RecordBatchReader& reader, RowFormat format) {
  switch (format) {
    case RowFormat::kTable:
      return PrintAsTable(reader);
    case RowFormat::kJsonLines:
      return PrintAsJsonLines(reader);
    case RowFormat::kCsv:
      return PrintAsCsv(reader);
    case RowFormat::kIpc:
      return PrintAsIpc(reader);
  }
  return arrow::Status::UnknownError("internal: row format out of range");
}

void PrintJson(const nlohmann::ordered_json& json) {
  std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

void PrintTable(std::vector<std::string> heading, std::vector<std::vector<std::string>> rows) {
  std::ranges::transform(heading, heading.begin(), Printable);
  for (auto& row : rows) std::ranges::transform(row, row.begin(), Printable);
  std::vector<size_t> widths;
  for (const std::string& title : heading) widths.push_back(title.size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto print = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? "" : "  ") + row[i];
      if (i + 1 < row.size()) line.append(widths[i] - row[i].size(), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);  // cells at the end may be empty
    std::cout << line << '\n';
  };
  print(heading);
  for (const auto& row : rows) print(row);
}

std::string JoinNames(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

std::string WithCommas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t place = text.size(); place > 3;) {
    place -= 3;
    text.insert(place, ",");
  }
  return text;
}

}  // namespace lancectl
