#include "lance/index/seed.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/io/memory.h"
#include "arrow/ipc/reader.h"
#include "arrow/ipc/writer.h"
#include "lance/base/byte_reader.h"
#include "lance/base/checked_math.h"
#include "lance/index/ordered_value.h"
#include "lance/index/stored_columns.h"
#include "lance/index/zone_list.h"
#include "lance/table/base_path.h"

namespace lance::index {
namespace {

constexpr char kKeyPrefix[] = "lance.seed.";
constexpr char kNullBitmapKey[] = "seed_null_bitmap";
constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string ToHex(std::string_view bytes) {
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    hex += kHexDigits[static_cast<uint8_t>(byte) >> 4];
    hex += kHexDigits[static_cast<uint8_t>(byte) & 15];
  }
  return hex;
}

/// \return no value when `hex` is not pairs of lower-case digits
std::optional<std::string> FromHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes(hex.size() / 2, '\0');
  for (size_t i = 0; i < hex.size(); ++i) {
    const size_t digit = kHexDigits.find(hex[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    bytes[i / 2] = static_cast<char>(static_cast<size_t>(bytes[i / 2]) << 4 | digit);
  }
  return bytes;
}

/// Whether zones are the grid of a seed: all rows, cut at multiples of rows_per_zone, nulls as
/// counted.
bool IsSeedGrid(const FragmentZones& zones, uint64_t num_rows) {
  if (zones.rows_per_zone == 0 || zones.zones.size() != CeilDiv(num_rows, zones.rows_per_zone)) {
    return false;
  }
  uint64_t start = 0;
  for (size_t i = 0; i < zones.zones.size(); ++i) {
    const uint64_t length = zones.zones.zone_length(i);
    if (zones.zones.zone_start(i) != start ||
        length != std::min(zones.rows_per_zone, num_rows - start)) {
      return false;
    }
    start += length;
  }
  return !zones.null_offsets || zones.zones.NullCountsMatch(*zones.null_offsets);
}

std::shared_ptr<arrow::Schema> SeedSchema(const std::shared_ptr<arrow::DataType>& type) {
  return arrow::schema({arrow::field("min", type), arrow::field("max", type),
                        arrow::field("null_count", arrow::uint32(), /*nullable=*/false),
                        arrow::field("nan_count", arrow::uint32(), false),
                        arrow::field("zone_length", arrow::uint64(), false)});
}

arrow::Result<std::shared_ptr<arrow::Buffer>> SerializeSeed(
    const std::shared_ptr<arrow::DataType>& type, const FragmentZones& zones) {
  if (!zones.zones.type()->Equals(*type)) {
    return arrow::Status::Invalid("zones have bounds of type ", zones.zones.type()->ToString(),
                                  ", the column's is ", type->ToString());
  }
  const ZoneColumns columns = zones.zones.Columns();
  const RoaringBitmap& nulls = *zones.null_offsets;
  const auto schema = SeedSchema(type)->WithMetadata(arrow::key_value_metadata(
      {kNullBitmapKey}, {nulls.empty() ? std::string() : ToHex(nulls.Serialize())}));
  const auto batch = arrow::RecordBatch::Make(
      schema, columns.min->length(),
      {columns.min, columns.max, columns.null_count, columns.nan_count, columns.zone_length});
  ARROW_ASSIGN_OR_RAISE(const auto sink, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeFileWriter(sink, schema));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  ARROW_RETURN_NOT_OK(writer->Close());
  return sink->Finish();
}

/// Where a file says that the seed of a column is.
struct SeedEntry {
  int buffer = 0;
  uint64_t rows_per_zone = 0;
};

/// Parse `<buffer>:<rows_per_zone>`. \return no value for anything else, more parts included
std::optional<SeedEntry> ParseSeedEntry(std::string_view text, int num_global_buffers) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto buffer = ParseDecimal(text.substr(0, colon));
  const auto rows_per_zone = ParseDecimal(text.substr(colon + 1));
  if (!buffer || *buffer == 0 || *buffer >= static_cast<uint64_t>(num_global_buffers)) {
    return std::nullopt;
  }
  if (!rows_per_zone || *rows_per_zone == 0) return std::nullopt;
  return SeedEntry{static_cast<int>(*buffer), *rows_per_zone};
}

/// The column of `file` that holds the fragment's field now.
///
/// \return no value when another file does
std::optional<int> CurrentColumn(const format::DataFileReader& file,
                                 const table::Fragment& fragment, int32_t field_id) {
  for (auto stored = fragment.files.rbegin(); stored != fragment.files.rend(); ++stored) {
    const auto& ids = stored->field_ids;
    const auto found = std::find(ids.begin(), ids.end(), field_id);
    if (found == ids.end()) continue;
    const auto position = static_cast<size_t>(found - ids.begin());
    if (file.path() != table::DataFilePath(*stored) || position >= stored->column_indices.size()) {
      return std::nullopt;
    }
    return stored->column_indices[position];
  }
  return std::nullopt;
}

/// Find the seed entry of a field, by the name and type that the file stores.
std::optional<SeedEntry> FindSeedEntry(const format::DataFileReader& file,
                                       const table::Fragment& fragment, int32_t field_id,
                                       const arrow::DataType& type) {
  const auto column = CurrentColumn(file, fragment, field_id);
  const auto leaves = LeafFields(file.schema());
  // Fewer columns than leaves: packed structs, whose columns cannot be told from the schema alone.
  if (!column || leaves.size() != static_cast<size_t>(file.num_columns()) || *column < 0 ||
      *column >= file.num_columns()) {
    return std::nullopt;
  }
  const format::SchemaField& stored = *leaves[static_cast<size_t>(*column)];
  if (stored.parent_id != -1) return std::nullopt;
  const auto stored_type = format::ParseLogicalType(stored.logical_type);
  if (!stored_type.ok() || !(*stored_type)->Equals(type)) return std::nullopt;
  const std::string* text = FindMetadata(file.schema(), kKeyPrefix + stored.name);
  if (!text) return std::nullopt;
  return ParseSeedEntry(*text, file.num_global_buffers());
}

/// Read the one batch of an IPC file that nobody has checked.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadSeedBatch(
    const std::shared_ptr<arrow::Buffer>& bytes, arrow::MemoryPool* pool) {
  constexpr int64_t kExpansion = 64;  // compressed bodies claim how large they get
  arrow::CappedMemoryPool capped(pool, bytes->size() * kExpansion + (int64_t{1} << 20));
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = &capped;
  options.use_threads = false;
  options.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
  ARROW_ASSIGN_OR_RAISE(const auto reader,
                        arrow::ipc::RecordBatchFileReader::Open(
                            std::make_shared<arrow::io::BufferReader>(bytes), options));
  if (reader->num_record_batches() != 1) {
    return arrow::Status::SerializationError("seed has ", reader->num_record_batches(),
                                             " batches, allowed 1");
  }
  ARROW_ASSIGN_OR_RAISE(const auto batch, reader->ReadRecordBatch(0));
  ARROW_RETURN_NOT_OK(batch->ValidateFull());
  // Buffers must not outlive the capped pool.
  return batch->CopyTo(arrow::CPUDevice::memory_manager(pool));
}

/// Where zones begin that follow each other.
arrow::Result<std::shared_ptr<arrow::Array>> StartsOf(const arrow::Array& zone_lengths) {
  arrow::UInt64Builder starts;
  ARROW_RETURN_NOT_OK(starts.Reserve(zone_lengths.length()));
  uint64_t start = 0;
  for (int64_t i = 0; i < zone_lengths.length(); ++i) {
    starts.UnsafeAppend(start);
    const uint64_t length = static_cast<const arrow::UInt64Array&>(zone_lengths).Value(i);
    ARROW_ASSIGN_OR_RAISE(start, CheckedAdd(start, length, "seed zone_length"));
  }
  return starts.Finish();
}

arrow::Result<ZoneColumns> SeedColumns(const arrow::RecordBatch& batch,
                                       const std::shared_ptr<arrow::DataType>& type) {
  const auto column = [&](const char* name, const std::shared_ptr<arrow::DataType>& expected,
                          bool nullable) -> arrow::Result<std::shared_ptr<arrow::Array>> {
    auto values = batch.GetColumnByName(name);
    if (!values || !values->type()->Equals(*expected)) {
      return arrow::Status::SerializationError("seed has no column ", name, " of type ",
                                               expected->ToString());
    }
    if (!nullable && values->null_count() > 0) {
      return arrow::Status::SerializationError("seed column ", name, " has nulls");
    }
    return values;
  };
  ZoneColumns columns;
  ARROW_ASSIGN_OR_RAISE(columns.min, column("min", type, true));
  ARROW_ASSIGN_OR_RAISE(columns.max, column("max", type, true));
  ARROW_ASSIGN_OR_RAISE(columns.null_count, column("null_count", arrow::uint32(), false));
  ARROW_ASSIGN_OR_RAISE(columns.nan_count, column("nan_count", arrow::uint32(), false));
  ARROW_ASSIGN_OR_RAISE(columns.zone_length, column("zone_length", arrow::uint64(), false));
  ARROW_ASSIGN_OR_RAISE(columns.zone_start, StartsOf(*columns.zone_length));
  return columns;
}

/// \return no value when the seed does not say which rows are null
arrow::Result<std::optional<RoaringBitmap>> SeedNulls(const arrow::Schema& schema) {
  if (!schema.metadata()) return std::nullopt;
  const int index = schema.metadata()->FindKey(kNullBitmapKey);
  if (index < 0) return std::nullopt;
  const std::string& hex = schema.metadata()->value(index);
  if (hex.empty()) return RoaringBitmap();
  const auto bytes = FromHex(hex);
  if (!bytes) return arrow::Status::SerializationError("seed null bitmap is not hex");
  return RoaringBitmap::Parse(AsBytes(*bytes), kNullBitmapKey);
}

/// Parse and check a seed. \param num_rows of the file that it is in
arrow::Result<FragmentZones> ParseSeed(const std::shared_ptr<arrow::Buffer>& bytes,
                                       const std::shared_ptr<arrow::DataType>& type,
                                       uint64_t rows_per_zone, uint64_t num_rows,
                                       arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto batch, ReadSeedBatch(bytes, pool));
  ARROW_ASSIGN_OR_RAISE(const ZoneColumns columns, SeedColumns(*batch, type));
  FragmentZones zones;
  zones.rows_per_zone = rows_per_zone;
  ARROW_ASSIGN_OR_RAISE(zones.null_offsets, SeedNulls(*batch->schema()));
  zones.zones = ZoneList(columns);
  ARROW_RETURN_NOT_OK(zones.zones.Check());
  if (!IsSeedGrid(zones, num_rows)) {
    return arrow::Status::SerializationError("seed zones are not those of ", num_rows, " rows");
  }
  return zones;
}

}  // namespace

arrow::Status WriteSeed(const std::string& column_name,
                        const std::shared_ptr<arrow::DataType>& type, const FragmentZones& zones,
                        format::DataFileWriter* writer) {
  if (writer->num_rows() == 0 && zones.zones.empty()) return arrow::Status::OK();
  if (!zones.null_offsets || !IsSeedGrid(zones, writer->num_rows())) {
    return arrow::Status::Invalid("zones of column ", column_name, " are not those of the file's ",
                                  writer->num_rows(), " rows");
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, SerializeSeed(type, zones));
  ARROW_ASSIGN_OR_RAISE(const int buffer, writer->AddGlobalBuffer(*bytes));
  writer->AddSchemaMetadata(kKeyPrefix + column_name,
                            std::to_string(buffer) + ":" + std::to_string(zones.rows_per_zone));
  return arrow::Status::OK();
}

arrow::Result<std::optional<FragmentZones>> ReadSeed(const format::DataFileReader& file,
                                                     const table::Fragment& fragment,
                                                     int32_t field_id,
                                                     const std::shared_ptr<arrow::DataType>& type,
                                                     const RunContext& run) {
  if (file.num_rows() != fragment.physical_rows || !HasOrder(*type)) return std::nullopt;
  const auto entry = FindSeedEntry(file, fragment, field_id, *type);
  if (!entry) return std::nullopt;
  auto bytes = file.ReadGlobalBuffer(entry->buffer, run.stop_token);
  if (!bytes.ok()) {
    if (bytes.status().IsSerializationError()) return std::nullopt;
    return bytes.status();
  }
  auto* pool = run.pool();
  auto zones = ParseSeed(*bytes, type, entry->rows_per_zone, file.num_rows(), pool);
  // A seed is an offer: whatever is wrong with it, scanning the column is right.
  if (!zones.ok()) return std::nullopt;
  zones->fragment_id = fragment.id;
  return std::move(*zones);
}

}  // namespace lance::index
