#include "lance/dataset/auto_cleanup.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/table/manifest_names.h"

namespace lance {
namespace {

constexpr std::string_view kPrefix = "lance.auto_cleanup.";

/// A unit and its nanoseconds.
struct Unit {
  std::string_view names;  // each between blanks
  uint64_t nanoseconds;
};

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kDay = 86'400 * kSecond;
constexpr Unit kUnits[] = {
    {" nanos nsec ns ", 1},
    {" usec us micros \xC2\xB5s ", 1'000},
    {" millis msec ms ", 1'000'000},
    {" seconds second secs sec s ", kSecond},
    {" minutes minute min mins m ", 60 * kSecond},
    {" hours hour hrs hr h ", 3'600 * kSecond},
    {" days day d ", kDay},
    {" weeks week wk wks w ", 7 * kDay},
    {" months month M ", kDay * 3044 / 100},
    {" years year yr yrs y ", kDay * 36525 / 100},
};

std::optional<uint64_t> NanosecondsOf(std::string_view name) {
  const std::string wanted = " " + std::string(name) + " ";
  for (const Unit& unit : kUnits) {
    if (!name.empty() && unit.names.find(wanted) != std::string_view::npos) return unit.nanoseconds;
  }
  return std::nullopt;
}

std::string_view SkipBlanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n\r");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

template <typename... What>
arrow::Status BadDuration(What&&... what) {
  return arrow::Status::Invalid("a duration ", std::forward<What>(what)...,
                                "; allowed: numbers with units, as 14days or 2h 30m");
}

/// One number with its unit; what is left stays in `text`.
arrow::Result<uint64_t> TakePart(std::string_view* text) {
  uint64_t number = 0;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), number);
  if (parsed.ec != std::errc()) return BadDuration("has no number at \"", *text, "\"");
  text->remove_prefix(static_cast<size_t>(parsed.ptr - text->data()));
  *text = SkipBlanks(*text);
  const std::string_view name = text->substr(0, text->find_first_of(" \t\n\r0123456789"));
  const auto unit = NanosecondsOf(name);
  if (!unit) return BadDuration("has the unit \"", name, "\"");
  text->remove_prefix(name.size());
  if (number > std::numeric_limits<int64_t>::max() / *unit) return BadDuration("is too long");
  return number * *unit;
}

/// The value of a key, read as a whole number.
arrow::Result<std::optional<uint64_t>> NumberOf(const std::map<std::string, std::string>& config,
                                                std::string_view name) {
  const auto found = config.find(std::string(kPrefix) + std::string(name));
  if (found == config.end()) return std::nullopt;
  std::string_view digits = found->second;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
    return arrow::Status::Invalid(found->first, " is \"", found->second,
                                  "\"; allowed: a whole number");
  }
  return number;
}

/// Refuse to clean up branches, too; ours does not.
arrow::Status CheckBranches(const std::map<std::string, std::string>& config) {
  const auto found = config.find(std::string(kPrefix) + "referenced_branch");
  if (found == config.end() || found->second == "false") return arrow::Status::OK();
  if (found->second != "true") {
    return arrow::Status::Invalid(found->first, " is \"", found->second,
                                  "\"; allowed: true, false");
  }
  return UnsupportedError(found->first, found->first +
                                            " asks to clean up branches, too; this version cleans "
                                            "up one branch at a time");
}

}  // namespace

arrow::Result<std::chrono::microseconds> ParseDuration(const std::string& text) {
  std::string_view rest = SkipBlanks(text);
  if (rest.empty()) return BadDuration("is empty");
  if (rest == "0") return std::chrono::microseconds(0);
  uint64_t nanoseconds = 0;
  for (; !rest.empty(); rest = SkipBlanks(rest)) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t part, TakePart(&rest));
    nanoseconds += part;
    if (nanoseconds > std::numeric_limits<int64_t>::max()) return BadDuration("is too long");
  }
  return std::chrono::microseconds(nanoseconds / 1'000);
}

arrow::Result<std::optional<AutoCleanup>> AutoCleanupOf(
    const std::map<std::string, std::string>& config, uint64_t version) {
  ARROW_ASSIGN_OR_RAISE(const auto interval, NumberOf(config, "interval"));
  if (!interval || (*interval != 0 && version % *interval != 0)) return std::nullopt;
  ARROW_RETURN_NOT_OK(CheckBranches(config));
  AutoCleanup due;
  // A tag must not end automatic clean-up for good; table-format 10.6 documents it so, the
  // reference fails each time.
  due.request.error_if_tagged_old_versions = false;
  // As in the reference, without a condition everything old goes.
  due.request.older_than = std::chrono::microseconds(0);
  const auto older_than = config.find(std::string(kPrefix) + "older_than");
  if (older_than != config.end()) {
    const auto age = ParseDuration(older_than->second);
    if (!age.ok()) return WithContext(age.status(), older_than->first);
    due.request.older_than = *age;
  }
  ARROW_ASSIGN_OR_RAISE(due.request.retain_versions, NumberOf(config, "retain_versions"));
  ARROW_ASSIGN_OR_RAISE(due.request.max_deletes_per_second, NumberOf(config, "delete_rate_limit"));
  ARROW_ASSIGN_OR_RAISE(const auto threads, NumberOf(config, "delete_concurrency"));
  if (threads == 0) {
    return arrow::Status::Invalid(kPrefix, "delete_concurrency is 0; allowed: 1 or more");
  }
  constexpr uint64_t kManyThreads = 1'000;
  due.num_threads = static_cast<int>(std::min(threads.value_or(0), kManyThreads));
  return due;
}

void CleanUpAfterCommit(const Dataset::Impl& read, const table::Manifest& committed,
                        const RunContext& run) {
  const auto clean_up = [&]() -> arrow::Status {
    if (committed.version >= table::kFirstDetachedVersion) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto due, AutoCleanupOf(committed.config, committed.version));
    if (!due) return arrow::Status::OK();
    RunContext bounded = run;
    bounded.observer = nullptr;  // its reports are the commit's
    if (due->num_threads > 0) bounded.num_threads = due->num_threads;
    return CleanUp(read, due->request, bounded).status();
  };
  const arrow::Status status = clean_up();
  if (!status.ok()) {
    Warn(run, "auto_cleanup_failed",
         "version " + std::to_string(committed.version) +
             " is committed; the cleanup that its configuration asks for failed: " +
             status.message());
  }
}

}  // namespace lance
