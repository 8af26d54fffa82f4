#include "lance/index/bitmap_index.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/index/bitmap_file.h"
#include "lance/index/index_file.h"
#include "lance/index/literal_comparison.h"
#include "lance/index/ordered_value.h"
#include "lance/index/segment_parts.h"

namespace lance::index {
namespace {

constexpr int32_t kHighestVersion = 0;

class BitmapIndex : public ScalarIndex {
 public:
  explicit BitmapIndex(BitmapFile file) : file_(std::move(file)) {}

  RowDomain domain() const override { return RowDomain::kRowId; }

  bool Answers(const Predicate& leaf) const override {
    return AsksOfValues(leaf, *file_.keys().type());
  }

  std::optional<double> EstimateShare(const Predicate& leaf) const override {
    // A few keys may hold any share of the rows, very many hold about their share.
    constexpr uint64_t kVeryMany = 2048;
    const uint64_t num_places = PlacesOf(leaf).num_rows();
    if (num_places <= kVeryMany) return std::nullopt;
    return static_cast<double>(num_places) / static_cast<double>(file_.keys().length());
  }

  arrow::Result<LeafMatches> Search(const Predicate& leaf, NullRows nulls,
                                    const RunContext& run) const override {
    LeafMatches matches;
    matches.is_exact = true;
    const bool asks_null = leaf.kind == Predicate::Kind::kIsNull;
    const bool names_nulls = nulls == NullRows::kNamed && !asks_null;
    RowAddressMap null_rows;
    RowRanges places = PlacesOf(leaf);
    if (names_nulls) places = places.Union(file_.NullPlaces());
    ARROW_RETURN_NOT_OK(file_.VisitRows(places, run, [&](int64_t place, const RowAddressMap& rows) {
      (file_.keys().IsNull(place) && !asks_null ? null_rows : matches.rows) |= rows;
      return arrow::Status::OK();
    }));
    // IS NULL is never NULL, of which no row is known without reading.
    if (names_nulls || asks_null) matches.null_rows = std::move(null_rows);
    return matches;
  }

  std::vector<std::pair<std::string, Fact>> Facts() const override { return file_.Facts(); }
  uint64_t SizeBytes() const override { return file_.SizeBytes(); }

 private:
  RowRanges PlacesOf(const Predicate& leaf) const {
    if (leaf.kind == Predicate::Kind::kIsNull) return file_.NullPlaces();
    if (leaf.kind == Predicate::Kind::kRange) return file_.PlacesBetween(leaf.lower, leaf.upper);
    std::vector<RowRange> places;
    for (const auto& value : leaf.values) {
      const RowRanges of_value = file_.PlacesOf(*value);
      places.insert(places.end(), of_value.ranges().begin(), of_value.ranges().end());
    }
    return RowRanges::Make(std::move(places));
  }

  BitmapFile file_;
};

arrow::Status CheckKeyType(const std::shared_ptr<arrow::DataType>& type) {
  if (type && HasOrder(*type)) return arrow::Status::OK();
  const std::string name = "bitmap index of type " + (type ? type->ToString() : "null");
  return UnsupportedError(name,
                          name + " is not supported; allowed: types whose values have an order");
}

}  // namespace

arrow::Result<std::shared_ptr<const ScalarIndex>> OpenBitmapIndex(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run) {
  ARROW_RETURN_NOT_OK(CheckPlainSegment(segment, "bitmap index", kHighestVersion));
  ARROW_RETURN_NOT_OK(CheckKeyType(column_type));
  ARROW_ASSIGN_OR_RAISE(BitmapFile file,
                        BitmapFile::Open(std::move(store), segment, column_type, run));
  return std::make_shared<const BitmapIndex>(std::move(file));
}

arrow::Result<NewScalarIndexFiles> WriteBitmapIndex(const std::shared_ptr<ObjectStore>& store,
                                                    const Uuid& uuid, const NewScalarIndex& request,
                                                    const RunContext& run) {
  ARROW_RETURN_NOT_OK(WithContext(CheckKeyType(request.column_type), "column " + request.column));
  ARROW_ASSIGN_OR_RAISE(KeyedRows rows, KeyedRows::Make(request.column_type, run));
  for (const NewScalarIndex::OldPart& part : request.old_parts) {
    const auto add = [&]() -> arrow::Status {
      ARROW_RETURN_NOT_OK(CheckPlainSegment(*part.segment, "bitmap index", kHighestVersion));
      ARROW_ASSIGN_OR_RAISE(const BitmapFile old,
                            BitmapFile::Open(store, *part.segment, request.column_type, run));
      return AddOldRows(old, part.mapping, run, &rows);
    };
    ARROW_RETURN_NOT_OK(InSegment(add(), *part.segment));
  }
  ARROW_RETURN_NOT_OK(
      VisitNewRows(request, run, [&](const arrow::Array& values, const arrow::UInt64Array& added) {
        return rows.Add(values, added);
      }));
  NewScalarIndexFiles written;
  written.details_type_url = "/lance.table.BitmapIndexDetails";
  ARROW_ASSIGN_OR_RAISE(const auto file, WriteBitmapFile(*store, uuid, std::move(rows),
                                                         request.column_type, std::nullopt, run));
  written.files = {file};
  return written;
}

}  // namespace lance::index
