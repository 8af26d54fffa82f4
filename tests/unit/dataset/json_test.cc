#include "lance/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "lance/base/status_detail.h"

namespace lance {
namespace {

using ::testing::HasSubstr;

struct ExitCase {
  std::string name;
  arrow::Status status;
  int exit_code;
};

class ExitCodeTest : public ::testing::TestWithParam<ExitCase> {};

TEST_P(ExitCodeTest, IsTheDocumentedOne) {
  EXPECT_EQ(ExitCode(GetParam().status), GetParam().exit_code);
}

INSTANTIATE_TEST_SUITE_P(
    All, ExitCodeTest,
    ::testing::ValuesIn<ExitCase>({
        {"Success", arrow::Status::OK(), 0},
        {"OurBug", InternalError("x"), 1},
        {"WrongRequest", arrow::Status::Invalid("x"), 2},
        {"NotThere", NotFoundError("table", "t", "no table t"), 3},
        {"Storage", arrow::Status::IOError("x"), 4},
        {"RetryableConflict",
         WithDetail(arrow::Status::AlreadyExists("x"),
                    std::make_shared<CommitConflict>(3, "Append", true)),
         5},
        {"UnknownOutcome",
         WithDetail(arrow::Status::UnknownError("x"), std::make_shared<CommitUnknown>("u", 3)), 6},
        {"Corrupt", arrow::Status::SerializationError("x"), 7},
        {"NotSupported", UnsupportedError("x", "x"), 8},
        {"OverBudget", arrow::Status::CapacityError("x"), 9},
        {"FinalConflict",
         WithDetail(arrow::Status::AlreadyExists("x"),
                    std::make_shared<CommitConflict>(3, "Overwrite", false)),
         10},
        {"Exists", arrow::Status::AlreadyExists("x"), 10},
        {"Stopped", arrow::Status::Cancelled("x"), 130},
    }),
    [](const auto& tested) { return tested.param.name; });

TEST(ErrorJson, CarriesCodeMessageAndDetail) {
  const auto json = nlohmann::json::parse(ToJson(WithDetail(
      arrow::Status::AlreadyExists("lost"), std::make_shared<CommitConflict>(7, "Rewrite", true))));

  EXPECT_EQ(json["error"]["message"], "lost");
  EXPECT_EQ(json["error"]["exit"], 5);
  EXPECT_EQ(json["error"]["retryable"], true);
  EXPECT_EQ(json["error"]["detail"]["type"], "CommitConflict");
  EXPECT_EQ(json["error"]["detail"]["version"], 7);
  EXPECT_EQ(json["error"]["detail"]["operation"], "Rewrite");
}

TEST(ErrorJson, ReplacesBytesThatAreNotUtf8) {
  EXPECT_THAT(ToJson(arrow::Status::Invalid("bad \xff byte")), HasSubstr("bad"));
}

TEST(SpecJson, IsTheFiveKeysOrNull) {
  EXPECT_EQ(ToJson(std::optional<ClusteringSpec>()), "null");
  EXPECT_EQ(ToJson(std::optional(ClusteringSpec{.columns = {"a", "b"}, .version = 3})),
            R"({"columns":["a","b"],"curve":"hilbert","version":3,"bits_per_dim":16,)"
            R"("algorithm":"quantile-rank-v1"})");
}

TEST(StatisticsJson, WritesIntegersOf64BitsAndDoublesThatJsonLacks) {
  ScanStatistics statistics;
  statistics.bytes_read = UINT64_MAX;
  statistics.seconds = std::numeric_limits<double>::infinity();

  const std::string text = ToJson(statistics);

  EXPECT_THAT(text, HasSubstr(R"("bytes_read":18446744073709551615)"));
  EXPECT_THAT(text, HasSubstr(R"("seconds":"Infinity")"));
  EXPECT_THAT(text, HasSubstr(R"("kind":"scan_statistics","format":1)"));
}

}  // namespace
}  // namespace lance
