#pragma once

#include <memory>
#include <string>

#include "lance/object_store.h"

namespace lance {

/// The store of a folder of another store: paths are relative to the folder, also in listings.
///
/// \param folder without '/' at either end; not empty
std::shared_ptr<ObjectStore> MakePrefixStore(std::shared_ptr<ObjectStore> store,
                                             std::string folder);

}  // namespace lance
