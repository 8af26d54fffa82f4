#pragma once

#include <memory>

#include "arrow/result.h"
#include "lance/base/memory_budget.h"
#include "lance/base/run_context.h"
#include "lance/dataset/data_file_cache.h"
#include "lance/index/zonemap.h"
#include "lance/io/stores.h"
#include "lance/session.h"

namespace lance {

/// Loaded zonemap segments.
using ZonemapCache = LruCache<index::ZonemapSegment>;

/// What a session owns. Thread-safe.
class Session::Impl {
 public:
  Impl(SessionOptions options_in, uint64_t max_memory_bytes);

  SessionOptions options;
  StoreRegistry stores;
  std::shared_ptr<MemoryBudget> memory_budget;
  ZonemapCache zonemaps;
  DataFileCache data_files;
};

/// How a call runs within its session.
RunContext MakeRunContext(const Session& session, const CallOptions& call);

}  // namespace lance
