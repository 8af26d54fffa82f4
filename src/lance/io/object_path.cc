#include "lance/io/object_path.h"

#include <algorithm>

#include "lance/base/status_detail.h"
#include "lance/io/stores.h"

namespace lance {

namespace {

/// Call `visit` for each '/'-separated component until it returns false. \return whether none did
template <typename Visit>
bool AllComponents(std::string_view path, Visit visit) {
  for (;;) {
    const size_t slash = path.find('/');
    if (!visit(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// The path for a message: cut, and free of control characters.
std::string Printable(std::string_view path) {
  std::string text(path.substr(0, 64));
  std::replace_if(text.begin(), text.end(), IsControl, '?');
  return text;
}

}  // namespace

bool IsTemporaryPath(std::string_view path) {
  return !AllComponents(path, [](std::string_view component) {
    return component.substr(0, kTemporaryPrefix.size()) != kTemporaryPrefix;
  });
}

arrow::Status CheckObjectPath(const std::string& path) {
  if (std::any_of(path.begin(), path.end(), IsControl)) {
    return arrow::Status::Invalid("object path is \"", Printable(path),
                                  "\"; control characters are not allowed");
  }
  const bool is_relative = AllComponents(path, [](std::string_view component) {
    return !component.empty() && component != "." && component != "..";
  });
  if (!is_relative) {
    return arrow::Status::Invalid("object path is \"", Printable(path),
                                  "\"; empty components, \".\" and \"..\" are not allowed");
  }
  return arrow::Status::OK();
}

arrow::Status CheckByteRanges(const std::string& path, const std::vector<ByteRange>& ranges,
                              uint64_t size_bytes) {
  for (const ByteRange& range : ranges) {
    if (range.length > size_bytes || range.offset > size_bytes - range.length) {
      return arrow::Status::IOError(path, ": read of offset ", range.offset, ", length ",
                                    range.length, " reaches past its end at ", size_bytes);
    }
  }
  return arrow::Status::OK();
}

arrow::Status ObjectNotFound(const std::string& path) {
  return NotFoundError("object", path, path + ": no such object");
}

}  // namespace lance
