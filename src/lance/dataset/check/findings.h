#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/status.h"
#include "lance/dataset/check/finding_kinds.h"
#include "lance/table/manifest.h"
#include "lance/verify.h"

namespace lance::check {

/// How findings call a fragment.
inline std::string NameOf(const table::Fragment& fragment) {
  return "fragment " + std::to_string(fragment.id);
}

/// Collects what a check finds. Of one kind only so many are kept, whatever a table may hold; the
/// others are counted. Thread-compatible.
class Findings {
 public:
  /// Add a finding. \param message parts of one sentence; the path is put before it unless it is in
  template <typename... Parts>
  void Add(const FindingKind& kind, std::string_view path, Parts&&... message) {
    std::ostringstream sentence;
    (sentence << ... << std::forward<Parts>(message));
    AddText(kind.severity, kind.code, path, std::move(sentence).str());
  }
  /// Add a failure of reading; of storage, which is nobody's damage, under a code of its own.
  void AddFailure(const FindingKind& kind, std::string_view path, const arrow::Status& failure);
  void AddText(Severity severity, std::string_view code, std::string_view path,
               std::string message);
  /// Add what another check found, behind what is there.
  void Append(const Findings& others);

  /// Call paths otherwise, also in the messages.
  void RenamePaths(const std::function<std::string(const std::string& path)>& rename);

  bool empty() const { return found_.empty(); }

  /// Hand over all findings: errors first, each kind of severity in the order in which it was
  /// found.
  std::vector<Finding> Finish();

 private:
  struct Entry {
    Severity severity;
    Finding finding;
  };
  struct Count {
    Severity severity = Severity::kInfo;
    size_t kept = 0;
    size_t left_out = 0;
  };
  void AddEntry(Entry entry);

  std::vector<Entry> found_;
  std::map<std::string, Count, std::less<>> counts_;  // by code
};

}  // namespace lance::check
