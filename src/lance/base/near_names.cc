#include "lance/base/near_names.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

namespace lance {

namespace {

constexpr size_t kMaxLength = 64;  // longer names are not typing errors
constexpr size_t kMostNames = 3;
constexpr size_t kFar = SIZE_MAX;

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// How many letters to put in, take out, change, or exchange with their neighbour; quadratic.
size_t EditDistance(const std::string& left, const std::string& right) {
  std::vector<size_t> two_above(right.size() + 1);
  std::vector<size_t> above(right.size() + 1);
  std::vector<size_t> row(right.size() + 1);
  for (size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= left.size(); ++i) {
    two_above.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const bool is_same = left[i - 1] == right[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (is_same ? 0 : 1)});
      const bool is_exchanged =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (is_exchanged) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row.back();
}

/// How far a name is from another; kFar: not near. Both in lower case.
size_t DistanceOf(const std::string& name, const std::string& other) {
  const size_t distance = EditDistance(name, other);
  const size_t longer = std::max(name.size(), other.size());
  const size_t shorter = std::min(name.size(), other.size());
  if (distance * 3 <= longer) return distance;
  // One letter more says little of a long name.
  const bool begins = other.starts_with(name) && (name.size() >= 3 || shorter * 2 >= longer);
  const bool is_begun = name.starts_with(other) && shorter * 2 >= longer;
  return begins || is_begun ? distance : kFar;
}

}  // namespace

std::vector<std::string> NearNames(std::string_view name, const std::vector<std::string>& names) {
  if (name.empty() || name.size() > kMaxLength) return {};
  const std::string lower = LowerAscii(name);
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& other : names) {
    if (other.size() > kMaxLength) continue;
    const size_t distance = DistanceOf(lower, LowerAscii(other));
    if (distance != kFar) near.emplace_back(distance, other);
  }
  std::ranges::stable_sort(near, {}, &std::pair<size_t, std::string>::first);
  if (near.size() > kMostNames) near.resize(kMostNames);
  std::vector<std::string> found;
  for (auto& [distance, other] : near) found.push_back(std::move(other));
  return found;
}

std::string ListNames(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(most, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace lance
