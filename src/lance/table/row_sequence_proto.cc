#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>

#include "lance/base/byte_reader.h"
#include "lance/base/checked_math.h"
#include "lance/table/row_sequence.h"
#include "lance/table/wire_proto.h"

namespace lance::table {
namespace {

namespace pb = lance_pb::table;

template <typename... Problem>
arrow::Status Corrupt(Problem&&... problem) {
  return arrow::Status::SerializationError(std::forward<Problem>(problem)...);
}

// No row has it, so that the end of a run never wraps.
constexpr uint64_t kMaxId = std::numeric_limits<uint64_t>::max();

/// Takes ids as runs: the first one and how many.
using TakeRun = std::function<arrow::Status(uint64_t first, uint64_t length)>;

/// Give each value of an array of little-endian numbers, `base` added.
template <typename T>
arrow::Status VisitNumbers(std::string_view bytes, uint64_t base,
                           const std::function<arrow::Status(uint64_t)>& visit) {
  if (bytes.size() % sizeof(T) != 0) {
    return Corrupt("an array of row ids has ", bytes.size(), " bytes; allowed: multiples of ",
                   sizeof(T));
  }
  for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    uint64_t value = 0;
    const uint64_t offset =
        LoadLittleEndian<T>(reinterpret_cast<const std::byte*>(bytes.data()) + at);
    if (__builtin_add_overflow(base, offset, &value) || value == kMaxId) {
      return Corrupt("a row id is above 2^64-2");
    }
    ARROW_RETURN_NOT_OK(visit(value));
  }
  return arrow::Status::OK();
}

arrow::Status VisitArray(const pb::EncodedU64Array& array,
                         const std::function<arrow::Status(uint64_t)>& visit) {
  switch (array.array_case()) {
    case pb::EncodedU64Array::kU16Array:
      return VisitNumbers<uint16_t>(array.u16_array().offsets(), array.u16_array().base(), visit);
    case pb::EncodedU64Array::kU32Array:
      return VisitNumbers<uint32_t>(array.u32_array().offsets(), array.u32_array().base(), visit);
    case pb::EncodedU64Array::kU64Array:
      return VisitNumbers<uint64_t>(array.u64_array().values(), 0, visit);
    case pb::EncodedU64Array::ARRAY_NOT_SET:
      break;
  }
  return Corrupt("an array of row ids has no values of a known width");
}

arrow::Status CheckRange(uint64_t start, uint64_t end) {
  if (start <= end) return arrow::Status::OK();
  return Corrupt("a range of row ids goes from ", start, " to ", end);
}

arrow::Status VisitHoles(const pb::U64Segment::RangeWithHoles& range, const TakeRun& take) {
  ARROW_RETURN_NOT_OK(CheckRange(range.start(), range.end()));
  uint64_t next = range.start();
  ARROW_RETURN_NOT_OK(VisitArray(range.holes(), [&](uint64_t hole) -> arrow::Status {
    if (hole < next || hole >= range.end()) {
      return Corrupt("hole ", hole, " of row ids ", range.start(), " to ", range.end(),
                     " is outside, or out of order");
    }
    if (hole > next) ARROW_RETURN_NOT_OK(take(next, hole - next));
    next = hole + 1;
    return arrow::Status::OK();
  }));
  return take(next, range.end() - next);
}

arrow::Status VisitBitmap(const pb::U64Segment::RangeWithBitmap& range, const TakeRun& take) {
  ARROW_RETURN_NOT_OK(CheckRange(range.start(), range.end()));
  const uint64_t span = range.end() - range.start();
  const std::string_view bits = range.bitmap();
  if (bits.size() != CeilDiv(span, 8)) {
    return Corrupt("the bitmap of row ids ", range.start(), " to ", range.end(), " has ",
                   bits.size(), " bytes; allowed: ", CeilDiv(span, 8));
  }
  for (uint64_t i = 0; i < span;) {
    const auto is_set = [&](uint64_t bit) {
      return (static_cast<unsigned char>(bits[bit / 8]) >> (bit % 8) & 1) != 0;
    };
    if (!is_set(i)) {
      ++i;
      continue;
    }
    const uint64_t begin = i;
    while (i < span && is_set(i)) ++i;
    ARROW_RETURN_NOT_OK(take(range.start() + begin, i - begin));
  }
  return arrow::Status::OK();
}

arrow::Status VisitSegment(const pb::U64Segment& segment, const TakeRun& take) {
  const auto take_one = [&](uint64_t id) { return take(id, 1); };
  switch (segment.segment_case()) {
    case pb::U64Segment::kRange:
      ARROW_RETURN_NOT_OK(CheckRange(segment.range().start(), segment.range().end()));
      return take(segment.range().start(), segment.range().end() - segment.range().start());
    case pb::U64Segment::kRangeWithHoles:
      return VisitHoles(segment.range_with_holes(), take);
    case pb::U64Segment::kRangeWithBitmap:
      return VisitBitmap(segment.range_with_bitmap(), take);
    case pb::U64Segment::kSortedArray:
      return VisitArray(segment.sorted_array(), take_one);
    case pb::U64Segment::kArray:
      return VisitArray(segment.array(), take_one);
    case pb::U64Segment::SEGMENT_NOT_SET:
      break;
  }
  return Corrupt("a segment of row ids is of no known kind");
}

/// Guards against claims of more rows than the fragment has.
class RowCount {
 public:
  explicit RowCount(uint64_t num_rows) : wanted_(num_rows) {}

  arrow::Status Add(uint64_t rows) {
    if (rows <= wanted_ - counted_) {
      counted_ += rows;
      return arrow::Status::OK();
    }
    return Corrupt("a sequence has values for more rows than the ", wanted_, " of the fragment");
  }

 private:
  uint64_t wanted_;
  uint64_t counted_ = 0;
};

template <typename T>
std::string PackNumbers(const RowIdSequence& ids, uint64_t base) {
  std::string bytes(ids.num_rows() * sizeof(T), '\0');
  char* out = bytes.data();
  for (const RowIdSequence::Run& run : ids.runs()) {
    for (uint64_t i = 0; i < run.length; ++i, out += sizeof(T)) {
      const auto value = static_cast<T>(run.first_id + i - base);
      std::memcpy(out, &value, sizeof(T));  // little-endian
    }
  }
  return bytes;
}

/// Where the ids of a sequence lie.
struct IdExtent {
  uint64_t min = 0;
  uint64_t max = 0;  // included
  bool is_ascending = true;
};

IdExtent Measure(const RowIdSequence& ids) {
  IdExtent extent{.min = ids.runs().front().first_id, .max = ids.runs().front().first_id};
  std::optional<uint64_t> last;
  for (const RowIdSequence::Run& run : ids.runs()) {
    extent.is_ascending &= !last || run.first_id > *last;
    last = run.first_id + (run.length - 1);
    extent.min = std::min(extent.min, run.first_id);
    extent.max = std::max(extent.max, *last);
  }
  return extent;
}

void WriteArray(const RowIdSequence& ids, const IdExtent& extent, pb::EncodedU64Array* array) {
  const uint64_t spread = extent.max - extent.min;
  if (spread <= 0xFFFF) {
    array->mutable_u16_array()->set_base(extent.min);
    array->mutable_u16_array()->set_offsets(PackNumbers<uint16_t>(ids, extent.min));
  } else if (spread <= 0xFFFFFFFF) {
    array->mutable_u32_array()->set_base(extent.min);
    array->mutable_u32_array()->set_offsets(PackNumbers<uint32_t>(ids, extent.min));
  } else {
    array->mutable_u64_array()->set_values(PackNumbers<uint64_t>(ids, 0));
  }
}

void WriteBitmap(const RowIdSequence& ids, const IdExtent& extent,
                 pb::U64Segment::RangeWithBitmap* range) {
  range->set_start(extent.min);
  range->set_end(extent.max + 1);
  std::string bits(CeilDiv(extent.max - extent.min + 1, 8), '\0');
  for (const RowIdSequence::Run& run : ids.runs()) {
    for (uint64_t i = 0; i < run.length; ++i) {
      const uint64_t bit = run.first_id - extent.min + i;
      bits[bit / 8] = static_cast<char>(bits[bit / 8] | 1 << (bit % 8));
    }
  }
  range->set_bitmap(std::move(bits));
}

void WriteRange(uint64_t first, uint64_t length, pb::U64Segment* segment) {
  segment->mutable_range()->set_start(first);
  segment->mutable_range()->set_end(first + length);
}

arrow::Status CheckCount(uint64_t values, uint64_t num_rows) {
  if (values == num_rows) return arrow::Status::OK();
  return Corrupt("a sequence has values for ", values, " rows, the fragment has ", num_rows);
}

/// Bytes of one stored range, about.
constexpr uint64_t kRangeBytes = 12;

}  // namespace

arrow::Result<RowIdSequence> RowIdSequence::Parse(std::string_view bytes, uint64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(auto ids, ParseUpTo(bytes, num_rows));
  ARROW_RETURN_NOT_OK(CheckCount(ids.num_rows(), num_rows));
  return ids;
}

arrow::Result<RowIdSequence> RowIdSequence::ParseUpTo(std::string_view bytes, uint64_t num_rows) {
  pb::RowIdSequence message;
  ARROW_RETURN_NOT_OK(ParseMessage(bytes, "row id sequence", &message));
  RowIdSequence ids;
  RowCount count(num_rows);
  for (const pb::U64Segment& segment : message.segments()) {
    ARROW_RETURN_NOT_OK(
        VisitSegment(segment, [&](uint64_t first, uint64_t length) -> arrow::Status {
          ARROW_RETURN_NOT_OK(count.Add(length));
          ids.Append(first, length);
          return arrow::Status::OK();
        }));
  }
  return ids;
}

std::string RowIdSequence::Serialize() const {
  pb::RowIdSequence message;
  if (runs_.empty()) {
    WriteRange(0, 0, message.add_segments());
    return message.SerializeAsString();
  }
  const IdExtent extent = Measure(*this);
  const uint64_t spread = extent.max - extent.min;
  const uint64_t width = spread <= 0xFFFF ? 2 : spread <= 0xFFFFFFFF ? 4 : 8;
  const uint64_t range_bytes = runs_.size() * kRangeBytes;
  const uint64_t array_bytes = kRangeBytes + num_rows_ * width;
  const bool is_bitmap_small = extent.is_ascending && spread / 8 + kRangeBytes < array_bytes &&
                               spread / 8 + kRangeBytes < range_bytes;
  if (is_bitmap_small) {
    WriteBitmap(*this, extent, message.add_segments()->mutable_range_with_bitmap());
  } else if (range_bytes <= array_bytes) {
    for (const Run& run : runs_) WriteRange(run.first_id, run.length, message.add_segments());
  } else {
    pb::U64Segment* segment = message.add_segments();
    WriteArray(*this, extent,
               extent.is_ascending ? segment->mutable_sorted_array() : segment->mutable_array());
  }
  return message.SerializeAsString();
}

arrow::Result<VersionSequence> VersionSequence::Parse(std::string_view bytes, uint64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(auto versions, ParseUpTo(bytes, num_rows));
  ARROW_RETURN_NOT_OK(CheckCount(versions.num_rows(), num_rows));
  return versions;
}

arrow::Result<VersionSequence> VersionSequence::ParseUpTo(std::string_view bytes,
                                                          uint64_t num_rows) {
  pb::RowDatasetVersionSequence message;
  ARROW_RETURN_NOT_OK(ParseMessage(bytes, "row version sequence", &message));
  VersionSequence versions;
  RowCount count(num_rows);
  for (const pb::RowDatasetVersionRun& run : message.runs()) {
    ARROW_RETURN_NOT_OK(VisitSegment(run.span(), [&](uint64_t, uint64_t length) -> arrow::Status {
      ARROW_RETURN_NOT_OK(count.Add(length));
      versions.Append(run.version(), length);
      return arrow::Status::OK();
    }));
  }
  return versions;
}

std::string VersionSequence::Serialize() const {
  pb::RowDatasetVersionSequence message;
  for (const Run& run : runs_) {
    pb::RowDatasetVersionRun* out = message.add_runs();
    WriteRange(run.first_row, run.length, out->mutable_span());
    out->set_version(run.version);
  }
  return message.SerializeAsString();
}

}  // namespace lance::table
