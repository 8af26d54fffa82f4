#include <CLI/CLI.hpp>
#include <iostream>

#include "command_line.h"
#include "output.h"
#include "print_compaction.h"

namespace lancectl {

namespace {

constexpr const char* kOneWayDoor =
    "One-way door: from the first declaration on, released Lance writers from version 12 refuse to "
    "commit to the table, and older ones lose the clustering metadata. Every Lance reader still "
    "opens it. The way out is to copy the table.";

/// Flags of cluster set.
struct ClusterFlags {
  std::string columns;
  std::string curve = "hilbert";
  std::string algorithm;
  lance::ClusteringRequest request;
};

arrow::Status PrintSpec(const Invocation& invocation, const lance::Dataset& dataset) {
  if (invocation.flags.quiet) return arrow::Status::OK();
  if (invocation.flags.json) {
    std::cout << lance::ToJson(dataset.clustering_spec()) << '\n';
    return arrow::Status::OK();
  }
  const auto& spec = dataset.clustering_spec();
  if (!spec) {
    const std::string& problem = dataset.properties().clustering_problem;
    std::cout << (problem.empty() ? "no clustering is declared" : problem) << '\n';
    return arrow::Status::OK();
  }
  std::cout << "clustered by ";
  for (size_t i = 0; i < spec->columns.size(); ++i) {
    std::cout << (i == 0 ? "" : ", ") << spec->columns[i];
  }
  std::cout << "; curve " << lance::ToString(spec->curve) << ", " << spec->bits_per_dim << " bits, "
            << lance::ToString(spec->algorithm) << ", layout version " << spec->version
            << "; table version " << dataset.version() << '\n';
  return arrow::Status::OK();
}

arrow::Status RunClusterSet(const Invocation& invocation, const ClusterFlags& flags) {
  lance::ClusteringRequest request = flags.request;
  ARROW_ASSIGN_OR_RAISE(request.columns, SplitList(flags.columns));
  ARROW_ASSIGN_OR_RAISE(request.curve, lance::ParseClusteringCurve(flags.curve));
  if (!flags.algorithm.empty()) {
    ARROW_ASSIGN_OR_RAISE(request.algorithm, lance::ParseClusteringAlgorithm(flags.algorithm));
  }
  ARROW_ASSIGN_OR_RAISE(request.commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto changed, dataset.SetClustering(request, invocation.call));
  const bool is_first = dataset.properties().clustering_definitions.empty();
  if (is_first && !invocation.flags.quiet && !invocation.flags.json) {
    std::cerr << "note: released Lance writers from version 12 on refuse to commit to this table "
                 "from now on; every reader still opens it\n";
  }
  return PrintSpec(invocation, changed);
}

arrow::Status RunClusterShow(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  return PrintSpec(invocation, dataset);
}

arrow::Status RunClusterClear(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto changed, dataset.ClearClustering(options, invocation.call));
  if (invocation.flags.json || invocation.flags.quiet || changed.version() == dataset.version()) {
    return PrintSpec(invocation, changed);
  }
  std::cout << "declaration removed; table version " << changed.version() << '\n';
  return arrow::Status::OK();
}

arrow::Status RunClusterPrune(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto changed,
                        lance::PruneClusteringDefinitions(dataset, options, invocation.call));
  if (invocation.flags.quiet) return arrow::Status::OK();
  if (invocation.flags.json) {
    std::cout << lance::ToJson(changed) << '\n';
    return arrow::Status::OK();
  }
  const size_t removed = dataset.properties().clustering_definitions.size() -
                         changed.properties().clustering_definitions.size();
  std::cout << Counted(removed, "definition") << " removed; table version " << changed.version()
            << '\n';
  return arrow::Status::OK();
}

/// Flags of optimize.
struct OptimizeFlags {
  lance::ClusteringCompactionOptions options;
  std::string max_source_bytes;
  std::string max_bytes_per_file;
  std::string index_policy = "keep";
  bool dry_run = false;
};

void PrintPlan(const lance::ClusteringCompactionPlan& plan) {
  for (const auto& task : plan.tasks()) {
    std::cout << "task " << task.task_id() << ": "
              << Counted(task.source_fragment_ids().size(), "fragment") << ", "
              << Counted(task.source_rows(), "row") << ", " << Counted(task.source_bytes(), "byte")
              << " (" << task.reason() << ")\n";
  }
  std::cout << "in all " << Counted(plan.totals().rows, "row") << ", left after it "
            << Counted(plan.remaining().rows, "row") << '\n';
  for (const auto& left : plan.left_out()) {
    std::cout << "fragment " << left.fragment_id << " is left out: " << left.reason << " ("
              << left.detail << ")\n";
  }
  PrintStop(plan.stopped_by());
}

arrow::Status RunOptimize(const Invocation& invocation, const OptimizeFlags& flags) {
  lance::ClusteringCompactionOptions options = flags.options;
  if (!flags.max_source_bytes.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.budget.max_source_bytes, ParseSize(flags.max_source_bytes));
  }
  if (!flags.max_bytes_per_file.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.max_bytes_per_file, ParseSize(flags.max_bytes_per_file));
  }
  if (flags.index_policy == "strict") options.index_policy = lance::IndexPolicy::kStrict;
  ARROW_ASSIGN_OR_RAISE(options.commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  if (flags.dry_run) {
    ARROW_ASSIGN_OR_RAISE(const auto plan,
                          lance::PlanClusteringCompaction(dataset, options, invocation.call));
    if (invocation.flags.json) {
      std::cout << lance::ToJson(plan) << '\n';
    } else {
      PrintPlan(plan);
    }
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto result,
                        lance::CompactFilesWithClustering(dataset, options, invocation.call));
  PrintCompaction(invocation, result);
  return arrow::Status::OK();
}

void AddOptimize(CLI::App* parent, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* app = AddCommand(parent, "optimize", "bring rows into the declared layout", common,
                             /*commits=*/true);
  auto flags = std::make_shared<OptimizeFlags>();
  auto& options = flags->options;
  app->add_option("--max-source-rows", options.budget.max_source_rows, "most rows to rewrite")
      ->check(IsWholeNumber());
  app->add_option("--max-source-fragments", options.budget.max_source_fragments,
                  "most fragments to rewrite")
      ->check(IsWholeNumber());
  app->add_option("--max-source-bytes", flags->max_source_bytes, "most bytes to rewrite");
  app->add_option("--target-rows-per-fragment", options.target_rows_per_fragment,
                  "rows of one new fragment")
      ->check(IsWholeNumber());
  app->add_option("--target-rows-per-group", options.target_rows_per_group,
                  "how large a sorted group may grow")
      ->check(IsWholeNumber());
  app->add_option("--max-bytes-per-file", flags->max_bytes_per_file, "soft size of one file");
  app->add_option("--min-merge-ratio", options.min_merge_ratio,
                  "rewrite a sorted group only for so much new data");
  app->add_flag("--full", options.full, "rewrite every fragment");
  app->add_flag("--take-over", options.take_over, "also what another provider stamped");
  app->add_option("--index-policy", flags->index_policy,
                  "keep: indices that cannot follow lose the new rows; strict: refuse then")
      ->check(CLI::IsMember({"keep", "strict"}));
  app->add_option("--rows-per-zone", options.rows_per_zone, "of zonemaps that it creates")
      ->check(IsWholeNumber());
  app->add_flag("--dry-run", flags->dry_run, "print the plan and change nothing");
  commands->push_back(
      {app, [flags](const Invocation& invocation) { return RunOptimize(invocation, *flags); }});
}

void AddCluster(CLI::App* parent, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* cluster = parent->add_subcommand("cluster", "declare how rows should be laid out");
  cluster->require_subcommand(1);
  CLI::App* set = AddCommand(cluster, "set",
                             std::string("declare the clustering columns. ") + kOneWayDoor, common,
                             /*commits=*/true);
  auto flags = std::make_shared<ClusterFlags>();
  set->add_option("--columns", flags->columns, "A,B; 1 to 16 top-level columns")->required();
  set->add_option("--curve", flags->curve, "hilbert or zorder");
  set->add_option("--bits-per-dim", flags->request.bits_per_dim, "2 to 64")->check(IsWholeNumber());
  set->add_option("--algorithm", flags->algorithm,
                  "quantile-rank-v1, typed-quantile-rank-v1 or typed-quantile-rank-v2");
  set->add_option("--layout-version", flags->request.version, "the declaration's version")
      ->check(IsWholeNumber());
  commands->push_back(
      {set, [flags](const Invocation& invocation) { return RunClusterSet(invocation, *flags); }});
  commands->push_back(
      {AddCommand(cluster, "show", "print the declaration", common, false), RunClusterShow});
  commands->push_back(
      {AddCommand(cluster, "clear", "remove the declaration; data stays as it is", common, true),
       RunClusterClear});
  commands->push_back(
      {AddCommand(cluster, "prune", "remove definitions that nothing refers to", common, true),
       RunClusterPrune});
}

}  // namespace

void AddMaintainCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands) {
  AddCluster(app, flags, commands);
  AddOptimize(app, flags, commands);
}

}  // namespace lancectl
