#include "lance/dataset/filter/filter_problem.h"

#include "gtest/gtest.h"
#include "lance/status_detail.h"

namespace lance::filter {
namespace {

std::string MessageFor(std::string_view sql, Span place) {
  return FilterProblem(arrow::StatusCode::Invalid, sql, place, "wrong").message();
}

TEST(FilterProblem, DrawsCaretsUnderThePlace) {
  EXPECT_EQ(MessageFor("a = 300", Span{4, 3}),
            "filter: wrong\n"
            "  a = 300\n"
            "      ^^^");
}

TEST(FilterProblem, DrawsOneCaretAtTheEnd) {
  EXPECT_EQ(MessageFor("a =", Span{3, 0}),
            "filter: wrong\n"
            "  a =\n"
            "     ^");
}

TEST(FilterProblem, CountsCharactersNotBytes) {
  EXPECT_EQ(MessageFor("\xC3\xB6 = '\xE6\x97\xA5'", Span{5, 5}),
            "filter: wrong\n"
            "  \xC3\xB6 = '\xE6\x97\xA5'\n"
            "      ^^^");
}

TEST(FilterProblem, ShowsLineEndsAsBlanks) {
  EXPECT_EQ(MessageFor("a\n=\t300", Span{4, 3}),
            "filter: wrong\n"
            "  a = 300\n"
            "      ^^^");
}

TEST(FilterProblem, CutsLongTextsAroundThePlace) {
  const std::string sql = std::string(100, 'a') + " = 300 " + std::string(100, 'b');

  EXPECT_EQ(MessageFor(sql, Span{103, 3}),
            "filter: wrong\n"
            "  ..." +
                std::string(37, 'a') + " = 300 " + std::string(36, 'b') + "...\n  " +
                std::string(43, ' ') + "^^^");
}

TEST(FilterProblem, CutsAtCharacters) {
  std::string sql;
  for (int i = 0; i < 100; ++i) sql += "\xE6\x97\xA5";

  const std::string message = MessageFor(sql, Span{150, 3});

  EXPECT_NE(message.find("  ...\xE6\x97\xA5"), std::string::npos);
  EXPECT_NE(message.find("\xE6\x97\xA5...\n"), std::string::npos);
}

TEST(FilterProblem, CutsLongPlaces) {
  const std::string sql(1000, 'a');

  EXPECT_EQ(MessageFor(sql, Span{0, 1000}),
            "filter: wrong\n  " + std::string(40, 'a') + "...\n  " + std::string(40, '^'));
}

TEST(FilterProblem, CarriesThePlaceAndTheCode) {
  const auto status = FilterProblem(arrow::StatusCode::NotImplemented, "a = 300", Span{4, 3}, "x");

  ASSERT_NE(FilterError::From(status), nullptr);
  EXPECT_EQ(FilterError::From(status)->offset, 4U);
  EXPECT_EQ(FilterError::From(status)->length, 3U);
  EXPECT_TRUE(status.IsNotImplemented());
}

TEST(Shorten, CutsAtCharactersOnly) {
  EXPECT_EQ(Shorten(std::string(64, 'a')), std::string(64, 'a'));
  EXPECT_EQ(Shorten(std::string(65, 'a')), std::string(64, 'a') + "...");
  EXPECT_EQ(Shorten(std::string(63, 'a') + "\xC3\xB6"), std::string(63, 'a') + "...");
}

}  // namespace
}  // namespace lance::filter
