#include "lance/format/encode/page_values.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/format/encode/dictionary_arrays.h"
#include "lance/format/encode/value_dictionary.h"
#include "lance/format/encode/value_statistics.h"
#include "lance/testing/matchers.h"
#include "written_column.h"

namespace lance::format {
namespace {

using ::testing::ElementsAre;
using testing::HasStatus;
using ::testing::HasSubstr;
using testing::IsOk;

using Slots = std::vector<uint16_t>;

arrow::MemoryPool* Pool() { return arrow::default_memory_pool(); }

/// Arrays keep what values borrow.
class Collected {
 public:
  explicit Collected(std::vector<ArrayPtr> arrays, const Slots& slots = {})
      : arrays_(std::move(arrays)),
        values_(CollectPlainValues(MakeValueShape(*arrays_[0]->type()).ValueOrDie(), arrays_, slots,
                                   Pool())
                    .ValueOrDie()) {}

  const PageValues& values() const { return values_; }

 private:
  std::vector<ArrayPtr> arrays_;
  PageValues values_;
};

template <typename T>
std::vector<T> NumbersOf(const PageValues& values) {
  std::vector<T> numbers(values.bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), values.bytes.data(), values.bytes.size());
  return numbers;
}

std::vector<std::string> TextsOf(const PageValues& values) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < values.num_values; ++i) {
    const auto value = values.value(i);
    texts.emplace_back(reinterpret_cast<const char*>(value.data()), value.size());
  }
  return texts;
}

TEST(CollectPlainValues, BorrowsASliceWithoutNulls) {
  const auto array = FromJson(arrow::int32(), "[1, 2, 3, 4]")->Slice(1, 2);

  const Collected collected({array});

  EXPECT_THAT(NumbersOf<int32_t>(collected.values()), ElementsAre(2, 3));
  EXPECT_EQ(collected.values().byte_storage.size(), 0u);
}

TEST(CollectPlainValues, RepeatsValuesOverNullsAndBorders) {
  const Collected collected(
      {FromJson(arrow::int16(), "[null, 5, null]"), FromJson(arrow::int16(), "[null, 7]")},
      {1, 0, 1, 2, 0});

  EXPECT_THAT(NumbersOf<int16_t>(collected.values()), ElementsAre(5, 5, 5, 5, 7));
}

TEST(CollectPlainValues, RepeatsValuesOfOddWidth) {
  const auto type = arrow::fixed_size_binary(3);
  const Collected collected(
      {FromJson(type, R"([null, "abc"])"), FromJson(type, R"([null, "def"])")}, {1, 0, 1, 0});

  EXPECT_THAT(TextsOf(collected.values()), ElementsAre("abc", "abc", "abc", "def"));
}

TEST(CollectPlainValues, HoldsZerosWhereNothingIsValid) {
  EXPECT_THAT(
      NumbersOf<int64_t>(Collected({FromJson(arrow::int64(), "[null, null]")}, {1, 1}).values()),
      ElementsAre(0, 0));
}

TEST(CollectPlainValues, RepeatsBits) {
  const Collected collected({FromJson(arrow::boolean(), "[false, null, true, null]")},
                            {0, 1, 0, 1});

  EXPECT_EQ(collected.values().bytes[0], std::byte{0b1100});
}

TEST(CollectPlainValues, LeavesOutTheBytesOfNullTexts) {
  auto data = FromJson(arrow::utf8(), R"(["ab", "hidden", "c"])")->data()->Copy();
  const auto first = arrow::MakeArray(data);

  const Collected collected({first, FromJson(arrow::utf8(), R"(["d"])")}, {0, 1, 0, 0});

  EXPECT_THAT(TextsOf(collected.values()), ElementsAre("ab", "", "c", "d"));
  EXPECT_EQ(collected.values().num_bytes(), 4u);
}

TEST(CollectPlainValues, BorrowsTextsWhoseNullsAreEmpty) {
  const auto array = FromJson(arrow::utf8(), R"(["x", "ab", null, "c"])")->Slice(1);

  const Collected collected({array}, {0, 1, 0});

  EXPECT_THAT(TextsOf(collected.values()), ElementsAre("ab", "", "c"));
  EXPECT_EQ(collected.values().byte_storage.size(), 0u);
}

TEST(MeasureIntegers, FindsRunsAndTheWidthOfEachGroup) {
  const auto array = MakeArrayOf<arrow::Int32Type>(1500, [](int64_t i) {
    return std::optional<int32_t>(i < 1024 ? 3 : i < 1200 ? 3 : 1000);
  });

  const IntegerStatistics statistics = MeasureIntegers(Collected({array}).values());

  EXPECT_EQ(statistics.num_runs, 2u);
  EXPECT_THAT(statistics.widths, ElementsAre(2, 10));
}

TEST(MeasureIntegers, TakesNegativeNumbersAsWide) {
  EXPECT_THAT(MeasureIntegers(Collected({FromJson(arrow::int8(), "[1, -1]")}).values()).widths,
              ElementsAre(8));
}

struct EqualCase {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::string json;
  Slots slots;
  bool are_equal;
};

class AllEqual : public ::testing::TestWithParam<EqualCase> {};

TEST_P(AllEqual, LooksAtWhatIsThere) {
  const EqualCase& test = GetParam();
  const Collected collected({FromJson(test.type, test.json)}, test.slots);

  EXPECT_EQ(AreAllEqual(collected.values(), test.slots), test.are_equal);
}

INSTANTIATE_TEST_SUITE_P(
    All, AllEqual,
    ::testing::ValuesIn<EqualCase>({
        {"Integers", arrow::int32(), "[4, 4, 4]", {}, true},
        {"IntegersAndNull", arrow::int32(), "[4, null, 4]", {0, 1, 0}, true},
        {"Differ", arrow::int32(), "[4, 4, 5]", {}, false},
        {"One", arrow::int64(), "[4]", {}, true},
        {"Bools",
         arrow::boolean(),
         "[true, true, true, true, true, true, true, true, true]",
         {},
         true},
        {"BoolsDiffer",
         arrow::boolean(),
         "[true, true, true, true, true, true, true, true, false]",
         {},
         false},
        {"FalseBools", arrow::boolean(), "[false, false]", {}, true},
        {"Texts", arrow::utf8(), R"(["ab", "ab"])", {}, true},
        {"TextsDiffer", arrow::utf8(), R"(["ab", "ac"])", {}, false},
        {"TextsOfOtherLength", arrow::utf8(), R"(["ab", "abc"])", {}, false},
        {"EmptyTexts", arrow::utf8(), R"(["", ""])", {}, true},
        {"NullIsNoEmptyText", arrow::utf8(), R"([null, "ab", "ab"])", {1, 0, 0}, true},
        {"EmptyTextIsNoNull", arrow::utf8(), R"(["", "ab"])", {}, false},
    }),
    [](const auto& test) { return test.param.name; });

TEST(FindDistinctValues, NumbersThemAsTheyCome) {
  const Collected collected({FromJson(arrow::utf8(), R"(["b", "a", "b", null, "", "a"])")},
                            {0, 0, 0, 1, 0, 0});

  const auto found = FindDistinctValues(collected.values(), Slots{0, 0, 0, 1, 0, 0},
                                        {.max_items = 3, .max_bytes = 2}, Pool());

  ASSERT_TRUE(found);
  EXPECT_THAT(NumbersOf<uint32_t>(found->codes), ElementsAre(0, 1, 0, 0, 2, 1));
  EXPECT_THAT(TextsOf(found->items), ElementsAre("b", "a", ""));
}

TEST(FindDistinctValues, KeepsItsLimits) {
  const Collected collected({FromJson(arrow::utf8(), R"(["bb", "aa", "cc"])")});

  EXPECT_TRUE(FindDistinctValues(collected.values(), {}, {.max_items = 3, .max_bytes = 6}, Pool()));
  EXPECT_FALSE(
      FindDistinctValues(collected.values(), {}, {.max_items = 2, .max_bytes = 6}, Pool()));
  EXPECT_FALSE(
      FindDistinctValues(collected.values(), {}, {.max_items = 3, .max_bytes = 5}, Pool()));
}

TEST(FindDistinctValues, IsExactForManyValuesOfAnyLength) {
  const auto array = MakeArrayOf<arrow::StringType>(40'000, [](int64_t i) {
    const uint64_t k = Scatter(i) % 5000;
    return std::optional(std::string(k % 50, 'x') + std::to_string(k));
  });
  const Collected collected({array});

  const auto found =
      FindDistinctValues(collected.values(), {}, {.max_items = 5000, .max_bytes = 1 << 20}, Pool());

  ASSERT_TRUE(found);
  const auto texts = TextsOf(collected.values());
  const auto items = TextsOf(found->items);
  const auto codes = NumbersOf<uint32_t>(found->codes);
  for (size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(items[codes[i]], texts[i]);
}

TEST(FindDistinctValues, TakesWideIntegers) {
  const auto array = FromJson(arrow::decimal128(38, 0), R"(["5", "6", "5"])");

  const auto found = FindDistinctValues(Collected({array}).values(), {},
                                        {.max_items = 9, .max_bytes = 99}, Pool());

  ASSERT_TRUE(found);
  EXPECT_THAT(NumbersOf<uint32_t>(found->codes), ElementsAre(0, 1, 0));
  EXPECT_EQ(found->items.num_values, 2u);
}

ArrayPtr DictionaryArray(const std::string& indices, const std::string& items) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  return arrow::DictionaryArray::FromArrays(type, FromJson(arrow::int8(), indices),
                                            FromJson(arrow::utf8(), items))
      .ValueOrDie();
}

TEST(CollectDictionaries, KeepsASharedDictionaryAsItIs) {
  const auto page = CollectDictionaries({DictionaryArray("[2, 0]", R"(["a", "b", "c"])"),
                                         DictionaryArray("[1]", R"(["a", "b", "c"])")},
                                        {}, Pool());

  ASSERT_THAT(page, IsOk());
  EXPECT_THAT(NumbersOf<int8_t>(page->indices), ElementsAre(2, 0, 1));
  EXPECT_THAT(TextsOf(page->items), ElementsAre("a", "b", "c"));
}

TEST(CollectDictionaries, MergesDictionariesThatDiffer) {
  const auto page = CollectDictionaries({DictionaryArray("[1, null, 0]", R"(["a", "b"])"),
                                         DictionaryArray("[2, 1]", R"(["x", "b", "c"])")},
                                        Slots{0, 1, 0, 0, 0}, Pool());

  ASSERT_THAT(page, IsOk());
  EXPECT_THAT(NumbersOf<int8_t>(page->indices), ElementsAre(0, 0, 1, 2, 0));
  EXPECT_THAT(TextsOf(page->items), ElementsAre("b", "a", "c"));
}

TEST(CollectDictionaries, DropsNullItems) {
  const auto page = CollectDictionaries({DictionaryArray("[1, 0, 2]", R"(["a", null, "c"])")},
                                        Slots{1, 0, 0}, Pool());

  ASSERT_THAT(page, IsOk());
  EXPECT_THAT(NumbersOf<int8_t>(page->indices), ElementsAre(0, 0, 1));
  EXPECT_THAT(TextsOf(page->items), ElementsAre("a", "c"));
}

TEST(CollectDictionaries, RefusesMoreItemsThanIndicesCanName) {
  std::string first = "[\"x\"";
  std::string second = "[\"y\"";
  std::string indices = "[0";
  for (int i = 1; i < 100; ++i) {
    first += ",\"a" + std::to_string(i) + "\"";
    second += ",\"b" + std::to_string(i) + "\"";
    indices += "," + std::to_string(i);
  }
  const auto page = CollectDictionaries(
      {DictionaryArray(indices + "]", first + "]"), DictionaryArray(indices + "]", second + "]")},
      {}, Pool());

  EXPECT_THAT(page.status(), HasStatus(arrow::StatusCode::CapacityError, HasSubstr("8 bits")));
}

TEST(LeafWriter, RefusesDictionariesThatDoNotFitTogether) {
  const auto array = [](const char* before, int count) {
    std::string items = "[\"x\"";
    std::string indices = "[0";
    for (int i = 1; i < count; ++i) {
      items += ",\"" + std::string(before) + std::to_string(i) + "\"";
      indices += "," + std::to_string(i);
    }
    return DictionaryArray(indices + "]", items + "]");
  };

  EXPECT_THAT(TryWrite({array("a", 100), array("b", 29)}), IsOk());  // x and 127 others
  EXPECT_THAT(TryWrite({array("a", 100), array("b", 30)}).status(),
              HasStatus(arrow::StatusCode::Invalid,
                        HasSubstr("more than 128 values together, the most that indices of type "
                                  "int8 can number")));
}

TEST(CollectFixedSizeLists, HidesWhatLiesBehindNulls) {
  const auto type = arrow::fixed_size_list(arrow::int16(), 2);
  auto data = FromJson(type, "[[1, 2], [3, 4], [5, null]]")->data()->Copy();

  const auto values = CollectFixedSizeLists(MakeValueShape(*type).ValueOrDie(),
                                            {arrow::MakeArray(data)}, Slots{0, 1, 0}, Pool());

  ASSERT_THAT(values, IsOk());
  EXPECT_THAT(NumbersOf<int16_t>(*values), ElementsAre(1, 2, 0, 0, 5, 0));
  ASSERT_EQ(values->item_validity.size(), 1u);
  EXPECT_EQ(values->item_validity[0].data()[0] & std::byte{0x3F}, std::byte{0b011111});
  EXPECT_FALSE(values->are_items_null);
}

TEST(CollectFixedSizeLists, HasNoBitsWhereNothingIsNull) {
  const auto type = arrow::fixed_size_list(arrow::fixed_size_list(arrow::int8(), 2), 2);
  const auto array = FromJson(type, "[[[1, 2], [3, 4]], null, [[5, 6], [7, 8]]]")->Slice(1);

  const auto values =
      CollectFixedSizeLists(MakeValueShape(*type).ValueOrDie(), {array}, Slots{1, 0}, Pool());

  ASSERT_THAT(values, IsOk());
  EXPECT_THAT(NumbersOf<int8_t>(*values), ElementsAre(0, 0, 0, 0, 5, 6, 7, 8));
  EXPECT_TRUE(values->item_validity[0].empty());
  EXPECT_TRUE(values->item_validity[1].empty());
}

}  // namespace
}  // namespace lance::format
