#include "lance/index/btree.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/index/btree_intervals.h"
#include "lance/index/btree_segment.h"
#include "lance/index/literal_comparison.h"
#include "lance/index/row_set_builder.h"

namespace lance::index {
namespace {

/// Nulls that every search may name; where there are more, it leaves them out.
constexpr uint64_t kMaxNulls = 1ull << 22;

/// Add the rows whose values are in one of the intervals.
void AddMatches(std::span<const ValueInterval> intervals, const BTreeRows& rows,
                RowSetBuilder* matches) {
  const arrow::Array& values = *rows.values;
  const int64_t num_rows = values.length();
  int64_t at = values.null_count();  // nulls are first
  if (at == num_rows) return;
  const OrderedValue first = ToOrderedValue(values, at);
  auto interval = std::partition_point(intervals.begin(), intervals.end(),
                                       [&](const auto& it) { return it.IsBelow(first); });
  for (; interval != intervals.end() && at < num_rows; ++interval) {
    const int64_t begin = FirstThat(
        at, num_rows, [&](int64_t row) { return !interval->IsAbove(ToOrderedValue(values, row)); });
    at = FirstThat(begin, num_rows,
                   [&](int64_t row) { return interval->IsBelow(ToOrderedValue(values, row)); });
    matches->Add({rows.ids->raw_values() + begin, static_cast<size_t>(at - begin)});
  }
}

/// Call `read` with as many pages at a time as are read at once.
template <typename Read>
arrow::Status ForPages(const BTreeSegment& segment, std::span<const uint32_t> pages,
                       const RunContext& run, const Read& read) {
  while (!pages.empty()) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    const size_t count = segment.CountReadable(pages);
    ARROW_RETURN_NOT_OK(read(pages.first(count)));
    pages = pages.subspan(count);
  }
  return arrow::Status::OK();
}

/// From so many pages on their number says which share of the rows a search looks at.
constexpr uint64_t kManyPages = 16;

/// A BTree, opened for searches.
class BTreeIndex : public ScalarIndex {
 public:
  BTreeIndex(std::shared_ptr<const BTreeSegment> segment, std::string name)
      : segment_(std::move(segment)), name_(std::move(name)) {}

  RowDomain domain() const override { return segment_->domain(); }

  bool Answers(const Predicate& leaf) const override {
    return AsksOfValues(leaf, *segment_->type());
  }

  std::optional<double> EstimateShare(const Predicate& leaf) const override {
    const BTreeLookup& lookup = segment_->lookup();
    if (lookup.num_pages() < kManyPages || leaf.kind == Predicate::Kind::kIsNull) {
      return std::nullopt;
    }
    const auto pages = lookup.PagesOf(IntervalsOf(leaf));
    return static_cast<double>(pages.size()) / static_cast<double>(lookup.num_pages());
  }

  std::vector<std::pair<std::string, Fact>> Facts() const override {
    const BTreeLookup& lookup = segment_->lookup();
    std::vector<std::pair<std::string, Fact>> facts;
    const auto add = [&](const char* name, const arrow::Array& bounds, int64_t page) {
      const auto bound = bounds.GetScalar(page);
      if (bound.ok() && (*bound)->is_valid) facts.emplace_back(name, (*bound)->ToString());
    };
    const auto num_pages = static_cast<int64_t>(lookup.num_pages());
    if (num_pages > 0) {
      add("min", lookup.min(), 0);
      add("max", lookup.max(), num_pages - 1);
    }
    facts.emplace_back("num_pages", lookup.num_pages());
    return facts;
  }

  arrow::Result<LeafMatches> Search(const Predicate& leaf, NullRows nulls,
                                    const RunContext& run) const override {
    if (!Answers(leaf)) return arrow::Status::Invalid(name_, ": BTree cannot answer ", leaf.text);
    auto matches =
        leaf.kind == Predicate::Kind::kIsNull ? SearchNulls(run) : SearchValues(leaf, nulls, run);
    return matches.ok() ? matches : WithContext(matches.status(), name_);
  }

  uint64_t SizeBytes() const override {
    const bool keeps_nulls = segment_->num_nulls() <= kMaxNulls;
    return sizeof(*this) + segment_->lookup().size_bytes() +
           (keeps_nulls ? sizeof(uint16_t) * segment_->num_nulls() : 0);
  }

 private:
  arrow::Result<LeafMatches> SearchNulls(const RunContext& run) const {
    LeafMatches matches{.is_exact = true, .null_rows = RowAddressMap()};
    ARROW_ASSIGN_OR_RAISE(matches.rows, RowsOfNulls(run));
    return matches;
  }

  arrow::Result<LeafMatches> SearchValues(const Predicate& leaf, NullRows nulls,
                                          const RunContext& run) const {
    const auto intervals = IntervalsOf(leaf);
    const auto pages = segment_->lookup().PagesOf(intervals);
    RowSetBuilder rows;
    ARROW_RETURN_NOT_OK(
        ForPages(*segment_, pages, run, [&](std::span<const uint32_t> read) -> arrow::Status {
          ARROW_ASSIGN_OR_RAISE(const BTreeRows page_rows, segment_->Read(read, run));
          AddMatches(intervals, page_rows, &rows);
          return arrow::Status::OK();
        }));
    LeafMatches matches{.rows = rows.Finish(), .is_exact = true};
    if (nulls == NullRows::kNamed && segment_->num_nulls() <= kMaxNulls) {
      ARROW_ASSIGN_OR_RAISE(matches.null_rows, RowsOfNulls(run));
    }
    return matches;
  }

  /// The rows that are null; kept when they are few.
  arrow::Result<RowAddressMap> RowsOfNulls(const RunContext& run) const {
    if (segment_->num_nulls() > kMaxNulls) return ReadNullRows(run);
    const std::lock_guard lock(mutex_);
    if (!null_rows_) {
      ARROW_ASSIGN_OR_RAISE(null_rows_, ReadNullRows(run));
    }
    return *null_rows_;
  }

  arrow::Result<RowAddressMap> ReadNullRows(const RunContext& run) const {
    std::vector<uint32_t> all_null, mixed;
    for (const uint32_t page : segment_->lookup().pages_with_nulls()) {
      (segment_->lookup().IsAllNull(page) ? all_null : mixed).push_back(page);
    }
    RowSetBuilder rows;
    ARROW_RETURN_NOT_OK(
        ForPages(*segment_, all_null, run, [&](std::span<const uint32_t> read) -> arrow::Status {
          ARROW_ASSIGN_OR_RAISE(const auto ids, segment_->ReadIds(read, run));
          rows.Add({ids->raw_values(), static_cast<size_t>(ids->length())});
          return arrow::Status::OK();
        }));
    for (const uint32_t& page : mixed) {
      ARROW_ASSIGN_OR_RAISE(const BTreeRows read, segment_->Read({&page, 1}, run));
      rows.Add({read.ids->raw_values(), static_cast<size_t>(read.values->null_count())});
    }
    return rows.Finish();
  }

  const std::shared_ptr<const BTreeSegment> segment_;
  const std::string name_;  // of the index and the segment, for messages
  mutable std::mutex mutex_;
  mutable std::optional<RowAddressMap> null_rows_;
};

}  // namespace

arrow::Result<std::shared_ptr<const ScalarIndex>> OpenBTree(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto opened, BTreeSegment::Open(store, segment, column_type, run));
  return std::make_shared<BTreeIndex>(
      std::move(opened), "index " + segment.name + " segment " + segment.uuid.ToString());
}

}  // namespace lance::index
