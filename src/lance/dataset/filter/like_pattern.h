#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"

namespace lance::filter {

/// Whether a text matches a pattern of LIKE: % for any characters, _ for one, and a backslash
/// before either.
bool MatchesLike(std::string_view text, std::string_view pattern);

/// The same pattern with a backslash as its escape. \return Invalid when it ends in its escape
arrow::Result<std::string> WithBackslash(std::string_view pattern, std::string_view escape);

/// What texts begin with that match a pattern. A plain value.
struct LikePrefix {
  std::string text;
  bool is_whole = false;  // they are that text
};

/// What all matches of a pattern begin with; its escape is a backslash.
LikePrefix PrefixOfLike(std::string_view pattern);

/// A regular expression that matches what a pattern does; its escape is a backslash.
std::string RegexOfLike(std::string_view pattern);

/// The name of a bound call of LIKE that minds case.
inline constexpr std::string_view kLikeName = "like";

}  // namespace lance::filter
