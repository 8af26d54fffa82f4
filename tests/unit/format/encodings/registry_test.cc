#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "lance/status_detail.h"
#include "samples.h"

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
       {MakeMiniBlockDecoder(refused.encoding, Single(refused.bits_per_value)).status(),
        MakeBlockDecoder(refused.encoding, Single(refused.bits_per_value)).status()}) {
    ASSERT_TRUE(status.IsNotImplemented()) << status;
    const auto* detail = UnsupportedFeature::From(status);
    ASSERT_NE(detail, nullptr) << status;
    EXPECT_EQ(detail->feature, refused.feature);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, UnsupportedEncodingTest,
    ::testing::ValuesIn<UnsupportedCase>({
        {"GeneralOther", Built([](auto* e) {
           e->mutable_general()->mutable_compression()->set_scheme(
               static_cast<pb::BufferCompression::Scheme>(9));
         }),
         32, "encoding General (scheme 9)"},
        {"Dictionary", Built([](auto* e) { e->mutable_dictionary(); }), 32, "encoding Dictionary"},
        {"Range", Built([](auto* e) { e->mutable_range(); }), 32, "encoding Range"},
        {"Delta", Built([](auto* e) { e->mutable_delta(); }), 32, "encoding Delta"},
        {"RleLengths16", Rle(32, 16), 32, "encoding Rle with wide run lengths"},
        {"RleOverDelta",
         Built([](auto* e) { e->mutable_rle()->mutable_values()->mutable_delta(); }), 32,
         "encoding Delta"},
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
    statuses.push_back(
        MakeMiniBlockDecoder(malformed.encoding, Single(malformed.bits_per_value)).status());
  }
  if (malformed.context != Context::kMini) {
    statuses.push_back(
        MakeBlockDecoder(malformed.encoding, Single(malformed.bits_per_value)).status());
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
        {"VariableOverGeneral", Context::kBoth,
         Built([](auto* e) { e->mutable_variable()->mutable_offsets()->mutable_general(); }), 0,
         "Variable.offsets: encoding is General (scheme 0)"},
        {"GeneralWithoutScheme", Context::kBoth,
         Built([](auto* e) { *e->mutable_general()->mutable_values() = Flat(32); }), 32,
         "has no scheme"},
        {"GeneralOverNothing", Context::kBoth, Zstd({}), 32, "no known encoding is set"},
        {"GeneralOverOtherWidth", Context::kBoth, Zstd(Flat(64)), 32, "values of 64 bits"},
        {"ConstantAlone", Context::kBoth, Constant(), 32, "encoding is Constant"},
        {"SplitInBlock", Context::kBlock, Split(32), 32, "encoding is ByteStreamSplit"},
        {"Split16", Context::kMini, Split(16), 16, "has 16 bits; allowed: 32, 64"},
        {"SplitOtherWidth", Context::kMini, Split(32), 64, "values of 32 bits"},
        {"SplitOverInline", Context::kMini,
         Built([](auto* e) { *e->mutable_byte_stream_split()->mutable_values() = Inline(32); }), 32,
         "ByteStreamSplit.values: encoding is InlineBitpacking"},
        {"ListsInBlock", Context::kBlock, ListOf(2, Flat(32)), 32, "encoding is FixedSizeList"},
        {"RowsInChunk", Context::kMini, PackedRows({}), 0, "encoding is VariablePackedStruct"},
        {"FsstInBlock", Context::kBlock, Fsst("", Variable(32)), 0, "encoding is Fsst"},
        {"FsstForIntegers", Context::kMini, Fsst("", Variable(32)), 32, "the column needs 32"},
        {"FsstOverFlat", Context::kMini, Fsst("", Flat(32)), 0,
         "Fsst.values: encoding is Flat; allowed: Variable"},
        {"FsstDeep", Context::kMini, DeepFsst(), 0, "Fsst.values: encoding is Fsst"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(MakeMiniBlockDecoder, TellsTheNumberOfBuffers) {
  EXPECT_EQ((*MakeMiniBlockDecoder(Flat(32), Single(32)))->num_buffers(), 1);
  EXPECT_EQ((*MakeMiniBlockDecoder(Variable(32), Single(0)))->num_buffers(), 1);
  EXPECT_EQ((*MakeMiniBlockDecoder(Inline(32), Single(32)))->num_buffers(), 1);
  EXPECT_EQ((*MakeMiniBlockDecoder(Rle(32), Single(32)))->num_buffers(), 2);
  EXPECT_EQ((*MakeMiniBlockDecoder(Zstd(Rle(32)), Single(32)))->num_buffers(), 2);
  const ValueShape nested = {.bits_per_value = 8, .dimensions = {2, 3}};
  const auto num_list_buffers = [&](bool outer, bool inner, pb::CompressiveEncoding items) {
    return (*MakeMiniBlockDecoder(ListOf(2, ListOf(3, std::move(items), inner), outer), nested))
        ->num_buffers();
  };
  EXPECT_EQ(num_list_buffers(false, false, Flat(8)), 1);
  EXPECT_EQ(num_list_buffers(true, false, Flat(8)), 2);
  EXPECT_EQ(num_list_buffers(true, true, Flat(8)), 3);
  EXPECT_EQ(num_list_buffers(false, true, Constant()), 1);
}

TEST(CheckGrammarOf21, RefusesVariablePackedStructsWhereverTheyAre) {
  const auto rows = PackedRows({FixedField(Flat(8), 8)});
  for (const auto& encoding : {rows, Zstd(rows), ListOf(2, rows), Fsst("", Lz4(rows))}) {
    const arrow::Status status = CheckGrammarOf21(encoding);
    ASSERT_TRUE(status.IsSerializationError()) << status;
    EXPECT_THAT(status.message(), HasSubstr("VariablePackedStruct"));
  }
}

TEST(CheckGrammarOf21, TakesAllElse) {
  for (const auto& encoding :
       {Flat(1), Variable(64), Inline(8), OutOfLine(16, 0), Rle(16), Split(32), Zstd(Rle(16)),
        Fsst("", Variable(32)), ListOf(2, ListOf(2, Constant(), true)), Packed({8}, 8)}) {
    EXPECT_TRUE(CheckGrammarOf21(encoding).ok()) << encoding.ShortDebugString();
  }
}

TEST(CheckGrammarOf21, DoesNotFollowTreesToTheBottom) {
  const arrow::Status status = CheckGrammarOf21(DeepFsst());

  ASSERT_TRUE(status.IsSerializationError()) << status;
  EXPECT_THAT(status.message(), HasSubstr("nested more than 32 deep"));
}

}  // namespace
}  // namespace lance::format
