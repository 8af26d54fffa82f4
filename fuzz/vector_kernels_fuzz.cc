// The kernels of every kind of machine give what the plain ones give.

#include <algorithm>

#include "fuzz/input.h"
#include "fuzz/target.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/vector_kernels.h"

namespace lance::format {
namespace {

using fuzz::ExactBytes;
using fuzz::Input;

/// Bytes of a size; what the input does not have is 0.
ExactBytes TakeExactly(size_t size, Input* input) {
  ExactBytes bytes = fuzz::ExactCopy(input->TakeBytes(size));
  bytes.resize(size);
  bytes.shrink_to_fit();
  return bytes;
}

void ComparePacking(uint32_t type_bits, uint32_t width, Input* input) {
  const size_t value_bytes = kGroupValues * type_bits / 8;
  const ExactBytes packed = TakeExactly(PackedGroupBytes(width), input);
  ExactBytes values(value_bytes);
  UnpackGroupScalar(type_bits, width, packed.data(), values.data());
  ExactBytes repacked(packed.size());
  PackGroupScalar(type_bits, width, values.data(), repacked.data());
  LANCE_FUZZ_CHECK(repacked == packed, "packing undoes unpacking");
  for (const VectorKernels* kernels : RunnableKernels()) {
    ExactBytes unpacked(value_bytes);
    kernels->unpack_group(type_bits, width, packed.data(), unpacked.data());
    LANCE_FUZZ_CHECK(unpacked == values, kernels->name);
    ExactBytes packed_again(packed.size());
    kernels->pack_group(type_bits, width, values.data(), packed_again.data());
    LANCE_FUZZ_CHECK(packed_again == packed, kernels->name);
    LANCE_FUZZ_CHECK(kernels->largest_bit_width(type_bits, values.data(), kGroupValues) ==
                         LargestBitWidth(type_bits, values),
                     kernels->name);
  }
}

void CompareRuns(uint32_t type_bits, Input* input) {
  const size_t num_runs = input->TakeBelow(60);
  ExactBytes lengths = TakeExactly(num_runs, input);
  uint64_t num_held = 0;
  for (std::byte& length : lengths) {
    length = std::max(length, std::byte{1});
    num_held += std::to_integer<uint64_t>(length);
  }
  const ExactBytes values = TakeExactly(num_runs * type_bits / 8, input);
  const uint64_t num_values = num_held - std::min<uint64_t>(num_held, input->TakeBelow(4));
  const size_t num_bytes = num_values * type_bits / 8;
  ExactBytes expected(num_bytes + kKernelSlack);
  ExpandRunsScalar(type_bits, values.data(), lengths.data(), num_values, expected.data());
  for (const VectorKernels* kernels : RunnableKernels()) {
    ExactBytes out(num_bytes + kKernelSlack);
    kernels->expand_runs(type_bits, values.data(), lengths.data(), num_values, out.data());
    LANCE_FUZZ_CHECK(
        std::equal(out.begin(), out.begin() + static_cast<ptrdiff_t>(num_bytes), expected.begin()),
        kernels->name);
  }
}

void CompareStreams(uint32_t type_bits, Input* input) {
  const size_t num_values = input->TakeBelow(300);
  const size_t num_bytes = num_values * type_bits / 8;
  const ExactBytes streams = TakeExactly(num_bytes, input);
  ExactBytes expected(num_bytes);
  MergeStreamsScalar(type_bits, streams.data(), num_values, expected.data());
  for (const VectorKernels* kernels : RunnableKernels()) {
    ExactBytes out(num_bytes);
    kernels->merge_streams(type_bits, streams.data(), num_values, out.data());
    LANCE_FUZZ_CHECK(out == expected, kernels->name);
  }
}

}  // namespace
}  // namespace lance::format

LANCE_FUZZ_TARGET(vector_kernels) {
  lance::fuzz::Input in(input);
  const uint32_t type_bits = 8u << in.TakeBelow(4);
  switch (in.TakeBelow(3)) {
    case 0:
      lance::format::ComparePacking(type_bits, static_cast<uint32_t>(in.TakeBelow(type_bits)) + 1,
                                    &in);
      break;
    case 1:
      lance::format::CompareRuns(type_bits, &in);
      break;
    default:
      lance::format::CompareStreams(type_bits <= 16 ? 32 : type_bits, &in);
  }
}
