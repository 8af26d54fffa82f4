#include "lance/index/label_list_index.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/index/bitmap_file.h"
#include "lance/index/index_file.h"
#include "lance/index/ordered_value.h"
#include "lance/index/segment_parts.h"

namespace lance::index {
namespace {

constexpr int32_t kVersionWithNulls = 1;

/// The type of a list column's items. \return NotImplemented for a type without a label list
arrow::Result<std::shared_ptr<arrow::DataType>> ItemType(
    const std::shared_ptr<arrow::DataType>& type) {
  if (type && (type->id() == arrow::Type::LIST || type->id() == arrow::Type::LARGE_LIST)) {
    auto item = static_cast<const arrow::BaseListType&>(*type).value_type();
    if (HasOrder(*item)) return item;
  }
  const std::string name = "label list index of type " + (type ? type->ToString() : "null");
  return UnsupportedError(name, name);
}

class LabelListIndex : public ScalarIndex {
 public:
  LabelListIndex(BitmapFile file, std::optional<StoredRows> list_nulls)
      : file_(std::move(file)), list_nulls_(std::move(list_nulls)) {}

  RowDomain domain() const override { return RowDomain::kRowId; }

  bool Answers(const Predicate& leaf) const override {
    const auto fits = [this](const std::shared_ptr<arrow::Scalar>& value) {
      // The bits of an item decide, and NaN has many.
      return value && value->type->Equals(*file_.keys().type()) && !ToOrderedValue(*value).is_nan();
    };
    const bool asks_items = leaf.kind == Predicate::Kind::kHasAny ||
                            // Every list has all of no items, and empty lists are nowhere here.
                            (leaf.kind == Predicate::Kind::kHasAll && !leaf.values.empty());
    return asks_items && std::all_of(leaf.values.begin(), leaf.values.end(), fits);
  }

  arrow::Result<LeafMatches> Search(const Predicate& leaf, NullRows nulls,
                                    const RunContext& run) const override {
    LeafMatches matches;
    matches.is_exact = true;
    if (nulls == NullRows::kNamed && list_nulls_) matches.null_rows = list_nulls_->rows;
    if (leaf.kind == Predicate::Kind::kHasAny) {
      ARROW_ASSIGN_OR_RAISE(matches.rows, RowsWithAny(leaf.values, run));
      return matches;
    }
    for (size_t i = 0; i < leaf.values.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(RowAddressMap rows, RowsWithAny({leaf.values[i]}, run));
      if (i == 0) {
        matches.rows = std::move(rows);
      } else {
        matches.rows &= rows;
      }
      if (matches.rows.empty()) break;
    }
    return matches;
  }

  std::vector<std::pair<std::string, Fact>> Facts() const override { return file_.Facts(); }
  uint64_t SizeBytes() const override {
    return file_.SizeBytes() + (list_nulls_ ? list_nulls_->size_bytes : 0);
  }

 private:
  arrow::Result<RowAddressMap> RowsWithAny(const std::vector<std::shared_ptr<arrow::Scalar>>& items,
                                           const RunContext& run) const {
    std::vector<RowRange> places;
    for (const auto& item : items) {
      const RowRanges of_item = file_.PlacesOf(*item);
      places.insert(places.end(), of_item.ranges().begin(), of_item.ranges().end());
    }
    RowAddressMap found;
    ARROW_RETURN_NOT_OK(file_.VisitRows(RowRanges::Make(std::move(places)), run,
                                        [&](int64_t, const RowAddressMap& rows) {
                                          found |= rows;
                                          return arrow::Status::OK();
                                        }));
    return found;
  }

  BitmapFile file_;
  std::optional<StoredRows> list_nulls_;
};

/// What a new segment holds.
struct Labels {
  KeyedRows rows;
  RowGather list_nulls;
  bool knows_nulls = true;
};

arrow::Status AddOldPart(const std::shared_ptr<ObjectStore>& store,
                         const NewScalarIndex::OldPart& part,
                         const std::shared_ptr<arrow::DataType>& item_type, const RunContext& run,
                         Labels* labels) {
  ARROW_RETURN_NOT_OK(CheckPlainSegment(*part.segment, "label list index", kVersionWithNulls));
  ARROW_ASSIGN_OR_RAISE(const BitmapFile old,
                        BitmapFile::Open(store, *part.segment, item_type, run));
  ARROW_RETURN_NOT_OK(AddOldRows(old, part.mapping, run, &labels->rows));
  auto nulls = ReadRowBuffer(old.file(), kListNullsKey, run.stop_token);
  if (!nulls.ok()) return InFile(nulls.status(), old.file().path());
  if (!*nulls) {
    labels->knows_nulls = false;
    return arrow::Status::OK();
  }
  return labels->list_nulls.AddMapped((*nulls)->rows, part.mapping, run.stop_token);
}

template <typename ListArray>
arrow::Status AddLists(const arrow::Array& array, const arrow::UInt64Array& rows, Labels* labels) {
  const auto& lists = static_cast<const ListArray&>(array);
  arrow::UInt64Builder row_of_item;
  for (int64_t i = 0; i < lists.length(); ++i) {
    if (lists.IsNull(i)) {
      labels->list_nulls.Add(rows.Value(i));
      continue;
    }
    for (int64_t item = 0; item < lists.value_length(i); ++item) {
      ARROW_RETURN_NOT_OK(row_of_item.Append(rows.Value(i)));
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto items, lists.Flatten());  // without what null lists hold
  std::shared_ptr<arrow::UInt64Array> item_rows;
  ARROW_RETURN_NOT_OK(row_of_item.Finish(&item_rows));
  return labels->rows.Add(*items, *item_rows);
}

}  // namespace

arrow::Result<std::shared_ptr<const ScalarIndex>> OpenLabelListIndex(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run) {
  ARROW_RETURN_NOT_OK(CheckPlainSegment(segment, "label list index", kVersionWithNulls));
  ARROW_ASSIGN_OR_RAISE(const auto item_type, ItemType(column_type));
  ARROW_ASSIGN_OR_RAISE(BitmapFile file,
                        BitmapFile::Open(std::move(store), segment, item_type, run));
  auto nulls = ReadRowBuffer(file.file(), kListNullsKey, run.stop_token);
  if (!nulls.ok()) return InFile(nulls.status(), file.file().path());
  return std::make_shared<const LabelListIndex>(std::move(file), std::move(*nulls));
}

arrow::Result<NewScalarIndexFiles> WriteLabelListIndex(const std::shared_ptr<ObjectStore>& store,
                                                       const Uuid& uuid,
                                                       const NewScalarIndex& request,
                                                       const RunContext& run) {
  auto item_type = ItemType(request.column_type);
  if (!item_type.ok()) return WithContext(item_type.status(), "column " + request.column);
  ARROW_ASSIGN_OR_RAISE(KeyedRows rows, KeyedRows::Make(*item_type, run));
  Labels labels{.rows = std::move(rows), .list_nulls = {}};
  for (const NewScalarIndex::OldPart& part : request.old_parts) {
    ARROW_RETURN_NOT_OK(
        InSegment(AddOldPart(store, part, *item_type, run, &labels), *part.segment));
  }
  const bool is_large = request.column_type->id() == arrow::Type::LARGE_LIST;
  ARROW_RETURN_NOT_OK(
      VisitNewRows(request, run, [&](const arrow::Array& lists, const arrow::UInt64Array& added) {
        return is_large ? AddLists<arrow::LargeListArray>(lists, added, &labels)
                        : AddLists<arrow::ListArray>(lists, added, &labels);
      }));
  std::optional<RowAddressMap> nulls;
  if (labels.knows_nulls) nulls = labels.list_nulls.Finish();
  NewScalarIndexFiles written;
  written.details_type_url = "/lance.table.LabelListIndexDetails";
  written.index_version = nulls ? kVersionWithNulls : 0;
  ARROW_ASSIGN_OR_RAISE(const auto file, WriteBitmapFile(*store, uuid, std::move(labels.rows),
                                                         *item_type, nulls, run));
  written.files = {file};
  return written;
}

}  // namespace lance::index
