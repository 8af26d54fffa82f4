#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "command_line.h"
#include "option_names.h"
#include "output.h"

namespace lancectl {

namespace {

/// Flags of check.
struct CheckFlags {
  bool repairs = false;
  lance::CheckRequest request;
};

/// Mend what can be mended, in one commit.
arrow::Status Repair(const Invocation& invocation) {
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.commit_options());
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  return lance::RepairTable(dataset, options, invocation.call).status();
}

void Print(const Invocation& invocation, const std::vector<lance::Finding>& findings) {
  if (invocation.flags.json) {
    std::cout << lance::ToJson(findings) << '\n';
    return;
  }
  if (invocation.flags.quiet) return;
  for (const lance::Finding& finding : findings) {
    std::cout << finding.severity << ": " << Printable(WithCommandNames(finding.message)) << " ("
              << finding.code << ")\n";
  }
  if (findings.empty()) std::cout << "nothing to report\n";
}

arrow::Status RunCheck(const Invocation& invocation, const CheckFlags& flags) {
  if (flags.repairs) ARROW_RETURN_NOT_OK(Repair(invocation));
  ARROW_ASSIGN_OR_RAISE(const auto options, invocation.open_options());
  ARROW_ASSIGN_OR_RAISE(const auto findings, lance::CheckTableAt(invocation.flags.table, options,
                                                                 flags.request, invocation.call));
  Print(invocation, findings);
  const auto is_error = [](const lance::Finding& finding) { return finding.severity == "error"; };
  const auto error = std::ranges::find_if(findings, is_error);
  if (error == findings.end()) return arrow::Status::OK();
  return arrow::Status::SerializationError("the check found an error: ", error->message);
}

/// Flags of verify-pruning.
struct VerifyFlags {
  std::vector<std::string> filters;
  lance::VerifyPruningRequest request;
};

/// Try the filters that were given, or generated ones.
arrow::Result<lance::VerifyPruningResult> Verify(const lance::Dataset& dataset, VerifyFlags flags,
                                                 const lance::CallOptions& call) {
  if (flags.filters.empty()) return lance::VerifyPruning(dataset, flags.request, call);
  lance::VerifyPruningResult sum;
  for (const std::string& filter : flags.filters) {
    flags.request.filter = lance::Filter(filter);
    ARROW_ASSIGN_OR_RAISE(const auto result, lance::VerifyPruning(dataset, flags.request, call));
    sum.num_filters += result.num_filters;
    sum.zones_pruned += result.zones_pruned;
    sum.zones_reread += result.zones_reread;
    sum.rows_reread += result.rows_reread;
    sum.missed.insert(sum.missed.end(), result.missed.begin(), result.missed.end());
  }
  return sum;
}

/// "2 filters skip 24 zones; all of them were read, 199,999 rows: no row is missed".
std::string VerdictText(const lance::VerifyPruningResult& result) {
  std::string text = Counted(result.num_filters, "filter") +
                     (result.num_filters == 1 ? " skips " : " skip ") +
                     Counted(result.zones_pruned, "zone");
  if (result.zones_pruned > 0) {
    const bool is_all = result.zones_reread == result.zones_pruned;
    text += "; " + (is_all ? "all" : WithCommas(result.zones_reread)) + " of them were read, " +
            Counted(result.rows_reread, "row");
  }
  if (result.missed.empty()) return text + ": no row is missed";
  return text + ": rows are missed";
}

arrow::Status RunVerifyPruning(const Invocation& invocation, const VerifyFlags& flags) {
  ARROW_ASSIGN_OR_RAISE(const auto dataset, invocation.Open());
  ARROW_ASSIGN_OR_RAISE(const auto result, Verify(dataset, flags, invocation.call));
  if (invocation.flags.json) {
    std::cout << lance::ToJson(result) << '\n';
  } else if (!invocation.flags.quiet) {
    std::cout << VerdictText(result) << '\n';
    for (const lance::Finding& finding : result.missed) {
      std::cout << finding.severity << ": " << Printable(WithCommandNames(finding.message)) << '\n';
    }
  }
  if (result.missed.empty()) return arrow::Status::OK();
  return arrow::Status::SerializationError("statistics skip rows: ", result.missed[0].message);
}

void AddVerifyPruning(CLI::App* app, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* verify = AddCommand(app, "verify-pruning",
                                "read what statistics skip, and look for rows that pass", common,
                                /*commits=*/false);
  auto flags = std::make_shared<VerifyFlags>();
  verify->add_option("--filter", flags->filters, "a condition; repeat; default: generated ones")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(IsNotEmpty());
  verify
      ->add_option("--generate", flags->request.num_generated_filters,
                   "how many conditions to generate; default 100")
      ->check(IsWholeNumber());
  verify->add_option("--sample-fraction", flags->request.sample_fraction,
                     "the share of skipped zones to read, above 0 to 1; default 1");
  verify->add_option("--seed", flags->request.seed, "of conditions and sample; default 0")
      ->check(IsWholeNumber());
  commands->push_back({verify, [flags](const Invocation& invocation) {
                         return RunVerifyPruning(invocation, *flags);
                       }});
}

}  // namespace

void AddCheckCommands(CLI::App* app, CommonFlags* common, std::vector<Command>* commands) {
  CLI::App* check = AddCommand(app, "check", "look for what is wrong with a table", common,
                               /*commits=*/true);
  auto flags = std::make_shared<CheckFlags>();
  AddVersionFlags(check, common);
  check->add_flag("--deep", flags->request.deep, "read every value, too");
  check
      ->add_flag("--repair", flags->repairs,
                 "first take away dangling references to clustering definitions, and broken ones")
      ->excludes("--version")
      ->excludes("--tag")
      ->excludes("--as-of");
  commands->push_back(
      {check, [flags](const Invocation& invocation) { return RunCheck(invocation, *flags); }});
  AddVerifyPruning(app, common, commands);
}

}  // namespace lancectl
