#pragma once

#include <memory>

#include "arrow/result.h"
#include "lance/format/v20/array_encoding.h"
#include "lance/format/v20/array_reader.h"

namespace lance::format::v20 {

// The readers that MakePageReader chooses from: one for each form of encoding. `encoding` is the
// form that request.encoding holds.

/// Primitives, fixed-size lists of them, and rows of any type that are all null.
arrow::Result<std::unique_ptr<ArrayReader>> MakeFixedPageReader(PageRequest request,
                                                                const FixedWidthEncoding& encoding);

/// Text and binary values: Binary, Fsst.
arrow::Result<std::unique_ptr<ArrayReader>> MakeBinaryPageReader(PageRequest request,
                                                                 const BinaryEncoding& encoding);

/// Text and binary values of one length.
arrow::Result<std::unique_ptr<ArrayReader>> MakeFixedSizeBinaryPageReader(
    PageRequest request, const FixedSizeBinaryEncoding& encoding);

/// Values by their position among items; dictionary arrays, when the type is one.
arrow::Result<std::unique_ptr<ArrayReader>> MakeDictionaryPageReader(
    PageRequest request, const DictionaryEncoding& encoding);

/// Structs without nulls, their members next to each other.
arrow::Result<std::unique_ptr<ArrayReader>> MakePackedPageReader(
    PageRequest request, const PackedStructEncoding& encoding);

/// Make null slots, which take memory but no bytes of the file.
///
/// \return CapacityError when they are more than request.max_null_bytes allows
arrow::Result<std::shared_ptr<arrow::Array>> MakeNullSlots(const PageRequest& request,
                                                           const arrow::DataType& type,
                                                           uint64_t count);

/// The error for an encoding that cannot make arrays of the request's type.
arrow::Status CannotBe(const PageRequest& request);

}  // namespace lance::format::v20
