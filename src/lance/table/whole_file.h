#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"

namespace lance::table {

/// Read a small file, such as a manifest, in one request; two when its size is not known.
///
/// \return KeyError + NotFound when it is not there; SerializationError when it is larger than any
///   manifest can be
arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(ObjectStore& store, const std::string& path,
                                                        std::optional<uint64_t> known_size,
                                                        const RunContext& run);

}  // namespace lance::table
