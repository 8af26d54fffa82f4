#include "lance/table/restored_files.h"

#include <set>
#include <string>
#include <vector>

#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/table/named_files.h"

namespace lance::table {
namespace {

/// The files in the table's own place that rows are read from.
std::set<std::string> OwnFilesOf(const Manifest& manifest) {
  std::set<std::string> paths;
  VisitNamedFiles(manifest, [&](const NamedFile& file) {
    const bool is_file =
        file.kind != NamedFileKind::kIndexFolder && file.kind != NamedFileKind::kTransaction;
    if (is_file && !file.base_id) paths.insert(file.path);
  });
  return paths;
}

}  // namespace

arrow::Status CheckRestoredFiles(ObjectStore& store, const Manifest& restored,
                                 const Manifest& newest, const RunContext& run) {
  std::set<std::string> paths = OwnFilesOf(restored);
  for (const std::string& path : OwnFilesOf(newest)) paths.erase(path);
  const std::vector<std::string> asked(paths.begin(), paths.end());
  const auto look = [&](int i) -> arrow::Status {
    const std::string& path = asked[static_cast<size_t>(i)];
    const arrow::Status found = store.Head(path).status();
    if (NotFound::From(found) == nullptr) return found;
    return arrow::Status::IOError("version ", restored.version, " cannot be restored: ", path,
                                  " is not there");
  };
  return ParallelFor(static_cast<int>(asked.size()), run.num_threads, run.stop_token, look);
}

}  // namespace lance::table
