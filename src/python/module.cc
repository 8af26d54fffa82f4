#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "arrow_objects.h"
#include "bindings.h"
#include "lance/version.h"
#include "status_error.h"

// The inside of the package lance_cpp: the public C++ classes, a little flattened. What users see,
// with the names and defaults that they know, is Python in python/lance_cpp.
NB_MODULE(_core, m) {
  // A dataset in a global variable is no leak: Python ends without clearing them all.
  nanobind::set_leak_warnings(false);
  m.attr("__version__") = lance::build_info().version;
  lance::python::BindErrors(m);
  lance::python::BindArrowObjects(m);
  lance::python::BindSession(m);
  lance::python::BindScan(m);
  lance::python::BindDataset(m);
  lance::python::BindScanPlan(m);
  lance::python::BindExpression(m);
  lance::python::BindTake(m);
  lance::python::BindWrite(m);
  lance::python::BindFragment(m);
  lance::python::BindTransaction(m);
  lance::python::BindMutate(m);
  lance::python::BindIndex(m);
  lance::python::BindSchema(m);
  lance::python::BindOptimize(m);
  lance::python::BindCompaction(m);
  lance::python::BindFile(m);
  lance::python::BindVerify(m);
  lance::python::BindBranches(m);
  lance::python::BindHistory(m);
}
