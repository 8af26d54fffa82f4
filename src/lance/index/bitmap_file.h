#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/format/data_file_reader.h"
#include "lance/index/keyed_rows.h"
#include "lance/index/predicate.h"
#include "lance/index/row_address_map.h"
#include "lance/index/scalar_index.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance::index {

/// The file of a bitmap or label list segment, opened: its keys are in memory, the rows of a key
/// are read when they are asked for.
///
/// A key may be there more than once. Immutable, thread-safe. Source: zonemap-and-indices 6.2
class BitmapFile {
 public:
  static constexpr char kName[] = "bitmap_page_lookup.lance";

  /// Open the file and read its keys. \return an error that says why it cannot be used
  static arrow::Result<BitmapFile> Open(std::shared_ptr<ObjectStore> store,
                                        const table::IndexMetadata& segment,
                                        const std::shared_ptr<arrow::DataType>& key_type,
                                        const RunContext& run);

  /// The keys by their places.
  const arrow::Array& keys() const { return *keys_; }
  const format::DataFileReader& file() const { return *file_; }

  /// The places of null.
  RowRanges NullPlaces() const;

  /// The places of a value. \pre of the keys' type; null stands for the null key
  RowRanges PlacesOf(const arrow::Scalar& value) const;

  /// The places of all keys between two bounds; null is never among them.
  RowRanges PlacesBetween(const std::optional<Bound>& lower,
                          const std::optional<Bound>& upper) const;

  /// Read the rows of some keys, ascending by place.
  arrow::Status VisitRows(
      const RowRanges& places, const RunContext& run,
      const std::function<arrow::Status(int64_t place, const RowAddressMap& rows)>& visit) const;

  /// What people may want to know: how many keys there are.
  std::vector<std::pair<std::string, ScalarIndex::Fact>> Facts() const;

  /// Bytes that it holds in memory.
  uint64_t SizeBytes() const;

 private:
  BitmapFile() = default;
  arrow::Status VisitSome(
      const RowRanges& places, const RunContext& run,
      const std::function<arrow::Status(int64_t place, const RowAddressMap& rows)>& visit) const;

  std::shared_ptr<const format::DataFileReader> file_;
  int bitmaps_column_ = 0;
  std::shared_ptr<arrow::Array> keys_;
  KeyOrder order_;
};

/// Write the file of a new segment: keys ascending, null first, without those that have no rows.
///
/// \param list_nulls of a label list: the rows whose list is null, when they are known
/// \return the file, for the index entry
arrow::Result<table::IndexFile> WriteBitmapFile(ObjectStore& store, const Uuid& segment_uuid,
                                                KeyedRows rows,
                                                const std::shared_ptr<arrow::DataType>& key_type,
                                                const std::optional<RowAddressMap>& list_nulls,
                                                const RunContext& run);

/// The schema metadata that names the buffer of a label list's null lists.
inline constexpr char kListNullsKey[] = "lance:label_list_nulls";

}  // namespace lance::index
