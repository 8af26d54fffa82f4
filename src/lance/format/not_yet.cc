// Stands in until 2.0 is there.
#include "lance/format/field_writer.h"
#include "lance/format/v20/read_field.h"

namespace lance::format {

namespace v20 {

arrow::Result<std::unique_ptr<FieldWriter>> MakeFieldWriter(const FieldNode&,
                                                            const FieldWriterOptions&, PageSink*) {
  return arrow::Status::NotImplemented("not yet");
}

arrow::Result<std::shared_ptr<arrow::Array>> ReadField(const FieldRequest&) {
  return arrow::Status::NotImplemented("not yet");
}

}  // namespace v20
}  // namespace lance::format
