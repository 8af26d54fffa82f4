#include "lance/base/checked_math.h"

namespace lance {

arrow::Result<uint64_t> CheckedAdd(uint64_t lhs, uint64_t rhs, std::string_view what) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(lhs, rhs, &sum)) {
    return arrow::Status::SerializationError(what, " is ", lhs, " + ", rhs,
                                             ", allowed are sums below 2^64");
  }
  return sum;
}

arrow::Result<uint64_t> CheckedMul(uint64_t lhs, uint64_t rhs, std::string_view what) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(lhs, rhs, &product)) {
    return arrow::Status::SerializationError(what, " is ", lhs, " * ", rhs,
                                             ", allowed are products below 2^64");
  }
  return product;
}

}  // namespace lance
