#pragma once

#include "lance/dataset/lru_cache.h"
#include "lance/format/data_file_reader.h"

namespace lance {

/// Metadata and page headers of data files, which never change.
using DataFileCache = LruCache<format::OpenedFile>;

}  // namespace lance
