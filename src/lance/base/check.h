#pragma once

#include <cassert>

/// Check what only our own bug can break: compiled out in release, never with side effects.
#define LANCE_DCHECK(condition) assert(condition)
