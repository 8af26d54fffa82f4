#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lance/base/run_context.h"
#include "lance/object_store.h"

namespace lance::table {

/// A hint that is this many versions behind still spares the listing.
inline constexpr uint64_t kMaxHintAge = 3;

/// Take the version from the text of a hint: one JSON object, in any formatting, with other keys
/// ignored (table-format 1.4).
///
/// \return no value: not such a text, or no ordinary version
std::optional<uint64_t> ParseVersionHint(std::string_view text);

/// Read the version hint of a table.
///
/// \return no value for whatever stands in the way: a hint is never needed
std::optional<uint64_t> ReadVersionHint(ObjectStore& store, const RunContext& run);

/// Write the hint, best effort: a failure is swallowed, because a hint is never needed.
void WriteVersionHint(ObjectStore& store, uint64_t version);

}  // namespace lance::table
