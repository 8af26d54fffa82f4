#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "vector_checker.h"

namespace lance::vectors {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::filesystem::path VectorFolder() {
  const char* given = std::getenv("LANCE_VECTORS_DIR");
  return given != nullptr && *given != '\0' ? given : LANCE_VECTORS_DEFAULT_DIR;
}

TEST(VectorFolderTest, HoldsTheKnownFilesAndNothingElse) {
  EXPECT_THAT(CheckFolder(VectorFolder()), IsEmpty());
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find('.'));
}

class VectorFileTest : public ::testing::TestWithParam<std::string> {};

TEST_P(VectorFileTest, AgreesWithTheLibraryInEveryCase) {
  EXPECT_THAT(CheckFile(VectorFolder(), GetParam()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, VectorFileTest, ::testing::ValuesIn(KnownFiles()), NameOf);

/// A writable copy of our own vectors, gone with the object.
class CopiedVectors {
 public:
  explicit CopiedVectors(const std::string& name)
      : folder_(std::filesystem::path(::testing::TempDir()) / ("lance_vectors_" + name)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::copy(LANCE_VECTORS_DEFAULT_DIR, folder_);
  }
  CopiedVectors(const CopiedVectors&) = delete;
  CopiedVectors& operator=(const CopiedVectors&) = delete;
  ~CopiedVectors() { std::filesystem::remove_all(folder_); }

  const std::filesystem::path& folder() const { return folder_; }

  std::string Read(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / file).rdbuf();
    return text.str();
  }

  void Write(const std::string& file, const std::string& text) const {
    std::filesystem::remove(folder_ / file);  // the copy may be as read-only as the original
    std::ofstream(folder_ / file) << text;
  }

  /// Replace the first occurrence of `old_text` at or after `after`.
  void Replace(const std::string& file, const std::string& after, const std::string& old_text,
               const std::string& new_text) const {
    std::string text = Read(file);
    const size_t start = text.find(after);
    ASSERT_NE(start, std::string::npos) << after;
    const size_t place = text.find(old_text, start);
    ASSERT_NE(place, std::string::npos) << old_text;
    Write(file, text.replace(place, old_text.size(), new_text));
  }

 private:
  std::filesystem::path folder_;
};

struct ChangedFileCase {
  std::string name;
  std::string file;
  std::string after;
  std::string old_text;
  std::string new_text;
  std::string expected;  // part of a problem
};

void PrintTo(const ChangedFileCase& change, std::ostream* out) { *out << change.name; }

std::string NameOfChange(const ::testing::TestParamInfo<ChangedFileCase>& info) {
  return info.param.name;
}

class VectorCheckerTest : public ::testing::TestWithParam<ChangedFileCase> {};

TEST_P(VectorCheckerTest, ReportsTheChange) {
  const ChangedFileCase& change = GetParam();
  const CopiedVectors copy(change.name);
  ASSERT_NO_FATAL_FAILURE(
      copy.Replace(change.file, change.after, change.old_text, change.new_text));

  EXPECT_THAT(CheckFile(copy.folder(), change.file), Contains(HasSubstr(change.expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, VectorCheckerTest,
    ::testing::ValuesIn<ChangedFileCase>({
        {"CurveKey", "curves.json", "\"keys\"", "\"01\"", "\"00\"", "computed \"01\""},
        {"CurvePoint", "curves.json", "\"points\"", "\"1\"", "\"0\"", "computed \"00\""},
        {"CurvePointTooLarge", "curves.json", "\"points\"", "\"1\"", "\"2\"", "too large"},
        {"CurvePointNoNumber", "curves.json", "\"points\"", "\"1\"", "\"1x\"", "no decimal: 1x"},
        {"CurveName", "curves.json", "\"curve\"", "hilbert", "spiral", "spiral"},
        {"CurveCaseKey", "curves.json", "\"curve\"", "\"bits\"", "\"seed\": 1, \"bits\"",
         "key \"seed\" is unknown"},
        {"CurveCaseKeyGone", "curves.json", "\"curve\"", "\"bits\"", "\"bit\"",
         "key \"bits\" is missing"},
        {"CurveFileKey", "curves.json", "{", "\"about\"", "\"more\": [], \"about\"",
         "key \"more\" is unknown"},
        {"CurveNotJson", "curves.json", "{", "{", "", "parse error"},
        {"FixedDomainKey", "fixed_domain.json", "\"255\"", "ff0", "fe0", "key: computed"},
        {"FixedDomainCoord8", "fixed_domain.json", "\"255\"", "255,", "254,", "coord8: computed"},
        {"FixedDomainCoord16", "fixed_domain.json", "\"255\"", "65280", "65281",
         "coord16: computed"},
        {"FixedDomainValue", "fixed_domain.json", "\"int64\"", "\"0\"", "\"5\"", "key: computed"},
        {"FixedDomainRowKey", "fixed_domain.json", "\"rows\"", "\"key\"", "\"k\": 0, \"key\"",
         "key \"k\" is unknown"},
        {"SamplingPriority", "sampling.json", "\"priorities\"", "2b8f", "2b8e",
         "priority: computed"},
        {"SamplingPosition", "sampling.json", "\"priorities\"", "\"0\"", "\"2\"",
         "priority: computed"},
        {"SamplingEncoded", "sampling.json", "\"decimal128\"", "017f", "017e", "encoded: computed"},
        {"SamplingCoordinate", "sampling.json", "\"queries\"", "1680", "1681", "coord: computed"},
        {"SamplingBits", "sampling.json", "\"ranks\"", "\"bits\": 16", "\"bits\": 15",
         "coord: computed"},
        {"SamplingLimit", "sampling.json", "\"bounded_sample\"", "\"limit\": 8", "\"limit\": 9",
         "kept_positions_in_priority_order: computed"},
        {"SamplingKeptPosition", "sampling.json", "\"kept_positions", "24", "25",
         "kept_positions_in_priority_order: computed"},
        {"SamplingKeptValue", "sampling.json", "\"kept_values", "-39", "-38",
         "kept_values_sorted: computed"},
        {"SamplingQueryKey", "sampling.json", "\"queries\"", "\"coord\"", "\"c\": 1, \"coord\"",
         "key \"c\" is unknown"},
        {"PlannerTask", "planner.json", "one unstamped fragment", "\"tasks\": [\n    [\n     0",
         "\"tasks\": [\n    [\n     1", "\"one unstamped fragment\": tasks: computed [[0]]"},
        {"PlannerRows", "planner.json", "just below a quarter", "\"rows\": 199", "\"rows\": 200",
         "\"just below a quarter is not\": tasks: computed [[0,1]]"},
        {"PlannerBudget", "planner.json", "row budget met exactly", "1600", "1599",
         "\"row budget met exactly\": tasks: computed"},
        {"PlannerNegative", "planner.json", "all stable", "\"id\": 0", "\"id\": -1",
         "\"id\" is no"},
        {"PlannerFragmentKey", "planner.json", "all stable", "\"group\"", "\"grp\": 1, \"group\"",
         "key \"grp\" is unknown"},
        {"PlannerBudgetKey", "planner.json", "row budget met exactly", "\"max_source_rows\"",
         "\"max_rows\"", "key \"max_rows\" is unknown"},
        {"EndToEndSeed", "end_to_end.json", "{", "\"seed\": 1", "\"seed\": 2",
         "keys_sha256: computed"},
        {"EndToEndFirstKey", "end_to_end.json", "\"first_keys\"", "0350a8", "0350a9",
         "first_keys: computed \"0350a8\""},
        {"EndToEndFirstRow", "end_to_end.json", "\"first_sorted_rows\"", "21443", "21444",
         "first_sorted_rows: computed 21443"},
        {"EndToEndKeys", "end_to_end.json", "\"keys_sha256\"", "d75b", "d75c",
         "keys_sha256: computed"},
        {"EndToEndOrder", "end_to_end.json", "\"order_sha256\"", "4400", "4401",
         "order_sha256: computed"},
    }),
    NameOfChange);

TEST(VectorCheckerFolderTest, ReportsAMissingFile) {
  const CopiedVectors copy("missing_file");
  std::filesystem::remove(copy.folder() / "planner.json");

  EXPECT_THAT(CheckFolder(copy.folder()), Contains("planner.json: file is missing"));
  EXPECT_THAT(CheckFile(copy.folder(), "planner.json"), Not(IsEmpty()));
}

TEST(VectorCheckerFolderTest, ReportsAnUnknownFile) {
  const CopiedVectors copy("unknown_file");
  copy.Write("more.json", "{}");

  EXPECT_THAT(CheckFolder(copy.folder()), Contains("more.json: unknown file"));
}

TEST(VectorCheckerFolderTest, ReportsAnEmptyFolder) {
  const CopiedVectors copy("empty_folder");
  for (const std::string& file : KnownFiles()) std::filesystem::remove(copy.folder() / file);

  EXPECT_EQ(CheckFolder(copy.folder()).size(), KnownFiles().size());
}

TEST(VectorCheckerFolderTest, ReportsAMissingFolder) {
  const CopiedVectors copy("missing_folder");

  EXPECT_THAT(CheckFolder(copy.folder() / "not_there"), Contains(HasSubstr("No such file")));
}

TEST(VectorCheckerFolderTest, ReportsAFileWithoutCases) {
  const CopiedVectors copy("no_cases");
  copy.Write("planner.json", R"({"about": "nothing", "cases": []})");

  EXPECT_THAT(CheckFile(copy.folder(), "planner.json"),
              Contains(HasSubstr("\"cases\" is not a list with at least one entry")));
}

}  // namespace
}  // namespace lance::vectors
