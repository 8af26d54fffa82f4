#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/field_tree.h"
#include "lance/format/v20/array_encoding.h"

namespace lance::format::v20 {

/// Collects rows of one column and makes a page of them. Thread-compatible.
///
/// Rows are copied into what becomes the page's buffers, so that input is not kept.
class PageBuilder {
 public:
  virtual ~PageBuilder() = default;

  /// Append the rows [begin, end) of an array of the column's type.
  ///
  /// \return how many rows were taken; fewer than asked when a page cannot hold more, but at least
  ///   one when the page is empty. Invalid for values that the column cannot hold; the builder is
  ///   then of no use
  virtual arrow::Result<int64_t> Append(const arrow::Array& array, int64_t begin, int64_t end) = 0;

  virtual uint64_t num_rows() const = 0;

  /// Bytes that are buffered.
  virtual uint64_t pending_bytes() const = 0;

  /// Bytes that the rows [begin, end) would add to what counts for a page's size.
  virtual uint64_t BytesOf(const arrow::Array& array, int64_t begin, int64_t end) const = 0;

  /// Make a page of what is buffered, be it nothing, and start over.
  ///
  /// \param buffers what the page already has; the new ones are appended and named by position
  virtual arrow::Result<ArrayEncoding> Build(
      std::vector<std::shared_ptr<arrow::Buffer>>* buffers) = 0;
};

/// Make the builder of a field that has one column: leaves and packed structs.
///
/// \param max_page_bytes where a builder ends a page whose size cannot be told before
/// \return Invalid for metadata that are not allowed; NotImplemented + UnsupportedFeature
arrow::Result<std::unique_ptr<PageBuilder>> MakePageBuilder(const FieldNode& node,
                                                            uint64_t max_page_bytes,
                                                            arrow::MemoryPool* pool);

}  // namespace lance::format::v20
