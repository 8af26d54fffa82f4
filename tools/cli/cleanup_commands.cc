#include <CLI/CLI.hpp>
#include <iostream>

#include "command_line.h"
#include "output.h"

namespace lancectl {

namespace {

/// Flags of cleanup.
struct CleanupFlags {
  std::string older_than;
  bool keep_tagged = false;
  lance::CleanupRequest request;
};

/// "3 versions and 45,678 bytes: 2 data files, ...".
std::string Summary(const lance::CleanupResult& result) {
  return Counted(result.old_versions, "version") + " and " + Counted(result.bytes_removed, "byte") +
         ": " + Counted(result.data_files_removed, "data file") + ", " +
         Counted(result.deletion_files_removed, "deletion file") + ", " +
         Counted(result.index_files_removed, "index file") + ", " +
         Counted(result.transaction_files_removed, "transaction");
}

void PrintResult(const lance::CleanupResult& result) {
  if (result.dry_run) {
    for (const lance::CleanupFile& file : result.files) {
      std::cout << file.kind << '\t' << Printable(file.path) << '\t' << WithCommas(file.size_bytes)
                << (file.unverified ? "\tno version ever named it" : "") << '\n';
    }
  }
  for (const lance::CleanupBranch& branch : result.referenced_branches) {
    std::cout << "version " << branch.referenced_version << " stays for branch "
              << Printable(branch.name) << '\n';
  }
  std::cout << (result.dry_run ? "would remove " : "removed ") << Summary(result) << '\n';
  if (result.failed_deletes > 0) {
    std::cout << Counted(result.failed_deletes, "file") << " could not be deleted; run it again\n";
  }
}

arrow::Status RunCleanup(const Invocation& invocation, const CleanupFlags& flags) {
  lance::CleanupRequest request = flags.request;
  if (!flags.older_than.empty()) {
    ARROW_ASSIGN_OR_RAISE(request.older_than, lance::ParseDuration(flags.older_than));
  }
  request.error_if_tagged_old_versions = !flags.keep_tagged;
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto result,
                        lance::CleanupOldVersions(dataset, request, invocation.call));
  if (invocation.flags.json) {
    std::cout << lance::ToJson(result) << '\n';
  } else if (!invocation.flags.quiet) {
    PrintResult(result);
  }
  return arrow::Status::OK();
}

}  // namespace

void AddCleanupCommands(CLI::App* app, CommonFlags* common, std::vector<Command>* commands) {
  auto flags = std::make_shared<CleanupFlags>();
  CLI::App* cleanup = AddCommand(
      app, "cleanup", "remove old versions and files that nothing needs; default: two weeks old",
      common, /*commits=*/false);
  cleanup->add_option("--older-than", flags->older_than, "versions of that age: 7d, 2h 30m")
      ->check(IsNotEmpty());
  cleanup->add_option("--retain-versions", flags->request.retain_versions, "keep the newest N")
      ->check(IsWholeNumber());
  cleanup->add_option("--versions", flags->request.versions, "only these: N,N")
      ->delimiter(',')
      ->check(IsWholeNumber());
  cleanup->add_flag("--delete-unverified", flags->request.delete_unverified,
                    "also young files that no version names; only when nobody else writes");
  cleanup->add_flag("--keep-tagged", flags->keep_tagged, "keep tagged versions instead of failing");
  cleanup
      ->add_option("--max-deletes-per-second", flags->request.max_deletes_per_second,
                   "for stores that throttle")
      ->check(IsWholeNumber());
  cleanup->add_flag("--dry-run", flags->request.dry_run, "say what would go, remove nothing");
  commands->push_back(
      {cleanup, [flags](const Invocation& invocation) { return RunCleanup(invocation, *flags); }});
}

}  // namespace lancectl
