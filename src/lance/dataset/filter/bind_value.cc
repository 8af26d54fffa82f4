#include "lance/dataset/filter/bind_value.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/dataset/filter/arithmetic.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/cast_type.h"
#include "lance/dataset/filter/cast_value.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/evaluate.h"
#include "lance/dataset/filter/filter_problem.h"
#include "lance/dataset/filter/lexer.h"
#include "lance/dataset/filter/like_pattern.h"
#include "lance/dataset/filter/list_rows.h"
#include "lance/dataset/filter/literal.h"

namespace lance::filter {

namespace {

using arrow::Result;
using arrow::Status;
using arrow::StatusCode;
using Kind = Expression::Kind;
using TypePtr = std::shared_ptr<arrow::DataType>;

/// Whether the node is a column or a field of one.
bool IsColumnOrField(const Expression& expression) {
  return expression.kind == Kind::kColumn || expression.kind == Kind::kField;
}

bool IsLiteral(const Expression& expression) { return expression.kind == Kind::kLiteral; }

bool IsArithmeticOfNumbers(const Expression& expression) {
  return expression.kind == Kind::kArithmetic &&
         expression.arithmetic != ArithmeticOp::kConcatenate;
}

arrow::TimeUnit::type UnitOf(int precision) {
  switch (precision) {
    case 0:
      return arrow::TimeUnit::SECOND;
    case 3:
      return arrow::TimeUnit::MILLI;
    case 9:
      return arrow::TimeUnit::NANO;
    default:
      return arrow::TimeUnit::MICRO;
  }
}

/// The type that a literal has by itself.
TypePtr OwnType(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kNull:
      return arrow::null();
    case Literal::Kind::kBoolean:
      return arrow::boolean();
    case Literal::Kind::kInteger: {
      const bool fits_signed = literal.negative || literal.magnitude <= INT64_MAX;
      return fits_signed ? arrow::int64() : arrow::uint64();
    }
    case Literal::Kind::kFloat:
      return arrow::float64();
    case Literal::Kind::kText:
      return arrow::utf8();
    case Literal::Kind::kBinary:
      return arrow::binary();
    case Literal::Kind::kDate:
      return arrow::date32();
    case Literal::Kind::kTimestamp:
      return arrow::timestamp(UnitOf(literal.time.precision));
  }
  return arrow::null();
}

/// Replace a node that reads no column by its value; one that fails keeps its place in the rows.
void Fold(BoundValue* value) {
  if (value->kind == BoundValue::Kind::kConstant || ReadsColumn(*value)) return;
  const auto result = EvaluateValue(*value, {}, 1);
  if (!result.ok()) return;
  const auto array = ToArray(*result, 1);
  if (!array.ok()) return;
  auto scalar = (*array)->GetScalar(0);
  if (scalar.ok()) *value = MakeConstant(*std::move(scalar));
}

/// Whether values of the type are equal or not; lists are not less or greater.
bool HasEquality(const arrow::DataType& type) {
  if (IsListType(type)) return HasEqualityCodes(*ElementTypeOf(type));
  return IsComparableType(type);
}

/// The place of a member by name: exactly, else ignoring case when unique; -1: none or several.
int FindMember(const arrow::StructType& type, const std::string& name) {
  const int exact = type.GetFieldIndex(name);
  if (exact >= 0) return exact;
  int found = -1;
  for (int i = 0; i < type.num_fields(); ++i) {
    if (!EqualsIgnoringCase(type.field(i)->name(), name)) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

}  // namespace

Status ValueBinder::Problem(const Expression& place, const std::string& message) const {
  return FilterProblem(StatusCode::Invalid, sql_, place.span, message);
}

Status ValueBinder::NotSupported(const Expression& place, const std::string& message) const {
  return FilterProblem(StatusCode::NotImplemented, sql_, place.span, message);
}

Status ValueBinder::AtPlace(const Expression& place, const Status& status) const {
  return FilterProblem(status.code(), sql_, place.span, status.message());
}

Status ValueBinder::BindRoot(const Expression& expression, const TypePtr& type,
                             BoundValue* out) const {
  if (type != nullptr && IsLiteral(expression)) {
    // What fits is taken as it is written, in the column's zone and without rounding twice.
    auto scalar = ConvertLiteral(expression.literal, "value", type);
    if (scalar.ok()) {
      *out = MakeConstant(*std::move(scalar));
      return Status::OK();
    }
  }
  ARROW_RETURN_NOT_OK(BindValue(expression, {.is_whole = true}, out));
  return type == nullptr ? Status::OK() : CastTo(expression, type, /*is_try=*/false, out);
}

Status ValueBinder::BindValue(const Expression& expression, const ValuePlace& place,
                              BoundValue* out) const {
  switch (expression.kind) {
    case Kind::kLiteral:
      return BindLiteral(expression, place, out);
    case Kind::kColumn:
      ARROW_RETURN_NOT_OK(BindColumn(expression, out));
      return place.is_whole ? Status::OK() : MakePlain(expression, out);
    case Kind::kField:
      ARROW_RETURN_NOT_OK(BindField(expression, out));
      return MakePlain(expression, out);
    case Kind::kElement:
      ARROW_RETURN_NOT_OK(BindElement(expression, out));
      return MakePlain(expression, out);
    case Kind::kArray:
      return BindArray(expression, out);
    case Kind::kNegative:
      return BindNegative(expression, place, out);
    case Kind::kArithmetic:
      return BindArithmetic(expression, place, out);
    case Kind::kCast:
      return BindCast(expression, out);
    case Kind::kCall:
      return BindCall(expression, out);
    case Kind::kNot:
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kCompare:
    case Kind::kIn:
    case Kind::kBetween:
    case Kind::kIsNull:
    case Kind::kIsTruth:
    case Kind::kIsDistinct:
    case Kind::kLike:
      return BindTruth(expression, out);
  }
  return Status::UnknownError("internal: expression of no kind");
}

Status ValueBinder::BindTruth(const Expression& expression, BoundValue* out) const {
  auto condition = std::make_shared<BoundExpression>();
  ARROW_RETURN_NOT_OK(BindCondition(expression, condition.get()));
  out->kind = BoundValue::Kind::kCondition;
  out->type = arrow::boolean();
  out->condition = std::move(condition);
  return Status::OK();
}

Status ValueBinder::BindLiteral(const Expression& expression, const ValuePlace& place,
                                BoundValue* out) const {
  const Literal& literal = expression.literal;
  const bool is_null = literal.kind == Literal::Kind::kNull;
  // A time beside a date stays one: the date becomes its midnight.
  const bool is_free =
      place.literal_type == nullptr || (literal.kind == Literal::Kind::kTimestamp &&
                                        place.literal_type->id() == arrow::Type::DATE32);
  const TypePtr type = is_free ? OwnType(literal) : place.literal_type;
  auto scalar = is_null ? Result<std::shared_ptr<arrow::Scalar>>(arrow::MakeNullScalar(type))
                        : ConvertLiteral(literal, is_free ? "value" : place.column, type);
  if (!scalar.ok()) return AtPlace(expression, scalar.status());
  *out = MakeConstant(*std::move(scalar));
  return type->id() == arrow::Type::HALF_FLOAT ? MakePlain(expression, out) : Status::OK();
}

Status ValueBinder::BindColumn(const Expression& expression, BoundValue* out) const {
  const FilterColumn& column = ColumnOf(expression);
  if (column.type == nullptr) {
    return NotSupported(expression, "column " + CanonicalIdentifier(column.name) + " has type " +
                                        column.logical_type +
                                        ", whose values expressions cannot use yet");
  }
  out->kind = BoundValue::Kind::kColumn;
  out->type = column.type;
  out->column = expression.column_index;
  return Status::OK();
}

Status ValueBinder::MakePlain(const Expression& expression, BoundValue* value) const {
  switch (value->type->id()) {
    case arrow::Type::DICTIONARY:
      return CastTo(expression,
                    static_cast<const arrow::DictionaryType&>(*value->type).value_type(),
                    /*is_try=*/false, value);
    case arrow::Type::HALF_FLOAT:
      return CastTo(expression, arrow::float32(), /*is_try=*/false, value);
    default:
      return Status::OK();
  }
}

Status ValueBinder::BindField(const Expression& expression, BoundValue* out) const {
  const Expression& parent = *expression.children[0];
  ARROW_RETURN_NOT_OK(BindValue(parent, {}, &out->arguments.emplace_back()));
  return FinishField(expression, parent, expression.name, out);
}

Status ValueBinder::BindGetField(const Expression& expression, BoundValue* out) const {
  const bool fits = expression.children.size() == 2 && IsLiteral(*expression.children[1]) &&
                    expression.children[1]->literal.kind == Literal::Kind::kText;
  if (!fits) {
    return Problem(expression,
                   "get_field() takes a struct and the name of a field, as in get_field(x, 'a')");
  }
  const Expression& parent = *expression.children[0];
  ARROW_RETURN_NOT_OK(BindValue(parent, {}, &out->arguments.emplace_back()));
  return FinishField(expression, parent, expression.children[1]->literal.text, out);
}

Status ValueBinder::FinishField(const Expression& expression, const Expression& parent,
                                const std::string& name, BoundValue* out) const {
  const BoundValue& value = out->arguments.back();
  if (value.type->id() != arrow::Type::STRUCT) {
    return Problem(expression, "found the field " + Shorten(name) + " of " +
                                   Shorten(CanonicalSql(parent)) + ", which has type " +
                                   value.type->ToString() + " and no fields");
  }
  const auto& type = static_cast<const arrow::StructType&>(*value.type);
  const int member = FindMember(type, name);
  if (member < 0) {
    std::string names;
    for (const auto& field : type.fields()) {
      names += (names.empty() ? "" : ", ") + CanonicalIdentifier(Shorten(field->name()));
    }
    return Problem(expression, "there is no single field " + Shorten(name) + " in " +
                                   Shorten(CanonicalSql(parent)) + "; fields: " + names);
  }
  out->kind = BoundValue::Kind::kField;
  out->place = member;
  out->type = type.field(member)->type();
  return Status::OK();
}

Status ValueBinder::BindElement(const Expression& expression, BoundValue* out) const {
  BoundValue& lists = out->arguments.emplace_back();
  ARROW_RETURN_NOT_OK(BindValue(*expression.children[0], {}, &lists));
  const auto id = lists.type->id();
  if (id != arrow::Type::LIST && id != arrow::Type::LARGE_LIST &&
      id != arrow::Type::FIXED_SIZE_LIST) {
    return Problem(expression, "found an element of a value of type " + lists.type->ToString() +
                                   ", expected a list");
  }
  out->kind = BoundValue::Kind::kElement;
  out->place = expression.element;
  out->type = static_cast<const arrow::BaseListType&>(*lists.type).value_type();
  return Status::OK();
}

Status ValueBinder::BindArray(const Expression& expression, BoundValue* out) const {
  TypePtr type = arrow::null();
  std::vector<std::shared_ptr<arrow::Scalar>> elements;
  for (const ExpressionPtr& child : expression.children) {
    BoundValue element;
    ARROW_RETURN_NOT_OK(BindLiteral(*child, {}, &element));
    elements.push_back(element.constant);
    if (element.type->id() == arrow::Type::NA || element.type->Equals(*type)) continue;
    if (type->id() != arrow::Type::NA) {
      return Problem(*child, "found " + element.type->ToString() + " in an array of " +
                                 type->ToString() + ", expected elements of one type");
    }
    type = element.type;
  }
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), type, &builder));
  for (const auto& element : elements) {
    ARROW_RETURN_NOT_OK(element->is_valid ? builder->AppendScalar(*element)
                                          : builder->AppendNull());
  }
  ARROW_ASSIGN_OR_RAISE(auto values, builder->Finish());
  *out = MakeConstant(std::make_shared<arrow::ListScalar>(std::move(values)));
  return Status::OK();
}

Status ValueBinder::BindNegative(const Expression& expression, const ValuePlace& place,
                                 BoundValue* out) const {
  BoundValue& operand = out->arguments.emplace_back();
  ARROW_RETURN_NOT_OK(
      BindValue(*expression.children[0], {place.literal_type, place.column, false}, &operand));
  if (operand.type->id() == arrow::Type::NA) {
    ARROW_RETURN_NOT_OK(CastTo(expression, arrow::int64(), false, &operand));
  }
  const bool has_sign =
      IsDecimalType(*operand.type) ||
      (IsNumberType(*operand.type) && !arrow::is_unsigned_integer(operand.type->id()));
  if (!has_sign) {
    return Problem(expression, "found - before a value of type " + operand.type->ToString() +
                                   ", expected a number with sign");
  }
  out->kind = BoundValue::Kind::kCall;
  out->type = operand.type;
  out->function = [](const std::vector<arrow::Datum>& values) { return Negative(values[0]); };
  out->text = Shorten(CanonicalSql(expression));
  Fold(out);
  return Status::OK();
}

ValuePlace ValueBinder::PlaceBeside(const Expression& expression, const BoundValue& value) const {
  const bool is_column = expression.kind == Kind::kColumn;
  // Halves are computed with as floats, but a literal beside one is rounded as it is.
  const bool is_half = value.kind == BoundValue::Kind::kCast &&
                       value.arguments[0].type->id() == arrow::Type::HALF_FLOAT;
  return {is_half ? value.arguments[0].type : value.type,
          is_column ? ColumnOf(expression).name : CanonicalSql(expression), false};
}

/// Bind the sides of an operator. With `converts` a literal beside a column gets its type.
Status ValueBinder::BindOperands(const Expression& left, const Expression& right, bool converts,
                                 const ValuePlace& place, BoundValue* left_out,
                                 BoundValue* right_out) const {
  const ValuePlace inner = {place.literal_type, place.column, false};
  if (converts && IsColumnOrField(left)) {
    ARROW_RETURN_NOT_OK(BindValue(left, inner, left_out));
    const bool is_converted = IsLiteral(right) || IsArithmeticOfNumbers(right);
    return BindValue(right, is_converted ? PlaceBeside(left, *left_out) : inner, right_out);
  }
  if (converts && IsColumnOrField(right) && IsLiteral(left)) {
    ARROW_RETURN_NOT_OK(BindValue(right, inner, right_out));
    return BindValue(left, PlaceBeside(right, *right_out), left_out);
  }
  ARROW_RETURN_NOT_OK(BindValue(left, inner, left_out));
  return BindValue(right, inner, right_out);
}

Status ValueBinder::BindArithmetic(const Expression& expression, const ValuePlace& place,
                                   BoundValue* out) const {
  const Expression& left = *expression.children[0];
  const Expression& right = *expression.children[1];
  const ArithmeticOp op = expression.arithmetic;
  out->arguments.resize(2);
  BoundValue& left_value = out->arguments[0];
  BoundValue& right_value = out->arguments[1];
  if (op == ArithmeticOp::kConcatenate) {
    ARROW_RETURN_NOT_OK(BindOperands(left, right, false, {}, &left_value, &right_value));
    return FinishCall(expression, ResolveConcatenation(out->arguments, false), out);
  }
  ARROW_RETURN_NOT_OK(BindOperands(left, right, place.is_whole, place, &left_value, &right_value));
  const TypePtr left_type = left_value.type;
  const TypePtr right_type = right_value.type;
  if (left_type->id() == arrow::Type::NA) left_value.type = right_type;
  if (right_type->id() == arrow::Type::NA) right_value.type = left_type;
  ArithmeticTypes types = TypesOf(op, left_value.type, right_value.type);
  left_value.type = left_type;
  right_value.type = right_type;
  if (left_type->id() == arrow::Type::NA && right_type->id() == arrow::Type::NA) {
    types = {arrow::int64(), arrow::int64(), arrow::int64()};
  }
  if (types.result == nullptr) {
    const bool are_numbers = IsNumberType(*left_type) && IsNumberType(*right_type);
    const std::string found =
        "found " + left_type->ToString() + " " + ToString(op) + " " + right_type->ToString();
    if (are_numbers) {
      return NotSupported(expression, found + ", which no integer type holds; CAST one of them");
    }
    if (IsDecimalType(*left_type) || IsDecimalType(*right_type)) {
      return NotSupported(expression, found + " has too many digits; CAST one of them to double");
    }
    return Problem(expression, found + ", expected two numbers");
  }
  FunctionCall call{types.result,
                    {types.left, types.right},
                    [op, result = types.result](const std::vector<arrow::Datum>& values) {
                      return Compute(op, values[0], values[1], result);
                    }};
  return FinishCall(expression, std::move(call), out);
}

Status ValueBinder::FinishCall(const Expression& expression, Result<FunctionCall> call,
                               BoundValue* out) const {
  if (!call.ok()) return AtPlace(expression, call.status());
  for (size_t i = 0; i < out->arguments.size(); ++i) {
    const TypePtr& type = call->argument_types[i];
    if (type == nullptr) continue;
    ARROW_RETURN_NOT_OK(CastTo(*expression.children[i], type, false, &out->arguments[i]));
  }
  out->kind = BoundValue::Kind::kCall;
  out->type = std::move(call->type);
  out->function = std::move(call->run);
  out->is_volatile = call->is_volatile;
  out->text = Shorten(CanonicalSql(expression));
  Fold(out);
  return Status::OK();
}

Status ValueBinder::BindCall(const Expression& expression, BoundValue* out) const {
  if (expression.name == "arrow_cast") return BindArrowCast(expression, out);
  if (expression.name == "get_field") return BindGetField(expression, out);
  out->name = expression.name;
  out->arguments.reserve(expression.children.size());
  for (const ExpressionPtr& child : expression.children) {
    ARROW_RETURN_NOT_OK(BindValue(*child, {}, &out->arguments.emplace_back()));
  }
  return FinishCall(expression, ResolveCall(expression.name, out->arguments), out);
}

Status ValueBinder::BindCast(const Expression& expression, BoundValue* out) const {
  ARROW_RETURN_NOT_OK(BindValue(*expression.children[0], {}, out));
  return CastTo(expression, MakeCastType(expression.name), expression.is_try, out);
}

Status ValueBinder::BindArrowCast(const Expression& expression, BoundValue* out) const {
  if (expression.children.size() != 2 || !IsLiteral(*expression.children[1])) {
    return Problem(expression,
                   "arrow_cast() takes a value and the name of a type, as in "
                   "arrow_cast(x, 'Int64')");
  }
  const Expression& name = *expression.children[1];
  const TypePtr type = MakeArrowCastType(name.literal.text);
  if (type == nullptr) {
    return NotSupported(name, "found the type " + Shorten(name.literal.text) +
                                  ", allowed are Boolean, Int8 to Int64, UInt8 to UInt64, Float16 "
                                  "to Float64, Decimal128(p, s), Decimal256(p, s), Utf8, "
                                  "LargeUtf8, Binary, LargeBinary, FixedSizeBinary(n), Date32, "
                                  "Date64, Time32(unit), Time64(unit), Duration(unit) and "
                                  "Timestamp(unit, None)");
  }
  ARROW_RETURN_NOT_OK(BindValue(*expression.children[0], {}, out));
  return CastTo(expression, type, /*is_try=*/false, out);
}

Status ValueBinder::CastTo(const Expression& place, const TypePtr& type, bool is_try,
                           BoundValue* value) const {
  if (value->type->Equals(*type)) return Status::OK();
  if (value->kind == BoundValue::Kind::kConstant && !value->constant->is_valid) {
    *value = MakeConstant(arrow::MakeNullScalar(type));
    return Status::OK();
  }
  if (!CanCast(*value->type, *type)) {
    return NotSupported(place, "values of type " + value->type->ToString() +
                                   " cannot be converted to " + type->ToString() + " yet");
  }
  if (value->kind == BoundValue::Kind::kConstant) {
    const auto cast = CastValue(arrow::Datum(value->constant), type, is_try);
    if (!cast.ok()) return AtPlace(place, cast.status());
    *value = MakeConstant(cast->scalar());
    return Status::OK();
  }
  BoundValue operand = std::move(*value);
  *value = BoundValue();
  value->kind = BoundValue::Kind::kCast;
  value->type = type;
  value->is_try = is_try;
  value->text = Shorten(CanonicalSql(place));
  value->arguments.push_back(std::move(operand));
  return Status::OK();
}

Status ValueBinder::BindPair(const Expression& left, const Expression& right, BoundValue* left_out,
                             BoundValue* right_out) const {
  ARROW_RETURN_NOT_OK(BindOperands(left, right, /*converts=*/true, {}, left_out, right_out));
  const TypePtr type = CommonComparisonType(left_out->type, right_out->type);
  if (type == nullptr) {
    return Problem(right, "found " + right_out->type->ToString() +
                              ", which does not compare with " + left_out->type->ToString());
  }
  if (!HasEquality(*type)) {
    return NotSupported(left, "values of type " + type->ToString() + " cannot be compared yet");
  }
  ARROW_RETURN_NOT_OK(CastTo(left, type, /*is_try=*/false, left_out));
  return CastTo(right, type, /*is_try=*/false, right_out);
}

Status ValueBinder::BindList(const Expression& in, std::vector<BoundValue>* out) const {
  out->resize(in.children.size());
  const Expression& operand = *in.children[0];
  ARROW_RETURN_NOT_OK(BindValue(operand, {}, &out->front()));
  TypePtr type = out->front().type;
  const ValuePlace beside =
      IsColumnOrField(operand) ? PlaceBeside(operand, out->front()) : ValuePlace();
  for (size_t i = 1; i < out->size(); ++i) {
    const Expression& member = *in.children[i];
    BoundValue& value = (*out)[i];
    ARROW_RETURN_NOT_OK(BindValue(member, IsLiteral(member) ? beside : ValuePlace(), &value));
    const TypePtr next = CommonComparisonType(type, value.type);
    if (next == nullptr || !HasEquality(*next)) {
      return Problem(member, "found " + value.type->ToString() + ", which does not compare with " +
                                 type->ToString());
    }
    type = next;
  }
  for (size_t i = 0; i < out->size(); ++i) {
    ARROW_RETURN_NOT_OK(CastTo(*in.children[i], type, /*is_try=*/false, &(*out)[i]));
  }
  return Status::OK();
}

Status ValueBinder::BindPattern(const Expression& like, BoundValue* out) const {
  out->arguments.resize(2);
  ARROW_RETURN_NOT_OK(BindValue(*like.children[0], {}, &out->arguments[0]));
  ARROW_RETURN_NOT_OK(BindValue(*like.children[1], {}, &out->arguments[1]));
  ARROW_RETURN_NOT_OK(
      FinishCall(like, ResolveLike(out->arguments, like.ignores_case, like.escape), out));
  if (out->kind != BoundValue::Kind::kCall || like.ignores_case) return Status::OK();
  BoundValue& pattern = out->arguments[1];
  if (pattern.kind != BoundValue::Kind::kConstant || !pattern.constant->is_valid) {
    return Status::OK();
  }
  // Named, so that statistics can be asked; they know one escape.
  const auto& text = static_cast<const arrow::BaseBinaryScalar&>(*pattern.constant);
  ARROW_ASSIGN_OR_RAISE(auto with_backslash, WithBackslash(text.view(), like.escape));
  pattern.constant = arrow::MakeScalar(std::move(with_backslash));
  pattern.type = pattern.constant->type;
  out->name = kLikeName;
  return Status::OK();
}

}  // namespace lance::filter
