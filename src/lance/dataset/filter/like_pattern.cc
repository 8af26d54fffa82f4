#include "lance/dataset/filter/like_pattern.h"

#include "lance/dataset/filter/utf8.h"

namespace lance::filter {

namespace {

/// The bytes of a pattern's first element that stand for themselves, with their escape.
struct Element {
  std::string_view literal;
  size_t size = 0;
};

Element FirstElement(std::string_view pattern) {
  const bool is_escaped = pattern.front() == '\\' && pattern.size() > 1;
  const std::string_view rest = pattern.substr(is_escaped ? 1 : 0);
  const std::string_view literal = rest.substr(0, OffsetOfCharacter(rest, 1));
  return {literal, literal.size() + (is_escaped ? 1 : 0)};
}

}  // namespace

bool MatchesLike(std::string_view text, std::string_view pattern) {
  // Where to go on when what follows the last % does not match: one character further.
  std::string_view retry_text;
  std::string_view retry_pattern;
  bool can_retry = false;
  while (!text.empty() || !pattern.empty()) {
    if (!pattern.empty() && pattern.front() == '%') {
      pattern.remove_prefix(1);
      retry_text = text;
      retry_pattern = pattern;
      can_retry = true;
      continue;
    }
    if (!pattern.empty() && !text.empty()) {
      const Element element = FirstElement(pattern);
      const bool is_any = pattern.front() == '_';
      if (is_any || text.starts_with(element.literal)) {
        text.remove_prefix(is_any ? OffsetOfCharacter(text, 1) : element.literal.size());
        pattern.remove_prefix(element.size);
        continue;
      }
    }
    if (!can_retry || retry_text.empty()) return false;
    retry_text.remove_prefix(OffsetOfCharacter(retry_text, 1));
    text = retry_text;
    pattern = retry_pattern;
  }
  return true;
}

arrow::Result<std::string> WithBackslash(std::string_view pattern, std::string_view escape) {
  if (escape.empty() || escape == "\\") return std::string(pattern);
  std::string rewritten;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      rewritten += "\\\\";
    } else if (pattern[i] != escape.front()) {
      rewritten += pattern[i];
    } else if (++i < pattern.size()) {
      rewritten += '\\';
      rewritten += pattern[i];
    } else {
      return arrow::Status::Invalid("the pattern ends in its escape character");
    }
  }
  return rewritten;
}

LikePrefix PrefixOfLike(std::string_view pattern) {
  LikePrefix prefix;
  while (!pattern.empty()) {
    if (pattern.front() == '%' || pattern.front() == '_') return prefix;
    const Element element = FirstElement(pattern);
    prefix.text += element.literal;
    pattern.remove_prefix(element.size);
  }
  prefix.is_whole = true;
  return prefix;
}

std::string RegexOfLike(std::string_view pattern) {
  constexpr std::string_view kMeta = "\\.+*?()[]{}^$|";
  std::string regex = "(?s)^";
  while (!pattern.empty()) {
    const Element element = FirstElement(pattern);
    const char first = element.literal.front();
    if (pattern.front() == '%') {
      regex += ".*";
    } else if (pattern.front() == '_') {
      regex += '.';
    } else if (kMeta.find(first) != kMeta.npos) {
      (regex += '\\') += first;
    } else {
      regex += element.literal;
    }
    pattern.remove_prefix(element.size);
  }
  return regex + "$";
}

}  // namespace lance::filter
