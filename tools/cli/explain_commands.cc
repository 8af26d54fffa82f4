#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "cells.h"
#include "command_line.h"
#include "output.h"
#include "scan_flags.h"

namespace lancectl {

namespace {

/// A bound of a column as `scan` would print it. \param bound null: not known
arrow::Result<std::string> BoundText(const std::shared_ptr<arrow::Scalar>& bound) {
  if (bound == nullptr) return "?";
  ARROW_ASSIGN_OR_RAISE(auto values, arrow::MakeArrayFromScalar(*bound, 1));
  ARROW_ASSIGN_OR_RAISE(const Cells cells, Cells::Make(std::move(values)));
  std::string text;
  ARROW_RETURN_NOT_OK(cells.AppendText(0, &text));
  return text;
}

/// "exactly 5", or "0 to 5".
std::string RangeText(uint64_t least, uint64_t most) {
  if (least == most) return "exactly " + WithCommas(least);
  return WithCommas(least) + " to " + WithCommas(most);
}

arrow::Status PrintEstimate(const lance::ScanEstimate& estimate) {
  std::cout << "rows that come out  " << RangeText(estimate.rows_min, estimate.rows_max)
            << "\nbytes to read       at most " << WithCommas(estimate.bytes_max)
            << ", of data files and indices\n";
  std::vector<std::vector<std::string>> rows;
  for (const lance::ColumnEstimate& column : estimate.columns) {
    ARROW_ASSIGN_OR_RAISE(std::string least, BoundText(column.min));
    ARROW_ASSIGN_OR_RAISE(std::string most, BoundText(column.max));
    rows.push_back({column.column, std::move(least), std::move(most),
                    column.null_count ? WithCommas(*column.null_count) : "?",
                    column.exact ? "yes" : "no"});
  }
  if (!rows.empty()) PrintTable({"column", "least", "greatest", "most nulls", "exact"}, rows);
  return arrow::Status::OK();
}

arrow::Status RunExplain(const Invocation& invocation, const ScanFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(auto options, MakeScanOptions(dataset, flags));
  ARROW_ASSIGN_OR_RAISE(const auto scanner, dataset.Scan(std::move(options)));
  if (flags.estimate) {
    ARROW_ASSIGN_OR_RAISE(const auto estimate, scanner.Estimate(invocation.call));
    if (!invocation.flags.json) return PrintEstimate(estimate);
    std::cout << lance::ToJson(estimate) << '\n';
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const auto plan, flags.analyze ? scanner.Analyze(invocation.call)
                                                       : scanner.Explain(invocation.call));
  if (invocation.flags.json) {
    std::cout << lance::ToJson(plan) << '\n';
    return arrow::Status::OK();
  }
  std::cout << PrintableMessage(plan.text);
  return arrow::Status::OK();
}

}  // namespace

void AddExplainCommands(CLI::App* app, CommonFlags* common, std::vector<Command>* commands) {
  auto flags = std::make_shared<ScanFlags>();
  CLI::App* explain =
      AddCommand(app, "explain", "say what a scan would read", common, /*commits=*/false);
  AddScanFlags(explain, flags.get(), /*has_projection=*/true);
  explain->add_flag("--analyze", flags->analyze, "run it and say what it read");
  explain
      ->add_flag("--estimate", flags->estimate,
                 "bounds of rows, bytes and values, without reading data")
      ->excludes("--analyze");
  commands->push_back(
      {explain, [flags](const Invocation& invocation) { return RunExplain(invocation, *flags); }});
}

}  // namespace lancectl
