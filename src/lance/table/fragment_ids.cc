#include "lance/table/fragment_ids.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace lance::table {
namespace {

constexpr uint64_t kMaxFragmentId = std::numeric_limits<uint32_t>::max();

/// The highest fragment id ever used; no value: none.
std::optional<uint64_t> HighestFragmentId(const Manifest& manifest) {
  std::optional<uint64_t> highest;
  if (manifest.max_fragment_id) highest = *manifest.max_fragment_id;
  for (const Fragment& fragment : manifest.fragments) {
    highest = std::max(highest.value_or(0), fragment.id);
  }
  return highest;
}

arrow::Status IdsExhausted(uint64_t wanted) {
  return arrow::Status::CapacityError("fragment ids are exhausted: ", wanted,
                                      " would be needed, the highest possible is ", kMaxFragmentId);
}

}  // namespace

arrow::Status AssignFragmentIds(bool keep_ids, Manifest* manifest,
                                std::vector<Fragment>* fragments) {
  std::optional<uint64_t> highest = HighestFragmentId(*manifest);
  for (const Fragment& fragment : *fragments) {
    if (keep_ids && fragment.id != 0) highest = std::max(highest.value_or(0), fragment.id);
  }
  for (Fragment& fragment : *fragments) {
    if (keep_ids && fragment.id != 0) continue;
    fragment.id = highest ? *highest + 1 : 0;
    highest = fragment.id;
  }
  if (!highest) return arrow::Status::OK();
  if (*highest > kMaxFragmentId) return IdsExhausted(*highest);
  manifest->max_fragment_id = static_cast<uint32_t>(*highest);
  return arrow::Status::OK();
}

arrow::Status ReserveFragmentIds(uint32_t num_fragments, Manifest* manifest) {
  const uint64_t highest = HighestFragmentId(*manifest).value_or(0) + num_fragments;
  if (highest > kMaxFragmentId) return IdsExhausted(highest);
  manifest->max_fragment_id = static_cast<uint32_t>(highest);
  return arrow::Status::OK();
}

}  // namespace lance::table
