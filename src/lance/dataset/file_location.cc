#include "lance/dataset/file_location.h"

#include <utility>

#include "lance/dataset/dataset_impl.h"
#include "lance/io/table_uri.h"

namespace lance {

arrow::Result<FileLocation> LocateFile(const std::string& uri, const OpenOptions& options) {
  const bool is_path = SplitTableUri(uri).scheme.empty();
  const size_t slash = uri.rfind('/');
  std::string name = slash == std::string::npos ? uri : uri.substr(slash + 1);
  std::string folder = slash == std::string::npos ? "." : uri.substr(0, slash);
  if (slash == 0) folder = "/";
  if (name.empty()) return arrow::Status::Invalid("\"", uri, "\" names a folder, not a file");
  if (!is_path) {
    ARROW_ASSIGN_OR_RAISE(name, PercentDecode(name, uri));
  }
  ARROW_ASSIGN_OR_RAISE(OpenedTable opened, OpenTableStore(folder, options));
  return FileLocation{std::move(opened.store), std::move(name), std::move(opened.session)};
}

}  // namespace lance
