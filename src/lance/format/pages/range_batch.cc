#include "lance/format/pages/range_batch.h"

#include <algorithm>
#include <numeric>

#include "arrow/buffer.h"

namespace lance::format {
namespace {

// Reading over a small gap costs less than another range.
constexpr uint64_t kMaxGapBytes = 4096;

// Larger reads are not joined: they win nothing, and the pages in them could not be freed one by
// one.
constexpr uint64_t kMaxJoinedBytes = 8 << 20;

/// Whether `range` is read together with the range before it, `joined`.
bool Continues(const ByteRange& joined, const ByteRange& range) {
  const uint64_t end = joined.offset + joined.length;
  if (range.offset > end) {
    return range.offset - end <= kMaxGapBytes &&
           range.offset + range.length - joined.offset <= kMaxJoinedBytes;
  }
  const bool is_inside = range.offset + range.length <= end;
  return is_inside || range.offset + range.length - joined.offset <= kMaxJoinedBytes;
}

}  // namespace

std::span<const std::byte> ViewOf(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const std::byte*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

std::span<const std::byte> RangeBatch::View(size_t number) const {
  return ViewOf(*buffers_[number]);
}

arrow::Status RangeBatch::Read(const DataFileLocation& location, const arrow::StopToken& stop) {
  const size_t first = buffers_.size();
  if (first == ranges_.size()) return arrow::Status::OK();
  std::vector<size_t> order(ranges_.size() - first);
  std::iota(order.begin(), order.end(), first);
  const auto by_offset = [&](size_t lhs, size_t rhs) {
    return ranges_[lhs].offset < ranges_[rhs].offset;
  };
  if (!std::is_sorted(order.begin(), order.end(), by_offset)) {
    std::stable_sort(order.begin(), order.end(), by_offset);
  }

  std::vector<ByteRange> joined;
  std::vector<size_t> joined_of(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const ByteRange& range = ranges_[order[i]];
    if (joined.empty() || !Continues(joined.back(), range)) {
      joined.push_back(range);
    } else {
      ByteRange& last = joined.back();
      last.length = std::max(last.length, range.offset + range.length - last.offset);
    }
    joined_of[i] = joined.size() - 1;
  }

  ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadRanges(location, joined, stop));
  buffers_.resize(ranges_.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const ByteRange& range = ranges_[order[i]];
    const auto begin = static_cast<int64_t>(range.offset - joined[joined_of[i]].offset);
    buffers_[order[i]] =
        arrow::SliceBuffer(bytes[joined_of[i]], begin, static_cast<int64_t>(range.length));
    num_bytes_ += range.length;
  }
  return arrow::Status::OK();
}

}  // namespace lance::format
