#include "lance/format/v20/range_batch.h"

#include <algorithm>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/check.h"

namespace lance::format::v20 {
namespace {

// Reading a gap of this size costs less than one more range.
constexpr uint64_t kMaxGapBytes = 512;

}  // namespace

void RangeBatch::Add(const ByteRange& range, std::shared_ptr<arrow::Buffer>* out) {
  ranges_.push_back(range);
  outputs_.push_back(out);
}

arrow::Status RangeBatch::Read(const DataFileLocation& location, const arrow::StopToken& stop) {
  if (ranges_.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto buffers, ReadRanges(location, ranges_, stop));
  for (size_t i = 0; i < outputs_.size(); ++i) *outputs_[i] = std::move(buffers[i]);
  ranges_.clear();
  outputs_.clear();
  return arrow::Status::OK();
}

void SpanReader::Add(uint64_t begin, uint64_t end) {
  LANCE_DCHECK(begin <= end && end <= buffer_.length);
  if (begin == end) return;
  if (!pieces_.empty() && begin <= pieces_.back().end + kMaxGapBytes) {
    LANCE_DCHECK(begin >= pieces_.back().begin);
    pieces_.back().end = std::max(pieces_.back().end, end);
  } else {
    pieces_.push_back({begin, end, nullptr});
  }
}

void SpanReader::Plan(RangeBatch* batch) {
  for (Piece& piece : pieces_) {
    batch->Add({buffer_.offset + piece.begin, piece.end - piece.begin}, &piece.bytes);
  }
}

void SpanReader::Provide(const std::shared_ptr<arrow::Buffer>& whole) {
  pieces_ = {{0, buffer_.length, whole}};
}

const SpanReader::Piece& SpanReader::Find(uint64_t begin) const {
  const auto behind =
      std::ranges::upper_bound(pieces_, begin, {}, [](const Piece& piece) { return piece.begin; });
  LANCE_DCHECK(behind != pieces_.begin());
  return *(behind - 1);
}

std::span<const std::byte> SpanReader::View(uint64_t begin, uint64_t end) const {
  if (begin == end) return {};
  const Piece& piece = Find(begin);
  LANCE_DCHECK(piece.bytes != nullptr && end <= piece.end);
  const auto* bytes = reinterpret_cast<const std::byte*>(piece.bytes->data());
  return {bytes + (begin - piece.begin), static_cast<size_t>(end - begin)};
}

std::shared_ptr<arrow::Buffer> SpanReader::Slice(uint64_t begin, uint64_t end) const {
  if (begin == end) return std::make_shared<arrow::Buffer>(std::string_view());
  const Piece& piece = Find(begin);
  return arrow::SliceBuffer(piece.bytes, static_cast<int64_t>(begin - piece.begin),
                            static_cast<int64_t>(end - begin));
}

}  // namespace lance::format::v20
