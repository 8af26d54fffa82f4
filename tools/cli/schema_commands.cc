#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "arrow/type.h"
#include "command_line.h"
#include "output.h"
#include "type_names.h"

namespace lancectl {

namespace {

arrow::Status PrintChanged(const Invocation& invocation, const lance::Dataset& before,
                           const lance::Dataset& after, const std::string& what) {
  if (invocation.flags.quiet) return arrow::Status::OK();
  if (invocation.flags.json) {
    std::cout << lance::ToJson(after) << '\n';
  } else if (before.version() == after.version()) {
    std::cout << "nothing to do; version " << after.version() << '\n';
  } else {
    std::cout << what << "; version " << after.version() << '\n';
  }
  return arrow::Status::OK();
}

/// Split NAME=VALUE at the first '='.
arrow::Result<std::pair<std::string, std::string>> SplitPair(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return arrow::Status::Invalid("\"", text, "\" has no name and '='; allowed: NAME=VALUE");
  }
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

arrow::Status RunAddColumn(const Invocation& invocation, const std::vector<std::string>& columns) {
  std::vector<lance::ComputedColumn> computed;
  for (const std::string& column : columns) {
    ARROW_ASSIGN_OR_RAISE(auto pair, SplitPair(column));
    computed.push_back({std::move(pair.first), std::move(pair.second)});
  }
  lance::AddColumnsRequest request{.values = std::move(computed)};
  ARROW_ASSIGN_OR_RAISE(request.commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto changed, lance::AddColumns(dataset, request, invocation.call));
  return PrintChanged(invocation, dataset, changed, "columns added");
}

arrow::Status RunDropColumn(const Invocation& invocation, const std::vector<std::string>& columns) {
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto changed,
                        lance::DropColumns(dataset, columns, options, invocation.call));
  return PrintChanged(invocation, dataset, changed, "columns dropped");
}

/// Flags of rename and alter.
struct AlterFlags {
  lance::ColumnAlteration alteration;
  std::string new_name;
  std::string type;
};

arrow::Status RunAlter(const Invocation& invocation, const AlterFlags& flags) {
  lance::ColumnAlteration alteration = flags.alteration;
  if (!flags.new_name.empty()) alteration.name = flags.new_name;
  if (!flags.type.empty()) {
    const auto type = ParseType(flags.type);
    if (!type.ok()) return type.status().WithMessage("--type: ", type.status().message());
    alteration.data_type = *type;
  }
  if (!alteration.name && !alteration.nullable && alteration.data_type == nullptr) {
    return arrow::Status::Invalid("nothing is to be changed: give --type, --nullable or both");
  }
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto changed,
                        lance::AlterColumns(dataset, {alteration}, options, invocation.call));
  return PrintChanged(invocation, dataset, changed, "column changed");
}

/// Flags of config get, set and unset.
struct ConfigFlags {
  std::string target = "config";
  std::vector<std::string> keys;
};

/// The map that --target names, as an update without entries.
arrow::Result<lance::MetadataUpdate> ParseTarget(const std::string& target) {
  constexpr std::string_view kField = "field:";
  lance::MetadataUpdate update;
  if (target == "config") return update;
  if (target == "table") {
    update.target = lance::MetadataTarget::kTable;
  } else if (target == "schema") {
    update.target = lance::MetadataTarget::kSchema;
  } else if (target.starts_with(kField) && target.size() > kField.size()) {
    update.target = lance::MetadataTarget::kField;
    update.column = target.substr(kField.size());
  } else {
    return arrow::Status::Invalid("--target is \"", target,
                                  "\"; allowed: config, table, schema, field:COLUMN");
  }
  return update;
}

arrow::Status RunConfigGet(const Invocation& invocation, const ConfigFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto update, ParseTarget(flags.target));
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(auto entries, lance::ReadMetadata(dataset, update.target, update.column));
  if (!flags.keys.empty()) {
    std::map<std::string, std::string> chosen;
    for (const std::string& key : flags.keys) {
      const auto found = entries.find(key);
      if (found == entries.end()) {
        return arrow::Status::KeyError("there is no key ", key, " in ", flags.target);
      }
      chosen.insert(*found);
    }
    entries = std::move(chosen);
  }
  if (invocation.flags.json) {
    std::cout << lance::ToJson(entries) << '\n';
    return arrow::Status::OK();
  }
  for (const auto& [key, value] : entries) {
    std::cout << Printable(key) << '=' << Printable(value) << '\n';
  }
  return arrow::Status::OK();
}

arrow::Status RunConfigChange(const Invocation& invocation, const ConfigFlags& flags, bool sets) {
  ARROW_ASSIGN_OR_RAISE(auto update, ParseTarget(flags.target));
  for (const std::string& key : flags.keys) {
    if (!sets) {
      update.values.emplace(key, std::nullopt);
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto pair, SplitPair(key));
    update.values.insert_or_assign(std::move(pair.first), std::move(pair.second));
  }
  ARROW_ASSIGN_OR_RAISE(update.commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto changed,
                        lance::UpdateMetadata(dataset, update, invocation.call));
  return PrintChanged(invocation, dataset, changed, flags.target + " changed");
}

void AddColumnCommands(CLI::App* parent, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* add = AddCommand(parent, "add-column", "add columns that SQL over the row gives",
                             common, /*commits=*/true);
  auto added = std::make_shared<std::vector<std::string>>();
  add->add_option("COLUMN", *added, "NAME=EXPR")->required();
  commands->push_back(
      {add, [added](const Invocation& invocation) { return RunAddColumn(invocation, *added); }});
  CLI::App* drop = AddCommand(parent, "drop-column", "drop columns; data stays until compaction",
                              common, /*commits=*/true);
  auto dropped = std::make_shared<std::vector<std::string>>();
  drop->add_option("NAME", *dropped, "columns, or paths of members: s.a")->required();
  commands->push_back({drop, [dropped](const Invocation& invocation) {
                         return RunDropColumn(invocation, *dropped);
                       }});
  CLI::App* rename = AddCommand(parent, "rename", "rename a column", common, /*commits=*/true);
  auto renamed = std::make_shared<AlterFlags>();
  rename->add_option("OLD", renamed->alteration.path, "the column, or the path of a member")
      ->required();
  rename->add_option("NEW", renamed->new_name, "its new name")->required();
  commands->push_back(
      {rename, [renamed](const Invocation& invocation) { return RunAlter(invocation, *renamed); }});
  CLI::App* alter = AddCommand(parent, "alter", "change a column's type, or whether it may be null",
                               common, /*commits=*/true);
  auto altered = std::make_shared<AlterFlags>();
  alter->add_option("NAME", altered->alteration.path, "the column, or the path of a member")
      ->required();
  alter->add_option("--type", altered->type,
                    "int64, string, timestamp[us], decimal(P,S) ..., as schema prints it");
  alter->add_option("--nullable", altered->alteration.nullable, "true or false");
  commands->push_back(
      {alter, [altered](const Invocation& invocation) { return RunAlter(invocation, *altered); }});
}

void AddConfig(CLI::App* parent, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* config = parent->add_subcommand("config", "configuration and metadata");
  config->require_subcommand(1);
  const auto add = [&](const std::string& name, const std::string& description,
                       const std::string& key, bool commits) {
    CLI::App* app = AddCommand(config, name, description, common, commits);
    auto flags = std::make_shared<ConfigFlags>();
    app->add_option("KEY", flags->keys, key)->required(commits);
    app->add_option("--target", flags->target, "config, table, schema or field:COLUMN");
    return std::pair{app, flags};
  };
  const auto [get, get_flags] = add("get", "print entries", "keys; none: all", false);
  commands->push_back({get, [flags = get_flags](const Invocation& invocation) {
                         return RunConfigGet(invocation, *flags);
                       }});
  const auto [set, set_flags] = add("set", "set entries", "KEY=VALUE", true);
  commands->push_back({set, [flags = set_flags](const Invocation& invocation) {
                         return RunConfigChange(invocation, *flags, /*sets=*/true);
                       }});
  const auto [unset, unset_flags] = add("unset", "delete entries", "keys", true);
  commands->push_back({unset, [flags = unset_flags](const Invocation& invocation) {
                         return RunConfigChange(invocation, *flags, /*sets=*/false);
                       }});
}

}  // namespace

void AddSchemaCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands) {
  AddColumnCommands(app, flags, commands);
  AddConfig(app, flags, commands);
}

}  // namespace lancectl
