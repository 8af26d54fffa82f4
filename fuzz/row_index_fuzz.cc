// The row index of a full-zip page.

#include "fuzz/input.h"
#include "fuzz/target.h"
#include "lance/format/pages/row_index.h"

LANCE_FUZZ_TARGET(row_index) {
  lance::fuzz::Input in(input);
  const uint64_t num_rows = in.TakeBool() ? in.Take<uint8_t>() : in.Take<uint64_t>();
  const uint64_t data_bytes = in.TakeBool() ? in.Take<uint8_t>() : in.Take<uint64_t>();
  const auto index = lance::fuzz::ExactCopy(in.TakeRest());
  const auto shape = lance::format::MakeRowIndexShape(index.size(), num_rows, data_bytes);
  if (!shape.ok()) return;
  LANCE_FUZZ_CHECK(shape->entry_bytes * (num_rows + 1) == index.size(), "entries fill the index");
  const auto status = shape->CheckEntries(index, 0);
  uint64_t before = 0;
  bool is_rising = shape->Load(index.data()) == 0;
  for (uint64_t row = 0; row <= num_rows; ++row) {
    const uint64_t at = shape->Load(index.data() + row * shape->entry_bytes);
    is_rising = is_rising && at >= before;
    before = at;
  }
  LANCE_FUZZ_CHECK(status.ok() == (is_rising && before == data_bytes), status.ToString());
}
