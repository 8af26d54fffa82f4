#include "lance/clustering/rank_lookup.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "arrow/api.h"
#include "lance/clustering/curve.h"

namespace lance::clustering {
namespace {

constexpr size_t kSideBySide = 16;   // searches whose cache misses overlap
constexpr size_t kFewValues = 4;     // compared whole sooner than searched by words
constexpr size_t kBlockRows = 1024;  // rows whose words are read before they are searched
constexpr size_t kStride = sizeof(uint64_t);

uint64_t LoadBigEndianPadded(std::string_view bytes) {
  uint64_t word = 0;
  if (bytes.empty()) return word;  // and perhaps no pointer
  std::memcpy(&word, bytes.data(), std::min(bytes.size(), kStride));
  return __builtin_bswap64(word);
}

bool IsLess(std::string_view lhs, bool lhs_is_cut, std::string_view rhs, bool rhs_is_cut) {
  const int order = lhs.compare(rhs);  // memcmp, then length: unsigned
  return order != 0 ? order < 0 : lhs_is_cut < rhs_is_cut;
}

template <typename Value>
bool IsAscending(const std::vector<Value>& values) {
  if constexpr (std::is_same_v<Value, ComparedBytes>) {
    return std::is_sorted(values.begin(), values.end(), [](const Value& lhs, const Value& rhs) {
      return IsLess(lhs.bytes, lhs.is_cut, rhs.bytes, rhs.is_cut);
    });
  } else {
    return std::is_sorted(values.begin(), values.end());
  }
}

// Drops duplicates and says for every count of distinct samples <= a value where the value belongs.
template <typename Value>
arrow::Result<std::vector<uint64_t>> Deduplicate(std::vector<Value>* values, uint32_t bits) {
  if (!IsAscending(*values)) {
    return arrow::Status::SerializationError("rank model: values are not in ascending order");
  }
  const size_t num_samples = values->size();
  std::vector<uint64_t> coordinates{0};
  size_t num_distinct = 0;
  for (size_t i = 0; i < num_samples; ++i) {
    const bool is_last_of_equals = i + 1 == num_samples || !((*values)[i] == (*values)[i + 1]);
    if (!is_last_of_equals) continue;
    coordinates.push_back(RankCoordinate(/*rank=*/i, num_samples, bits));
    if (num_distinct != i) (*values)[num_distinct] = std::move((*values)[i]);
    ++num_distinct;
  }
  values->resize(num_distinct);
  return coordinates;
}

template <typename Word>
arrow::Result<std::vector<Word>> DecodeWords(std::span<const std::string> values,
                                             size_t payload_bytes) {
  std::vector<Word> words;
  words.reserve(values.size());
  for (const std::string& value : values) {
    ARROW_ASSIGN_OR_RAISE(const WideWord word, DecodeWord(value, payload_bytes));
    words.push_back(static_cast<Word>(word));
  }
  return words;
}

template <typename Word>
void UpperOfColumn(const WordSearch<Word>& search, const arrow::Array& column, int64_t first,
                   std::span<uint64_t> out) {
  std::array<Word, kBlockRows> words;
  for (size_t begin = 0; begin < out.size(); begin += kBlockRows) {
    const size_t count = std::min(kBlockRows, out.size() - begin);
    const auto block = std::span(words).first(count);
    ReadOrderedWords(column, {first + static_cast<int64_t>(begin)}, block);
    search.Upper(block, out.subspan(begin, count));
  }
}

void UpperOfColumn(const BytesSearch& search, size_t longest_bytes, const arrow::Array& column,
                   int64_t first, std::span<uint64_t> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t row = first + static_cast<int64_t>(i);
    if (column.IsNull(row)) continue;  // a null slot may hold any length
    const std::string_view value = ReadBytes(column, row);
    out[i] = search.Upper(value.substr(0, longest_bytes), value.size() > longest_bytes);
  }
}

}  // namespace

template <typename Word>
WordSearch<Word>::WordSearch(std::span<const Word> ascending)
    : words_(ascending.begin(), ascending.end()), num_words_(ascending.size()) {
  words_.resize(std::bit_ceil(num_words_ + 1) - 1, static_cast<Word>(~Word{0}));
}

template <typename Word>
size_t WordSearch<Word>::Upper(Word query) const {
  size_t count = 0;
  for (size_t step = (words_.size() + 1) / 2; step > 0; step /= 2) {
    count += words_[count + step - 1] <= query ? step : 0;
  }
  return std::min(count, num_words_);  // the padding is <= the largest query
}

template <typename Word>
void WordSearch<Word>::Upper(std::span<const Word> queries, std::span<uint64_t> out) const {
  const Word* const words = words_.data();
  size_t done = 0;
  for (; done + kSideBySide <= queries.size(); done += kSideBySide) {
    std::array<size_t, kSideBySide> counts{};
    for (size_t step = (words_.size() + 1) / 2; step > 0; step /= 2) {
      // Unrolled, and a product instead of a condition: a branch that is a coin toss costs more
      // than the cache miss.
#pragma GCC unroll 16
      for (size_t i = 0; i < kSideBySide; ++i) {
        counts[i] += step * static_cast<size_t>(words[counts[i] + step - 1] <= queries[done + i]);
      }
    }
    for (size_t i = 0; i < kSideBySide; ++i) out[done + i] = std::min(counts[i], num_words_);
  }
  for (; done < queries.size(); ++done) out[done] = Upper(queries[done]);
}

template class WordSearch<uint64_t>;
template class WordSearch<WideWord>;

BytesSearch::BytesSearch(std::vector<ComparedBytes> ascending) : values_(std::move(ascending)) {
  if (!values_.empty()) BuildNode(0, values_.size());
}

int BytesSearch::BuildNode(size_t first, size_t last) {
  Node node;
  node.first = first;
  node.last = last;
  const std::string& lowest = values_[first].bytes;
  const std::string& highest = values_[last - 1].bytes;
  const size_t most = std::min(lowest.size(), highest.size());
  node.common_bytes = static_cast<size_t>(
      std::mismatch(lowest.begin(), lowest.begin() + static_cast<ptrdiff_t>(most), highest.begin())
          .first -
      lowest.begin());
  const auto word_at = [&](size_t i) {
    return LoadBigEndianPadded(std::string_view(values_[i].bytes).substr(node.common_bytes));
  };
  for (size_t i = first; i < last; ++i) {
    const uint64_t word = word_at(i);
    if (!node.distinct.empty() && node.distinct.back() == word) continue;
    node.distinct.push_back(word);
    node.begins.push_back(i);
  }
  node.begins.push_back(last);
  node.words = WordSearch<uint64_t>(node.distinct);

  const auto index = static_cast<int>(nodes_.size());
  nodes_.emplace_back();  // children come after it
  for (size_t group = 0; group < node.distinct.size(); ++group) {
    const size_t begin = node.begins[group];
    const size_t end = node.begins[group + 1];
    // Padding hides what tells short values apart, so a node needs all of its values to go on. Of
    // values with equal words the shortest comes first.
    const bool all_go_on = values_[begin].bytes.size() >= node.common_bytes + kStride;
    node.children.push_back(end - begin > kFewValues && all_go_on ? BuildNode(begin, end) : -1);
  }
  nodes_[static_cast<size_t>(index)] = std::move(node);
  return index;
}

size_t BytesSearch::Upper(std::string_view query, bool is_cut) const {
  if (values_.empty()) return 0;
  size_t compared_bytes = 0;  // equal to the node's common prefix so far
  for (const Node* node = &nodes_[0];;) {
    const auto common = std::string_view(values_[node->first].bytes).substr(0, node->common_bytes);
    if (query.size() < compared_bytes) return node->first;  // a prefix of all its values
    const int order = query.substr(compared_bytes, node->common_bytes - compared_bytes)
                          .compare(common.substr(compared_bytes));
    if (order != 0) return order < 0 ? node->first : node->last;
    const uint64_t word = LoadBigEndianPadded(query.substr(node->common_bytes));
    const size_t upper = node->words.Upper(word);
    if (upper == 0) return node->first;
    if (node->distinct[upper - 1] != word) return node->begins[upper];
    const int child = node->children[upper - 1];
    if (child < 0) {
      return UpperInRange(node->begins[upper - 1], node->begins[upper], query, is_cut);
    }
    compared_bytes = node->common_bytes + kStride;
    node = &nodes_[static_cast<size_t>(child)];
  }
}

size_t BytesSearch::UpperInRange(size_t first, size_t last, std::string_view query,
                                 bool is_cut) const {
  const auto begin = values_.begin();
  const auto found =
      std::partition_point(begin + static_cast<ptrdiff_t>(first),
                           begin + static_cast<ptrdiff_t>(last), [&](const ComparedBytes& value) {
                             return !IsLess(query, is_cut, value.bytes, value.is_cut);
                           });
  return static_cast<size_t>(found - begin);
}

arrow::Result<RankLookup> RankLookup::Make(const ValueEncoding& encoding,
                                           std::span<const std::string> sorted_values,
                                           uint32_t bits_per_dim) {
  const auto make_words = [&]<typename Word>(Word) -> arrow::Result<RankLookup> {
    ARROW_ASSIGN_OR_RAISE(auto words,
                          DecodeWords<Word>(sorted_values, encoding.type.payload_bytes));
    ARROW_ASSIGN_OR_RAISE(auto coordinates, Deduplicate(&words, bits_per_dim));
    return RankLookup(encoding.longest_bytes, WordSearch<Word>(words), std::move(coordinates));
  };
  switch (encoding.type.shape) {
    case KeyShape::kWord:
      return make_words(uint64_t{});
    case KeyShape::kWideWord:
      return make_words(WideWord{});
    case KeyShape::kBytes:
      break;
  }
  std::vector<ComparedBytes> values;
  values.reserve(sorted_values.size());
  for (const std::string& value : sorted_values) {
    ARROW_ASSIGN_OR_RAISE(values.emplace_back(), DecodeBytes(value));
  }
  ARROW_ASSIGN_OR_RAISE(auto coordinates, Deduplicate(&values, bits_per_dim));
  return RankLookup(encoding.longest_bytes, BytesSearch(std::move(values)), std::move(coordinates));
}

void RankLookup::Coordinates(const arrow::Array& column, int64_t first,
                             std::span<uint64_t> out) const {
  std::fill(out.begin(), out.end(), 0);
  if (const auto* words = std::get_if<WordSearch<uint64_t>>(&search_)) {
    UpperOfColumn(*words, column, first, out);
  } else if (const auto* wide = std::get_if<WordSearch<WideWord>>(&search_)) {
    UpperOfColumn(*wide, column, first, out);
  } else {
    UpperOfColumn(std::get<BytesSearch>(search_), longest_bytes_, column, first, out);
  }
  for (uint64_t& upper : out) upper = coordinates_[upper];
}

}  // namespace lance::clustering
