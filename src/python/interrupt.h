#pragma once

#include <nanobind/nanobind.h>

#include <csignal>
#include <memory>
#include <utility>

#include "arrow/util/cancel.h"
#include "lance/session.h"
#include "status_error.h"

namespace lance::python {

/// While one exists, Ctrl-C fires its stop source.
///
/// Only on the main thread, and only while Python's own handler of Ctrl-C is in force: a handler of
/// the program's may have other ideas, and runs when the call has ended. Needs the interpreter lock
/// to be made and to end.
class InterruptScope {
 public:
  /// \param source outlives the scope
  explicit InterruptScope(arrow::StopSource* source);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  /// Raise KeyboardInterrupt when Ctrl-C came and the call failed, whatever it failed with.
  void RaiseIfInterrupted(const arrow::Status& outcome) const;

 private:
  static void OnSignal(int signal_number);

  arrow::StopSource* source_;
  InterruptScope* outer_ = nullptr;
  struct sigaction previous_ = {};
  bool is_linked_ = false;
  bool is_installed_ = false;
  volatile std::sig_atomic_t was_interrupted_ = 0;
};

/// Run `work` without the interpreter lock; Ctrl-C fires `source`.
///
/// \param work takes nothing and returns a Result; touches no Python object
template <typename Work>
auto RunWithSource(arrow::StopSource* source, Work&& work) {
  InterruptScope scope(source);
  auto outcome = [&] {
    nanobind::gil_scoped_release unlocked;
    return work();
  }();
  scope.RaiseIfInterrupted(outcome.status());
  return ValueOrThrow(std::move(outcome));
}

/// Logs warnings of calls that nobody watches.
std::shared_ptr<Observer> WarningLogger();

/// Run `work` without the interpreter lock; its warnings are logged. \param work takes CallOptions
/// and returns a Result
template <typename Work>
auto Run(Work&& work) {
  arrow::StopSource source;
  return RunWithSource(&source, [&] {
    return work(CallOptions{.stop_token = source.token(), .observer = WarningLogger()});
  });
}

}  // namespace lance::python
