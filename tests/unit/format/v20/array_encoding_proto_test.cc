#include "lance/format/v20/array_encoding_proto.h"

#include <string>
#include <variant>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_columns.h"
#include "lance/testing/matchers.h"

namespace lance::format::v20 {
namespace {

using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

arrow::Result<ArrayEncoding> ParseBytes(const std::string& message, size_t num_buffers) {
  PageMetadata page;
  page.buffers.resize(num_buffers);
  page.encoding = PackEncoding(message, kArrayEncodingType);
  return ParseArrayEncoding(page);
}

arrow::Result<ArrayEncoding> ParseText(const std::string& text, size_t num_buffers = 3) {
  PageMetadata page;
  page.buffers.resize(num_buffers);
  page.encoding = EncodingOf(text);
  return ParseArrayEncoding(page);
}

// Nullable.no_nulls.Flat{64, buffer 0}, of file-format 13.1.
const std::string kPublishedFlat("\x12\x0a\x0a\x08\x0a\x06\x0a\x04\x08\x40\x12\x00", 12);

// Binary with null_adjustment 70, of file-format 13.2.
const std::string kPublishedBinary(
    "\x32\x1a\x0a\x0c\x12\x0a\x0a\x08\x0a\x06\x0a\x04\x08\x40\x12\x00\x12\x08\x0a\x06\x08\x08\x12"
    "\x02\x08\x01\x18\x46",
    28);

TEST(ParseArrayEncoding, ReadsPublishedFlat) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto encoding, ParseBytes(kPublishedFlat, 1));

  const auto& fixed = std::get<FixedWidthEncoding>(encoding.form);
  ASSERT_EQ(fixed.levels.size(), 1u);
  EXPECT_EQ(fixed.levels[0].nulls, Nulls::kNone);
  ASSERT_TRUE(fixed.values.has_value());
  EXPECT_EQ(fixed.values->form, FixedValues::Form::kFlat);
  EXPECT_EQ(fixed.values->bits_per_value, 64u);
  EXPECT_EQ(fixed.values->buffer, 0u);
}

TEST(ParseArrayEncoding, ReadsPublishedBinary) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto encoding, ParseBytes(kPublishedBinary, 2));

  const auto& binary = std::get<BinaryEncoding>(encoding.form);
  EXPECT_EQ(binary.ends.bits_per_value, 64u);
  EXPECT_EQ(binary.ends.buffer, 0u);
  EXPECT_EQ(binary.bytes.buffer, 1u);
  EXPECT_EQ(binary.null_adjustment, 70u);
}

TEST(ParseArrayEncoding, ReadsLevelsOfFixedSizeLists) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto encoding,
      ParseText(SomeNulls(0, "fixed_size_list { dimension: 2 items { " +
                                 SomeNulls(1,
                                           "fixed_size_list { dimension: 3 items { nullable { "
                                           "all_nulls {} } } }") +
                                 " } }")));

  const auto& fixed = std::get<FixedWidthEncoding>(encoding.form);
  EXPECT_THAT(fixed.dimensions, ElementsAre(2, 3));
  ASSERT_EQ(fixed.levels.size(), 3u);
  EXPECT_EQ(fixed.levels[1].validity_buffer, 1u);
  EXPECT_EQ(fixed.levels[2].nulls, Nulls::kAll);
  EXPECT_FALSE(fixed.values.has_value());
}

TEST(SerializeArrayEncoding, WritesPublishedBytes) {
  for (const auto& [message, num_buffers] :
       {std::pair{kPublishedFlat, 1}, std::pair{kPublishedBinary, 2}}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto encoding, ParseBytes(message, num_buffers));

    const std::string written = SerializeArrayEncoding(encoding);

    EXPECT_EQ(written, PackEncoding(message, kArrayEncodingType));
  }
}

/// A message and its name.
struct TextCase {
  const char* name;
  std::string text;
};

class WrittenAsRead : public ::testing::TestWithParam<TextCase> {};

TEST_P(WrittenAsRead, GivesTheSameMessage) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto encoding, ParseText(GetParam().text));

  EXPECT_EQ(SerializeArrayEncoding(encoding), EncodingOf(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Encodings, WrittenAsRead,
    ::testing::Values(
        TextCase{"SomeNulls", SomeNulls(2, Flat(8, 1))},
        TextCase{"AllNulls", "nullable { all_nulls {} }"},
        TextCase{"FixedSizeList", SomeNulls(0, "fixed_size_list { dimension: 2 items { " +
                                                   SomeNulls(1, Flat(1, 2)) + " } }")},
        TextCase{"Compressed",
                 "binary { indices { " + NoNulls(Flat(64, 0)) +
                     " } bytes { flat { bits_per_value: 8 buffer { buffer_index: 1 } compression "
                     "{ scheme: 'zstd' } } } null_adjustment: 7 }"},
        TextCase{"Fsst", "fsst { binary { " + Binary(3) + " } symbol_table: 'table' }"},
        TextCase{"FixedSizeBinary",
                 SomeNulls(1, "fixed_size_binary { bytes { " + Flat(8, 0) + " } byte_width: 5 }")},
        TextCase{"Dictionary", "dictionary { indices { " + NoNulls(Flat(16, 0)) + " } items { " +
                                   SomeNulls(1, Flat(64, 2)) + " } num_dictionary_items: 4 }"},
        TextCase{"List", List(9, 8)}, TextCase{"Struct", "struct {}"},
        TextCase{"PackedStruct", "packed_struct { inner { " + NoNulls(Flat(32, 0)) + " } inner { " +
                                     NoNulls("fixed_size_list { dimension: 3 items { " +
                                             NoNulls(Flat(16, 0)) + " } }") +
                                     " } buffer { buffer_index: 1 } }"}),
    [](const auto& test) { return test.param.name; });

/// A message that is refused, and what the refusal says.
struct RefusedCase {
  const char* name;
  std::string text;
  const char* message;
};

class RefusedEncoding : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedEncoding, IsCorrupt) {
  EXPECT_THAT(ParseText(GetParam().text), IsSerializationError(HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Messages, RefusedEncoding,
    ::testing::Values(
        RefusedCase{"Nothing", "", "no known encoding is set"},
        RefusedCase{"BufferBehindTheLast", NoNulls(Flat(8, 3)),
                    "Flat.buffer is 3, the page has 3 buffers"},
        RefusedCase{"NoBuffer", "flat { bits_per_value: 8 }", "Flat.buffer is missing"},
        RefusedCase{"NoBits", "flat { buffer {} }", "Flat.bits_per_value is 0"},
        RefusedCase{"OddBits", NoNulls(Flat(12, 0)), "Flat.bits_per_value is 12"},
        RefusedCase{"NoNullability", "nullable {}", "Nullable.nullability is missing"},
        RefusedCase{"NoValues", "nullable { no_nulls {} }", "NoNull.values is missing"},
        RefusedCase{"NoValuesOfSomeNulls",
                    "nullable { some_nulls { validity { " + Flat(1, 0) + " } } }",
                    "SomeNull.values is missing"},
        RefusedCase{"NoValidity", "nullable { some_nulls { values { " + Flat(8, 0) + " } } }",
                    "SomeNull.validity: no known encoding"},
        RefusedCase{"WideValidity",
                    "nullable { some_nulls { validity { " + Flat(8, 0) + " } values { " +
                        Flat(8, 0) + " } } }",
                    "SomeNull.validity has values of 8 bits"},
        RefusedCase{"NullableInNullable", NoNulls(NoNulls(Flat(8, 0))),
                    "Nullable.values: encoding is Nullable"},
        RefusedCase{"DimensionZero", NoNulls("fixed_size_list { items { " + Flat(8, 0) + " } }"),
                    "FixedSizeList.dimension is 0"},
        RefusedCase{"NoItems", NoNulls("fixed_size_list { dimension: 2 }"),
                    "FixedSizeList.items is missing"},
        RefusedCase{"BitpackedToOddWidth",
                    NoNulls("bitpacked { compressed_bits_per_value: 3 "
                            "uncompressed_bits_per_value: 24 buffer {} }"),
                    "uncompressed_bits_per_value is 24"},
        RefusedCase{"BitpackedTooWide",
                    NoNulls("bitpacked_for_non_neg { compressed_bits_per_value: 9 "
                            "uncompressed_bits_per_value: 8 buffer {} }"),
                    "compressed_bits_per_value is 9"},
        RefusedCase{"BinaryWithoutIndices", "binary { bytes { " + Flat(8, 0) + " } }",
                    "Binary.indices is missing"},
        RefusedCase{"BinaryWithoutBytes", "binary { indices { " + Flat(64, 0) + " } }",
                    "Binary.bytes is missing"},
        RefusedCase{"NarrowIndices",
                    "binary { indices { " + Flat(32, 0) + " } bytes { " + Flat(8, 0) + " } }",
                    "Binary.indices has values of 32 bits"},
        RefusedCase{"NullIndices",
                    "binary { indices { nullable { all_nulls {} } } bytes { " + Flat(8, 0) + " } }",
                    "Binary.indices can be null"},
        RefusedCase{"WideBytes",
                    "binary { indices { " + Flat(64, 0) + " } bytes { " + Flat(16, 0) + " } }",
                    "Binary.bytes"},
        RefusedCase{"FsstWithoutBinary", "fsst { symbol_table: 'x' }", "Fsst.binary"},
        RefusedCase{"FsstWithoutTable", "fsst { binary { " + Binary(1) + " } }",
                    "Fsst.symbol_table is missing"},
        RefusedCase{"DictionaryWithoutIndices", "dictionary { items { " + Flat(8, 0) + " } }",
                    "Dictionary.indices is missing"},
        RefusedCase{"DictionaryWithoutItems", "dictionary { indices { " + Flat(8, 0) + " } }",
                    "Dictionary.items is missing"},
        RefusedCase{"DictionaryInDictionary",
                    "dictionary { indices { " + Flat(8, 0) + " } items { dictionary { indices { " +
                        Flat(8, 0) + " } items { " + Flat(8, 0) + " } } } }",
                    "Dictionary.items: encoding is Dictionary"},
        RefusedCase{"ListsAsIndices",
                    "dictionary { indices { " +
                        NoNulls("fixed_size_list { dimension: 1 items { " + Flat(8, 0) + " } }") +
                        " } items { " + Flat(8, 0) + " } }",
                    "Dictionary.indices: encoding is FixedSizeList"},
        RefusedCase{"ListWithoutOffsets", "list { num_items: 3 }", "List.offsets is missing"},
        RefusedCase{"PackedWithoutMembers", "packed_struct { buffer {} }",
                    "PackedStruct.inner is missing"},
        RefusedCase{"PackedWithNulls",
                    "packed_struct { inner { nullable { all_nulls {} } } buffer {} }",
                    "PackedStruct.inner can be null"},
        RefusedCase{"PackedWithBits", "packed_struct { inner { " + Flat(1, 0) + " } buffer {} }",
                    "PackedStruct.inner has values of 1 bits"},
        RefusedCase{"StructInNullable", NoNulls("struct {}"),
                    "Nullable.values: encoding is SimpleStruct"}),
    [](const auto& test) { return test.param.name; });

class UnknownEncoding : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(UnknownEncoding, IsNamed) {
  EXPECT_THAT(ParseText(GetParam().text), IsNotImplemented(HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Messages, UnknownEncoding,
    ::testing::Values(
        RefusedCase{"InlineBitpacking", NoNulls("inline_bitpacking {}"), "InlineBitpacking"},
        RefusedCase{"OutOfLineBitpacking", "out_of_line_bitpacking {}", "OutOfLineBitpacking"},
        RefusedCase{"Variable", "variable {}", "Variable"},
        RefusedCase{"PackedStructFixedWidthMiniBlock", "packed_struct_fixed_width_mini_block {}",
                    "PackedStructFixedWidthMiniBlock"},
        RefusedCase{"Block", "block {}", "Block"}, RefusedCase{"Rle", "rle {}", "Rle"},
        RefusedCase{"GeneralMiniBlock", "general_mini_block {}", "GeneralMiniBlock"},
        RefusedCase{"ByteStreamSplit", "byte_stream_split {}", "ByteStreamSplit"},
        RefusedCase{"ColumnBuffer", "flat { bits_per_value: 8 buffer { buffer_type: column } }",
                    "Flat.buffer is of type 1"},
        RefusedCase{"Scheme",
                    "flat { bits_per_value: 8 buffer {} compression { scheme: 'snappy' } }",
                    "\"snappy\""},
        RefusedCase{"ItemValidity",
                    NoNulls("fixed_size_list { dimension: 2 has_validity: true items { " +
                            Flat(8, 0) + " } }"),
                    "has_validity"}),
    [](const auto& test) { return test.param.name; });

TEST(ParseArrayEncoding, RefusesDeepTrees) {
  std::string text = Flat(8, 0);
  for (int i = 0; i < 20; ++i) {
    text = NoNulls("fixed_size_list { dimension: 1 items { " + text + " } }");
  }

  EXPECT_THAT(ParseText(text), IsSerializationError(HasSubstr("nested too deep")));
}

TEST(ParseArrayEncoding, RefusesBytesThatAreNoMessage) {
  EXPECT_THAT(ParseBytes("\xff\xff", 1), IsSerializationError(HasSubstr("ArrayEncoding")));
}

}  // namespace
}  // namespace lance::format::v20
