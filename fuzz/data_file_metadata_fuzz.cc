// Footer, tables, descriptor and column metadata of a data file, and what they say of its columns.

#include "arrow/api.h"
#include "fuzz/bytes_store.h"
#include "fuzz/data_file_parts.h"
#include "fuzz/target.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/describe_page.h"
#include "lance/format/encodings/value_shape.h"
#include "lance/format/field_tree.h"
#include "lance/format/levels/layers.h"

namespace lance::format {
namespace {

/// Use what says which columns a field has.
void UseField(const FieldNode& field, FileVersion version) {
  (void)PathsOf(field);
  (void)CheckWritable(field, version);
  for (const FieldNode* leaf : LeavesOf(field)) (void)MakeValueShape(*leaf->type);
  LANCE_FUZZ_CHECK(ToArrowField(field)->type() != nullptr, "the field has a type");
}

void UseMetadata(const DataFileMetadata& metadata) {
  for (const ColumnMetadata& column : metadata.columns) {
    (void)CheckColumnEncoding(column.encoding);
    for (const PageMetadata& page : column.pages) {
      LANCE_FUZZ_CHECK(!DescribePage(page, metadata.version).empty(), "the page is described");
      for (const ByteRange& buffer : page.buffers) {
        LANCE_FUZZ_CHECK(buffer.offset <= metadata.file_size &&
                             buffer.length <= metadata.file_size - buffer.offset,
                         "page buffers are inside the file");
      }
    }
  }
  const auto fields = MakeFieldTree(metadata.schema);
  if (!fields.ok()) return;
  LANCE_FUZZ_CHECK(NumberColumns(*fields, metadata.version).size() <= metadata.columns.size(),
                   "every field has its column");
  for (const FieldNode& field : *fields) UseField(field, metadata.version);
}

}  // namespace
}  // namespace lance::format

LANCE_FUZZ_TARGET(data_file_metadata) {
  const lance::format::DataFileLocation location{std::make_shared<lance::fuzz::BytesStore>(input),
                                                 "f.lance"};
  const auto metadata =
      lance::format::LoadDataFileMetadata(location, std::nullopt, arrow::StopToken::Unstoppable());
  if (metadata.ok()) lance::format::UseMetadata(*metadata);
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutateDataFile);
LANCE_FUZZ_CROSSOVER(&lance::fuzz::CrossDataFiles);
