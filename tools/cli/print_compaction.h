#pragma once

#include <optional>

#include "command_line.h"
#include "lance/optimize.h"

namespace lancectl {

/// Say which budget ended planning; nothing when none did.
void PrintStop(const std::optional<lance::CompactionStop>& stop);

/// Print what a compaction did, as the flags ask for it.
void PrintCompaction(const Invocation& invocation, const lance::CompactionResult& result);

}  // namespace lancectl
