#include "lance/fragment.h"

#include <charconv>
#include <string>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_parts.h"
#include "lance/table/data_version.h"
#include "lance/table/fragment_bytes_proto.h"

namespace lance {
namespace {

constexpr const char* kDeletionTypes[] = {"array", "bitmap"};  // by their stored number

DeletionFileInfo ShowDeletionFile(const table::DeletionFile& file) {
  return {.file_type = file.file_type < std::size(kDeletionTypes)
                           ? kDeletionTypes[file.file_type]
                           : "type " + std::to_string(file.file_type),
          .read_version = file.read_version,
          .id = file.id,
          .num_deleted_rows = file.num_deleted_rows,
          .base_id = file.base_id};
}

arrow::Result<table::DeletionFile> TakeDeletionFile(const DeletionFileInfo& shown) {
  table::DeletionFile file{.read_version = shown.read_version,
                           .id = shown.id,
                           .num_deleted_rows = shown.num_deleted_rows,
                           .base_id = shown.base_id};
  while (file.file_type < std::size(kDeletionTypes) &&
         shown.file_type != kDeletionTypes[file.file_type]) {
    ++file.file_type;
  }
  if (file.file_type < std::size(kDeletionTypes)) return file;
  return arrow::Status::Invalid("deletion file has type ", shown.file_type,
                                "; allowed: array, bitmap");
}

std::optional<std::string> ShowSequence(const table::StoredSequence& sequence) {
  if (sequence.place != table::StoredSequence::Place::kInline) return std::nullopt;
  return sequence.bytes;
}

table::StoredSequence TakeSequence(const std::optional<std::string>& bytes) {
  if (!bytes) return {};
  return {.place = table::StoredSequence::Place::kInline, .bytes = *bytes};
}

/// Take "2.1" apart.
bool ParseVersion(std::string_view text, uint32_t* major, uint32_t* minor) {
  const char* const end = text.data() + text.size();
  const auto [dot, problem] = std::from_chars(text.data(), end, *major);
  if (problem != std::errc() || dot == end || *dot != '.') return false;
  const auto [last, other_problem] = std::from_chars(dot + 1, end, *minor);
  return other_problem == std::errc() && last == end;
}

}  // namespace

DataFileInfo ShowDataFile(const table::DataFile& file) {
  return {.path = file.path,
          .field_ids = file.field_ids,
          .column_indices = file.column_indices,
          .version = std::to_string(file.major_version) + "." + std::to_string(file.minor_version),
          .size_bytes = file.size_bytes,
          .base_id = file.base_id};
}

arrow::Result<table::DataFile> TakeDataFile(const DataFileInfo& shown) {
  table::DataFile file{.path = shown.path,
                       .field_ids = shown.field_ids,
                       .column_indices = shown.column_indices,
                       .size_bytes = shown.size_bytes,
                       .base_id = shown.base_id};
  if (!ParseVersion(shown.version, &file.major_version, &file.minor_version)) {
    return arrow::Status::Invalid("data file ", shown.path, " has version \"", shown.version,
                                  "\"; allowed: two numbers, for example 2.1");
  }
  const arrow::Status known = table::DataVersionOf(file).status();
  if (!known.ok()) return arrow::Status::Invalid(known.message());
  return file;
}

FragmentMetadata MakeFragmentMetadata(const table::Fragment& fragment) {
  return FragmentMetadata(
      std::make_shared<FragmentMetadata::Impl>(std::make_shared<const table::Fragment>(fragment)));
}

void FragmentMetadata::Impl::Derive() const {
  std::call_once(derived_, [this] {
    stamp_ = table::ReadStamp(*fragment);
    for (const table::DataFile& file : fragment->files) files_.push_back(ShowDataFile(file));
  });
}

const table::Stamp& FragmentMetadata::Impl::stamp() const {
  Derive();
  return stamp_;
}

const std::vector<DataFileInfo>& FragmentMetadata::Impl::files() const {
  Derive();
  return files_;
}

uint64_t FragmentMetadata::id() const { return impl_->fragment->id; }
uint64_t FragmentMetadata::physical_rows() const { return impl_->fragment->physical_rows; }
uint64_t FragmentMetadata::num_deletions() const {
  return impl_->fragment->physical_rows - impl_->fragment->live_rows();
}
uint64_t FragmentMetadata::num_rows() const { return impl_->fragment->live_rows(); }
const std::vector<DataFileInfo>& FragmentMetadata::files() const { return impl_->files(); }
uint32_t FragmentMetadata::clustering_id() const { return impl_->stamp().clustering_id; }
uint64_t FragmentMetadata::clustering_version() const { return impl_->stamp().version; }
const std::string& FragmentMetadata::clustering_group_id() const { return impl_->stamp().group_id; }
const std::map<std::string, std::string>& FragmentMetadata::metadata() const {
  return impl_->fragment->metadata;
}

arrow::Result<FragmentMetadata> FragmentMetadata::Make(const FragmentParts& parts) {
  table::Fragment fragment{.id = parts.id,
                           .physical_rows = parts.physical_rows,
                           .row_ids = TakeSequence(parts.row_ids),
                           .created_at_versions = TakeSequence(parts.created_at_versions),
                           .last_updated_at_versions = TakeSequence(parts.last_updated_at_versions),
                           .unknown_fields = parts.unknown_fields};
  for (const DataFileInfo& file : parts.files) {
    ARROW_ASSIGN_OR_RAISE(fragment.files.emplace_back(), TakeDataFile(file));
  }
  if (parts.deletion_file) {
    ARROW_ASSIGN_OR_RAISE(fragment.deletion_file, TakeDeletionFile(*parts.deletion_file));
  }
  // What may not be stored may not be made: there is one set of rules for it.
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, table::SerializeFragment(fragment));
  const auto parsed = table::ParseFragment(bytes);
  if (!parsed.ok()) return arrow::Status::Invalid(parsed.status().message());
  return MakeFragmentMetadata(*parsed);
}

FragmentParts FragmentMetadata::parts() const {
  const table::Fragment& fragment = *impl_->fragment;
  FragmentParts parts{.id = fragment.id,
                      .files = files(),
                      .physical_rows = fragment.physical_rows,
                      .row_ids = ShowSequence(fragment.row_ids),
                      .created_at_versions = ShowSequence(fragment.created_at_versions),
                      .last_updated_at_versions = ShowSequence(fragment.last_updated_at_versions),
                      .unknown_fields = fragment.unknown_fields};
  if (fragment.deletion_file) parts.deletion_file = ShowDeletionFile(*fragment.deletion_file);
  return parts;
}

arrow::Result<std::string> FragmentMetadata::Serialize() const {
  return table::SerializeFragment(*impl_->fragment);
}

arrow::Result<FragmentMetadata> FragmentMetadata::Parse(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(const table::Fragment fragment, table::ParseFragment(bytes));
  return MakeFragmentMetadata(fragment);
}

}  // namespace lance
