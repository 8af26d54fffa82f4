#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "arrow/api.h"
#include "command_line.h"
#include "output.h"

namespace lancectl {

namespace {

using Json = nlohmann::ordered_json;

/// Flags of scan, head, count and explain.
struct ScanFlags {
  std::string columns;
  std::string filter;
  std::optional<uint64_t> limit;
  uint64_t offset = 0;
  std::string order_by;
  bool no_pruning = false;
  bool no_index = false;
  std::string format;
  bool stats = false;
  bool analyze = false;
  bool estimate = false;
};

/// One part of --order-by: a name, perhaps with asc, desc, "nulls first" or "nulls last" behind it.
lance::ColumnOrdering ParseOrdering(std::string text) {
  lance::ColumnOrdering ordering;
  const auto take = [&text](std::string_view word) {
    const bool ends = text.size() > word.size() && text.ends_with(word) &&
                      text[text.size() - word.size() - 1] == ' ';
    if (ends) text.erase(text.find_last_not_of(' ', text.size() - word.size() - 1) + 1);
    return ends;
  };
  ordering.nulls_first = take("nulls first");
  if (!ordering.nulls_first) take("nulls last");
  ordering.ascending = !take("desc");
  if (ordering.ascending) take("asc");
  ordering.column_name = std::move(text);
  return ordering;
}

arrow::Result<lance::ScanOptions> MakeScanOptions(const ScanFlags& flags) {
  lance::ScanOptions options;
  if (!flags.order_by.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto parts, SplitList(flags.order_by));
    for (std::string& part : parts) {
      options.order_by.push_back(ParseOrdering(std::move(part)));
    }
  }
  if (!flags.columns.empty()) {
    ARROW_ASSIGN_OR_RAISE(options.columns, SplitList(flags.columns));
  }
  if (!flags.filter.empty()) options.filter = lance::Filter(flags.filter);
  options.limit = flags.limit;
  options.offset = flags.offset;
  options.use_stats = !flags.no_pruning;
  options.use_scalar_index = !flags.no_index;
  return options;
}

arrow::Status RunScan(const Invocation& invocation, const ScanFlags& flags) {
  std::string format_name = flags.format;
  if (format_name.empty()) format_name = invocation.flags.json ? "jsonl" : "table";
  ARROW_ASSIGN_OR_RAISE(const RowFormat format, ParseRowFormat(format_name));
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(auto options, MakeScanOptions(flags));
  ARROW_ASSIGN_OR_RAISE(const auto scanner, dataset.Scan(std::move(options)));
  ARROW_ASSIGN_OR_RAISE(const auto reader, scanner.ToReader(invocation.call));
  ARROW_RETURN_NOT_OK(PrintRows(*reader, format));
  // Standard error, so that rows can be piped on.
  if (flags.stats) std::cerr << lance::ToJson(*lance::scan_statistics(*reader)) << '\n';
  return arrow::Status::OK();
}

arrow::Status RunCount(const Invocation& invocation, const ScanFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(auto options, MakeScanOptions(flags));
  ARROW_ASSIGN_OR_RAISE(const auto scanner, dataset.Scan(std::move(options)));
  ARROW_ASSIGN_OR_RAISE(const uint64_t rows, scanner.CountRows(invocation.call));
  if (invocation.flags.json) {
    PrintJson({{"kind", "count"}, {"format", 1}, {"rows", rows}});
  } else {
    std::cout << rows << '\n';
  }
  return arrow::Status::OK();
}

arrow::Status RunExplain(const Invocation& invocation, const ScanFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(auto options, MakeScanOptions(flags));
  ARROW_ASSIGN_OR_RAISE(const auto scanner, dataset.Scan(std::move(options)));
  if (flags.estimate) {
    ARROW_ASSIGN_OR_RAISE(const auto estimate, scanner.Estimate(invocation.call));
    std::cout << lance::ToJson(estimate) << '\n';
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto plan, flags.analyze ? scanner.Analyze(invocation.call)
                                                       : scanner.Explain(invocation.call));
  if (invocation.flags.json) {
    std::cout << lance::ToJson(plan) << '\n';
    return arrow::Status::OK();
  }
  std::cout << plan.text;
  return arrow::Status::OK();
}

arrow::Status RunSchema(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  if (!invocation.flags.json) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& field : dataset.schema()->fields()) {
      rows.push_back(
          {field->name(), field->type()->ToString(), field->nullable() ? "nullable" : "not null"});
    }
    PrintTable({"column", "type", ""}, rows);
    return arrow::Status::OK();
  }
  Json json = {{"kind", "schema"}, {"format", 1}, {"fields", Json::array()}};
  for (const auto& field : dataset.schema()->fields()) {
    json["fields"].push_back({{"name", field->name()},
                              {"type", field->type()->ToString()},
                              {"nullable", field->nullable()}});
  }
  PrintJson(json);
  return arrow::Status::OK();
}

arrow::Status RunInfo(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const uint64_t rows, dataset.CountRows({}, invocation.call));
  ARROW_ASSIGN_OR_RAISE(const auto indices, lance::ListIndices(dataset, invocation.call));
  uint64_t bytes = 0;
  uint64_t stamped = 0;
  for (const auto& fragment : dataset.fragments()) {
    stamped += fragment.clustering_id() != 0 ? 1 : 0;
    for (const auto& file : fragment.files()) bytes += file.size_bytes;
  }
  if (invocation.flags.json) {
    Json json = {{"kind", "info"},
                 {"format", 1},
                 {"uri", dataset.uri()},
                 {"version", dataset.version()},
                 {"rows", rows},
                 {"fragments", dataset.fragments().size()},
                 {"stamped_fragments", stamped},
                 {"bytes", bytes},
                 {"clustering", Json::parse(lance::ToJson(dataset.clustering_spec()))},
                 {"properties", Json::parse(lance::ToJson(dataset.properties()))},
                 {"indices", Json::array()}};
    for (const auto& index : indices) {
      json["indices"].push_back(Json::parse(lance::ToJson(index)));
    }
    PrintJson(json);
    return arrow::Status::OK();
  }
  std::cout << dataset.uri() << "\nversion    " << dataset.version() << "\nrows       "
            << WithCommas(rows) << "\nfragments  " << WithCommas(dataset.fragments().size()) << " ("
            << WithCommas(stamped) << " stamped)\ndata       " << WithCommas(bytes)
            << " bytes, format " << dataset.properties().data_storage_version << "\nclustering "
            << lance::ToJson(dataset.clustering_spec()) << '\n';
  if (!dataset.properties().clustering_problem.empty()) {
    std::cout << "problem    " << dataset.properties().clustering_problem << '\n';
  }
  for (const auto& index : indices) {
    std::cout << "index      " << index.name << " (" << index.index_type << "), "
              << WithCommas(index.num_unindexed_fragments) << " fragments not covered\n";
  }
  return arrow::Status::OK();
}

arrow::Status RunVersions(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto versions, lance::ListVersions(dataset, invocation.call));
  std::vector<std::vector<std::string>> rows;
  for (const lance::VersionInfo& version : versions) {
    const Json json = Json::parse(lance::ToJson(version));
    if (invocation.flags.json) {
      PrintJson(json);
      continue;
    }
    rows.push_back({std::to_string(version.version), json["timestamp"],
                    version.metadata.at("total_fragments"), version.metadata.at("total_rows"),
                    JoinNames(version.tags)});
  }
  if (!invocation.flags.json) {
    PrintTable({"version", "timestamp", "fragments", "rows", "tags"}, rows);
  }
  return arrow::Status::OK();
}

void AddScanFlags(CLI::App* app, ScanFlags* flags, bool has_projection) {
  app->add_option("--filter", flags->filter, "SQL condition; `a b` quotes a name, 'x' is text")
      ->check(IsNotEmpty());
  app->add_flag("--no-pruning", flags->no_pruning, "read everything; answers are the same");
  app->add_flag("--no-index", flags->no_index, "use no index; answers are the same");
  if (!has_projection) return;
  app->add_option("--columns", flags->columns, "A,B; default all")->check(IsNotEmpty());
  app->add_option("--limit", flags->limit, "most rows")->check(IsWholeNumber());
  app->add_option("--offset", flags->offset, "rows to skip")->check(IsWholeNumber());
  app->add_option("--order-by", flags->order_by, "A,B desc,C nulls first: sort before the limit")
      ->check(IsNotEmpty());
}

void AddRowFlags(CLI::App* app, ScanFlags* flags) {
  app->add_option("--format", flags->format, "table, csv, jsonl or ipc");
  app->add_flag("--stats", flags->stats, "print what was read to standard error");
}

}  // namespace

void AddLookCommands(CLI::App* app, CommonFlags* flags, std::vector<Command>* commands) {
  const auto add = [&](const char* name, const char* description) {
    return AddCommand(app, name, description, flags, /*commits=*/false);
  };
  commands->push_back({add("info", "say what the table is"), RunInfo});
  commands->push_back({add("schema", "list the columns"), RunSchema});
  commands->push_back({add("versions", "list the versions"), RunVersions});

  auto scan = std::make_shared<ScanFlags>();
  CLI::App* scan_app = add("scan", "print rows");
  AddScanFlags(scan_app, scan.get(), /*has_projection=*/true);
  AddRowFlags(scan_app, scan.get());
  commands->push_back(
      {scan_app, [scan](const Invocation& invocation) { return RunScan(invocation, *scan); }});

  auto count = std::make_shared<ScanFlags>();
  CLI::App* count_app = add("count", "count rows");
  AddScanFlags(count_app, count.get(), /*has_projection=*/false);
  commands->push_back(
      {count_app, [count](const Invocation& invocation) { return RunCount(invocation, *count); }});

  auto explain = std::make_shared<ScanFlags>();
  CLI::App* explain_app = add("explain", "say what a scan would read");
  AddScanFlags(explain_app, explain.get(), /*has_projection=*/true);
  explain_app->add_flag("--analyze", explain->analyze, "run it and say what it read");
  explain_app->add_flag("--estimate", explain->estimate, "bounds without reading data, as JSON")
      ->excludes("--analyze");
  commands->push_back({explain_app, [explain](const Invocation& invocation) {
                         return RunExplain(invocation, *explain);
                       }});
}

}  // namespace lancectl
