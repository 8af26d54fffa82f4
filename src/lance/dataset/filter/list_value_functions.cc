#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/dataset/filter/arithmetic.h"
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
using TypePtr = std::shared_ptr<arrow::DataType>;

/// The lists of two arguments, or of one, as places in all their elements put together.
struct Operands {
  std::vector<ListRows> lists;
  std::shared_ptr<arrow::Array> elements;  // of all lists
  std::vector<int32_t> codes;              // equal elements have equal ones; only if asked for
  std::vector<int64_t> first_places;       // of each list's elements

  /// The places of the elements of a list; none for a null list.
  std::vector<int64_t> PlacesOf(size_t side, int64_t row) const {
    std::vector<int64_t> places(static_cast<size_t>(lists[side].size(row)));
    std::iota(places.begin(), places.end(), first_places[side] + lists[side].begin(row));
    return places;
  }
  int32_t CodeOf(int64_t place) const { return codes[static_cast<size_t>(place)]; }
};

/// Chooses the elements of one row's result; no value: null.
using Choose =
    std::function<std::optional<std::vector<int64_t>>(const Operands& operands, int64_t row)>;

arrow::Result<Operands> MakeOperands(const std::vector<Datum>& values, bool needs_codes) {
  Operands operands;
  arrow::ArrayVector parts;
  int64_t place = 0;
  for (const Datum& value : values) {
    ARROW_ASSIGN_OR_RAISE(auto lists, ListRows::Make(value));
    operands.first_places.push_back(place);
    place += lists.values()->length();
    parts.push_back(lists.values());
    operands.lists.push_back(std::move(lists));
  }
  ARROW_ASSIGN_OR_RAISE(operands.elements, arrow::Concatenate(parts));
  if (!needs_codes) return operands;
  ARROW_ASSIGN_OR_RAISE(auto codes, EqualityCodes({operands.elements}));
  operands.codes = std::move(codes.front());
  return operands;
}

/// Lists whose elements are at these places.
arrow::Result<Datum> BuildLists(const std::vector<Datum>& values, const Operands& operands,
                                const Choose& choose) {
  arrow::Int64Builder places;
  arrow::Int32Builder offsets;
  int32_t offset = 0;
  ARROW_ASSIGN_OR_RAISE(const Datum starts, BuildRows(values, &offsets, [&](int64_t row) -> Status {
                          const auto chosen = choose(operands, row);
                          if (!chosen) return offsets.AppendNull();
                          ARROW_RETURN_NOT_OK(offsets.Append(offset));
                          if (chosen->size() > static_cast<size_t>(INT32_MAX - offset)) {
                            return Status::CapacityError("lists of more than 2147483647 elements");
                          }
                          offset += static_cast<int32_t>(chosen->size());
                          return places.AppendValues(*chosen);
                        }));
  ARROW_ASSIGN_OR_RAISE(const auto indices, places.Finish());
  ARROW_ASSIGN_OR_RAISE(const Datum items, arrow::compute::Take(operands.elements, indices));
  ARROW_ASSIGN_OR_RAISE(const auto begins, ToArray(starts, 1));
  ARROW_ASSIGN_OR_RAISE(const auto end, arrow::MakeArrayFromScalar(arrow::Int32Scalar(offset), 1));
  ARROW_ASSIGN_OR_RAISE(const auto all_offsets, arrow::Concatenate({begins, end}));
  ARROW_ASSIGN_OR_RAISE(auto lists,
                        arrow::ListArray::FromArrays(*all_offsets, *items.make_array()));
  if (!starts.is_scalar()) return Datum(std::move(lists));
  ARROW_ASSIGN_OR_RAISE(auto scalar, lists->GetScalar(0));
  return Datum(std::move(scalar));
}

/// A call of one or two lists, whose elements are brought to one type.
CallResult ListCall(const Arguments& arguments, bool needs_codes, Choose choose) {
  TypePtr common = arrow::null();
  for (const BoundValue& argument : arguments) {
    const bool is_null = argument.type->id() == arrow::Type::NA;
    if (!is_null && !IsListType(*argument.type)) {
      return Status::Invalid("found a value of type ", argument.type->ToString(),
                             ", expected a list");
    }
    const TypePtr element = is_null ? arrow::null() : ElementTypeOf(*argument.type);
    const TypePtr next = common->Equals(*element) ? common : CommonComparisonType(common, element);
    if (next == nullptr) {
      return Status::Invalid("found lists of ", common->ToString(), " and ", element->ToString());
    }
    common = next;
  }
  if (needs_codes && !HasEqualityCodes(*common)) {
    return Status::NotImplemented("lists of ", common->ToString(), " are not looked into yet");
  }
  const auto run = [=](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Operands operands, MakeOperands(values, needs_codes));
    return BuildLists(values, operands, choose);
  };
  const TypePtr lists = arrow::list(common);
  return FunctionCall{lists, std::vector<TypePtr>(arguments.size(), lists), run};
}

bool AreValid(const Operands& operands, int64_t row) {
  return std::ranges::all_of(operands.lists,
                             [row](const ListRows& lists) { return lists.IsValid(row); });
}

/// The places without those whose element came before.
std::vector<int64_t> Distinct(const Operands& operands, const std::vector<int64_t>& places) {
  std::vector<int64_t> kept;
  std::set<int32_t> seen;
  for (const int64_t place : places) {
    if (seen.insert(operands.CodeOf(place)).second) kept.push_back(place);
  }
  return kept;
}

std::vector<int64_t> Join(std::vector<int64_t> left, const std::vector<int64_t>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// Lists one after the other; null ones are left out, and all null ones make null.
CallResult ArrayConcat(const Arguments& arguments) {
  return ListCall(arguments, /*needs_codes=*/false,
                  [](const Operands& operands, int64_t row) -> std::optional<std::vector<int64_t>> {
                    std::vector<int64_t> places;
                    bool has_list = false;
                    for (size_t side = 0; side < operands.lists.size(); ++side) {
                      has_list = has_list || operands.lists[side].IsValid(row);
                      places = Join(std::move(places), operands.PlacesOf(side, row));
                    }
                    if (!has_list) return std::nullopt;
                    return places;
                  });
}

CallResult ArrayReverse(const Arguments& arguments) {
  return ListCall(arguments, /*needs_codes=*/false,
                  [](const Operands& operands, int64_t row) -> std::optional<std::vector<int64_t>> {
                    if (!AreValid(operands, row)) return std::nullopt;
                    auto places = operands.PlacesOf(0, row);
                    std::ranges::reverse(places);
                    return places;
                  });
}

/// Without the first or the last element.
CallResult Pop(const Arguments& arguments, bool is_front) {
  return ListCall(
      arguments, /*needs_codes=*/false,
      [is_front](const Operands& operands, int64_t row) -> std::optional<std::vector<int64_t>> {
        if (!AreValid(operands, row)) return std::nullopt;
        auto places = operands.PlacesOf(0, row);
        if (!places.empty()) places.erase(is_front ? places.begin() : places.end() - 1);
        return places;
      });
}

CallResult ArrayPopFront(const Arguments& arguments) { return Pop(arguments, true); }
CallResult ArrayPopBack(const Arguments& arguments) { return Pop(arguments, false); }

CallResult ArrayDistinct(const Arguments& arguments) {
  return ListCall(arguments, /*needs_codes=*/true,
                  [](const Operands& operands, int64_t row) -> std::optional<std::vector<int64_t>> {
                    if (!AreValid(operands, row)) return std::nullopt;
                    return Distinct(operands, operands.PlacesOf(0, row));
                  });
}

CallResult ArrayUnion(const Arguments& arguments) {
  return ListCall(arguments, /*needs_codes=*/true,
                  [](const Operands& operands, int64_t row) -> std::optional<std::vector<int64_t>> {
                    if (!AreValid(operands, row)) return std::nullopt;
                    return Distinct(operands,
                                    Join(operands.PlacesOf(0, row), operands.PlacesOf(1, row)));
                  });
}

/// The distinct elements of the first list that are in the second, or are not.
CallResult KeepBy(const Arguments& arguments, bool keeps_common) {
  return ListCall(
      arguments, /*needs_codes=*/true,
      [keeps_common](const Operands& operands, int64_t row) -> std::optional<std::vector<int64_t>> {
        if (!AreValid(operands, row)) return std::nullopt;
        std::set<int32_t> others;
        for (const int64_t place : operands.PlacesOf(1, row)) {
          others.insert(operands.CodeOf(place));
        }
        auto places = Distinct(operands, operands.PlacesOf(0, row));
        std::erase_if(places, [&](int64_t place) {
          return others.contains(operands.CodeOf(place)) != keeps_common;
        });
        return places;
      });
}

CallResult ArrayIntersect(const Arguments& arguments) { return KeepBy(arguments, true); }
CallResult ArrayExcept(const Arguments& arguments) { return KeepBy(arguments, false); }

// --- a list and an element

/// Lists of one element each.
arrow::Result<Datum> SingleLists(const Datum& elements) {
  if (elements.is_scalar()) {
    ARROW_ASSIGN_OR_RAISE(auto values, arrow::MakeArrayFromScalar(*elements.scalar(), 1));
    return Datum(std::make_shared<arrow::ListScalar>(std::move(values)));
  }
  arrow::Int32Builder offsets;
  for (int64_t i = 0; i <= elements.length(); ++i) {
    ARROW_RETURN_NOT_OK(offsets.Append(static_cast<int32_t>(i)));
  }
  ARROW_ASSIGN_OR_RAISE(const auto places, offsets.Finish());
  ARROW_ASSIGN_OR_RAISE(auto lists, arrow::ListArray::FromArrays(*places, *elements.make_array()));
  return Datum(std::move(lists));
}

/// A call of a list and an element, which becomes a list of its own.
CallResult ElementCall(const BoundValue& list, const BoundValue& element, bool is_element_first,
                       bool needs_codes, const Choose& choose) {
  Arguments lists = {list, element};
  lists[1].type = arrow::list(element.type);
  ARROW_ASSIGN_OR_RAISE(FunctionCall call, ListCall(lists, needs_codes, choose));
  const size_t place = is_element_first ? 0 : 1;
  call.argument_types[1] = ElementTypeOf(*call.type);
  if (is_element_first) std::swap(call.argument_types[0], call.argument_types[1]);
  const auto run =
      [place, run_lists = std::move(call.run)](std::vector<Datum> values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(values[place], SingleLists(values[place]));
    return run_lists(values);
  };
  call.run = run;
  return call;
}

/// The elements of both, whether or not there is a list.
std::optional<std::vector<int64_t>> JoinBoth(const Operands& operands, int64_t row) {
  return Join(operands.PlacesOf(0, row), operands.PlacesOf(1, row));
}

CallResult ArrayAppend(const Arguments& arguments) {
  return ElementCall(arguments[0], arguments[1], /*is_element_first=*/false,
                     /*needs_codes=*/false, JoinBoth);
}

CallResult ArrayPrepend(const Arguments& arguments) {
  return ElementCall(arguments[1], arguments[0], /*is_element_first=*/true,
                     /*needs_codes=*/false, JoinBoth);
}

/// Without the first element that is equal, or without all of them.
CallResult Remove(const Arguments& arguments, bool removes_all) {
  return ElementCall(
      arguments[0], arguments[1], /*is_element_first=*/false, /*needs_codes=*/true,
      [removes_all](const Operands& operands, int64_t row) -> std::optional<std::vector<int64_t>> {
        const int32_t removed = operands.CodeOf(operands.PlacesOf(1, row).front());
        if (!AreValid(operands, row) || removed < 0) return std::nullopt;
        std::vector<int64_t> kept;
        bool is_done = false;
        for (const int64_t place : operands.PlacesOf(0, row)) {
          const bool is_equal = operands.CodeOf(place) == removed && !is_done;
          if (!is_equal) kept.push_back(place);
          is_done = is_done || (is_equal && !removes_all);
        }
        return kept;
      });
}

CallResult ArrayRemove(const Arguments& arguments) { return Remove(arguments, false); }
CallResult ArrayRemoveAll(const Arguments& arguments) { return Remove(arguments, true); }

/// The elements from a place to another, both included; from 1, or from the end when negative.
CallResult ArraySlice(const Arguments& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arrow::is_integer(arguments[i].type->id())) continue;
    return Status::Invalid("found a value of type ", arguments[i].type->ToString(),
                           ", expected a place as an integer");
  }
  ARROW_ASSIGN_OR_RAISE(FunctionCall call,
                        ListCall({arguments[0]}, /*needs_codes=*/false, nullptr));
  call.argument_types.insert(call.argument_types.end(), 2, arrow::int64());
  call.run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Operands operands, MakeOperands({values[0]}, false));
    const NumberRows<arrow::Int64Type> firsts(values[1]);
    const NumberRows<arrow::Int64Type> lasts(values[2]);
    return BuildLists(
        values, operands,
        [&](const Operands& all, int64_t row) -> std::optional<std::vector<int64_t>> {
          const bool is_valid = AreValid(all, row) && firsts.IsValid(row) && lasts.IsValid(row);
          if (!is_valid) return std::nullopt;
          auto places = all.PlacesOf(0, row);
          const auto size = static_cast<int64_t>(places.size());
          const auto from_start = [size](int64_t place) {
            return std::clamp<int64_t>(place < 0 ? size + place + 1 : place, 0, size + 1);
          };
          const int64_t first = std::max<int64_t>(from_start(firsts.Value(row)), 1);
          const int64_t last = std::min(from_start(lasts.Value(row)), size);
          if (first > last) return std::vector<int64_t>();
          return std::vector<int64_t>(places.begin() + first - 1, places.begin() + last);
        });
  };
  return call;
}

/// In ascending order, nulls first.
CallResult ArraySort(const Arguments& arguments) {
  if (!IsListType(*arguments[0].type) || !HasEqualityCodes(*ElementTypeOf(*arguments[0].type))) {
    return Status::Invalid("found a value of type ", arguments[0].type->ToString(),
                           ", expected a list of values that have an order");
  }
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Operands operands, MakeOperands(values, /*needs_codes=*/false));
    ARROW_ASSIGN_OR_RAISE(const auto ranks, RanksOf(operands.elements));
    const auto rank = [&](int64_t place) {  // nulls before all others
      return operands.elements->IsNull(place) ? 0 : ranks[static_cast<size_t>(place)] + 1;
    };
    return BuildLists(values, operands,
                      [&](const Operands& all, int64_t row) -> std::optional<std::vector<int64_t>> {
                        if (!AreValid(all, row)) return std::nullopt;
                        auto places = all.PlacesOf(0, row);
                        std::ranges::stable_sort(places, {}, rank);
                        return places;
                      });
  };
  return FunctionCall{arrow::list(ElementTypeOf(*arguments[0].type)), {nullptr}, run};
}

/// A list of the arguments of each row.
CallResult MakeArray(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr common, CommonType(arguments));
  const auto run = [common](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const int64_t rows = NumRows(values);
    Operands operands;
    arrow::ArrayVector parts;
    for (const Datum& value : values) {
      ARROW_ASSIGN_OR_RAISE(auto part, ToArray(value, rows));
      parts.push_back(std::move(part));
    }
    ARROW_ASSIGN_OR_RAISE(operands.elements, arrow::Concatenate(parts));
    return BuildLists(values, operands, [&](const Operands&, int64_t row) {
      std::vector<int64_t> places;
      for (size_t i = 0; i < values.size(); ++i) {
        places.push_back(static_cast<int64_t>(i) * rows + row);
      }
      return std::optional(std::move(places));
    });
  };
  return FunctionCall{arrow::list(common), std::vector<TypePtr>(arguments.size(), common), run};
}

/// The pieces of a text between separators; without a separator its characters are not cut.
CallResult StringToArray(const Arguments& arguments) {
  for (const BoundValue& argument : arguments) {
    if (argument.type->id() == arrow::Type::NA || IsTextType(*argument.type)) continue;
    return Status::Invalid("found a value of type ", argument.type->ToString(),
                           ", expected a text");
  }
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const TextRows texts(values[0]);
    const TextRows separators(values[1]);
    auto items = std::make_shared<arrow::StringBuilder>();
    arrow::ListBuilder builder(arrow::default_memory_pool(), items, arrow::list(arrow::utf8()));
    return BuildRows(values, &builder, [&](int64_t i) -> Status {
      if (!texts.IsValid(i) || !separators.IsValid(i)) return builder.AppendNull();
      ARROW_RETURN_NOT_OK(builder.Append());
      std::string_view rest = texts.Value(i);
      const std::string_view separator = separators.Value(i);
      if (rest.empty()) return Status::OK();
      for (size_t end = rest.find(separator); !separator.empty() && end != rest.npos;
           end = rest.find(separator)) {
        ARROW_RETURN_NOT_OK(items->Append(rest.substr(0, end)));
        rest.remove_prefix(end + separator.size());
      }
      return items->Append(rest);
    });
  };
  return FunctionCall{arrow::list(arrow::utf8()), std::vector<TypePtr>(2, arrow::utf8()), run};
}

}  // namespace

std::vector<FunctionEntry> ListValueFunctions() {
  return {{"array_concat", 1, SIZE_MAX, ArrayConcat},
          {"array_cat", 1, SIZE_MAX, ArrayConcat},
          {"list_concat", 1, SIZE_MAX, ArrayConcat},
          {"list_cat", 1, SIZE_MAX, ArrayConcat},
          {"array_append", 2, 2, ArrayAppend},
          {"array_push_back", 2, 2, ArrayAppend},
          {"list_append", 2, 2, ArrayAppend},
          {"list_push_back", 2, 2, ArrayAppend},
          {"array_prepend", 2, 2, ArrayPrepend},
          {"array_push_front", 2, 2, ArrayPrepend},
          {"list_prepend", 2, 2, ArrayPrepend},
          {"list_push_front", 2, 2, ArrayPrepend},
          {"array_remove", 2, 2, ArrayRemove},
          {"list_remove", 2, 2, ArrayRemove},
          {"array_remove_all", 2, 2, ArrayRemoveAll},
          {"list_remove_all", 2, 2, ArrayRemoveAll},
          {"array_reverse", 1, 1, ArrayReverse},
          {"list_reverse", 1, 1, ArrayReverse},
          {"array_pop_front", 1, 1, ArrayPopFront},
          {"list_pop_front", 1, 1, ArrayPopFront},
          {"array_pop_back", 1, 1, ArrayPopBack},
          {"list_pop_back", 1, 1, ArrayPopBack},
          {"array_distinct", 1, 1, ArrayDistinct},
          {"list_distinct", 1, 1, ArrayDistinct},
          {"array_union", 2, 2, ArrayUnion},
          {"list_union", 2, 2, ArrayUnion},
          {"array_intersect", 2, 2, ArrayIntersect},
          {"list_intersect", 2, 2, ArrayIntersect},
          {"array_except", 2, 2, ArrayExcept},
          {"list_except", 2, 2, ArrayExcept},
          {"array_slice", 3, 3, ArraySlice},
          {"list_slice", 3, 3, ArraySlice},
          {"array_sort", 1, 1, ArraySort},
          {"list_sort", 1, 1, ArraySort},
          {"make_array", 1, SIZE_MAX, MakeArray},
          {"make_list", 1, SIZE_MAX, MakeArray},
          {"string_to_array", 2, 2, StringToArray},
          {"string_to_list", 2, 2, StringToArray}};
}

}  // namespace lance::filter
