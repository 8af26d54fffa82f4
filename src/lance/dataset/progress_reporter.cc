#include "lance/dataset/progress_reporter.h"

#include <utility>

namespace lance {

namespace {
constexpr std::chrono::milliseconds kUpdateInterval{100};
}

ProgressReporter::ProgressReporter(const RunContext& run, std::string operation, std::string unit)
    : run_(run) {
  progress_.operation = std::move(operation);
  progress_.unit = std::move(unit);
  Send(ProgressEvent::kStart);
}

ProgressReporter::~ProgressReporter() { Send(ProgressEvent::kComplete); }

void ProgressReporter::Stage(std::string stage, std::optional<uint64_t> total) {
  progress_.stage = std::move(stage);
  progress_.total = total;
  progress_.completed = 0;
}

void ProgressReporter::Update(uint64_t completed) {
  progress_.completed = completed;
  const auto now = run_.clock->Steady();
  if (last_update_ && now - *last_update_ < kUpdateInterval) return;
  last_update_ = now;
  Send(ProgressEvent::kProgress);
}

void ProgressReporter::Send(ProgressEvent event) {
  if (run_.observer == nullptr) return;
  progress_.event = event;
  run_.observer->OnProgress(progress_);
}

void Warn(const RunContext& run, std::string code, std::string message) {
  if (run.observer == nullptr) return;
  run.observer->OnWarning({.code = std::move(code), .message = std::move(message)});
}

}  // namespace lance
