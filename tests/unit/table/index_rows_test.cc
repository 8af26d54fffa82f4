// Indices of tables with stable row ids, past a rewrite.

#include "lance/table/index_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/table/apply_rewrite.h"
#include "lance/table/feature_flags.h"
#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Manifest StableManifest() {
  Manifest manifest = SampleManifest({0, 1, 2});
  manifest.reader_feature_flags |= kStableRowIdsFlag;
  manifest.writer_feature_flags |= kStableRowIdsFlag;
  return manifest;
}

IndexMetadata IndexOf(const std::string& type, const std::vector<uint32_t>& fragments,
                      int32_t version = 0) {
  IndexMetadata index = SampleIndex(type, static_cast<uint8_t>(fragments.size()), fragments);
  index.details_type_url = "/lance.table." + type + "IndexDetails";
  index.has_details = true;
  index.index_version = version;
  return index;
}

TEST(StoresStableRowIdsTest, DependsOnTableTypeAndVersion) {
  const Manifest stable = StableManifest();
  for (const char* type : {"Bitmap", "LabelList", "Inverted", "NGram", "Vector", "BTree", "btree",
                           "MinHashLsh"}) {
    EXPECT_TRUE(StoresStableRowIds(IndexOf(type, {0}), stable)) << type;
    EXPECT_FALSE(StoresStableRowIds(IndexOf(type, {0}), SampleManifest({0}))) << type;
  }
  EXPECT_FALSE(StoresStableRowIds(IndexOf("BTree", {0}, 1), stable));
  for (const char* type : {"ZoneMap", "BloomFilter", "FM", "Novel"}) {
    EXPECT_FALSE(StoresStableRowIds(IndexOf(type, {0}), stable)) << type;
  }
}

TEST(ApplyRewriteTest, MovesTheCoverageOfIndicesThatNameRowsById) {
  Manifest manifest = StableManifest();
  manifest.indices = {IndexOf("Bitmap", {0, 1, 2}), IndexOf("Bitmap", {0, 2}),
                      IndexOf("Bitmap", {2}), IndexOf("ZoneMap", {0, 1, 2})};
  const Rewrite rewrite{
      .groups = {{{manifest.fragments[0], manifest.fragments[1]}, {SampleFragment(7)}}}};

  ASSERT_THAT(ApplyRewrite(rewrite, &manifest), lance::testing::IsOk());

  const auto covered = [&](size_t i) { return (*manifest.indices[i].Coverage())->ToVector(); };
  EXPECT_THAT(covered(0), ElementsAre(2, 7));
  EXPECT_THAT(covered(1), ElementsAre(2)) << "it covered a part of the group";
  EXPECT_THAT(covered(2), ElementsAre(2));
  EXPECT_THAT(covered(3), ElementsAre(2)) << "zones are addresses";
}

TEST(ApplyRewriteTest, LeavesCoverageAloneWhereIndicesStoreAddresses) {
  Manifest manifest = SampleManifest({0, 1});
  manifest.indices = {IndexOf("Bitmap", {0, 1})};
  const std::string before = manifest.indices[0].fragment_bitmap;
  const Rewrite rewrite{
      .groups = {{{manifest.fragments[0], manifest.fragments[1]}, {SampleFragment(7)}}}};

  ASSERT_THAT(ApplyRewrite(rewrite, &manifest), lance::testing::IsOk());

  EXPECT_EQ(manifest.indices[0].fragment_bitmap, before);
}

}  // namespace
}  // namespace lance::table
