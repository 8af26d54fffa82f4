#include <CLI/CLI.hpp>
#include <iostream>

#include "command_line.h"
#include "output.h"

namespace lancectl {

namespace {

/// Flags of branch, clone and copy.
struct BranchFlags {
  std::string name;    // of a branch
  std::string target;  // of a clone or copy
  std::string cluster_by;
};

/// What a message calls a branch.
std::string NameOf(const std::string& branch) { return branch.empty() ? "main" : branch; }

/// Say which version is in a new place.
arrow::Status PrintMade(const Invocation& invocation, const lance::Dataset& made,
                        const std::string& what) {
  if (invocation.flags.json) {
    std::cout << lance::ToJson(made) << '\n';
  } else if (!invocation.flags.quiet) {
    std::cout << what << ": version " << made.version() << " in " << Printable(made.uri()) << '\n';
  }
  return arrow::Status::OK();
}

arrow::Status RunBranchList(const Invocation& invocation, const BranchFlags&) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto branches, lance::ListBranches(dataset, invocation.call));
  std::vector<std::vector<std::string>> rows;
  for (const lance::BranchInfo& branch : branches) {
    if (invocation.flags.json) {
      std::cout << lance::ToJson(branch) << '\n';
    } else {
      rows.push_back({branch.name, NameOf(branch.parent_branch),
                      std::to_string(branch.parent_version), lance::ToString(branch.created_at)});
    }
  }
  if (!invocation.flags.json) {
    PrintTable({"branch", "began on", "with version", "created at"}, rows);
  }
  return arrow::Status::OK();
}

arrow::Status RunBranchCreate(const Invocation& invocation, const BranchFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto branch,
                        lance::CreateBranch(dataset, flags.name, invocation.call));
  return PrintMade(invocation, branch, "branch " + flags.name);
}

arrow::Status RunBranchDelete(const Invocation& invocation, const BranchFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_RETURN_NOT_OK(lance::DeleteBranch(dataset, flags.name, invocation.call));
  if (!invocation.flags.json && !invocation.flags.quiet) {
    std::cout << "branch " << flags.name << " is deleted\n";
  }
  return arrow::Status::OK();
}

arrow::Status RunClone(const Invocation& invocation, const BranchFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto clone,
                        lance::ShallowClone(dataset, flags.target, invocation.call));
  return PrintMade(invocation, clone, "clone");
}

arrow::Status RunCopy(const Invocation& invocation, const BranchFlags& flags) {
  lance::CopyRequest request{.target_uri = flags.target};
  ARROW_ASSIGN_OR_RAISE(request.commit, invocation.commit_options());
  if (!flags.cluster_by.empty()) {
    request.clustering.emplace();
    ARROW_ASSIGN_OR_RAISE(request.clustering->columns, SplitList(flags.cluster_by));
  }
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto copy, lance::CopyTable(dataset, request, invocation.call));
  return PrintMade(invocation, copy, "copy");
}

arrow::Status RunDrop(const Invocation& invocation, const BranchFlags&) {
  const std::string& table = invocation.flags.table;
  ARROW_RETURN_NOT_OK(lance::DropTable(table, {.session = invocation.session}, invocation.call));
  if (!invocation.flags.json && !invocation.flags.quiet) {
    std::cout << "table " << Printable(table) << " is dropped\n";
  }
  return arrow::Status::OK();
}

using Run = arrow::Status (*)(const Invocation&, const BranchFlags&);

std::shared_ptr<BranchFlags> Push(CLI::App* app, Run run, std::vector<Command>* commands) {
  auto flags = std::make_shared<BranchFlags>();
  commands->push_back(
      {app, [flags, run](const Invocation& invocation) { return run(invocation, *flags); }});
  return flags;
}

void AddNamed(CLI::App* branch, const char* name, const char* what, Run run, CommonFlags* common,
              std::vector<Command>* commands) {
  CLI::App* app = AddCommand(branch, name, what, common, /*commits=*/false);
  app->add_option("NAME", Push(app, run, commands)->name,
                  "letters, digits, '.', '-' and '_', in segments joined by '/'")
      ->required();
}

}  // namespace

void AddBranchCommands(CLI::App* app, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* branch = app->add_subcommand("branch", "lines of versions beside the main one");
  branch->require_subcommand(1);
  Push(AddCommand(branch, "list", "list the branches", common, /*commits=*/false), RunBranchList,
       commands);
  AddNamed(branch, "create", "begin a branch with a version", RunBranchCreate, common, commands);
  AddNamed(branch, "delete", "remove a branch with its versions", RunBranchDelete, common,
           commands);

  CLI::App* clone = AddCommand(app, "clone", "make a table that shares the files of a version",
                               common, /*commits=*/false);
  clone->add_option("TARGET", Push(clone, RunClone, commands)->target, "where the clone lies")
      ->required();

  CLI::App* copy = AddCommand(app, "copy", "write the rows of a version to a new table", common,
                              /*commits=*/true);
  AddVersionFlags(copy, common);
  const auto flags = Push(copy, RunCopy, commands);
  copy->add_option("TARGET", flags->target, "where the copy lies")->required();
  copy->add_option("--cluster-by", flags->cluster_by,
                   "declare the copy clustered by these columns, as create does with --declare; "
                   "without: a plain table")
      ->check(IsNotEmpty());

  CLI::App* drop =
      AddCommand(app, "drop", "remove a table with all of its files", common, /*commits=*/true);
  Push(drop, RunDrop, commands);
}

}  // namespace lancectl
