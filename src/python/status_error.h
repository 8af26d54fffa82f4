#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <utility>

#include "arrow/result.h"
#include "arrow/status.h"

namespace lance::python {

/// A failed Status on its way to Python, where lance_cpp.errors makes an exception of it.
class StatusError : public std::exception {
 public:
  explicit StatusError(arrow::Status status) : status_(std::move(status)) {}

  const arrow::Status& status() const { return status_; }
  const char* what() const noexcept override { return "a failed status"; }

 private:
  arrow::Status status_;
};

/// Throw StatusError unless `status` is OK.
inline void ThrowIfFailed(arrow::Status status) {
  if (!status.ok()) throw StatusError(std::move(status));
}

/// The value, or StatusError.
template <typename T>
T ValueOrThrow(arrow::Result<T> result) {
  ThrowIfFailed(result.status());
  return std::move(result).ValueUnsafe();
}

/// Text for people that may hold bytes of a damaged file: what is no UTF-8 is escaped.
nanobind::object Escaped(const std::string& text);

/// Teach the module what StatusError becomes.
void BindErrors(nanobind::module_& m);

}  // namespace lance::python
