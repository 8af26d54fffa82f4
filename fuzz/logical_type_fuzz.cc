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
  LANCE_FUZZ_CHECK(name.ok(), "what can be parsed can be named");
  const auto again = lance::format::ParseLogicalType(*name);
  LANCE_FUZZ_CHECK(again.ok() && (*again)->Equals(**type), *name);
}
