#include "print_compaction.h"

#include <algorithm>
#include <iostream>
#include <string>

#include "lance/json.h"
#include "option_names.h"
#include "output.h"

namespace lancectl {

namespace {

void PrintResult(const lance::CompactionResult& result) {
  if (result.tasks_committed == 0) {
    std::cout << (result.stopped_by ? "nothing fits the budget" : "nothing to rewrite");
  } else {
    std::cout << "rewrote " << Counted(result.rows_rewritten, "row") << ": "
              << Counted(result.fragments_removed, "fragment") << " became "
              << WithCommas(result.fragments_added);
  }
  std::cout << "; left " << Counted(result.remaining.rows, "row") << '\n';
  PrintStop(result.stopped_by);
  if (result.tasks_committed == 0 && result.version) {
    std::cout << "zonemaps brought up to date\n";
  }
  for (const auto& uncovered : result.uncovered_indices) {
    std::cout << "index " << uncovered.name << " (" << uncovered.type << ") does not answer for "
              << Counted(uncovered.fragments, "new fragment") << ": "
              << Printable(WithCommandNames(uncovered.refresh)) << '\n';
  }
  if (result.version) {
    std::cout << "version " << *result.version << '\n';
  } else {
    std::cout << "no version was created\n";
  }
}

}  // namespace

void PrintStop(const std::optional<lance::CompactionStop>& stop) {
  if (!stop) return;
  std::string flag = stop->budget;
  std::ranges::replace(flag, '_', '-');
  std::cout << "stopped by --" << flag << " " << WithCommas(stop->allowed) << ": fragment "
            << stop->next_fragment_id << " would need " << WithCommas(stop->needed) << '\n';
}

void PrintCompaction(const Invocation& invocation, const lance::CompactionResult& result) {
  if (invocation.flags.quiet) return;
  if (invocation.flags.json) {
    std::cout << lance::ToJson(result) << '\n';
  } else {
    PrintResult(result);
  }
}

}  // namespace lancectl
