// Laws of 2.0 fields: what is written reads back, whole and row by row, whatever the pages; and
// broken bytes are refused or read as something, never worse.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/field_tree.h"
#include "lance/format/field_writer.h"
#include "lance/format/v20/read_field.h"
#include "lance/io/stores.h"
#include "lance/testing/matchers.h"
#include "lance/testing/random_arrays.h"

namespace lance::format::v20 {
namespace {

using lance::testing::AnyDistribution;
using lance::testing::IsOk;
using lance::testing::NumRounds;
using lance::testing::RandomArray;
using lance::testing::RandomField;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

const arrow::EqualOptions kNansEqual = arrow::EqualOptions::Defaults().nans_equal(true);

/// Keeps buffers back to back.
class MemorySink : public PageSink {
 public:
  arrow::Result<ByteRange> AppendBuffer(std::string_view appended) override {
    const ByteRange range = {bytes.size(), appended.size()};
    bytes += appended;
    return range;
  }

  std::string bytes;
};

/// A field and its columns.
struct StoredField {
  FieldNode node;
  DataFileMetadata metadata;
  std::string bytes;

  arrow::Result<std::shared_ptr<arrow::Array>> Read(const RowRanges& rows) const {
    const DataFileLocation location{MakeMemoryStore(), "f"};
    ARROW_RETURN_NOT_OK(
        location.store->Put("f", arrow::Buffer::FromString(bytes), PutMode::kOverwrite).status());
    const ColumnMap columns = NumberColumns({node}, FileVersion::k2_0);
    const auto never = arrow::StopToken::Unstoppable();
    return ReadField({.location = location,
                      .metadata = metadata,
                      .columns = columns,
                      .node = node,
                      .rows = rows,
                      .pool = arrow::default_memory_pool(),
                      .stop = never});
  }
};

arrow::Result<StoredField> Write(const std::shared_ptr<arrow::Field>& field,
                                 const std::shared_ptr<arrow::Array>& array,
                                 uint64_t max_page_bytes, SeededRandom* random) {
  StoredField stored;
  stored.metadata.version = FileVersion::k2_0;
  stored.metadata.num_rows = static_cast<uint64_t>(array->length());
  ARROW_ASSIGN_OR_RAISE(stored.metadata.schema, MakeLanceSchema(arrow::Schema({field})));
  ARROW_ASSIGN_OR_RAISE(auto nodes, MakeFieldTree(stored.metadata.schema));
  stored.node = std::move(nodes[0]);
  MemorySink sink;
  ARROW_ASSIGN_OR_RAISE(
      const auto writer,
      MakeFieldWriter(stored.node, {.max_page_bytes = max_page_bytes, .pool = nullptr}, &sink));
  for (int64_t begin = 0; begin < array->length();) {
    const int64_t count = random->Between(0, array->length() - begin);
    ARROW_RETURN_NOT_OK(writer->Write(array->Slice(begin, count)));
    begin += count;
  }
  ARROW_RETURN_NOT_OK(writer->Finish());
  stored.metadata.columns = writer->TakeColumns();
  stored.metadata.file_size = sink.bytes.size();
  stored.bytes = std::move(sink.bytes);
  return stored;
}

/// The array with all structs valid, and all below packed ones: 2.0 cannot hold such nulls.
std::shared_ptr<arrow::ArrayData> WithoutNullStructs(const arrow::ArrayData& data,
                                                     const arrow::Field& field, bool is_packed) {
  is_packed |= field.HasMetadata() && (field.metadata()->Contains("packed") ||
                                       field.metadata()->Contains("lance-encoding:packed"));
  auto copy = data.Copy();
  for (size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] =
        WithoutNullStructs(*data.child_data[i], *data.type->field(static_cast<int>(i)), is_packed);
  }
  if (is_packed || data.type->id() == arrow::Type::STRUCT) {
    copy->buffers[0] = nullptr;
    copy->null_count = 0;
  }
  return copy;
}

RowRanges RandomRows(uint64_t num_rows, SeededRandom* random) {
  std::vector<RowRange> ranges;
  const uint64_t longest = 1 + random->Below(5);
  const uint64_t widest_gap = 1 + random->Below(20);
  for (uint64_t begin = random->Below(widest_gap); begin < num_rows;) {
    const uint64_t end = std::min(num_rows, begin + 1 + random->Below(longest));
    ranges.push_back({begin, end});
    begin = end + random->Below(widest_gap);
  }
  return RowRanges::Make(std::move(ranges));
}

std::shared_ptr<arrow::Array> RowsOf(const arrow::Array& array, const RowRanges& rows) {
  arrow::ArrayVector parts = {array.Slice(0, 0)};
  for (const RowRange& range : rows.ranges()) {
    parts.push_back(
        array.Slice(static_cast<int64_t>(range.begin), static_cast<int64_t>(range.size())));
  }
  return arrow::Concatenate(parts).ValueOrDie();
}

/// A field that 2.0 can hold. Dictionaries would differ although their values do not.
std::shared_ptr<arrow::Field> FieldOf20(SeededRandom* random) {
  auto field = RandomField("c",
                           {.depth = 3,
                            .with_maps = false,
                            .with_fixed_size_lists_of_struct = false,
                            .with_dictionaries = false,
                            .with_not_nullable = false},
                           random);
  constexpr const char* kCompressions[] = {"zstd", "lz4", "fsst", "none"};
  if (arrow::is_base_binary_like(field->type()->id()) && random->OneIn(2)) {
    field = field->WithMetadata(arrow::key_value_metadata(
        {{"lance-encoding:compression", kCompressions[random->Below(4)]}}));
  }
  return field;
}

bool CanHold(const std::shared_ptr<arrow::Field>& field) {
  const auto schema = MakeLanceSchema(arrow::Schema({field})).ValueOrDie();
  return CheckWritable(MakeFieldTree(schema).ValueOrDie()[0], FileVersion::k2_0).ok();
}

std::shared_ptr<arrow::Array> ArrayOf(const arrow::Field& field, int64_t length,
                                      SeededRandom* random) {
  constexpr uint64_t kNullEvery[] = {0, 1, 2, 10};
  const auto array = RandomArray(field,
                                 {.length = length,
                                  .null_every = kNullEvery[random->Below(4)],
                                  .is_sliced = random->OneIn(2),
                                  .distribution = AnyDistribution(random)},
                                 random);
  return arrow::MakeArray(WithoutNullStructs(*array->data(), field, /*is_packed=*/false));
}

TEST(V20Fields, ReadBackAsTheyWereWritten) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(150); ++round) {
    const auto field = FieldOf20(&random);
    if (!CanHold(field)) continue;
    const auto array = ArrayOf(*field, random.Between(0, 300), &random);
    const uint64_t max_page_bytes = random.OneIn(2) ? 8 << 20 : 1 + random.Below(2000);
    SCOPED_TRACE("round " + std::to_string(round) + ": " + field->ToString() + ", pages of " +
                 std::to_string(max_page_bytes));

    LANCE_ASSERT_OK_AND_ASSIGN(const auto stored, Write(field, array, max_page_bytes, &random));

    LANCE_ASSERT_OK_AND_ASSIGN(const auto all,
                               stored.Read(RowRanges::All(stored.metadata.num_rows)));
    EXPECT_THAT(all->ValidateFull(), IsOk());
    ASSERT_TRUE(all->Equals(array, kNansEqual)) << all->ToString();
    for (int set = 0; set < 3; ++set) {
      const RowRanges rows = RandomRows(stored.metadata.num_rows, &random);
      LANCE_ASSERT_OK_AND_ASSIGN(const auto some, stored.Read(rows));
      EXPECT_THAT(some->ValidateFull(), IsOk());
      ASSERT_TRUE(some->Equals(RowsOf(*array, rows), kNansEqual)) << some->ToString();
    }
  }
}

TEST(V20Fields, OfDictionariesReadBackAsTheyWereWritten) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(20); ++round) {
    const auto value_type = random.OneIn(2) ? arrow::utf8() : arrow::int32();
    const auto type =
        arrow::dictionary(random.OneIn(2) ? arrow::int16() : arrow::uint32(), value_type);
    const auto field = arrow::field("c", type);
    const auto array = ArrayOf(*field, random.Between(0, 500), &random);

    LANCE_ASSERT_OK_AND_ASSIGN(const auto stored,
                               Write(field, array, 1 + random.Below(2000), &random));

    const RowRanges rows = RandomRows(stored.metadata.num_rows, &random);
    LANCE_ASSERT_OK_AND_ASSIGN(const auto some, stored.Read(rows));
    EXPECT_THAT(some->ValidateFull(), IsOk());
    const auto decode = [&](const std::shared_ptr<arrow::Array>& encoded) {
      return arrow::compute::Cast(*encoded, value_type).ValueOrDie();
    };
    ASSERT_TRUE(decode(some)->Equals(decode(RowsOf(*array, rows)))) << some->ToString();
  }
}

/// Break something of a stored field.
void Break(StoredField* stored, SeededRandom* random) {
  ColumnMetadata& column = stored->metadata.columns[random->Below(stored->metadata.columns.size())];
  if (column.pages.empty()) return;
  PageMetadata& page = column.pages[random->Below(column.pages.size())];
  std::string& bytes = random->OneIn(2) ? stored->bytes : page.encoding;
  switch (random->Below(4)) {
    case 0:
      page.num_rows = random->OneIn(2) ? random->Next() : random->Below(400);
      break;
    case 1:
      if (page.buffers.empty()) break;
      page.buffers[random->Below(page.buffers.size())].length /= 2;
      break;
    default:
      if (bytes.empty()) break;
      bytes[random->Below(bytes.size())] ^= static_cast<char>(1 << random->Below(8));
      break;
  }
}

/// Check all of an array but whether its numbers are in the range of their type.
arrow::Status ValidateLayout(const arrow::Array& array) {
  const arrow::Status status = array.ValidateFull();
  const bool is_range = status.message().find("does not fit in precision") != std::string::npos ||
                        status.message().find("within the acceptable range") != std::string::npos ||
                        status.message().find("number of days") != std::string::npos;
  return is_range ? array.Validate() : status;
}

TEST(V20Fields, ThatAreBrokenAreRefusedOrRead) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(100); ++round) {
    const auto field = FieldOf20(&random);
    if (!CanHold(field)) continue;
    const auto array = ArrayOf(*field, random.Between(1, 300), &random);
    LANCE_ASSERT_OK_AND_ASSIGN(const auto stored,
                               Write(field, array, 1 + random.Below(2000), &random));
    for (int time = 0; time < 10; ++time) {
      StoredField broken = stored;
      for (uint64_t i = 0; i <= random.Below(3); ++i) Break(&broken, &random);

      const auto rows = broken.Read(RandomRows(broken.metadata.num_rows, &random));

      if (!rows.ok()) continue;
      EXPECT_THAT(ValidateLayout(**rows), IsOk()) << field->ToString();
    }
  }
}

}  // namespace
}  // namespace lance::format::v20
