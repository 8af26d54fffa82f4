#pragma once

#include <cstdint>
#include <string_view>

namespace lance {

/// The CRC-32C (Castagnoli) of some bytes.
uint32_t Crc32c(std::string_view bytes);

}  // namespace lance
