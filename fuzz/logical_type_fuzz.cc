// The text that names a type.

#include <string>

#include "arrow/api.h"
#include "fuzz/target.h"
#include "lance/format/schema.h"

LANCE_FUZZ_TARGET(logical_type) {
  const std::string text(reinterpret_cast<const char*>(input.data()), input.size());
  const auto type = lance::format::ParseLogicalType(text);
  if (!type.ok()) return;
  const auto name = lance::format::LogicalTypeOf(**type);
  if (!name.ok()) {
    // Dictionaries of types whose names have a colon are read, but not written.
    LANCE_FUZZ_CHECK(name.status().IsNotImplemented(), name.status().ToString());
    return;
  }
  const auto again = lance::format::ParseLogicalType(*name);
  LANCE_FUZZ_CHECK(again.ok() && (*again)->Equals(**type), *name);
}
