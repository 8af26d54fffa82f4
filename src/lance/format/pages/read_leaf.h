#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/base/row_ranges.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/encodings/value_shape.h"
#include "lance/format/field_tree.h"
#include "lance/format/levels/layers.h"
#include "lance/format/levels/leaf_column.h"

namespace lance::format {

/// What a page needs before its rows can be found and decoded: layout, decoders, chunk table,
/// dictionary. Immutable.
class PageHeader {
 public:
  virtual ~PageHeader() = default;

  /// Bytes that it takes in memory, about.
  virtual uint64_t size_bytes() const = 0;
};

/// What a column is read as; headers made for one reading do not serve another. A plain value.
struct LeafReading {
  FieldKind kind = FieldKind::kLeaf;
  std::shared_ptr<arrow::DataType> type;
  LeafPath path;

  bool operator==(const LeafReading& other) const;
};

/// The page headers of one file that were read so far, so that each is read once. Thread-safe.
class PageHeaderCache {
 public:
  /// Find a page's header. \return null when it is not there, or was made for another reading
  std::shared_ptr<const PageHeader> Find(int column, size_t page, const LeafReading& reading) const;
  void Put(int column, size_t page, const LeafReading& reading,
           std::shared_ptr<const PageHeader> header);
  /// Bytes that all headers take in memory, about.
  uint64_t size_bytes() const;

 private:
  struct Entry {
    LeafReading reading;
    std::shared_ptr<const PageHeader> header;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<int, size_t>, Entry> headers_;
  uint64_t size_bytes_ = 0;
};

/// Which rows of which leaf to read, and from where. Borrows everything for the call.
struct LeafRequest {
  const DataFileLocation& location;
  const DataFileMetadata& metadata;
  PageHeaderCache& headers;
  int column_index;
  /// A node that owns a column; its shape is MakeValueShape of its type (of the value type, for
  /// dictionary arrays).
  const FieldNode& leaf;
  const LeafPath& path;
  /// Rows of the file, below its num_rows.
  const RowRanges& rows;
  arrow::MemoryPool* pool;
  const arrow::StopToken& stop;
};

/// Read some rows of a leaf of a 2.1 or 2.2 file.
///
/// In at most three requests whatever the number of pages: page headers that are not cached; row
/// indices of full-zip pages; the chunks or byte ranges that hold the rows. Whole pages take one
/// request less. Blob leaves give their descriptors, as packed values (position, size) or (kind,
/// position, size, blob_id, blob_uri).
///
/// \pre the column and rows exist
/// \return SerializationError, NotImplemented + UnsupportedFeature, CapacityError; naming the page
arrow::Result<LeafColumn> ReadLeaf(const LeafRequest& request);

}  // namespace lance::format
