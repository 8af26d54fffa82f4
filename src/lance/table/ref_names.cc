#include "lance/table/ref_names.h"

#include <algorithm>
#include <array>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/util/utf8.h"
#include "lance/base/executor.h"
#include "lance/table/manifest_names.h"

namespace lance::table {
namespace {

constexpr std::string_view kAllowed = "; allowed: letters, digits, '.', '-' and '_'";
constexpr std::string_view kLock = ".lock";
constexpr std::string_view kTree = "tree/";

template <typename... Problem>
arrow::Status BadName(std::string_view kind, std::string_view name, Problem&&... problem) {
  return arrow::Status::Invalid(kind, " name \"", name.substr(0, 100), "\" ",
                                std::forward<Problem>(problem)...);
}

/// Whether a text consists of letters and digits, of any script.
arrow::Result<bool> IsAlphanumeric(const std::string& text) {
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(text)) return false;
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  ARROW_ASSIGN_OR_RAISE(
      const arrow::Datum result,
      arrow::compute::CallFunction("utf8_is_alnum",
                                   {arrow::Datum(std::make_shared<arrow::StringScalar>(text))}));
  return result.scalar_as<arrow::BooleanScalar>().value;
}

/// Check what tags and segments of branches are made of.
arrow::Status CheckLetters(std::string_view kind, std::string_view name, std::string others) {
  std::erase_if(others, [](char c) { return c == '.' || c == '-' || c == '_'; });
  if (others.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const bool is_allowed, IsAlphanumeric(others));
  return is_allowed ? arrow::Status::OK()
                    : BadName(kind, name, "has other characters", kAllowed,
                              kind == "branch" ? ", joined by '/'" : "");
}

/// Whether a segment of a path is the folder itself.
bool HasDotSegment(std::string_view name) {
  const std::string framed = "/" + std::string(name) + "/";
  return framed.find("/./") != std::string::npos;
}

/// The value of a hexadecimal digit in upper case; -1: it is none.
int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

arrow::Status CheckTagName(std::string_view name) {
  constexpr std::string_view kTag = "tag";
  if (name.empty()) return BadName(kTag, name, "is empty", kAllowed);
  if (name.front() == '.' || name.back() == '.') {
    return BadName(kTag, name, "begins or ends with a dot");
  }
  if (name.find("..") != std::string_view::npos) {
    return BadName(kTag, name, "has two dots in a row");
  }
  if (name.ends_with(kLock)) return BadName(kTag, name, "ends with .lock");
  return CheckLetters(kTag, name, std::string(name));
}

arrow::Status CheckBranchName(std::string_view name) {
  constexpr std::string_view kBranch = "branch";
  if (name.empty()) return BadName(kBranch, name, "is empty", kAllowed, ", joined by '/'");
  if (name == kMainBranch) {
    return BadName(kBranch, name, "is kept for the main branch; allowed: other names");
  }
  if (name.front() == '/' || name.back() == '/') {
    return BadName(kBranch, name, "begins or ends with a '/'");
  }
  if (name.find("//") != std::string_view::npos) {
    return BadName(kBranch, name, "has two '/' in a row");
  }
  if (name.find("..") != std::string_view::npos) {
    return BadName(kBranch, name, "has two dots in a row");
  }
  if (HasDotSegment(name)) return BadName(kBranch, name, "has a segment that is only a dot");
  if (name.ends_with(kLock)) return BadName(kBranch, name, "ends with .lock");
  std::string letters(name);
  std::erase(letters, '/');
  return CheckLetters(kBranch, name, std::move(letters));
}

bool IsTableFolder(std::string_view name) {
  // All of table-format 1.1 but `tree`, which only a root has.
  static constexpr std::array<std::string_view, 10> kFolders = {
      "_versions", "_transactions", "_deletions", "_indices",    "data",
      "_blobs",    "_fri",          "_bt",        "_clustering", "_refs"};
  return std::ranges::find(kFolders, name) != kFolders.end();
}

arrow::Status CheckNewBranchName(std::string_view name) {
  ARROW_RETURN_NOT_OK(CheckBranchName(name));
  size_t slash = name.find('/');
  if (name.substr(0, slash) == kMainBranch) {
    return BadName("branch", name,
                   "begins with main/: other writers delete the whole table with such a branch");
  }
  while (slash != std::string_view::npos) {
    const size_t begin = slash + 1;
    slash = name.find('/', begin);
    const std::string_view segment = name.substr(begin, slash - begin);
    if (!IsTableFolder(segment)) continue;
    return BadName("branch", name, "has a segment ", segment,
                   ", a folder of the branch that is called as the segments before it");
  }
  return arrow::Status::OK();
}

std::string EncodeRefName(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x80 && letter != '/') {
      encoded += letter;
    } else {
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

std::optional<std::string> DecodeRefName(std::string_view encoded) {
  std::string name;
  for (size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '%') {
      name += encoded[i];
      continue;
    }
    if (i + 2 >= encoded.size()) return std::nullopt;
    const int high = DigitOf(encoded[i + 1]);
    const int low = DigitOf(encoded[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    name += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return name;
}

std::string BranchFolder(std::string_view name) { return std::string(kTree) + std::string(name); }

std::optional<VersionsFile> ParseVersionsPath(std::string_view path) {
  const std::string folder = std::string(kVersionsFolder) + "/";
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view above = path.substr(0, slash + 1);
  if (!above.ends_with(folder)) return std::nullopt;
  above.remove_suffix(folder.size());
  VersionsFile file{.file_name = path.substr(slash + 1)};
  if (above.empty()) return file;
  if (!above.starts_with(kTree) || above.size() <= kTree.size()) return std::nullopt;
  file.branch = above.substr(kTree.size(), above.size() - kTree.size() - 1);
  return file;
}

}  // namespace lance::table
