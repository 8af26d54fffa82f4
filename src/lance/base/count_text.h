#pragma once

#include <cstdint>
#include <string>

namespace lance {

/// A number for people: 336776 as "336,776".
std::string WithCommas(uint64_t number);

}  // namespace lance
