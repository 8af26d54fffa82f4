#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

#include "arrow/type_fwd.h"

namespace lance::python {

// What crosses to and from Python crosses by the Arrow PyCapsule interface, so that any library
// that speaks it can be on the other side; pyarrow is not asked for its own objects.

/// Python: an object with `__arrow_c_schema__`.
struct ArrowSchemaObject {
  std::shared_ptr<arrow::Schema> schema;
};

/// Python: an object with `__arrow_c_array__`, one batch of rows.
struct ArrowBatchObject {
  std::shared_ptr<arrow::RecordBatch> batch;
};

/// Python: an object with `__arrow_c_stream__`; can be read once.
struct ArrowStreamObject {
  std::shared_ptr<arrow::RecordBatchReader> reader;
};

/// Batches of a table, without copying. \param batch_size most rows of a batch; 0: as they lie
ArrowStreamObject StreamOfTable(std::shared_ptr<arrow::Table> table, int64_t batch_size = 0);

/// Read the schema of an object with `__arrow_c_schema__`.
std::shared_ptr<arrow::Schema> ImportSchema(nanobind::handle object);
/// Read the rows of an object with `__arrow_c_array__`.
std::shared_ptr<arrow::RecordBatch> ImportBatch(nanobind::handle object);
/// Take over the stream of an object with `__arrow_c_stream__`.
std::shared_ptr<arrow::RecordBatchReader> ImportStream(nanobind::handle object);

/// Add the three classes.
void BindArrowObjects(nanobind::module_& m);

}  // namespace lance::python
