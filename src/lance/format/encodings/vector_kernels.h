#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lance::format {

/// The loops that profit from wide vectors, compiled once for each kind of machine. A table of
/// functions; immutable.
///
/// What each function does is said where it is called: bitpacking.h, and below. Every one of them
/// writes whole vectors where it says so; none allocates or fails. The plain versions below and in
/// bitpacking.h are the oracle of all variants.
struct VectorKernels {
  const char* name;
  void (*pack_group)(uint32_t type_bits, uint32_t width, const std::byte* values,
                     std::byte* packed);
  void (*unpack_group)(uint32_t type_bits, uint32_t width, const std::byte* packed,
                       std::byte* values);
  uint32_t (*largest_bit_width)(uint32_t type_bits, const std::byte* values, uint64_t num_values);
  void (*expand_runs)(uint32_t type_bits, const std::byte* values, const std::byte* lengths,
                      uint64_t num_values, std::byte* out);
  void (*merge_streams)(uint32_t type_bits, const std::byte* streams, uint64_t num_values,
                        std::byte* out);
};

/// Bytes behind the end of the output that kernels may write; ByteBuffer::kSlack covers them.
inline constexpr uint64_t kKernelSlack = 32;

/// The best variant for this machine, chosen once.
const VectorKernels& BestKernels();

/// All variants that this machine can run, the best one last: for tests and benchmarks.
std::span<const VectorKernels* const> RunnableKernels();

/// Write runs of equal integers: the first `num_values` values that the runs hold.
///
/// \param type_bits 8, 16, 32 or 64
/// \param values one integer a run
/// \param lengths one byte a run, none 0; the runs hold num_values or more
/// \param[out] out num_values integers, and kKernelSlack bytes that may be overwritten
///
/// Source: file-format 9.4.
void ExpandRuns(uint32_t type_bits, const std::byte* values, const std::byte* lengths,
                uint64_t num_values, std::byte* out);

/// Put values together whose bytes are stored in streams, one for each byte of a value.
///
/// \param type_bits 32 or 64
/// \param streams stream j, of num_values bytes, holds byte j of every value
/// \param[out] out num_values values
///
/// Source: file-format 9.10.
void MergeStreams(uint32_t type_bits, const std::byte* streams, uint64_t num_values,
                  std::byte* out);

/// ExpandRuns value by value: the oracle of its tests.
void ExpandRunsScalar(uint32_t type_bits, const std::byte* values, const std::byte* lengths,
                      uint64_t num_values, std::byte* out);

/// MergeStreams byte by byte: the oracle of its tests.
void MergeStreamsScalar(uint32_t type_bits, const std::byte* streams, uint64_t num_values,
                        std::byte* out);

}  // namespace lance::format
