#pragma once

#include <memory>
#include <string>

#include "arrow/type_fwd.h"

namespace lance::testing {

/// An array with plain arrays in the place of dictionary arrays, at every depth.
std::shared_ptr<arrow::Array> WithoutDictionaries(const std::shared_ptr<arrow::Array>& array);

/// Compare what two arrays hold, whatever their nulls hide and their dictionaries are. NaNs are
/// equal.
///
/// \return what differs; empty: nothing
std::string Difference(const std::shared_ptr<arrow::Array>& actual,
                       const std::shared_ptr<arrow::Array>& expected);

}  // namespace lance::testing
