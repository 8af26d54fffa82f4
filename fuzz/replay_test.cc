// Hands every input that once broke a target, and a few good ones, to the targets.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lance::fuzz {
namespace {

namespace fs = std::filesystem;

/// The files for a target, in a fixed order.
std::vector<fs::path> InputsOf(std::string_view target) {
  std::vector<fs::path> inputs;
  for (const char* kind : {"corpus", "regressions"}) {
    const fs::path folder = fs::path(LANCE_FUZZ_FOLDER) / kind / target;
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) inputs.push_back(entry.path());
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

class FuzzReplay : public ::testing::TestWithParam<RegisteredTarget> {};

TEST_P(FuzzReplay, SurvivesWhatBrokeIt) {
  const std::vector<fs::path> inputs = InputsOf(GetParam().name);
  ASSERT_FALSE(inputs.empty()) << "fuzz/corpus has nothing for the target";
  for (const fs::path& path : inputs) {
    SCOPED_TRACE(path);
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    GetParam().run(std::as_bytes(std::span(bytes)));
  }
}

TEST_P(FuzzReplay, SurvivesNothing) { GetParam().run({}); }

INSTANTIATE_TEST_SUITE_P(All, FuzzReplay, ::testing::ValuesIn(RegisteredTargets()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(FuzzFolders, AreThoseOfTargets) {
  for (const char* kind : {"corpus", "regressions"}) {
    const fs::path folder = fs::path(LANCE_FUZZ_FOLDER) / kind;
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      const auto& targets = RegisteredTargets();
      EXPECT_TRUE(std::any_of(targets.begin(), targets.end(),
                              [&](const RegisteredTarget& target) { return target.name == name; }))
          << entry.path() << " is no target's folder";
    }
  }
}

}  // namespace
}  // namespace lance::fuzz
