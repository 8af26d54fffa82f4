#pragma once

#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "arrow/result.h"
#include "arrow/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/status_detail.h"

namespace lance::testing {

/// The status itself, so that matchers take Status and Result alike.
inline arrow::Status StatusOf(const arrow::Status& status) { return status; }

/// The status of a result; OK when it holds a value.
template <typename T>
arrow::Status StatusOf(const arrow::Result<T>& result) {
  return result.status();
}

/// Matches a Status or Result by its code and, when it failed, by its message. Immutable.
class StatusMatcher {
 public:
  using is_gtest_matcher = void;

  StatusMatcher(arrow::StatusCode code, ::testing::Matcher<std::string> message)
      : code_(code), message_(std::move(message)) {}

  template <typename T>
  bool MatchAndExplain(const T& value, ::testing::MatchResultListener* listener) const {
    const arrow::Status status = StatusOf(value);
    *listener << "which is \"" << status.ToString() << "\"";
    return status.code() == code_ && (status.ok() || message_.Matches(status.message()));
  }

  void DescribeTo(std::ostream* out) const { Describe(out, "is "); }
  void DescribeNegationTo(std::ostream* out) const { Describe(out, "is not "); }

 private:
  void Describe(std::ostream* out, const char* verb) const {
    *out << verb << arrow::Status::CodeAsString(code_);
    if (code_ == arrow::StatusCode::OK) return;
    *out << " whose message ";
    message_.DescribeTo(out);
  }

  arrow::StatusCode code_;
  ::testing::Matcher<std::string> message_;
};

/// Any message.
inline ::testing::Matcher<std::string> AnyMessage() { return ::testing::A<std::string>(); }

/// Match any failure of this code: `EXPECT_THAT(result, HasStatus(StatusCode::Invalid,
/// HasSubstr("x")))`.
inline StatusMatcher HasStatus(arrow::StatusCode code,
                               ::testing::Matcher<std::string> message = AnyMessage()) {
  return StatusMatcher(code, std::move(message));
}

/// Match success of a Status or Result.
inline StatusMatcher IsOk() { return HasStatus(arrow::StatusCode::OK); }

/// Match Invalid: a wrong request.
inline StatusMatcher IsInvalid(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::Invalid, std::move(message));
}

/// Match KeyError: a name that is not there.
inline StatusMatcher IsKeyError(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::KeyError, std::move(message));
}

/// Match IndexError: a position that is not there.
inline StatusMatcher IsIndexError(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::IndexError, std::move(message));
}

/// Match TypeError.
inline StatusMatcher IsTypeError(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::TypeError, std::move(message));
}

/// Match NotImplemented: a feature that we do not have.
inline StatusMatcher IsNotImplemented(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::NotImplemented, std::move(message));
}

/// Match SerializationError: corrupt bytes.
inline StatusMatcher IsSerializationError(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::SerializationError, std::move(message));
}

/// Match IOError: storage failed.
inline StatusMatcher IsIOError(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::IOError, std::move(message));
}

/// Match CapacityError: a budget that does not suffice.
inline StatusMatcher IsCapacityError(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::CapacityError, std::move(message));
}

/// Match Cancelled.
inline StatusMatcher IsCancelled(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::Cancelled, std::move(message));
}

/// Match AlreadyExists: a lost race or a conflict.
inline StatusMatcher IsAlreadyExists(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::AlreadyExists, std::move(message));
}

/// Match UnknownError: doubt about a commit, or a bug of ours.
inline StatusMatcher IsUnknownError(::testing::Matcher<std::string> message = AnyMessage()) {
  return HasStatus(arrow::StatusCode::UnknownError, std::move(message));
}

/// Matches a Status or Result that carries a detail of type `T` which `inner` matches. Immutable.
template <typename T>
class DetailMatcher {
 public:
  using is_gtest_matcher = void;

  explicit DetailMatcher(::testing::Matcher<const T&> inner) : inner_(std::move(inner)) {}

  template <typename Value>
  bool MatchAndExplain(const Value& value, ::testing::MatchResultListener* listener) const {
    const arrow::Status status = StatusOf(value);
    *listener << "which is \"" << status.ToString() << "\"";
    const T* detail = T::From(status);
    return detail != nullptr && inner_.MatchAndExplain(*detail, listener);
  }

  void DescribeTo(std::ostream* out) const { Describe(out, "has"); }
  void DescribeNegationTo(std::ostream* out) const { Describe(out, "lacks"); }

 private:
  void Describe(std::ostream* out, const char* verb) const {
    *out << verb << " a " << T::kTypeId << " detail that ";
    inner_.DescribeTo(out);
  }

  ::testing::Matcher<const T&> inner_;
};

/// Match a detail: `HasDetail<NotFound>(Field(&NotFound::kind, "tag"))`.
template <typename T>
DetailMatcher<T> HasDetail(::testing::Matcher<const T&> inner = ::testing::A<const T&>()) {
  return DetailMatcher<T>(std::move(inner));
}

/// Match a Result that holds a value which `inner` matches: `IsOkAndHolds(3)`,
/// `IsOkAndHolds(Gt(2))`.
MATCHER_P(IsOkAndHolds, inner, "is OK and holds a value that matches") {
  if (!arg.ok()) {
    *result_listener << "which is \"" << arg.status().ToString() << "\"";
    return false;
  }
  using Value = std::decay_t<decltype(*arg)>;
  return ::testing::SafeMatcherCast<const Value&>(inner).MatchAndExplain(*arg, result_listener);
}

}  // namespace lance::testing

#define LANCE_TESTING_CONCAT_INNER(a, b) a##b
#define LANCE_TESTING_CONCAT(a, b) LANCE_TESTING_CONCAT_INNER(a, b)
#define LANCE_TESTING_ASSIGN(result, target, expression)                                \
  auto&& result = (expression);                                                         \
  ASSERT_TRUE(result.ok()) << #expression << " failed: " << result.status().ToString(); \
  target = std::move(result).ValueUnsafe()

/// Unwrap a Result or end the test: `LANCE_ASSERT_OK_AND_ASSIGN(const auto store,
/// MakeLocalStore(path));`
#define LANCE_ASSERT_OK_AND_ASSIGN(target, ...) \
  LANCE_TESTING_ASSIGN(LANCE_TESTING_CONCAT(lance_result_, __LINE__), target, (__VA_ARGS__))
