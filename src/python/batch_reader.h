#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>

#include "arrow/record_batch.h"
#include "arrow/util/cancel.h"
#include "arrow_objects.h"
#include "interrupt.h"

namespace lance::python {

/// Python's side of a running scan or file read: hands out batch after batch.
///
/// A stream of the C interface would carry failures as text; this one keeps their class, and Ctrl-C
/// ends a batch that takes long.
class BatchReader {
 public:
  /// \param open takes CallOptions and returns a Result of a reader
  template <typename Open>
  explicit BatchReader(Open&& open) {
    reader_ = RunWithSource(&source_, [&] { return open({.stop_token = source_.token()}); });
  }

  /// The next rows, or None behind the last.
  nanobind::object Next();
  std::shared_ptr<arrow::Schema> schema() const { return reader_->schema(); }
  /// docs/guide/json.md "scan_statistics", final behind the last batch; "null" when not of a scan.
  std::string Statistics() const;

 private:
  arrow::StopSource source_;
  std::shared_ptr<arrow::RecordBatchReader> reader_;
};

}  // namespace lance::python
