#include "lance/format/v20/array_encoding.h"

#include <array>

namespace lance::format::v20 {

const char* EncodingName(const ArrayEncoding& encoding) {
  constexpr std::array<const char*, std::variant_size_v<decltype(ArrayEncoding::form)>> kNames = {
      "Nullable", "Binary", "FixedSizeBinary", "Dictionary", "List", "SimpleStruct",
      "PackedStruct"};
  return kNames[encoding.form.index()];
}

}  // namespace lance::format::v20
