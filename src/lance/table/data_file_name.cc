#include "lance/table/data_file_name.h"

#include <cstddef>
#include <cstdint>

namespace lance::table {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";
constexpr size_t kNumBinaryBytes = 3;

}  // namespace

std::string DataFileNameOf(const Uuid& uuid) {
  std::string name;
  for (size_t i = 0; i < uuid.bytes.size(); ++i) {
    const uint8_t byte = uuid.bytes[i];
    if (i < kNumBinaryBytes) {
      for (int bit = 7; bit >= 0; --bit) name += (byte >> bit & 1) != 0 ? '1' : '0';
    } else {
      name += kHexDigits[byte >> 4];
      name += kHexDigits[byte & 15];
    }
  }
  return name + ".lance";
}

std::string MakeDataFileName(RandomSource& random) { return DataFileNameOf(Uuid::Random(random)); }

}  // namespace lance::table
