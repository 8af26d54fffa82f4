#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/clustering/encoded_value.h"
#include "lance/clustering/key_type.h"

namespace lance::clustering {

/// How many of some ascending, distinct words are not greater than a query. Immutable.
///
/// A binary search without branches; many queries are searched side by side, so that their cache
/// misses overlap.
template <typename Word>
class WordSearch {
 public:
  WordSearch() = default;
  explicit WordSearch(std::span<const Word> ascending);

  size_t Upper(Word query) const;
  /// As above for every query. \pre out.size() == queries.size()
  void Upper(std::span<const Word> queries, std::span<uint64_t> out) const;

 private:
  std::vector<Word> words_;  // padded at the end to 2^k - 1 with the largest word
  size_t num_words_ = 0;
};

/// How many of some ascending, distinct strings are not greater than a query. Immutable.
///
/// A tree over strides of 8 bytes: a node leaves out what its values have in common and searches
/// the next 8 bytes as words; values that are equal there have a node of their own. Where padding
/// makes values equal that are not, a comparison of whole values decides.
class BytesSearch {
 public:
  explicit BytesSearch(std::vector<ComparedBytes> ascending);

  /// \param query the bytes compared, cut already; `is_cut`: more followed them
  size_t Upper(std::string_view query, bool is_cut) const;

 private:
  struct Node {
    size_t first = 0, last = 0;      // its values
    size_t common_bytes = 0;         // prefix of all its values
    WordSearch<uint64_t> words;      // distinct next 8 bytes, zero-padded
    std::vector<uint64_t> distinct;  // the same words
    std::vector<size_t> begins;      // where each word's values start; one more: last
    std::vector<int> children;       // -1: compare whole values
  };
  int BuildNode(size_t first, size_t last);
  size_t UpperInRange(size_t first, size_t last, std::string_view query, bool is_cut) const;

  std::vector<ComparedBytes> values_;
  std::vector<Node> nodes_;
};

/// Turns the values of one key column into coordinates by a fitted sample. Immutable.
///
/// Source: contract section 4 "Coordinate".
class RankLookup {
 public:
  /// \param sorted_values encoded values in ascending order, duplicates included
  /// \return SerializationError when a value is malformed or out of order
  static arrow::Result<RankLookup> Make(const ValueEncoding& encoding,
                                        std::span<const std::string> sorted_values,
                                        uint32_t bits_per_dim);

  /// The coordinates of rows [first, first + out.size()) of a column of the encoding's type.
  ///
  /// That of a null row means nothing: the caller knows its own way to say null.
  void Coordinates(const arrow::Array& column, int64_t first, std::span<uint64_t> out) const;

 private:
  using Search = std::variant<WordSearch<uint64_t>, WordSearch<WideWord>, BytesSearch>;
  RankLookup(size_t longest_bytes, Search search, std::vector<uint64_t> coordinates)
      : longest_bytes_(longest_bytes),
        search_(std::move(search)),
        coordinates_(std::move(coordinates)) {}

  size_t longest_bytes_;
  Search search_;
  std::vector<uint64_t> coordinates_;  // by the number of distinct samples <= the value
};

}  // namespace lance::clustering
