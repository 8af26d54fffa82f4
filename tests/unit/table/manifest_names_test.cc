#include "lance/table/manifest_names.h"

#include <gtest/gtest.h>

#include "lance/testing/matchers.h"

namespace lance::table {
namespace {

TEST(ManifestFileName, FollowsTheScheme) {
  EXPECT_EQ(ManifestFileName(1, NamingScheme::kV1), "1.manifest");
  EXPECT_EQ(ManifestFileName(1, NamingScheme::kV2), "18446744073709551614.manifest");
  EXPECT_EQ(ManifestFileName(uint64_t{1} << 62, NamingScheme::kV2),
            "13835058055282163711.manifest");
  EXPECT_EQ(ManifestFileName(9223372036854775813u, NamingScheme::kV2),
            "d9223372036854775813.manifest");
  EXPECT_EQ(ManifestPath(7, NamingScheme::kV1), "_versions/7.manifest");
}

TEST(TransactionFileName, HasReadVersionAndUuid) {
  EXPECT_EQ(TransactionFileName(5, "550e8400-e29b-41d4-a716-446655440000"),
            "5-550e8400-e29b-41d4-a716-446655440000.txn");
}

struct NameCase {
  std::string file_name;
  std::optional<ManifestName> expected;
};

class ParseManifestNameTest : public ::testing::TestWithParam<NameCase> {};

TEST_P(ParseManifestNameTest, Recognises) {
  EXPECT_EQ(ParseManifestName(GetParam().file_name), GetParam().expected) << GetParam().file_name;
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseManifestNameTest,
    ::testing::ValuesIn<NameCase>({
        {"1.manifest", ManifestName{1, NamingScheme::kV1, false}},
        {"12345.manifest", ManifestName{12345, NamingScheme::kV1, false}},
        {"18446744073709551613.manifest", ManifestName{2, NamingScheme::kV2, false}},
        {"d9223372036854775813.manifest",
         ManifestName{9223372036854775813u, NamingScheme::kV2, true}},
        {"", std::nullopt},
        {".manifest", std::nullopt},
        {"0.manifest", std::nullopt},
        {"01.manifest", std::nullopt},
        {"-1.manifest", std::nullopt},
        {"1.manifest#1", std::nullopt},
        {"1.manifest-550e8400-e29b-41d4-a716-446655440000", std::nullopt},
        {"1.x.manifest", std::nullopt},
        {"1manifest", std::nullopt},
        {"d1.manifest", std::nullopt},                    // detached versions have bit 63 set
        {"00000000000000000001.manifest", std::nullopt},  // an ordinary name of a detached version
        {"18446744073709551615.manifest", std::nullopt},  // version 0
        {"99999999999999999999.manifest", std::nullopt},
        {"latest_version_hint.json", std::nullopt},
        {".tmp_550e8400-e29b-41d4-a716-446655440000", std::nullopt},
    }));

}  // namespace
}  // namespace lance::table
