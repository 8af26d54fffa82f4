#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fuzz/read_data_file.h"

namespace lance::fuzz {

/// Files from which mutants are made: reference-written ones or our own, below 1 MiB each.
using MutantSources = std::vector<std::string>;

/// What came of the mutants that were read so far. A plain value.
struct MutantStatistics {
  uint64_t num_read = 0;
  /// That could be opened, and that could be read as a whole.
  uint64_t num_open = 0;
  uint64_t num_whole = 0;
  /// The most that one took from the memory pool, and which one it was.
  int64_t peak_bytes = 0;
  uint64_t peak_mutant = 0;
  /// The longest that one took.
  double longest_seconds = 0;
  uint64_t longest_mutant = 0;
};

/// Make a mutant: one of the files with bytes, ranges, messages or sizes changed.
///
/// \param number with the seed it decides everything: the same numbers give the same mutant
std::string MakeMutant(const MutantSources& sources, uint64_t seed, uint64_t number);

/// Make a mutant and read all of it.
///
/// \return the promise that it broke, memory included; empty: none
std::string ReadMutant(const MutantSources& sources, uint64_t seed, uint64_t number,
                       MutantStatistics* statistics);

}  // namespace lance::fuzz
