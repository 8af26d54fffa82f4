#include "lance/dataset/check/scalar_index_checks.h"

#include <algorithm>
#include <compare>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/check/stored_table.h"
#include "lance/dataset/column_values.h"
#include "lance/dataset/index_coverage.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/system_column_reader.h"
#include "lance/index/address_mapping.h"
#include "lance/index/index_file.h"
#include "lance/index/ordered_value.h"
#include "lance/table/feature_flags.h"

namespace lance::check {
namespace {

using index::Predicate;

constexpr uint64_t kRowsAtOnce = 64 << 10;
constexpr int64_t kQuestionsAtOnce = 8;

/// Some live rows of one fragment: the numbers that name them, and their values.
struct Rows {
  std::shared_ptr<arrow::Array> values;
  std::shared_ptr<arrow::Array> numbers;  // uint64
  uint64_t fragment_id = 0;
};

bool Names(const index::RowAddressMap& rows, uint64_t number) {
  const auto high = static_cast<uint32_t>(number >> 32);
  const auto entry =
      std::ranges::lower_bound(rows.entries, high, {}, &index::RowAddressMap::Entry::fragment_id);
  if (entry == rows.entries.end() || entry->fragment_id != high) return false;
  return !entry->offsets || entry->offsets->Contains(static_cast<uint32_t>(number));
}

/// The items of a row's list; null for other types.
std::shared_ptr<arrow::Array> ItemsOf(const arrow::Array& values, int64_t row) {
  if (values.type_id() == arrow::Type::LIST) {
    return static_cast<const arrow::ListArray&>(values).value_slice(row);
  }
  if (values.type_id() == arrow::Type::LARGE_LIST) {
    return static_cast<const arrow::LargeListArray&>(values).value_slice(row);
  }
  return nullptr;
}

bool Holds(const arrow::Array& values, const std::vector<index::OrderedValue>& wanted) {
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i)) continue;
    const auto value = index::ToOrderedValue(values, i);
    if (std::ranges::any_of(wanted, [&](const auto& one) { return std::is_eq(one <=> value); }))
      return true;
  }
  return false;
}

/// Compares one segment with the rows that it covers.
class SegmentCheck {
 public:
  SegmentCheck(const Dataset::Impl& dataset, const table::IndexMetadata& segment,
               std::shared_ptr<const index::ScalarIndex> index, const table::FragmentReuse* reuse,
               const RunContext& run)
      : dataset_(dataset),
        segment_(segment),
        index_(std::move(index)),
        reuse_(reuse),
        run_(run),
        names_ids_(table::HasStableRowIds(dataset.manifest()) &&
                   index_->domain() == index::RowDomain::kRowId) {}

  /// \return the first problem; "" when there is none
  arrow::Result<std::string> Find(const ColumnValues& column) {
    const RoaringBitmap coverage = EffectiveCoverage(segment_, dataset_.manifest(), reuse_);
    for (const table::Fragment& fragment : dataset_.manifest().fragments) {
      if (!coverage.Contains(static_cast<uint32_t>(fragment.id))) continue;
      ARROW_ASSIGN_OR_RAISE(std::string problem, FindIn(fragment, column));
      if (!problem.empty()) return problem;
    }
    return "";
  }

 private:
  arrow::Result<std::string> FindIn(const table::Fragment& fragment, const ColumnValues& column) {
    FragmentReader reader(dataset_.store, fragment, run_);
    const bool has_ids = table::HasStableRowIds(dataset_.manifest());
    SystemColumnReader columns(&reader, has_ids, run_);
    ARROW_ASSIGN_OR_RAISE(const RowRanges live, reader.Live());
    for (uint64_t begin = 0; begin < fragment.physical_rows; begin += kRowsAtOnce) {
      ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
      const RowRanges rows = live.Intersect(RowRanges::Make({{begin, begin + kRowsAtOnce}}));
      if (rows.empty()) continue;
      Rows read{.fragment_id = fragment.id};
      ARROW_ASSIGN_OR_RAISE(read.values, column.Read(&reader, rows));
      ARROW_ASSIGN_OR_RAISE(
          read.numbers,
          columns.Read(names_ids_ ? SystemColumn::kRowId : SystemColumn::kRowAddress, rows));
      ARROW_ASSIGN_OR_RAISE(std::string problem, FindAmong(read));
      if (!problem.empty()) return problem;
    }
    return "";
  }

  arrow::Result<std::string> FindAmong(const Rows& rows) {
    ARROW_ASSIGN_OR_RAISE(std::string problem, AskForAll(rows));
    const int64_t step = std::max<int64_t>(rows.values->length() / kQuestionsAtOnce, 1);
    for (int64_t row = 0; row < rows.values->length() && problem.empty(); row += step) {
      if (rows.values->IsNull(row)) continue;
      std::shared_ptr<arrow::Scalar> value;
      const auto items = ItemsOf(*rows.values, row);
      if (items == nullptr) {
        ARROW_ASSIGN_OR_RAISE(value, rows.values->GetScalar(row));
      } else if (items->length() > 0 && items->IsValid(0)) {
        ARROW_ASSIGN_OR_RAISE(value, items->GetScalar(0));
      }
      if (value == nullptr) continue;
      ARROW_ASSIGN_OR_RAISE(problem, AskFor(value, items != nullptr, rows));
    }
    return problem;
  }

  /// Ask for nulls, and for all others; each is asked once for the whole segment.
  arrow::Result<std::string> AskForAll(const Rows& rows) {
    for (const auto kind : {Predicate::Kind::kIsNull, Predicate::Kind::kRange}) {
      const bool wants_nulls = kind == Predicate::Kind::kIsNull;
      const Predicate leaf{.kind = kind, .field_id = segment_.field_ids.front()};
      auto& known = wants_nulls ? nulls_ : not_nulls_;
      if (!index_->Answers(leaf)) continue;
      if (!known) {
        ARROW_ASSIGN_OR_RAISE(known, Search(leaf));
      }
      auto problem = Compare(rows, *known, wants_nulls ? "NULL" : "a value",
                             [&](int64_t row) { return rows.values->IsNull(row) == wants_nulls; });
      if (!problem.empty()) return problem;
    }
    return "";
  }

  /// Ask for one value, or one item of lists.
  arrow::Result<std::string> AskFor(const std::shared_ptr<arrow::Scalar>& value, bool is_item,
                                    const Rows& rows) {
    Predicate leaf{.kind = is_item ? Predicate::Kind::kHasAny : Predicate::Kind::kIn,
                   .field_id = segment_.field_ids.front(),
                   .text = value->ToString()};
    leaf.values = is_item ? std::vector{value} : index::WithBothZeros(value);
    if (!index_->Answers(leaf)) return std::string();
    ARROW_ASSIGN_OR_RAISE(const index::LeafMatches matches, Search(leaf));
    std::vector<index::OrderedValue> wanted;
    for (const auto& one : leaf.values) wanted.push_back(index::ToOrderedValue(*one));
    return Compare(rows, matches, value->ToString(), [&](int64_t row) {
      if (rows.values->IsNull(row)) return false;
      const auto items = ItemsOf(*rows.values, row);
      return Holds(items != nullptr ? *items : *rows.values->Slice(row, 1), wanted);
    });
  }

  /// The rows of a leaf, by where they are now.
  arrow::Result<index::LeafMatches> Search(const Predicate& leaf) const {
    ARROW_ASSIGN_OR_RAISE(index::LeafMatches matches,
                          index_->Search(leaf, index::NullRows::kLeftOut, run_));
    if (reuse_ != nullptr && !names_ids_) matches.rows = index::MapRows(matches.rows, *reuse_);
    return matches;
  }

  template <typename Matches>
  std::string Compare(const Rows& rows, const index::LeafMatches& found, const std::string& what,
                      const Matches& matches) const {
    const auto& numbers = static_cast<const arrow::UInt64Array&>(*rows.numbers);
    for (int64_t row = 0; row < numbers.length(); ++row) {
      const bool is_named = Names(found.rows, numbers.Value(row));
      const bool is_match = matches(row);
      if (is_named == is_match || (is_named && !found.is_exact)) continue;
      return "fragment " + std::to_string(rows.fragment_id) + ": row " +
             std::to_string(numbers.Value(row)) + " is " + (is_named ? "" : "not ") + "named for " +
             what;
    }
    return "";
  }

  const Dataset::Impl& dataset_;
  const table::IndexMetadata& segment_;
  std::shared_ptr<const index::ScalarIndex> index_;
  const table::FragmentReuse* reuse_;
  RunContext run_;
  const bool names_ids_;
  std::optional<index::LeafMatches> nulls_;
  std::optional<index::LeafMatches> not_nulls_;
};

arrow::Status CheckSegment(const Dataset::Impl& dataset, const table::IndexMetadata& segment,
                           const table::FragmentReuse* reuse, const RunContext& run,
                           Findings* findings) {
  const std::string folder =
      SegmentFolderOf(index::IndexFilePath(segment.uuid, segment.base_id, ""));
  const auto column = ColumnValues::Make(dataset.fields, segment.field_ids.front());
  if (!column.ok()) {
    findings->AddFailure(kIndexUnsupported, folder, column.status());
    return arrow::Status::OK();
  }
  auto opened = index::OpenScalarIndex(dataset.store, segment, column->type(), run);
  if (!opened.ok()) {
    if (opened.status().IsCancelled()) return opened.status();
    const bool is_unsupported = UnsupportedFeature::From(opened.status()) != nullptr;
    findings->AddFailure(is_unsupported ? kIndexUnsupported : kIndexBroken, folder,
                         opened.status());
    return arrow::Status::OK();
  }
  const auto problem = SegmentCheck(dataset, segment, *std::move(opened), reuse, run).Find(*column);
  if (problem.status().IsCancelled()) return problem.status();
  if (!problem.ok()) {
    findings->AddFailure(kIndexBroken, folder, problem.status());
  } else if (!problem->empty()) {
    findings->Add(kIndexWrong, folder, "index " + segment.name, ", ", *problem);
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status CheckScalarIndices(const Dataset::Impl& dataset,
                                 const std::unordered_set<std::string>& damaged,
                                 const RunContext& run, Findings* findings) {
  const auto reuse = LoadFragmentReuse(dataset, run);
  if (!reuse.ok()) {
    if (reuse.status().IsCancelled()) return reuse.status();
    const table::IndexMetadata& entry = *table::FindFragmentReuse(dataset.manifest().indices);
    findings->AddFailure(kIndexBroken,
                         SegmentFolderOf(index::IndexFilePath(entry.uuid, entry.base_id, "")),
                         reuse.status());
    return arrow::Status::OK();
  }
  for (const table::IndexMetadata& segment : dataset.manifest().indices) {
    if (!IsScalarIndex(segment)) continue;
    if (dataset.manifest().schema.FindById(segment.field_ids.front()) == nullptr) continue;
    const bool is_damaged =
        damaged.contains(
            SegmentFolderOf(index::IndexFilePath(segment.uuid, segment.base_id, ""))) ||
        std::ranges::any_of(segment.files, [&](const table::IndexFile& file) {
          return damaged.contains(index::IndexFilePath(segment.uuid, segment.base_id, file.path));
        });
    if (!is_damaged)
      ARROW_RETURN_NOT_OK(CheckSegment(dataset, segment, reuse->get(), run, findings));
  }
  return arrow::Status::OK();
}

}  // namespace lance::check
