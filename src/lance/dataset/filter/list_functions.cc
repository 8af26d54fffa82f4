#include <algorithm>
#include <set>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/dataset/filter/arithmetic.h"
#include "lance/dataset/filter/cast_value.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/functions.h"
#include "lance/dataset/filter/list_rows.h"
#include "lance/dataset/filter/row_values.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Status;
using Arguments = std::vector<BoundValue>;
using CallResult = arrow::Result<FunctionCall>;
using Codes = std::vector<int32_t>;
using TypePtr = std::shared_ptr<arrow::DataType>;

/// The type of a list's elements; null() for NULL. \return Invalid for what is no list
arrow::Result<TypePtr> ElementType(const BoundValue& argument) {
  if (argument.type->id() == arrow::Type::NA) return arrow::null();
  if (IsListType(*argument.type)) return ElementTypeOf(*argument.type);
  return Status::Invalid("found a value of type ", argument.type->ToString(), ", expected a list");
}

/// The type that elements meet in, of which their numbers are made.
arrow::Result<TypePtr> CommonElementType(const TypePtr& left, const TypePtr& right) {
  const bool is_mixed = IsTextType(*left) != IsTextType(*right) && left->id() != arrow::Type::NA &&
                        right->id() != arrow::Type::NA;
  const TypePtr common = is_mixed ? nullptr : CommonComparisonType(left, right);
  if (common == nullptr) {
    return Status::Invalid("found elements of type ", left->ToString(), " and ", right->ToString(),
                           ", which do not compare");
  }
  if (!HasEqualityCodes(*common)) {
    return Status::NotImplemented("lists of ", common->ToString(), " are not looked into yet");
  }
  return common;
}

arrow::Result<Datum> AsArray(const Datum& value) {
  ARROW_ASSIGN_OR_RAISE(auto array, ToArray(value, value.is_scalar() ? 1 : value.length()));
  return Datum(std::move(array));
}

/// What looks for an element in a list: gets its numbers, and that of the element.
using FindElement = Status (*)(const Codes& codes, int64_t begin, int64_t end, int32_t element,
                               arrow::ArrayBuilder* builder);

/// Look for the second argument in the first.
CallResult Search(const Arguments& arguments, const TypePtr& result, bool finds_null,
                  FindElement find) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr elements, ElementType(arguments[0]));
  ARROW_ASSIGN_OR_RAISE(const TypePtr common, CommonElementType(elements, arguments[1].type));
  const auto run = [=](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const ListRows lists, ListRows::Make(values[0]));
    ARROW_ASSIGN_OR_RAISE(const Datum wanted, AsArray(values[1]));
    ARROW_ASSIGN_OR_RAISE(const auto codes, EqualityCodes({lists.values(), wanted.make_array()}));
    std::unique_ptr<arrow::ArrayBuilder> builder;
    ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), result, &builder));
    return BuildRows(values, builder.get(), [&](int64_t row) -> Status {
      const int32_t element = codes[1][static_cast<size_t>(values[1].is_scalar() ? 0 : row)];
      if (!lists.IsValid(row) || (element < 0 && !finds_null)) return builder->AppendNull();
      return find(codes[0], lists.begin(row), lists.end(row), element, builder.get());
    });
  };
  return FunctionCall{result, {arrow::list(common), common}, run};
}

CallResult ArrayHas(const Arguments& arguments) {
  return Search(arguments, arrow::boolean(), /*finds_null=*/false,
                [](const Codes& codes, int64_t begin, int64_t end, int32_t element,
                   arrow::ArrayBuilder* builder) {
                  const auto last = codes.begin() + end;
                  return static_cast<arrow::BooleanBuilder*>(builder)->Append(
                      std::find(codes.begin() + begin, last, element) != last);
                });
}

/// Counted from 1.
CallResult ArrayPosition(const Arguments& arguments) {
  return Search(arguments, arrow::uint64(), /*finds_null=*/true,
                [](const Codes& codes, int64_t begin, int64_t end, int32_t element,
                   arrow::ArrayBuilder* builder) {
                  const auto first = codes.begin() + begin;
                  const auto last = codes.begin() + end;
                  const auto found = std::find(first, last, element);
                  if (found == last) return builder->AppendNull();
                  return static_cast<arrow::UInt64Builder*>(builder)->Append(
                      static_cast<uint64_t>(found - first) + 1);
                });
}

/// Compare the elements of two lists as sets; null elements are equal.
CallResult CompareSets(const Arguments& arguments, bool (*holds)(const std::set<int32_t>& left,
                                                                 const std::set<int32_t>& right)) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr left, ElementType(arguments[0]));
  ARROW_ASSIGN_OR_RAISE(const TypePtr right, ElementType(arguments[1]));
  ARROW_ASSIGN_OR_RAISE(const TypePtr common, CommonElementType(left, right));
  const auto run = [holds](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const ListRows lefts, ListRows::Make(values[0]));
    ARROW_ASSIGN_OR_RAISE(const ListRows rights, ListRows::Make(values[1]));
    ARROW_ASSIGN_OR_RAISE(const auto codes, EqualityCodes({lefts.values(), rights.values()}));
    const auto set_of = [&](size_t side, const ListRows& lists, int64_t row) {
      return std::set<int32_t>(codes[side].begin() + lists.begin(row),
                               codes[side].begin() + lists.end(row));
    };
    // The list is often the same for all rows, and long.
    const bool is_constant = values[1].is_scalar();
    std::set<int32_t> others = is_constant ? set_of(1, rights, 0) : std::set<int32_t>();
    arrow::BooleanBuilder builder;
    return BuildRows(values, &builder, [&](int64_t row) -> Status {
      if (!lefts.IsValid(row) || !rights.IsValid(row)) return builder.AppendNull();
      if (!is_constant) others = set_of(1, rights, row);
      return builder.Append(holds(set_of(0, lefts, row), others));
    });
  };
  const TypePtr lists = arrow::list(common);
  return FunctionCall{arrow::boolean(), {lists, lists}, run};
}

CallResult ArrayHasAny(const Arguments& arguments) {
  return CompareSets(arguments, [](const std::set<int32_t>& left, const std::set<int32_t>& right) {
    return std::ranges::any_of(left, [&](int32_t code) { return right.contains(code); });
  });
}

CallResult ArrayHasAll(const Arguments& arguments) {
  return CompareSets(arguments, [](const std::set<int32_t>& left, const std::set<int32_t>& right) {
    return std::ranges::includes(left, right);
  });
}

CallResult ArrayLength(const Arguments& arguments) {
  ARROW_RETURN_NOT_OK(ElementType(arguments[0]).status());
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Datum length,
                          arrow::compute::CallFunction("list_value_length", values));
    return CastValue(length, arrow::uint64(), /*is_try=*/false);
  };
  return FunctionCall{arrow::uint64(), {nullptr}, run};
}

CallResult ArrayEmpty(const Arguments& arguments) {
  ARROW_RETURN_NOT_OK(ElementType(arguments[0]).status());
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const ListRows lists, ListRows::Make(values[0]));
    arrow::BooleanBuilder builder;
    return BuildRows(values, &builder, [&](int64_t row) -> Status {
      return lists.IsValid(row) ? builder.Append(lists.size(row) == 0) : builder.AppendNull();
    });
  };
  return FunctionCall{arrow::boolean(), {nullptr}, run};
}

/// Take one element of each list. \param choose gives its place in the list's values, or -1
template <typename Choose>
arrow::Result<Datum> TakeOne(const std::vector<Datum>& values, const ListRows& lists,
                             const Choose& choose) {
  arrow::Int64Builder builder;
  ARROW_ASSIGN_OR_RAISE(const Datum places, BuildRows(values, &builder, [&](int64_t row) -> Status {
                          const int64_t place = lists.IsValid(row) ? choose(row) : -1;
                          return place < 0 ? builder.AppendNull() : builder.Append(place);
                        }));
  ARROW_ASSIGN_OR_RAISE(const Datum indices, AsArray(places));
  ARROW_ASSIGN_OR_RAISE(const Datum taken, arrow::compute::Take(lists.values(), indices));
  if (!places.is_scalar()) return taken;
  ARROW_ASSIGN_OR_RAISE(auto scalar, taken.make_array()->GetScalar(0));
  return Datum(std::move(scalar));
}

/// The element number n, from 1, or from the end when negative.
CallResult ArrayElement(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr elements, ElementType(arguments[0]));
  if (!arrow::is_integer(arguments[1].type->id())) {
    return Status::Invalid("found a value of type ", arguments[1].type->ToString(),
                           ", expected the place of an element as an integer");
  }
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const ListRows lists, ListRows::Make(values[0]));
    const NumberRows<arrow::Int64Type> places(values[1]);
    return TakeOne(values, lists, [&](int64_t row) -> int64_t {
      const int64_t place = places.IsValid(row) ? places.Value(row) : 0;
      const int64_t size = lists.size(row);
      if (place > 0 && place <= size) return lists.begin(row) + place - 1;
      return place < 0 && place >= -size ? lists.end(row) + place : -1;
    });
  };
  return FunctionCall{elements, {nullptr, arrow::int64()}, run};
}

/// The greatest or least element that is not null.
CallResult ArrayExtreme(const Arguments& arguments, bool is_greatest) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr elements, ElementType(arguments[0]));
  if (!HasEqualityCodes(*elements) || elements->id() == arrow::Type::NA) {
    return Status::NotImplemented("lists of ", elements->ToString(), " are not ordered yet");
  }
  const auto run = [is_greatest](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const ListRows lists, ListRows::Make(values[0]));
    ARROW_ASSIGN_OR_RAISE(const auto ranks, RanksOf(lists.values()));
    return TakeOne(values, lists, [&](int64_t row) -> int64_t {
      int64_t best = -1;
      for (int64_t i = lists.begin(row); i < lists.end(row); ++i) {
        if (lists.values()->IsNull(i)) continue;
        const auto rank = [&](int64_t place) { return ranks[static_cast<size_t>(place)]; };
        if (best < 0 || (is_greatest ? rank(i) > rank(best) : rank(i) < rank(best))) best = i;
      }
      return best;
    });
  };
  return FunctionCall{elements, {nullptr}, run};
}

CallResult ArrayMax(const Arguments& arguments) { return ArrayExtreme(arguments, true); }
CallResult ArrayMin(const Arguments& arguments) { return ArrayExtreme(arguments, false); }

/// The elements as texts with a separator between them; nulls are left out.
CallResult ArrayToString(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr elements_type, ElementType(arguments[0]));
  if (arrow::is_floating(elements_type->id())) {
    return Status::NotImplemented("lists of ", elements_type->ToString(), " are not written yet");
  }
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const ListRows lists, ListRows::Make(values[0]));
    const TextRows elements{Datum(lists.values())};
    const TextRows separators(values[1]);
    arrow::StringBuilder builder;
    return BuildRows(values, &builder, [&](int64_t row) -> Status {
      if (!lists.IsValid(row) || !separators.IsValid(row)) return builder.AppendNull();
      std::string joined;
      bool is_first = true;
      for (int64_t i = lists.begin(row); i < lists.end(row); ++i) {
        if (!elements.IsValid(i)) continue;
        if (!is_first) joined += separators.Value(row);
        joined += elements.Value(i);
        is_first = false;
      }
      return builder.Append(joined);
    });
  };
  return FunctionCall{arrow::utf8(), {arrow::list(arrow::utf8()), arrow::utf8()}, run};
}

}  // namespace

std::vector<FunctionEntry> ListFunctions() {
  return {{"array_has", 2, 2, ArrayHas},
          {"array_contains", 2, 2, ArrayHas},
          {"list_has", 2, 2, ArrayHas},
          {"list_contains", 2, 2, ArrayHas},
          {"array_has_any", 2, 2, ArrayHasAny},
          {"list_has_any", 2, 2, ArrayHasAny},
          {"arrays_overlap", 2, 2, ArrayHasAny},
          {"array_has_all", 2, 2, ArrayHasAll},
          {"list_has_all", 2, 2, ArrayHasAll},
          {"array_position", 2, 2, ArrayPosition},
          {"array_indexof", 2, 2, ArrayPosition},
          {"list_position", 2, 2, ArrayPosition},
          {"list_indexof", 2, 2, ArrayPosition},
          {"array_length", 1, 1, ArrayLength},
          {"list_length", 1, 1, ArrayLength},
          {"cardinality", 1, 1, ArrayLength},
          {"array_empty", 1, 1, ArrayEmpty},
          {"list_empty", 1, 1, ArrayEmpty},
          {"empty", 1, 1, ArrayEmpty},
          {"array_element", 2, 2, ArrayElement},
          {"array_extract", 2, 2, ArrayElement},
          {"list_element", 2, 2, ArrayElement},
          {"list_extract", 2, 2, ArrayElement},
          {"array_max", 1, 1, ArrayMax},
          {"list_max", 1, 1, ArrayMax},
          {"array_min", 1, 1, ArrayMin},
          {"list_min", 1, 1, ArrayMin},
          {"array_to_string", 2, 2, ArrayToString},
          {"list_to_string", 2, 2, ArrayToString},
          {"array_join", 2, 2, ArrayToString},
          {"list_join", 2, 2, ArrayToString}};
}

}  // namespace lance::filter
