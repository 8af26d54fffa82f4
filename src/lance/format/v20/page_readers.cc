#include "lance/format/v20/page_readers.h"

#include <utility>

#include "arrow/array.h"
#include "lance/format/levels/text.h"

namespace lance::format::v20 {
namespace {

/// Sends each form of encoding to its reader.
struct Dispatch {
  PageRequest request;

  using Made = arrow::Result<std::unique_ptr<ArrayReader>>;

  Made operator()(const FixedWidthEncoding& form) {
    return MakeFixedPageReader(std::move(request), form);
  }
  Made operator()(const BinaryEncoding& form) {
    return MakeBinaryPageReader(std::move(request), form);
  }
  Made operator()(const FixedSizeBinaryEncoding& form) {
    return MakeFixedSizeBinaryPageReader(std::move(request), form);
  }
  Made operator()(const DictionaryEncoding& form) {
    return MakeDictionaryPageReader(std::move(request), form);
  }
  Made operator()(const PackedStructEncoding& form) {
    return MakePackedPageReader(std::move(request), form);
  }
  Made operator()(const ListEncoding&) { return CannotBe(request); }
  Made operator()(const StructEncoding&) { return CannotBe(request); }
};

}  // namespace

arrow::Result<std::unique_ptr<ArrayReader>> MakePageReader(PageRequest request) {
  const std::shared_ptr<const ArrayEncoding> encoding = request.encoding;
  return std::visit(Dispatch{std::move(request)}, encoding->form);
}

arrow::Status CannotBe(const PageRequest& request) {
  return arrow::Status::SerializationError("the page's encoding is ",
                                           EncodingName(*request.encoding),
                                           ", the column's type is ", request.type->ToString());
}

arrow::Status CheckStoredText(const arrow::Array& array) {
  const arrow::Status status = CheckText(*array.data());
  return status.IsInvalid() ? arrow::Status::SerializationError(status.message()) : status;
}

uint64_t CountRows(const std::vector<RowRange>& rows) {
  uint64_t count = 0;
  for (const RowRange& range : rows) count += range.size();
  return count;
}

}  // namespace lance::format::v20
