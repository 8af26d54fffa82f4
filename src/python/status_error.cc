#include "status_error.h"

#include <nanobind/stl/string.h>

#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

/// Raise what lance_cpp.errors makes of a failure: its fields cross as the JSON that all bindings
/// share.
void RaiseInPython(const arrow::Status& status) {
  const nb::object exception =
      nb::module_::import_("lance_cpp.errors").attr("exception_of")(ToJson(status));
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
}

}  // namespace

nb::object Escaped(const std::string& text) {
  const auto size = static_cast<Py_ssize_t>(text.size());
  nb::object decoded = nb::steal(PyUnicode_DecodeUTF8(text.data(), size, "backslashreplace"));
  if (!decoded.is_valid()) throw nb::python_error();
  return decoded;
}

void BindErrors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const StatusError& error) {
      RaiseInPython(error.status());
    }
  });
}

}  // namespace lance::python
