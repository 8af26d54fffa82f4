#include "lance/base/count_text.h"

namespace lance {

std::string WithCommas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t place = text.size(); place > 3;) {
    place -= 3;
    text.insert(place, ",");
  }
  return text;
}

}  // namespace lance
