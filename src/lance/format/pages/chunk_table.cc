#include "lance/format/pages/chunk_table.h"

#include <algorithm>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"

namespace lance::format {
namespace {

constexpr uint64_t kChunkAlignment = 8;

/// The last position of ascending `starts` that is not behind `row`.
size_t LastNotBehind(const std::vector<uint64_t>& starts, uint64_t row) {
  const auto after = std::upper_bound(starts.begin(), starts.end(), row);
  return static_cast<size_t>(after - starts.begin()) - 1;
}

uint64_t LoadWord(const std::byte* word, uint32_t word_bytes) {
  return word_bytes == sizeof(uint16_t) ? LoadLittleEndian<uint16_t>(word)
                                        : LoadLittleEndian<uint32_t>(word);
}

}  // namespace

size_t ChunkTable::ChunkWhereRowBegins(uint64_t row) const {
  return LastNotBehind(begun_.empty() ? values_ : begun_, row);
}

size_t ChunkTable::ChunkWhereRowEnds(uint64_t row) const {
  return LastNotBehind(finished_.empty() ? values_ : finished_, row);
}

arrow::Result<ChunkTable> ParseChunkTable(std::span<const std::byte> words, uint32_t word_bytes,
                                          const ChunkTotals& totals) {
  LANCE_DCHECK(word_bytes == sizeof(uint16_t) || word_bytes == sizeof(uint32_t));
  const ByteReader in(words, "ChunkWords");
  const size_t num_chunks = words.size() / word_bytes;
  if (num_chunks == 0 || words.size() % word_bytes != 0) {
    return in.Corrupt("word", words.size(), " bytes are no words of ", word_bytes, " bytes for ",
                      totals.num_values, " values");
  }
  ChunkTable table;
  table.bytes_.resize(num_chunks + 1);
  table.values_.resize(num_chunks + 1);
  for (size_t i = 0; i < num_chunks; ++i) {
    const uint64_t word = LoadWord(words.data() + i * word_bytes, word_bytes);
    const bool is_last = i + 1 == num_chunks;
    const uint64_t log_values = word & 15;
    if (log_values == 0 && !is_last) {
      return in.Corrupt("word", "chunk ", i, " of ", num_chunks, " has one value, allowed are 2 ",
                        "and more for all but the last");
    }
    // Neither sum can wrap: both grow by less than 2^32 for every 2 bytes of `words`.
    table.bytes_[i + 1] = table.bytes_[i] + (word / 16 + 1) * kChunkAlignment;
    table.values_[i + 1] =
        is_last ? totals.num_values : table.values_[i] + (uint64_t{1} << log_values);
    if (table.values_[i + 1] <= table.values_[i] || table.values_[i + 1] > totals.num_values) {
      return in.Corrupt("word", "chunk ", i, " of ", num_chunks, " begins at value ",
                        table.values_[i], " and ends at value ", table.values_[i + 1],
                        ", the page has ", totals.num_values, " values");
    }
  }
  if (table.bytes_[num_chunks] != totals.num_bytes) {
    return in.Corrupt("word", "the chunks have ", table.bytes_[num_chunks],
                      " bytes together, their buffer has ", totals.num_bytes);
  }
  return table;
}

arrow::Status ParseRepetitionIndex(std::span<const std::byte> index, uint64_t num_rows,
                                   ChunkTable* table) {
  ByteReader in(index, "RepetitionIndex");
  const size_t num_chunks = table->num_chunks();
  table->finished_.resize(num_chunks + 1);
  table->begun_.resize(num_chunks + 1);
  table->leftovers_.resize(num_chunks);
  for (size_t i = 0; i < num_chunks; ++i) {
    ARROW_ASSIGN_OR_RAISE(const auto finished, in.Read<uint64_t>("finished"));
    if (finished > num_rows - table->finished_[i]) {
      return in.Corrupt("finished", "chunk ", i, " ends ", finished, " rows, ",
                        num_rows - table->finished_[i], " are left of the page");
    }
    ARROW_ASSIGN_OR_RAISE(table->leftovers_[i], in.Read<uint64_t>("leftover"));
    if (table->leftovers_[i] != 0 && i + 1 == num_chunks) {
      return in.Corrupt("leftover", "the last chunk has ", table->leftovers_[i], ", allowed is 0");
    }
    table->finished_[i + 1] = table->finished_[i] + finished;
    table->begun_[i + 1] = table->finished_[i + 1] + (table->leftovers_[i] != 0 ? 1 : 0);
    if (table->begun_[i + 1] > num_rows || table->begun_[i + 1] < table->begun_[i]) {
      return in.Corrupt("leftover", "behind chunk ", i, " ", table->begun_[i + 1],
                        " rows have begun, before it ", table->begun_[i], ", the page has ",
                        num_rows);
    }
  }
  ARROW_RETURN_NOT_OK(in.ExpectEnd());
  if (table->finished_[num_chunks] != num_rows) {
    return in.Corrupt("finished", "the chunks end ", table->finished_[num_chunks],
                      " rows together, the page has ", num_rows);
  }
  return arrow::Status::OK();
}

}  // namespace lance::format
