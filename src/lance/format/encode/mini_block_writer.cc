#include "lance/format/encode/mini_block_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/format/encode/level_codec.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

constexpr int kPadByte = 0xFE;  // the reference's
constexpr uint64_t kMaxLevels = 65535;
constexpr uint64_t kMaxLevelBytes = 65535;
/// About how many levels a chunk has: what level codecs are chosen by.
constexpr uint64_t kExpectedChunkLevels = 1024;

/// What a chunk holds. A plain value.
struct ChunkPlan {
  uint64_t first_value = 0;
  uint64_t num_values = 0;
  uint64_t first_entry = 0;
  uint64_t num_entries = 0;
};

/// The level streams of a page with their codecs.
struct LevelStreams {
  LevelStreams(const PageLevels& levels, FileVersion version) {
    const uint64_t chunk_levels = std::min(levels.num_entries, kExpectedChunkLevels);
    if (!levels.rep.empty()) rep.emplace(levels.rep, chunk_levels, version);
    if (!levels.def.empty()) def.emplace(levels.def, chunk_levels, version);
  }

  std::optional<LevelCodec> rep;
  std::optional<LevelCodec> def;
};

/// Cuts a page into chunks.
class ChunkPlanner {
 public:
  ChunkPlanner(const PageLevels& levels, const LevelStreams& streams, const ChunkEncoder& values,
               FileVersion version)
      : levels_(levels),
        streams_(streams),
        values_(values),
        max_chunk_bytes_(version == FileVersion::k2_2 ? (1 << 20) - 8 : 32 << 10),
        size_bytes_(version == FileVersion::k2_2 ? 4 : 2) {
    LANCE_DCHECK(values.num_values() == levels.num_visible && levels.num_visible > 0);
    if (!levels.has_invisible()) return;
    ends_.reserve(levels.num_visible);
    for (uint64_t i = 0; i < levels.num_entries; ++i) {
      if (levels.def[i] <= levels.layers.max_visible_def)
        ends_.push_back(static_cast<uint32_t>(i + 1));
    }
  }

  /// \return CapacityError when two values do not fit
  arrow::Result<std::vector<ChunkPlan>> Plan() const {
    std::vector<ChunkPlan> chunks;
    ChunkPlan next;
    while (next.first_value < values_.num_values()) {
      ARROW_RETURN_NOT_OK(ChooseCount(&next));
      chunks.push_back(next);
      next.first_value += next.num_values;
      next.first_entry += next.num_entries;
    }
    return chunks;
  }

  /// The bytes in front of a chunk's first stream.
  uint64_t HeaderBytes() const {
    const uint64_t num_streams = (streams_.rep ? 1 : 0) + (streams_.def ? 1 : 0);
    return PaddedBytes(2 + 2 * num_streams + size_bytes_ * values_.num_buffers());
  }

 private:
  arrow::Status ChooseCount(ChunkPlan* chunk) const {
    const uint64_t rest = values_.num_values() - chunk->first_value;
    const uint64_t max = std::min(values_.MaxValues(chunk->first_value), kMaxChunkValues);
    chunk->num_values = rest <= max ? rest : std::bit_floor(max);
    while (true) {
      // Entries without a value that follow the last value are the next chunk's.
      const bool is_last = chunk->num_values == rest;
      const uint64_t end =
          is_last ? levels_.num_entries : EntryEnd(chunk->first_value + chunk->num_values);
      chunk->num_entries = end - chunk->first_entry;
      if (Fits(*chunk)) return arrow::Status::OK();
      if (chunk->num_values <= 2) break;  // readers refuse one value but in the last chunk
      chunk->num_values = std::bit_floor(chunk->num_values - 1);
    }
    return arrow::Status::CapacityError(
        "mini-block chunk: ", chunk->num_values, " values from value ", chunk->first_value,
        " of a page on have ", chunk->num_entries, " levels and up to ",
        values_.BytesBound(chunk->first_value, chunk->num_values), " bytes; a chunk holds ",
        kMaxLevels, " levels and ", max_chunk_bytes_, " bytes");
  }

  /// Behind the entry of the last one of `num_values` values.
  uint64_t EntryEnd(uint64_t num_values) const {
    return ends_.empty() ? num_values : ends_[num_values - 1];
  }

  bool Fits(const ChunkPlan& chunk) const {
    uint64_t bytes = HeaderBytes();
    for (const auto* stream : {&streams_.rep, &streams_.def}) {
      if (!*stream) continue;
      if (chunk.num_entries > kMaxLevels) return false;
      const uint64_t level_bytes = (*stream)->BlockBytes(chunk.first_entry, chunk.num_entries);
      if (level_bytes > kMaxLevelBytes) return false;
      bytes += PaddedBytes(level_bytes);
    }
    return bytes + values_.BytesBound(chunk.first_value, chunk.num_values) <= max_chunk_bytes_;
  }

  const PageLevels& levels_;
  const LevelStreams& streams_;
  const ChunkEncoder& values_;
  uint64_t max_chunk_bytes_;
  uint64_t size_bytes_;
  /// Behind the entry of every value; empty: entries are values.
  std::vector<uint32_t> ends_;
};

/// Appends planned chunks to the page's buffers.
class ChunkWriter {
 public:
  ChunkWriter(const PageLevels& levels, const LevelStreams& streams, const ChunkEncoder& values,
              const EncodingRequest& request)
      : levels_(levels),
        streams_(streams),
        values_(values),
        is_large_(request.version == FileVersion::k2_2),
        buffers_(values.num_buffers()),
        words_(request.pool),
        chunks_(request.pool),
        row_counts_(request.pool) {}

  void Reserve(const std::vector<ChunkPlan>& chunks, uint64_t header_bytes) {
    uint64_t bytes = 0;
    for (const ChunkPlan& chunk : chunks) {
      bytes += header_bytes + values_.BytesBound(chunk.first_value, chunk.num_values);
      for (const auto* stream : {&streams_.rep, &streams_.def}) {
        if (!*stream) continue;
        bytes += PaddedBytes((*stream)->BlockBytes(chunk.first_entry, chunk.num_entries));
      }
    }
    chunks_.Reserve(bytes);
    words_.Reserve(chunks.size() * (is_large_ ? 4 : 2));
  }

  arrow::Status Append(const ChunkPlan& chunk, bool is_last) {
    for (std::string& buffer : buffers_) buffer.clear();
    ARROW_RETURN_NOT_OK(values_.Encode(chunk.first_value, chunk.num_values, &buffers_));
    rep_.clear();
    def_.clear();
    if (streams_.rep) streams_.rep->AppendBlock(chunk.first_entry, chunk.num_entries, &rep_);
    if (streams_.def) streams_.def->AppendBlock(chunk.first_entry, chunk.num_entries, &def_);
    const size_t begin = chunks_.size();
    AppendHeader(chunk);
    AppendPadded(rep_);
    AppendPadded(def_);
    for (const std::string& buffer : buffers_) AppendPadded(buffer);
    AppendWord(chunk, is_last, chunks_.size() - begin);
    if (levels_.has_lists()) AppendRowCounts(chunk);
    return arrow::Status::OK();
  }

  /// The page's buffers; moved out.
  std::vector<ByteBuffer> TakeBuffers(const EncodedDictionary* dictionary) {
    std::vector<ByteBuffer> buffers;
    buffers.push_back(std::move(words_));
    buffers.push_back(std::move(chunks_));
    if (dictionary != nullptr) {
      buffers.emplace_back(buffers[0].pool()).Append(AsBytes(dictionary->bytes));
    }
    if (levels_.has_lists()) buffers.push_back(std::move(row_counts_));
    return buffers;
  }

 private:
  template <typename T>
  static void AppendNumber(uint64_t number, ByteBuffer* out) {
    const auto narrow = static_cast<T>(number);
    std::memcpy(out->Grow(sizeof(narrow)), &narrow, sizeof(narrow));
  }

  void AppendHeader(const ChunkPlan& chunk) {
    const bool has_levels = streams_.rep || streams_.def;
    AppendNumber<uint16_t>(has_levels ? chunk.num_entries : 0, &chunks_);
    if (streams_.rep) AppendNumber<uint16_t>(rep_.size(), &chunks_);
    if (streams_.def) AppendNumber<uint16_t>(def_.size(), &chunks_);
    for (const std::string& buffer : buffers_) {
      if (is_large_) {
        AppendNumber<uint32_t>(buffer.size(), &chunks_);
      } else {
        AppendNumber<uint16_t>(buffer.size(), &chunks_);
      }
    }
    Pad();
  }

  void AppendPadded(const std::string& bytes) {
    chunks_.Append(AsBytes(bytes));
    Pad();
  }

  /// Chunks begin at multiples of 8, so that a place in the buffer is as good as one in the chunk.
  void Pad() {
    const size_t missing = PaddedBytes(chunks_.size()) - chunks_.size();
    std::memset(chunks_.Grow(missing), kPadByte, missing);
  }

  void AppendWord(const ChunkPlan& chunk, bool is_last, uint64_t size) {
    const auto log = static_cast<uint64_t>(is_last ? 0 : std::countr_zero(chunk.num_values));
    const uint64_t word = log | (size / 8 - 1) << 4;
    if (is_large_) {
      AppendNumber<uint32_t>(word, &words_);
    } else {
      AppendNumber<uint16_t>(word, &words_);
    }
  }

  /// Append the chunk's part of the repetition index: rows that end in it, and levels of the row
  /// that goes on.
  void AppendRowCounts(const ChunkPlan& chunk) {
    const uint16_t row_start = levels_.layers.max_rep;
    const uint64_t end = chunk.first_entry + chunk.num_entries;
    const auto rep = levels_.rep.subspan(chunk.first_entry, chunk.num_entries);
    uint64_t num_rows = rep[0] == row_start ? 0 : 1;
    uint64_t last_start = 0;
    for (uint64_t i = 0; i < rep.size(); ++i) {
      if (rep[i] != row_start) continue;
      ++num_rows;
      last_start = i;
    }
    const bool goes_on = end < levels_.num_entries && levels_.rep[end] != row_start;
    AppendNumber<uint64_t>(num_rows - (goes_on ? 1 : 0), &row_counts_);
    AppendNumber<uint64_t>(goes_on ? rep.size() - last_start : 0, &row_counts_);
  }

  const PageLevels& levels_;
  const LevelStreams& streams_;
  const ChunkEncoder& values_;
  bool is_large_;
  // The parts of the chunk at hand: their memory is used again and again.
  std::vector<std::string> buffers_;
  std::string rep_;
  std::string def_;
  // The page's buffers.
  ByteBuffer words_;
  ByteBuffer chunks_;
  ByteBuffer row_counts_;
};

void DescribePage(const PageLevels& levels, const LevelStreams& streams, const ChunkEncoder& values,
                  const EncodedDictionary* dictionary, FileVersion version,
                  pb::MiniBlockLayout* layout) {
  if (streams.rep) streams.rep->Describe(layout->mutable_rep_compression());
  if (streams.def) streams.def->Describe(layout->mutable_def_compression());
  values.Describe(layout->mutable_value_compression());
  if (dictionary != nullptr) {
    // Our own serialized message: parsing it cannot fail.
    (void)layout->mutable_dictionary()->ParseFromString(dictionary->encoding);
    layout->set_num_dictionary_items(dictionary->num_items);
  }
  SetLayers(levels, layout);
  layout->set_num_buffers(values.num_buffers());
  if (levels.has_lists()) layout->set_repetition_index_depth(1);
  layout->set_num_items(levels.num_visible);
  layout->set_has_large_chunk(version == FileVersion::k2_2);
}

}  // namespace

arrow::Result<std::vector<ByteBuffer>> WriteMiniBlocks(const PageLevels& levels,
                                                       const ChunkEncoder& values,
                                                       const EncodedDictionary* dictionary,
                                                       const EncodingRequest& request,
                                                       pb::PageLayout* layout) {
  const FileVersion version = request.version;
  const LevelStreams streams(levels, version);
  const ChunkPlanner planner(levels, streams, values, version);
  ARROW_ASSIGN_OR_RAISE(const std::vector<ChunkPlan> chunks, planner.Plan());
  ChunkWriter writer(levels, streams, values, request);
  writer.Reserve(chunks, planner.HeaderBytes());
  for (size_t i = 0; i < chunks.size(); ++i) {
    ARROW_RETURN_NOT_OK(writer.Append(chunks[i], i + 1 == chunks.size()));
  }
  DescribePage(levels, streams, values, dictionary, version, layout->mutable_mini_block_layout());
  return writer.TakeBuffers(dictionary);
}

uint64_t EstimateLevelBytes(const PageLevels& levels, FileVersion version) {
  const LevelStreams streams(levels, version);
  return (streams.rep ? streams.rep->estimated_bytes() : 0) +
         (streams.def ? streams.def->estimated_bytes() : 0);
}

}  // namespace lance::format
