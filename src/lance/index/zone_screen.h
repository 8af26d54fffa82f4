#pragma once

#include <cstdint>

#include "lance/index/ordered_value.h"
#include "lance/index/zone_list.h"

namespace lance::index {

/// An interval that holds all literals of a leaf; unknown ends are open. Borrows them.
struct LiteralSpan {
  OrderedValue low;
  OrderedValue high;
};

/// Rule out zones whose bounds are known and lie apart from an interval, and that have no NaNs.
///
/// Fast, so that millions of zones cost milliseconds; what it leaves needs a closer look: types
/// without a fast order are left whole.
/// \param may one byte for each zone; 0 is written for those that are ruled out
void ScreenZones(const ZoneList& zones, const LiteralSpan& span, uint8_t* may);

}  // namespace lance::index
