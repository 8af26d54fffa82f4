#include "../unit/index/btree_fixtures.h"
#include "lance/testing/matchers.h"

// The law: whatever bytes the files of a BTree consist of, opening, searching and merging them give
// rows or a status, and never crash or take much memory. A file that is cut short is an error.

namespace lance::index {
namespace {

using lance::testing::IsLongSize;
using lance::testing::IsOk;

class HostileBTree : public ::testing::TestWithParam<std::shared_ptr<arrow::Array>> {
 protected:
  void SetUp() override {
    NewScalarIndex request = NewBTree(GetParam(), Consecutive(7, GetParam()->length()));
    LANCE_ASSERT_OK_AND_ASSIGN(segment_, bench_.Write(request));
    segment_.files.clear();
  }

  /// Open the segment, search it in every way, and merge it. \return what failed first
  arrow::Status Use() {
    ARROW_ASSIGN_OR_RAISE(const auto index, bench_.Open(segment_, GetParam()->type()));
    for (const Predicate& leaf :
         {Range(0, {}, {}), IsNull(0), Equal(0, *GetParam()->GetScalar(0))}) {
      ARROW_RETURN_NOT_OK(index->Search(leaf, NullRows::kNamed, bench_.run));
    }
    NewScalarIndex merge = NewBTree(GetParam(), Consecutive(100, GetParam()->length()));
    merge.old_parts = {{.segment = &segment_}};
    const Uuid uuid = Uuid::Random(bench_.random);
    ARROW_ASSIGN_OR_RAISE(const auto merged,
                          WriteScalarIndex(bench_.store, uuid, merge, bench_.run));
    for (const auto& file : merged.files) {
      ARROW_RETURN_NOT_OK(bench_.store->Delete("_indices/" + uuid.ToString() + "/" + file.path));
    }
    return arrow::Status::OK();
  }

  std::string Read(const std::string& path) {
    const uint64_t size = bench_.store->Head(path)->size_bytes;
    return bench_.store->Get(path, {{0, size}}, arrow::StopToken::Unstoppable())
        .ValueOrDie()[0]
        ->ToString();
  }

  void Overwrite(const std::string& path, const std::string& bytes) {
    ASSERT_THAT(bench_.store->Put(path, arrow::Buffer::FromString(bytes), PutMode::kOverwrite),
                IsOk());
  }

  IndexBench bench_;
  table::IndexMetadata segment_;
};

TEST_P(HostileBTree, WithAByteOfAnotherValueIsSurvived) {
  ASSERT_THAT(Use(), IsOk());
  for (const char* name : {"page_lookup.lance", "page_data.lance"}) {
    const std::string path = SegmentPath(segment_, name);
    const std::string good = Read(path);
    int used = 0, refused = 0;
    for (size_t at = 0; at < good.size(); ++at) {
      // In the short size one change for each byte, all of them in the long one.
      for (int bit = 0; bit < 8; ++bit) {
        if (!IsLongSize() && bit != static_cast<int>(at % 8)) continue;
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
        Overwrite(path, bad);
        ++(Use().ok() ? used : refused);
      }
    }
    EXPECT_GT(used, 0);
    EXPECT_GT(refused, used / 2);
    Overwrite(path, good);
  }
  EXPECT_THAT(Use(), IsOk());
}

TEST_P(HostileBTree, CutShortIsRefused) {
  for (const char* name : {"page_lookup.lance", "page_data.lance"}) {
    const std::string path = SegmentPath(segment_, name);
    const std::string good = Read(path);
    for (size_t size = 0; size < good.size(); ++size) {
      Overwrite(path, good.substr(0, size));
      ASSERT_FALSE(Use().ok()) << name << " of " << size << " bytes";
    }
    Overwrite(path, good);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileBTree,
    ::testing::Values(ArrayOf(arrow::int32(), "[5, null, 3, 3, null, 9]"),
                      ArrayOf(arrow::utf8(),
                              R"(["b", null, "abc", "", "z", null, "longer than others"])"),
                      FloatsOf(arrow::float64(), {1, -kNan, kNan, std::nullopt, -0.0, 0.0, kInf})),
    [](const auto& instance) { return instance.param->type()->name(); });

}  // namespace
}  // namespace lance::index
