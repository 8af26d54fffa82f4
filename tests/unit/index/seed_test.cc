#include "lance/index/seed.h"

#include <functional>

#include "arrow/io/memory.h"
#include "arrow/ipc/writer.h"
#include "arrow/util/compression.h"
#include "index_fixtures.h"
#include "lance/io/stores.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

using lance::testing::IsCancelled;
using lance::testing::IsInvalid;
using lance::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kPath[] = "data/file.lance";

/// One data file with the columns f (field 4) and s (field 9), and what stands in its descriptor.
struct SeedFile {
  std::shared_ptr<arrow::Array> f = ArrayOf(arrow::int64(), "[5, null, 3, 8, null]");
  std::shared_ptr<arrow::Array> s = ArrayOf(arrow::utf8(), R"(["a", "b", "c", "d", "e"])");
  /// Called before the file ends.
  std::function<void(format::DataFileWriter*)> add;
  table::Fragment fragment;

  SeedFile() {
    fragment.id = 6;
    fragment.physical_rows = 5;
    table::DataFile file;
    file.path = "file.lance";
    file.field_ids = {4, 9};
    file.column_indices = {0, 1};
    fragment.files = {file};
  }

  std::shared_ptr<ObjectStore> Write() const {
    const auto store = MakeMemoryStore();
    const auto schema = arrow::schema({arrow::field("f", f->type()), arrow::field("s", s->type())});
    auto writer =
        format::DataFileWriter::Make(*store->OpenWrite(kPath), *format::MakeLanceSchema(*schema))
            .ValueOrDie();
    const auto batch = arrow::RecordBatch::Make(schema, f->length(), {f, s});
    if (!writer->Write(*batch).ok()) std::abort();
    if (add) add(writer.get());
    if (!writer->Finish().ok()) std::abort();
    return store;
  }

  arrow::Result<std::optional<FragmentZones>> Read(int32_t field_id = 4,
                                                   const RunContext& run = {}) const {
    ARROW_ASSIGN_OR_RAISE(const auto file,
                          format::DataFileReader::Open(Write(), kPath, std::nullopt,
                                                       arrow::StopToken::Unstoppable()));
    return ReadSeed(*file, fragment, field_id, field_id == 9 ? s->type() : f->type(), run);
  }
};

TEST(Seed, ComesBackAsItWasWritten) {
  SeedFile file;
  file.add = [&](format::DataFileWriter* writer) {
    ASSERT_THAT(WriteSeed("s", file.s->type(), ZonesOf(*file.s, 3), writer), IsOk());
    ASSERT_THAT(WriteSeed("f", file.f->type(), ZonesOf(*file.f, 2), writer), IsOk());
  };

  LANCE_ASSERT_OK_AND_ASSIGN(const auto f, file.Read(4));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto s, file.Read(9));

  ASSERT_TRUE(f);
  EXPECT_EQ(f->fragment_id, 6u);
  EXPECT_EQ(f->rows_per_zone, 2u);
  EXPECT_THAT(Describe(f->zones),
              ElementsAre("0+2 [5, 5] nulls 1 nans 0", "2+2 [3, 8] nulls 0 nans 0",
                          "4+1 [null, null] nulls 1 nans 0"));
  EXPECT_EQ(f->null_offsets, RoaringBitmap({1, 4}));
  ASSERT_TRUE(s);
  EXPECT_EQ(s->rows_per_zone, 3u);
  EXPECT_THAT(Describe(s->zones),
              ElementsAre("0+3 [a, c] nulls 0 nans 0", "3+2 [d, e] nulls 0 nans 0"));
  EXPECT_EQ(s->null_offsets, RoaringBitmap());
}

TEST(Seed, IsStoredWhereReleasedReadersLook) {
  SeedFile file;
  file.add = [&](format::DataFileWriter* writer) {
    ASSERT_THAT(WriteSeed("f", file.f->type(), ZonesOf(*file.f, 2), writer), IsOk());
  };
  LANCE_ASSERT_OK_AND_ASSIGN(const auto reader,
                             format::DataFileReader::Open(file.Write(), kPath, std::nullopt,
                                                          arrow::StopToken::Unstoppable()));

  EXPECT_EQ(reader->schema().metadata.at("lance.seed.f"), "1:2");
  LANCE_ASSERT_OK_AND_ASSIGN(const auto bytes,
                             reader->ReadGlobalBuffer(1, arrow::StopToken::Unstoppable()));
  const std::string text = bytes->ToString();
  EXPECT_EQ(text.substr(0, 6), "ARROW1");
  EXPECT_EQ(text.substr(text.size() - 6), "ARROW1");
  EXPECT_THAT(text, HasSubstr("seed_null_bitmap"));
  EXPECT_THAT(text, HasSubstr("3a30000001000000000001001000000001000400"));
}

TEST(Seed, IsNotWrittenForZonesOfOtherRows) {
  SeedFile file;
  file.add = [&](format::DataFileWriter* writer) {
    const auto write = [&](FragmentZones zones) {
      return WriteSeed("f", file.f->type(), zones, writer);
    };
    FragmentZones zones = ZonesOf(*file.f, 2);
    zones.null_offsets.reset();
    EXPECT_THAT(write(zones), IsInvalid(HasSubstr("column f")));
    EXPECT_THAT(write(ZonesOf(*file.f->Slice(1), 2)), IsInvalid(HasSubstr("5 rows")));
    zones = ZonesOf(*file.f, 2);
    zones.rows_per_zone = 3;
    EXPECT_THAT(write(zones), IsInvalid());
  };

  EXPECT_EQ(*file.Read(), std::nullopt);
}

/// A seed of f as some other writer might have stored it.
struct RawSeed {
  std::string key = "lance.seed.f";
  std::string value = "1:2";
  std::map<std::string, std::pair<std::shared_ptr<arrow::DataType>, std::string>> columns{
      {"min", {arrow::int64(), "[5, 3, null]"}},
      {"max", {arrow::int64(), "[5, 8, null]"}},
      {"null_count", {arrow::uint32(), "[1, 0, 1]"}},
      {"nan_count", {arrow::uint32(), "[0, 0, 0]"}},
      {"zone_length", {arrow::uint64(), "[2, 2, 1]"}}};
  std::optional<std::string> null_bitmap = "3a30000001000000000001001000000001000400";
  std::string bytes;  // instead of the above
  int num_batches = 1;
  bool compressed = false;

  std::shared_ptr<arrow::Buffer> Serialize() const {
    if (!bytes.empty()) return arrow::Buffer::FromString(bytes);
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (const auto& [name, column] : columns) {
      fields.push_back(arrow::field(name, column.first));
      arrays.push_back(ArrayOf(column.first, column.second));
    }
    auto schema = arrow::schema(fields);
    if (null_bitmap) {
      schema =
          schema->WithMetadata(arrow::key_value_metadata({"seed_null_bitmap"}, {*null_bitmap}));
    }
    auto options = arrow::ipc::IpcWriteOptions::Defaults();
    if (compressed) options.codec = *arrow::util::Codec::Create(arrow::Compression::ZSTD);
    const auto sink = *arrow::io::BufferOutputStream::Create();
    const auto writer = *arrow::ipc::MakeFileWriter(sink, schema, options);
    const auto batch = arrow::RecordBatch::Make(schema, arrays[0]->length(), arrays);
    for (int i = 0; i < num_batches; ++i) {
      if (!writer->WriteRecordBatch(*batch).ok()) std::abort();
    }
    if (!writer->Close().ok()) std::abort();
    return *sink->Finish();
  }
};

struct RawSeedCase {
  std::string name;
  std::function<void(RawSeed*, SeedFile*)> change;
  bool is_used;
};

class ReadSeedChecks : public ::testing::TestWithParam<RawSeedCase> {};

TEST_P(ReadSeedChecks, WhatTheSeedSaysAboutItself) {
  SeedFile file;
  RawSeed raw;
  GetParam().change(&raw, &file);
  file.add = [&](format::DataFileWriter* writer) {
    ASSERT_THAT(writer->AddGlobalBuffer(*raw.Serialize()), IsOk());
    writer->AddSchemaMetadata(raw.key, raw.value);
  };

  const auto seed = file.Read();

  ASSERT_THAT(seed, IsOk());
  EXPECT_EQ(seed->has_value(), GetParam().is_used);
}

void AddFile(SeedFile* file, std::vector<int32_t> field_ids) {
  table::DataFile other;
  other.path = "other.lance";
  other.field_ids = std::move(field_ids);
  other.column_indices = {0};
  file->fragment.files.push_back(other);
}

const std::vector<RawSeedCase>& RawSeedCases() {
  using Raw = RawSeed;
  using File = SeedFile;
  static const std::vector<RawSeedCase> cases{
      {"AsReleased", [](Raw*, File*) {}, true},
      {"Compressed", [](Raw* r, File*) { r->compressed = true; }, true},
      {"NullsNotKnown", [](Raw* r, File*) { r->null_bitmap.reset(); }, true},
      {"OtherFileOfOtherField", [](Raw*, File* f) { AddFile(f, {11}); }, true},
      {"KeyOfOtherColumn", [](Raw* r, File*) { r->key = "lance.seed.s"; }, false},
      {"ThreeParts", [](Raw* r, File*) { r->value = "1:2:1"; }, false},
      {"OnePart", [](Raw* r, File*) { r->value = "1"; }, false},
      {"NoNumber", [](Raw* r, File*) { r->value = "1:x"; }, false},
      {"EmptyNumber", [](Raw* r, File*) { r->value = ":2"; }, false},
      {"SignedNumber", [](Raw* r, File*) { r->value = "+1:2"; }, false},
      {"NoRowsPerZone", [](Raw* r, File*) { r->value = "1:0"; }, false},
      {"BufferIsTheDescriptor", [](Raw* r, File*) { r->value = "0:2"; }, false},
      {"BufferIsNotThere", [](Raw* r, File*) { r->value = "2:2"; }, false},
      {"OtherRowsPerZone", [](Raw* r, File*) { r->value = "1:3"; }, false},
      {"MinOfOtherType",
       [](Raw* r, File*) {
         r->columns["min"] = {arrow::int32(), "[5, 3, null]"};
       },
       false},
      {"NoMax", [](Raw* r, File*) { r->columns.erase("max"); }, false},
      {"CountOfOtherType", [](Raw* r, File*) { r->columns["null_count"].first = arrow::uint64(); },
       false},
      {"NullInCount", [](Raw* r, File*) { r->columns["nan_count"].second = "[0, null, 0]"; },
       false},
      {"TooFewRows", [](Raw* r, File*) { r->columns["zone_length"].second = "[2, 1, 1]"; }, false},
      {"TooManyRows", [](Raw* r, File*) { r->columns["zone_length"].second = "[2, 2, 2]"; }, false},
      {"RightSumWrongCut", [](Raw* r, File*) { r->columns["zone_length"].second = "[1, 2, 2]"; },
       false},
      {"HugeLengths",
       [](Raw* r, File*) { r->columns["zone_length"].second = "[18446744073709551615, 2, 4]"; },
       false},
      {"MoreNullsThanRows", [](Raw* r, File*) { r->columns["null_count"].second = "[3, 0, 1]"; },
       false},
      {"NansInIntegers", [](Raw* r, File*) { r->columns["nan_count"].second = "[0, 1, 0]"; },
       false},
      {"MinAboveMax", [](Raw* r, File*) { r->columns["min"].second = "[5, 9, null]"; }, false},
      {"NullBitmapIsNoHex", [](Raw* r, File*) { r->null_bitmap = "3x"; }, false},
      {"NullBitmapInCapitals",
       [](Raw* r, File*) { r->null_bitmap = "3A30000001000000000001001000000001000400"; }, false},
      {"NullBitmapIsOdd", [](Raw* r, File*) { r->null_bitmap = "3a3"; }, false},
      {"NullBitmapIsCorrupt", [](Raw* r, File*) { r->null_bitmap = "3a300000"; }, false},
      {"NullBitmapSaysNone", [](Raw* r, File*) { r->null_bitmap = ""; }, false},
      {"NullBitmapOfOtherRows",
       [](Raw* r, File*) { r->null_bitmap = "3a30000001000000000001001000000002000400"; }, false},
      {"TwoBatches", [](Raw* r, File*) { r->num_batches = 2; }, false},
      {"NoBatch", [](Raw* r, File*) { r->num_batches = 0; }, false},
      {"NotArrow", [](Raw* r, File*) { r->bytes = "ARROW1 but no more of it ARROW1"; }, false},
      {"LaterFileHasTheField", [](Raw*, File* f) { AddFile(f, {4}); }, false},
      {"FieldIsNotStored",
       [](Raw*, File* f) {
         f->fragment.files[0].field_ids = {1, 9};
       },
       false},
      {"ColumnIsNotThere",
       [](Raw*, File* f) {
         f->fragment.files[0].column_indices = {7, 1};
       },
       false},
      {"ColumnIsNegative",
       [](Raw*, File* f) {
         f->fragment.files[0].column_indices = {-1, 1};
       },
       false},
      {"ColumnOfOtherName",
       [](Raw*, File* f) {
         f->fragment.files[0].column_indices = {1, 0};
       },
       false},
      {"FragmentOfOtherRows", [](Raw*, File* f) { f->fragment.physical_rows = 6; }, false},
      {"FileOfOtherBase", [](Raw*, File* f) { f->fragment.files[0].base_id = 1; }, false},
  };
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, ReadSeedChecks, ::testing::ValuesIn(RawSeedCases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(ReadSeed, RefusesAColumnOfOtherTypeThanTheTables) {
  SeedFile file;
  file.add = [&](format::DataFileWriter* writer) {
    ASSERT_THAT(WriteSeed("f", file.f->type(), ZonesOf(*file.f, 2), writer), IsOk());
  };
  LANCE_ASSERT_OK_AND_ASSIGN(const auto reader,
                             format::DataFileReader::Open(file.Write(), kPath, std::nullopt,
                                                          arrow::StopToken::Unstoppable()));

  const auto seed =
      ReadSeed(*reader, file.fragment, 4, arrow::timestamp(arrow::TimeUnit::SECOND), {});

  EXPECT_EQ(*seed, std::nullopt);
}

TEST(ReadSeed, ReportsACancelledRead) {
  SeedFile file;
  file.add = [&](format::DataFileWriter* writer) {
    ASSERT_THAT(WriteSeed("f", file.f->type(), ZonesOf(*file.f, 2), writer), IsOk());
  };
  arrow::StopSource stop;
  stop.RequestStop();
  RunContext run;
  run.stop_token = stop.token();

  EXPECT_THAT(file.Read(4, run), IsCancelled());
}

}  // namespace
}  // namespace lance::index
