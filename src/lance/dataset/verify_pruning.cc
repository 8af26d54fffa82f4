#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/scalar_sql.h"
#include "lance/dataset/filter_columns.h"
#include "lance/dataset/prune_plan.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/scanner_impl.h"
#include "lance/dataset/system_column_reader.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index/ordered_value.h"
#include "lance/scan.h"
#include "lance/table/feature_flags.h"
#include "lance/verify.h"

namespace lance {
namespace {

/// Makes filters of values that the table has, the same for the same seed.
class FilterMaker {
 public:
  static arrow::Result<FilterMaker> Make(const Dataset& dataset, uint64_t seed,
                                         const CallOptions& call) {
    FilterMaker maker(seed);
    for (const format::FieldNode* field : maker.ChooseColumns(dataset.impl())) {
      Column column{
          filter::CanonicalIdentifier(field->name), field->kind == format::FieldKind::kList, {}};
      ARROW_ASSIGN_OR_RAISE(column.literals, maker.LiteralsOf(dataset, *field, call));
      if (column.is_list && !CanAskForItems(dataset, column)) continue;
      maker.columns_.push_back(std::move(column));
    }
    return maker;
  }

  bool has_columns() const { return !columns_.empty(); }

  std::string Next() {
    std::string sql = Leaf();
    for (uint64_t more = Below(3); more > 0; --more) {
      sql = (Below(8) == 0 ? "NOT " : "") + ("(" + sql) + (Below(2) == 0 ? " AND " : " OR ") +
            Leaf() + ")";
    }
    return sql;
  }

 private:
  struct Column {
    std::string name;
    bool is_list;
    std::vector<std::string> literals;  // of lists those of their items
  };

  /// Whether filters can name items of the lists: some have no literal.
  static bool CanAskForItems(const Dataset& dataset, const Column& column) {
    if (column.literals.empty()) return false;
    const std::string sql = "array_has(" + column.name + ", " + column.literals.front() + ")";
    return filter::BoundFilter::Make(sql, dataset.impl().manifest().schema).ok();
  }

  /// An element of an array, all of which have one type: 5 would be an integer beside 5.5.
  static std::string ElementSql(std::string sql, const arrow::DataType& type) {
    const bool is_whole = sql.find_first_of(".e'") == std::string::npos;
    return arrow::is_floating(type.id()) && is_whole ? sql + ".0" : sql;
  }

  explicit FilterMaker(uint64_t seed) : engine_(seed) {}

  uint64_t Below(uint64_t limit) { return engine_() % limit; }

  /// Those with indices and those of the declaration; when there are none, all that have an order.
  static std::vector<const format::FieldNode*> ChooseColumns(const Dataset::Impl& dataset) {
    const table::Manifest& manifest = dataset.manifest();
    std::vector<const format::FieldNode*> with_statistics;
    std::vector<const format::FieldNode*> all;
    for (const format::FieldNode& node : dataset.fields) {
      const bool is_named = !ScalarSegmentsOf(manifest, node.id).empty();
      const bool has_order = node.kind == format::FieldKind::kLeaf && index::HasOrder(*node.type);
      const bool is_list_with_index = node.kind == format::FieldKind::kList && is_named;
      if (!has_order && !is_list_with_index) continue;
      all.push_back(&node);
      const bool is_key = dataset.clustering_spec &&
                          std::ranges::find(dataset.clustering_spec->columns, node.name) !=
                              dataset.clustering_spec->columns.end();
      if (is_key || is_named || !ZonemapSegmentsOf(manifest, node.id).empty()) {
        with_statistics.push_back(&node);
      }
    }
    return with_statistics.empty() ? all : with_statistics;
  }

  /// Values of random rows, or items of their lists.
  arrow::Result<std::vector<std::string>> LiteralsOf(const Dataset& dataset,
                                                     const format::FieldNode& field,
                                                     const CallOptions& call) {
    constexpr uint64_t kMostRows = 64;
    ARROW_ASSIGN_OR_RAISE(const uint64_t num_rows, dataset.CountRows(std::nullopt, call));
    TakeRequest request{.columns = {field.name}};
    for (uint64_t i = 0; i < std::min(kMostRows, num_rows); ++i) {
      request.rows.push_back(Below(num_rows));
    }
    ARROW_ASSIGN_OR_RAISE(const auto rows, Take(dataset, request, call));
    std::vector<std::string> literals;
    for (const auto& chunk : rows->column(0)->chunks()) {
      std::shared_ptr<arrow::Array> values = chunk;
      if (chunk->type_id() == arrow::Type::LIST) {
        ARROW_ASSIGN_OR_RAISE(values, static_cast<const arrow::ListArray&>(*chunk).Flatten());
      } else if (chunk->type_id() == arrow::Type::LARGE_LIST) {
        ARROW_ASSIGN_OR_RAISE(values, static_cast<const arrow::LargeListArray&>(*chunk).Flatten());
      }
      const auto most_values = static_cast<int64_t>(kMostRows);
      for (int64_t i = 0; i < std::min(values->length(), most_values); ++i) {
        ARROW_ASSIGN_OR_RAISE(const auto scalar, values->GetScalar(i));
        auto sql = filter::ScalarSql(*scalar);
        if (!sql) continue;
        literals.push_back(values == chunk ? *sql : ElementSql(*sql, *values->type()));
      }
    }
    return literals;
  }

  std::string Leaf() {
    const Column& column = columns_[Below(columns_.size())];
    const auto literal = [&] { return column.literals[Below(column.literals.size())]; };
    if (column.literals.empty() || Below(10) == 0) {
      return column.name + (Below(2) == 0 ? " IS NULL" : " IS NOT NULL");
    }
    if (column.is_list) {
      constexpr std::array<const char*, 2> kFunctions = {"array_has_any", "array_has_all"};
      if (Below(2) == 0) return "array_has(" + column.name + ", " + literal() + ")";
      // Not [a, b]: there 5 and 5.5 have two types, and infinity is no literal.
      return std::string(kFunctions[Below(2)]) + "(" + column.name + ", make_array(" + literal() +
             ", " + literal() + "))";
    }
    constexpr std::array<const char*, 7> kOperators = {
        " = ", " = ", " < ", " <= ", " > ", " >= ", " <> "};
    switch (Below(4)) {
      case 0:
        return column.name + " BETWEEN " + literal() + " AND " + literal();
      case 1:
        return column.name + " IN (" + literal() + ", " + literal() + ", " + literal() + ")";
      default:
        return column.name + kOperators[Below(kOperators.size())] + literal();
    }
  }

  std::mt19937_64 engine_;
  std::vector<Column> columns_;
};

/// Cut ranges of rows at the borders of blocks.
std::vector<RowRange> CutAtBlocks(const RowRanges& rows, uint64_t rows_per_block) {
  std::vector<RowRange> parts;
  for (const RowRange& range : rows.ranges()) {
    for (uint64_t begin = range.begin; begin < range.end;) {
      const uint64_t end = std::min(range.end, (begin / rows_per_block + 1) * rows_per_block);
      parts.push_back({begin, end});
      begin = end;
    }
  }
  return parts;
}

/// Takes a share at random. Thread-compatible.
class RandomShare {
 public:
  RandomShare(double fraction, uint64_t seed) : fraction_(fraction), engine_(seed) {}

  std::vector<RowRange> Of(std::vector<RowRange> parts) {
    std::erase_if(parts, [this](const RowRange&) {
      return std::generate_canonical<double, 53>(engine_) >= fraction_;
    });
    return parts;
  }

 private:
  double fraction_;
  std::mt19937_64 engine_;
};

/// Tries filters on one version.
class Verification {
 public:
  Verification(std::shared_ptr<const Dataset::Impl> dataset, const VerifyPruningRequest& request,
               const RunContext& run)
      : dataset_(std::move(dataset)), sample_(request.sample_fraction, request.seed), run_(run) {}

  arrow::Status Try(const std::string& sql) {
    const table::Manifest& manifest = dataset_->manifest();
    ARROW_ASSIGN_OR_RAISE(const auto filter, filter::BoundFilter::Make(sql, manifest.schema));
    ARROW_ASSIGN_OR_RAISE(
        FragmentPruner pruner,
        FragmentPruner::Make(dataset_, dataset_->store, filter.predicate(), PruneOptions(), run_));
    ++result_.num_filters;
    for (const table::Fragment& fragment : manifest.fragments) {
      ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
      FragmentReader reader(dataset_->store, fragment, run_);
      reader.UseCacheOf(*dataset_);
      ARROW_ASSIGN_OR_RAISE(const auto pruned, pruner.Prune(&reader));
      const RowRanges skipped = pruned.candidates.Complement(fragment.physical_rows);
      if (skipped.empty()) continue;
      const uint64_t rows_per_zone =
          std::max<uint64_t>(CeilDiv(fragment.physical_rows, pruned.zones_total), 1);
      std::vector<RowRange> parts = CutAtBlocks(skipped, rows_per_zone);
      // Indices that name rows skip parts of zones, too.
      const uint64_t num_zones = pruned.zones_total - pruned.zones_kept;
      result_.zones_pruned += num_zones > 0 ? num_zones : parts.size();
      ARROW_RETURN_NOT_OK(Reread(filter, &reader, sample_.Of(std::move(parts))));
    }
    return arrow::Status::OK();
  }

  VerifyPruningResult TakeResult() { return std::move(result_); }

 private:
  /// Read zones, some thousand rows at a time.
  arrow::Status Reread(const filter::BoundFilter& filter, FragmentReader* reader,
                       const std::vector<RowRange>& zones) {
    constexpr uint64_t kMostRows = 65536;
    result_.zones_reread += zones.size();
    ARROW_ASSIGN_OR_RAISE(const RowRanges live, reader->Live());
    std::vector<RowRange> part;
    uint64_t num_rows = 0;
    RowRanges passing;
    for (size_t i = 0; i < zones.size(); ++i) {
      part.push_back(zones[i]);
      num_rows += zones[i].size();
      if (num_rows < kMostRows && i + 1 < zones.size()) continue;
      ARROW_ASSIGN_OR_RAISE(
          const RowRanges found,
          Passing(filter, reader, RowRanges::Make(std::exchange(part, {})).Intersect(live)));
      passing = passing.Union(found);
      num_rows = 0;
    }
    if (!passing.empty()) AddMissed(filter, reader->fragment(), passing);
    return arrow::Status::OK();
  }

  /// Those of some rows that pass a filter.
  arrow::Result<RowRanges> Passing(const filter::BoundFilter& filter, FragmentReader* reader,
                                   const RowRanges& rows) {
    if (rows.empty()) return rows;
    result_.rows_reread += rows.num_rows();
    SystemColumnReader system(reader, table::HasStableRowIds(dataset_->manifest()), run_);
    const auto read_system = [&system](SystemColumn column, const RowRanges& wanted) {
      return system.Read(column, wanted);
    };
    ARROW_ASSIGN_OR_RAISE(
        const auto batch,
        ReadFilterColumns(*dataset_, filter, BlobForm::kDescriptors, reader, read_system, rows));
    ARROW_ASSIGN_OR_RAISE(const auto mask, filter.Evaluate(*batch));
    return KeepTrue(rows, *mask);
  }

  void AddMissed(const filter::BoundFilter& filter, const table::Fragment& fragment,
                 const RowRanges& passing) {
    const std::string place = "fragment " + std::to_string(fragment.id);
    result_.missed.push_back(
        {.severity = "error",
         .code = "rows_skipped",
         .path = place,
         .message = std::to_string(passing.num_rows()) + " rows of " + place + " pass the filter " +
                    filter.ToString() +
                    ", but statistics or indices skip them; the first at offset " +
                    std::to_string(passing.ranges().front().begin)});
  }

  std::shared_ptr<const Dataset::Impl> dataset_;
  RandomShare sample_;
  RunContext run_;
  VerifyPruningResult result_;
};

}  // namespace

arrow::Result<VerifyPruningResult> VerifyPruning(const Dataset& dataset,
                                                 const VerifyPruningRequest& request,
                                                 const CallOptions& call) {
  if (!(request.sample_fraction > 0 && request.sample_fraction <= 1)) {
    return arrow::Status::Invalid("sample_fraction is ", request.sample_fraction,
                                  "; allowed: above 0 to 1");
  }
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, dataset.Scan());
  Verification verification(scanner.impl().dataset, request, dataset.impl().Run(call));
  if (request.filter) {
    ARROW_RETURN_NOT_OK(verification.Try(request.filter->sql()));
    return verification.TakeResult();
  }
  ARROW_ASSIGN_OR_RAISE(FilterMaker maker, FilterMaker::Make(dataset, request.seed, call));
  for (uint64_t i = 0; i < request.num_generated_filters && maker.has_columns(); ++i) {
    ARROW_RETURN_NOT_OK(verification.Try(maker.Next()));
  }
  return verification.TakeResult();
}

}  // namespace lance
