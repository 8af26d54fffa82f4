#include "fuzz/read_data_file.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "fuzz/bytes_store.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/describe_page.h"
#include "lance/testing/validate_layout.h"

namespace lance::fuzz {
namespace {

using format::DataFileReader;
using format::FieldNode;

// Files may have many times as many without becoming more interesting.
constexpr size_t kMaxFields = 40;
constexpr int kMaxColumns = 40;

const auto kNever = arrow::StopToken::Unstoppable();

/// The choices of rows that are read: the first ones as a whole, and a few here and there.
std::vector<RowRanges> ChooseRows(uint64_t num_rows) {
  const uint64_t first = std::min(num_rows, kMaxRowsAtOnce);
  std::vector<RowRanges> choices = {RowRanges::All(first), RowRanges()};
  if (num_rows < 3) return choices;
  choices.push_back(RowRanges::Make({{1, 2}, {num_rows / 2, num_rows / 2 + 1}}));
  choices.push_back(RowRanges::Make({{first / 3, first / 2}, {num_rows - 1, num_rows}}));
  return choices;
}

/// Reads one open file and collects the report.
class FileUser {
 public:
  FileUser(const DataFileReader& reader, ReadReport* report) : reader_(reader), report_(report) {}

  void UseAll() {
    UseMetadata();
    UseFields();
    const auto rows = RowRanges::All(std::min(reader_.num_rows(), uint64_t{100}));
    for (int i = 0; i < std::min(reader_.num_columns(), kMaxColumns); ++i) {
      for (const auto& type : {arrow::int32(), arrow::utf8()}) {
        // Mostly the wrong type, which is refused.
        const auto array = reader_.ReadColumn(i, type, rows, kNever);
        if (array.ok() || array.status().IsUnknownError()) (void)Take(array, *type, rows);
      }
    }
  }

 private:
  /// Note what a result says. \return whether it is a value
  template <typename T>
  bool Note(const arrow::Result<T>& result) {
    if (result.ok()) return true;
    report_->is_whole = false;
    // Messages of our own bugs begin with "internal:"; forged bytes must not lead there.
    if (result.status().IsUnknownError()) report_->defect = result.status().ToString();
    return false;
  }

  bool Take(const arrow::Result<std::shared_ptr<arrow::Array>>& result, const arrow::DataType& type,
            const RowRanges& rows) {
    if (!Note(result)) return false;
    const arrow::Array& array = **result;
    if (const auto status = testing::ValidateLayout(array); !status.ok()) {
      report_->defect = "array of type " + type.ToString() + ": " + status.ToString();
    } else if (static_cast<uint64_t>(array.length()) != rows.num_rows()) {
      report_->defect = std::to_string(array.length()) + " rows were read, wanted are " +
                        std::to_string(rows.num_rows());
    } else if (!array.type()->Equals(type)) {
      report_->defect = array.type()->ToString() + " was read, wanted is " + type.ToString();
    }
    return true;
  }

  void UseMetadata() {
    (void)Note(format::ToArrowSchema(reader_.schema()));
    for (const auto& column : reader_.metadata().columns) {
      for (size_t i = 0; i < std::min(column.pages.size(), kMaxFields); ++i) {
        if (format::DescribePage(column.pages[i], reader_.version()).empty()) {
          report_->defect = "a page has no description";
        }
      }
    }
    for (int i = 0; i < std::min(reader_.num_global_buffers(), kMaxColumns); ++i) {
      (void)Note(reader_.ReadGlobalBuffer(i, kNever));
    }
  }

  void UseFields() {
    const auto fields = format::MakeFieldTree(reader_.schema());
    if (!Note(fields)) return;
    const auto columns = format::NumberColumns(*fields, reader_.version());
    const std::vector<RowRanges> choices = ChooseRows(reader_.num_rows());
    for (size_t i = 0; i < std::min(fields->size(), kMaxFields); ++i) {
      const FieldNode& node = (*fields)[i];
      for (const RowRanges& rows : choices) {
        const auto array =
            reader_.ReadField({.node = node, .columns = columns, .rows = rows}, kNever);
        const auto& type = array.ok() && HasBlobs(node) ? (*array)->type() : node.type;
        (void)Take(array, *type, rows);
      }
    }
  }

  /// Whether some leaf is read as another type than the field has: descriptors.
  static bool HasBlobs(const FieldNode& node) {
    return node.kind == format::FieldKind::kBlob ||
           std::any_of(node.children.begin(), node.children.end(), &HasBlobs);
  }

  const DataFileReader& reader_;
  ReadReport* report_;
};

}  // namespace

ReadReport ReadDataFile(std::span<const std::byte> bytes, arrow::MemoryPool* pool) {
  ReadReport report;
  const auto reader = DataFileReader::Open(std::make_shared<BytesStore>(bytes), "f.lance",
                                           bytes.size(), kNever, pool);
  if (!reader.ok()) {
    if (reader.status().IsUnknownError()) report.defect = reader.status().ToString();
    return report;
  }
  report.is_open = true;
  report.is_whole = true;
  FileUser(**reader, &report).UseAll();
  return report;
}

}  // namespace lance::fuzz
