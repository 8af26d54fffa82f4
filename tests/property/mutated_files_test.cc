// Law: whatever was done to a data file, reading it gives valid arrays or a status, and takes
// little memory.

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/mutants.h"
#include "fuzz/random_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/base/byte_reader.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance::fuzz {
namespace {

namespace fs = std::filesystem;

using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;
using lance::testing::TestSeed;

/// Small files that the reference implementation wrote: seeds of the fuzz target for whole files.
MutantSources ReferenceFiles() {
  MutantSources sources;
  for (const auto& entry : fs::directory_iterator(LANCE_FUZZ_FOLDER "/corpus/data_file")) {
    std::ifstream file(entry.path(), std::ios::binary);
    sources.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return sources;
}

/// Files that our writer makes of random rows, of all versions.
MutantSources OwnFiles() {
  MutantSources sources;
  SeededRandom random;
  while (sources.size() < 40) {
    const auto file = WriteRandomFile(random.OneIn(4) ? 3000 : 100, &random);
    if (file.ok() && file->bytes.size() < (1 << 20)) sources.push_back(file->bytes);
  }
  return sources;
}

void ExpectHarmless(const MutantSources& sources, uint64_t num_mutants) {
  SCOPED_TRACE(SeedMessage());
  ASSERT_FALSE(sources.empty());
  MutantStatistics statistics;
  for (uint64_t i = 0; i < num_mutants; ++i) {
    EXPECT_EQ(ReadMutant(sources, TestSeed(), i, &statistics), "") << "mutant " << i;
  }
  // Mutants that no one can open test nothing behind the footer; those that can all be read
  // neither.
  EXPECT_GT(statistics.num_open, num_mutants / 3);
  EXPECT_LT(statistics.num_whole, statistics.num_open);
  EXPECT_LT(statistics.peak_bytes, kMaxPoolBytes);
  EXPECT_LT(statistics.longest_seconds, 20) << "mutant " << statistics.longest_mutant;
}

TEST(MutatedFiles, AreHarmlessWhenTheReferenceWroteThem) {
  ExpectHarmless(ReferenceFiles(), static_cast<uint64_t>(NumRounds(300, 20)));
}

TEST(MutatedFiles, AreHarmlessWhenWeWroteThem) {
  ExpectHarmless(OwnFiles(), static_cast<uint64_t>(NumRounds(300, 20)));
}

TEST(MutatedFiles, AreReadAsAWholeWhenNothingWasDone) {
  for (const MutantSources& sources : {ReferenceFiles(), OwnFiles()}) {
    for (const std::string& source : sources) {
      const ReadReport report = ReadDataFile(AsBytes(source), nullptr);
      EXPECT_TRUE(report.is_open);
      EXPECT_EQ(report.defect, "");
    }
  }
}

}  // namespace
}  // namespace lance::fuzz
