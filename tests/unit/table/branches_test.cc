#include "lance/table/branches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/io/stores.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"

namespace lance::table {
namespace {

using lance::testing::IsKeyError;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::lance::testing::PutText;
using ::lance::testing::ReadText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As release 14.0.2 of the reference writes it.
constexpr std::string_view kOfTheReference = R"({
  "parentBranch": "feature/x",
  "identifier": {
    "version_mapping": [
      [
        2,
        "50c07569ea734eaca0b989e4d74c04dd"
      ],
      [
        4,
        "758c691c6bec4701b1e718bcd9097e0b"
      ]
    ]
  },
  "parentVersion": 4,
  "createAt": 1795978912,
  "manifestSize": 639,
  "metadata": {}
})";

Branch OfTheReference() { return ParseBranch("feature/x-2", kOfTheReference).ValueOrDie(); }

TEST(ParseBranch, ReadsAndWritesWhatTheReferenceWrites) {
  const Branch branch = OfTheReference();
  EXPECT_EQ(branch.parent_branch, "feature/x");
  EXPECT_EQ(branch.parent_version, 4u);
  EXPECT_EQ(branch.created_at_seconds, 1795978912u);
  EXPECT_EQ(branch.manifest_size, 639u);
  EXPECT_THAT(branch.identifier, ElementsAre(BranchStep{2, "50c07569ea734eaca0b989e4d74c04dd"},
                                             BranchStep{4, "758c691c6bec4701b1e718bcd9097e0b"}));
  EXPECT_EQ(SerializeBranch(branch), kOfTheReference);
}

TEST(ParseBranch, ReadsDescriptionsOfOldWriters) {
  constexpr std::string_view kOld =
      R"({"parentBranch": null, "parentVersion": 3, "createAt": 1, "manifestSize": 2})";
  const Branch branch = ParseBranch("old", kOld).ValueOrDie();
  EXPECT_EQ(branch.parent_branch, std::nullopt);
  EXPECT_TRUE(branch.identifier.empty());
  EXPECT_EQ(IdentifierOf(branch), IdentifierOf(ParseBranch("old", kOld).ValueOrDie()));
  EXPECT_NE(IdentifierOf(branch), IdentifierOf(ParseBranch("other", kOld).ValueOrDie()));
}

TEST(ParseBranch, RefusesDamageByName) {
  const std::string good(kOfTheReference);
  const auto with = [&](const std::string& old, const std::string& changed) {
    std::string text = good;
    return text.replace(text.find(old), old.size(), changed);
  };
  for (const auto& [text, key] : std::vector<std::pair<std::string, std::string>>{
           {"", "JSON object"},
           {"[]", "JSON object"},
           {with("\"feature/x\"", "7"), "parentBranch"},
           {with("\"parentVersion\": 4", "\"parentVersion\": -4"), "parentVersion"},
           {with("1795978912", "\"1\""), "createAt"},
           {with("639", "null"), "manifestSize"},
           {with("50c0", "50C0"), "version_mapping"},
           {with("50c0", "50"), "version_mapping"},
           {with("2,", "-2,"), "version_mapping"},
           {with("version_mapping", "other"), "version_mapping"},
           {with("{}", "{\"a\": 1}"), "metadata"}}) {
    EXPECT_THAT(ParseBranch("b", text), IsSerializationError(HasSubstr(key))) << text;
  }
}

TEST(IsBelow, FollowsTheWayAndTheNameOfTheParent) {
  const Branch a{.name = "a", .identifier = {{1, "x"}}};
  const Branch of_a{.name = "of a", .parent_branch = "a", .identifier = {{1, "x"}, {2, "y"}}};
  const Branch of_of_a{
      .name = "of of a", .parent_branch = "of a", .identifier = {{1, "x"}, {2, "y"}, {2, "z"}}};
  const Branch other{.name = "other", .identifier = {{1, "w"}, {2, "y"}}};
  EXPECT_TRUE(IsBelow(of_a, a));
  EXPECT_TRUE(IsBelow(of_of_a, a));
  EXPECT_TRUE(IsBelow(of_of_a, of_a));
  for (const Branch& branch : {a, other}) EXPECT_FALSE(IsBelow(branch, a));
  EXPECT_FALSE(IsBelow(a, of_a));
  // A parent without a way, of an old writer.
  EXPECT_TRUE(IsBelow(of_a, Branch{.name = "a"}));
}

class BranchStoreTest : public ::testing::Test {
 protected:
  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  BranchStore branches_{store_};
  RunContext run_;
};

TEST_F(BranchStoreTest, KeepsDescriptionsByEncodedName) {
  const Branch branch = OfTheReference();
  EXPECT_EQ(branches_.Create(branch).ValueOrDie(), PutOutcome::kStored);
  EXPECT_EQ(branches_.Create(branch).ValueOrDie(), PutOutcome::kExists);
  EXPECT_EQ(ReadText(*store_, "_refs/branches/feature%2Fx-2.json").ValueOrDie(), kOfTheReference);
  EXPECT_EQ(branches_.Load("feature/x-2", run_).ValueOrDie(), branch);
  EXPECT_THAT(branches_.Delete("feature/x-2"), IsOk());
  EXPECT_THAT(branches_.Load("feature/x-2", run_), IsKeyError(HasSubstr("no branch feature/x-2")));
  EXPECT_EQ(branches_.Find("feature/x-2", run_).ValueOrDie(), std::nullopt);
}

TEST_F(BranchStoreTest, ListsByNameAndLeavesOtherFilesOut) {
  for (const char* name : {"b", "a/c", "a"}) {
    Branch branch = OfTheReference();
    branch.name = name;
    ASSERT_THAT(branches_.Create(branch), IsOk());
  }
  for (const char* path :
       {"_refs/branches/main.json", "_refs/branches/a b.json", "_refs/branches/x.txt",
        "_refs/branches/%zz.json", "_refs/branches/deep/er.json", "_refs/tags/t.json"}) {
    ASSERT_THAT(PutText(*store_, path, "{"), IsOk());
  }
  std::vector<std::string> names;
  const std::vector<Branch> branches = branches_.List(run_).ValueOrDie();
  for (const Branch& branch : branches) names.push_back(branch.name);
  EXPECT_THAT(names, ElementsAre("a", "a/c", "b"));
}

}  // namespace
}  // namespace lance::table
