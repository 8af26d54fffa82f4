// What object stores do beyond losing calls: conflicting answers to conditional puts, listings in
// pages, in any order or late, throttling. Handed cases of kind S3: B164 and B166.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "faulty_operation.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/manifest_names.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "table_state.h"

namespace lance::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kUri = FaultySession::kUri;

class ObjectStoreFaultsTest : public ::testing::TestWithParam<bool> {
 protected:
  static bool has_v2_names() { return GetParam(); }

  /// A table of one row whose manifests have this test's names.
  Dataset Create() {
    WriteOptions options{.enable_v2_manifest_paths = has_v2_names()};
    return InsertBuilder(kUri)
        .WithOpenOptions(session_.Options())
        .WithOptions(options)
        .Execute(BaseRows(R"([[1, 10, "a"]])"))
        .ValueOrDie()
        .dataset;
  }

  arrow::Status Append(CommitOptions commit = {}) {
    return InsertBuilder(kUri)
        .WithMode(WriteMode::kAppend)
        .WithOpenOptions(session_.Options())
        .WithOptions({.commit = std::move(commit)})
        .Execute(BaseRows(R"([[2, 20, "b"]])"))
        .status();
  }

  /// The number of the first call of an append that puts a manifest.
  int64_t ManifestPutOfAppend() {
    session_.store().Disarm();
    EXPECT_THAT(Append(), IsOk());
    const auto calls = session_.store().calls();
    const auto put = std::ranges::find_if(
        calls, [](const std::string& call) { return call.starts_with("Put _versions/"); });
    return put - calls.begin();
  }

  std::vector<uint64_t> Versions() {
    std::vector<uint64_t> versions;
    const Dataset newest = Dataset::Open(kUri, session_.Options(false)).ValueOrDie();
    for (const VersionInfo& info : ListVersions(newest).ValueOrDie()) {
      versions.push_back(info.version);
    }
    return versions;
  }

  /// The calls since the last Arm that list versions.
  std::vector<std::string> Listings() {
    std::vector<std::string> listings;
    for (const std::string& call : session_.store().calls()) {
      if (call.starts_with("List _versions")) listings.push_back(call);
    }
    return listings;
  }

  FaultySession session_;
};

INSTANTIATE_TEST_SUITE_P(Names, ObjectStoreFaultsTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "V2" : "V1"; });

// Handed case B164. A store may call its 409 "there is something", or say that it does not know.
TEST_P(ObjectStoreFaultsTest, B164AppendsPassAConflictOnEveryManifest) {
  Create();
  const int64_t put = ManifestPutOfAppend();
  for (const Fault answer : {Fault::kConflicts, Fault::kLandsLate}) {
    const auto before = Versions();

    for (int i = 0; i < 3; ++i) {
      session_.store().Arm(put, answer);
      ASSERT_THAT(Append(), IsOk());
      ASSERT_THAT(session_.store().hit(), StartsWith("Put _versions/"));
    }

    const auto after = Versions();
    ASSERT_THAT(after, SizeIs(before.size() + 3));
    for (size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i], i + 1);
    const Dataset newest = Dataset::Open(kUri, session_.Options(false)).ValueOrDie();
    EXPECT_THAT(newest.CountRows(), IsOkAndHolds(after.size()));
  }
}

TEST_P(ObjectStoreFaultsTest, ConflictsWithoutEndAreLostRacesThatCanBeTriedAgain) {
  Create();
  session_.store().Arm(ManifestPutOfAppend(), Fault::kConflicts, /*num_faults=*/1000);

  const auto status = Append({.max_retries = 0});

  ASSERT_NE(CommitConflict::From(status), nullptr) << status;
  EXPECT_TRUE(CommitConflict::From(status)->retryable());
  EXPECT_EQ(CommitConflict::From(status)->version, 3);
  session_.store().Disarm();
  EXPECT_THAT(Versions(), SizeIs(2));
  EXPECT_THAT(Append(), IsOk());
  EXPECT_THAT(Versions(), SizeIs(3));
}

// Handed case B166. On a store that does not promise an order every page has to be seen once.
TEST_P(ObjectStoreFaultsTest, B166FindsItsWayAmongMoreThanAThousandVersions) {
  constexpr uint64_t kVersions = 2500;
  const Dataset first = Create();
  table::Manifest manifest = first.impl().manifest();
  const table::ManifestStore manifests(session_.memory());
  for (manifest.version = 2; manifest.version <= kVersions; ++manifest.version) {
    manifest.config["version"] = std::to_string(manifest.version);
    ASSERT_THAT(
        manifests.PutManifest(
            manifest, has_v2_names() ? table::NamingScheme::kV2 : table::NamingScheme::kV1, ""),
        IsOkAndHolds(PutOutcome::kStored));
  }
  if (has_v2_names()) {
    EXPECT_THAT(session_.memory()->Head("_versions/18446744073709549115.manifest"), IsOk());
  }
  for (const bool is_shuffled : {false, true}) {
    session_.store().SetListing({.page_size = 1000, .is_shuffled = is_shuffled});
    session_.store().Disarm();

    LANCE_ASSERT_OK_AND_ASSIGN(const Dataset newest, Dataset::Open(kUri, session_.Options()));

    EXPECT_EQ(newest.version(), kVersions);
    EXPECT_THAT(Listings(), SizeIs(3));
    for (const uint64_t version : {uint64_t{1}, uint64_t{1234}}) {
      session_.store().Disarm();
      LANCE_ASSERT_OK_AND_ASSIGN(const Dataset old, newest.Checkout(Ref::Version(version)));
      EXPECT_EQ(old.properties().config.contains("version"), version > 1);
      EXPECT_THAT(Listings(), SizeIs(0));
    }
  }
  EXPECT_THAT(Versions(), SizeIs(kVersions));
  EXPECT_THAT(Append(), IsOk());
  EXPECT_THAT(Versions(), SizeIs(kVersions + 1));
}

TEST_P(ObjectStoreFaultsTest, ALaggingListingShowsAnOlderVersionAndCostsNoCommit) {
  Create();
  session_.store().SetListing({.num_hidden = 2});  // the hint and a manifest
  ASSERT_THAT(Append(), IsOk());
  ASSERT_THAT(Versions(), SizeIs(2));

  const auto status = Append({.max_retries = 2});

  if (status.ok()) {  // it may know better than the listing
    EXPECT_THAT(Versions(), SizeIs(3));
  } else {
    EXPECT_EQ(CommitUnknown::From(status), nullptr) << status;
    EXPECT_THAT(Versions(), SizeIs(2));
  }
  session_.store().SetListing({});
  const size_t before = Versions().size();
  EXPECT_THAT(Append(), IsOk());
  EXPECT_THAT(Versions(), SizeIs(before + 1));
}

/// Rows and counts of a table with deletions and a zonemap, or the failure.
arrow::Result<std::string> ReadAll(const OpenOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const Dataset dataset, Dataset::Open(kUri, options));
  ARROW_ASSIGN_OR_RAISE(const TableState state, StateOf(dataset));
  ARROW_ASSIGN_OR_RAISE(const uint64_t count, dataset.CountRows("k >= 40"));
  return std::to_string(dataset.version()) + " " + state.whole + " " + std::to_string(count);
}

class ReadFaultsTest : public ::testing::TestWithParam<std::pair<const char*, Fault>> {};

INSTANTIATE_TEST_SUITE_P(All, ReadFaultsTest,
                         ::testing::Values(std::pair("Fails", Fault::kFails),
                                           std::pair("Torn", Fault::kTorn),
                                           std::pair("NoReply", Fault::kNoReply),
                                           std::pair("Dies", Fault::kDies)),
                         [](const auto& test) { return test.param.first; });

TEST_P(ReadFaultsTest, AReadIsRightOrAFailureOfStorage) {
  const Fault fault = GetParam().second;
  FaultySession session;
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset base, MakeBaseTable(session.Options(false)));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset indexed,
                             CreateIndex(base, {.column = "k", .rows_per_zone = 2}));
  ASSERT_THAT(Delete(indexed, "id = 2"), IsOk());
  session.store().SetListing({.page_size = 2, .is_shuffled = true});
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string expected, ReadAll(session.Options(false)));

  // Throttled for one call, and for several.
  for (const int64_t num_faults : {1, 5}) {
    for (int64_t k = 0;; ++k) {
      session.store().Arm(k, fault, num_faults);
      const auto read = ReadAll(session.Options());
      const std::string hit = session.store().hit();
      SCOPED_TRACE("call " + std::to_string(k) + ": " + hit);
      if (read.ok()) {
        EXPECT_EQ(*read, expected);  // an index or a hint that cannot be read costs time only
      } else {
        EXPECT_THAT(read, IsIOError(HasSubstr("injected fault")));
      }
      if (hit.empty()) {
        ASSERT_THAT(read, IsOk());
        ASSERT_GT(k, 10);
        break;
      }
    }
  }
}

}  // namespace
}  // namespace lance::testing
