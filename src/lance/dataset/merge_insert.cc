#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/align_batch.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/curve_order.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/dataset/merge_keys.h"
#include "lance/dataset/merge_source.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/read_fields.h"
#include "lance/dataset/row_changes.h"
#include "lance/dataset/transaction_impl.h"
#include "lance/mutate.h"

namespace lance {

MergeInsertBuilder::MergeInsertBuilder(Dataset dataset, std::vector<std::string> on)
    : dataset_(std::move(dataset)), on_(std::move(on)) {}

MergeInsertBuilder& MergeInsertBuilder::WithCommitOptions(CommitOptions options) {
  commit_ = std::move(options);
  return *this;
}
MergeInsertBuilder& MergeInsertBuilder::WhenMatchedUpdateAll(std::optional<std::string> condition) {
  when_matched_ = WhenMatched::kUpdate;
  update_condition_ = std::move(condition);
  return *this;
}
MergeInsertBuilder& MergeInsertBuilder::WhenMatchedDelete() {
  when_matched_ = WhenMatched::kDelete;
  update_condition_.reset();
  return *this;
}
MergeInsertBuilder& MergeInsertBuilder::WhenMatchedFail() {
  when_matched_ = WhenMatched::kFail;
  update_condition_.reset();
  return *this;
}
MergeInsertBuilder& MergeInsertBuilder::WhenNotMatchedInsertAll() {
  inserts_ = true;
  return *this;
}
MergeInsertBuilder& MergeInsertBuilder::WhenNotMatchedBySourceDelete(
    std::optional<Filter> condition) {
  deletes_unmatched_ = true;
  delete_condition_ = std::move(condition);
  return *this;
}

/// What the caller of a builder asked for.
struct MergeRequest {
  using WhenMatched = MergeInsertBuilder::WhenMatched;

  explicit MergeRequest(const MergeInsertBuilder& builder)
      : on(builder.on_),
        commit(builder.commit_),
        when_matched(builder.when_matched_),
        update_condition(builder.update_condition_),
        inserts(builder.inserts_),
        deletes_unmatched(builder.deletes_unmatched_),
        delete_condition(builder.delete_condition_) {}

  std::vector<std::string> on;
  CommitOptions commit;
  WhenMatched when_matched;
  std::optional<std::string> update_condition;
  bool inserts;
  bool deletes_unmatched;
  std::optional<Filter> delete_condition;
};

namespace {

using WhenMatched = MergeRequest::WhenMatched;

arrow::Status CheckRequest(const MergeRequest& request) {
  if (request.on.empty()) {
    return arrow::Status::Invalid("a merge matches by key columns; name at least one");
  }
  // To fail on matches alone changes nothing either, but checks something.
  if (request.when_matched == WhenMatched::kKeep && !request.inserts &&
      !request.deletes_unmatched) {
    return arrow::Status::Invalid(
        "the merge would change nothing; say what to do when rows match, when they do not, or when "
        "the source lacks them");
  }
  return arrow::Status::OK();
}

/// What is decided about a merge before a row is read.
struct MergePlan {
  std::vector<std::string> on;  // as the schema spells them
  MergeSource source;
  std::vector<std::string> target_columns;              // that are read
  std::optional<filter::BoundFilter> update_condition;  // over the columns source and target
  std::optional<filter::BoundFilter> delete_condition;
};

arrow::Status ResolveKeys(const MergeRequest& request, const Dataset::Impl& dataset,
                          MergePlan* plan) {
  for (const std::string& name : request.on) {
    ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field,
                          ResolveColumn(dataset.manifest().schema, name));
    if (!plan->source.has(field->name)) {
      return arrow::Status::Invalid("the source has no column ", field->name,
                                    ", which is a key of the merge");
    }
    plan->on.push_back(field->name);
  }
  return arrow::Status::OK();
}

arrow::Status BindConditions(const MergeRequest& request, const Dataset::Impl& dataset,
                             MergePlan* plan) {
  if (request.update_condition) {
    const arrow::Schema pair({arrow::field("source", arrow::struct_(plan->source.schema->fields())),
                              arrow::field("target", arrow::struct_(dataset.schema->fields()))});
    ARROW_ASSIGN_OR_RAISE(const auto schema, format::MakeLanceSchema(pair));
    ARROW_ASSIGN_OR_RAISE(plan->update_condition,
                          filter::BoundFilter::FromFilter(*request.update_condition, schema));
  }
  if (request.delete_condition) {
    ARROW_ASSIGN_OR_RAISE(
        plan->delete_condition,
        filter::BoundFilter::FromFilter(*request.delete_condition, dataset.manifest().schema));
  }
  return arrow::Status::OK();
}

/// Keys, what conditions look at, and what updated rows keep.
void ChooseTargetColumns(const MergeRequest& request, const Dataset::Impl& dataset,
                         MergePlan* plan) {
  std::vector<std::string> needed = plan->on;
  if (plan->delete_condition) {
    const auto& names = plan->delete_condition->column_names();
    needed.insert(needed.end(), names.begin(), names.end());
  }
  for (const auto& field : dataset.schema->fields()) {
    const bool is_whole =
        plan->source.has(field->name()) && !plan->source.kept_members.contains(field->name());
    const bool is_kept = request.when_matched == WhenMatched::kUpdate && !is_whole;
    const bool is_needed = std::ranges::find(needed, field->name()) != needed.end();
    if (is_kept || is_needed || plan->update_condition) {
      plan->target_columns.push_back(field->name());
    }
  }
}

arrow::Status CheckInsertable(const MergePlan& plan, const Dataset::Impl& dataset) {
  for (const auto& field : dataset.schema->fields()) {
    if (field->nullable() || plan.source.has(field->name())) continue;
    return arrow::Status::Invalid("column ", field->name(),
                                  " is missing in the source and cannot be null");
  }
  return arrow::Status::OK();
}

arrow::Result<MergePlan> PlanMerge(const MergeRequest& request, const Dataset& dataset,
                                   const arrow::Schema& source) {
  const Dataset::Impl& impl = dataset.impl();
  ARROW_RETURN_NOT_OK(CheckRequest(request));
  ARROW_RETURN_NOT_OK(CheckChangeable(impl));
  MergePlan plan;
  ARROW_ASSIGN_OR_RAISE(plan.source, MatchSource(source, impl));
  ARROW_RETURN_NOT_OK(ResolveKeys(request, impl, &plan));
  ARROW_RETURN_NOT_OK(BindConditions(request, impl, &plan));
  if (request.inserts) ARROW_RETURN_NOT_OK(CheckInsertable(plan, impl));
  ChooseTargetColumns(request, impl, &plan);
  return plan;
}

/// A target row and a source row of one key: their places in the batch and in the source.
struct Pairs {
  std::vector<int64_t> targets;
  std::vector<int64_t> sources;

  void Add(int64_t target, int64_t source) {
    targets.push_back(target);
    sources.push_back(source);
  }
};

bool IsTrue(const arrow::BooleanArray& mask, int64_t row) {
  return mask.IsValid(row) && mask.Value(row);
}

/// Runs one merge on one version. Thread-compatible.
class Merge {
 public:
  Merge(const Dataset& dataset, const MergeRequest& request, const MergePlan& plan,
        std::shared_ptr<arrow::RecordBatch> source, FragmentWriterOptions options,
        const RunContext& run)
      : dataset_(dataset),
        request_(request),
        plan_(plan),
        source_(std::move(source)),
        writer_(dataset.impl().store, dataset.impl().manifest().schema, std::move(options), run),
        run_(run) {}

  /// Find what changes, and write the rows that are new or written again.
  arrow::Status Match(const CallOptions& call) {
    ProgressReporter progress(run_, "merge_insert", "rows");
    progress.Stage("match");
    ARROW_ASSIGN_OR_RAISE(keys_, SourceKeys::Make(KeyColumns(*source_), run_));
    ARROW_RETURN_NOT_OK(
        VisitRows(dataset_, plan_.target_columns, {}, call, [&](const arrow::RecordBatch& batch) {
          progress.Update(num_read_ += static_cast<uint64_t>(batch.num_rows()));
          return MatchBatch(batch);
        }));
    return request_.inserts ? InsertUnmatched() : arrow::Status::OK();
  }

  arrow::Result<MergeInsertResult> Commit() {
    if (deletions_.empty() && writer_.num_rows() == 0) {
      return MergeInsertResult{.dataset = dataset_};
    }
    ARROW_ASSIGN_OR_RAISE(auto fragments, writer_.Finish());
    ARROW_ASSIGN_OR_RAISE(Dataset committed,
                          CommitChangedRows(dataset_, deletions_, std::move(fragments), AllFields(),
                                            request_.commit, run_));
    return MergeInsertResult{std::move(committed), num_inserted_, num_updated_, num_deleted_};
  }

  MergeInsertCounts counts() const { return {num_inserted_, num_updated_, num_deleted_}; }

  arrow::Result<table::CommitRequest> MakeCommit() {
    ARROW_ASSIGN_OR_RAISE(auto fragments, writer_.Finish());
    return MakeChangedRowsCommit(dataset_, deletions_, std::move(fragments), AllFields(),
                                 request_.commit, run_);
  }

 private:
  std::vector<int32_t> AllFields() const {
    std::vector<int32_t> fields;
    for (const format::SchemaField& field : dataset_.impl().manifest().schema.fields) {
      fields.push_back(field.id);
    }
    return fields;
  }

  arrow::ArrayVector KeyColumns(const arrow::RecordBatch& batch) const {
    arrow::ArrayVector columns;
    for (const std::string& name : plan_.on) columns.push_back(batch.GetColumnByName(name));
    return columns;
  }

  arrow::Status MatchBatch(const arrow::RecordBatch& read) {
    const auto addresses = read.column(read.num_columns() - 1);
    ARROW_ASSIGN_OR_RAISE(const auto target, read.RemoveColumn(read.num_columns() - 1));
    ARROW_ASSIGN_OR_RAISE(const KeyEncoder encoder, KeyEncoder::Make(KeyColumns(*target)));
    Pairs pairs;
    std::vector<int64_t> alone;
    std::string key;
    for (int64_t row = 0; row < target->num_rows(); ++row) {
      const int64_t first = encoder.Encode(row, &key) ? keys_->First(key) : -1;
      if (first < 0) alone.push_back(row);
      for (int64_t source = first; source >= 0; source = keys_->Next(source)) {
        keys_->SetMatched(source);
        pairs.Add(row, source);
      }
    }
    if (request_.deletes_unmatched) ARROW_RETURN_NOT_OK(DeleteAlone(target, alone, *addresses));
    if (pairs.targets.empty()) return arrow::Status::OK();
    return ChangeMatched(target, std::move(pairs), *addresses);
  }

  void DeleteRow(const arrow::Array& addresses, int64_t row) {
    deletions_.Add(static_cast<const arrow::UInt64Array&>(addresses).Value(row));
  }

  arrow::Status DeleteAlone(const std::shared_ptr<arrow::RecordBatch>& target,
                            const std::vector<int64_t>& rows, const arrow::Array& addresses) {
    std::shared_ptr<arrow::BooleanArray> mask;
    if (plan_.delete_condition) {
      ARROW_ASSIGN_OR_RAISE(mask, plan_.delete_condition->Evaluate(*target));
    }
    for (const int64_t row : rows) {
      if (mask != nullptr && !IsTrue(*mask, row)) continue;
      DeleteRow(addresses, row);
      ++num_deleted_;
    }
    return arrow::Status::OK();
  }

  /// The pairs for which the condition is TRUE.
  arrow::Status ApplyCondition(const std::shared_ptr<arrow::RecordBatch>& target, Pairs* pairs) {
    if (!plan_.update_condition) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto sources, TakeRows(*source_, pairs->sources, run_));
    ARROW_ASSIGN_OR_RAISE(const auto targets, TakeRows(*target, pairs->targets, run_));
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    for (const auto& [name, batch] : {std::pair("source", sources), std::pair("target", targets)}) {
      ARROW_ASSIGN_OR_RAISE(auto column, batch->ToStructArray());
      fields.push_back(arrow::field(name, column->type()));
      columns.push_back(std::move(column));
    }
    const auto pair = arrow::RecordBatch::Make(arrow::schema(std::move(fields)),
                                               sources->num_rows(), std::move(columns));
    ARROW_ASSIGN_OR_RAISE(const auto mask, plan_.update_condition->Evaluate(*pair));
    Pairs kept;
    for (int64_t i = 0; i < mask->length(); ++i) {
      const auto place = static_cast<size_t>(i);
      if (IsTrue(*mask, i)) kept.Add(pairs->targets[place], pairs->sources[place]);
    }
    *pairs = std::move(kept);
    return arrow::Status::OK();
  }

  std::string KeyText(const arrow::RecordBatch& batch, int64_t row) const {
    constexpr size_t kMostBytes = 100;
    std::string text;
    for (const std::string& name : plan_.on) {
      const auto value = batch.GetColumnByName(name)->GetScalar(row);
      text += (text.empty() ? "" : ", ") + name + " = " +
              (value.ok() ? (*value)->ToString().substr(0, kMostBytes) : "?");
    }
    return text;
  }

  arrow::Status ChangeMatched(const std::shared_ptr<arrow::RecordBatch>& target, Pairs pairs,
                              const arrow::Array& addresses) {
    if (request_.when_matched == WhenMatched::kKeep) return arrow::Status::OK();
    if (request_.when_matched == WhenMatched::kFail) {
      return arrow::Status::Invalid("merge: the table has a row with ",
                                    KeyText(*target, pairs.targets.front()),
                                    ", and the merge is to fail when rows match");
    }
    ARROW_RETURN_NOT_OK(ApplyCondition(target, &pairs));
    const auto twice = std::ranges::adjacent_find(pairs.targets);
    if (twice != pairs.targets.end()) {
      return arrow::Status::Invalid("merge: several source rows match the row with ",
                                    KeyText(*target, *twice),
                                    "; at most one may change a row of the table");
    }
    if (request_.when_matched == WhenMatched::kDelete) {
      for (const int64_t row : pairs.targets) DeleteRow(addresses, row);
      num_deleted_ += pairs.targets.size();
      return arrow::Status::OK();
    }
    for (const int64_t row : pairs.targets) {
      deletions_.Move(static_cast<const arrow::UInt64Array&>(addresses).Value(row));
    }
    num_updated_ += pairs.targets.size();
    return pairs.targets.empty() ? arrow::Status::OK() : WriteUpdated(target, pairs);
  }

  arrow::Status WriteUpdated(const std::shared_ptr<arrow::RecordBatch>& target,
                             const Pairs& pairs) {
    ARROW_ASSIGN_OR_RAISE(const auto sources, TakeRows(*source_, pairs.sources, run_));
    ARROW_ASSIGN_OR_RAISE(const auto targets, TakeRows(*target, pairs.targets, run_));
    return Write(*sources, targets.get());
  }

  /// Write rows of the source; what it lacks comes from `kept`, or is null.
  arrow::Status Write(const arrow::RecordBatch& sources, const arrow::RecordBatch* kept) {
    const auto& schema = dataset_.schema();
    arrow::ArrayVector columns;
    for (const format::FieldNode& field : dataset_.impl().fields) {
      const auto given = sources.GetColumnByName(field.name);
      const auto present = kept == nullptr ? nullptr : kept->GetColumnByName(field.name);
      auto& column = columns.emplace_back(present);
      if (given != nullptr) {
        ARROW_ASSIGN_OR_RAISE(column,
                              CompleteColumn(plan_.source, field, given, present, run_.pool()));
      } else if (present == nullptr) {
        const auto& type = schema->GetFieldByName(field.name)->type();
        ARROW_ASSIGN_OR_RAISE(column, arrow::MakeArrayOfNull(type, sources.num_rows()));
      }
    }
    return writer_.Write(*arrow::RecordBatch::Make(schema, sources.num_rows(), std::move(columns)));
  }

  arrow::Status InsertUnmatched() {
    constexpr size_t kRowsAtOnce = 64 << 10;
    const std::vector<int64_t> rows = keys_->Unmatched();
    for (size_t begin = 0; begin < rows.size(); begin += kRowsAtOnce) {
      ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
      const size_t end = std::min(rows.size(), begin + kRowsAtOnce);
      const std::vector<int64_t> part(rows.begin() + static_cast<ptrdiff_t>(begin),
                                      rows.begin() + static_cast<ptrdiff_t>(end));
      ARROW_ASSIGN_OR_RAISE(const auto inserted, TakeRows(*source_, part, run_));
      ARROW_RETURN_NOT_OK(Write(*inserted, nullptr));
    }
    num_inserted_ = rows.size();
    return arrow::Status::OK();
  }

  const Dataset& dataset_;
  const MergeRequest& request_;
  const MergePlan& plan_;
  std::shared_ptr<arrow::RecordBatch> source_;
  FragmentWriter writer_;
  RunContext run_;
  std::optional<SourceKeys> keys_;
  RowDeletions deletions_;
  uint64_t num_read_ = 0;
  uint64_t num_inserted_ = 0;
  uint64_t num_updated_ = 0;
  uint64_t num_deleted_ = 0;
};

/// The source in memory, read once for all tries.
struct CollectedSource {
  std::shared_ptr<arrow::RecordBatch> rows;
  std::vector<MemoryReservation> reservations;
};

arrow::Result<CollectedSource> CollectSource(const BatchSource& source,
                                             const std::shared_ptr<arrow::Schema>& schema,
                                             const RunContext& run) {
  CollectedSource collected;
  ARROW_ASSIGN_OR_RAISE(auto reader, source.Open());
  ARROW_ASSIGN_OR_RAISE(reader, AlignReader(std::move(reader), schema));
  ARROW_ASSIGN_OR_RAISE(const auto table, CollectInMemory(*reader, run, &collected.reservations));
  ARROW_ASSIGN_OR_RAISE(collected.rows, table->CombineChunksToBatch());
  return collected;
}

}  // namespace

arrow::Result<MergeInsertResult> MergeInsertBuilder::Execute(BatchSource source,
                                                             const CallOptions& call) const {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const MergeRequest request(*this);
  const RunContext run = dataset_.impl().Run(call);
  std::optional<CollectedSource> collected;
  return RetryOnNewest<MergeInsertResult>(
      dataset_, commit_, call, [&](const Dataset& dataset) -> arrow::Result<MergeInsertResult> {
        ARROW_ASSIGN_OR_RAISE(const MergePlan plan, PlanMerge(request, dataset, *source.schema()));
        if (!collected) {
          ARROW_ASSIGN_OR_RAISE(collected, CollectSource(source, plan.source.schema, run));
        }
        // The schema may have changed between two tries.
        ARROW_ASSIGN_OR_RAISE(const auto aligner,
                              BatchAligner::Make(*collected->rows->schema(), plan.source.schema));
        ARROW_ASSIGN_OR_RAISE(auto rows, aligner.Align(*collected->rows));
        ARROW_ASSIGN_OR_RAISE(auto options, ChangedRowsOptions(dataset.impl()));
        Merge merge(dataset, request, plan, std::move(rows), std::move(options), run);
        ARROW_RETURN_NOT_OK(merge.Match(call));
        return merge.Commit();
      });
}

arrow::Result<Transaction> MergeInsertBuilder::ExecuteUncommitted(BatchSource source,
                                                                  const CallOptions& call) const {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const MergeRequest request(*this);
  const RunContext run = dataset_.impl().Run(call);
  ARROW_ASSIGN_OR_RAISE(const MergePlan plan, PlanMerge(request, dataset_, *source.schema()));
  ARROW_ASSIGN_OR_RAISE(auto collected, CollectSource(source, plan.source.schema, run));
  ARROW_ASSIGN_OR_RAISE(auto options, ChangedRowsOptions(dataset_.impl()));
  Merge merge(dataset_, request, plan, collected.rows, std::move(options), run);
  ARROW_RETURN_NOT_OK(merge.Match(call));
  ARROW_ASSIGN_OR_RAISE(auto commit, merge.MakeCommit());
  return WrapTransaction(std::move(commit), merge.counts());
}

}  // namespace lance
