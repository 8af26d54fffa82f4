#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

#include "bindings.h"
#include "lance/progress.h"
#include "status_error.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

const char* NameOf(ProgressEvent event) {
  switch (event) {
    case ProgressEvent::kStart:
      return "start";
    case ProgressEvent::kProgress:
      return "progress";
    case ProgressEvent::kComplete:
      return "complete";
  }
  return "";
}

/// Hands reports to a Python function. What it raises is printed and goes no further: an observer
/// must not disturb the call that it watches.
class PythonObserver : public Observer {
 public:
  explicit PythonObserver(nb::object function) : function_(std::move(function)) {}
  ~PythonObserver() override {
    nb::gil_scoped_acquire locked;
    function_.reset();
  }

  void OnProgress(const Progress& progress) override {
    nb::gil_scoped_acquire locked;
    nb::dict report;
    report["event"] = NameOf(progress.event);
    report["operation"] = progress.operation.c_str();
    report["stage"] = progress.stage.c_str();
    report["completed"] = progress.completed;
    report["total"] = progress.total ? nb::object(nb::int_(*progress.total)) : nb::none();
    report["unit"] = progress.unit.c_str();
    Call(report);
  }

  void OnWarning(const Warning& warning) override {
    nb::gil_scoped_acquire locked;
    nb::dict report;
    report["event"] = "warning";
    report["code"] = warning.code.c_str();
    report["message"] = Escaped(warning.message);
    Call(report);
  }

 private:
  void Call(const nb::dict& report) {
    try {
      function_(report);
    } catch (nb::python_error& error) {
      // Ctrl-C is the program's; Python raises it again when the call has ended.
      if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
      error.discard_as_unraisable(function_);
    }
  }

  nb::object function_;
};

/// Hands warnings to the logger "lance_cpp", whose default is standard error. For calls that nobody
/// watches.
class LoggingObserver : public Observer {
 public:
  void OnProgress(const Progress&) override {}

  void OnWarning(const Warning& warning) override {
    nb::gil_scoped_acquire locked;
    try {
      nb::module_::import_("logging")
          .attr("getLogger")("lance_cpp")
          .attr("warning")("%s (%s)", Escaped(warning.message), warning.code.c_str());
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
      error.discard_as_unraisable("lance_cpp: a warning that could not be logged");
    }
  }
};

}  // namespace

std::shared_ptr<Observer> WarningLogger() {
  static const auto* const logger = new std::shared_ptr<Observer>(new LoggingObserver());
  return *logger;
}

std::shared_ptr<Observer> MakeObserver(nb::object function) {
  if (function.is_none()) return WarningLogger();
  return std::make_shared<PythonObserver>(std::move(function));
}

}  // namespace lance::python
