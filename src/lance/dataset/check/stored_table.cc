#include "lance/dataset/check/stored_table.h"

#include <algorithm>

namespace lance::check {
namespace {

constexpr std::string_view kHintName = "latest_version_hint.json";

void AddVersionsEntry(const table::VersionsFile& entry, const ObjectInfo& object,
                      StoredTable* table) {
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
    if (const auto entry = table::ParseVersionsPath(object.path)) {
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

}  // namespace lance::check
