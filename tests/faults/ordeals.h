#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lance/testing/fault_store.h"

namespace lance::testing {

/// What storage does to one call, or to some in a row.
struct Ordeal {
  std::string name;
  Fault fault;
  int64_t num_faults = 1;
  /// A reply may be lost, so that doubt is in order, and files may stay.
  bool loses_replies = false;
};

/// All of them. The first says clearly that nothing happened.
inline std::vector<Ordeal> Ordeals() {
  return {
      {.name = "Fails", .fault = Fault::kFails},
      {.name = "NoReply", .fault = Fault::kNoReply, .loses_replies = true},
      {.name = "LandsLate", .fault = Fault::kLandsLate, .loses_replies = true},
      {.name = "Torn", .fault = Fault::kTorn},
      {.name = "Conflicts", .fault = Fault::kConflicts},
      {.name = "Dies", .fault = Fault::kDies, .loses_replies = true},
      {.name = "Throttles", .fault = Fault::kFails, .num_faults = 4, .loses_replies = true},
      {.name = "NoReplies", .fault = Fault::kNoReply, .num_faults = 12, .loses_replies = true},
      {.name = "LandLate", .fault = Fault::kLandsLate, .num_faults = 12, .loses_replies = true},
  };
}

}  // namespace lance::testing
