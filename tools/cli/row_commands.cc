#include <CLI/CLI.hpp>
#include <iostream>

#include "command_line.h"
#include "input_files.h"
#include "output.h"

namespace lancectl {

namespace {

/// Print a result: nothing when quiet, its JSON, or a line for people.
///
/// \param before the version that was opened; when there is no later one nothing was changed
template <typename Result>
arrow::Status Print(const Invocation& invocation, const lance::Dataset& before,
                    const Result& result, const std::string& line) {
  if (invocation.flags.quiet) return arrow::Status::OK();
  if (invocation.flags.json) {
    std::cout << lance::ToJson(result) << '\n';
  } else if (result.dataset.version() == before.version()) {
    std::cout << line << "; no version was created\n";
  } else {
    std::cout << "version " << result.dataset.version() << ": " << line << '\n';
  }
  return arrow::Status::OK();
}

arrow::Status RunDelete(const Invocation& invocation, const std::string& filter) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto result,
                        lance::Delete(dataset, lance::Filter(filter), commit, invocation.call));
  return Print(invocation, dataset, result, Counted(result.num_deleted_rows, "row") + " deleted");
}

/// A truncate is a delete of all rows; it prints the same.
arrow::Status RunTruncate(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const uint64_t rows, dataset.CountRows({}, invocation.call));
  ARROW_ASSIGN_OR_RAISE(auto truncated, lance::Truncate(dataset, commit, invocation.call));
  const lance::DeleteResult result{std::move(truncated), rows};
  return Print(invocation, dataset, result, Counted(rows, "row") + " deleted");
}

/// Flags of update.
struct UpdateFlags {
  std::vector<std::string> set;
  std::string where;
};

arrow::Status RunUpdate(const Invocation& invocation, const UpdateFlags& flags) {
  lance::UpdateRequest request;
  for (const std::string& assignment : flags.set) {
    const size_t equal = assignment.find('=');
    if (equal == 0 || equal == std::string::npos) {
      return arrow::Status::Invalid("--set is \"", assignment, "\"; allowed: COLUMN=EXPRESSION");
    }
    const std::string column = assignment.substr(0, equal);
    if (!request.updates.emplace(column, assignment.substr(equal + 1)).second) {
      return arrow::Status::Invalid("--set gives column ", column, " twice");
    }
  }
  if (!flags.where.empty()) request.where = lance::Filter(flags.where);
  ARROW_ASSIGN_OR_RAISE(request.commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto result, lance::Update(dataset, request, invocation.call));
  return Print(invocation, dataset, result, Counted(result.num_rows_updated, "row") + " updated");
}

/// Flags of merge.
struct MergeFlags {
  std::vector<std::string> files;
  std::string input_format;
  std::string on;
  std::string matched = "keep";
  std::string not_matched = "skip";
  std::string not_matched_by_source = "keep";
  std::string condition;
};

arrow::Status RunMerge(const Invocation& invocation, const MergeFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(auto on, SplitList(flags.on));
  ARROW_ASSIGN_OR_RAISE(auto source, OpenInput(flags.files, flags.input_format, dataset.schema()));
  if (!flags.condition.empty() && flags.matched != "update") {
    return arrow::Status::Invalid("--condition says which rows to update; give --matched update");
  }
  if (flags.matched == "keep" && flags.not_matched == "skip" &&
      flags.not_matched_by_source == "keep") {
    return arrow::Status::Invalid(
        "this merge would change nothing; give --matched update, delete or fail, --not-matched "
        "insert, or --not-matched-by-source delete");
  }
  lance::MergeInsertBuilder builder(dataset, std::move(on));
  ARROW_ASSIGN_OR_RAISE(auto commit, invocation.commit_options());
  builder.WithCommitOptions(std::move(commit));
  if (flags.matched == "update") {
    std::optional<std::string> condition;
    if (!flags.condition.empty()) condition = flags.condition;
    builder.WhenMatchedUpdateAll(std::move(condition));
  }
  if (flags.matched == "delete") builder.WhenMatchedDelete();
  if (flags.matched == "fail") builder.WhenMatchedFail();
  if (flags.not_matched == "insert") builder.WhenNotMatchedInsertAll();
  if (flags.not_matched_by_source == "delete") builder.WhenNotMatchedBySourceDelete();
  ARROW_ASSIGN_OR_RAISE(const auto result, builder.Execute(std::move(source), invocation.call));
  return Print(invocation, dataset, result,
               Counted(result.num_inserted_rows, "row") + " inserted, " +
                   WithCommas(result.num_updated_rows) + " updated, " +
                   WithCommas(result.num_deleted_rows) + " deleted");
}

void AddDelete(CLI::App* parent, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* app = AddCommand(parent, "delete", "delete the rows that a filter finds", common, true);
  auto filter = std::make_shared<std::string>();
  app->add_option("FILTER,--filter", *filter, "a condition in SQL")->required();
  commands->push_back(
      {app, [filter](const Invocation& invocation) { return RunDelete(invocation, *filter); }});
  commands->push_back(
      {AddCommand(parent, "truncate", "delete all rows; the schema stays", common, true),
       RunTruncate});
}

void AddUpdate(CLI::App* parent, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* app = AddCommand(parent, "update", "change values of rows", common, true);
  auto flags = std::make_shared<UpdateFlags>();
  app->add_option("--set", flags->set, "COLUMN=EXPRESSION in SQL over the row before; repeat")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--where,--filter", flags->where, "a condition in SQL; without it all rows")
      ->check(IsNotEmpty());
  commands->push_back(
      {app, [flags](const Invocation& invocation) { return RunUpdate(invocation, *flags); }});
}

void AddMerge(CLI::App* parent, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* app = AddCommand(parent, "merge", "merge the rows of files by key columns", common,
                             /*commits=*/true);
  auto flags = std::make_shared<MergeFlags>();
  app->add_option("FILE", flags->files, "input files, or - for an Arrow IPC stream")->required();
  app->add_option("--input-format", flags->input_format, "parquet, csv or ipc; else by name");
  app->add_option("--on", flags->on, "A,B; the key columns")->required();
  app->add_option("--matched", flags->matched, "update, delete, fail or keep rows that match")
      ->check(CLI::IsMember({"update", "delete", "fail", "keep"}));
  app->add_option("--not-matched", flags->not_matched, "insert or skip rows that match nothing")
      ->check(CLI::IsMember({"insert", "skip"}));
  app->add_option("--not-matched-by-source", flags->not_matched_by_source,
                  "keep or delete rows of the table that match nothing")
      ->check(CLI::IsMember({"keep", "delete"}));
  app->add_option("--condition", flags->condition,
                  "update only where this is true: SQL over source.x and target.x")
      ->check(IsNotEmpty());
  commands->push_back(
      {app, [flags](const Invocation& invocation) { return RunMerge(invocation, *flags); }});
}

}  // namespace

void AddRowCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands) {
  AddDelete(app, flags, commands);
  AddUpdate(app, flags, commands);
  AddMerge(app, flags, commands);
}

}  // namespace lancectl
