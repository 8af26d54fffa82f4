// The value of a constant page, in its description and in a buffer.

#include "arrow/memory_pool.h"
#include "fuzz/target.h"
#include "fuzz/value_input.h"
#include "lance/format/pages/constant_value.h"

LANCE_FUZZ_TARGET(constant_value) {
  lance::fuzz::Input in(input);
  const auto shape = lance::fuzz::TakeShape(&in);
  // Pages of such columns have no value: ParsePageLayout sees to it.
  if (shape.is_packed() || shape.is_fixed_size_list()) return;
  const auto bytes = lance::fuzz::ExactCopy(in.TakeRest());
  lance::format::ValueBuffer inline_value(shape, arrow::default_memory_pool());
  if (lance::format::ParseInlineValue(bytes, &inline_value).ok()) {
    lance::fuzz::UseValues(inline_value, shape, 1, arrow::default_memory_pool());
  }
  lance::format::ValueBuffer stored_value(shape, arrow::default_memory_pool());
  if (lance::format::ParseStoredValue(bytes, &stored_value).ok()) {
    lance::fuzz::UseValues(stored_value, shape, 1, arrow::default_memory_pool());
  }
}
