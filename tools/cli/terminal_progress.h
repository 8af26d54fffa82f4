#pragma once

#include <memory>

#include "command_line.h"
#include "lance/progress.h"

namespace lancectl {

/// Shows a bar on standard error when that is a terminal, and warnings always (not with --quiet).
std::shared_ptr<lance::Observer> MakeTerminalObserver(const CommonFlags& flags);

}  // namespace lancectl
