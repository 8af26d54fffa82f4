#include "lance/clustering/rank_sample.h"

#include <algorithm>

#include "arrow/status.h"

namespace lance::clustering {
namespace {

constexpr uint64_t kMaxSampleValues = 65536;
constexpr uint64_t kMaxSampleBytes = uint64_t{8} << 20;
constexpr uint64_t kBytesPerValue = 40;  // what the contract counts beside the value itself

}  // namespace

uint64_t SampleLimit(uint64_t widest_bytes) {
  if (widest_bytes > kMaxSampleBytes) return 0;  // and the sum below cannot wrap
  return std::min(kMaxSampleValues, kMaxSampleBytes / (widest_bytes + kBytesPerValue));
}

void ColumnSample::Add(uint64_t row_position, std::string_view encoded_value) {
  NoteWidth(encoded_value.size());
  const uint64_t priority = SamplePriority(row_position, column_index_);
  if (CanKeep(priority)) Keep(priority, row_position, encoded_value);
}

void ColumnSample::NoteWidth(uint64_t encoded_bytes) {
  if (encoded_bytes <= widest_bytes_) return;
  widest_bytes_ = encoded_bytes;
  if (candidates_.size() > limit()) Trim();
}

void ColumnSample::Merge(const ColumnSample& other) {
  NoteWidth(other.widest_bytes_);
  for (const Candidate& candidate : other.candidates_) {
    if (CanKeep(candidate.priority)) {
      Keep(candidate.priority, candidate.row_position, candidate.value);
    }
  }
}

void ColumnSample::Keep(uint64_t priority, uint64_t row_position, std::string_view value) {
  const uint64_t most = limit();
  if (most == 0) return;
  candidates_.push_back({priority, row_position, std::string(value)});
  // Cutting back only at twice the limit makes the cost of a kept candidate constant on average.
  if (candidates_.size() >= 2 * most) Trim();
}

void ColumnSample::Trim() {
  const uint64_t most = limit();
  if (candidates_.size() <= most) return;
  if (most == 0) {
    candidates_.clear();
    return;
  }
  const auto last_kept = candidates_.begin() + static_cast<ptrdiff_t>(most) - 1;
  std::nth_element(candidates_.begin(), last_kept, candidates_.end());
  largest_priority_ = last_kept->priority;
  candidates_.erase(last_kept + 1, candidates_.end());
}

std::vector<KeptCandidate> ColumnSample::Kept() const {
  std::vector<const Candidate*> order;
  order.reserve(candidates_.size());
  for (const Candidate& candidate : candidates_) order.push_back(&candidate);
  std::sort(order.begin(), order.end(),
            [](const Candidate* lhs, const Candidate* rhs) { return *lhs < *rhs; });
  order.resize(std::min<size_t>(order.size(), limit()));
  std::vector<KeptCandidate> kept;
  kept.reserve(order.size());
  for (const Candidate* candidate : order) {
    kept.push_back({candidate->row_position, candidate->value});
  }
  return kept;
}

arrow::Result<std::vector<std::string>> ColumnSample::SortedValues(
    std::string_view column_name) const {
  if (widest_bytes_ > 0 && limit() == 0) {
    return arrow::Status::CapacityError("clustering column \"", column_name, "\" has a value of ",
                                        widest_bytes_, " encoded bytes; a sample holds at most ",
                                        kMaxSampleBytes - kBytesPerValue, " bytes a value");
  }
  std::vector<std::string> values;
  for (const KeptCandidate& kept : Kept()) values.emplace_back(kept.encoded_value);
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<uint64_t> ColumnSample::KeptPositions() const {
  std::vector<uint64_t> positions;
  for (const KeptCandidate& kept : Kept()) positions.push_back(kept.row_position);
  return positions;
}

}  // namespace lance::clustering
