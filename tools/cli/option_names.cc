#include "option_names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace lancectl {

namespace {

/// What has no flag of its own name, or is done by another command.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"error_if_tagged_old_versions = false", "--keep-tagged"},
    {"(enable_stable_row_ids)", "(create --enable-stable-row-ids)"},
    {"max_memory_bytes", "--memory"},
    {"older_than", "--older-than"},
    {"num_generated_filters", "--generate"},
    {"set_clustering", "cluster set"},
    {"clear_clustering", "cluster clear"},
    {"SetClustering", "cluster set"},
    {"OptimizeIndices", "index optimize"},
    {"WithClustering", "--cluster-by with --declare"},
    {"CompactFiles", "compact"},
    {"PruneClusteringDefinitions", "cluster prune"},
    {"UpdateMetadata", "config set"},
    {"AlterColumns", "alter"},
    {"DeleteBranch", "branch delete"},
};

/// Whether a name at this place is a word of the sentence, and not part of a path or a value.
bool IsWord(std::string_view text, size_t begin, size_t end) {
  const auto joins = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-/\"'`=").find(c) != std::string_view::npos;
  };
  if (begin > 0 && (joins(text[begin - 1]) || text[begin - 1] == '.')) return false;
  for (const std::string_view kind : {"column ", "index ", "tag ", "branch ", "columns "}) {
    if (text.substr(0, begin).ends_with(kind)) return false;  // a name of the user's
  }
  if (end == text.size()) return true;
  const bool is_name_of_file = text[end] == '.' && end + 1 < text.size() && joins(text[end + 1]);
  return !joins(text[end]) && !is_name_of_file;
}

void ReplaceWord(std::string_view from, std::string_view to, std::string* text) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at)) {
    if (IsWord(*text, at, at + from.size())) text->replace(at, from.size(), to);
    at += 1;
  }
}

}  // namespace

std::string WithFlagNames(std::string message, const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& flag : option->get_lnames()) {
      if (flag.find('-') == std::string::npos) continue;  // a word that any sentence may have
      std::string name = flag;
      std::replace(name.begin(), name.end(), '-', '_');
      ReplaceWord(name, "--" + flag, &message);
    }
  }
  return WithCommandNames(std::move(message));
}

std::string WithCommandNames(std::string message) {
  for (const auto& [name, other] : kOtherNames) ReplaceWord(name, other, &message);
  return message;
}

}  // namespace lancectl
