#include <CLI/CLI.hpp>
#include <iostream>

#include "command_line.h"
#include "output.h"

namespace lancectl {

namespace {

/// Flags of tag and restore.
struct HistoryFlags {
  std::string name;
};

/// Say one tag after it was changed.
arrow::Status PrintTag(const Invocation& invocation, const lance::TagInfo& tag) {
  if (invocation.flags.json) {
    std::cout << lance::ToJson(tag) << '\n';
  } else if (!invocation.flags.quiet) {
    std::cout << "tag " << tag.name << " names version " << tag.version;
    if (!tag.branch.empty()) std::cout << " of branch " << tag.branch;
    std::cout << '\n';
  }
  return arrow::Status::OK();
}

arrow::Status RunTagList(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto tags, lance::ListTags(dataset, invocation.call));
  std::vector<std::vector<std::string>> rows;
  for (const lance::TagInfo& tag : tags) {
    if (invocation.flags.json) {
      std::cout << lance::ToJson(tag) << '\n';
    } else {
      rows.push_back({tag.name, tag.branch, std::to_string(tag.version)});
    }
  }
  if (!invocation.flags.json) PrintTable({"tag", "branch", "version"}, rows);
  return arrow::Status::OK();
}

arrow::Status RunTagCreate(const Invocation& invocation, const HistoryFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto tag, lance::CreateTag(dataset, flags.name, invocation.call));
  return PrintTag(invocation, tag);
}

arrow::Status RunTagUpdate(const Invocation& invocation, const HistoryFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto tag, lance::UpdateTag(dataset, flags.name, invocation.call));
  return PrintTag(invocation, tag);
}

arrow::Status RunTagDelete(const Invocation& invocation, const HistoryFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_RETURN_NOT_OK(lance::DeleteTag(dataset, flags.name, invocation.call));
  if (!invocation.flags.json && !invocation.flags.quiet) {
    std::cout << "tag " << flags.name << " is deleted\n";
  }
  return arrow::Status::OK();
}

arrow::Status RunRestore(const Invocation& invocation) {
  const CommonFlags& flags = invocation.flags;
  if (!flags.version && flags.tag.empty() && flags.as_of.empty()) {
    return arrow::Status::Invalid("say what to restore: --version N, --tag T or --as-of TIME");
  }
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto restored, lance::Restore(dataset, options, invocation.call));
  if (invocation.flags.json) {
    std::cout << lance::ToJson(restored) << '\n';
  } else if (!invocation.flags.quiet) {
    std::cout << "version " << dataset.version() << " is back as version " << restored.version()
              << '\n';
  }
  return arrow::Status::OK();
}

void AddTagCommands(CLI::App* app, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* tag = app->add_subcommand("tag", "names of versions");
  tag->require_subcommand(1);
  CLI::App* list = AddCommand(tag, "list", "list the tags", common, /*commits=*/false);
  commands->push_back({list, RunTagList});
  using Run = arrow::Status (*)(const Invocation&, const HistoryFlags&);
  const auto add = [&](const char* name, const char* what, Run run) {
    auto flags = std::make_shared<HistoryFlags>();
    CLI::App* command = AddCommand(tag, name, what, common, /*commits=*/false);
    command->add_option("NAME", flags->name, "letters, digits, '.', '-' and '_'")->required();
    commands->push_back(
        {command, [flags, run](const Invocation& invocation) { return run(invocation, *flags); }});
  };
  add("create", "name a version", RunTagCreate);
  add("update", "let a tag name another version", RunTagUpdate);
  add("delete", "remove a tag; its version stays", RunTagDelete);
}

}  // namespace

void AddHistoryCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands) {
  AddTagCommands(app, flags, commands);
  CLI::App* restore =
      AddCommand(app, "restore", "make an older version the newest", flags, /*commits=*/true);
  AddVersionFlags(restore, flags);
  commands->push_back({restore, RunRestore});
}

}  // namespace lancectl
