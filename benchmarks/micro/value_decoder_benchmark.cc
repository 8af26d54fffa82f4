// How fast values come out of their encodings: the kernels in every variant that this machine runs,
// and decoders as pages call them, each beside its plain twin and a memcpy of the output. Bytes are
// those of the output.

#include <benchmark/benchmark.h>

#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lance/base/byte_reader.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/codec.h"
#include "lance/format/encodings/fsst.h"
#include "lance/format/encodings/vector_kernels.h"
#include "lance/testing/seeded_random.h"
#include "lance_encodings21.pb.h"

namespace lance::format {
namespace {

namespace pb = lance_pb::encodings21;
using lance::testing::SeededRandom;

std::byte* Writable(std::string* text) { return reinterpret_cast<std::byte*>(text->data()); }
const std::byte* Readable(const std::string& text) { return AsBytes(text).data(); }

void CountBytes(benchmark::State& state, uint64_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * state.iterations());
}

void CountValues(benchmark::State& state, uint64_t values, uint64_t bytes) {
  state.SetItemsProcessed(static_cast<int64_t>(values) * state.iterations());
  CountBytes(state, bytes);
}

std::string RandomBytes(uint64_t size) {
  SeededRandom random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Below(256));
  return bytes;
}

void Memcpy(benchmark::State& state) {
  const auto size = static_cast<uint64_t>(state.range(0));
  const std::string in = RandomBytes(size);
  std::string out(size, '\0');
  for (auto _ : state) {
    std::memcpy(out.data(), in.data(), size);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  CountBytes(state, size);
}
BENCHMARK(Memcpy)->Name("BM_Memcpy")->Arg(1024)->Arg(4096)->Arg(8192)->Arg(65536);

// --- Kernels ---

using Unpack = void (*)(uint32_t, uint32_t, const std::byte*, std::byte*);

void BenchmarkUnpack(benchmark::State& state, Unpack unpack) {
  const auto bits = static_cast<uint32_t>(state.range(0));
  const auto width = static_cast<uint32_t>(state.range(1));
  const std::string packed = RandomBytes(PackedGroupBytes(width));
  std::string values(kGroupValues * bits / 8, '\0');
  for (auto _ : state) {
    unpack(bits, width, Readable(packed), Writable(&values));
    benchmark::DoNotOptimize(values.data());
    benchmark::ClobberMemory();
  }
  CountValues(state, kGroupValues, values.size());
}

/// Runs of about `mean` values.
struct RunSample {
  RunSample(uint32_t bits, uint64_t mean) {
    SeededRandom random(2);
    while (num_values < 4096) {
      const uint64_t length = 1 + random.Below(std::min<uint64_t>(2 * mean, 255));
      lengths.push_back(static_cast<char>(length));
      num_values += length;
    }
    values = RandomBytes(lengths.size() * bits / 8);
  }
  std::string values;
  std::string lengths;
  uint64_t num_values = 0;
};

using ExpandFunction = void (*)(uint32_t, const std::byte*, const std::byte*, uint64_t, std::byte*);

void BenchmarkRuns(benchmark::State& state, ExpandFunction expand) {
  const auto bits = static_cast<uint32_t>(state.range(0));
  const RunSample sample(bits, static_cast<uint64_t>(state.range(1)));
  const uint64_t size = sample.num_values * bits / 8;
  std::string out(size + kKernelSlack, '\0');
  for (auto _ : state) {
    expand(bits, Readable(sample.values), Readable(sample.lengths), sample.num_values,
           Writable(&out));
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  CountValues(state, sample.num_values, size);
}

using Merge = void (*)(uint32_t, const std::byte*, uint64_t, std::byte*);

void BenchmarkMerge(benchmark::State& state, Merge merge) {
  const auto bits = static_cast<uint32_t>(state.range(0));
  const uint64_t num_values = 1024;
  const std::string streams = RandomBytes(num_values * bits / 8);
  std::string out(streams.size(), '\0');
  for (auto _ : state) {
    merge(bits, Readable(streams), num_values, Writable(&out));
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  CountValues(state, num_values, out.size());
}

void RegisterKernels(const std::string& name, const VectorKernels& kernels) {
  benchmark::RegisterBenchmark(("BM_Unpack_" + name).c_str(), BenchmarkUnpack, kernels.unpack_group)
      ->ArgsProduct({{8}, {1, 5, 8}})
      ->ArgsProduct({{16}, {1, 2, 7, 16}})
      ->ArgsProduct({{32}, {1, 9, 17, 32}})
      ->ArgsProduct({{64}, {1, 20, 51, 64}});
  benchmark::RegisterBenchmark(("BM_ExpandRuns_" + name).c_str(), BenchmarkRuns,
                               kernels.expand_runs)
      ->ArgsProduct({{8, 16, 32, 64}, {2, 20, 200}});
  benchmark::RegisterBenchmark(("BM_MergeStreams_" + name).c_str(), BenchmarkMerge,
                               kernels.merge_streams)
      ->Arg(32)
      ->Arg(64);
}

// --- FSST ---

/// Codes of a table of 255 symbols of 1 to 8 bytes; one in `escapes` is an escape.
struct FsstSample {
  explicit FsstSample(uint64_t escapes, size_t num_codes = 65536) {
    SeededRandom random(3);
    stored_table = std::string("\xff\0\x0d\x01TSSF", 8);
    std::string lengths;
    for (int i = 0; i < 255; ++i) {
      stored_table += RandomBytes(8);
      lengths.push_back(static_cast<char>(1 + random.Below(7)));
    }
    stored_table += lengths;
    stored_table.resize(FsstSymbolTable::kStoredBytes);
    while (codes.size() < num_codes) {
      if (random.OneIn(escapes)) codes.push_back('\xff');
      codes.push_back(static_cast<char>(random.Below(255)));
    }
    room.resize(8 * codes.size() + 64);
    positions.resize(codes.size() + 1);
  }
  FsstSymbolTable Table() const { return *FsstSymbolTable::Parse(AsBytes(stored_table)); }

  std::string stored_table;
  std::string codes;
  std::string room;
  std::vector<uint32_t> positions;
};

void BM_Fsst_Expand(benchmark::State& state) {
  FsstSample sample(static_cast<uint64_t>(state.range(0)));
  const FsstSymbolTable table = sample.Table();
  uint64_t size = 0;
  for (auto _ : state) {
    size = static_cast<uint64_t>(table.Expand(AsBytes(sample.codes), Writable(&sample.room)) -
                                 Writable(&sample.room));
    benchmark::ClobberMemory();
  }
  CountValues(state, sample.codes.size(), size);
}
BENCHMARK(BM_Fsst_Expand)->Arg(1000000)->Arg(100)->Arg(10)->Arg(2);

/// In slices, as chunks are expanded.
void BM_Fsst_ExpandWithPositions(benchmark::State& state) {
  FsstSample sample(static_cast<uint64_t>(state.range(0)), 4000);
  const FsstSymbolTable table = sample.Table();
  uint64_t size = 0;
  for (auto _ : state) {
    size = static_cast<uint64_t>(
        table.Expand(AsBytes(sample.codes), Writable(&sample.room), sample.positions.data()) -
        Writable(&sample.room));
    benchmark::ClobberMemory();
  }
  CountValues(state, sample.codes.size(), size);
}
BENCHMARK(BM_Fsst_ExpandWithPositions)->Arg(1000000)->Arg(100)->Arg(10)->Arg(2);

void BM_Fsst_ExpandScalar(benchmark::State& state) {
  FsstSample sample(static_cast<uint64_t>(state.range(0)));
  const FsstSymbolTable table = sample.Table();
  uint64_t size = 0;
  for (auto _ : state) {
    size = *table.ExpandScalar(AsBytes(sample.codes), Writable(&sample.room));
    benchmark::ClobberMemory();
  }
  CountValues(state, sample.codes.size(), size);
}
BENCHMARK(BM_Fsst_ExpandScalar)->Arg(1000000)->Arg(100)->Arg(10)->Arg(2);

// --- Decoders, as pages call them: chunk after chunk into one buffer ---

void BenchmarkChunks(benchmark::State& state, const pb::CompressiveEncoding& encoding,
                     const ValueShape& shape, const std::vector<std::string>& buffers,
                     uint64_t num_values) {
  const auto decoder = *MakeMiniBlockDecoder(encoding, shape);
  std::vector<std::span<const std::byte>> views;
  for (const std::string& buffer : buffers) views.push_back(AsBytes(buffer));
  constexpr int kChunks = 64;
  ValueBuffer out(shape, nullptr);
  for (auto _ : state) {
    out.Clear();
    for (int i = 0; i < kChunks; ++i) {
      if (!decoder->Decode(views, num_values, &out).ok()) return state.SkipWithError("corrupt");
    }
    benchmark::ClobberMemory();
  }
  CountValues(state, num_values * kChunks, out.bytes.size() + out.offsets.size());
}

pb::CompressiveEncoding Variable() {
  pb::CompressiveEncoding encoding;
  encoding.mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(32);
  return encoding;
}

/// `num_values` values of about `mean` bytes as a Variable chunk.
std::string TextChunk(uint64_t num_values, uint64_t mean, const std::string& bytes) {
  SeededRandom random(4);
  std::string chunk;
  uint64_t end = 4 * (num_values + 1);
  AppendLittleEndian(static_cast<uint32_t>(end), &chunk);
  for (uint64_t i = 0; i < num_values; ++i) {
    end += 1 + random.Below(2 * mean - 1);
    AppendLittleEndian(static_cast<uint32_t>(end), &chunk);
  }
  const uint64_t start = 4 * (num_values + 1);
  return chunk + bytes.substr(0, end - start);
}

void BM_Decode_Flat64(benchmark::State& state) {
  pb::CompressiveEncoding encoding;
  encoding.mutable_flat()->set_bits_per_value(64);
  BenchmarkChunks(state, encoding, {.bits_per_value = 64}, {RandomBytes(4096)}, 512);
}
BENCHMARK(BM_Decode_Flat64);

void BM_Decode_Inline64(benchmark::State& state) {
  const auto width = static_cast<uint64_t>(state.range(0));
  pb::CompressiveEncoding encoding;
  encoding.mutable_inline_bitpacking()->set_uncompressed_bits_per_value(64);
  std::string chunk;
  AppendLittleEndian(width, &chunk);
  chunk += RandomBytes(PackedGroupBytes(width));
  BenchmarkChunks(state, encoding, {.bits_per_value = 64}, {chunk}, 1024);
}
BENCHMARK(BM_Decode_Inline64)->Arg(0)->Arg(20)->Arg(51);

void BM_Decode_Text(benchmark::State& state) {
  const auto mean = static_cast<uint64_t>(state.range(0));
  const uint64_t num_values = 4096 / (mean + 4);
  BenchmarkChunks(state, Variable(), {},
                  {TextChunk(num_values, mean, RandomBytes(4 * num_values * mean))}, num_values);
}
BENCHMARK(BM_Decode_Text)->Arg(8)->Arg(50)->Arg(200);

void BM_Decode_Fsst(benchmark::State& state) {
  const auto mean = static_cast<uint64_t>(state.range(0));
  const uint64_t num_values = 4096 / (mean + 4);
  const FsstSample sample(1000000);
  pb::CompressiveEncoding encoding;
  encoding.mutable_fsst()->set_symbol_table(sample.stored_table);
  *encoding.mutable_fsst()->mutable_values() = Variable();
  BenchmarkChunks(state, encoding, {}, {TextChunk(num_values, mean, sample.codes)}, num_values);
}
BENCHMARK(BM_Decode_Fsst)->Arg(8)->Arg(50)->Arg(200);

/// Levels of a page: blocks of 4096 levels, packed to `width` bits.
void BM_Decode_Levels(benchmark::State& state) {
  const auto width = static_cast<uint64_t>(state.range(0));
  pb::CompressiveEncoding encoding;
  encoding.mutable_out_of_line_bitpacking()->set_uncompressed_bits_per_value(16);
  encoding.mutable_out_of_line_bitpacking()->mutable_values()->mutable_flat()->set_bits_per_value(
      width);
  const ValueShape shape = {.bits_per_value = 16};
  const auto decoder = *MakeBlockDecoder(encoding, shape);
  const std::string block = RandomBytes(4 * PackedGroupBytes(width));
  ValueBuffer out(shape, nullptr);
  for (auto _ : state) {
    out.Clear();
    if (!decoder->Decode(AsBytes(block), 4096, &out).ok()) return state.SkipWithError("corrupt");
    benchmark::ClobberMemory();
  }
  CountValues(state, 4096, out.bytes.size());
}
BENCHMARK(BM_Decode_Levels)->Arg(0)->Arg(1)->Arg(2);

/// Values by their indices, as dictionary pages take them.
void BM_Gather_Text(benchmark::State& state) {
  const auto mean = static_cast<uint64_t>(state.range(0));
  SeededRandom random(5);
  ValueBuffer dictionary(ValueShape{}, nullptr);
  for (int i = 0; i < 1000; ++i) {
    const std::string value = RandomBytes(1 + random.Below(2 * mean - 1));
    dictionary.bytes.Append(AsBytes(value));
    const auto end = static_cast<uint32_t>(dictionary.bytes.size());
    std::memcpy(GrowOffsets(1, &dictionary), &end, sizeof(end));
  }
  std::string indices;
  for (int i = 0; i < 4096; ++i) {
    AppendLittleEndian(static_cast<uint32_t>(random.Below(1000)), &indices);
  }
  ValueBuffer out(ValueShape{}, nullptr);
  for (auto _ : state) {
    out.Clear();
    if (!AppendIndexed(dictionary, Readable(indices), 32, 4096, nullptr, &out).ok()) {
      return state.SkipWithError("corrupt");
    }
    benchmark::ClobberMemory();
  }
  CountValues(state, 4096, out.bytes.size() + out.offsets.size());
}
BENCHMARK(BM_Gather_Text)->Arg(8)->Arg(50);

[[maybe_unused]] const bool registered = [] {
  benchmark::RegisterBenchmark("BM_Unpack_scalar", BenchmarkUnpack, UnpackGroupScalar)
      ->Args({32, 9})
      ->Args({64, 20});
  benchmark::RegisterBenchmark("BM_ExpandRuns_scalar", BenchmarkRuns, ExpandRunsScalar)
      ->Args({32, 20});
  benchmark::RegisterBenchmark("BM_MergeStreams_scalar", BenchmarkMerge, MergeStreamsScalar)
      ->Arg(32)
      ->Arg(64);
  for (const VectorKernels* kernels : RunnableKernels()) RegisterKernels(kernels->name, *kernels);
  return true;
}();

}  // namespace
}  // namespace lance::format
