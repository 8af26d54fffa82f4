#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "arrow/table.h"
#include "command_line.h"
#include "output.h"
#include "print_rows.h"

namespace lancectl {

namespace {

/// Flags of the index commands.
struct IndexFlags {
  std::string column;
  std::string type = "zonemap";
  std::string name;
  std::vector<std::string> names;  // of drop
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

/// Kinds of indices of the format that this version does not build, by their names without '_'.
constexpr std::string_view kNotBuilt[] = {
    "bloomfilter", "inverted", "fts",   "ngram", "rtree",       "json",      "scalar",    "vector",
    "ivfflat",     "ivfpq",    "ivfsq", "ivfrq", "ivfhnswflat", "ivfhnswpq", "ivfhnswsq", "hnsw"};

/// A name in lower case and without what people write between its words.
std::string PlainName(const std::string& name) {
  std::string plain = Lowered(name);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return plain;
}

/// A kind of index that is built, as people call it.
struct BuiltType {
  lance::IndexType type;
  std::string name;
};

arrow::Result<BuiltType> ParseIndexType(const std::string& name) {
  using enum lance::IndexType;
  static const std::map<std::string, BuiltType> kTypes = {
      {"zonemap", {kZoneMap, "zonemap"}},
      {"btree", {kBTree, "btree"}},
      {"bitmap", {kBitmap, "bitmap"}},
      {"labellist", {kLabelList, "label list"}}};
  constexpr const char* kAllowed = "; allowed: zonemap, btree, bitmap, label_list";
  const std::string plain = PlainName(name);
  const auto found = kTypes.find(plain);
  if (found != kTypes.end()) return found->second;
  if (std::ranges::find(kNotBuilt, plain) == std::end(kNotBuilt)) {
    return arrow::Status::Invalid("--type ", name, " is no kind of index", kAllowed);
  }
  return arrow::Status::NotImplemented("--type ", name, " is not built by this version", kAllowed)
      .WithDetail(std::make_shared<lance::UnsupportedFeature>("index type " + name));
}

/// Refuse a list of columns where one is meant, unless a column is called so.
arrow::Status CheckOneColumn(const lance::Dataset& dataset, const std::string& column) {
  if (dataset.schema()->GetFieldIndex(column) >= 0) return arrow::Status::OK();
  const auto names = SplitList(column);
  if (!names.ok() || names->size() < 2) return arrow::Status::OK();
  return arrow::Status::Invalid("--column is ", column, ", which names ", names->size(),
                                " columns; allowed: one column, as an index has one");
}

using Descriptions = std::vector<lance::IndexDescription>;

const lance::IndexDescription* FindIndex(const Descriptions& indices, const std::string& name) {
  const auto found = std::ranges::find(indices, name, &lance::IndexDescription::name);
  return found == indices.end() ? nullptr : &*found;
}

/// The index that has a segment which none had before; null: another commit took it away since.
const lance::IndexDescription* NewIndex(const Descriptions& before, const Descriptions& after) {
  std::set<std::string> known;
  for (const auto& index : before) {
    for (const auto& segment : index.segments) known.insert(segment.uuid);
  }
  const auto is_new = [&](const lance::IndexDescription& index) {
    return std::ranges::any_of(index.segments, [&](const lance::IndexSegmentDescription& segment) {
      return !known.contains(segment.uuid);
    });
  };
  const auto found = std::ranges::find_if(after, is_new);
  return found == after.end() ? nullptr : &*found;
}

/// The indices for what is said about a change that has landed: nothing may fail after it.
Descriptions IndicesOf(const Invocation& invocation, const lance::Dataset& dataset) {
  return lance::ListIndices(dataset, invocation.call).ValueOr(Descriptions());
}

/// "column a has a btree", or that what was there is built again.
std::string CreatedText(const Invocation& invocation, const lance::Dataset& before,
                        const lance::Dataset& after, const std::string& column,
                        const std::string& type) {
  const Descriptions old_indices = IndicesOf(invocation, before);
  const Descriptions new_indices = IndicesOf(invocation, after);
  const lance::IndexDescription* made = NewIndex(old_indices, new_indices);
  const auto* replaced = made == nullptr ? nullptr : FindIndex(old_indices, made->name);
  if (replaced == nullptr) return "column " + column + " has a " + type;
  std::string text = "index " + Printable(made->name) + " of column " + column + " is built again";
  if (replaced->index_type != made->index_type) {
    text += ", as a " + type + " in place of a " + replaced->index_type;
  }
  return text;
}

arrow::Status RunCreate(const Invocation& invocation, const IndexFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const BuiltType type, ParseIndexType(flags.type));
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_RETURN_NOT_OK(CheckOneColumn(dataset, flags.column));
  ARROW_ASSIGN_OR_RAISE(const auto made, lance::CreateIndex(dataset,
                                                            {.column = flags.column,
                                                             .type = type.type,
                                                             .name = flags.name,
                                                             .rows_per_zone = flags.rows_per_zone,
                                                             .commit = options},
                                                            invocation.call));
  return PrintVersion(invocation, dataset, made,
                      CreatedText(invocation, dataset, made, flags.column, type.name));
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
    rows.push_back({index.name, index.index_type, columns, WithCommas(index.num_segments),
                    WithCommas(index.num_rows_indexed), WithCommas(index.num_unindexed_rows),
                    WithCommas(index.total_size_bytes), index.usable ? "yes" : "no"});
  }
  if (!invocation.flags.json) {
    PrintTable({"index", "type", "columns", "segments", "rows", "rows left", "bytes", "used"},
               rows);
  }
  return arrow::Status::OK();
}

arrow::Status RunDrop(const Invocation& invocation, const IndexFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto indices, lance::ListIndices(dataset, invocation.call));
  std::vector<std::string> names = flags.names;
  // A name that is not there is refused before any is dropped.
  std::ranges::stable_partition(
      names, [&](const std::string& name) { return FindIndex(indices, name) == nullptr; });
  lance::Dataset dropped = dataset;
  for (const std::string& name : names) {
    ARROW_ASSIGN_OR_RAISE(dropped, lance::DropIndex(dropped, name, options, invocation.call));
  }
  const bool is_one = names.size() == 1;
  return PrintVersion(invocation, dataset, dropped,
                      (is_one ? "index " : "indices ") + Printable(JoinNames(flags.names)) +
                          (is_one ? " is dropped" : " are dropped"));
}

/// What is up to date now, and what is not. \param name of the index that was asked for; "": all
std::string OptimizedText(const Descriptions& indices, const std::string& name) {
  std::vector<std::string> left;
  for (const lance::IndexDescription& index : indices) {
    if (index.num_unindexed_rows > 0) left.push_back(index.name);
  }
  const std::string others = Printable(JoinNames(left));
  if (name.empty()) return "indices are up to date" + (left.empty() ? "" : " except " + others);
  return "index " + Printable(name) + " is up to date" +
         (left.empty() ? "" : "; others are not: " + others);
}

arrow::Status RunOptimize(const Invocation& invocation, const IndexFlags& flags) {
  lance::OptimizeIndicesRequest request;
  if (!flags.name.empty()) request.index_names = {flags.name};
  ARROW_ASSIGN_OR_RAISE(request.commit, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto optimized,
                        lance::OptimizeIndices(dataset, request, invocation.call));
  return PrintVersion(invocation, dataset, optimized,
                      OptimizedText(IndicesOf(invocation, optimized), flags.name));
}

arrow::Status RunZones(const Invocation& invocation, const IndexFlags& flags) {
  std::string format_name = flags.format;
  if (format_name.empty()) format_name = invocation.flags.json ? "jsonl" : "table";
  ARROW_ASSIGN_OR_RAISE(const RowFormat format, ParseRowFormat(format_name));
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_RETURN_NOT_OK(CheckOneColumn(dataset, flags.column));
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
  create->add_option("--type", create_flags->type,
                     "zonemap (the default), btree, bitmap or label_list");
  create->add_option("--name", create_flags->name, "default: the column's name with _idx");
  create->add_option("--rows-per-zone", create_flags->rows_per_zone, "default 8192")
      ->check(IsWholeNumber());
  CLI::App* list = AddCommand(index, "list", "describe the indices", common, /*commits=*/false);
  commands->push_back({list, RunList});
  const auto [drop, drop_flags] = add("drop", "take indices off the table", true, RunDrop);
  drop->add_option("NAME", drop_flags->names, "of the indices; one commit each")->required();
  const auto [optimize, optimize_flags] =
      add("optimize", "let indices answer for new fragments", true, RunOptimize);
  optimize->add_option("--name", optimize_flags->name, "of one index; default all");
  const auto [zones, zones_flags] = add("zones", "print the zones of a column", false, RunZones);
  zones->add_option("--column", zones_flags->column, "the column")->required()->check(IsNotEmpty());
  zones->add_option("--format", zones_flags->format, "table, csv, jsonl or ipc");
}

}  // namespace lancectl
