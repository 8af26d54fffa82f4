// Random rows that the input chooses: what is read is what was written, as a whole and by ranges.

#include "arrow/api.h"
#include "fuzz/bytes_store.h"
#include "fuzz/random_file.h"
#include "fuzz/target.h"
#include "lance/format/data_file_reader.h"
#include "lance/testing/equal_arrays.h"

namespace lance::fuzz {
namespace {

const auto kNever = arrow::StopToken::Unstoppable();

std::vector<RowRanges> ChooseRows(uint64_t num_rows, testing::SeededRandom* random) {
  std::vector<RowRanges> choices = {RowRanges::All(num_rows)};
  std::vector<RowRange> ranges;
  for (uint64_t i = random->Below(5); i > 0 && num_rows > 0; --i) {
    const uint64_t begin = random->Below(num_rows);
    ranges.push_back({begin, std::min(num_rows, begin + 1 + random->Below(i * i))});
  }
  choices.push_back(RowRanges::Make(std::move(ranges)));
  return choices;
}

/// The wanted rows of what was written.
arrow::Result<std::shared_ptr<arrow::Array>> Select(const arrow::ChunkedArray& written,
                                                    const RowRanges& rows) {
  arrow::ArrayVector parts;
  for (const RowRange& range : rows.ranges()) {
    const auto slice =
        written.Slice(static_cast<int64_t>(range.begin), static_cast<int64_t>(range.size()));
    for (const auto& chunk : slice->chunks()) {
      parts.push_back(testing::WithoutDictionaries(chunk));
    }
  }
  if (parts.empty()) parts.push_back(testing::WithoutDictionaries(written.chunk(0)->Slice(0, 0)));
  return arrow::Concatenate(parts);
}

void CompareField(const format::DataFileReader& reader, const format::FieldNode& node,
                  const format::ColumnMap& columns, const arrow::ChunkedArray& written,
                  const RowRanges& rows) {
  const auto read = reader.ReadField({.node = node, .columns = columns, .rows = rows}, kNever);
  LANCE_FUZZ_CHECK(read.ok(), read.status().ToString());
  const auto valid = (*read)->ValidateFull();
  LANCE_FUZZ_CHECK(valid.ok(), valid.ToString());
  const auto expected = Select(written, rows);
  LANCE_FUZZ_CHECK(expected.ok(), expected.status().ToString());
  const std::string difference = testing::Difference(*read, *expected);
  LANCE_FUZZ_CHECK(difference.empty(), difference);
}

void ReadBack(const RandomFile& file, testing::SeededRandom* random) {
  const auto reader = format::DataFileReader::Open(
      std::make_shared<BytesStore>(AsBytes(file.bytes)), "f.lance", file.bytes.size(), kNever);
  LANCE_FUZZ_CHECK(reader.ok(), reader.status().ToString());
  const auto fields = format::MakeFieldTree((*reader)->schema());
  LANCE_FUZZ_CHECK(fields.ok(), fields.status().ToString());
  const auto columns = format::NumberColumns(*fields, file.version);
  const auto table = arrow::Table::FromRecordBatches(file.batches);
  LANCE_FUZZ_CHECK(table.ok(), table.status().ToString());
  LANCE_FUZZ_CHECK(static_cast<uint64_t>((*table)->num_rows()) == (*reader)->num_rows(),
                   "the file has all rows");
  const std::vector<RowRanges> choices = ChooseRows((*reader)->num_rows(), random);
  for (size_t i = 0; i < fields->size(); ++i) {
    for (const RowRanges& rows : choices) {
      CompareField(**reader, (*fields)[i], columns, *(*table)->column(static_cast<int>(i)), rows);
    }
  }
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(round_trip) {
  lance::fuzz::Input in(input);
  lance::fuzz::InputRandom random(&in);
  const auto file = lance::fuzz::WriteRandomFile(in.TakeBool() ? 20 : 1500, &random);
  if (!file.ok()) {
    LANCE_FUZZ_CHECK(file.status().IsNotImplemented() || file.status().IsInvalid(),
                     file.status().ToString());
    return;
  }
  lance::fuzz::ReadBack(*file, &random);
}
