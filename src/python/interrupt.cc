#include "interrupt.h"

#include <pthread.h>

#include <cerrno>

namespace nb = nanobind;

namespace lance::python {

namespace {

// Both belong to the main thread: scopes are made and ended there, and the handler runs there.
InterruptScope* innermost = nullptr;
pthread_t main_thread;

/// Whether Ctrl-C would raise KeyboardInterrupt in this thread.
bool RaisesKeyboardInterrupt() {
  const nb::module_ threading = nb::module_::import_("threading");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) return false;
  const nb::module_ signal = nb::module_::import_("signal");
  return signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
}

bool IsPlainHandler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler != SIG_DFL &&
         action.sa_handler != SIG_IGN;
}

}  // namespace

void InterruptScope::OnSignal(int signal_number) {
  if (!pthread_equal(pthread_self(), main_thread)) {
    // The kernel may pick any thread. The scopes are the main thread's, which so needs no lock.
    pthread_kill(main_thread, signal_number);
    return;
  }
  const int saved_errno = errno;
  for (InterruptScope* scope = innermost; scope != nullptr; scope = scope->outer_) {
    scope->was_interrupted_ = 1;
    scope->source_->RequestStopFromSignal(signal_number);
    if (scope->is_installed_) scope->previous_.sa_handler(signal_number);  // Python's own
  }
  errno = saved_errno;
}

InterruptScope::InterruptScope(arrow::StopSource* source) : source_(source) {
  if (!RaisesKeyboardInterrupt()) return;
  main_thread = pthread_self();
  outer_ = innermost;
  innermost = this;
  is_linked_ = true;
  struct sigaction current = {};
  // A call from inside a call, from a generator that a write reads, finds the handler in place.
  if (sigaction(SIGINT, nullptr, &current) != 0 || current.sa_handler == OnSignal) return;
  if (!IsPlainHandler(current)) return;
  struct sigaction ours = {};
  ours.sa_handler = OnSignal;
  // Without SA_RESTART, as Python has it: a generator that waits for its rows wakes up.
  ours.sa_flags = current.sa_flags;
  sigemptyset(&ours.sa_mask);
  previous_ = current;
  is_installed_ = true;
  if (sigaction(SIGINT, &ours, nullptr) != 0) is_installed_ = false;
}

InterruptScope::~InterruptScope() {
  if (!is_linked_) return;
  struct sigaction current = {};
  // Python code that ran inside the call may have set a handler of its own; that one stays.
  if (is_installed_ && sigaction(SIGINT, nullptr, &current) == 0 &&
      current.sa_handler == OnSignal) {
    sigaction(SIGINT, &previous_, nullptr);
  }
  innermost = outer_;
}

void InterruptScope::RaiseIfInterrupted(const arrow::Status& outcome) const {
  if (outcome.ok() || !was_interrupted_) return;
  if (PyErr_CheckSignals() == 0) {
    // Python has seen the signal already, inside a generator that the call read from.
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
  throw nb::python_error();
}

}  // namespace lance::python
