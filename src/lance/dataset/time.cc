#include "lance/time.h"

#include "lance/base/time_text.h"

namespace lance {

std::string ToString(Timestamp time) { return ToText(time); }

arrow::Result<Timestamp> ParseTimestamp(std::string_view text) { return ParseTime(text); }

}  // namespace lance
