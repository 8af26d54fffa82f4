#include "lance/io/spill_file.h"

#include <filesystem>
#include <string>

#include "arrow/api.h"
#include "arrow/io/interfaces.h"
#include "lance/testing/matchers.h"

namespace lance {
namespace {

using lance::testing::IsOk;

int CountSpillFiles() {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
    count += entry.path().filename().string().starts_with("lance_spill_") ? 1 : 0;
  }
  return count;
}

TEST(SpillFile, GivesBackWhatWasWrittenAfterItIsGone) {
  const int before = CountSpillFiles();
  std::shared_ptr<arrow::io::InputStream> in;
  {
    LANCE_ASSERT_OK_AND_ASSIGN(SpillFile file, SpillFile::Create());
    LANCE_ASSERT_OK_AND_ASSIGN(const auto out, file.OpenWrite());
    ASSERT_THAT(out->Write("some "), IsOk());
    ASSERT_THAT(out->Write("words"), IsOk());
    ASSERT_THAT(out->Close(), IsOk());
    EXPECT_EQ(CountSpillFiles(), before);  // nobody meets it
    LANCE_ASSERT_OK_AND_ASSIGN(in, file.OpenRead(nullptr));
  }
  LANCE_ASSERT_OK_AND_ASSIGN(const auto bytes, in->Read(100));
  EXPECT_EQ(bytes->ToString(), "some words");
}

TEST(SpillFile, SharesNothingWithAnother) {
  LANCE_ASSERT_OK_AND_ASSIGN(SpillFile first, SpillFile::Create());
  LANCE_ASSERT_OK_AND_ASSIGN(SpillFile second, SpillFile::Create());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto out, first.OpenWrite());
  ASSERT_THAT(out->Write("first"), IsOk());
  ASSERT_THAT(out->Close(), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto in, second.OpenRead(nullptr));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto bytes, in->Read(100));
  EXPECT_EQ(bytes->size(), 0);
}

}  // namespace
}  // namespace lance
