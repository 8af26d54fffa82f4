#include "lance/dataset/filter/substrait_proto.h"

#include <google/protobuf/io/coded_stream.h>

#include <map>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/util/decimal.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/foreign_call.h"
#include "lance/dataset/filter/scalar_sql.h"
#include "substrait_subset.pb.h"

namespace lance::filter {

namespace {

namespace pb = lance_pb::substrait;

using arrow::Status;
using SqlResult = arrow::Result<std::string>;

/// A column or member of the schema that an expression is over.
struct Member {
  std::string name;
  std::vector<Member> members;  // of a struct
};

/// Whether the fields of structs within lists and maps have names in a schema. Substrait says that
/// they do; Arrow writes names of columns, and of members of structs that are in structs alone.
enum class ItemNames { kWritten, kLeftOut };

/// Reads the names of a schema, which stand depth-first. Borrows; thread-compatible.
class NameReader {
 public:
  NameReader(const pb::NamedStruct& schema, ItemNames items) : schema_(schema), items_(items) {}

  /// \return Invalid when there are fewer names than fields, or more
  arrow::Result<std::vector<Member>> Read() {
    ARROW_ASSIGN_OR_RAISE(auto columns, ReadStruct(schema_.struct_(), 1));
    if (next_ == schema_.names_size()) return columns;
    return Status::Invalid("filter: the Substrait schema has more names than fields");
  }

 private:
  arrow::Result<std::vector<Member>> ReadStruct(const pb::StructType& type, int depth) {
    if (depth > kMaxForeignDepth) return Status::Invalid("filter: Substrait types nest too deep");
    std::vector<Member> members;
    for (const pb::Type& child : type.types()) {
      if (next_ >= schema_.names_size()) {
        return Status::Invalid("filter: the Substrait schema has fewer names than fields");
      }
      Member& member = members.emplace_back();
      member.name = schema_.names(next_++);
      ARROW_ASSIGN_OR_RAISE(member.members, ReadBelow(child, depth));
    }
    return members;
  }

  /// The names below a type: of structs, also within lists and maps where they are written.
  arrow::Result<std::vector<Member>> ReadBelow(const pb::Type& type, int depth) {
    if (depth > kMaxForeignDepth) return Status::Invalid("filter: Substrait types nest too deep");
    if (type.has_struct_()) return ReadStruct(type.struct_(), depth + 1);
    if (items_ == ItemNames::kLeftOut) return std::vector<Member>();
    if (type.has_list()) {
      ARROW_RETURN_NOT_OK(ReadBelow(type.list().type(), depth + 1).status());
    } else if (type.has_map()) {
      ARROW_RETURN_NOT_OK(ReadBelow(type.map().key(), depth + 1).status());
      ARROW_RETURN_NOT_OK(ReadBelow(type.map().value(), depth + 1).status());
    }
    return std::vector<Member>();
  }

  const pb::NamedStruct& schema_;
  ItemNames items_;
  int next_ = 0;
};

/// The columns of a schema, by whichever count of names is right.
arrow::Result<std::vector<Member>> ReadNames(const pb::NamedStruct& schema) {
  auto columns = NameReader(schema, ItemNames::kLeftOut).Read();
  return columns.ok() ? columns : NameReader(schema, ItemNames::kWritten).Read();
}

SqlResult ScalarText(const arrow::Scalar& scalar) {
  const auto sql = ScalarSql(scalar);
  return sql ? SqlResult(*sql) : SqlResult(NoSqlFor("the literal " + scalar.ToString()));
}

SqlResult BytesSql(const std::string& bytes) {
  return ScalarText(arrow::BinaryScalar(arrow::Buffer::FromString(bytes)));
}

SqlResult DecimalSql(const pb::Decimal& decimal) {
  constexpr size_t kBytes = 16;
  if (decimal.value().size() != kBytes) {
    return Status::Invalid("filter: found a Substrait decimal of ", decimal.value().size(),
                           " bytes, expected 16");
  }
  ARROW_ASSIGN_OR_RAISE(const auto type,
                        arrow::Decimal128Type::Make(decimal.precision(), decimal.scale()));
  const arrow::Decimal128 value(reinterpret_cast<const uint8_t*>(decimal.value().data()));
  return ScalarText(arrow::Decimal128Scalar(value, type));
}

/// \param precision digits behind the second: 0, 3, 6 or 9
SqlResult TimestampSql(int64_t value, int precision, const std::string& zone) {
  if (precision % 3 != 0 || precision < 0 || precision > 9) {
    return NoSqlFor("a time with " + std::to_string(precision) + " digits behind the second");
  }
  const auto unit = static_cast<arrow::TimeUnit::type>(precision / 3);
  ARROW_ASSIGN_OR_RAISE(std::string sql,
                        ScalarText(arrow::TimestampScalar(value, arrow::timestamp(unit, zone))));
  return sql;
}

SqlResult LiteralSql(const pb::Literal& literal) {
  switch (literal.literal_type_case()) {
    case pb::Literal::kBoolean:
      return std::string(literal.boolean() ? "TRUE" : "FALSE");
    case pb::Literal::kI8:
      return std::to_string(literal.i8());
    case pb::Literal::kI16:
      return std::to_string(literal.i16());
    case pb::Literal::kI32:
      return std::to_string(literal.i32());
    case pb::Literal::kI64:
      return std::to_string(literal.i64());
    case pb::Literal::kFp32:
      return ScalarText(arrow::FloatScalar(literal.fp32()));
    case pb::Literal::kFp64:
      return ScalarText(arrow::DoubleScalar(literal.fp64()));
    case pb::Literal::kString:
      return TextSql(literal.string());
    case pb::Literal::kFixedChar:
      return TextSql(literal.fixed_char());
    case pb::Literal::kVarChar:
      return TextSql(literal.var_char().value());
    case pb::Literal::kBinary:
      return BytesSql(literal.binary());
    case pb::Literal::kFixedBinary:
      return BytesSql(literal.fixed_binary());
    case pb::Literal::kTimestamp:
      return TimestampSql(literal.timestamp(), 6, "");
    case pb::Literal::kTimestampTz:
      return TimestampSql(literal.timestamp_tz(), 6, "UTC");
    case pb::Literal::kPrecisionTimestamp:
      return TimestampSql(literal.precision_timestamp().value(),
                          literal.precision_timestamp().precision(), "");
    case pb::Literal::kPrecisionTimestampTz:
      return TimestampSql(literal.precision_timestamp_tz().value(),
                          literal.precision_timestamp_tz().precision(), "UTC");
    case pb::Literal::kDate:
      return ScalarText(arrow::Date32Scalar(literal.date()));
    case pb::Literal::kTime:
      return ScalarText(arrow::Time64Scalar(literal.time(), arrow::time64(arrow::TimeUnit::MICRO)));
    case pb::Literal::kDecimal:
      return DecimalSql(literal.decimal());
    case pb::Literal::kNull:
      return std::string("NULL");
    case pb::Literal::LITERAL_TYPE_NOT_SET:
      break;
  }
  return NoSqlFor("a literal of another Substrait type");
}

/// The name of a type in CAST. \return NotImplemented for types that it has not
SqlResult CastTypeName(const pb::Type& type) {
  switch (type.kind_case()) {
    case pb::Type::kBool:
      return std::string("BOOLEAN");
    case pb::Type::kI8:
      return std::string("TINYINT");
    case pb::Type::kI16:
      return std::string("SMALLINT");
    case pb::Type::kI32:
      return std::string("INT");
    case pb::Type::kI64:
      return std::string("BIGINT");
    case pb::Type::kFp32:
      return std::string("FLOAT");
    case pb::Type::kFp64:
      return std::string("DOUBLE");
    case pb::Type::kString:
      return std::string("STRING");
    case pb::Type::kBinary:
      return std::string("BINARY");
    case pb::Type::kTimestamp:
      return std::string("TIMESTAMP");
    case pb::Type::kDate:
      return std::string("DATE");
    case pb::Type::kDecimal:
      return "DECIMAL(" + std::to_string(type.decimal().precision()) + ", " +
             std::to_string(type.decimal().scale()) + ")";
    default:
      return NoSqlFor("a cast to another Substrait type");
  }
}

/// Writes one expression over one schema. Thread-compatible.
class Writer {
 public:
  Writer(std::vector<Member> schema, std::map<uint32_t, std::string> functions)
      : schema_(std::move(schema)), functions_(std::move(functions)) {}

  SqlResult Write(const pb::Expression& expression, int depth = 1) const {
    if (depth > kMaxForeignDepth) {
      return Status::Invalid("filter: the expression is more than ", kMaxForeignDepth,
                             " calls deep, which is the most allowed");
    }
    switch (expression.rex_type_case()) {
      case pb::Expression::kLiteral:
        return LiteralSql(expression.literal());
      case pb::Expression::kSelection:
        return WriteReference(expression.selection());
      case pb::Expression::kScalarFunction:
        return WriteCall(expression.scalar_function(), depth);
      case pb::Expression::kIfThen:
        return WriteChoice(expression.if_then(), depth);
      case pb::Expression::kSingularOrList:
        return WriteMembership(expression.singular_or_list(), depth);
      case pb::Expression::kCast:
        return WriteCast(expression.cast(), depth);
      case pb::Expression::REX_TYPE_NOT_SET:
        break;
    }
    return NoSqlFor("a part of another Substrait kind");
  }

 private:
  SqlResult WriteReference(const pb::FieldReference& reference) const {
    const bool is_direct = reference.has_direct_reference() && !reference.has_expression() &&
                           !reference.has_outer_reference();
    if (!is_direct) return NoSqlFor("a reference to other than a column");
    std::vector<std::string> names;
    const std::vector<Member>* members = &schema_;
    for (const pb::ReferenceSegment* segment = &reference.direct_reference();;) {
      if (!segment->has_struct_field()) return NoSqlFor("an element of a list or map");
      const pb::StructField& field = segment->struct_field();
      if (field.field() < 0 || static_cast<size_t>(field.field()) >= members->size()) {
        return Status::Invalid("filter: the Substrait expression asks for field ", field.field(),
                               " of ", members->size());
      }
      const Member& member = (*members)[static_cast<size_t>(field.field())];
      names.push_back(member.name);
      if (!field.has_child()) return PathSql(names);
      members = &member.members;
      segment = &field.child();
    }
  }

  SqlResult WriteCall(const pb::ScalarFunction& call, int depth) const {
    const auto name = functions_.find(call.function_reference());
    if (name == functions_.end()) {
      return Status::Invalid("filter: the Substrait expression calls function ",
                             call.function_reference(), ", which it does not declare");
    }
    std::vector<std::string> arguments;
    for (const pb::FunctionArgument& argument : call.arguments()) {
      if (!argument.has_value()) return NoSqlFor("an option of the function " + name->second);
      ARROW_ASSIGN_OR_RAISE(arguments.emplace_back(), Write(argument.value(), depth + 1));
    }
    for (const pb::Expression& argument : call.args()) {
      ARROW_ASSIGN_OR_RAISE(arguments.emplace_back(), Write(argument, depth + 1));
    }
    return CallSql(name->second, arguments);
  }

  SqlResult WriteMembership(const pb::SingularOrList& list, int depth) const {
    ARROW_ASSIGN_OR_RAISE(const std::string value, Write(list.value(), depth + 1));
    std::vector<std::string> members;
    for (const pb::Expression& option : list.options()) {
      ARROW_ASSIGN_OR_RAISE(members.emplace_back(), Write(option, depth + 1));
    }
    return MembershipSql(value, members);
  }

  /// What is chosen by whether a value is null.
  SqlResult WriteChoice(const pb::IfThen& choice, int depth) const {
    const bool is_simple = choice.ifs_size() == 1 && choice.has_else_() &&
                           choice.ifs(0).if_().has_scalar_function() &&
                           choice.ifs(0).if_().scalar_function().arguments_size() == 1;
    if (!is_simple) return NoSqlFor("a choice (if_else)");
    const pb::ScalarFunction& condition = choice.ifs(0).if_().scalar_function();
    const auto name = functions_.find(condition.function_reference());
    if (name == functions_.end() || (name->second != "is_not_null" && name->second != "is_valid")) {
      return NoSqlFor("a choice (if_else)");
    }
    ARROW_ASSIGN_OR_RAISE(const std::string value,
                          Write(condition.arguments(0).value(), depth + 1));
    ARROW_ASSIGN_OR_RAISE(const std::string then, Write(choice.ifs(0).then(), depth + 1));
    ARROW_ASSIGN_OR_RAISE(const std::string otherwise, Write(choice.else_(), depth + 1));
    return ChoiceByNullSql(value, then, otherwise);
  }

  SqlResult WriteCast(const pb::Cast& cast, int depth) const {
    ARROW_ASSIGN_OR_RAISE(const std::string value, Write(cast.input(), depth + 1));
    ARROW_ASSIGN_OR_RAISE(const std::string type, CastTypeName(cast.type()));
    const bool is_try = cast.failure_behavior() == pb::FAILURE_BEHAVIOR_RETURN_NULL;
    return (is_try ? "TRY_CAST(" : "CAST(") + value + " AS " + type + ")";
  }

  std::vector<Member> schema_;
  std::map<uint32_t, std::string> functions_;
};

/// The names of functions, without the types of arguments behind a colon.
std::map<uint32_t, std::string> FunctionsOf(const pb::ExtendedExpression& message) {
  std::map<uint32_t, std::string> functions;
  for (const pb::ExtensionDeclaration& declaration : message.extensions()) {
    if (!declaration.has_extension_function()) continue;
    const std::string& name = declaration.extension_function().name();
    functions[declaration.extension_function().function_anchor()] = name.substr(0, name.find(':'));
  }
  return functions;
}

}  // namespace

SqlResult SqlOfSubstrait(std::string_view bytes) {
  if (bytes.size() > INT32_MAX) return Status::Invalid("filter: Substrait of more than 2 GiB");
  pb::ExtendedExpression message;
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  input.SetRecursionLimit(4 * kMaxForeignDepth);  // three messages a call
  if (!message.ParseFromCodedStream(&input) || !input.ConsumedEntireMessage()) {
    return Status::Invalid("filter: found ", bytes.size(),
                           " bytes that are no Substrait extended expression, or one that nests "
                           "too deep");
  }
  if (message.referred_expr_size() != 1 || !message.referred_expr(0).has_expression()) {
    return Status::Invalid("filter: the Substrait message has ", message.referred_expr_size(),
                           " expressions; allowed: 1 that is no measure");
  }
  ARROW_ASSIGN_OR_RAISE(auto schema, ReadNames(message.base_schema()));
  return Writer(std::move(schema), FunctionsOf(message))
      .Write(message.referred_expr(0).expression());
}

}  // namespace lance::filter
