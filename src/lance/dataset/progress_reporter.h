#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lance/base/run_context.h"
#include "lance/progress.h"

namespace lance {

/// Reports one operation to the call's observer: one start, at most ten updates a second, and one
/// complete when it goes out of scope, also on failure. Used by the calling thread only.
class ProgressReporter {
 public:
  ProgressReporter(const RunContext& run, std::string operation, std::string unit);
  ~ProgressReporter();
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;

  /// Name the step that begins and how much there is of it.
  void Stage(std::string stage, std::optional<uint64_t> total = {});
  /// Say how much of the stage is done.
  void Update(uint64_t completed);

 private:
  void Send(ProgressEvent event);

  RunContext run_;
  Progress progress_;
  std::optional<std::chrono::nanoseconds> last_update_;
};

/// Send one warning to the call's observer.
void Warn(const RunContext& run, std::string code, std::string message);

}  // namespace lance
