#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lance {

/// The names that one may have been meant by, best first, at most three; empty when none is really
/// near.
///
/// Near is a name that is the same but for case, that differs in at most a third of its letters, an
/// exchange of two neighbours counted once, or that begins with what was written.
std::vector<std::string> NearNames(std::string_view name, const std::vector<std::string>& names);

/// Some names for a message, with ", " between them: "a, b and 5 more". \param most how many to
/// show
std::string ListNames(const std::vector<std::string>& names, size_t most);

}  // namespace lance
