#include "lance/index/scalar_index.h"

#include "lance/base/status_detail.h"
#include "lance/index/bitmap_index.h"
#include "lance/index/bloom_filter_index.h"
#include "lance/index/btree.h"
#include "lance/index/index_file.h"
#include "lance/index/index_type.h"
#include "lance/index/label_list_index.h"

namespace lance::index {
namespace {

arrow::Result<std::shared_ptr<const ScalarIndex>> OpenByType(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run) {
  const std::string type = IndexTypeName(segment);
  if (type == "BTree") return OpenBTree(std::move(store), segment, column_type, run);
  if (type == "Bitmap") return OpenBitmapIndex(store, segment, column_type, run);
  if (type == "LabelList") return OpenLabelListIndex(store, segment, column_type, run);
  if (type == "BloomFilter") return OpenBloomFilterIndex(store, segment, column_type, run);
  return UnsupportedError(
      "index of type " + type,
      "index " + segment.name + " is a " + type + " index, which scans of this version do not use");
}

}  // namespace

arrow::Result<std::shared_ptr<const ScalarIndex>> OpenScalarIndex(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run) {
  auto opened = OpenByType(std::move(store), segment, column_type, run);
  return opened.ok() ? opened : InSegment(opened.status(), segment);
}

arrow::Result<NewScalarIndexFiles> WriteScalarIndex(const std::shared_ptr<ObjectStore>& store,
                                                    const Uuid& uuid, const NewScalarIndex& request,
                                                    const RunContext& run) {
  const std::string& type = request.index_type;
  if (type == "BTree") return WriteBTree(store, uuid, request, run);
  if (type == "Bitmap") return WriteBitmapIndex(store, uuid, request, run);
  if (type == "LabelList") return WriteLabelListIndex(store, uuid, request, run);
  return UnsupportedError("build index of type " + type, "column " + request.column +
                                                             ": an index of type " + type +
                                                             " cannot be built by this version");
}

}  // namespace lance::index
