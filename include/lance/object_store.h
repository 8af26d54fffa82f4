#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/status.h"
#include "arrow/type_fwd.h"

namespace arrow {
class StopToken;
namespace io {
class OutputStream;
}
}  // namespace arrow

namespace lance {

/// A point in time, UTC, nanoseconds since the Unix epoch.
using Timestamp = std::chrono::sys_time<std::chrono::nanoseconds>;

/// Options of a store by name: region, endpoint, credentials.
using StorageOptions = std::map<std::string, std::string>;

/// Consecutive bytes of one object. A plain value.
struct ByteRange {
  /// First byte, counted from the start of the object.
  uint64_t offset = 0;
  /// Number of bytes.
  uint64_t length = 0;
};

/// What a store knows about one object. A plain value.
struct ObjectInfo {
  /// Relative to the table root, '/'-separated.
  std::string path;
  /// Size in bytes.
  uint64_t size_bytes = 0;
  /// When it was last written.
  Timestamp modified;
  /// The store's version tag; "" when it has none.
  std::string etag;
};

/// What a put does when the object exists.
enum class PutMode {
  kOverwrite,        ///< Replace it.
  kOverwriteLazily,  ///< Replace it; what can be made again need not be durable at once.
  kIfAbsent,         ///< Leave it and say so.
};

/// What became of a put.
enum class PutOutcome {
  kStored,   ///< The object holds exactly these bytes, durably unless put lazily.
  kExists,   ///< kIfAbsent only: another object was there first; nothing changed.
  kUnknown,  ///< The reply was lost: the put may have landed, or may still land.
};

/// Where a table lives. Implement it to bring your own storage.
///
/// Thread-safe. Paths are relative to the table root, '/'-separated and already validated: no empty
/// component, no "." or "..". Unstable until object stores are supported.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// Read ranges of one object; may coalesce neighbours. Ranges may overlap and come in any order.
  ///
  /// \return one buffer per range, of exactly its length, or
  ///   - KeyError + NotFound: no such object
  ///   - IOError: a range reaches past the end, or storage failed
  ///   - Cancelled: `stop` fired
  virtual arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) = 0;

  /// Look at one object without reading it.
  ///
  /// \return KeyError + NotFound when it is not there
  virtual arrow::Result<ObjectInfo> Head(const std::string& path) = 0;

  /// Visit every object below a folder, in any order; a folder that is not there is empty.
  ///
  /// \param prefix a folder without trailing '/', or "" for the whole table
  /// \param visit called once per object; its failure ends the listing and is returned
  virtual arrow::Status List(const std::string& prefix,
                             const std::function<arrow::Status(const ObjectInfo&)>& visit) = 0;

  /// Visit the paths alone, as List does. Worth its own way where List looks at every object for
  /// its size, as on a local disk.
  virtual arrow::Status ListPaths(const std::string& prefix,
                                  const std::function<arrow::Status(std::string)>& visit) {
    return List(prefix, [&](const ObjectInfo& info) { return visit(info.path); });
  }

  /// Write a whole object atomically and durably: readers see all of it or none of it.
  ///
  /// \return what became of it; a failed status means that nothing was stored
  virtual arrow::Result<PutOutcome> Put(const std::string& path,
                                        std::shared_ptr<arrow::Buffer> bytes, PutMode mode) = 0;

  /// Write an object piece by piece. It appears, complete and durable, at Close; Abort, or
  /// destruction without Close, leaves nothing.
  virtual arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) = 0;

  /// Remove one object; OK when it is not there.
  virtual arrow::Status Delete(const std::string& path) = 0;

  /// Whether List costs about as much as a few looks at single objects, as on a local disk. Where
  /// it does not, the newest version of a table is looked up by its version hint first.
  virtual bool HasCheapListing() const { return false; }
};

/// Opens the store of one table URI.
using ObjectStoreFactory = std::function<arrow::Result<std::shared_ptr<ObjectStore>>(
    const std::string& uri, const StorageOptions& options)>;

}  // namespace lance
