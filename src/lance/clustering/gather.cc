#include "lance/clustering/gather.h"

#include <algorithm>
#include <vector>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/util/byte_size.h"
#include "lance/base/executor.h"

namespace lance::clustering {
namespace {

/// What an array takes up where rows are joined; a dictionary stays as it is and does not count.
arrow::Result<int64_t> BytesOf(const arrow::Array& array) {
  if (array.type_id() == arrow::Type::DICTIONARY) {
    return arrow::util::ReferencedBufferSize(
        *static_cast<const arrow::DictionaryArray&>(array).indices());
  }
  return arrow::util::ReferencedBufferSize(array);
}

arrow::Result<int64_t> BytesOfChunks(const arrow::ChunkedArray& column) {
  int64_t num_bytes = 0;
  for (const auto& chunk : column.chunks()) {
    ARROW_ASSIGN_OR_RAISE(const int64_t chunk_bytes, BytesOf(*chunk));
    num_bytes += chunk_bytes;
  }
  return num_bytes;
}

std::shared_ptr<arrow::ChunkedArray> AsShared(const arrow::ChunkedArray& column) {
  return std::make_shared<arrow::ChunkedArray>(column.chunks(), column.type());
}

/// Gathers from chunks without ever joining them.
class PieceGatherer {
 public:
  PieceGatherer(const arrow::ChunkedArray& column, int64_t max_array_bytes,
                arrow::compute::ExecContext* context)
      : column_(column), max_array_bytes_(max_array_bytes), context_(context) {
    uint64_t begin = 0;
    for (const auto& chunk : column.chunks()) {
      begins_.push_back(begin);
      begin += static_cast<uint64_t>(chunk->length());
    }
  }

  /// \param num_bytes of the whole column: pieces are cut for it first, and halved where they turn
  ///   out too large
  arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> Gather(std::span<const uint64_t> order,
                                                                   int64_t num_bytes) {
    const auto num_pieces = static_cast<size_t>(num_bytes / max_array_bytes_ * 2 + 1);
    const size_t piece_rows = order.size() / num_pieces + 1;
    std::vector<std::span<const uint64_t>> to_do;  // a stack, the next rows on top
    for (size_t begin = 0; begin < order.size(); begin += piece_rows) {
      to_do.push_back(order.subspan(begin, std::min(piece_rows, order.size() - begin)));
    }
    std::reverse(to_do.begin(), to_do.end());
    std::vector<std::shared_ptr<arrow::Array>> done;
    while (!to_do.empty()) {
      const auto rows = to_do.back();
      to_do.pop_back();
      ARROW_ASSIGN_OR_RAISE(const auto parts, TakeByChunk(rows));
      if (rows.size() > 1 && parts.num_bytes > max_array_bytes_) {
        to_do.push_back(rows.subspan(rows.size() / 2));
        to_do.push_back(rows.first(rows.size() / 2));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(done.emplace_back(), Join(parts));
    }
    return done;
  }

 private:
  /// The rows of one piece by the chunk they come from, and where each row is in there.
  struct Parts {
    arrow::ArrayVector arrays;
    std::vector<uint64_t> places;  // of row i in the arrays, as if they were one
    int64_t num_bytes = 0;
  };

  size_t ChunkOf(uint64_t row) const {
    return static_cast<size_t>(std::upper_bound(begins_.begin(), begins_.end(), row) -
                               begins_.begin()) -
           1;
  }

  arrow::Result<Parts> TakeByChunk(std::span<const uint64_t> rows) {
    std::vector<std::vector<uint64_t>> rows_of_chunk(begins_.size());
    std::vector<std::pair<size_t, uint64_t>> sources;  // chunk, index among its rows
    sources.reserve(rows.size());
    for (const uint64_t row : rows) {
      const size_t chunk = ChunkOf(row);
      sources.emplace_back(chunk, rows_of_chunk[chunk].size());
      rows_of_chunk[chunk].push_back(row - begins_[chunk]);
    }
    Parts parts;
    std::vector<uint64_t> first_place(begins_.size());
    uint64_t place = 0;
    for (size_t chunk = 0; chunk < begins_.size(); ++chunk) {
      first_place[chunk] = place;
      if (rows_of_chunk[chunk].empty()) continue;
      place += rows_of_chunk[chunk].size();
      ARROW_ASSIGN_OR_RAISE(const auto taken,
                            TakeFrom(column_.chunk(static_cast<int>(chunk)), rows_of_chunk[chunk]));
      ARROW_ASSIGN_OR_RAISE(const int64_t num_bytes, BytesOf(*taken));
      parts.num_bytes += num_bytes;
      parts.arrays.push_back(taken);
    }
    parts.places.reserve(rows.size());
    for (const auto& [chunk, index] : sources) parts.places.push_back(first_place[chunk] + index);
    return parts;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Join(const Parts& parts) {
    if (parts.arrays.size() == 1) return parts.arrays[0];  // in order already
    ARROW_ASSIGN_OR_RAISE(const auto joined,
                          arrow::Concatenate(parts.arrays, context_->memory_pool()));
    return TakeFrom(joined, parts.places);
  }

  arrow::Result<std::shared_ptr<arrow::Array>> TakeFrom(const std::shared_ptr<arrow::Array>& values,
                                                        const std::vector<uint64_t>& rows) {
    const arrow::UInt64Array indices(static_cast<int64_t>(rows.size()), arrow::Buffer::Wrap(rows));
    return arrow::compute::Take(*values, indices, arrow::compute::TakeOptions::NoBoundsCheck(),
                                context_);
  }

  const arrow::ChunkedArray& column_;
  const int64_t max_array_bytes_;
  arrow::compute::ExecContext* context_;
  std::vector<uint64_t> begins_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::ChunkedArray>> GatherColumn(const arrow::ChunkedArray& column,
                                                                 std::span<const uint64_t> order,
                                                                 int64_t max_array_bytes,
                                                                 arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  arrow::compute::ExecContext context(pool);
  ARROW_ASSIGN_OR_RAISE(const int64_t num_bytes, BytesOfChunks(column));
  if (num_bytes > max_array_bytes) {
    PieceGatherer gatherer(column, max_array_bytes, &context);
    ARROW_ASSIGN_OR_RAISE(auto pieces, gatherer.Gather(order, num_bytes));
    return arrow::ChunkedArray::Make(std::move(pieces), column.type());
  }
  const auto num_rows = static_cast<int64_t>(order.size());
  const auto indices = std::make_shared<arrow::UInt64Array>(
      num_rows, arrow::Buffer::Wrap(order.data(), order.size()));
  ARROW_ASSIGN_OR_RAISE(
      const auto taken,
      arrow::compute::Take(arrow::Datum(AsShared(column)), arrow::Datum(indices),
                           arrow::compute::TakeOptions::NoBoundsCheck(), &context));
  return taken.chunked_array();
}

}  // namespace lance::clustering
