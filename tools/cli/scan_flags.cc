#include "scan_flags.h"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "arrow/type.h"
#include "command_line.h"
#include "output.h"

namespace lancectl {

namespace {

/// Take a word in any case off the end of a text that has more than it. \return whether it was
/// there
bool TakeWord(std::string_view word, std::string* text) {
  const size_t end = text->find_last_not_of(' ') + 1;
  if (end <= word.size() || (*text)[end - word.size() - 1] != ' ' ||
      Lowered(text->substr(end - word.size(), word.size())) != word) {
    return false;
  }
  text->erase(text->find_last_not_of(' ', end - word.size() - 1) + 1);
  return true;
}

/// Take "nulls first" or "nulls last", all or nothing.
bool TakeNulls(std::string_view place, std::string* text) {
  std::string rest = *text;
  if (!TakeWord(place, &rest) || !TakeWord("nulls", &rest)) return false;
  *text = std::move(rest);
  return true;
}

/// One part of --order-by: a name, perhaps with asc, desc, "nulls first" or "nulls last" behind it.
lance::ColumnOrdering ParseOrdering(std::string text) {
  lance::ColumnOrdering ordering;
  ordering.nulls_first = TakeNulls("first", &text);
  if (!ordering.nulls_first) TakeNulls("last", &text);
  ordering.ascending = !TakeWord("desc", &text);
  if (ordering.ascending) TakeWord("asc", &text);
  ordering.column_name = std::move(text);
  return ordering;
}

void AddColumn(const arrow::Schema& schema, std::string text, lance::ScanOptions* options) {
  const size_t equals = text.find('=');
  const bool is_computed = equals != std::string::npos && equals > 0;
  if (!is_computed || schema.GetFieldIndex(text) >= 0) {
    options->columns.push_back(std::move(text));
    return;
  }
  std::string name = text.substr(0, equals);
  name.erase(name.find_last_not_of(' ') + 1);
  options->computed_columns.push_back({std::move(name), text.substr(equals + 1)});
}

}  // namespace

arrow::Result<lance::ScanOptions> MakeScanOptions(const lance::Dataset& dataset,
                                                  const ScanFlags& flags) {
  lance::ScanOptions options;
  if (!flags.order_by.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto parts, SplitList(flags.order_by));
    for (std::string& part : parts) options.order_by.push_back(ParseOrdering(std::move(part)));
  }
  if (!flags.columns.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto parts, SplitList(flags.columns));
    for (std::string& part : parts) AddColumn(*dataset.schema(), std::move(part), &options);
  }
  if (!flags.filter.empty()) options.filter = lance::Filter(flags.filter);
  options.limit = flags.limit;
  options.offset = flags.offset;
  options.use_stats = !flags.no_pruning;
  options.use_scalar_index = !flags.no_index;
  return options;
}

void AddScanFlags(CLI::App* app, ScanFlags* flags, bool has_projection) {
  app->add_option("--filter", flags->filter, "SQL condition; `a b` quotes a name, 'x' is text")
      ->check(IsNotEmpty());
  app->add_flag("--no-pruning", flags->no_pruning, "read everything; answers are the same");
  app->add_flag("--no-index", flags->no_index, "use no index; answers are the same");
  if (!has_projection) return;
  app->add_option("--columns", flags->columns, "A,B,X=EXPR; default all")->check(IsNotEmpty());
  app->add_option("--limit", flags->limit, "most rows")->check(IsWholeNumber());
  app->add_option("--offset", flags->offset, "rows to skip")->check(IsWholeNumber());
  app->add_option("--order-by", flags->order_by, "A,B desc,C nulls first: sort before the limit")
      ->check(IsNotEmpty());
}

}  // namespace lancectl
