#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lance {

/// Another place that files of a table can be in. A plain value. Source: table-format 1.9.
struct DatasetBasePath {
  /// An absolute path or a URI.
  std::string path;
  /// Names are unique, also the absent one.
  std::optional<std::string> name;
  /// Whether it is laid out like a table, with a folder for data files; else it is their folder.
  bool is_dataset_root = false;
  /// 0: given at the commit.
  uint32_t id = 0;
};

}  // namespace lance
