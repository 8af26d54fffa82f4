#include "lance/format/encode/encoding_hints.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsInvalid;
using testing::IsOk;

FieldNode WithMetadata(std::map<std::string, std::string> metadata) {
  FieldNode node;
  node.metadata = std::move(metadata);
  return node;
}

arrow::Result<EncodingHints> ParseLeaf(const std::string& key, const std::string& value) {
  return ParseEncodingHints(FieldNode(), WithMetadata({{"lance-encoding:" + key, value}}));
}

TEST(EncodingHints, AreTheDefaultsWithoutMetadata) {
  const auto hints = ParseEncodingHints(FieldNode(), FieldNode());

  ASSERT_THAT(hints, IsOk());
  EXPECT_EQ(hints->compression, Compression::kDefault);
  EXPECT_EQ(hints->compression_level, std::nullopt);
  EXPECT_EQ(hints->rle_threshold, std::nullopt);
  EXPECT_EQ(hints->byte_stream_split, ByteStreamSplitMode::kAuto);
  EXPECT_EQ(hints->dict_divisor, 2u);
  EXPECT_EQ(hints->dict_size_ratio, 0.8);
  EXPECT_EQ(hints->dict_max_bytes, 8'388'608u);
  EXPECT_EQ(hints->dict_compression, Compression::kLz4);
  EXPECT_EQ(hints->dict_compression_level, std::nullopt);
  EXPECT_EQ(hints->mini_chunk_bytes, 4096u);
  EXPECT_EQ(hints->structural, StructuralEncoding::kDefault);
}

TEST(EncodingHints, TakeEveryCompression) {
  EXPECT_EQ(ParseLeaf("compression", "none")->compression, Compression::kNone);
  EXPECT_EQ(ParseLeaf("compression", "lz4")->compression, Compression::kLz4);
  EXPECT_EQ(ParseLeaf("compression", "zstd")->compression, Compression::kZstd);
  EXPECT_EQ(ParseLeaf("compression", "fsst")->compression, Compression::kFsst);
  EXPECT_EQ(ParseLeaf("compression-level", "-3")->compression_level, -3);
}

TEST(EncodingHints, TakeEveryModeOfByteStreamSplit) {
  EXPECT_EQ(ParseLeaf("bss", "off")->byte_stream_split, ByteStreamSplitMode::kOff);
  EXPECT_EQ(ParseLeaf("bss", "on")->byte_stream_split, ByteStreamSplitMode::kOn);
  EXPECT_EQ(ParseLeaf("bss", "auto")->byte_stream_split, ByteStreamSplitMode::kAuto);
}

TEST(EncodingHints, TakeNumbers) {
  EXPECT_EQ(ParseLeaf("rle-threshold", "0.25")->rle_threshold, 0.25);
  EXPECT_EQ(ParseLeaf("dict-divisor", "10")->dict_divisor, 10u);
  EXPECT_EQ(ParseLeaf("dict-size-ratio", "1")->dict_size_ratio, 1.0);
  EXPECT_EQ(ParseLeaf("dict-max-size", "0")->dict_max_bytes, 0u);
  EXPECT_EQ(ParseLeaf("minichunk-size", "64")->mini_chunk_bytes, 64u);
  EXPECT_EQ(ParseLeaf("dict-values-compression-level", "7")->dict_compression_level, 7);
}

TEST(EncodingHints, TakeCompressionsOfDictionaries) {
  EXPECT_EQ(ParseLeaf("dict-values-compression", "lz4")->dict_compression, Compression::kLz4);
  EXPECT_EQ(ParseLeaf("dict-values-compression", "zstd")->dict_compression, Compression::kZstd);
  EXPECT_EQ(ParseLeaf("dict-values-compression", "none")->dict_compression, Compression::kNone);
}

TEST(EncodingHints, TakeTheStructureFromTheTopLevelField) {
  const auto zip = WithMetadata({{"lance-encoding:structural-encoding", "fullzip"}});
  const auto mini = WithMetadata({{"lance-encoding:structural-encoding", "miniblock"}});

  EXPECT_EQ(ParseEncodingHints(zip, FieldNode())->structural, StructuralEncoding::kFullZip);
  EXPECT_EQ(ParseEncodingHints(mini, zip)->structural, StructuralEncoding::kMiniBlock);
  EXPECT_EQ(ParseEncodingHints(FieldNode(), zip)->structural, StructuralEncoding::kDefault);
}

TEST(EncodingHints, TakeAllElseFromTheLeaf) {
  const auto top = WithMetadata({{"lance-encoding:compression", "zstd"}});

  EXPECT_EQ(ParseEncodingHints(top, FieldNode())->compression, Compression::kDefault);
}

struct RefusedHint {
  std::string name;
  std::string key;
  std::string value;
  std::string allowed;
};

class EncodingHintsRefused : public ::testing::TestWithParam<RefusedHint> {};

TEST_P(EncodingHintsRefused, NameKeyValueAndWhatIsAllowed) {
  const RefusedHint& hint = GetParam();

  EXPECT_THAT(
      ParseLeaf(hint.key, hint.value),
      IsInvalid(AllOf(HasSubstr("lance-encoding:" + hint.key + " is \"" + hint.value + "\""),
                      HasSubstr("allowed: " + hint.allowed))));
}

INSTANTIATE_TEST_SUITE_P(
    All, EncodingHintsRefused,
    ::testing::ValuesIn<RefusedHint>({
        {"Compression", "compression", "snappy", "none, lz4, zstd, fsst"},
        {"CompressionCase", "compression", "ZSTD", "none, lz4, zstd, fsst"},
        {"EmptyCompression", "compression", "", "none, lz4, zstd, fsst"},
        {"Level", "compression-level", "fast", "an integer"},
        {"LevelWithRest", "compression-level", "3x", "an integer"},
        {"Threshold", "rle-threshold", "-0.5", "a number, 0 or more"},
        {"ThresholdNan", "rle-threshold", "nan", "a number, 0 or more"},
        {"Split", "bss", "yes", "off, on, auto"},
        {"Divisor", "dict-divisor", "0", "an integer, 1 or more"},
        {"NegativeDivisor", "dict-divisor", "-2", "an integer, 1 or more"},
        {"RatioZero", "dict-size-ratio", "0", "a number above 0, up to 1"},
        {"RatioAboveOne", "dict-size-ratio", "1.01", "a number above 0, up to 1"},
        {"MaxSize", "dict-max-size", "8MB", "an integer, 0 or more"},
        {"DictionaryCompression", "dict-values-compression", "fsst", "lz4, zstd, none"},
        {"DictionaryLevel", "dict-values-compression-level", "", "an integer"},
        {"Chunk", "minichunk-size", "0", "an integer, 1 or more"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(EncodingHints, RefuseAStructureOfNoReleasedVersion) {
  const auto top = WithMetadata({{"lance-encoding:structural-encoding", "sparse"}});

  EXPECT_THAT(ParseEncodingHints(top, FieldNode()),
              IsInvalid(AllOf(HasSubstr("structural-encoding is \"sparse\""),
                              HasSubstr("allowed: miniblock, fullzip"))));
}

}  // namespace
}  // namespace lance::format
