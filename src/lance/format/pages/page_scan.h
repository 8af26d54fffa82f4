#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/base/row_ranges.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/encodings/value_buffer.h"
#include "lance/format/pages/chunk_table.h"
#include "lance/format/pages/leaf_builder.h"
#include "lance/format/pages/page_layout.h"
#include "lance/format/pages/range_batch.h"
#include "lance/format/pages/read_leaf.h"

namespace lance::format {

/// What is known of a page before its rows are read; which members are set depends on its layout.
/// Immutable once it is loaded.
struct LoadedHeader final : public PageHeader {
  PageLayout layout;
  /// Mini-block pages.
  ChunkTable chunks;
  /// Mini-block pages with a dictionary: its values.
  ValueBuffer dictionary;
  /// Arrow dictionary leaves: its values as an array, instead of `dictionary`.
  std::shared_ptr<arrow::Array> dictionary_array;
  /// Constant pages: the value, once.
  ValueBuffer constant;
  /// Full-zip pages with a small row index: all of it. Null: read entries when they are needed.
  std::shared_ptr<arrow::Buffer> row_index;

  uint64_t size_bytes() const override;
};

/// One page that holds wanted rows. Borrows the page.
struct PageRead {
  size_t index = 0;
  const PageMetadata* page = nullptr;
  /// Rows of the page, ascending, at least one; counted as Page.length does.
  std::vector<RowRange> rows;

  bool IsWhole() const { return rows.size() == 1 && rows[0].size() == page->num_rows; }
  uint64_t num_rows() const;
};

/// What all pages of a call share. Borrows everything.
struct LeafScope {
  const LeafTarget& target;
  /// The type of the leaf's values (of the dictionary, for dictionary arrays).
  const std::shared_ptr<arrow::DataType>& value_type;
  uint64_t file_size = 0;
  const arrow::StopToken& stop;
};

/// Reads the wanted rows of one page, step by step, so that the requests of all pages of a call
/// can be made together. Between the first three steps the batch is read.
class PageScan {
 public:
  virtual ~PageScan() = default;

  /// Add what completes the header; and all of the page, when that saves a request.
  virtual void PlanHeader(RangeBatch* batch) = 0;
  /// Finish the header. Add what says where the rows are.
  virtual arrow::Status PlanIndex(RangeBatch* batch) = 0;
  /// Add the bytes of the rows, where they are not there yet.
  virtual arrow::Status PlanData(RangeBatch* batch) = 0;
  /// How many values Decode will append, about; 0 when that is not known. Call it after PlanData.
  virtual uint64_t EstimateValues() const = 0;
  /// Append the wanted rows, and nothing else.
  virtual arrow::Status Decode(RangeBatch* batch, LeafBuilder* out) = 0;
};

/// A page's header, and whether the scan has to complete it.
struct HeaderSlot {
  /// Has its layout in any case.
  std::shared_ptr<const LoadedHeader> header;
  /// The same header when the rest of it is not loaded; else null.
  LoadedHeader* loading = nullptr;
};

/// Make the scan of a page for its layout.
std::unique_ptr<PageScan> MakePageScan(const LeafScope& scope, PageRead read, HeaderSlot slot);

/// Make the scan of a mini-block page. \param path of the page's levels; borrowed
std::unique_ptr<PageScan> MakeMiniBlockScan(const LeafScope& scope, const LeafPath& path,
                                            PageRead read, HeaderSlot slot);
/// Make the scan of a full-zip page.
std::unique_ptr<PageScan> MakeFullZipScan(const LeafScope& scope, PageRead read, HeaderSlot slot);
/// Make the scan of a constant or all-null page.
std::unique_ptr<PageScan> MakeConstantScan(const LeafScope& scope, PageRead read, HeaderSlot slot);
/// Make the scan of a page of legacy blobs' descriptors.
std::unique_ptr<PageScan> MakeBlobScan(const LeafScope& scope, PageRead read, HeaderSlot slot);

}  // namespace lance::format
