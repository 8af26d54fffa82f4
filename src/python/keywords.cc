#include "keywords.h"

#include <nanobind/stl/string.h>

#include <limits>

#include "arrow/status.h"
#include "status_error.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

[[noreturn]] void ThrowTypeError(const std::string& name, nb::handle value, const char* allowed) {
  const std::string found = nb::cast<std::string>(value.type().attr("__name__"));
  throw nb::type_error((name + " is a " + found + "; allowed: " + allowed).c_str());
}

std::string TextOf(const std::string& name, nb::handle value, const char* allowed) {
  if (!PyUnicode_Check(value.ptr())) ThrowTypeError(name, value, allowed);
  Py_ssize_t length = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &length);
  if (bytes == nullptr) {  // half of a surrogate pair; file names of other bytes have it too
    PyErr_Clear();
    const auto shown = nb::cast<std::string>(nb::steal(PyObject_ASCII(value.ptr())));
    throw StatusError(
        arrow::Status::Invalid(name, " is ", shown, "; allowed: what can be written as UTF-8"));
  }
  return std::string(bytes, static_cast<size_t>(length));
}

/// A whole number of 0 to `most`, from an int or what can stand for one.
uint64_t UnsignedOf(const std::string& name, nb::handle value, uint64_t most) {
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole.is_valid()) {
    PyErr_Clear();
    ThrowTypeError(name, value, "a whole number");
  }
  const unsigned long long number = PyLong_AsUnsignedLongLong(whole.ptr());
  const bool is_outside = PyErr_Occurred() != nullptr;  // negative, or more than 64 bits
  PyErr_Clear();
  if (is_outside || number > most) {
    throw StatusError(arrow::Status::Invalid(name, " is ", nb::cast<std::string>(nb::str(whole)),
                                             "; allowed: 0 to ", most));
  }
  return number;
}

}  // namespace

nb::object Keywords::Pop(const char* name) {
  const nb::str key(name);
  if (!arguments_.contains(key)) return nb::none();
  return arguments_.attr("pop")(key);
}

void Keywords::Finish() const {
  for (const auto& [name, value] : arguments_) {
    throw nb::type_error(("there is no argument \"" + nb::cast<std::string>(name) + "\"").c_str());
  }
}

void Keywords::Convert(const char* name, nb::handle value, bool* field) {
  if (!PyBool_Check(value.ptr())) ThrowTypeError(name, value, "True or False");
  *field = value.ptr() == Py_True;
}

void Keywords::Convert(const char* name, nb::handle value, int* field) {
  *field = static_cast<int>(UnsignedOf(name, value, std::numeric_limits<int>::max()));
}

void Keywords::Convert(const char* name, nb::handle value, uint32_t* field) {
  *field = static_cast<uint32_t>(UnsignedOf(name, value, std::numeric_limits<uint32_t>::max()));
}

void Keywords::Convert(const char* name, nb::handle value, uint64_t* field) {
  *field = UnsignedOf(name, value, std::numeric_limits<uint64_t>::max());
}

void Keywords::Convert(const char* name, nb::handle value, double* field) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    ThrowTypeError(name, value, "a number");
  }
  *field = number;
}

void Keywords::Convert(const char* name, nb::handle value, std::string* field) {
  *field = TextOf(name, value, "text");
}

void Keywords::Convert(const char* name, nb::handle value, std::vector<std::string>* field) {
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) {
    ThrowTypeError(name, value, "a list of text");
  }
  for (const nb::handle item : value) field->push_back(TextOf(name, item, "a list of text"));
}

void Keywords::Convert(const char* name, nb::handle value, std::vector<uint64_t>* field) {
  for (const nb::handle item : value) {
    field->push_back(UnsignedOf(name, item, std::numeric_limits<uint64_t>::max()));
  }
}

void Keywords::Convert(const char* name, nb::handle value, std::vector<uint32_t>* field) {
  for (const nb::handle item : value) {
    Convert(name, item, &field->emplace_back());
  }
}

void Keywords::Convert(const char* name, nb::handle value, std::vector<int32_t>* field) {
  for (const nb::handle item : value) {
    if (!nb::try_cast<int32_t>(item, field->emplace_back())) {
      ThrowTypeError(name, item, "an int of 32 bits");
    }
  }
}

void Keywords::Convert(const char* name, nb::handle value, BlobHandling* field) {
  const std::string text = TextOf(name, value, "text");
  if (text == "blobs_descriptions") {
    *field = BlobHandling::kDescriptions;
  } else if (text == "all_binary") {
    *field = BlobHandling::kBinary;
  } else if (text == "all_descriptions") {
    throw StatusError(arrow::Status::NotImplemented(
        name, " \"all_descriptions\" is not in this version of lance_cpp"));
  } else {
    throw StatusError(arrow::Status::Invalid(
        name, " is \"", text, "\"; allowed: all_binary, blobs_descriptions, all_descriptions"));
  }
}

nb::dict Keywords::DictOf(const char* name, nb::handle value) {
  if (!PyDict_Check(value.ptr())) ThrowTypeError(name, value, "a dict");
  return nb::borrow<nb::dict>(value);
}

}  // namespace lance::python
