#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "command_line.h"
#include "lance/compaction.h"
#include "lance/json.h"
#include "output.h"
#include "print_compaction.h"

namespace lancectl {

namespace {

/// Flags of compact.
struct CompactFlags {
  lance::CompactionOptions options;
  std::string mode = "reencode";
  std::string max_bytes_per_file;
  std::string max_source_bytes;
  std::string copy_batch_bytes;
  std::string excluded;
  bool keep_deletions = false;
  bool defer_index_remap = false;
  bool dry_run = false;
};

arrow::Result<lance::CompactionMode> ParseMode(const std::string& text) {
  for (const auto mode : {lance::CompactionMode::kReencode, lance::CompactionMode::kTryBinaryCopy,
                          lance::CompactionMode::kForceBinaryCopy}) {
    if (text == lance::ToString(mode)) return mode;
  }
  return arrow::Status::Invalid("--compaction-mode is \"", text,
                                "\"; allowed: reencode, try_binary_copy, force_binary_copy; "
                                "optimize clusters");
}

arrow::Status TakeSize(const std::string& text, std::optional<uint64_t>* option) {
  if (text.empty()) return arrow::Status::OK();
  return ParseSize(text).Value(&option->emplace());
}

arrow::Result<lance::CompactionOptions> OptionsOf(const CompactFlags& flags) {
  lance::CompactionOptions options = flags.options;
  ARROW_ASSIGN_OR_RAISE(options.compaction_mode, ParseMode(flags.mode));
  ARROW_RETURN_NOT_OK(TakeSize(flags.max_bytes_per_file, &options.max_bytes_per_file));
  ARROW_RETURN_NOT_OK(TakeSize(flags.max_source_bytes, &options.budget.max_source_bytes));
  ARROW_RETURN_NOT_OK(TakeSize(flags.copy_batch_bytes, &options.binary_copy_read_batch_bytes));
  if (flags.keep_deletions) options.materialize_deletions = false;
  if (flags.defer_index_remap) options.defer_index_remap = true;
  if (flags.excluded.empty()) return options;
  ARROW_ASSIGN_OR_RAISE(const auto ids, SplitList(flags.excluded));
  for (const std::string& id : ids) {
    if (id.empty() || id.size() > 18 || id.find_first_not_of("0123456789") != std::string::npos) {
      return arrow::Status::Invalid("--excluded-fragment-ids has \"", id,
                                    "\"; allowed: whole numbers, with commas between");
    }
    options.excluded_fragment_ids.push_back(std::stoull(id));
  }
  return options;
}

void PrintPlan(const lance::CompactionPlan& plan) {
  std::cout << "plan for version " << plan.read_version() << ": "
            << Counted(plan.tasks().size(), "task") << '\n';
  for (size_t i = 0; i < plan.tasks().size(); ++i) {
    const auto& fragments = plan.tasks()[i].fragments();
    uint64_t rows = 0;
    for (const auto& fragment : fragments) rows += fragment.num_rows();
    std::cout << "task " << i << (fragments.size() == 1 ? ": fragment " : ": fragments ")
              << fragments.front().id();
    if (fragments.size() > 1) std::cout << " to " << fragments.back().id();
    std::cout << ", " << Counted(rows, "row") << '\n';
  }
  PrintStop(plan.stopped_by());
}

arrow::Status RunCompact(const Invocation& invocation, const CompactFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(auto options, OptionsOf(flags));
  ARROW_ASSIGN_OR_RAISE(options.commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  if (flags.dry_run) {
    ARROW_ASSIGN_OR_RAISE(const auto plan,
                          lance::PlanCompaction(dataset, options, invocation.call));
    if (invocation.flags.json) {
      std::cout << lance::ToJson(plan) << '\n';
    } else {
      PrintPlan(plan);
    }
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto result, lance::Compact(dataset, options, invocation.call));
  PrintCompaction(invocation, result);
  if (dataset.clustering_spec() && result.tasks_committed > 0 && !invocation.flags.quiet) {
    std::cerr << "warning: the table is declared clustered, and compact keeps the order of rows: "
                 "optimize will rewrite what it made. optimize merges small fragments, too "
                 "(compact_of_clustered)\n";
  }
  return arrow::Status::OK();
}

}  // namespace

void AddCompactCommands(CLI::App* parent, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* app = AddCommand(parent, "compact",
                             "merge small fragments and drop deleted rows; keeps the order of rows",
                             common, /*commits=*/true);
  auto flags = std::make_shared<CompactFlags>();
  auto& options = flags->options;
  app->add_option("--target-rows-per-fragment", options.target_rows_per_fragment,
                  "smaller fragments are merged with their neighbours")
      ->check(IsWholeNumber());
  app->add_option("--max-bytes-per-file", flags->max_bytes_per_file, "soft size of one file");
  app->add_option("--max-source-fragments", options.budget.max_source_fragments,
                  "most fragments to rewrite")
      ->check(IsWholeNumber());
  app->add_option("--max-source-rows", options.budget.max_source_rows, "most rows to rewrite")
      ->check(IsWholeNumber());
  app->add_option("--max-source-bytes", flags->max_source_bytes, "most bytes to rewrite");
  app->add_option("--materialize-deletions-threshold", options.materialize_deletions_threshold,
                  "share of deleted rows above which a fragment is rewritten");
  app->add_flag("--no-materialize-deletions", flags->keep_deletions,
                "rewrite no fragment because of deleted rows");
  app->add_flag("--defer-index-remap", flags->defer_index_remap,
                "leave indices as they are and record where the rows went");
  app->add_option("--batch-size", options.batch_size, "most rows read at once")
      ->check(IsWholeNumber());
  app->add_option("--compaction-mode", flags->mode,
                  "reencode, try_binary_copy or force_binary_copy");
  app->add_option("--binary-copy-read-batch-bytes", flags->copy_batch_bytes,
                  "most bytes read at once when pages are copied");
  app->add_option("--excluded-fragment-ids", flags->excluded, "A,B; fragments that stay");
  app->add_option("--data-storage-version", options.data_storage_version, "of the new files");
  app->add_flag("--dry-run", flags->dry_run, "print the plan and change nothing");
  commands->push_back(
      {app, [flags](const Invocation& invocation) { return RunCompact(invocation, *flags); }});
}

}  // namespace lancectl
