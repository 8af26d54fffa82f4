#include "lance/index/scalar_index.h"

#include "lance/base/status_detail.h"
#include "lance/index/index_type.h"

namespace lance::index {

arrow::Result<std::shared_ptr<const ScalarIndex>> OpenScalarIndex(
    std::shared_ptr<ObjectStore> /*store*/, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& /*column_type*/, const RunContext& /*run*/) {
  const std::string type = IndexTypeName(segment);
  return UnsupportedError(
      "index of type " + type,
      "index " + segment.name + " is a " + type + " index, which scans of this version do not use");
}

arrow::Result<NewScalarIndexFiles> WriteScalarIndex(const std::shared_ptr<ObjectStore>& /*store*/,
                                                    const Uuid& /*uuid*/,
                                                    const NewScalarIndex& request,
                                                    const RunContext& /*run*/) {
  return UnsupportedError("build index of type " + request.index_type,
                          "column " + request.column + ": an index of type " + request.index_type +
                              " cannot be built by this version");
}

}  // namespace lance::index
