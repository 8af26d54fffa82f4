#include "lance/format/column_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/format/array_assembler.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/page_layout_proto.h"

namespace lance::format {
namespace {

// A page's buffers, in their order (file-format 8.1).
enum PageBuffer : size_t { kWordBuffer = 0, kChunkBuffer = 1, kDictionaryBuffer = 2 };

std::span<const std::byte> View(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const std::byte*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

/// Consecutive chunks [begin, end) of a page and their bytes.
struct ChunkRun {
  size_t begin = 0;
  size_t end = 0;
  std::shared_ptr<arrow::Buffer> bytes;
};

/// One page that holds asked rows.
struct PageRead {
  size_t index = 0;
  const PageMetadata* page = nullptr;
  std::vector<RowRange> rows;  // of the page, ascending
  std::shared_ptr<const PageHeader> header;
  std::vector<ChunkRun> runs;

  bool IsWhole() const { return rows.size() == 1 && rows[0].size() == page->num_rows; }
};

/// Find the pages that hold asked rows. Linear in the pages and ranges.
std::vector<PageRead> PlanPages(const std::vector<PageMetadata>& pages, const RowRanges& rows) {
  std::vector<PageRead> reads;
  auto range = rows.ranges().begin();
  for (size_t i = 0; i < pages.size(); ++i) {
    const uint64_t first = pages[i].first_row;
    const uint64_t last = first + pages[i].num_rows;
    PageRead read{.index = i, .page = &pages[i], .rows = {}, .header = nullptr, .runs = {}};
    for (; range != rows.ranges().end() && range->begin < last; ++range) {
      if (range->end > first) {
        read.rows.push_back(
            {std::max(range->begin, first) - first, std::min(range->end, last) - first});
      }
      if (range->end > last) break;  // the next page has a part of it too
    }
    if (!read.rows.empty()) reads.push_back(std::move(read));
  }
  return reads;
}

/// Collects ranges of several pages and reads them in one request.
class RangeBatch {
 public:
  /// Add a range. \return the number of its buffer; Read must come before Take
  size_t Add(const ByteRange& range) {
    ranges_.push_back(range);
    return ranges_.size() - 1;
  }

  arrow::Status Read(const ColumnRequest& request) {
    if (ranges_.empty()) return arrow::Status::OK();
    return ReadRanges(request.location, ranges_, request.stop).Value(&buffers_);
  }

  std::shared_ptr<arrow::Buffer> Take(size_t number) const { return buffers_[number]; }

 private:
  std::vector<ByteRange> ranges_;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
};

/// A page header whose buffers are being read.
struct HeaderRead {
  PageRead* read = nullptr;
  std::shared_ptr<PageHeader> header;
  size_t words = 0;
  size_t dictionary = 0;
  size_t chunks = 0;
};

arrow::Status InPage(const arrow::Status& status, const PageRead& read) {
  return WithContext(status, "page " + std::to_string(read.index));
}

/// Parse the layouts of pages without cached header and list the buffers that complete them.
arrow::Result<std::vector<HeaderRead>> PlanHeaders(const ColumnRequest& request,
                                                   std::vector<PageRead>* reads,
                                                   RangeBatch* batch) {
  const uint32_t bits = request.type.bits_per_value;
  std::vector<HeaderRead> missing;
  for (PageRead& read : *reads) {
    read.header = request.headers.Find(request.column_index, read.index, bits);
    if (read.header != nullptr) continue;
    HeaderRead plan{.read = &read, .header = std::make_shared<PageHeader>()};
    auto layout = ParsePageLayout(*read.page, bits);
    if (!layout.ok()) return InPage(layout.status(), read);
    plan.header->bits_per_value = bits;
    plan.header->layout = *std::move(layout);
    if (!plan.header->layout.is_all_null) {
      plan.words = batch->Add(read.page->buffers[kWordBuffer]);
      // Whole pages save the second request.
      if (read.IsWhole()) plan.chunks = batch->Add(read.page->buffers[kChunkBuffer]);
    }
    if (plan.header->layout.dictionary != nullptr) {
      plan.dictionary = batch->Add(read.page->buffers[kDictionaryBuffer]);
    }
    missing.push_back(std::move(plan));
  }
  return missing;
}

arrow::Status FinishHeader(const HeaderRead& plan, uint32_t bits_per_value,
                           const RangeBatch& batch) {
  PageHeader* const header = plan.header.get();
  const PageMetadata& page = *plan.read->page;
  if (header->layout.is_all_null) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(header->chunks,
                        ParseChunkTable(View(*batch.Take(plan.words)), page.num_rows,
                                        page.buffers[kChunkBuffer].length));
  if (plan.read->IsWhole()) {
    plan.read->runs = {{0, header->chunks.num_chunks(), batch.Take(plan.chunks)}};
  }
  if (header->layout.dictionary == nullptr) return arrow::Status::OK();
  header->dictionary.bits_per_value = bits_per_value;
  return WithContext(
      header->layout.dictionary->Decode(View(*batch.Take(plan.dictionary)),
                                        header->layout.num_dictionary_items, &header->dictionary),
      "dictionary");
}

/// Make sure that every page to read has its header.
arrow::Status LoadHeaders(const ColumnRequest& request, std::vector<PageRead>* reads) {
  RangeBatch batch;
  ARROW_ASSIGN_OR_RAISE(const auto missing, PlanHeaders(request, reads, &batch));
  ARROW_RETURN_NOT_OK(batch.Read(request));
  for (const HeaderRead& plan : missing) {
    ARROW_RETURN_NOT_OK(InPage(FinishHeader(plan, request.type.bits_per_value, batch), *plan.read));
    plan.read->header = plan.header;
    request.headers.Put(request.column_index, plan.read->index, plan.header);
  }
  return arrow::Status::OK();
}

/// List the runs of chunks that hold the rows of a page; neighbours make one run.
std::vector<ChunkRun> PlanRuns(const PageRead& read) {
  std::vector<ChunkRun> runs;
  for (const RowRange& rows : read.rows) {
    const size_t begin = read.header->chunks.ChunkOfRow(rows.begin);
    const size_t end = read.header->chunks.ChunkOfRow(rows.end - 1) + 1;
    if (!runs.empty() && begin <= runs.back().end) {
      runs.back().end = end;
    } else {
      runs.push_back({begin, end, nullptr});
    }
  }
  return runs;
}

/// Read the chunks that are not there yet, those of all pages in one request.
arrow::Status LoadChunks(const ColumnRequest& request, std::vector<PageRead>* reads) {
  RangeBatch batch;
  for (PageRead& read : *reads) {
    if (read.header->layout.is_all_null || !read.runs.empty()) continue;
    read.runs = PlanRuns(read);
    const uint64_t base = read.page->buffers[kChunkBuffer].offset;
    for (const ChunkRun& run : read.runs) {
      const uint64_t begin = read.header->chunks.begin_of(run.begin).byte;
      const uint64_t end = read.header->chunks.begin_of(run.end).byte;
      batch.Add({base + begin, end - begin});
    }
  }
  ARROW_RETURN_NOT_OK(batch.Read(request));
  size_t number = 0;
  for (PageRead& read : *reads) {
    for (ChunkRun& run : read.runs) {
      if (run.bytes == nullptr) run.bytes = batch.Take(number++);
    }
  }
  return arrow::Status::OK();
}

/// Decodes chunks of one page after the other into an array. Reuses its buffers.
class ChunkDecoder {
 public:
  explicit ChunkDecoder(ArrayAssembler* out) : out_(out) {}

  /// Append some rows of a chunk.
  ///
  /// \param num_rows the rows that the chunk has
  /// \param rows those to append, ascending, of the chunk
  arrow::Status Decode(const PageHeader& header, std::span<const std::byte> bytes,
                       uint64_t num_rows, const std::vector<ChunkRows>& rows) {
    const PageLayout& layout = header.layout;
    ARROW_RETURN_NOT_OK(ParseMiniBlockChunk(bytes, layout.levels != nullptr,
                                            layout.values->num_buffers(), &chunk_));
    ARROW_RETURN_NOT_OK(DecodeLevels(layout, num_rows));
    const bool is_whole = rows.size() == 1 && rows[0].count == num_rows;
    if (is_whole && layout.dictionary == nullptr) {
      ARROW_RETURN_NOT_OK(layout.values->Decode(chunk_.buffers, num_rows, out_->values()));
      return AppendValidity(layout, rows[0]);
    }
    Reset(layout.bits_per_value, &values_);
    ARROW_RETURN_NOT_OK(layout.values->Decode(chunk_.buffers, num_rows, &values_));
    for (const ChunkRows& part : rows) {
      ARROW_RETURN_NOT_OK(AppendPart(header, part));
      ARROW_RETURN_NOT_OK(AppendValidity(layout, part));
    }
    return arrow::Status::OK();
  }

 private:
  static void Reset(uint32_t bits_per_value, ValueBuffer* buffer) {
    buffer->bits_per_value = bits_per_value;
    buffer->num_values = 0;
    buffer->bytes.clear();
    buffer->offsets.clear();
  }

  arrow::Status DecodeLevels(const PageLayout& layout, uint64_t num_rows) {
    if (layout.levels == nullptr) return arrow::Status::OK();
    if (chunk_.num_levels != num_rows) {
      return arrow::Status::SerializationError("MiniBlockChunk.num_levels is ", chunk_.num_levels,
                                               ", the chunk has ", num_rows, " rows");
    }
    Reset(16, &levels_);
    ARROW_RETURN_NOT_OK(layout.levels->Decode(chunk_.levels, num_rows, &levels_));
    const auto raw = AsBytes(levels_.bytes);
    for (uint64_t i = 0; i < num_rows; ++i) {
      const auto level = LoadLittleEndian<uint16_t>(raw.data() + i * sizeof(uint16_t));
      if (level > layout.max_definition) {
        return arrow::Status::SerializationError("a definition level is ", level,
                                                 ", the page's layers have ", layout.max_definition,
                                                 " at most");
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status AppendPart(const PageHeader& header, ChunkRows part) {
    if (header.layout.dictionary == nullptr) {
      out_->AppendValues(values_, part);
      return arrow::Status::OK();
    }
    const ValueBuffer* levels = header.layout.levels != nullptr ? &levels_ : nullptr;
    return out_->AppendFromDictionary(header.dictionary, values_, levels, part);
  }

  arrow::Status AppendValidity(const PageLayout& layout, ChunkRows part) {
    return layout.levels != nullptr ? out_->AppendValidity(levels_, part)
                                    : out_->AppendValidity(true, part.count);
  }

  ArrayAssembler* out_;
  MiniBlockChunk chunk_;
  ValueBuffer levels_;
  ValueBuffer values_;
};

/// The parts of ascending `rows` that lie in [first, last), counted from `first`.
///
/// \param range the first of `rows` that may reach into it; moved on to the first behind it
void RowsInside(const std::vector<RowRange>& rows, RowRange chunk, size_t* range,
                std::vector<ChunkRows>* inside) {
  inside->clear();
  for (; *range < rows.size() && rows[*range].begin < chunk.end; ++*range) {
    const uint64_t begin = std::max(rows[*range].begin, chunk.begin);
    const uint64_t end = std::min(rows[*range].end, chunk.end);
    if (begin < end) inside->push_back({begin - chunk.begin, end - begin});
    if (rows[*range].end > chunk.end) break;
  }
}

arrow::Status DecodeMiniBlocks(const PageRead& read, const arrow::StopToken& stop,
                               ChunkDecoder* decoder) {
  const ChunkTable& chunks = read.header->chunks;
  size_t range = 0;
  std::vector<ChunkRows> rows;
  for (const ChunkRun& run : read.runs) {
    const uint64_t base = chunks.begin_of(run.begin).byte;
    for (size_t i = run.begin; i < run.end; ++i) {
      if (stop.IsStopRequested()) return stop.Poll();
      const auto begin = chunks.begin_of(i);
      const auto end = chunks.end_of(i);
      RowsInside(read.rows, {begin.row, end.row}, &range, &rows);
      const auto bytes = View(*run.bytes).subspan(begin.byte - base, end.byte - begin.byte);
      ARROW_RETURN_NOT_OK(
          WithContext(decoder->Decode(*read.header, bytes, end.row - begin.row, rows),
                      "chunk " + std::to_string(i)));
    }
  }
  return arrow::Status::OK();
}

arrow::Status AppendAllNull(const PageRead& read, ArrayAssembler* out) {
  for (const RowRange& rows : read.rows) {
    out->AppendNullValues(rows.size());
    ARROW_RETURN_NOT_OK(out->AppendValidity(false, rows.size()));
  }
  return arrow::Status::OK();
}

}  // namespace

std::shared_ptr<const PageHeader> PageHeaderCache::Find(int column, size_t page,
                                                        uint32_t bits_per_value) {
  const std::lock_guard lock(mutex_);
  const auto found = headers_.find({column, page});
  if (found == headers_.end() || found->second->bits_per_value != bits_per_value) return nullptr;
  return found->second;
}

void PageHeaderCache::Put(int column, size_t page, std::shared_ptr<const PageHeader> header) {
  const std::lock_guard lock(mutex_);
  headers_[{column, page}] = std::move(header);
}

arrow::Result<std::shared_ptr<arrow::Array>> ReadColumnRows(const ColumnRequest& request) {
  const ColumnMetadata& column = request.metadata.columns[request.column_index];
  ARROW_RETURN_NOT_OK(CheckColumnEncoding(column.encoding));
  std::vector<PageRead> reads = PlanPages(column.pages, request.rows);
  ARROW_RETURN_NOT_OK(LoadHeaders(request, &reads));
  ARROW_RETURN_NOT_OK(LoadChunks(request, &reads));
  ArrayAssembler assembler(request.type, request.pool);
  ChunkDecoder decoder(&assembler);
  for (const PageRead& read : reads) {
    ARROW_RETURN_NOT_OK(InPage(read.header->layout.is_all_null
                                   ? AppendAllNull(read, &assembler)
                                   : DecodeMiniBlocks(read, request.stop, &decoder),
                               read));
  }
  return assembler.Finish();
}

}  // namespace lance::format
