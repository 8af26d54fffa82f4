#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lance/scan.h"

namespace lance::python {

/// Takes the keyword arguments of a call into the fields of an options struct.
///
/// An argument that is absent or None leaves the field as it is, so that defaults exist once, in
/// C++. Thread-compatible; needs the interpreter lock.
class Keywords {
 public:
  explicit Keywords(nanobind::kwargs arguments) : arguments_(std::move(arguments)) {}

  /// Take one argument. Throws TypeError for another type, and StatusError with Invalid for a
  /// number out of range.
  template <typename T>
  Keywords& Take(const char* name, T* field) {
    const nanobind::object value = Pop(name);
    if (!value.is_none()) Convert(name, value, field);
    return *this;
  }

  /// Take one argument as it is; None when it is absent.
  nanobind::object Pop(const char* name);

  /// Throw TypeError when an argument is left that nothing took.
  void Finish() const;

  /// Convert an argument that has a place of its own; fails as Take does. None is no value here.
  template <typename T>
  static T ValueOf(const char* name, nanobind::handle value) {
    T converted{};
    Convert(name, value, &converted);
    return converted;
  }

 private:
  static void Convert(const char* name, nanobind::handle value, bool* field);
  static void Convert(const char* name, nanobind::handle value, int* field);
  static void Convert(const char* name, nanobind::handle value, uint32_t* field);
  static void Convert(const char* name, nanobind::handle value, uint64_t* field);
  static void Convert(const char* name, nanobind::handle value, double* field);
  static void Convert(const char* name, nanobind::handle value, std::string* field);
  static void Convert(const char* name, nanobind::handle value, std::vector<std::string>* field);
  static void Convert(const char* name, nanobind::handle value, std::vector<uint64_t>* field);
  static void Convert(const char* name, nanobind::handle value, std::vector<uint32_t>* field);
  /// Of ids, which may be negative.
  static void Convert(const char* name, nanobind::handle value, std::vector<int32_t>* field);
  static void Convert(const char* name, nanobind::handle value, BlobHandling* field);
  /// Dicts with text as keys.
  template <typename T>
  static void Convert(const char* name, nanobind::handle value, std::map<std::string, T>* field) {
    for (const auto& [key, item] : DictOf(name, value)) {
      Convert(name, item, &(*field)[ValueOf<std::string>(name, key)]);
    }
  }
  static nanobind::dict DictOf(const char* name, nanobind::handle value);
  template <typename T>
  static void Convert(const char* name, nanobind::handle value, std::optional<T>* field) {
    if (value.is_none()) return;
    T converted{};
    Convert(name, value, &converted);
    *field = std::move(converted);
  }

  nanobind::kwargs arguments_;
};

}  // namespace lance::python
