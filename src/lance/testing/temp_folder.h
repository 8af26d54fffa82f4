#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace lance::testing {

/// A folder of its own for one test, removed with all it holds. Move nothing out of its lifetime.
class TempFolder {
 public:
  TempFolder() {
    const auto pattern = std::filesystem::temp_directory_path() / "lance_test_XXXXXX";
    std::string name = pattern.string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;  // a leftover folder in the temporary folder harms nobody
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  /// Absolute, without trailing '/'.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace lance::testing
