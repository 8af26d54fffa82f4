#include "lance/format/schema_proto.h"

#include <functional>
#include <map>
#include <utility>

#include "gmock/gmock.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;
using Fields = google::protobuf::RepeatedPtrField<lance_pb::file::Field>;

lance_pb::file::Field* AddField(const std::string& name, int32_t id, int32_t parent_id,
                                Fields* fields) {
  auto* field = fields->Add();
  field->set_name(name);
  field->set_id(id);
  field->set_parent_id(parent_id);
  field->set_logical_type("int32");
  return field;
}

TEST(SchemaFields, WriteTheBytesOfThePublishedExample) {
  // file-format 13.2: name "text", parent -1, "string", nullable, encoding VAR_BINARY.
  const LanceSchema schema{.fields = {{.name = "text",
                                       .id = 0,
                                       .logical_type = "string",
                                       .nullable = true,
                                       .metadata = {},
                                       .unknown_fields = ""}},
                           .metadata = {}};
  Fields fields;
  AppendSchemaFields(schema, &fields);

  EXPECT_EQ(fields[0].SerializeAsString(),
            std::string("\x12\x04text\x20\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
                        "\x2A\x06string\x30\x01\x38\x02"));
}

TEST(SchemaFields, KeepWhatTheStructDoesNotName) {
  Fields fields;
  auto* field = AddField("a", 3, -1, &fields);
  field->set_encoding(1);
  field->set_unenforced_primary_key(true);
  field->set_unenforced_primary_key_position(2);
  field->set_unenforced_clustering_key_position(1);
  field->mutable_dictionary();
  field->set_extension_name("odd");
  auto* unknown = field->GetReflection()->MutableUnknownFields(field);
  *unknown->AddLengthDelimited(11) = "default";
  unknown->AddVarint(99, 7);
  (*field->mutable_metadata())["k"] = "v";

  const auto parsed = ParseSchemaFields(fields);
  ASSERT_THAT(parsed, IsOk());
  Fields written;
  AppendSchemaFields(*parsed, &written);

  ASSERT_EQ(written.size(), 1);
  EXPECT_EQ(written[0].SerializeAsString(), fields[0].SerializeAsString());
  EXPECT_FALSE(parsed->fields[0].unknown_fields.empty());
}

TEST(SchemaFields, NameTheExtensionFromTheMetadata) {
  const LanceSchema schema{.fields = {{.name = "u",
                                       .id = 1,
                                       .logical_type = "fixed_size_binary:16",
                                       .nullable = false,
                                       .metadata = {{"ARROW:extension:name", "arrow.uuid"}},
                                       .unknown_fields = ""}},
                           .metadata = {}};
  Fields fields;
  AppendSchemaFields(schema, &fields);
  EXPECT_EQ(fields[0].extension_name(), "arrow.uuid");

  const auto parsed = ParseSchemaFields(fields);

  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(*parsed, schema);
}

TEST(SchemaFields, HintTheEncoding) {
  const std::pair<const char*, int> cases[] = {
      {"int32", 1},          {"string", 2}, {"large_binary", 2}, {"dict:string:int8:false", 3},
      {"struct", 0},         {"null", 0},   {"list.struct", 1},  {"fixed_size_list:float:4", 1},
      {"decimal:128:3:0", 1}};
  for (const auto& [logical_type, hint] : cases) {
    const LanceSchema schema{.fields = {{.name = "a",
                                         .id = 1,
                                         .logical_type = logical_type,
                                         .metadata = {},
                                         .unknown_fields = ""}},
                             .metadata = {}};
    Fields fields;
    AppendSchemaFields(schema, &fields);
    EXPECT_EQ(fields[0].encoding(), hint) << logical_type;
  }
}

TEST(SchemaFields, MayHaveEmptyNames) {
  Fields fields;
  AddField("", 1, -1, &fields);
  EXPECT_THAT(ParseSchemaFields(fields), IsOk());
}

TEST(SchemaFields, MarkTheKeysThatMetadataName) {
  const auto field = [](const char* name, int32_t id, std::map<std::string, std::string> metadata) {
    return SchemaField{.name = name,
                       .id = id,
                       .logical_type = "int32",
                       .nullable = false,
                       .metadata = std::move(metadata),
                       .unknown_fields = ""};
  };
  const LanceSchema schema{
      .fields = {field("a", 0, {{"lance-schema:unenforced-primary-key", "Yes"}}),
                 field("b", 1, {{"lance-schema:unenforced-primary-key:position", "2"}}),
                 field("c", 2, {{"lance-schema:unenforced-clustering-key:position", "3"}}),
                 field("d", 3, {{"lance-schema:unenforced-primary-key", "false"}})},
      .metadata = {}};

  Fields fields;
  AppendSchemaFields(schema, &fields);

  EXPECT_TRUE(fields[0].unenforced_primary_key());
  EXPECT_EQ(fields[0].unenforced_primary_key_position(), 0u);
  EXPECT_TRUE(fields[1].unenforced_primary_key());
  EXPECT_EQ(fields[1].unenforced_primary_key_position(), 2u);
  EXPECT_FALSE(fields[2].unenforced_primary_key());
  EXPECT_EQ(fields[2].unenforced_clustering_key_position(), 3u);
  EXPECT_FALSE(fields[3].unenforced_primary_key());
  EXPECT_EQ(ParseSchemaFields(fields).ValueOrDie(), schema);
}

/// A blob v2 inside a struct as data files describe it, with a field behind it.
Fields BlobInAStruct() {
  Fields fields;
  AddField("s", 0, -1, &fields)->set_logical_type("struct");
  auto* blob = AddField("b", 1, 0, &fields);
  blob->set_logical_type("struct");
  (*blob->mutable_metadata())["lance-encoding:blob"] = "true";
  (*blob->mutable_metadata())["lance-encoding:packed"] = "true";
  const std::pair<const char*, const char*> members[] = {{"kind", "uint8"},
                                                         {"position", "uint64"},
                                                         {"size", "uint64"},
                                                         {"blob_id", "uint32"},
                                                         {"blob_uri", "string"}};
  for (const auto& [name, type] : members) {
    AddField(name, -1, -1, &fields)->set_logical_type(type);
  }
  AddField("z", 6, 0, &fields);
  return fields;
}

TEST(SchemaFields, LeaveOutTheMembersOfABlobV2AndWriteThemAgain) {
  const Fields fields = BlobInAStruct();

  const auto parsed = ParseSchemaFields(fields);
  ASSERT_THAT(parsed, IsOk());
  Fields written;
  AppendSchemaFields(*parsed, &written);

  ASSERT_EQ(parsed->fields.size(), 3u);
  EXPECT_EQ(parsed->fields[2].name, "z");
  ASSERT_EQ(written.size(), 8);
  for (int i = 2; i < 7; ++i) {
    EXPECT_EQ(written[i].name(), fields[i].name());
    EXPECT_EQ(written[i].id(), -1);
    EXPECT_EQ(written[i].parent_id(), -1);
    EXPECT_EQ(written[i].logical_type(), fields[i].logical_type());
    EXPECT_FALSE(written[i].nullable());
  }
  EXPECT_EQ(written[6].encoding(), 2);
  EXPECT_EQ(written[7].name(), "z");
}

struct BrokenFieldsCase {
  std::string name;
  std::function<void(Fields*)> make;
  std::string expected;
};

class BrokenFieldsTest : public ::testing::TestWithParam<BrokenFieldsCase> {};

TEST_P(BrokenFieldsTest, AreRefused) {
  Fields fields;
  GetParam().make(&fields);
  EXPECT_THAT(ParseSchemaFields(fields), IsSerializationError(HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenFieldsTest,
    ::testing::ValuesIn<BrokenFieldsCase>({
        {"NameNotUtf8", [](Fields* f) { AddField("\xFF", 1, -1, f); }, "name is not UTF-8"},
        {"TypeNotUtf8", [](Fields* f) { AddField("a", 1, -1, f)->set_logical_type("\xFF"); },
         "logical type is not UTF-8"},
        {"RepeatedId",
         [](Fields* f) {
           AddField("a", 1, -1, f);
           AddField("b", 1, -1, f);
         },
         "field 1 \"b\": its id 1 is another field's too"},
        {"NoId", [](Fields* f) { AddField("a", -1, -1, f); }, "its id is -1"},
        {"ParentMissing", [](Fields* f) { AddField("a", 1, 0, f); }, "parent id 0"},
        {"ParentIsItself", [](Fields* f) { AddField("a", 1, 1, f); }, "parent id 1"},
        {"ParentAfterChild",
         [](Fields* f) {
           AddField("a", 1, 2, f);
           AddField("b", 2, -1, f);
         },
         "field 0 \"a\": its parent id 2 is not the id of an earlier field"},
        {"TooDeep",
         [](Fields* f) {
           for (int i = 0; i < 102; ++i) AddField("a", i, i - 1, f);
         },
         "nested deeper than 100"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lance::format
