#pragma once

#include <chrono>

#include "lance/base/uuid.h"

namespace lance::table {

/// Slotted random back-off between commit attempts (table-format 4.1).
///
/// The k-th wait is a random slot below min(2^(k+2), 128), times a unit: 1.1 times the duration of
/// the first attempt, so that slow stores wait longer.
class Backoff {
 public:
  /// \param random borrowed
  explicit Backoff(RandomSource* random) : random_(random) {}

  /// Tell how long an attempt took; only the first counts.
  void AttemptTook(std::chrono::nanoseconds duration);

  /// The next wait.
  std::chrono::nanoseconds Next();

 private:
  RandomSource* random_;
  std::chrono::nanoseconds unit_ = std::chrono::milliseconds(50);  // before an attempt is known
  bool knows_unit_ = false;
  int num_waits_ = 0;
};

}  // namespace lance::table
