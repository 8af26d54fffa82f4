// Index files that the reference wrote: tests/golden/indices, made by make.py there.

#include <filesystem>
#include <fstream>

#include "arrow/io/file.h"
#include "arrow/ipc/reader.h"
#include "scalar_index_fixtures.h"

namespace lance::index {
namespace {

using lance::testing::IsOk;

constexpr uint64_t kFragmentRows = 25;
const std::filesystem::path kFolder = LANCE_GOLDEN_INDICES;

std::shared_ptr<arrow::Table> ReadColumns() {
  const auto file =
      arrow::io::ReadableFile::Open((kFolder / "columns.arrow").string()).ValueOrDie();
  const auto reader = arrow::ipc::RecordBatchFileReader::Open(file).ValueOrDie();
  return reader->ToTable().ValueOrDie();
}

NumberedRows ReadRows(const std::string& column) {
  static const std::shared_ptr<arrow::Table> table = ReadColumns();
  const auto chunks = table->GetColumnByName(column);
  NumberedRows rows;
  rows.values = arrow::Concatenate(chunks->chunks()).ValueOrDie();
  for (uint64_t i = 0; i < static_cast<uint64_t>(rows.values->length()); ++i) {
    rows.rows.push_back(AddressOf(i / kFragmentRows, i % kFragmentRows));
  }
  return rows;
}

/// Put the files of a segment into the store of a bench.
table::IndexMetadata LoadSegment(const std::string& kind, const std::string& column,
                                 const std::string& message, IndexBench* bench) {
  table::IndexMetadata segment;
  segment.uuid = Uuid::Random(bench->random);
  segment.name = column + "_idx";
  segment.field_ids = {0};
  segment.details_type_url = message;
  segment.has_details = true;
  segment.fragment_bitmap = RoaringBitmap{0, 1, 2}.Serialize();
  for (const auto& file : std::filesystem::directory_iterator(kFolder / kind / column)) {
    std::ifstream in(file.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const std::string name = file.path().filename().string();
    segment.files.push_back({.path = name, .size_bytes = bytes.size()});
    EXPECT_THAT(bench->store->Put(SegmentPath(segment, name),
                                  arrow::Buffer::FromString(std::move(bytes)), PutMode::kIfAbsent),
                IsOk());
  }
  return segment;
}

std::vector<std::string> ColumnsOf(const std::string& kind) {
  std::vector<std::string> columns;
  for (const auto& folder : std::filesystem::directory_iterator(kFolder / kind)) {
    columns.push_back(folder.path().filename().string());
  }
  return columns;
}

TEST(ReferenceIndexFiles, BitmapsOfEveryTypeAnswer) {
  const auto columns = ColumnsOf("bitmap");
  EXPECT_EQ(columns.size(), 26u);
  for (const std::string& column : columns) {
    SCOPED_TRACE(column);
    IndexBench bench;
    const NumberedRows rows = ReadRows(column);
    const auto segment = LoadSegment("bitmap", column, "/lance.table.BitmapIndexDetails", &bench);
    LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, rows.values->type()));
    EXPECT_EQ(index->domain(), RowDomain::kRowId);
    for (const Predicate& leaf : LeavesWith(LiteralsOf(*rows.values))) {
      ExpectFinds(*index, leaf, rows, bench.run);
    }
  }
}

TEST(ReferenceIndexFiles, LabelListsOfEveryTypeAnswer) {
  const auto columns = ColumnsOf("label_list");
  EXPECT_EQ(columns.size(), 3u);
  for (const std::string& column : columns) {
    SCOPED_TRACE(column);
    IndexBench bench;
    const NumberedRows rows = ReadRows(column);
    const auto segment =
        LoadSegment("label_list", column, "/lance.table.LabelListIndexDetails", &bench);
    LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, rows.values->type()));
    const auto items = static_cast<const arrow::BaseListType&>(*rows.values->type()).value_type();
    auto literals =
        LiteralsOf(rows.values->type()->id() == arrow::Type::LIST
                       ? *static_cast<const arrow::ListArray&>(*rows.values).values()
                       : *static_cast<const arrow::LargeListArray&>(*rows.values).values());
    std::erase_if(literals, [](const Literal& item) { return ToOrderedValue(*item).is_nan(); });
    literals.push_back(arrow::MakeNullScalar(items));
    for (const auto kind : {Predicate::Kind::kHasAny, Predicate::Kind::kHasAll}) {
      for (const auto& first : literals) {
        ExpectFinds(*index, HasItems(kind, {first}), rows, bench.run);
        for (const auto& second : literals) {
          ExpectFinds(*index, HasItems(kind, {first, second}), rows, bench.run);
        }
      }
    }
  }
}

TEST(ReferenceIndexFiles, BloomFiltersOfEveryTypeAnswer) {
  const auto columns = ColumnsOf("bloom_filter");
  EXPECT_EQ(columns.size(), 20u);
  for (const std::string& column : columns) {
    SCOPED_TRACE(column);
    IndexBench bench;
    const NumberedRows rows = ReadRows(column);
    const auto segment =
        LoadSegment("bloom_filter", column, "/lance.index.pb.BloomFilterIndexDetails", &bench);
    LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, rows.values->type()));
    EXPECT_EQ(index->domain(), RowDomain::kAddress);
    ExpectFinds(*index, IsNull(0), rows, bench.run);
    EXPECT_TRUE(index->Search(IsNull(0), NullRows::kNamed, bench.run)->is_exact);
    size_t found = 0;
    const auto literals = LiteralsOf(*rows.values);
    for (const auto& literal : literals) {
      const Predicate leaf = Equal(0, literal);
      if (IsFloat(*literal->type) && ToOrderedValue(*literal).is_nan()) {
        EXPECT_FALSE(index->Answers(leaf));
        continue;
      }
      ExpectFinds(*index, leaf, rows, bench.run);
      ExpectFinds(*index, In(0, {literal}), rows, bench.run);
      found += Numbers(index->Search(leaf, NullRows::kNamed, bench.run)->rows).size();
    }
    EXPECT_LT(found, rows.rows.size() * literals.size());  // some zone was ruled out
  }
}

}  // namespace
}  // namespace lance::index
