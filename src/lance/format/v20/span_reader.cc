#include "lance/format/v20/span_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/check.h"

namespace lance::format::v20 {
namespace {

// Reading a gap of this size costs less than one more range.
constexpr uint64_t kMaxGapBytes = 512;

}  // namespace

void SpanReader::Add(uint64_t begin, uint64_t end) {
  LANCE_DCHECK(begin <= end && end <= buffer_.length);
  if (begin == end) return;
  if (!pieces_.empty() && begin <= pieces_.back().end + kMaxGapBytes) {
    LANCE_DCHECK(begin >= pieces_.back().begin);
    pieces_.back().end = std::max(pieces_.back().end, end);
  } else {
    pieces_.push_back({begin, end, 0});
  }
}

void SpanReader::Plan(RangeBatch* batch) {
  batch_ = batch;
  for (Piece& piece : pieces_) {
    piece.number = batch->Add({buffer_.offset + piece.begin, piece.end - piece.begin});
  }
}

void SpanReader::Provide(std::shared_ptr<arrow::Buffer> whole) {
  whole_ = std::move(whole);
  pieces_ = {{0, buffer_.length, 0}};
}

const SpanReader::Piece& SpanReader::Find(uint64_t begin) const {
  const auto behind =
      std::ranges::upper_bound(pieces_, begin, {}, [](const Piece& piece) { return piece.begin; });
  LANCE_DCHECK(behind != pieces_.begin());
  return *(behind - 1);
}

const std::shared_ptr<arrow::Buffer>& SpanReader::BytesOf(const Piece& piece) const {
  return whole_ != nullptr ? whole_ : batch_->Share(piece.number);
}

std::span<const std::byte> SpanReader::View(uint64_t begin, uint64_t end) const {
  if (begin == end) return {};
  const Piece& piece = Find(begin);
  LANCE_DCHECK(end <= piece.end);
  const auto* bytes = reinterpret_cast<const std::byte*>(BytesOf(piece)->data());
  return {bytes + (begin - piece.begin), static_cast<size_t>(end - begin)};
}

std::shared_ptr<arrow::Buffer> SpanReader::Slice(uint64_t begin, uint64_t end) const {
  // Arrow wants an address even of nothing.
  if (begin == end) return std::make_shared<arrow::Buffer>(std::string_view("", 0));
  const Piece& piece = Find(begin);
  return arrow::SliceBuffer(BytesOf(piece), static_cast<int64_t>(begin - piece.begin),
                            static_cast<int64_t>(end - begin));
}

}  // namespace lance::format::v20
