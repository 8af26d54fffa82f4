// Branches, clones, copies and dropped tables through the public functions, in memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/testing/matchers.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class BranchTest : public ::testing::Test {
 protected:
  static std::shared_ptr<arrow::Table> Rows(const std::string& rows) {
    return TableFromJson({{"a", arrow::int32()}}, rows);
  }
  Dataset Create(const std::string& uri = "memory://t") {
    return InsertBuilder(uri)
        .WithOpenOptions({.session = session_})
        .Execute(Rows("[[1], [2]]"))
        .ValueOrDie()
        .dataset;
  }
  static Dataset Append(const Dataset& dataset, const std::string& rows) {
    return InsertBuilder(dataset).Execute(Rows(rows)).ValueOrDie().dataset;
  }
  arrow::Result<Dataset> Open(Ref ref, const std::string& uri = "memory://t") {
    return Dataset::Open(uri, {.ref = std::move(ref), .session = session_});
  }
  static std::vector<int32_t> Values(const Dataset& dataset) {
    const auto table = dataset.Scan().ValueOrDie().ToTable().ValueOrDie();
    std::vector<int32_t> values;
    for (const auto& chunk : table->column(0)->chunks()) {
      const auto& column = static_cast<const arrow::Int32Array&>(*chunk);
      for (int64_t i = 0; i < column.length(); ++i) values.push_back(column.Value(i));
    }
    return values;
  }

  std::shared_ptr<Session> session_ = Session::Make().ValueOrDie();
};

TEST_F(BranchTest, ReferencesWithoutABranchStayOnTheHandles) {
  const Dataset main = Append(Create(), "[[3]]");
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset made, CreateBranch(main, "b/c"));
  const Dataset branch = Append(made, "[[4]]");
  Append(main, "[[5]]");

  EXPECT_EQ(branch.branch(), "b/c");
  EXPECT_EQ(branch.uri(), "memory://t/tree/b/c");
  EXPECT_EQ(main.branch(), "");
  EXPECT_THAT(Values(branch.Checkout().ValueOrDie()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Values(branch.Checkout(Ref::Version(2)).ValueOrDie()), ElementsAre(1, 2, 3));
  EXPECT_THAT(Values(branch.Checkout(Ref::Version(3, "")).ValueOrDie()), ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(Values(main.Checkout(Ref::Latest("b/c")).ValueOrDie()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Values(branch.Checkout(Ref::Latest("main")).ValueOrDie()), ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(Values(branch.Checkout(Ref::AsOf(branch.timestamp())).ValueOrDie()),
              ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(Open(Ref::AsOf(made.timestamp(), "b/c")).ValueOrDie().version(), 2u);
  EXPECT_THAT(branch.Checkout(Ref::Version(1)), IsKeyError(HasSubstr("version 1 is not there")));
  EXPECT_THAT(Open(Ref::Latest("nope")), IsKeyError(HasSubstr("no branch nope")));
  EXPECT_THAT(Open(Ref::Latest("a b")), IsInvalid(HasSubstr("other characters")));
}

TEST_F(BranchTest, IsOpenedByItsPlaceAndKnowsTheRoot) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset made, CreateBranch(Create(), "b/c"));
  const Dataset branch = Append(made, "[[4]]");
  ASSERT_THAT(CreateTag(branch, "t"), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset opened, Open(Ref::Latest(), branch.uri()));
  EXPECT_EQ(opened.branch(), "b/c");
  EXPECT_THAT(Values(opened), ElementsAre(1, 2, 4));
  EXPECT_THAT(Values(opened.Checkout(Ref::Latest("")).ValueOrDie()), ElementsAre(1, 2));
  EXPECT_THAT(Values(Open(Ref::Tag("t"), branch.uri()).ValueOrDie()), ElementsAre(1, 2, 4));
  EXPECT_THAT(Values(Open(Ref::Latest("main"), branch.uri()).ValueOrDie()), ElementsAre(1, 2));
  EXPECT_THAT(ListBranches(opened).ValueOrDie(), SizeIs(1));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset clone, ShallowClone(opened, "memory://clone"));
  EXPECT_THAT(Values(clone), ElementsAre(1, 2, 4));
}

TEST_F(BranchTest, WritesToAPlaceGoToTheBranchOfItsReference) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset made, CreateBranch(Create(), "b"));
  ASSERT_THAT(InsertBuilder("memory://t")
                  .WithMode(WriteMode::kAppend)
                  .WithOpenOptions({.ref = Ref::Latest("b"), .session = session_})
                  .Execute(Rows("[[9]]")),
              IsOk());
  EXPECT_THAT(Values(made.Checkout().ValueOrDie()), ElementsAre(1, 2, 9));
  EXPECT_THAT(Values(Open(Ref::Latest()).ValueOrDie()), ElementsAre(1, 2));
}

TEST_F(BranchTest, DescribesWhereItBegan) {
  const Dataset main = Create();
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset b, CreateBranch(main, "b"));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset c, CreateBranch(Append(b, "[[3]]"), "c"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto branches, ListBranches(c));
  ASSERT_THAT(branches, SizeIs(2));
  EXPECT_EQ(branches[1].name, "c");
  EXPECT_EQ(branches[1].parent_branch, "b");
  EXPECT_EQ(branches[1].parent_version, 2u);
  ASSERT_THAT(branches[1].identifier, SizeIs(2));
  EXPECT_EQ(branches[1].identifier[0], branches[0].identifier[0]);
  LANCE_ASSERT_OK_AND_ASSIGN(const BranchInfo changed,
                             ReplaceBranchMetadata(main, "c", {{"why", "tried"}}));
  EXPECT_EQ(changed.metadata.at("why"), "tried");
  EXPECT_EQ(ListBranches(main).ValueOrDie()[1].metadata, changed.metadata);
}

TEST_F(BranchTest, IsNotDeletedWhileItIsNeeded) {
  const Dataset main = Create();
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset b, CreateBranch(main, "b"));
  ASSERT_THAT(CreateBranch(b, "b/c"), IsOk());
  ASSERT_THAT(CreateTag(b, "t"), IsOk());
  EXPECT_THAT(DeleteBranch(main, "b"), IsInvalid(HasSubstr("tag t, branch b/c")));
  ASSERT_THAT(DeleteTag(main, "t"), IsOk());
  ASSERT_THAT(DeleteBranch(b, "b/c"), IsOk());
  ASSERT_THAT(DeleteBranch(b, "b"), IsOk());
  EXPECT_THAT(ListBranches(main).ValueOrDie(), IsEmpty());
  EXPECT_THAT(DeleteBranch(main, "b"), IsKeyError(HasSubstr("no branch b")));
  EXPECT_THAT(DeleteBranch(main, "main"), IsInvalid(HasSubstr("main branch")));
  EXPECT_THAT(b.Checkout(), IsKeyError());
}

TEST_F(BranchTest, DetachedVersionsBeginNone) {
  const Dataset main = Create();
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto detached,
      UpdateMetadata(main, {.values = {{"x", "1"}}, .commit = {.detached = true}}));
  EXPECT_THAT(CreateBranch(detached, "b"), IsInvalid(HasSubstr("detached")));
  EXPECT_THAT(ShallowClone(detached, "memory://c"), IsInvalid(HasSubstr("detached")));
}

TEST_F(BranchTest, ClonesShareFilesAndCopiesDoNot) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset source, Create().SetClustering({.columns = {"a"}}));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset marked,
      UpdateMetadata(source, {.target = MetadataTarget::kTable, .values = {{"note", "x"}}}));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset clone, ShallowClone(marked, "memory://clone"));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset copy,
                             CopyTable(marked, {.target_uri = "memory://copy"}));
  EXPECT_EQ(clone.clustering_spec(), marked.clustering_spec());
  EXPECT_EQ(copy.clustering_spec(), std::nullopt);
  EXPECT_THAT(copy.properties().clustering_definitions, IsEmpty());
  EXPECT_THAT(copy.properties().config, IsEmpty());
  EXPECT_EQ(copy.properties().table_metadata, (std::map<std::string, std::string>{{"note", "x"}}));
  EXPECT_EQ(copy.version(), 1u);

  ASSERT_THAT(DropTable("memory://t", {.session = session_}), IsOk());
  EXPECT_THAT(Values(copy), ElementsAre(1, 2));
  EXPECT_THAT(clone.Scan().ValueOrDie().ToTable(), IsSerializationError(HasSubstr("not there")));
  EXPECT_THAT(Open(Ref::Latest()), IsKeyError());
  EXPECT_THAT(DropTable("memory://t", {.session = session_}), IsKeyError(HasSubstr("no table")));
}

TEST_F(BranchTest, MapsAreForNewTables) {
  InsertBuilder append(Create());
  append.WithMaps({{"k", "v"}}, {});
  EXPECT_THAT(append.Execute(Rows("[[1]]")), IsInvalid(HasSubstr("when a table is created")));
  for (const auto& [config, metadata] : std::vector<
           std::pair<std::map<std::string, std::string>, std::map<std::string, std::string>>>{
           {{{"lance.clustering.columns", "[]"}}, {}},
           {{}, {{"lance.liquid-clustering.max_version", "3"}}}}) {
    InsertBuilder create("memory://new");
    create.WithOpenOptions({.session = session_}).WithMaps(config, metadata);
    EXPECT_THAT(create.Execute(Rows("[[1]]")), IsInvalid(HasSubstr("clustering")));
  }
}

TEST(ParseTimestamp, IsTheInverseOfToString) {
  const Timestamp time{std::chrono::nanoseconds(1764498442475163888)};
  EXPECT_EQ(ParseTimestamp(ToString(time)).ValueOrDie(), time);
  EXPECT_THAT(ParseTimestamp("yesterday"), IsInvalid());
}

}  // namespace
}  // namespace lance::testing
