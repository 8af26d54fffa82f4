#include "lance/table/named_files.h"

#include <string>
#include <utility>
#include <variant>

#include "lance/table/base_path.h"
#include "lance/table/deletion_file.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/fragment_reuse_proto.h"
#include "lance/table/manifest_names.h"

namespace lance::table {
namespace {

using Visit = std::function<void(const NamedFile&)>;

void VisitFragment(const Fragment& fragment, const Visit& visit) {
  for (DataFile file : fragment.files) {
    const auto base_id = std::exchange(file.base_id, std::nullopt);
    visit({NamedFileKind::kData, base_id, DataFilePath(file), file.size_bytes});
  }
  if (!fragment.deletion_file) return;
  DeletionFile file = *fragment.deletion_file;
  const auto base_id = std::exchange(file.base_id, std::nullopt);
  visit({NamedFileKind::kDeletion, base_id, DeletionFilePath(fragment.id, file)});
}

/// Whether an entry is all that there is: it has no folder.
bool IsInlineReuse(const IndexMetadata& index) {
  if (index.name != kFragmentReuseName || !index.files.empty()) return false;
  const auto stored = ParseReuseDetails(index.details_value);
  return stored.ok() && std::holds_alternative<std::string>(*stored);
}

void VisitIndex(const IndexMetadata& index, const Visit& visit) {
  if (IsInlineReuse(index)) return;
  const std::string folder = "_indices/" + index.uuid.ToString() + "/";
  visit({NamedFileKind::kIndexFolder, index.base_id, folder});
  for (const IndexFile& file : index.files) {
    visit({NamedFileKind::kIndexFile, index.base_id, folder + file.path, file.size_bytes});
  }
}

}  // namespace

void VisitNamedFiles(const Manifest& manifest, const Visit& visit) {
  for (const Fragment& fragment : manifest.fragments) VisitFragment(fragment, visit);
  for (const IndexMetadata& index : manifest.indices) VisitIndex(index, visit);
  if (manifest.transaction_file.empty()) return;
  visit({NamedFileKind::kTransaction, std::nullopt, TransactionPath(manifest.transaction_file)});
}

}  // namespace lance::table
