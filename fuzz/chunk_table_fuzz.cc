// The chunk words and the repetition index of a mini-block page.

#include "fuzz/input.h"
#include "fuzz/target.h"
#include "lance/format/pages/chunk_table.h"

namespace lance::format {
namespace {

/// Check what a table promises, and look rows up.
void UseTable(const ChunkTable& table, const ChunkTotals& totals) {
  const size_t n = table.num_chunks();
  LANCE_FUZZ_CHECK(table.byte_of(0) == 0 && table.byte_of(n) == totals.num_bytes,
                   "chunks fill the buffer");
  LANCE_FUZZ_CHECK(table.values_before(n) == totals.num_values, "chunks hold all values");
  LANCE_FUZZ_CHECK(table.rows_finished_before(n) == totals.num_rows &&
                       table.rows_begun_before(n) == totals.num_rows,
                   "chunks hold all rows");
  for (size_t i = 0; i < n; ++i) {
    LANCE_FUZZ_CHECK(table.byte_of(i) < table.byte_of(i + 1), "chunks have bytes");
    LANCE_FUZZ_CHECK(table.num_values(i) > 0, "chunks have values");
    LANCE_FUZZ_CHECK(table.rows_finished_before(i) <= table.rows_begun_before(i),
                     "rows begin before they end");
    LANCE_FUZZ_CHECK(table.rows_begun_before(i) <= table.rows_begun_before(i + 1),
                     "rows come in their order");
    LANCE_FUZZ_CHECK(table.rows_begun_before(i) <= table.rows_finished_before(i) + 1,
                     "one row at most goes on");
  }
  for (const uint64_t row : {uint64_t{0}, totals.num_rows / 2, totals.num_rows - 1}) {
    const size_t begin = table.ChunkWhereRowBegins(row);
    const size_t end = table.ChunkWhereRowEnds(row);
    LANCE_FUZZ_CHECK(begin <= end && end < n, "rows lie in chunks");
    LANCE_FUZZ_CHECK(
        table.rows_begun_before(begin) <= row && row < table.rows_begun_before(begin + 1),
        "the row begins there");
    LANCE_FUZZ_CHECK(
        table.rows_finished_before(end) <= row && row < table.rows_finished_before(end + 1),
        "the row ends there");
  }
}

}  // namespace
}  // namespace lance::format

LANCE_FUZZ_TARGET(chunk_table) {
  lance::fuzz::Input in(input);
  const uint32_t word_bytes = in.TakeBool() ? 4 : 2;
  const bool has_lists = in.TakeBool();
  lance::format::ChunkTotals totals;
  totals.num_values = uint64_t{in.Take<uint32_t>()} + 1;
  totals.num_rows = has_lists ? uint64_t{in.Take<uint32_t>()} + 1 : totals.num_values;
  totals.num_bytes = in.Take<uint32_t>();
  const auto words = lance::fuzz::ExactCopy(in.TakeBytes(size_t{in.Take<uint8_t>()} * word_bytes));
  const auto index = lance::fuzz::ExactCopy(in.TakeRest());
  auto table = lance::format::ParseChunkTable(words, word_bytes, totals);
  if (!table.ok()) return;
  if (has_lists && !lance::format::ParseRepetitionIndex(index, totals.num_rows, &*table).ok()) {
    return;
  }
  lance::format::UseTable(*table, totals);
}
