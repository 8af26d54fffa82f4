#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "arrow/array/array_base.h"
#include "arrow/buffer.h"
#include "lance/base/status_detail.h"
#include "lance/format/pages/dictionaries.h"
#include "lance/format/pages/level_decoder.h"
#include "lance/format/pages/mini_block_chunk.h"
#include "lance/format/pages/page_scan.h"

namespace lance::format {
namespace {

// A page's buffers, in their order (file-format 8.1); the repetition index is the last.
enum PageBuffer : size_t { kWordBuffer = 0, kChunkBuffer = 1, kDictionaryBuffer = 2 };

// Chunks of pages up to this size are read together with the header: one request less.
constexpr uint64_t kSmallPageBytes = 32 << 10;

// What decoders take (codec.h); far above what writers put into a chunk.
constexpr uint64_t kMaxValuesOfChunk = 1 << 16;

/// Consecutive chunks [begin, end) of a page and the number of their bytes in the batch.
struct ChunkRun {
  size_t begin = 0;
  size_t end = 0;
  size_t bytes = 0;
};

ChunkFormat FormatOf(const MiniBlockLayout& layout) {
  return {.has_rep = layout.rep.decoder != nullptr,
          .has_def = layout.def.decoder != nullptr,
          .num_buffers = layout.values->num_buffers(),
          .has_large_chunks = layout.has_large_chunks};
}

/// Decodes chunks of one page after the other. Reuses its memory.
class ChunkDecoder {
 public:
  ChunkDecoder(const LoadedHeader& header, const MiniBlockLayout& layout, const LeafPath& path,
               LeafBuilder* out)
      : header_(header),
        layout_(layout),
        format_(FormatOf(layout)),
        levels_(layout.layers, path),
        scratch_(layout.value_shape, out->values()->bytes.pool()),
        out_(out) {}

  /// Append the wanted rows of chunk `i`. \param wanted rows of the page; ascending
  arrow::Status Decode(size_t i, std::span<const std::byte> bytes,
                       std::span<const RowRange> wanted) {
    num_values_ = header_.chunks.num_values(i);
    if (num_values_ > kMaxValuesOfChunk) {
      return arrow::Status::SerializationError("has ", num_values_, " values, allowed are up to ",
                                               kMaxValuesOfChunk);
    }
    ARROW_RETURN_NOT_OK(ParseMiniBlockChunk(bytes, format_, &chunk_));
    ARROW_RETURN_NOT_OK(DecodeLevels(i));
    const RowRange touched = {header_.chunks.rows_finished_before(i),
                              header_.chunks.rows_begun_before(i + 1)};
    out_->ReserveText();
    if (wanted[0].begin <= touched.begin && touched.end <= wanted[0].end) return AppendWhole();
    levels_.Slice(header_.chunks.rows_begun_before(i), wanted, &slices_);
    return AppendSlices();
  }

 private:
  bool has_levels() const { return format_.has_rep || format_.has_def; }
  bool has_automatic_dictionary() const {
    return layout_.dictionary != nullptr && header_.dictionary_array == nullptr;
  }

  arrow::Result<uint64_t> CountLevels() const {
    if (!has_levels()) return num_values_;
    if (layout_.rep.is_rle) return CountRleLevels(chunk_.rep, chunk_.claimed_num_levels);
    if (layout_.def.is_rle) return CountRleLevels(chunk_.def, chunk_.claimed_num_levels);
    return chunk_.claimed_num_levels;
  }

  arrow::Status DecodeLevels(size_t i) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t num_levels, CountLevels());
    ARROW_RETURN_NOT_OK(
        levels_.Decode(layout_.rep, chunk_.rep, layout_.def, chunk_.def, num_levels));
    if (levels_.num_visible() != num_values_) {
      return arrow::Status::SerializationError("its levels have ", levels_.num_visible(),
                                               " values, its word says ", num_values_);
    }
    if (!format_.has_rep) return arrow::Status::OK();
    const ChunkTable& chunks = header_.chunks;
    return levels_.CheckRows(chunks.begins_inside_row(i),
                             chunks.rows_begun_before(i + 1) - chunks.rows_begun_before(i),
                             chunks.leftover(i));
  }

  void AppendLevels(const EntrySlice& slice) {
    if (!levels_.rep().empty()) {
      out_->AppendRep(levels_.rep().subspan(slice.first_entry, slice.num_entries));
    }
    if (levels_.def().empty()) {
      out_->AppendSameDef(0, slice.num_entries);
    } else {
      out_->AppendDef(levels_.def().subspan(slice.first_entry, slice.num_entries));
    }
  }

  arrow::Status AppendWhole() {
    const EntrySlice all = {0, levels_.num_entries(), 0, num_values_};
    AppendLevels(all);
    if (!has_automatic_dictionary()) {
      return layout_.values->Decode(chunk_.buffers, num_values_, out_->values());
    }
    ARROW_RETURN_NOT_OK(DecodeToScratch());
    return AppendFromDictionary(all);
  }

  arrow::Status AppendSlices() {
    if (slices_.empty()) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(DecodeToScratch());
    for (const EntrySlice& slice : slices_) {
      AppendLevels(slice);
      ARROW_RETURN_NOT_OK(
          has_automatic_dictionary()
              ? AppendFromDictionary(slice)
              : AppendValues(scratch_, slice.first_value, slice.num_values, out_->values()));
    }
    return arrow::Status::OK();
  }

  arrow::Status DecodeToScratch() {
    scratch_.Clear();
    return layout_.values->Decode(chunk_.buffers, num_values_, &scratch_);
  }

  arrow::Status AppendFromDictionary(const EntrySlice& slice) {
    const uint32_t index_bits = layout_.value_shape.bits_per_value;
    const std::byte* const indices = scratch_.bytes.data() + slice.first_value * (index_bits / 8);
    // Nulls may have any index (file-format 12), but hardly any writer makes use of that.
    const uint8_t* skip = nullptr;
    if (!AllIndicesBelow(indices, index_bits, slice.num_values, header_.dictionary.num_values)) {
      levels_.MarkNulls(slice, &is_null_);
      skip = is_null_.data();
    }
    return AppendIndexed(header_.dictionary, indices, index_bits, slice.num_values, skip,
                         out_->values());
  }

  const LoadedHeader& header_;
  const MiniBlockLayout& layout_;
  ChunkFormat format_;
  LevelDecoder levels_;
  MiniBlockChunk chunk_;
  uint64_t num_values_ = 0;  // of the chunk
  ValueBuffer scratch_;
  std::vector<EntrySlice> slices_;
  std::vector<uint8_t> is_null_;
  LeafBuilder* out_;
};

/// See MakeMiniBlockScan.
class MiniBlockScan : public PageScan {
 public:
  MiniBlockScan(const LeafScope& scope, const LeafPath& path, PageRead read, HeaderSlot slot)
      : scope_(scope),
        path_(path),
        read_(std::move(read)),
        slot_(std::move(slot)),
        layout_(std::get<MiniBlockLayout>(slot_.header->layout.body)) {}

  void PlanHeader(RangeBatch* batch) override {
    if (slot_.loading == nullptr) return;
    const auto& buffers = read_.page->buffers;
    words_ = batch->Add(buffers[kWordBuffer]);
    if (read_.IsWhole() || buffers[kChunkBuffer].length <= kSmallPageBytes) {
      chunks_ = batch->Add(buffers[kChunkBuffer]);
    }
    if (layout_.dictionary != nullptr) dictionary_ = batch->Add(buffers[kDictionaryBuffer]);
    if (layout_.rep.decoder != nullptr) index_ = batch->Add(buffers.back());
  }

  arrow::Status PlanIndex(RangeBatch* batch) override {
    if (slot_.loading == nullptr) return arrow::Status::OK();
    const ChunkTotals totals = {.num_values = layout_.num_values,
                                .num_rows = read_.page->num_rows,
                                .num_bytes = read_.page->buffers[kChunkBuffer].length};
    const uint32_t word_bytes = layout_.has_large_chunks ? 4 : 2;
    LoadedHeader* const header = slot_.loading;
    ARROW_ASSIGN_OR_RAISE(header->chunks, ParseChunkTable(batch->View(words_), word_bytes, totals));
    if (layout_.rep.decoder != nullptr) {
      ARROW_RETURN_NOT_OK(
          ParseRepetitionIndex(batch->View(index_), totals.num_rows, &header->chunks));
    }
    if (layout_.dictionary == nullptr) return arrow::Status::OK();
    return WithContext(LoadDictionary(batch->View(dictionary_)), "dictionary");
  }

  arrow::Status PlanData(RangeBatch* batch) override {
    const ChunkTable& chunks = slot_.header->chunks;
    if (chunks_.has_value()) {
      runs_ = {{0, chunks.num_chunks(), *chunks_}};
      return arrow::Status::OK();
    }
    PlanRuns();
    const uint64_t base = read_.page->buffers[kChunkBuffer].offset;
    for (ChunkRun& run : runs_) {
      const uint64_t begin = chunks.byte_of(run.begin);
      run.bytes = batch->Add({base + begin, chunks.byte_of(run.end) - begin});
    }
    return arrow::Status::OK();
  }

  uint64_t EstimateValues() const override {
    if (layout_.layers.max_rep == 0) return read_.num_rows();
    return read_.IsWhole() ? layout_.num_values : 0;
  }

  arrow::Status Decode(RangeBatch* batch, LeafBuilder* out) override {
    ChunkDecoder decoder(*slot_.header, layout_, path_, out);
    const uint64_t first_value = out->values()->num_values;
    const uint64_t first_entry = out->num_entries();
    std::span<const RowRange> wanted(read_.rows);
    for (const ChunkRun& run : runs_) {
      const auto bytes = batch->Take(run.bytes);
      ARROW_RETURN_NOT_OK(DecodeRun(run, ViewOf(*bytes), &wanted, &decoder));
    }
    if (slot_.header->dictionary_array == nullptr) return arrow::Status::OK();
    return FinishPageIndices(first_entry, first_value, path_,
                             static_cast<uint64_t>(slot_.header->dictionary_array->length()),
                             out->column());
  }

 private:
  arrow::Status LoadDictionary(std::span<const std::byte> bytes) {
    // Cached with the header, for which no call's pool lives long enough.
    ValueBuffer values(scope_.target.shape, nullptr);
    ARROW_RETURN_NOT_OK(layout_.dictionary->Decode(bytes, layout_.num_dictionary_items, &values));
    if (scope_.target.index_bits == 0) {
      slot_.loading->dictionary = std::move(values);
      return arrow::Status::OK();
    }
    return MakeDictionaryArray(scope_.value_type, std::move(values))
        .Value(&slot_.loading->dictionary_array);
  }

  /// List the runs of chunks that hold the wanted rows; neighbours make one run.
  void PlanRuns() {
    const ChunkTable& chunks = slot_.header->chunks;
    for (const RowRange& rows : read_.rows) {
      const size_t begin = chunks.ChunkWhereRowBegins(rows.begin);
      const size_t end = chunks.ChunkWhereRowEnds(rows.end - 1) + 1;
      if (!runs_.empty() && begin <= runs_.back().end) {
        runs_.back().end = std::max(runs_.back().end, end);
      } else {
        runs_.push_back({begin, end, 0});
      }
    }
  }

  /// Append the wanted rows of a run. \param wanted moved on behind the rows that end in it
  arrow::Status DecodeRun(const ChunkRun& run, std::span<const std::byte> bytes,
                          std::span<const RowRange>* wanted, ChunkDecoder* decoder) const {
    const ChunkTable& chunks = slot_.header->chunks;
    const uint64_t base = chunks.byte_of(run.begin);
    for (size_t i = run.begin; i < run.end && !wanted->empty(); ++i) {
      if (scope_.stop.IsStopRequested()) return scope_.stop.Poll();
      if (wanted->front().begin >= chunks.rows_begun_before(i + 1)) continue;
      const auto chunk =
          bytes.subspan(chunks.byte_of(i) - base, chunks.byte_of(i + 1) - chunks.byte_of(i));
      const auto status = decoder->Decode(i, chunk, *wanted);
      if (!status.ok()) return WithContext(status, "chunk " + std::to_string(i));
      const uint64_t finished = chunks.rows_finished_before(i + 1);
      while (!wanted->empty() && wanted->front().end <= finished) *wanted = wanted->subspan(1);
    }
    return arrow::Status::OK();
  }

  const LeafScope& scope_;
  const LeafPath& path_;
  PageRead read_;
  HeaderSlot slot_;
  const MiniBlockLayout& layout_;
  // Numbers in the batch.
  size_t words_ = 0;
  size_t dictionary_ = 0;
  size_t index_ = 0;
  std::optional<size_t> chunks_;
  std::vector<ChunkRun> runs_;
};

}  // namespace

std::unique_ptr<PageScan> MakeMiniBlockScan(const LeafScope& scope, const LeafPath& path,
                                            PageRead read, HeaderSlot slot) {
  return std::make_unique<MiniBlockScan>(scope, path, std::move(read), std::move(slot));
}

}  // namespace lance::format
