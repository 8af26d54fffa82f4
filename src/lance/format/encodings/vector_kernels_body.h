// No include guard: the body of each vector_kernels_*.cc, which are compiled for different
// machines.
//
// Everything here is in an unnamed namespace and takes no inline function from elsewhere: the
// linker keeps only one copy of those, which could be the one for the larger machine.

#include <cstddef>
#include <cstdint>

#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/vector_kernels.h"

namespace lance::format {
namespace {

template <typename T>
constexpr uint32_t kBits = 8 * sizeof(T);

template <typename T>
constexpr uint32_t kLanes = 1024 / kBits<T>;

/// The value that lane 0 holds in a row; the other lanes follow it.
constexpr uint32_t FirstValueOfRow(uint32_t row) {
  constexpr uint32_t kOrder[] = {0, 4, 2, 6, 1, 5, 3, 7};
  return kOrder[row / 8] * 16 + row % 8 * 128;
}

template <typename T>
T LoadAt(const std::byte* bytes, size_t index) {
  T value;
  __builtin_memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void StoreAt(T value, std::byte* bytes, size_t index) {
  __builtin_memcpy(bytes + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
constexpr T LowBits(uint32_t width) {
  return width == kBits<T> ? static_cast<T>(~T{0})
                           : static_cast<T>((T{1} << (width % kBits<T>)) - 1);
}

// --- Bit packing ---
//
// The row kernels. Shifts are template arguments because only constant shifts of 8- and 16-bit
// integers stay in narrow vector lanes; one kernel per shift (not per width) keeps the code small.
// Constant trip counts and __restrict let the compiler vectorise them.

template <typename T, uint32_t kShift, bool kSpills>
void UnpackRow(const std::byte* __restrict words, T mask, std::byte* __restrict values) {
  for (uint32_t lane = 0; lane < kLanes<T>; ++lane) {
    T value = static_cast<T>(LoadAt<T>(words, lane) >> kShift);
    if constexpr (kSpills) {
      value |= static_cast<T>(LoadAt<T>(words, kLanes<T> + lane) << (kBits<T> - kShift));
    }
    StoreAt<T>(value & mask, values, lane);
  }
}

/// A word's first touch is a store, so that the output needs no clearing.
template <typename T, uint32_t kShift, bool kSpills>
void PackRow(const std::byte* __restrict values, T mask, std::byte* __restrict words) {
  for (uint32_t lane = 0; lane < kLanes<T>; ++lane) {
    const T value = LoadAt<T>(values, lane) & mask;
    if constexpr (kShift == 0) {
      StoreAt<T>(value, words, lane);
    } else {
      StoreAt<T>(static_cast<T>(LoadAt<T>(words, lane) | value << kShift), words, lane);
    }
    if constexpr (kSpills) {
      StoreAt<T>(static_cast<T>(value >> (kBits<T> - kShift)), words, kLanes<T> + lane);
    }
  }
}

template <typename T>
using RowKernel = void (*)(const std::byte*, T, std::byte*);

/// Kernels by shift * 2 + spills. No row with shift 0 spills.
template <typename T>
struct RowKernels {
  RowKernel<T> unpack[2 * kBits<T>];
  RowKernel<T> pack[2 * kBits<T>];

  constexpr RowKernels() : unpack(), pack() { Fill<0>(); }

 private:
  template <uint32_t kShift>
  constexpr void Fill() {
    if constexpr (kShift < kBits<T>) {
      constexpr bool kMaySpill = kShift != 0;
      unpack[2 * kShift] = UnpackRow<T, kShift, false>;
      unpack[2 * kShift + 1] = UnpackRow<T, kShift, kMaySpill>;
      pack[2 * kShift] = PackRow<T, kShift, false>;
      pack[2 * kShift + 1] = PackRow<T, kShift, kMaySpill>;
      Fill<kShift + 1>();
    }
  }
};

template <typename T>
constexpr RowKernels<T> kRowKernels;

/// Where a row's bits lie in its lane.
template <typename T>
struct RowPlace {
  RowPlace(uint32_t row, uint32_t width)
      : byte_offset(size_t{row * width / kBits<T>} * kLanes<T> * sizeof(T)),
        kernel(row * width % kBits<T> * 2 + (row * width % kBits<T> + width > kBits<T> ? 1 : 0)) {}
  size_t byte_offset;
  uint32_t kernel;
};

template <typename T>
void PackRows(uint32_t width, const std::byte* values, std::byte* packed) {
  for (uint32_t row = 0; row < kBits<T>; ++row) {
    const RowPlace<T> place(row, width);
    kRowKernels<T>.pack[place.kernel](values + FirstValueOfRow(row) * sizeof(T), LowBits<T>(width),
                                      packed + place.byte_offset);
  }
}

template <typename T>
void UnpackRows(uint32_t width, const std::byte* packed, std::byte* values) {
  for (uint32_t row = 0; row < kBits<T>; ++row) {
    const RowPlace<T> place(row, width);
    kRowKernels<T>.unpack[place.kernel](packed + place.byte_offset, LowBits<T>(width),
                                        values + FirstValueOfRow(row) * sizeof(T));
  }
}

template <typename T>
uint32_t LargestWidth(const std::byte* values, uint64_t num_values) {
  T all = 0;
  for (uint64_t i = 0; i < num_values; ++i) all |= LoadAt<T>(values, i);
  uint32_t width = 0;
  for (; all != 0; all = static_cast<T>(all >> 1)) ++width;
  return width;
}

// --- Runs ---

template <typename T>
void ExpandRunsOf(const std::byte* values, const std::byte* lengths, uint64_t num_values,
                  std::byte* out) {
  constexpr uint64_t kBlock = kKernelSlack;
  for (uint64_t run = 0; num_values > 0; ++run) {
    const T value = LoadAt<T>(values, run);
    T block[kBlock / sizeof(T)];
    for (T& copy : block) copy = value;
    uint64_t length = static_cast<uint64_t>(lengths[run]);
    if (length > num_values) length = num_values;
    const uint64_t size = length * sizeof(T);
    for (uint64_t at = 0; at < size; at += kBlock) __builtin_memcpy(out + at, block, kBlock);
    out += size;
    num_values -= length;
  }
}

// --- Byte streams ---

using Vector = uint8_t __attribute__((vector_size(16)));

/// The first or last 8 bytes of two vectors, interleaved.
inline Vector ZipLow(Vector a, Vector b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
inline Vector ZipHigh(Vector a, Vector b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
}

/// Merge 16 values. Each round interleaves stream j with stream j + kStreams / 2, so that after
/// log2(kStreams) rounds the bytes are in order.
template <uint32_t kStreams>
void MergeBlock(const std::byte* streams, uint64_t num_values, std::byte* out) {
  Vector in[kStreams];
  for (uint32_t j = 0; j < kStreams; ++j) {
    __builtin_memcpy(&in[j], streams + j * num_values, sizeof(Vector));
  }
  for (uint32_t round = 1; round < kStreams; round *= 2) {
    Vector zipped[kStreams];
    for (uint32_t j = 0; j < kStreams / 2; ++j) {
      zipped[2 * j] = ZipLow(in[j], in[j + kStreams / 2]);
      zipped[2 * j + 1] = ZipHigh(in[j], in[j + kStreams / 2]);
    }
    for (uint32_t j = 0; j < kStreams; ++j) in[j] = zipped[j];
  }
  for (uint32_t j = 0; j < kStreams; ++j) {
    __builtin_memcpy(out + j * sizeof(Vector), &in[j], sizeof(Vector));
  }
}

template <uint32_t kStreams>
void MergeStreamsOf(const std::byte* streams, uint64_t num_values, std::byte* out) {
  constexpr uint64_t kBlock = sizeof(Vector);
  uint64_t i = 0;
  for (; num_values - i >= kBlock; i += kBlock) {
    MergeBlock<kStreams>(streams + i, num_values, out + i * kStreams);
  }
  for (; i < num_values; ++i) {
    for (uint32_t j = 0; j < kStreams; ++j) out[i * kStreams + j] = streams[j * num_values + i];
  }
}

// --- By width ---

void PackGroupImpl(uint32_t type_bits, uint32_t width, const std::byte* values, std::byte* packed) {
  switch (type_bits) {
    case 8:
      return PackRows<uint8_t>(width, values, packed);
    case 16:
      return PackRows<uint16_t>(width, values, packed);
    case 32:
      return PackRows<uint32_t>(width, values, packed);
    default:
      return PackRows<uint64_t>(width, values, packed);
  }
}

void UnpackGroupImpl(uint32_t type_bits, uint32_t width, const std::byte* packed,
                     std::byte* values) {
  switch (type_bits) {
    case 8:
      return UnpackRows<uint8_t>(width, packed, values);
    case 16:
      return UnpackRows<uint16_t>(width, packed, values);
    case 32:
      return UnpackRows<uint32_t>(width, packed, values);
    default:
      return UnpackRows<uint64_t>(width, packed, values);
  }
}

uint32_t LargestBitWidthImpl(uint32_t type_bits, const std::byte* values, uint64_t num_values) {
  switch (type_bits) {
    case 8:
      return LargestWidth<uint8_t>(values, num_values);
    case 16:
      return LargestWidth<uint16_t>(values, num_values);
    case 32:
      return LargestWidth<uint32_t>(values, num_values);
    default:
      return LargestWidth<uint64_t>(values, num_values);
  }
}

void ExpandRunsImpl(uint32_t type_bits, const std::byte* values, const std::byte* lengths,
                    uint64_t num_values, std::byte* out) {
  switch (type_bits) {
    case 8:
      return ExpandRunsOf<uint8_t>(values, lengths, num_values, out);
    case 16:
      return ExpandRunsOf<uint16_t>(values, lengths, num_values, out);
    case 32:
      return ExpandRunsOf<uint32_t>(values, lengths, num_values, out);
    default:
      return ExpandRunsOf<uint64_t>(values, lengths, num_values, out);
  }
}

void MergeStreamsImpl(uint32_t type_bits, const std::byte* streams, uint64_t num_values,
                      std::byte* out) {
  if (type_bits == 32) return MergeStreamsOf<4>(streams, num_values, out);
  MergeStreamsOf<8>(streams, num_values, out);
}

/// This variant's table.
constexpr VectorKernels MakeKernels(const char* name) {
  return {name,           PackGroupImpl,   UnpackGroupImpl, LargestBitWidthImpl,
          ExpandRunsImpl, MergeStreamsImpl};
}

}  // namespace
}  // namespace lance::format
