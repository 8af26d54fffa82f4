#include "lance/format/encodings/vector_kernels.h"

#include <algorithm>
#include <cstring>

#include "lance/base/check.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance/format/encodings/vector_kernels_variants.h"

namespace lance::format {

namespace {

/// Some variants, the best one last.
struct Variants {
  const VectorKernels* tables[3];
  size_t count;
};

Variants FindRunnable() {
  Variants found{{&kPortableKernels}, 1};
#ifdef LANCE_HAS_X86_KERNELS
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  if (has_v3) found.tables[found.count++] = &kAvx2Kernels;
  const bool has_v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (has_v3 && has_v4) found.tables[found.count++] = &kAvx512Kernels;
#endif
  return found;
}

}  // namespace

std::span<const VectorKernels* const> RunnableKernels() {
  static const Variants runnable = FindRunnable();
  return {runnable.tables, runnable.count};
}

const VectorKernels& BestKernels() {
  static const VectorKernels& best = *RunnableKernels().back();
  return best;
}

void ExpandRuns(uint32_t type_bits, const std::byte* values, const std::byte* lengths,
                uint64_t num_values, std::byte* out) {
  LANCE_DCHECK(IsIntegerWidth(type_bits));
  BestKernels().expand_runs(type_bits, values, lengths, num_values, out);
}

void MergeStreams(uint32_t type_bits, const std::byte* streams, uint64_t num_values,
                  std::byte* out) {
  LANCE_DCHECK(type_bits == 32 || type_bits == 64);
  BestKernels().merge_streams(type_bits, streams, num_values, out);
}

void ExpandRunsScalar(uint32_t type_bits, const std::byte* values, const std::byte* lengths,
                      uint64_t num_values, std::byte* out) {
  const uint64_t width = type_bits / 8;
  for (uint64_t run = 0, done = 0; done < num_values; ++run) {
    const auto length = std::to_integer<uint64_t>(lengths[run]);
    for (uint64_t i = 0; i < std::min(length, num_values - done); ++i) {
      std::memcpy(out + (done + i) * width, values + run * width, width);
    }
    done += std::min(length, num_values - done);
  }
}

void MergeStreamsScalar(uint32_t type_bits, const std::byte* streams, uint64_t num_values,
                        std::byte* out) {
  const uint64_t width = type_bits / 8;
  for (uint64_t i = 0; i < num_values; ++i) {
    for (uint64_t j = 0; j < width; ++j) out[i * width + j] = streams[j * num_values + i];
  }
}

}  // namespace lance::format
