#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lance {

/// Where in its life an operation is when it reports progress.
enum class ProgressEvent {
  kStart,     ///< Nothing is done yet; sent once.
  kProgress,  ///< Some work is done; sent at most ten times a second.
  kComplete,  ///< The operation has ended, well or not; sent once.
};

/// One progress report of a long operation. A plain value.
struct Progress {
  /// What kind of report this is.
  ProgressEvent event = ProgressEvent::kProgress;
  /// Which operation: "insert", "optimize", "create_index".
  std::string operation;
  /// Which step of it, for example "sort" or "write".
  std::string stage;
  /// How much is done, in `unit`.
  uint64_t completed = 0;
  /// How much there is, in `unit`; no value when unknown.
  std::optional<uint64_t> total;
  /// "rows", "bytes", "tasks" or "files".
  std::string unit = "rows";
};

/// Something the caller should know that did not stop the call. A plain value.
struct Warning {
  /// A stable name to branch on, for example "zonemap_not_refreshed".
  std::string code;
  /// One line for people.
  std::string message;
};

/// Receive progress and warnings of a call.
///
/// Called from any thread, never two calls at once, with no lock of the library held. Must neither
/// throw nor call back into the library.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Receive a progress report.
  virtual void OnProgress(const Progress&) {}

  /// Receive a warning.
  virtual void OnWarning(const Warning&) {}
};

}  // namespace lance
