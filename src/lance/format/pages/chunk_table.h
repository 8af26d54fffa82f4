#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "arrow/result.h"

namespace lance::format {

/// What a page's chunk table must add up to. A plain value.
struct ChunkTotals {
  /// Visible entries of the page, 1 or more.
  uint64_t num_values = 0;
  /// Rows of the page, 1 or more.
  uint64_t num_rows = 0;
  /// The size of the page's second buffer.
  uint64_t num_bytes = 0;
};

/// Where the chunks of a mini-block page are, and which values and rows they hold. A plain value.
///
/// One that ParseChunkTable gave is proof that the chunks fill the page's chunk buffer and hold
/// exactly its values, at least one each, and its rows. A row of lists may lie in several chunks:
///
///   chunk    | r0 r1 r2- | -r2- | -r2 r3 |         r2- goes on in the next chunk
///   begun         3          0       1
///   finished      2          0       2
class ChunkTable {
 public:
  size_t num_chunks() const { return bytes_.size() - 1; }
  /// Bytes that it takes in memory.
  uint64_t size_bytes() const {
    return sizeof(uint64_t) * (bytes_.capacity() + values_.capacity() + finished_.capacity() +
                               begun_.capacity() + leftovers_.capacity());
  }

  /// Where chunk `i` begins in the chunk buffer; its end for i = num_chunks().
  uint64_t byte_of(size_t i) const { return bytes_[i]; }
  /// The values before chunk `i`.
  uint64_t values_before(size_t i) const { return values_[i]; }
  uint64_t num_values(size_t i) const { return values_[i + 1] - values_[i]; }
  /// The rows whose last entry lies before chunk `i`: the first row that has a part in it.
  uint64_t rows_finished_before(size_t i) const {
    return finished_.empty() ? values_[i] : finished_[i];
  }
  /// The rows whose first entry lies before chunk `i`.
  uint64_t rows_begun_before(size_t i) const { return begun_.empty() ? values_[i] : begun_[i]; }
  /// Whether chunk `i` begins inside a row.
  bool begins_inside_row(size_t i) const { return rows_begun_before(i) != rows_finished_before(i); }
  /// Entries at the end of chunk `i` of the row that goes on in the next; 0: none does.
  uint64_t leftover(size_t i) const { return leftovers_.empty() ? 0 : leftovers_[i]; }

  /// The chunk that holds the first entry of a row. \pre row is one of the page's
  size_t ChunkWhereRowBegins(uint64_t row) const;
  /// The chunk that holds the last entry of a row. \pre row is one of the page's
  size_t ChunkWhereRowEnds(uint64_t row) const;

 private:
  friend arrow::Result<ChunkTable> ParseChunkTable(std::span<const std::byte> words,
                                                   uint32_t word_bytes, const ChunkTotals& totals);
  friend arrow::Status ParseRepetitionIndex(std::span<const std::byte> index, uint64_t num_rows,
                                            ChunkTable* table);

  // One entry a chunk and one behind the last.
  std::vector<uint64_t> bytes_ = {0};
  std::vector<uint64_t> values_ = {0};
  // Pages with repetition levels only; in others every value is a row.
  std::vector<uint64_t> finished_;
  std::vector<uint64_t> begun_;
  std::vector<uint64_t> leftovers_;  // one a chunk
};

/// Parse the page's first buffer: one word a chunk.
///
///   bits 0-3: log2 of the chunk's values, for all but the last | other bits: size / 8 - 1
///
/// \param word_bytes 2, or 4 in pages with large chunks
/// \return SerializationError naming the chunk. Source: file-format 8.1.
arrow::Result<ChunkTable> ParseChunkTable(std::span<const std::byte> words, uint32_t word_bytes,
                                          const ChunkTotals& totals);

/// Parse the repetition index of a page with lists and add it to the table.
///
///   per chunk: u64 finished: rows whose last entry it has
///              u64 leftover: its entries of the row that goes on in the next chunk
///
/// \return SerializationError naming the chunk. Source: file-format 8.1.
arrow::Status ParseRepetitionIndex(std::span<const std::byte> index, uint64_t num_rows,
                                   ChunkTable* table);

}  // namespace lance::format
