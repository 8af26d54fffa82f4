#include "arrow/api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/format/field_tree.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<const arrow::KeyValueMetadata> Metadata(const char* key, const char* value) {
  return arrow::key_value_metadata({key}, {value});
}

std::shared_ptr<arrow::DataType> Blob() {
  return arrow::struct_(
      {arrow::field("b", arrow::large_binary(), true, Metadata("lance-encoding:blob", "true"))});
}

std::shared_ptr<arrow::Field> Packed(const std::shared_ptr<arrow::DataType>& second) {
  return arrow::field(
      "p", arrow::struct_({arrow::field("x", arrow::int32()), arrow::field("y", second)}), true,
      Metadata("packed", "true"));
}

std::shared_ptr<arrow::DataType> Numbers() {
  return arrow::struct_({arrow::field("x", arrow::int32())});
}

std::shared_ptr<arrow::DataType> Wrap(std::shared_ptr<arrow::Field> field) {
  return arrow::struct_({std::move(field)});
}

arrow::Status Check(const std::shared_ptr<arrow::Field>& field, FileVersion version) {
  const auto schema = MakeLanceSchema(*arrow::schema({field}));
  ARROW_RETURN_NOT_OK(schema.status());
  ARROW_ASSIGN_OR_RAISE(const auto tree, MakeFieldTree(*schema));
  return CheckWritable(tree.at(0), version);
}

struct WritableCase {
  std::string name;
  std::shared_ptr<arrow::Field> field;
  /// Which of 2.0, 2.1 and 2.2 can hold it; what release 14.0.2 of the reference writes and reads.
  std::string versions;
  /// The failure's message for the others.
  std::string expected = "";
};

class CheckWritableTest : public ::testing::TestWithParam<WritableCase> {};

TEST_P(CheckWritableTest, AllowsWhatReadersCanRead) {
  const std::pair<const char*, FileVersion> all[] = {
      {"2.0", FileVersion::k2_0}, {"2.1", FileVersion::k2_1}, {"2.2", FileVersion::k2_2}};
  for (const auto& [name, version] : all) {
    SCOPED_TRACE(name);
    const arrow::Status status = Check(GetParam().field, version);
    if (GetParam().versions.find(name) != std::string::npos) {
      EXPECT_THAT(status, IsOk());
    } else {
      EXPECT_THAT(status, IsNotImplemented(HasSubstr(GetParam().expected)));
      EXPECT_NE(UnsupportedFeature::From(status), nullptr);
    }
  }
}

std::shared_ptr<arrow::Field> F(const std::shared_ptr<arrow::DataType>& type) {
  return arrow::field("f", type);
}

INSTANTIATE_TEST_SUITE_P(
    All, CheckWritableTest,
    ::testing::ValuesIn<WritableCase>({
        {"Number", F(arrow::int8()), "2.0 2.1 2.2"},
        {"Null", F(arrow::null()), "2.0 2.1 2.2"},
        {"Dictionary", F(arrow::dictionary(arrow::int8(), arrow::boolean())), "2.0 2.1 2.2"},
        {"DictionaryOfNull", F(arrow::dictionary(arrow::int8(), arrow::null())), "",
         "dictionaries of null"},
        {"Lists", F(arrow::list(arrow::large_list(Numbers()))), "2.0 2.1 2.2"},
        {"VectorOfBool", F(arrow::fixed_size_list(arrow::boolean(), 3)), "2.0 2.1 2.2"},
        {"VectorOfText", F(arrow::fixed_size_list(arrow::utf8(), 3)), "",
         "column \"f\": fixed-size lists of string are not supported"},
        {"VectorOfDictionary",
         F(arrow::fixed_size_list(arrow::dictionary(arrow::int8(), arrow::utf8()), 3)), "",
         "fixed-size lists of dictionary"},
        {"VectorOfNull", F(arrow::fixed_size_list(arrow::null(), 3)), "",
         "fixed-size lists of null"},
        {"Struct", F(Wrap(F(arrow::struct_({})))), "2.0 2.1 2.2"},
        {"EmptyStructInList", F(arrow::list(Wrap(F(arrow::struct_({}))))), "2.0",
         "column \"f.item.f\": structs without members inside lists in data files of version 2."},
        {"Map", F(Wrap(F(arrow::map(arrow::utf8(), arrow::int8())))), "2.2",
         "column \"f.f\": maps in data files of version 2."},
        {"EmptyStructInMap", F(arrow::map(arrow::utf8(), arrow::struct_({}))), "", ""},
        {"FixedSizeListOfStruct", F(Wrap(F(arrow::fixed_size_list(Numbers(), 2)))), "2.2",
         "write version 2.2"},
        {"FixedSizeListsOfStruct",
         F(arrow::fixed_size_list(Wrap(F(arrow::fixed_size_list(Numbers(), 2))), 2)), "2.2",
         "fixed-size lists of struct"},
        {"FixedSizeListOfPacked",
         F(arrow::fixed_size_list(arrow::field("item", Numbers(), true, Metadata("packed", "true")),
                                  2)),
         "2.2", "fixed-size lists of struct"},
        {"ListOfFixedSizeListOfStruct", F(arrow::list(arrow::fixed_size_list(Numbers(), 2))), "",
         "fixed-size lists of struct"},
        {"ListInFixedSizeListOfStruct",
         F(arrow::fixed_size_list(Wrap(F(arrow::list(arrow::int8()))), 2)), "", ""},
        {"MapInFixedSizeListOfStruct",
         F(arrow::fixed_size_list(Wrap(F(arrow::map(arrow::int8(), arrow::int8()))), 2)), "", ""},
        {"Packed", Packed(arrow::fixed_size_binary(3)), "2.0 2.1 2.2"},
        {"ListOfPacked", F(arrow::list(Packed(arrow::int64()))), "2.0 2.1 2.2"},
        {"PackedEmpty", arrow::field("p", arrow::struct_({}), true, Metadata("packed", "true")), "",
         "packed structs without members"},
        {"PackedText", F(arrow::list(Packed(arrow::utf8()))), "2.2",
         "column \"f.p\": member \"y\": packed structs with members of type string in data files"},
        {"PackedVector", Packed(arrow::fixed_size_list(arrow::float32(), 2)), "2.0 2.2",
         "packed structs with fixed-size lists in data files of version 2.1"},
        {"PackedMatrix",
         Packed(arrow::fixed_size_list(arrow::fixed_size_list(arrow::float32(), 2), 2)), "2.0 2.2",
         "in data files of version 2.1"},
        {"PackedBool", Packed(arrow::boolean()), "", "members of type bool"},
        {"PackedBools", Packed(arrow::fixed_size_list(arrow::boolean(), 8)), "2.2",
         "in data files of version 2."},
        {"PackedPartsOfBytes", Packed(arrow::fixed_size_list(arrow::boolean(), 3)), "",
         "whole bytes"},
        {"PackedNull", Packed(arrow::null()), "", "members of type null"},
        {"PackedDictionary", Packed(arrow::dictionary(arrow::int8(), arrow::utf8())), "",
         "members of type dictionary"},
        {"PackedStruct", Packed(Numbers()), "", "members of type struct"},
        {"PackedList", Packed(arrow::list(arrow::int8())), "", "members of type list"},
        {"PackedUpToTheLimit", Packed(arrow::fixed_size_binary(251)), "2.0 2.1 2.2"},
        {"PackedTooWide", Packed(arrow::fixed_size_binary(252)), "2.0",
         "packed structs of 256 bytes"},
        {"PackedHuge",
         Packed(arrow::fixed_size_list(arrow::fixed_size_list(arrow::float64(), 1 << 30), 1 << 30)),
         "2.0 2.2", "in data files of version 2.1"},
        {"Blob", F(Blob()), "2.0 2.1",
         "column \"f.b\": legacy blobs (metadata lance-encoding:blob) in data files of version "
         "2.2"},
        {"BlobInList", F(arrow::list(Blob())), "2.0", "legacy blobs"},
        {"BlobV2",
         F(arrow::list(arrow::field("b",
                                    arrow::struct_({arrow::field("data", arrow::large_binary())}),
                                    true, Metadata("ARROW:extension:name", "lance.blob.v2")))),
         "2.2", "lance.blob.v2"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CheckWritable, RefusesTheBlobKeyOnOtherTypes) {
  const auto field =
      arrow::field("f", arrow::binary(), true, Metadata("lance-encoding:blob", "true"));
  EXPECT_THAT(Check(field, FileVersion::k2_1),
              IsInvalid(AllOf(HasSubstr("column \"f\""), HasSubstr("lance-encoding:blob"),
                              HasSubstr("binary; allowed: large_binary"))));
}

TEST(CheckWritable, RefusesValuesForPackingThatReadersAbortOn) {
  const auto field = arrow::field("f", Numbers(), true, Metadata("packed", "Yes"));
  for (const FileVersion version : {FileVersion::k2_1, FileVersion::k2_2}) {
    EXPECT_THAT(Check(field, version),
                IsInvalid(AllOf(HasSubstr("column \"f\""), HasSubstr("packed"),
                                HasSubstr("\"yes\"; allowed: true, false"))));
  }
  EXPECT_THAT(Check(field, FileVersion::k2_0), IsOk());
}

TEST(CheckWritable, AdvisesNoVersionThatRefusesTheMapToo) {
  const auto map = arrow::field("f", arrow::map(arrow::utf8(), arrow::struct_({})));
  for (const FileVersion version : {FileVersion::k2_0, FileVersion::k2_1}) {
    EXPECT_THAT(Check(map, version),
                IsNotImplemented(AllOf(HasSubstr("structs without members inside lists"),
                                       Not(HasSubstr("write version")))));
  }
}

TEST(CheckWritable, RefusesViewsIn20) {
  FieldNode node{.name = "f", .metadata = {}, .type = arrow::utf8_view(), .children = {}};
  EXPECT_THAT(CheckWritable(node, FileVersion::k2_0), IsNotImplemented(HasSubstr("views")));
  EXPECT_THAT(CheckWritable(node, FileVersion::k2_1), IsOk());
}

}  // namespace
}  // namespace lance::format
