#include "lance/dataset/check/findings.h"

#include <algorithm>

namespace lance::check {
namespace {

constexpr size_t kMaxPerCode = 1000;
constexpr size_t kMaxMessageBytes = 2000;

std::string NameOf(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kInfo:
      break;
  }
  return "info";
}

/// A message of several lines, such as some of Arrow's, as one.
std::string OneLine(std::string message) {
  if (message.size() > kMaxMessageBytes) message = message.substr(0, kMaxMessageBytes) + " ...";
  std::ranges::replace(message, '\n', ' ');
  return message;
}

}  // namespace

void Findings::AddFailure(const FindingKind& kind, std::string_view path,
                          const arrow::Status& failure) {
  Add(failure.IsIOError() ? kStorageFailed : kind, path, failure.message());
}

void Findings::AddText(Severity severity, std::string_view code, std::string_view path,
                       std::string message) {
  if (message.find(path) == std::string::npos) message = std::string(path) + ": " + message;
  AddEntry({severity,
            {.severity = NameOf(severity),
             .code = std::string(code),
             .path = std::string(path),
             .message = OneLine(std::move(message))}});
}

void Findings::AddEntry(Entry entry) {
  Count& count = counts_[entry.finding.code];
  count.severity = entry.severity;
  if (count.kept == kMaxPerCode) {
    ++count.left_out;
    return;
  }
  ++count.kept;
  found_.push_back(std::move(entry));
}

void Findings::Append(const Findings& others) {
  for (const Entry& entry : others.found_) AddEntry(entry);
  for (const auto& [code, count] : others.counts_) {
    if (count.left_out == 0) continue;
    Count& ours = counts_[code];
    ours.severity = count.severity;
    ours.left_out += count.left_out;
  }
}

void Findings::RenamePaths(const std::function<std::string(const std::string& path)>& rename) {
  for (Entry& entry : found_) {
    Finding& finding = entry.finding;
    const std::string renamed = rename(finding.path);
    const size_t at = finding.message.find(finding.path);
    if (at != std::string::npos) finding.message.replace(at, finding.path.size(), renamed);
    finding.path = renamed;
  }
}

std::vector<Finding> Findings::Finish() {
  for (const auto& [code, count] : counts_) {
    if (count.left_out == 0) continue;
    found_.push_back({count.severity,
                      {.severity = NameOf(count.severity),
                       .code = code,
                       .path = "",
                       .message = std::to_string(count.left_out) + " more findings of this kind"}});
  }
  counts_.clear();
  std::ranges::stable_sort(found_, {}, &Entry::severity);
  std::vector<Finding> findings;
  findings.reserve(found_.size());
  for (Entry& entry : found_) findings.push_back(std::move(entry.finding));
  found_.clear();
  return findings;
}

}  // namespace lance::check
