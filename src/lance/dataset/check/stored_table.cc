#include "lance/dataset/check/stored_table.h"

#include <algorithm>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/status_detail.h"
#include "lance/table/ref_names.h"

namespace lance::check {
namespace {

constexpr std::string_view kTree = "tree/";
constexpr std::string_view kHintName = "latest_version_hint.json";
// Three sections of at most 2 GiB; what is larger is forged.
constexpr uint64_t kMaxFileBytes = uint64_t{6} << 30;

/// A file of a versions folder, taken apart.
struct VersionsEntry {
  std::string branch;
  std::string_view file_name;
};

/// \return no value: not directly in the versions folder of the table or of a branch
std::optional<VersionsEntry> ParseVersionsEntry(std::string_view path) {
  const std::string folder = std::string(table::kVersionsFolder) + "/";
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view above = path.substr(0, slash + 1);
  if (!above.ends_with(folder)) return std::nullopt;
  above.remove_suffix(folder.size());
  VersionsEntry entry{.file_name = path.substr(slash + 1)};
  if (above.empty()) return entry;
  if (!above.starts_with(kTree) || above.size() <= kTree.size()) return std::nullopt;
  entry.branch = above.substr(kTree.size(), above.size() - kTree.size() - 1);
  return entry;
}

void AddVersionsEntry(const VersionsEntry& entry, const ObjectInfo& object, StoredTable* table) {
  VersionLine& line = table->lines[entry.branch];
  line.branch = entry.branch;
  if (entry.file_name == kHintName) {
    line.hint_size_bytes = object.size_bytes;
  } else if (const auto name = table::ParseManifestName(entry.file_name)) {
    line.versions.push_back({object.path, object.size_bytes, *name});
  } else if (entry.file_name.ends_with("manifest")) {
    line.unknown_names.push_back(object.path);
  }
}

}  // namespace

const VersionFile* VersionLine::Find(uint64_t version) const {
  const auto has_version = [version](const VersionFile& file) {
    return file.name.version == version;
  };
  const auto found = std::ranges::find_if(versions, has_version);
  return found == versions.end() ? nullptr : &*found;
}

bool StoredTable::IsListed(const VersionLine& line) const {
  if (line.branch.empty()) return true;
  return sizes.contains("_refs/branches/" + table::EncodeRefName(line.branch) + ".json");
}

arrow::Result<StoredTable> StoredTable::List(ObjectStore& store) {
  StoredTable table;
  table.lines[""];
  const auto visit = [&table](const ObjectInfo& object) {
    if (const auto entry = ParseVersionsEntry(object.path)) {
      AddVersionsEntry(*entry, object, &table);
    } else {
      table.sizes.emplace(object.path, object.size_bytes);
      const std::string segment = SegmentFolderOf(object.path);
      if (!segment.empty()) table.segment_folders.insert(segment);
    }
    return arrow::Status::OK();
  };
  for (const char* folder :
       {"_versions", "tree", "_refs", "data", "_deletions", "_indices", "_transactions"}) {
    ARROW_RETURN_NOT_OK(store.List(folder, visit));
  }
  for (auto& [branch, line] : table.lines) {
    std::ranges::sort(line.versions, {}, [](const VersionFile& file) { return file.name.version; });
  }
  return table;
}

std::string SegmentFolderOf(std::string_view path) {
  constexpr std::string_view kIndices = "_indices/";
  const size_t indices = path.find(kIndices);
  if (indices == std::string_view::npos) return "";
  const size_t slash = path.find('/', indices + kIndices.size());
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash + 1));
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(ObjectStore& store, const std::string& path,
                                                        uint64_t size_bytes,
                                                        const RunContext& run) {
  if (size_bytes > kMaxFileBytes) {
    return InFile(arrow::Status::SerializationError("the file has ", size_bytes,
                                                    " bytes; allowed: ", kMaxFileBytes),
                  path);
  }
  if (size_bytes == 0) return std::make_shared<arrow::Buffer>(nullptr, 0);
  ARROW_ASSIGN_OR_RAISE(auto buffers, store.Get(path, {{0, size_bytes}}, run.stop_token));
  return std::move(buffers.front());
}

}  // namespace lance::check
