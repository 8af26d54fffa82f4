#include "lance/io/table_uri.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace lance {

namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsScheme(std::string_view text) {
  if (text.size() < 2 || !IsLetter(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.';
  });
}

/// \return the digit's value, or -1
int HexValue(char digit) {
  if (IsDigit(digit)) return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

TableUri SplitTableUri(std::string_view uri) {
  const size_t separator = uri.find("://");
  if (separator == std::string_view::npos || !IsScheme(uri.substr(0, separator))) {
    return {"", std::string(uri)};
  }
  std::string scheme(uri.substr(0, separator));
  for (char& c : scheme) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return {std::move(scheme), std::string(uri.substr(separator + 3))};
}

arrow::Result<std::string> PercentDecode(std::string_view text, std::string_view uri) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
    const int value = high < 0 || low < 0 ? 0 : high * 16 + low;
    if (value == 0) {
      return arrow::Status::Invalid("URI is \"", uri, "\" with \"", text.substr(i, 3),
                                    "\"; allowed after '%': two hex digits that are not 00");
    }
    decoded.push_back(static_cast<char>(value));
    i += 2;
  }
  return decoded;
}

std::string PercentEncode(std::string_view text) {
  static constexpr char kHexDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsLetter(c) || IsDigit(c) || std::string_view("-_.~/").find(c) != std::string_view::npos) {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.push_back('%');
    encoded.push_back(kHexDigits[byte >> 4]);
    encoded.push_back(kHexDigits[byte & 0x0f]);
  }
  return encoded;
}

arrow::Result<std::string> FilePathOf(const TableUri& uri) {
  const std::string text = "file://" + uri.location;
  if (uri.location.find_first_of("?#") != std::string::npos) {
    return arrow::Status::Invalid("URI is \"", text,
                                  "\"; a file URI has no query and no fragment: write %3F for '?' "
                                  "and %23 for '#', or give a plain path");
  }
  const size_t slash = uri.location.find('/');
  const std::string host = uri.location.substr(0, slash);
  if (slash == std::string::npos || (!host.empty() && host != "localhost")) {
    return arrow::Status::Invalid("URI is \"", text, "\"; allowed: file:///absolute/path");
  }
  return PercentDecode(std::string_view(uri.location).substr(slash), text);
}

arrow::Result<std::string> NormalizeLocalPath(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return arrow::Status::Invalid("table path is empty or holds a NUL character");
  }
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  if (error) return arrow::Status::IOError(path, ": no current folder: ", error.message());
  std::string normal = absolute.lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

}  // namespace lance
