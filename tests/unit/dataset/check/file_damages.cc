#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "arrow/api.h"
#include "arrow/io/memory.h"
#include "arrow/ipc/api.h"
#include "damages.h"
#include "lance/base/byte_reader.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/table/base_path.h"
#include "lance/table/deletion_file.h"

namespace lance::testing {
namespace {

constexpr size_t kSmall = 0;   // a fragment with a deletion file of kind Arrow
constexpr size_t kWhole = 1;   // one without deletions
constexpr size_t kBitmap = 3;  // one with a bitmap

/// Change the bytes of a fragment's data file.
std::function<std::string(const CheckedTable&)> ChangesData(
    std::function<void(std::string*)> change) {
  return [change = std::move(change)](const CheckedTable& table) {
    const std::string path = DataPath(table.Manifest().fragments[kWhole]);
    std::string bytes = table.Read(path);
    change(&bytes);
    table.Write(path, bytes);
    return path;
  };
}

/// Change what the newest manifest says of a fragment's file.
std::function<std::string(const CheckedTable&)> ChangesFragment(
    std::function<void(table::Fragment*)> change) {
  return [change = std::move(change)](const CheckedTable& table) {
    table.Rewrite([&](auto* manifest) { change(&manifest->fragments[kWhole]); });
    return DataPath(table.Manifest().fragments[kWhole]);
  };
}

void ReplaceAll(std::string_view from, std::string_view to, std::string* bytes) {
  size_t at = 0;
  size_t count = 0;
  while ((at = bytes->find(from, at)) != std::string::npos) {
    bytes->replace(at, from.size(), to);
    at += to.size();
    ++count;
  }
  EXPECT_GT(count, 0u);
}

std::vector<Damage> DataFiles() {
  return {
      {"DataFileGone", "data_file_missing",
       [](const CheckedTable& table) {
         const std::string path = DataPath(table.Manifest().fragments[kWhole]);
         table.Remove(path);
         return path;
       }},
      {"DataFileOfAnOldVersionGone", "data_file_missing",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) { manifest->fragments[2].files[0].path = "gone.lance"; },
                       /*version=*/2);
         return std::string("data/gone.lance");
       }},
      {"DataFileCut", "data_file_size_wrong",
       ChangesData([](std::string* bytes) { bytes->resize(bytes->size() - 100); })},
      {"DataFileEmpty", "data_file_size_wrong",
       ChangesData([](std::string* bytes) { bytes->clear(); })},
      {"DataFileLonger", "data_file_size_wrong",
       ChangesData([](std::string* bytes) { *bytes += "more"; })},
      {"DataFileSizeStatedWrong", "data_file_size_wrong",
       ChangesFragment([](auto* fragment) { fragment->files[0].size_bytes -= 1; })},
      {"DataFileMagic", "data_file_broken",
       ChangesData([](std::string* bytes) { bytes->back() = 'X'; })},
      {"DataFileFooter", "data_file_broken",
       ChangesData([](std::string* bytes) { (*bytes)[bytes->size() - 30] = '\x7f'; })},
      {"DataFileIsZeros", "data_file_broken",
       ChangesData([](std::string* bytes) { std::ranges::fill(*bytes, '\0'); })},
      {"DataFileVersion", "data_file_version_wrong",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) {
           manifest->data_storage_version = "2.2";
           for (auto& fragment : manifest->fragments) fragment.files[0].minor_version = 2;
         });
         return DataPath(table.Manifest().fragments[kWhole]);
       }},
      {"RowCountTooLow", "row_count_wrong",
       ChangesFragment([](auto* fragment) { fragment->physical_rows -= 1; })},
      {"RowCountTooHigh", "row_count_wrong",
       ChangesFragment([](auto* fragment) { fragment->physical_rows += 1; })},
      {"RowCountEnormous", "row_count_wrong",
       ChangesFragment([](auto* fragment) { fragment->physical_rows = uint64_t{1} << 32; })},
      {"ColumnIndexBeyondTheFile", "column_index_wrong",
       ChangesFragment([](auto* fragment) { fragment->files[0].column_indices[0] = 40; })},
  };
}

std::vector<Damage> Values() {
  return {
      {"FirstPageIsGarbage", "column_broken",
       ChangesData([](std::string* bytes) { std::fill_n(bytes->begin(), 24, '\xff'); }),
       Sample::kPlain, /*is_deep=*/true},
      {"TextIsNoUtf8", "column_broken",
       ChangesData([](std::string* bytes) { ReplaceAll("k1", "\xff\xfe", bytes); }), Sample::kPlain,
       /*is_deep=*/true},
      {"ColumnsAreSwapped", "column_broken", ChangesFragment([](auto* fragment) {
         std::swap(fragment->files[0].column_indices[0], fragment->files[0].column_indices[2]);
       }),
       Sample::kPlain, /*is_deep=*/true},
      {"NullsWhereNoneMayBe", "nulls_in_required_column",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) { manifest->schema.fields[0].nullable = false; });
         return std::string("fragment 0");
       },
       Sample::kOldFormat, /*is_deep=*/true},
      {"NullsWhereTheFileMayHaveNone", "column_broken",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) { manifest->schema.fields[0].nullable = false; });
         return DataPath(table.Manifest().fragments[kWhole]);
       },
       Sample::kPlain, /*is_deep=*/true},
      {"FirstPageOfAnOldFileIsGarbage", "column_broken",
       ChangesData([](std::string* bytes) { ReplaceAll("k1", "\xff\xfe", bytes); }),
       Sample::kOldFormat, /*is_deep=*/true},
  };
}

/// A deletion file of kind Arrow with these offsets.
std::string ArrowFile(const std::vector<uint32_t>& offsets, const std::string& column = "row_id") {
  arrow::UInt32Builder builder;
  ARROW_UNUSED(builder.AppendValues(offsets));
  const auto schema = arrow::schema({arrow::field(column, arrow::uint32(), /*nullable=*/false)});
  const auto batch = arrow::RecordBatch::Make(schema, static_cast<int64_t>(offsets.size()),
                                              {builder.Finish().ValueOrDie()});
  const auto output = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto writer = arrow::ipc::MakeFileWriter(output, schema).ValueOrDie();
  ARROW_UNUSED(writer->WriteRecordBatch(*batch));
  ARROW_UNUSED(writer->Close());
  return output->Finish().ValueOrDie()->ToString();
}

/// Replace the deletion file of a fragment.
std::function<std::string(const CheckedTable&)> Deletes(size_t fragment, std::string bytes) {
  return [=](const CheckedTable& table) {
    const std::string path = DeletionPath(table.Manifest().fragments[fragment]);
    table.Write(path, bytes);
    return path;
  };
}

/// Replace a deletion file that a version before the newest names, and no other.
std::function<std::string(const CheckedTable&)> DeletesOfOld(std::string bytes) {
  return [=](const CheckedTable& table) {
    const std::string path = DeletionPath(table.Manifest(2).fragments[0]);
    EXPECT_NE(path, DeletionPath(table.Manifest().fragments[0]));
    table.Write(path, bytes);
    return path;
  };
}

std::vector<uint32_t> FirstRows(uint32_t count) {
  std::vector<uint32_t> offsets(count);
  for (uint32_t i = 0; i < count; ++i) offsets[i] = i;
  return offsets;
}

std::vector<uint32_t> With(std::vector<uint32_t> offsets, uint32_t last) {
  offsets.push_back(last);
  return offsets;
}

std::vector<Damage> Deletions() {
  const auto gone = [](size_t fragment) {
    return [fragment](const CheckedTable& table) {
      const std::string path = DeletionPath(table.Manifest().fragments[fragment]);
      table.Remove(path);
      return path;
    };
  };
  RoaringBitmap beyond;
  beyond.AddRange(6001, 12001);
  RoaringBitmap fewer;
  fewer.AddRange(0, 5999);
  return {
      {"DeletionFileGone", "deletion_file_missing", gone(kSmall)},
      {"DeletionBitmapGone", "deletion_file_missing", gone(kBitmap)},
      {"DeletionFileIsGarbage", "deletion_file_broken", Deletes(kSmall, "ARROW1 not at all")},
      {"DeletionFileIsEmpty", "deletion_file_broken", Deletes(kSmall, "")},
      {"DeletionFileHasAnotherColumn", "deletion_file_broken",
       Deletes(kSmall, ArrowFile(FirstRows(20), "rows"))},
      {"DeletionBitmapIsGarbage", "deletion_file_broken", Deletes(kBitmap, "garbage")},
      {"DeletionBitmapIsCut", "deletion_file_broken",
       Deletes(kBitmap, fewer.Serialize().substr(0, 20))},
      {"DeletionFileHasFewerRows", "deletion_count_wrong",
       Deletes(kSmall, ArrowFile(FirstRows(19)))},
      {"DeletionBitmapHasFewerRows", "deletion_count_wrong", Deletes(kBitmap, fewer.Serialize())},
      {"DeletionFileDeletesWhatIsNotThere", "deletion_out_of_range",
       Deletes(kSmall, ArrowFile(With(FirstRows(19), 100)))},
      {"DeletionBitmapDeletesWhatIsNotThere", "deletion_out_of_range",
       Deletes(kBitmap, beyond.Serialize())},
      {"DeletionFileNamesARowTwice", "deletion_twice",
       Deletes(kSmall, ArrowFile(With(FirstRows(20), 3)))},
      {"DeletionCountStatedWrong", "deletion_count_wrong",
       [](const CheckedTable& table) {
         table.Rewrite([](auto* manifest) {
           manifest->fragments[kSmall].deletion_file->num_deleted_rows = 21;
         });
         return DeletionPath(table.Manifest().fragments[kSmall]);
       }},
      {"DeletionFileOfAnOldVersionIsGarbage", "deletion_file_broken", DeletesOfOld("garbage"),
       Sample::kStable, /*is_deep=*/true},
      {"DeletionFileOfAnOldVersionHasFewerRows", "deletion_count_wrong",
       DeletesOfOld(ArrowFile(FirstRows(19))), Sample::kStable, /*is_deep=*/true},
  };
}

}  // namespace

std::vector<Damage> DamagesOfFiles() {
  std::vector<Damage> damages;
  for (auto* part : {DataFiles, Values, Deletions}) {
    const auto more = part();
    damages.insert(damages.end(), more.begin(), more.end());
  }
  return damages;
}

std::string DataPath(const table::Fragment& fragment) {
  return table::DataFilePath(fragment.files[0]);
}

std::string DeletionPath(const table::Fragment& fragment) {
  return table::DeletionFilePath(fragment.id, *fragment.deletion_file);
}

}  // namespace lance::testing
