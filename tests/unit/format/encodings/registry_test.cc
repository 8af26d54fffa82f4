#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "encodings_samples.h"
#include "lance/status_detail.h"

namespace lance::format {
namespace {

using ::testing::HasSubstr;

pb::CompressiveEncoding Built(const std::function<void(pb::CompressiveEncoding*)>& build) {
  pb::CompressiveEncoding encoding;
  build(&encoding);
  return encoding;
}

struct UnsupportedCase {
  std::string name;
  pb::CompressiveEncoding encoding;
  uint32_t bits_per_value;
  std::string feature;
};

class UnsupportedEncodingTest : public ::testing::TestWithParam<UnsupportedCase> {};

TEST_P(UnsupportedEncodingTest, IsNamedInEveryContext) {
  const UnsupportedCase& refused = GetParam();

  for (const arrow::Status& status :
       {MakeMiniBlockDecoder(refused.encoding, refused.bits_per_value).status(),
        MakeBlockDecoder(refused.encoding, refused.bits_per_value).status()}) {
    ASSERT_TRUE(status.IsNotImplemented()) << status;
    const auto* detail = UnsupportedFeature::From(status);
    ASSERT_NE(detail, nullptr) << status;
    EXPECT_EQ(detail->feature, refused.feature);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, UnsupportedEncodingTest,
    ::testing::ValuesIn<UnsupportedCase>({
        {"GeneralZstd", Built([](auto* e) {
           e->mutable_general()->mutable_compression()->set_scheme(pb::BufferCompression::ZSTD);
         }),
         32, "encoding General (zstd)"},
        {"GeneralLz4", Built([](auto* e) {
           e->mutable_general()->mutable_compression()->set_scheme(pb::BufferCompression::LZ4);
         }),
         32, "encoding General (lz4)"},
        {"GeneralOther", Built([](auto* e) {
           e->mutable_general()->mutable_compression()->set_scheme(
               static_cast<pb::BufferCompression::Scheme>(9));
         }),
         32, "encoding General (scheme 9)"},
        {"Constant", Built([](auto* e) { e->mutable_constant(); }), 32, "encoding Constant"},
        {"Dictionary", Built([](auto* e) { e->mutable_dictionary(); }), 32, "encoding Dictionary"},
        {"ByteStreamSplit", Built([](auto* e) { e->mutable_byte_stream_split(); }), 32,
         "encoding ByteStreamSplit"},
        {"FixedSizeList", Built([](auto* e) { e->mutable_fixed_size_list(); }), 32,
         "encoding FixedSizeList"},
        {"PackedStruct", Built([](auto* e) { e->mutable_packed_struct(); }), 32,
         "encoding PackedStruct"},
        {"VariablePackedStruct", Built([](auto* e) { e->mutable_variable_packed_struct(); }), 0,
         "encoding VariablePackedStruct"},
        {"Range", Built([](auto* e) { e->mutable_range(); }), 32, "encoding Range"},
        {"Delta", Built([](auto* e) { e->mutable_delta(); }), 32, "encoding Delta"},
        {"RleLengths16", Rle(32, 16), 32, "encoding Rle with wide run lengths"},
        {"RleOverDelta",
         Built([](auto* e) { e->mutable_rle()->mutable_values()->mutable_delta(); }), 32,
         "encoding Delta"},
        {"VariableOverGeneral",
         Built([](auto* e) { e->mutable_variable()->mutable_offsets()->mutable_general(); }), 0,
         "encoding General (scheme 0)"},
        {"FlatCompressed", Built([](auto* e) { e->mutable_flat()->mutable_data(); }), 32,
         "encoding Flat with a compressed buffer"},
        {"VariableCompressed", Built([](auto* e) { e->mutable_variable()->mutable_values(); }), 0,
         "encoding Variable with a compressed buffer"},
        {"InlineCompressed",
         Built([](auto* e) { e->mutable_inline_bitpacking()->mutable_values(); }), 32,
         "encoding InlineBitpacking with a compressed buffer"},
    }),
    [](const auto& test) { return test.param.name; });

enum class Context { kMini, kBlock, kBoth };

struct MalformedCase {
  std::string name;
  Context context;
  pb::CompressiveEncoding encoding;
  uint32_t bits_per_value;
  std::string expected;
};

class MalformedEncodingTest : public ::testing::TestWithParam<MalformedCase> {};

TEST_P(MalformedEncodingTest, IsRefusedNamingTheFault) {
  const MalformedCase& malformed = GetParam();
  std::vector<arrow::Status> statuses;
  if (malformed.context != Context::kBlock) {
    statuses.push_back(MakeMiniBlockDecoder(malformed.encoding, malformed.bits_per_value).status());
  }
  if (malformed.context != Context::kMini) {
    statuses.push_back(MakeBlockDecoder(malformed.encoding, malformed.bits_per_value).status());
  }

  for (const arrow::Status& status : statuses) {
    ASSERT_TRUE(status.IsSerializationError()) << status;
    EXPECT_THAT(status.message(), HasSubstr(malformed.expected));
  }
}

/// Fsst in Fsst in Fsst ...: nothing may walk it to the bottom.
pb::CompressiveEncoding DeepFsst() {
  pb::CompressiveEncoding encoding = Variable(32);
  for (int i = 0; i < 200; ++i) {
    pb::CompressiveEncoding outer;
    outer.mutable_fsst()->mutable_values()->Swap(&encoding);
    encoding.Swap(&outer);
  }
  return encoding;
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedEncodingTest,
    ::testing::ValuesIn<MalformedCase>({
        {"Unset", Context::kBoth, {}, 32, "no known encoding is set"},
        {"FlatZeroBits", Context::kBoth, Flat(0), 32, "bits_per_value is 0; allowed: 1 and"},
        {"FlatOddBits", Context::kBoth, Flat(12), 12, "bits_per_value is 12"},
        {"FlatOtherWidth", Context::kBoth, Flat(32), 64, "values of 32 bits, the column needs 64"},
        {"FlatTruncatedWidth", Context::kBoth, Flat((uint64_t{1} << 32) + 32), 32,
         "the column needs 32"},
        {"FlatForStrings", Context::kBoth, Flat(32), 0, "the column needs variable width"},
        {"VariableForIntegers", Context::kBoth, Variable(32), 32, "the column needs 32 bits"},
        {"VariableOffsets16", Context::kBoth, Variable(16), 0, "16 bits; allowed: 32, 64"},
        {"VariableNoOffsets", Context::kBoth, Built([](auto* e) { e->mutable_variable(); }), 0,
         "Variable.offsets: no known encoding is set"},
        {"VariablePackedOffsets", Context::kBoth,
         Built([](auto* e) { *e->mutable_variable()->mutable_offsets() = Inline(32); }), 0,
         "Variable.offsets: encoding is InlineBitpacking; allowed: Flat"},
        {"Inline24", Context::kBoth, Inline(24), 24, "is 24; allowed: 8, 16, 32, 64"},
        {"InlineOtherWidth", Context::kBoth, Inline(8), 16, "values of 8 bits"},
        {"OutOfLineInChunk", Context::kMini, OutOfLine(16, 1), 16,
         "mini-block values: encoding is OutOfLineBitpacking"},
        {"OutOfLine128", Context::kBlock, OutOfLine(128, 1), 128, "is 128; allowed"},
        {"OutOfLineOtherWidth", Context::kBlock, OutOfLine(32, 1), 16, "values of 32 bits"},
        {"OutOfLineWidthAboveType", Context::kBlock, OutOfLine(16, 17), 16,
         "has 17 bits; allowed: 0 to 16"},
        {"OutOfLineNoValues", Context::kBlock, Built([](auto* e) {
           e->mutable_out_of_line_bitpacking()->set_uncompressed_bits_per_value(16);
         }),
         16, "OutOfLineBitpacking.values: no known encoding is set"},
        {"Rle128", Context::kBoth, Rle(128), 128, "has 128 bits; allowed: 8, 16, 32, 64"},
        {"RleOtherWidth", Context::kBoth, Rle(32), 64, "values of 32 bits"},
        {"RleNoLengths", Context::kBoth,
         Built([](auto* e) { *e->mutable_rle()->mutable_values() = Flat(8); }), 8,
         "Rle.run_lengths: no known encoding is set"},
        {"FsstInBlock", Context::kBlock, Fsst("", Variable(32)), 0, "encoding is Fsst"},
        {"FsstForIntegers", Context::kMini, Fsst("", Variable(32)), 32, "the column needs 32"},
        {"FsstOverFlat", Context::kMini, Fsst("", Flat(32)), 0,
         "Fsst.values: encoding is Flat; allowed: Variable"},
        {"FsstDeep", Context::kMini, DeepFsst(), 0, "Fsst.values: encoding is Fsst"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(MakeMiniBlockDecoder, TellsTheNumberOfBuffers) {
  EXPECT_EQ((*MakeMiniBlockDecoder(Flat(32), 32))->num_buffers(), 1);
  EXPECT_EQ((*MakeMiniBlockDecoder(Variable(32), 0))->num_buffers(), 1);
  EXPECT_EQ((*MakeMiniBlockDecoder(Inline(32), 32))->num_buffers(), 1);
  EXPECT_EQ((*MakeMiniBlockDecoder(Rle(32), 32))->num_buffers(), 2);
}

}  // namespace
}  // namespace lance::format
