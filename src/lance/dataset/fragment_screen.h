#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lance/dataset/dataset_impl.h"
#include "lance/index/predicate.h"

namespace lance {

/// The fragments of a version of which no row can match, found for all of them at once.
///
/// Only spares work: what it leaves is pruned zone by zone as ever. Immutable.
class FragmentScreen {
 public:
  /// Ask the zonemaps that the session has loaded. \return no value: it would not pay, or some
  /// column asked about has several zonemaps, or one that is not loaded
  static std::optional<FragmentScreen> Make(const Dataset::Impl& dataset,
                                            const index::Predicate& predicate);

  /// Whether no row of a fragment can match. \param position in the manifest
  bool Skips(size_t position) const { return !may_match_[position]; }
  /// The zones of a fragment that is skipped.
  uint64_t num_zones(size_t position) const { return num_zones_[position]; }

 private:
  std::vector<bool> may_match_;
  std::vector<uint32_t> num_zones_;  // 0 for those that may match
};

}  // namespace lance
