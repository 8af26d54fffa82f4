#include "lance/mutate.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrow/record_batch.h"
#include "arrow/status.h"
#include "arrow_objects.h"
#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/transaction.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

std::pair<Dataset, uint64_t> DeleteRows(const Dataset& dataset, nb::handle predicate,
                                        nb::kwargs arguments) {
  const Filter filter(Keywords::ValueOf<std::string>("predicate", predicate));
  Keywords keywords(std::move(arguments));
  const CommitOptions commit = TakeRetryOptions(&keywords);
  keywords.Finish();
  DeleteResult result =
      Run([&](const CallOptions& call) { return Delete(dataset, filter, commit, call); });
  return {std::move(result.dataset), result.num_deleted_rows};
}

Dataset TruncateTable(const Dataset& dataset, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  const CommitOptions commit = TakeRetryOptions(&keywords);
  keywords.Finish();
  return Run([&](const CallOptions& call) { return Truncate(dataset, commit, call); });
}

std::pair<Dataset, uint64_t> UpdateRows(const Dataset& dataset, nb::handle updates,
                                        nb::handle where, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  UpdateRequest request;
  request.updates = Keywords::ValueOf<std::map<std::string, std::string>>("updates", updates);
  if (!where.is_none()) request.where = Filter(Keywords::ValueOf<std::string>("where", where));
  request.commit = TakeRetryOptions(&keywords);
  keywords.Finish();
  UpdateResult result =
      Run([&](const CallOptions& call) { return Update(dataset, request, call); });
  return {std::move(result.dataset), result.num_rows_updated};
}

void SetWhenMatched(const std::string& action, std::optional<std::string> condition,
                    MergeInsertBuilder* builder) {
  if (action == "update") builder->WhenMatchedUpdateAll(std::move(condition));
  if (action == "delete") builder->WhenMatchedDelete();
  if (action == "fail") builder->WhenMatchedFail();
}

MergeInsertBuilder MakeMerge(const Dataset& dataset, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  std::vector<std::string> on;
  std::string when_matched;
  std::optional<std::string> update_condition, delete_condition;
  bool inserts = false, deletes_unmatched = false;
  const CommitOptions commit = TakeRetryOptions(&keywords);
  keywords.Take("on", &on)
      .Take("when_matched", &when_matched)
      .Take("update_condition", &update_condition)
      .Take("inserts", &inserts)
      .Take("deletes_unmatched", &deletes_unmatched)
      .Take("delete_condition", &delete_condition)
      .Finish();
  MergeInsertBuilder builder(dataset, std::move(on));
  builder.WithCommitOptions(commit);
  SetWhenMatched(when_matched, std::move(update_condition), &builder);
  if (inserts) builder.WhenNotMatchedInsertAll();
  std::optional<Filter> unmatched;
  if (delete_condition) unmatched = Filter(std::move(*delete_condition));
  if (deletes_unmatched) builder.WhenNotMatchedBySourceDelete(std::move(unmatched));
  return builder;
}

std::tuple<Dataset, uint64_t, uint64_t, uint64_t> MergeInsert(const Dataset& dataset,
                                                              nb::handle stream,
                                                              nb::kwargs arguments) {
  const MergeInsertBuilder builder = MakeMerge(dataset, std::move(arguments));
  const BatchSource source(ImportStream(stream));
  MergeInsertResult result =
      Run([&](const CallOptions& call) { return builder.Execute(source, call); });
  return {std::move(result.dataset), result.num_inserted_rows, result.num_updated_rows,
          result.num_deleted_rows};
}

std::tuple<Transaction, uint64_t, uint64_t, uint64_t> MergeInsertUncommitted(const Dataset& dataset,
                                                                             nb::handle stream,
                                                                             nb::kwargs arguments) {
  const MergeInsertBuilder builder = MakeMerge(dataset, std::move(arguments));
  const BatchSource source(ImportStream(stream));
  Transaction transaction =
      Run([&](const CallOptions& call) { return builder.ExecuteUncommitted(source, call); });
  const MergeInsertCounts counts = *merge_insert_counts(transaction);
  return {std::move(transaction), counts.num_inserted_rows, counts.num_updated_rows,
          counts.num_deleted_rows};
}

}  // namespace

CommitOptions TakeRetryOptions(Keywords* keywords) {
  CommitOptions options = TakeCommitOptions(keywords);
  std::optional<double> seconds;
  keywords->Take("retry_timeout_seconds", &seconds);
  if (!seconds) return options;
  constexpr double kMostSeconds = 1e9;
  if (!(*seconds >= 0 && *seconds <= kMostSeconds)) {
    throw StatusError(arrow::Status::Invalid("retry_timeout is ", *seconds,
                                             " seconds; allowed: 0 to 1000000000"));
  }
  options.timeout = std::chrono::milliseconds(static_cast<int64_t>(*seconds * 1000));
  return options;
}

void BindMutate(nb::module_& m) {
  m.def("delete_rows", &DeleteRows, nb::arg("dataset"), nb::arg("filter"), nb::arg("options"));
  m.def("truncate", &TruncateTable, nb::arg("dataset"), nb::arg("options"));
  m.def("update_rows", &UpdateRows, nb::arg("dataset"), nb::arg("updates"), nb::arg("where").none(),
        nb::arg("options"));
  m.def("merge_insert", &MergeInsert, nb::arg("dataset"), nb::arg("stream"), nb::arg("options"));
  m.def("merge_insert_uncommitted", &MergeInsertUncommitted, nb::arg("dataset"), nb::arg("stream"),
        nb::arg("options"));
}

}  // namespace lance::python
