#include "lance/dataset/check/column_checks.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/blobs.h"
#include "lance/dataset/check/zone_checks.h"
#include "lance/dataset/read_fields.h"
#include "lance/index/ordered_value.h"
#include "lance/index/seed.h"
#include "lance/table/base_path.h"

namespace lance::check {
namespace {

/// The file that a failure is about, else the fragment.
std::string PathOf(const arrow::Status& failure, const table::Fragment& fragment) {
  const auto* corrupt = CorruptFile::From(failure);
  return corrupt != nullptr ? corrupt->path : NameOf(fragment);
}

/// The files that hold a part of a field, the last one where several do.
std::vector<size_t> HoldersOf(const format::FieldNode& field, const table::Fragment& fragment) {
  std::vector<size_t> holders;
  for (const format::FieldNode* leaf : format::LeavesOf(field)) {
    for (size_t i = fragment.files.size(); i-- > 0;) {
      const auto& ids = fragment.files[i].field_ids;
      if (std::ranges::find(ids, leaf->id) == ids.end()) continue;
      holders.push_back(i);
      break;
    }
  }
  return holders;
}

/// Checks that blobs lie inside their files. One for each column of a fragment.
class BlobCheck {
 public:
  BlobCheck(const ColumnsCheck& check, const std::string& column, Findings* findings)
      : check_(check), column_(column), findings_(findings) {}

  /// \param array descriptors, at any depth of the field
  arrow::Status Check(const format::FieldNode& field, const arrow::Array& array) {
    if (!HasBlobs(field) || has_failed_) return arrow::Status::OK();
    if (field.kind == format::FieldKind::kBlob || field.kind == format::FieldKind::kBlobV2) {
      return CheckDescriptors(field, array);
    }
    for (size_t i = 0; i < field.children.size(); ++i) {
      ARROW_RETURN_NOT_OK(Check(field.children[i], *arrow::MakeArray(array.data()->child_data[i])));
    }
    return arrow::Status::OK();
  }

 private:
  arrow::Status CheckDescriptors(const format::FieldNode& field, const arrow::Array& array) {
    ARROW_ASSIGN_OR_RAISE(const auto file, check_.reader->FileOf(field.id));
    if (file == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto places, FindBlobs(field, array, file->path()));
    for (const BlobPlace& place : places) {
      if (place.is_null || place.is_external || has_failed_) continue;
      ARROW_ASSIGN_OR_RAISE(const auto size, SizeOf(place.path));
      if (!size) {
        Fail(place.path, "the file is not there");
      } else if (place.offset > *size || place.length.value_or(0) > *size - place.offset) {
        Fail(place.path, "the file has " + std::to_string(*size) + " bytes, a blob is at " +
                             std::to_string(place.offset) + " with " +
                             std::to_string(place.length.value_or(0)));
      }
    }
    return arrow::Status::OK();
  }

  void Fail(const std::string& path, const std::string& problem) {
    has_failed_ = true;
    findings_->Add(kBlobBroken, path, problem, "; column ", column_, " of fragment ",
                   check_.reader->fragment().id, " has blobs there");
  }

  /// \return no value: the file is not there
  arrow::Result<std::optional<uint64_t>> SizeOf(const std::string& path) {
    const auto known = sizes_.find(path);
    if (known != sizes_.end()) return known->second;
    const auto info = check_.dataset.store->Head(path);
    if (info.ok()) return sizes_[path] = info->size_bytes;
    if (NotFound::From(info.status()) != nullptr) return sizes_[path] = std::nullopt;
    return info.status();
  }

  const ColumnsCheck& check_;
  const std::string& column_;
  Findings* findings_;
  std::map<std::string, std::optional<uint64_t>> sizes_;
  bool has_failed_ = false;
};

/// Reads one column of a fragment to its end, whatever of it fails.
class ColumnCheck {
 public:
  ColumnCheck(const ColumnsCheck& check, const format::FieldNode& field, Findings* findings)
      : check_(check), field_(field), findings_(findings), blobs_(check, field.name, findings) {}

  arrow::Status Run() {
    const table::Fragment& fragment = check_.reader->fragment();
    for (uint64_t begin = 0; begin < fragment.physical_rows;) {
      ARROW_RETURN_NOT_OK(check_.run.stop_token.Poll());
      const uint64_t end = std::min(begin + RowsAtOnce(fragment), fragment.physical_rows);
      const arrow::Status read = Read({begin, end});
      if (read.IsCancelled()) return read;
      if (!read.ok()) NoteFailure({begin, end}, read);
      begin = end;
    }
    Report(fragment);
    return arrow::Status::OK();
  }

 private:
  uint64_t RowsAtOnce(const table::Fragment& fragment) const {
    uint64_t bytes = 0;
    for (const table::DataFile& file : fragment.files) bytes += file.size_bytes;
    return unit_size_.Rows(bytes / std::max<uint64_t>(fragment.physical_rows, 1));
  }

  arrow::Status Read(const RowRange& rows) {
    const RowRanges ranges = RowRanges::Make({rows});
    ARROW_ASSIGN_OR_RAISE(const auto values, check_.reader->ReadColumn(field_, ranges));
    if (static_cast<uint64_t>(values->length()) != rows.size()) {
      return arrow::Status::SerializationError("the column has ", values->length(), " values for ",
                                               rows.size(), " rows");
    }
    const arrow::Status valid = values->ValidateFull();
    if (!valid.ok()) return arrow::Status::SerializationError(valid.message());
    unit_size_.Note(*arrow::RecordBatch::Make(arrow::schema({arrow::field("", values->type())}),
                                              values->length(), {values}));
    if (!field_.nullable) num_nulls_ += static_cast<uint64_t>(values->null_count());
    return blobs_.Check(field_, *values);
  }

  void NoteFailure(const RowRange& rows, const arrow::Status& failure) {
    if (num_failures_++ > 0) return;
    first_rows_ = rows;
    first_failure_ = failure;
  }

  void Report(const table::Fragment& fragment) {
    const std::string name =
        "column " + field_.name + " of fragment " + std::to_string(fragment.id);
    if (num_failures_ > 0) {
      const FindingKind& kind = first_failure_.IsIOError() ? kStorageFailed
                                : UnsupportedFeature::From(first_failure_) != nullptr
                                    ? kColumnUnsupported
                                    : kColumnBroken;
      const std::string more = num_failures_ > 1 ? " (and " + std::to_string(num_failures_ - 1) +
                                                       " more pieces of the column)"
                                                 : "";
      findings_->Add(kind, PathOf(first_failure_, fragment), name, ": rows ", first_rows_.begin,
                     " to ", first_rows_.end - 1, more,
                     " cannot be read: ", first_failure_.message());
    }
    if (num_nulls_ > 0) {
      findings_->Add(kNullsInRequiredColumn, NameOf(fragment), name, " has ", num_nulls_,
                     " nulls, the schema allows none");
    }
  }

  const ColumnsCheck& check_;
  const format::FieldNode& field_;
  Findings* findings_;
  BlobCheck blobs_;
  UnitSize unit_size_;
  uint64_t num_nulls_ = 0;
  uint64_t num_failures_ = 0;
  RowRange first_rows_;
  arrow::Status first_failure_;
};

/// A seed that cannot be read is none; only storage that fails is worth a word.
arrow::Status NoteSeedFailure(const arrow::Status& failure, const table::Fragment& fragment,
                              Findings* findings) {
  if (failure.IsCancelled()) return failure;
  if (failure.IsIOError()) findings->AddFailure(kSeedWrong, PathOf(failure, fragment), failure);
  return arrow::Status::OK();
}

/// The zones that a data file itself has of a column.
arrow::Status CheckSeed(const ColumnsCheck& check, const format::FieldNode& field,
                        Findings* findings) {
  if (field.kind != format::FieldKind::kLeaf || !index::HasOrder(*field.type)) {
    return arrow::Status::OK();
  }
  const table::Fragment& fragment = check.reader->fragment();
  const auto file = check.reader->FileOf(field.id);
  if (!file.ok()) return NoteSeedFailure(file.status(), fragment, findings);
  if (*file == nullptr) return arrow::Status::OK();
  const auto seed = index::ReadSeed(**file, fragment, field.id, field.type, check.run);
  if (!seed.ok()) return NoteSeedFailure(seed.status(), fragment, findings);
  if (!*seed) return arrow::Status::OK();
  return CheckZones({.reader = check.reader,
                     .field = field,
                     .zones = **seed,
                     .live = check.live,
                     .kind = kSeedWrong,
                     .path = (*file)->path(),
                     .name = "the seed of column " + field.name,
                     .run = check.run},
                    findings);
}

}  // namespace

arrow::Status CheckColumns(const ColumnsCheck& check, Findings* findings) {
  const table::Fragment& fragment = check.reader->fragment();
  for (const format::FieldNode& field : check.dataset.fields) {
    const std::vector<size_t> holders = HoldersOf(field, fragment);
    const auto is_good = [&](size_t file) { return check.good_files[file]; };
    // What no file holds is null, and files that are damaged were found to be so.
    if (holders.empty() || !std::ranges::all_of(holders, is_good)) continue;
    Findings of_column;
    ARROW_RETURN_NOT_OK(ColumnCheck(check, field, &of_column).Run());
    if (of_column.empty()) ARROW_RETURN_NOT_OK(CheckSeed(check, field, &of_column));
    findings->Append(of_column);
  }
  return arrow::Status::OK();
}

}  // namespace lance::check
