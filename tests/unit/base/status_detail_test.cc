#include "lance/base/status_detail.h"

#include "lance/testing/matchers.h"

namespace lance {
namespace {

using lance::testing::HasDetail;
using lance::testing::IsInvalid;
using lance::testing::IsKeyError;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using lance::testing::IsUnknownError;
using ::testing::AllOf;
using ::testing::Field;

const arrow::Status kCorrupt = arrow::Status::SerializationError("Footer.magic at byte 4: is 0");

TEST(WithContext, PutsTheContextBeforeTheMessageAndKeepsTheRest) {
  const auto status = WithContext(NotFoundError("tag", "v1", "no such tag"), "table t");

  EXPECT_THAT(status, IsKeyError("table t: no such tag"));
  EXPECT_THAT(status, HasDetail<NotFound>(Field(&NotFound::name, "v1")));
  EXPECT_THAT(WithContext(arrow::Status::OK(), "table t"), IsOk());
}

TEST(WithContext, NamesAThingOnce) {
  const auto with = [](std::string_view message, std::string_view context) {
    return WithContext(arrow::Status::IOError(message), context).message();
  };

  EXPECT_EQ(with("a.lance: no such object", "a.lance"), "a.lance: no such object");
  EXPECT_EQ(with("/t.lance/data/a.lance: open failed", "data/a.lance"),
            "/t.lance/data/a.lance: open failed");
  EXPECT_EQ(with("/t.lance/data/a.lance: open failed", "/t.lance"),
            "/t.lance/data/a.lance: open failed");
  EXPECT_EQ(with("aa.lance: no such object", "a.lance"), "a.lance: aa.lance: no such object");
  EXPECT_EQ(with("column ab is text", "column a"), "column a: column ab is text");
  EXPECT_EQ(with("it is not there: /x/a", "a"), "a: it is not there: /x/a");
}

TEST(WithDetail, KeepsADetailThatIsThere) {
  const auto detail = std::make_shared<CorruptFile>("data/a.lance");

  EXPECT_THAT(WithDetail(kCorrupt, detail), HasDetail<CorruptFile>());
  EXPECT_THAT(WithDetail(NotFoundError("tag", "v1", "no"), detail), HasDetail<NotFound>());
  EXPECT_THAT(WithDetail(arrow::Status::OK(), detail), IsOk());
}

TEST(InFile, NamesTheFileOfCorruptBytesInMessageAndDetail) {
  const auto status = InFile(kCorrupt, "data/a.lance");

  EXPECT_THAT(status, IsSerializationError("data/a.lance: Footer.magic at byte 4: is 0"));
  EXPECT_THAT(status, HasDetail<CorruptFile>(Field(&CorruptFile::path, "data/a.lance")));
}

TEST(InFile, AddsNoDetailToOtherFailures) {
  const auto status = InFile(arrow::Status::Invalid("no"), "data/a.lance");

  EXPECT_THAT(status, IsInvalid("data/a.lance: no"));
  EXPECT_EQ(status.detail(), nullptr);
  EXPECT_THAT(InFile(arrow::Status::OK(), "data/a.lance"), IsOk());
}

TEST(UnsupportedError, CarriesFeatureAndFlagBit) {
  const auto status = UnsupportedError("blob v3", "blob v3 is not supported", 6);

  EXPECT_THAT(status, IsNotImplemented("blob v3 is not supported"));
  EXPECT_THAT(status,
              HasDetail<UnsupportedFeature>(AllOf(Field(&UnsupportedFeature::feature, "blob v3"),
                                                  Field(&UnsupportedFeature::flag_bit, 6))));
}

TEST(InternalError, StartsWithInternal) {
  EXPECT_THAT(InternalError("no page"), IsUnknownError("internal: no page"));
}

TEST(Detail, FromFindsOnlyItsOwnType) {
  const auto status = NotFoundError("tag", "v1", "no such tag");

  EXPECT_NE(NotFound::From(status), nullptr);
  EXPECT_EQ(CorruptFile::From(status), nullptr);
  EXPECT_EQ(NotFound::From(arrow::Status::Invalid("no detail")), nullptr);
  EXPECT_EQ(NotFound::From(arrow::Status::OK()), nullptr);
}

TEST(Detail, SaysItForPeople) {
  EXPECT_EQ(CommitConflict(7, "Overwrite", false).ToString(),
            "version 7 (Overwrite), not retryable");
  EXPECT_EQ(CommitConflict(7, "Delete", true).ToString(), "version 7 (Delete), retryable");
  EXPECT_EQ(FilterError(3, 2).ToString(), "filter at byte 3, length 2");
}

}  // namespace
}  // namespace lance
