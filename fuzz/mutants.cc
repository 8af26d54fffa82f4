#include "fuzz/mutants.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "arrow/memory_pool.h"
#include "fuzz/data_file_parts.h"
#include "fuzz/mutate_message.h"
#include "lance/base/byte_reader.h"
#include "lance/testing/seeded_random.h"

namespace lance::fuzz {
namespace {

using testing::SeededRandom;

// Every mutant is still a file of fewer than 1 MiB.
constexpr size_t kMaxMutantBytes = (1 << 20) - 1;

/// Swap two ranges of the same size, or copy one over the other.
void MoveRange(std::string* bytes, SeededRandom* random) {
  const size_t size = 1 + random->Below(std::min<uint64_t>(bytes->size(), 64));
  const size_t from = random->Below(bytes->size() - size + 1);
  const size_t to = random->Below(bytes->size() - size + 1);
  const std::string moved = bytes->substr(from, size);
  if (random->OneIn(2)) bytes->replace(from, size, bytes->substr(to, size));
  bytes->replace(to, size, moved);
}

/// Replace a number by one that breaks things.
void ChangeNumber(std::string* bytes, SeededRandom* random) {
  const size_t width = std::min(size_t{1} << random->Below(4), bytes->size());
  const size_t at = random->Below(bytes->size() - width + 1);
  uint64_t number = 0;
  std::memcpy(&number, bytes->data() + at, width);
  number = MutateNumber(number, random);
  std::memcpy(bytes->data() + at, &number, width);
}

/// Change some bytes once.
void ChangeBytes(SeededRandom* random, std::string* bytes, size_t max_size) {
  if (bytes->empty()) return bytes->resize(std::min<size_t>(max_size, random->Below(20)));
  const size_t at = random->Below(bytes->size());
  char& byte = (*bytes)[at];
  switch (random->Below(10)) {
    case 0:
    case 1:
      byte = static_cast<char>(byte ^ 1 << random->Below(8));
      return;
    case 2:
    case 3:
      byte = static_cast<char>(random->Next());
      return;
    case 4:
      return bytes->resize(
          random->OneIn(4) ? at : bytes->size() - std::min<size_t>(bytes->size(), 1 + at % 9));
    case 5:
      if (bytes->size() < max_size) {
        bytes->insert(at, std::min<size_t>(max_size - bytes->size(), 1 + random->Below(16)),
                      static_cast<char>(random->Next()));
      }
      return;
    case 6:
      bytes->erase(at, 1 + random->Below(16));
      return;
    case 7:
      return MoveRange(bytes, random);
    default:
      return ChangeNumber(bytes, random);
  }
}

}  // namespace

std::string MakeMutant(const MutantSources& sources, uint64_t seed, uint64_t number) {
  SeededRandom random(seed * 0x9E3779B97F4A7C15u + number);
  std::string mutant = sources[random.Below(sources.size())];
  const ByteMutator change_bytes = [&](std::string* bytes, size_t max_size) {
    do {
      ChangeBytes(&random, bytes, max_size);
    } while (random.OneIn(2));
  };
  do {
    MutateDataFile(&mutant, kMaxMutantBytes, random.Next(), change_bytes);
    if (random.OneIn(10)) {
      CrossDataFiles(&mutant, AsBytes(sources[random.Below(sources.size())]), random.Next());
    }
  } while (random.OneIn(3));
  mutant.resize(std::min(mutant.size(), kMaxMutantBytes));
  return mutant;
}

std::string ReadMutant(const MutantSources& sources, uint64_t seed, uint64_t number,
                       MutantStatistics* statistics) {
  using Clock = std::chrono::steady_clock;
  const std::string mutant = MakeMutant(sources, seed, number);
  // Far above what is allowed, so that a mutant that takes too much is found and not refused.
  arrow::ProxyMemoryPool tracked(arrow::default_memory_pool());
  arrow::CappedMemoryPool pool(&tracked, 8 * kMaxPoolBytes);
  const auto start = Clock::now();
  ReadReport report = ReadDataFile(AsBytes(mutant), &pool);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ++statistics->num_read;
  statistics->num_open += report.is_open ? 1 : 0;
  statistics->num_whole += report.is_whole ? 1 : 0;
  if (tracked.max_memory() > statistics->peak_bytes) {
    statistics->peak_bytes = tracked.max_memory();
    statistics->peak_mutant = number;
  }
  if (seconds > statistics->longest_seconds) {
    statistics->longest_seconds = seconds;
    statistics->longest_mutant = number;
  }
  if (report.defect.empty() && tracked.max_memory() >= kMaxPoolBytes) {
    report.defect = "takes " + std::to_string(tracked.max_memory()) + " bytes of memory";
  }
  return std::move(report.defect);
}

}  // namespace lance::fuzz
