#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lance/object_store.h"

namespace lance::testing {

/// What happens to one storage call.
enum class Fault {
  kNone,
  kFails,      ///< IOError, nothing happens
  kTorn,       ///< a write stops half-way: the target must not appear; IOError
  kNoReply,    ///< it lands, but the caller sees a failure (Put: kUnknown)
  kLandsLate,  ///< the caller sees a failure (Put: kUnknown); it lands when LandDelayed() is called
  kConflicts,  ///< a put if absent stores nothing and answers kExists; other calls work
  kDies,       ///< this call and all that follow fail and do nothing, as when the process died
};

/// How a store lists. A plain value.
struct ListingStyle {
  /// Objects of one page; each page counts as a call. 0: all at once, in one call.
  size_t page_size = 0;
  /// Whether objects come in a random order rather than by path.
  bool is_shuffled = false;
  /// The listing lags: it does not have yet so many of its objects that were stored last.
  size_t num_hidden = 0;
};

/// A store whose calls can be made to fail one by one. Thread-safe.
///
/// Count the calls of one run, then run again for each k with call k failing in each way.
///
/// Get, Head, List, Put, OpenWrite, Delete and the Close of a stream that OpenWrite gave count as
/// one call each; Write and Abort of a stream do not count, because nothing of them can be seen.
///
/// | fault      | Get, Head | List               | Put      | OpenWrite | Close       | Delete |
/// | kTorn      | as kFails | visits half, fails | as kFails| as kFails | aborts      | as kFails |
/// | kNoReply   | fails     | visits all, fails  | lands    | as kFails | lands       | lands |
/// | kLandsLate | as kFails | as kFails          | delayed  | as kFails | delayed     | delayed |
/// | kConflicts | works    | works              | kExists  | works     | works       | works |
///
/// kConflicts is the 409 or 412 of an object store that carries out another conditional request for
/// the name at that moment: nothing was stored, and nothing need be there. Puts that overwrite
/// work.
class FaultStore : public ObjectStore {
 public:
  static std::shared_ptr<FaultStore> Make(std::shared_ptr<ObjectStore> store);

  /// Make call number `k` (from 0, counted from now) suffer `fault`; other calls work.
  ///
  /// \param num_faults so many calls from number `k` on suffer it, as when a store throttles
  virtual void Arm(int64_t k, Fault fault, int64_t num_faults = 1) = 0;
  /// Let every call work and count from now.
  void Disarm() { Arm(-1, Fault::kNone); }
  /// Calls since the last Arm.
  virtual int64_t num_calls() const = 0;
  /// Calls since the last Arm, in order: "Put _versions/1.manifest".
  virtual std::vector<std::string> calls() const = 0;
  /// The first call that was hit; "" when none was.
  virtual std::string hit() const = 0;
  /// Choose how it lists from now on; for a lag count the objects stored from now on.
  virtual void SetListing(const ListingStyle& style) = 0;
  /// Let delayed writes land, in the order in which they were made; a put may find the object
  /// there.
  virtual arrow::Status LandDelayed() = 0;
};

}  // namespace lance::testing
