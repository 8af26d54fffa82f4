#include "fuzz/random_file.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/io/memory.h"
#include "arrow/util/key_value_metadata.h"
#include "lance/format/data_file_writer.h"
#include "lance/testing/random_arrays.h"

namespace lance::fuzz {
namespace {

using testing::RandomArrayOptions;
using testing::SeededRandom;

struct Wish {
  const char* key;
  const char* value;
};

// What field metadata can ask for (file-format 3.4).
constexpr Wish kWishes[] = {{"compression", "none"},
                            {"compression", "lz4"},
                            {"compression", "zstd"},
                            {"compression", "fsst"},
                            {"rle-threshold", "0"},
                            {"rle-threshold", "1.0"},
                            {"bss", "on"},
                            {"bss", "off"},
                            {"dict-divisor", "1"},
                            {"dict-size-ratio", "1.0"},
                            {"dict-size-ratio", "0.01"},
                            {"dict-max-size", "100"},
                            {"minichunk-size", "64"},
                            {"minichunk-size", "16384"},
                            {"minichunk-size", "40000"},
                            {"structural-encoding", "miniblock"},
                            {"structural-encoding", "fullzip"},
                            {"dict-values-compression", "zstd"},
                            {"dict-values-compression", "none"}};

std::shared_ptr<arrow::Field> WithWishes(std::shared_ptr<arrow::Field> field,
                                         SeededRandom* random) {
  auto metadata = field->metadata() != nullptr ? field->metadata()->Copy()
                                               : std::make_shared<arrow::KeyValueMetadata>();
  for (uint64_t i = random->Below(3); i > 0; --i) {
    const Wish& wish = kWishes[random->Below(std::size(kWishes))];
    (void)metadata->Set(std::string("lance-encoding:") + wish.key, wish.value);
  }
  return metadata->size() == 0 ? field : field->WithMetadata(std::move(metadata));
}

RandomArrayOptions AnyOptions(uint64_t max_rows, SeededRandom* random) {
  constexpr uint64_t kNullEvery[] = {0, 1, 2, 5, 40};
  return {.length = static_cast<int64_t>(random->Below(max_rows + 1)),
          .null_every = kNullEvery[random->Below(std::size(kNullEvery))],
          .max_items = random->OneIn(4) ? 20 : 4u,
          .is_sliced = random->OneIn(2),
          .has_null_items = random->OneIn(2),
          .distribution = testing::AnyDistribution(random)};
}

/// Cut rows into batches.
arrow::RecordBatchVector Cut(const arrow::RecordBatch& rows, SeededRandom* random) {
  arrow::RecordBatchVector batches;
  for (int64_t at = 0; at < rows.num_rows();) {
    const auto left = static_cast<uint64_t>(rows.num_rows() - at);
    const auto size = static_cast<int64_t>(random->OneIn(2) ? left : 1 + random->Below(left));
    batches.push_back(rows.Slice(at, size));
    at += size;
  }
  if (batches.empty() && random->OneIn(2)) batches.push_back(rows.Slice(0));
  return batches;
}

arrow::Result<std::string> Write(const std::shared_ptr<arrow::Schema>& schema,
                                 const arrow::RecordBatchVector& batches,
                                 const format::DataFileWriterOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const auto out, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(const auto file_schema, format::MakeLanceSchema(*schema));
  ARROW_ASSIGN_OR_RAISE(const auto writer, format::DataFileWriter::Make(out, file_schema, options));
  for (const auto& batch : batches) ARROW_RETURN_NOT_OK(writer->Write(*batch));
  ARROW_RETURN_NOT_OK(writer->Finish());
  ARROW_ASSIGN_OR_RAISE(const auto bytes, out->Finish());
  return bytes->ToString();
}

}  // namespace

arrow::Result<RandomFile> WriteRandomFile(uint64_t max_rows, SeededRandom* random) {
  constexpr format::FileVersion kVersions[] = {format::FileVersion::k2_0, format::FileVersion::k2_1,
                                               format::FileVersion::k2_2};
  RandomFile file;
  file.version = kVersions[random->Below(std::size(kVersions))];
  const bool is_2_2 = file.version == format::FileVersion::k2_2;
  testing::RandomTypeOptions types = {.depth = static_cast<int>(random->Below(5)),
                                      .with_maps = is_2_2,
                                      .with_fixed_size_lists_of_struct = is_2_2};
  RandomArrayOptions options = AnyOptions(max_rows, random);
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (uint64_t i = 1 + random->Below(3); i > 0; --i) {
    const auto field = testing::RandomField("c" + std::to_string(i), types, random);
    fields.push_back(WithWishes(field, random));
    columns.push_back(testing::RandomArray(*field, options, random));
    options.distribution = testing::AnyDistribution(random);
  }
  const auto schema = arrow::schema(std::move(fields));
  const auto rows = arrow::RecordBatch::Make(schema, options.length, std::move(columns));
  file.batches = Cut(*rows, random);
  ARROW_ASSIGN_OR_RAISE(
      file.bytes, Write(schema, file.batches,
                        {.version = file.version,
                         .max_page_bytes = random->OneIn(3) ? 1 + random->Below(2000) : 8 << 20}));
  if (file.batches.empty()) file.batches.push_back(rows);
  return file;
}

}  // namespace lance::fuzz
