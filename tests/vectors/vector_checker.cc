#include "vector_checker.h"

#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/clustering.h"
#include "lance/clustering/curve.h"
#include "lance/clustering/curve_block.h"
#include "lance/clustering/encoded_value.h"
#include "lance/clustering/key_sort.h"
#include "lance/clustering/planner.h"
#include "lance/clustering/rank_sample.h"
#include "lance/encoder.h"

namespace lance::vectors {
namespace {

using nlohmann::json;

// Inside this file a malformed vector is an exception, caught once for every case.
[[noreturn]] void Fail(const std::string& problem) { throw std::runtime_error(problem); }

template <typename T>
T Value(arrow::Result<T> result) {
  if (!result.ok()) Fail(result.status().ToString());
  return std::move(result).ValueUnsafe();
}

/// Where the differences of one file go.
struct Report {
  std::string place;
  std::vector<std::string> problems;

  void Add(const std::string& problem) { problems.push_back(place + ": " + problem); }

  template <typename T>
  void Expect(const std::string& what, const T& computed, const T& published) {
    if (computed == published) return;
    Add(what + ": computed " + json(computed).dump() + ", published " + json(published).dump());
  }
};

/// A JSON object all of whose keys must be asked for.
class StrictObject {
 public:
  explicit StrictObject(const json& object) : object_(object) {
    if (!object.is_object()) Fail("expected an object, found " + object.dump());
  }

  bool Has(const std::string& key) const { return object_.contains(key); }

  const json& Get(const std::string& key) {
    asked_.insert(key);
    if (!Has(key)) Fail("key \"" + key + "\" is missing");
    return object_.at(key);
  }

  std::string Text(const std::string& key) {
    const json& value = Get(key);
    if (!value.is_string()) Fail("\"" + key + "\" is not a text: " + value.dump());
    return value.get<std::string>();
  }

  uint64_t Number(const std::string& key) {
    const json& value = Get(key);
    if (!value.is_number_unsigned()) Fail("\"" + key + "\" is no number >= 0: " + value.dump());
    return value.get<uint64_t>();
  }

  bool Flag(const std::string& key) {
    const json& value = Get(key);
    if (!value.is_boolean()) Fail("\"" + key + "\" is neither true nor false: " + value.dump());
    return value.get<bool>();
  }

  const json& List(const std::string& key) {
    const json& value = Get(key);
    if (!value.is_array()) Fail("\"" + key + "\" is not a list: " + value.dump());
    return value;
  }

  void ExpectAllKnown() const {
    for (const auto& item : object_.items()) {
      if (asked_.count(item.key()) == 0) Fail("key \"" + item.key() + "\" is unknown");
    }
  }

 private:
  const json& object_;
  std::set<std::string> asked_;
};

uint64_t ParseDecimal(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) Fail("no decimal: " + text);
  return value;
}

std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
    text.push_back(kDigits[static_cast<uint8_t>(byte) & 15]);
  }
  return text;
}

std::string HexOfWord(uint64_t word) {
  const uint64_t big_endian = __builtin_bswap64(word);
  return Hex({reinterpret_cast<const char*>(&big_endian), sizeof(big_endian)});
}

std::string Sha256(std::string_view bytes) {
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), hash, &size, EVP_sha256(), nullptr);
  return Hex({reinterpret_cast<const char*>(hash), size});
}

std::shared_ptr<arrow::DataType> TypeOf(const std::string& name) {
  static const std::map<std::string, std::shared_ptr<arrow::DataType>> kTypes = {
      {"bool", arrow::boolean()},
      {"int8", arrow::int8()},
      {"int16", arrow::int16()},
      {"int32", arrow::int32()},
      {"int64", arrow::int64()},
      {"uint8", arrow::uint8()},
      {"uint16", arrow::uint16()},
      {"uint32", arrow::uint32()},
      {"uint64", arrow::uint64()},
      {"float32", arrow::float32()},
      {"float64", arrow::float64()},
      {"date32", arrow::date32()},
      {"date64", arrow::date64()},
      {"time32", arrow::time32(arrow::TimeUnit::SECOND)},
      {"time64", arrow::time64(arrow::TimeUnit::MICRO)},
      {"timestamp", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"decimal128", arrow::decimal128(38, 0)},
      {"utf8", arrow::utf8()},
      {"large_utf8", arrow::large_utf8()},
  };
  const auto found = kTypes.find(name);
  if (found == kTypes.end()) Fail("type \"" + name + "\" is unknown");
  return found->second;
}

/// An array of one value: null, decimal text, "bits:" and a float's bytes in hex, or plain text.
std::shared_ptr<arrow::Array> OneValue(const std::string& type_name, const json& value) {
  const auto type = TypeOf(type_name);
  if (value.is_null()) return Value(arrow::MakeArrayOfNull(type, 1));
  if (!value.is_string()) Fail("\"value\" is neither text nor null: " + value.dump());
  const auto text = value.get<std::string>();
  if (text.starts_with("bits:")) {
    uint64_t bits = 0;
    std::from_chars(text.data() + 5, text.data() + text.size(), bits, 16);
    const bool is_double = type->id() == arrow::Type::DOUBLE;
    const auto integer = is_double ? arrow::uint64() : arrow::uint32();
    if (text.size() != (is_double ? 21U : 13U))
      Fail("not the bits of a " + type_name + ": " + text);
    return Value(Value(arrow::json::ArrayFromJSONString(integer, "[" + std::to_string(bits) + "]"))
                     ->View(type));
  }
  const bool is_quoted =
      type->id() == arrow::Type::DECIMAL128 || arrow::is_base_binary_like(type->id());
  std::string literal = is_quoted ? value.dump() : text;
  if (type->id() == arrow::Type::BOOL) literal[0] = static_cast<char>(std::tolower(literal[0]));
  auto array = Value(arrow::json::ArrayFromJSONString(type, "[" + literal + "]"));
  if (array->length() != 1) Fail("not one value: " + text);
  return array;
}

std::shared_ptr<arrow::RecordBatch> KeyBatch(std::vector<std::shared_ptr<arrow::Array>> columns) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < columns.size(); ++i) {
    fields.push_back(arrow::field("k" + std::to_string(i), columns[i]->type()));
  }
  const int64_t num_rows = columns[0]->length();
  return arrow::RecordBatch::Make(arrow::schema(fields), num_rows, std::move(columns));
}

uint64_t BigEndianNumber(std::string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

/// Run `check` for one entry of a list; what it throws becomes a problem.
void CheckEach(const json& entries, const std::string& name, Report* report,
               const std::function<void(const json&, Report*)>& check) {
  if (!entries.is_array() || entries.empty()) {
    report->Add("\"" + name + "\" is not a list with at least one entry");
    return;
  }
  const std::string file = report->place;
  for (size_t i = 0; i < entries.size(); ++i) {
    report->place = file + " " + name + "[" + std::to_string(i) + "]";
    try {
      check(entries[i], report);
    } catch (const std::exception& error) {
      report->Add(error.what());
    }
  }
  report->place = file;
}

// curves.json

void CheckPoint(ClusteringCurve curve, uint32_t bits, const json& point, const json& published,
                Report* report) {
  std::vector<uint64_t> coordinates;
  for (const json& text : point) {
    coordinates.push_back(ParseDecimal(text.get<std::string>()));
    if (bits < 64 && coordinates.back() >> bits != 0) Fail("too large: " + point.dump());
  }
  std::vector<const uint64_t*> dimensions;
  for (const uint64_t& coordinate : coordinates) dimensions.push_back(&coordinate);
  const clustering::BlockCurve block(curve, coordinates.size(), bits);
  std::string block_key(block.key_size(), '\0');
  block.Keys(dimensions, 1, reinterpret_cast<std::byte*>(block_key.data()));
  std::string row_key(clustering::CurveKeySize(coordinates.size(), bits), '\0');
  clustering::CurveKey(curve, coordinates, bits,
                       std::as_writable_bytes(std::span(row_key.data(), row_key.size())));
  report->Expect("key of " + point.dump(), Hex(row_key), published.get<std::string>());
  report->Expect("key by block of " + point.dump(), Hex(block_key), published.get<std::string>());
}

void CheckCurveCase(const json& entry, Report* report) {
  StrictObject fields(entry);
  const auto curve = Value(ParseClusteringCurve(fields.Text("curve")));
  const uint64_t bits = fields.Number("bits");
  const json& points = fields.List("points");
  const json& keys = fields.List("keys");
  fields.ExpectAllKnown();
  if (bits < 1 || bits > 64) Fail("bits is " + std::to_string(bits));
  if (points.empty() || points.size() != keys.size()) Fail("there is not one key a point");
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].is_array() || points[i].empty()) Fail("no point: " + points[i].dump());
    CheckPoint(curve, static_cast<uint32_t>(bits), points[i], keys[i], report);
  }
}

void CheckCurves(StrictObject* file, Report* report) {
  CheckEach(file->Get("cases"), "cases", report, CheckCurveCase);
}

// fixed_domain.json

uint64_t FixedDomainCoordinate(const std::shared_ptr<arrow::Array>& value, uint32_t bits) {
  const auto batch = KeyBatch({value});
  const auto encoder =
      Value(SpaceFillingEncoder::Make(*batch->schema(), {.bits_per_dim = bits, .model = {}}));
  return BigEndianNumber(Value(encoder.Encode(*batch))->GetView(0));
}

void CheckFixedDomainRow(const json& entry, Report* report) {
  StrictObject fields(entry);
  const auto value = OneValue(fields.Text("type"), fields.Get("value"));
  report->Expect("key", HexOfWord(FixedDomainCoordinate(value, 64)), fields.Text("key"));
  report->Expect("coord8", FixedDomainCoordinate(value, 8), fields.Number("coord8"));
  report->Expect("coord16", FixedDomainCoordinate(value, 16), fields.Number("coord16"));
  fields.ExpectAllKnown();
}

void CheckFixedDomain(StrictObject* file, Report* report) {
  CheckEach(file->Get("rows"), "rows", report, CheckFixedDomainRow);
}

// sampling.json

void CheckPriority(const json& entry, Report* report) {
  StrictObject fields(entry);
  const uint64_t position = ParseDecimal(fields.Text("row_position"));
  const uint64_t priority = clustering::SamplePriority(position, fields.Number("column_index"));
  report->Expect("priority", HexOfWord(priority), fields.Text("priority"));
  fields.ExpectAllKnown();
}

void CheckEncodedValue(const json& entry, Report* report) {
  StrictObject fields(entry);
  auto algorithm = ClusteringAlgorithm::kTypedQuantileRankV1;
  if (fields.Has("algorithm")) {
    algorithm = Value(ParseClusteringAlgorithm(fields.Text("algorithm")));
  }
  const auto value = OneValue(fields.Text("type"), fields.Get("value"));
  const auto encoded = Value(clustering::EncodeColumn(*value, algorithm));
  report->Expect("encoded", Hex(encoded.value(0)), fields.Text("encoded"));
  fields.ExpectAllKnown();
}

std::shared_ptr<arrow::Array> IntegerList(const std::string& type_name, const json& values) {
  return Value(arrow::json::ArrayFromJSONString(TypeOf(type_name), values.dump()));
}

void CheckRanks(const json& entry, Report* report) {
  StrictObject fields(entry);
  const std::string type = fields.Text("type");
  const auto population = KeyBatch({IntegerList(type, fields.List("population"))});
  const auto bits = static_cast<uint32_t>(fields.Number("bits"));
  const json& queries = fields.List("queries");
  fields.ExpectAllKnown();
  arrow::UInt64Builder positions;
  for (int64_t row = 0; row < population->num_rows(); ++row) {
    (void)positions.Append(static_cast<uint64_t>(row));  // allocation of a few bytes
  }
  const auto position_array = Value(positions.Finish());
  auto sample = Value(
      PartialRankModel::Make(*population->schema(), ClusteringAlgorithm::kTypedQuantileRankV1));
  const auto added =
      sample.Add(*population, static_cast<const arrow::UInt64Array&>(*position_array));
  if (!added.ok()) Fail(added.ToString());
  const auto encoder = Value(SpaceFillingEncoder::Make(
      *population->schema(), {.bits_per_dim = bits, .model = Value(sample.Finish())}));
  CheckEach(queries, "queries", report, [&](const json& query_entry, Report* query_report) {
    StrictObject query(query_entry);
    const auto value = KeyBatch({IntegerList(type, json::array({query.Get("value")}))});
    const uint64_t coordinate = BigEndianNumber(Value(encoder.Encode(*value))->GetView(0));
    query_report->Expect("coord", coordinate, query.Number("coord"));
    query.ExpectAllKnown();
  });
}

void CheckBoundedSample(const json& entry, Report* report) {
  StrictObject fields(entry);
  const std::string type = fields.Text("type");
  const auto algorithm = ClusteringAlgorithm::kTypedQuantileRankV1;
  const auto population =
      Value(clustering::EncodeColumn(*IntegerList(type, fields.List("population")), algorithm));
  clustering::ColumnSample sample(/*column_index=*/0, fields.Number("limit"));
  for (size_t row = 0; row < population.num_rows(); ++row) sample.Add(row, population.value(row));
  const auto kept = Value(
      clustering::EncodeColumn(*IntegerList(type, fields.List("kept_values_sorted")), algorithm));
  std::vector<std::string> published;
  for (size_t row = 0; row < kept.num_rows(); ++row) published.push_back(Hex(kept.value(row)));
  std::vector<std::string> computed;
  for (const auto& value : Value(sample.SortedValues("k0"))) computed.push_back(Hex(value));
  report->Expect("kept_values_sorted", computed, published);
  report->Expect("kept_positions_in_priority_order", json(sample.KeptPositions()),
                 fields.List("kept_positions_in_priority_order"));
  fields.ExpectAllKnown();
}

void CheckSampling(StrictObject* file, Report* report) {
  CheckEach(file->Get("priorities"), "priorities", report, CheckPriority);
  CheckEach(file->Get("encoded_values"), "encoded_values", report, CheckEncodedValue);
  CheckEach(json::array({file->Get("ranks")}), "ranks", report, CheckRanks);
  CheckEach(json::array({file->Get("bounded_sample")}), "bounded_sample", report,
            CheckBoundedSample);
}

// planner.json

clustering::PlannerFragment ReadFragment(const json& entry, uint64_t version) {
  StrictObject fields(entry);
  clustering::PlannerFragment fragment;
  fragment.id = fields.Number("id");
  fragment.is_current = fields.Number("version") == version;
  fragment.group_id = fields.Text("group");
  fragment.live_rows = fields.Number("rows");
  fragment.size_bytes = fields.Number("bytes");
  if (fields.Has("excluded")) fragment.is_excluded = fields.Flag("excluded");
  if (fields.Has("coverage")) {
    for (const char segment : fields.Text("coverage")) {
      fragment.coverage.push_back(static_cast<uint8_t>(segment));
    }
  }
  fields.ExpectAllKnown();
  return fragment;
}

clustering::PlannerBudget ReadBudget(const json& entry) {
  StrictObject fields(entry);
  clustering::PlannerBudget budget;
  const auto read = [&](const char* key, std::optional<uint64_t>* bound) {
    if (fields.Has(key)) *bound = fields.Number(key);
  };
  read("max_source_fragments", &budget.max_source_fragments);
  read("max_source_rows", &budget.max_source_rows);
  read("max_source_bytes", &budget.max_source_bytes);
  fields.ExpectAllKnown();
  return budget;
}

void CheckPlannerCase(const json& entry, Report* report) {
  StrictObject fields(entry);
  report->place += " \"" + fields.Text("name") + "\"";
  const uint64_t version = fields.Number("version");
  clustering::PlannerOptions options;
  options.target_rows_per_group = fields.Number("target_rows_per_group");
  const json& min_merge_ratio = fields.Get("min_merge_ratio");
  if (!min_merge_ratio.is_number()) Fail("\"min_merge_ratio\" is no number");
  options.min_merge_ratio = min_merge_ratio.get<double>();
  options.full = fields.Flag("full");
  options.budget = ReadBudget(fields.Get("budgets"));
  std::vector<clustering::PlannerFragment> fragments;
  for (const json& fragment : fields.List("fragments")) {
    fragments.push_back(ReadFragment(fragment, version));
  }
  json tasks = json::array();
  for (const auto& task : clustering::PlanTasks(fragments, options).tasks) {
    tasks.push_back(task.fragment_ids);
  }
  report->Expect("tasks", tasks, fields.List("tasks"));
  fields.ExpectAllKnown();
}

void CheckPlanner(StrictObject* file, Report* report) {
  CheckEach(file->Get("cases"), "cases", report, CheckPlannerCase);
}

// end_to_end.json

/// The table that the file's "about" describes.
std::shared_ptr<arrow::RecordBatch> EndToEndRows(uint64_t num_rows, uint64_t seed) {
  arrow::Int64Builder a;
  arrow::DoubleBuilder b;
  arrow::Status status;
  for (uint64_t i = 0; i < num_rows; ++i) {
    status &= a.Append(static_cast<int64_t>((i * 2654435761 + seed) % (uint64_t{1} << 31)) -
                       (int64_t{1} << 30));
    const uint64_t base = (i * 40503 + 7 * seed) % 100003;
    status &= i % 97 == 0 ? b.AppendNull() : b.Append(static_cast<double>(base * base % 9973) / 8);
  }
  if (!status.ok()) Fail(status.ToString());
  return KeyBatch({Value(a.Finish()), Value(b.Finish())});
}

RankModel FitInOrder(const arrow::RecordBatch& rows) {
  arrow::UInt64Builder positions;
  arrow::Status status;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    status &= positions.Append(static_cast<uint64_t>(row));
  }
  const auto array = Value(positions.Finish());
  auto sample = Value(PartialRankModel::Make(*rows.schema(), ClusteringAlgorithm::kQuantileRankV1));
  status &= sample.Add(rows, static_cast<const arrow::UInt64Array&>(*array));
  if (!status.ok()) Fail(status.ToString());
  return Value(sample.Finish());
}

void CheckEndToEndCase(const json& entry, const arrow::RecordBatch& rows, const RankModel& model,
                       Report* report) {
  StrictObject fields(entry);
  const auto curve = Value(ParseClusteringCurve(fields.Text("curve")));
  const auto bits = static_cast<uint32_t>(fields.Number("bits"));
  const auto encoder = Value(SpaceFillingEncoder::Make(
      *rows.schema(), {.curve = curve, .bits_per_dim = bits, .model = model}));
  const auto keys = Value(encoder.Encode(rows));
  const auto order = Value(clustering::SortByKey(arrow::ChunkedArray(keys)));

  const json& first_keys = fields.List("first_keys");
  const json& first_rows = fields.List("first_sorted_rows");
  if (first_keys.empty() || first_rows.empty()) Fail("a list is empty");
  for (size_t i = 0; i < first_keys.size(); ++i) {
    report->Expect("first_keys", Hex(keys->GetView(static_cast<int64_t>(i))),
                   first_keys[i].get<std::string>());
  }
  for (size_t i = 0; i < first_rows.size(); ++i) {
    report->Expect("first_sorted_rows", json(order.at(i)), first_rows[i]);
  }
  const auto key_bytes = static_cast<size_t>(keys->length() * keys->byte_width());
  report->Expect("keys_sha256",
                 Sha256({reinterpret_cast<const char*>(keys->raw_values()), key_bytes}),
                 fields.Text("keys_sha256"));
  report->Expect(
      "order_sha256",
      Sha256({reinterpret_cast<const char*>(order.data()), order.size() * sizeof(uint64_t)}),
      fields.Text("order_sha256"));
  fields.ExpectAllKnown();
}

void CheckEndToEnd(StrictObject* file, Report* report) {
  const uint64_t num_rows = file->Number("n");
  if (num_rows > 10'000'000) Fail("n is " + std::to_string(num_rows));
  const auto rows = EndToEndRows(num_rows, file->Number("seed"));
  const RankModel model = FitInOrder(*rows);
  CheckEach(file->Get("cases"), "cases", report, [&](const json& entry, Report* case_report) {
    CheckEndToEndCase(entry, *rows, model, case_report);
  });
}

using FileCheck = void (*)(StrictObject*, Report*);

const std::map<std::string, FileCheck>& FileChecks() {
  static const std::map<std::string, FileCheck> kChecks = {
      {"curves.json", CheckCurves},
      {"end_to_end.json", CheckEndToEnd},
      {"fixed_domain.json", CheckFixedDomain},
      {"planner.json", CheckPlanner},
      {"sampling.json", CheckSampling},
  };
  return kChecks;
}

}  // namespace

const std::vector<std::string>& KnownFiles() {
  static const std::vector<std::string> kFiles = [] {
    std::vector<std::string> names;
    for (const auto& [name, check] : FileChecks()) names.push_back(name);
    return names;
  }();
  return kFiles;
}

std::vector<std::string> CheckFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::set<std::string> missing(KnownFiles().begin(), KnownFiles().end());
  std::vector<std::string> problems;
  const std::filesystem::directory_iterator entries(folder, error);
  if (error) return {folder.string() + ": " + error.message()};
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (missing.erase(name) == 0) problems.push_back(name + ": unknown file");
  }
  for (const std::string& name : missing) problems.push_back(name + ": file is missing");
  return problems;
}

std::vector<std::string> CheckFile(const std::filesystem::path& folder,
                                   const std::string& file_name) {
  Report report{file_name, {}};
  try {
    std::ifstream in(folder / file_name);
    if (!in) Fail("cannot be opened");
    const json contents = json::parse(in);
    StrictObject file(contents);
    file.Text("about");
    FileChecks().at(file_name)(&file, &report);
    file.ExpectAllKnown();
  } catch (const std::exception& error) {
    report.Add(error.what());
  }
  return report.problems;
}

}  // namespace lance::vectors
