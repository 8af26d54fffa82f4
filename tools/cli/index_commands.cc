#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "arrow/table.h"
#include "command_line.h"
#include "output.h"

namespace lancectl {

namespace {

/// Flags of the index commands.
struct IndexFlags {
  std::string column;
  std::string type = "zonemap";
  std::string name;
  std::optional<uint64_t> rows_per_zone;
  std::string format;
};

arrow::Status PrintVersion(const Invocation& invocation, const lance::Dataset& before,
                           const lance::Dataset& after, const std::string& done) {
  if (invocation.flags.json) {
    std::cout << lance::ToJson(after) << '\n';
  } else if (!invocation.flags.quiet) {
    if (after.version() == before.version()) {
      std::cout << "nothing to do\n";
    } else {
      std::cout << done << "; version " << after.version() << '\n';
    }
  }
  return arrow::Status::OK();
}

arrow::Result<lance::IndexType> ParseIndexType(const std::string& name) {
  using enum lance::IndexType;
  const std::map<std::string, lance::IndexType> types = {
      {"zonemap", kZoneMap}, {"btree", kBTree}, {"bitmap", kBitmap}, {"label_list", kLabelList}};
  const auto found = types.find(name);
  if (found != types.end()) return found->second;
  return arrow::Status::NotImplemented("--type ", name,
                                       " is not built by this version; allowed: zonemap, btree, "
                                       "bitmap, label_list")
      .WithDetail(std::make_shared<lance::UnsupportedFeature>("index type " + name));
}

arrow::Status RunCreate(const Invocation& invocation, const IndexFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const lance::IndexType type, ParseIndexType(flags.type));
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto made, lance::CreateIndex(dataset,
                                                            {.column = flags.column,
                                                             .type = type,
                                                             .name = flags.name,
                                                             .rows_per_zone = flags.rows_per_zone,
                                                             .commit = options},
                                                            invocation.call));
  return PrintVersion(invocation, dataset, made,
                      "column " + flags.column + " has a " +
                          (flags.type == "label_list" ? "label list" : flags.type));
}

arrow::Status RunList(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto indices, lance::ListIndices(dataset, invocation.call));
  std::vector<std::vector<std::string>> rows;
  for (const lance::IndexDescription& index : indices) {
    if (invocation.flags.json) {
      std::cout << lance::ToJson(index) << '\n';
      continue;
    }
    std::string columns;
    for (const std::string& name : index.field_names)
      columns += (columns.empty() ? "" : ",") + name;
    rows.push_back({index.name, index.index_type, columns, std::to_string(index.num_segments),
                    std::to_string(index.num_rows_indexed),
                    std::to_string(index.num_unindexed_rows), index.usable ? "yes" : "no"});
  }
  if (!invocation.flags.json) {
    PrintTable({"index", "type", "columns", "segments", "rows", "rows left", "used"}, rows);
  }
  return arrow::Status::OK();
}

arrow::Status RunDrop(const Invocation& invocation, const IndexFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto dropped,
                        lance::DropIndex(dataset, flags.name, options, invocation.call));
  return PrintVersion(invocation, dataset, dropped, "index " + flags.name + " is dropped");
}

arrow::Status RunOptimize(const Invocation& invocation, const IndexFlags& flags) {
  lance::OptimizeIndicesRequest request;
  if (!flags.name.empty()) request.index_names = {flags.name};
  ARROW_ASSIGN_OR_RAISE(request.commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto optimized,
                        lance::OptimizeIndices(dataset, request, invocation.call));
  return PrintVersion(invocation, dataset, optimized, "indices are up to date");
}

arrow::Status RunZones(const Invocation& invocation, const IndexFlags& flags) {
  std::string format_name = flags.format;
  if (format_name.empty()) format_name = invocation.flags.json ? "jsonl" : "table";
  ARROW_ASSIGN_OR_RAISE(const RowFormat format, ParseRowFormat(format_name));
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto zones, lance::LoadZones(dataset, flags.column, invocation.call));
  arrow::TableBatchReader reader(zones);
  return PrintRows(reader, format);
}

}  // namespace

void AddIndexCommands(CLI::App* app, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* index = app->add_subcommand("index", "zonemaps, btrees and other indices");
  index->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, bool commits, auto run) {
    auto flags = std::make_shared<IndexFlags>();
    CLI::App* command = AddCommand(index, name, what, common, commits);
    commands->push_back(
        {command, [flags, run](const Invocation& invocation) { return run(invocation, *flags); }});
    return std::pair(command, flags);
  };
  const auto [create, create_flags] = add("create", "build an index", true, RunCreate);
  create->add_option("--column", create_flags->column, "the column")
      ->required()
      ->check(IsNotEmpty());
  create->add_option("--type", create_flags->type, "zonemap, btree, bitmap or label_list");
  create->add_option("--name", create_flags->name, "default: the column's name with _idx");
  create->add_option("--rows-per-zone", create_flags->rows_per_zone, "default 8192")
      ->check(IsWholeNumber());
  CLI::App* list = AddCommand(index, "list", "describe the indices", common, /*commits=*/false);
  commands->push_back({list, RunList});
  const auto [drop, drop_flags] = add("drop", "take an index off the table", true, RunDrop);
  drop->add_option("NAME", drop_flags->name, "of the index")->required();
  const auto [optimize, optimize_flags] =
      add("optimize", "let indices answer for new fragments", true, RunOptimize);
  optimize->add_option("--name", optimize_flags->name, "of one index; default all");
  const auto [zones, zones_flags] = add("zones", "print the zones of a column", false, RunZones);
  zones->add_option("--column", zones_flags->column, "the column")->required()->check(IsNotEmpty());
  zones->add_option("--format", zones_flags->format, "table, csv, jsonl or ipc");
}

}  // namespace lancectl
