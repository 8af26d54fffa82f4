// Filters over random rows keep what a naive evaluator, row by row and three-valued, keeps; their
// predicates hold for every row that passes.

#include <array>
#include <bit>
#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arrow/api.h"
#include "gtest/gtest.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance::filter {
namespace {

using index::Predicate;
using testing::SeededRandom;
using Truth = std::optional<bool>;  // nothing: NULL

/// A value without its type: all signed numbers and times are int64_t, all floats double.
using Cell = std::variant<bool, int64_t, uint64_t, double, std::string>;
using Row = std::vector<std::optional<Cell>>;

/// A value of a pool: as SQL (nothing when it has no literal) and as a cell.
struct Sample {
  std::optional<std::string> sql;
  Cell cell;
};

struct Column {
  const char* name;
  const char* logical_type;
  std::shared_ptr<arrow::DataType> type;
  std::vector<Sample> pool;
};

std::vector<Sample> Integers(const std::vector<int64_t>& values) {
  std::vector<Sample> pool;
  for (const int64_t value : values) pool.push_back({std::to_string(value), Cell(value)});
  return pool;
}

std::vector<Sample> Unsigneds(const std::vector<uint64_t>& values) {
  std::vector<Sample> pool;
  for (const uint64_t value : values) pool.push_back({std::to_string(value), Cell(value)});
  return pool;
}

std::vector<Sample> Floats() {
  return {{"0", Cell(0.0)},
          {"0.0", Cell(0.0)},
          {"-0.0", Cell(-0.0)},
          {"1.5", Cell(1.5)},
          {"-1.5", Cell(-1.5)},
          {"2", Cell(2.0)},
          {"1e999", Cell(std::bit_cast<double>(0x7FF0000000000000))},
          {"-1e999", Cell(std::bit_cast<double>(0xFFF0000000000000))},
          {std::nullopt, Cell(std::bit_cast<double>(0x7FF8000000000000))},
          {std::nullopt, Cell(std::bit_cast<double>(0xFFF8000000000000))}};
}

std::vector<Sample> Texts() {
  std::vector<Sample> pool;
  for (const char* text : {"", "a", "ab", "b", "B", "\xC3\xA9"}) {
    pool.push_back({"'" + std::string(text) + "'", Cell(std::string(text))});
  }
  pool.push_back({"'it''s'", Cell(std::string("it's"))});
  return pool;
}

/// Pairs of columns of one type, so that columns can be compared.
std::vector<Column> MakeColumns() {
  using arrow::TimeUnit;
  const std::vector<Sample> dates = {{"DATE '1970-01-01'", Cell(int64_t{0})},
                                     {"DATE '1969-12-31'", Cell(int64_t{-1})},
                                     {"DATE '2024-02-29'", Cell(int64_t{19782})}};
  const std::vector<Sample> times = {
      {"TIMESTAMP '1970-01-01 00:00:00'", Cell(int64_t{0})},
      {"DATE '1970-01-02'", Cell(int64_t{86'400'000'000})},
      {"TIMESTAMP '1969-12-31 23:59:59.999999'", Cell(int64_t{-1})},
      {"TIMESTAMP '1970-01-01 02:00:00.5+02:00'", Cell(int64_t{500'000})}};
  const std::vector<Sample> truths = {{"TRUE", Cell(true)}, {"false", Cell(false)}};
  std::vector<Column> columns;
  for (const bool first : {true, false}) {
    const auto add = [&](const char* first_name, const char* second_name, const char* logical_type,
                         std::shared_ptr<arrow::DataType> type, std::vector<Sample> pool) {
      columns.push_back({first ? first_name : second_name, logical_type, type, std::move(pool)});
    };
    add("a1", "a2", "int8", arrow::int8(), Integers({-128, -1, 0, 1, 2, 127}));
    add("b1", "b2", "int64", arrow::int64(), Integers({INT64_MIN, -5, 0, 5, 6, INT64_MAX}));
    add("c1", "c2", "uint64", arrow::uint64(), Unsigneds({0, 1, 2, INT64_MAX, UINT64_MAX}));
    add("d1", "d2", "float", arrow::float32(), Floats());
    add("e1", "e2", "double", arrow::float64(), Floats());
    add("f1", "f2", "bool", arrow::boolean(), truths);
    add("g1", "g2", "string", arrow::utf8(), Texts());
    add("h1", "h2", "date32:day", arrow::date32(), dates);
    add("i1", "i2", "timestamp:us:UTC", arrow::timestamp(TimeUnit::MICRO, "UTC"), times);
  }
  return columns;
}

const std::vector<Column>& Columns() {
  static const auto* const columns = new std::vector<Column>(MakeColumns());
  return *columns;
}

std::shared_ptr<arrow::Scalar> ToScalar(const std::optional<Cell>& cell,
                                        const std::shared_ptr<arrow::DataType>& type) {
  if (!cell) return arrow::MakeNullScalar(type);
  return std::visit(
      [&type](const auto& value) -> std::shared_ptr<arrow::Scalar> {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string>) {
          return std::make_shared<arrow::StringScalar>(value);
        } else {
          return arrow::MakeScalar(type, value).ValueOrDie();
        }
      },
      *cell);
}

Cell ToCell(const arrow::Scalar& scalar) {
  switch (scalar.type->id()) {
    case arrow::Type::INT8:
      return int64_t{static_cast<const arrow::Int8Scalar&>(scalar).value};
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Scalar&>(scalar).value;
    case arrow::Type::UINT64:
      return static_cast<const arrow::UInt64Scalar&>(scalar).value;
    case arrow::Type::FLOAT:
      return double{static_cast<const arrow::FloatScalar&>(scalar).value};
    case arrow::Type::DOUBLE:
      return static_cast<const arrow::DoubleScalar&>(scalar).value;
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanScalar&>(scalar).value;
    case arrow::Type::DATE32:
      return int64_t{static_cast<const arrow::Date32Scalar&>(scalar).value};
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampScalar&>(scalar).value;
    default:
      return scalar.ToString();
  }
}

/// The order of values; floats by the total order of IEEE 754.
std::strong_ordering Order(const Cell& left, const Cell& right) {
  if (const auto* number = std::get_if<double>(&left)) {
    return std::strong_order(*number, std::get<double>(right));
  }
  if (const auto* text = std::get_if<std::string>(&left)) {
    return text->compare(std::get<std::string>(right)) <=> 0;
  }
  return left < right
             ? std::strong_ordering::less
             : (right < left ? std::strong_ordering::greater : std::strong_ordering::equal);
}

/// As Order, but a zero literal equals both zeros.
std::strong_ordering OrderWithLiteral(const Cell& value, const Cell& literal) {
  const auto* number = std::get_if<double>(&value);
  if (number != nullptr && *number == 0 && std::get<double>(literal) == 0) {
    return std::strong_ordering::equal;
  }
  return Order(value, literal);
}

constexpr std::array<const char*, 6> kOperators = {"=", "<>", "<", "<=", ">", ">="};

bool Holds(size_t op, std::strong_ordering order) {
  const std::array<bool, 6> results = {order == 0, order != 0, order<0, order <= 0, order> 0,
                                       order >= 0};
  return results[op];
}

Truth Not(Truth truth) { return truth ? Truth(!*truth) : truth; }

Truth And(Truth left, Truth right) {
  if (left == Truth(false) || right == Truth(false)) return false;
  return left && right ? Truth(true) : std::nullopt;
}

Truth Or(Truth left, Truth right) { return Not(And(Not(left), Not(right))); }

/// A filter and what it means.
struct Generated {
  std::string sql;
  std::function<Truth(const Row&)> evaluate;
};

/// Makes random filters. Everything in parentheses, so that precedence plays no part here.
class Generator {
 public:
  explicit Generator(SeededRandom* random) : random_(*random) {}

  Generated Any(int depth) {
    if (depth == 0) return Leaf();
    switch (random_.Below(7)) {
      case 0:
      case 1:
        return Join("AND", And, depth);
      case 2:
      case 3:
        return Join(" or ", Or, depth);
      case 4: {
        Generated inner = Any(depth - 1);
        return {"NOT (" + inner.sql + ")",
                [inner](const Row& row) { return Not(inner.evaluate(row)); }};
      }
      case 5:
        return IsTruth(depth);
      default:
        return Leaf();
    }
  }

 private:
  size_t PickColumn() { return random_.Below(Columns().size()); }

  /// A literal of the column's type, or NULL.
  std::pair<std::string, std::optional<Cell>> PickLiteral(size_t column) {
    if (random_.OneIn(12)) return {"NULL", std::nullopt};
    for (;;) {
      const auto& pool = Columns()[column].pool;
      const Sample& sample = pool[random_.Below(pool.size())];
      if (sample.sql) return {*sample.sql, sample.cell};
    }
  }

  Generated Join(const std::string& word, Truth (*join)(Truth, Truth), int depth) {
    Generated left = Any(depth - 1);
    Generated right = Any(depth - 1);
    return {"(" + left.sql + ")" + word + "(" + right.sql + ")",
            [=](const Row& row) { return join(left.evaluate(row), right.evaluate(row)); }};
  }

  Generated IsTruth(int depth) {
    Generated inner = Any(depth - 1);
    const bool negated = random_.OneIn(2);
    const size_t kind = random_.Below(3);
    const std::array<const char*, 3> words = {"TRUE", "FALSE", "NULL"};
    const std::array<Truth, 3> wanted = {true, false, std::nullopt};
    return {"(" + inner.sql + ") IS " + (negated ? "NOT " : "") + words[kind],
            [=](const Row& row) { return (inner.evaluate(row) == wanted[kind]) != negated; }};
  }

  Generated Leaf() {
    switch (random_.Below(6)) {
      case 0:
        return In();
      case 1:
        return Between();
      case 2:
        return IsNull();
      case 3:
        return CompareColumns();
      default:
        return CompareLiteral();
    }
  }

  Generated CompareLiteral() {
    const size_t column = PickColumn();
    const std::string name = Columns()[column].name;
    const auto literal = PickLiteral(column);
    const size_t op = random_.Below(6);
    if (random_.OneIn(4)) {
      // The literal on the left: the order of the sides, not of the comparison, is exchanged.
      return {literal.first + kOperators[op] + name, [=](const Row& row) -> Truth {
                if (!row[column] || !literal.second) return std::nullopt;
                const auto order = OrderWithLiteral(*row[column], *literal.second);
                return Holds(op, 0 <=> order);
              }};
    }
    return {name + kOperators[op] + literal.first, [=](const Row& row) -> Truth {
              if (!row[column] || !literal.second) return std::nullopt;
              return Holds(op, OrderWithLiteral(*row[column], *literal.second));
            }};
  }

  Generated CompareColumns() {
    const size_t half = Columns().size() / 2;
    const size_t left = random_.Below(half);
    const size_t right = left + half;
    const size_t op = random_.Below(6);
    return {std::string(Columns()[left].name) + kOperators[op] + Columns()[right].name,
            [=](const Row& row) -> Truth {
              if (!row[left] || !row[right]) return std::nullopt;
              return Holds(op, Order(*row[left], *row[right]));
            }};
  }

  Generated In() {
    const size_t column = PickColumn();
    const bool negated = random_.OneIn(2);
    std::vector<std::optional<Cell>> members;
    std::string list;
    for (size_t left = 1 + random_.Below(5); left > 0; --left) {
      const auto literal = PickLiteral(column);
      list += (list.empty() ? "" : ",") + literal.first;
      members.push_back(literal.second);
    }
    return {std::string(Columns()[column].name) + (negated ? " NOT IN (" : " in(") + list + ")",
            [=](const Row& row) {
              Truth found = false;
              for (const auto& member : members) {
                Truth same;
                if (member && row[column]) same = OrderWithLiteral(*row[column], *member) == 0;
                found = Or(found, same);
              }
              return negated ? Not(found) : found;
            }};
  }

  Generated Between() {
    const size_t column = PickColumn();
    const bool negated = random_.OneIn(2);
    const auto low = PickLiteral(column);
    const auto high = PickLiteral(column);
    return {std::string(Columns()[column].name) + (negated ? " NOT BETWEEN " : " between ") +
                low.first + " AND " + high.first,
            [=](const Row& row) {
              Truth above;
              Truth below;
              if (row[column] && low.second) {
                above = OrderWithLiteral(*row[column], *low.second) >= 0;
              }
              if (row[column] && high.second) {
                below = OrderWithLiteral(*row[column], *high.second) <= 0;
              }
              return negated ? Not(And(above, below)) : And(above, below);
            }};
  }

  Generated IsNull() {
    const size_t column = PickColumn();
    const bool negated = random_.OneIn(2);
    return {std::string(Columns()[column].name) + (negated ? " IS NOT NULL" : " is null"),
            [=](const Row& row) -> Truth { return row[column].has_value() == negated; }};
  }

  SeededRandom& random_;
};

/// What a predicate says about one row; `*is_exact` turns false when it meets an unknown.
Truth EvaluatePredicate(const Predicate& predicate, const Row& row, bool* is_exact) {
  const auto value = [&] { return row[static_cast<size_t>(predicate.field_id)]; };
  switch (predicate.kind) {
    case Predicate::Kind::kUnknown:
    case Predicate::Kind::kHasAny:
    case Predicate::Kind::kHasAll:
      *is_exact = false;
      return true;
    case Predicate::Kind::kAlwaysFalse:
      return false;
    case Predicate::Kind::kIsNull:
      return !value().has_value();
    case Predicate::Kind::kNot:
      // Above an unknown this would turn "may" into "may not".
      EXPECT_TRUE(predicate.children[0].kind == Predicate::Kind::kIn ||
                  predicate.children[0].kind == Predicate::Kind::kIsNull);
      return Not(EvaluatePredicate(predicate.children[0], row, is_exact));
    case Predicate::Kind::kAnd:
    case Predicate::Kind::kOr: {
      const bool is_and = predicate.kind == Predicate::Kind::kAnd;
      Truth joined = is_and;
      for (const Predicate& child : predicate.children) {
        const Truth truth = EvaluatePredicate(child, row, is_exact);
        joined = is_and ? And(joined, truth) : Or(joined, truth);
      }
      return joined;
    }
    case Predicate::Kind::kIn: {
      if (!value()) return std::nullopt;
      bool found = false;
      for (const auto& member : predicate.values) {
        found = found || Order(*value(), ToCell(*member)) == 0;
      }
      return found;
    }
    case Predicate::Kind::kRange: {
      if (!value()) return std::nullopt;
      bool is_inside = true;
      if (predicate.lower) {
        const auto order = Order(*value(), ToCell(*predicate.lower->value));
        is_inside = predicate.lower->inclusive ? order >= 0 : order > 0;
      }
      if (predicate.upper) {
        const auto order = Order(*value(), ToCell(*predicate.upper->value));
        is_inside = is_inside && (predicate.upper->inclusive ? order <= 0 : order < 0);
      }
      return is_inside;
    }
  }
  return std::nullopt;
}

std::vector<Row> MakeRows(SeededRandom* random, size_t num_rows) {
  std::vector<Row> rows(num_rows);
  for (Row& row : rows) {
    for (const Column& column : Columns()) {
      row.push_back(random->OneIn(5)
                        ? std::nullopt
                        : std::optional(column.pool[random->Below(column.pool.size())].cell));
    }
  }
  return rows;
}

std::shared_ptr<arrow::RecordBatch> ToBatch(const std::vector<Row>& rows) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < Columns().size(); ++i) {
    const Column& column = Columns()[i];
    auto builder = arrow::MakeBuilder(column.type).ValueOrDie();
    for (const Row& row : rows) {
      EXPECT_TRUE(builder->AppendScalar(*ToScalar(row[i], column.type)).ok());
    }
    fields.push_back(arrow::field(column.name, column.type));
    arrays.push_back(builder->Finish().ValueOrDie());
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), static_cast<int64_t>(rows.size()), arrays);
}

format::LanceSchema MakeSchema() {
  format::LanceSchema schema;
  for (const Column& column : Columns()) {
    format::SchemaField field;
    field.name = column.name;
    field.id = static_cast<int32_t>(schema.fields.size());
    field.logical_type = column.logical_type;
    schema.fields.push_back(field);
  }
  return schema;
}

/// Compare a filter with its meaning on every row. \return the mask, null after a failure
std::shared_ptr<arrow::BooleanArray> Check(const BoundFilter& filter, const Generated& generated,
                                           const std::vector<Row>& rows,
                                           const arrow::RecordBatch& batch) {
  const auto mask = filter.Evaluate(batch);
  EXPECT_THAT(mask, testing::IsOk());
  if (!mask.ok()) return nullptr;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto position = static_cast<int64_t>(i);
    const bool kept = (*mask)->IsValid(position) && (*mask)->Value(position);
    EXPECT_EQ(kept, generated.evaluate(rows[i]) == Truth(true)) << "row " << i;

    bool is_exact = true;
    const bool may_match = EvaluatePredicate(filter.predicate(), rows[i], &is_exact) == Truth(true);
    EXPECT_TRUE(may_match || !kept) << "predicate misses row " << i;
    EXPECT_TRUE(kept || !may_match || !is_exact) << "predicate is not exact for row " << i;
  }
  return *mask;
}

TEST(FilterProperty, KeepsTheRowsThatANaiveEvaluatorKeeps) {
  SCOPED_TRACE(testing::SeedMessage());
  SeededRandom random;
  Generator generator(&random);
  const auto schema = MakeSchema();
  for (int round = 0; round < testing::NumRounds(60); ++round) {
    const auto rows = MakeRows(&random, 1 + random.Below(70));
    const auto batch = ToBatch(rows);
    for (int filters = 0; filters < 20; ++filters) {
      const Generated generated = generator.Any(static_cast<int>(random.Below(5)));
      SCOPED_TRACE(generated.sql);
      LANCE_ASSERT_OK_AND_ASSIGN(const auto filter, BoundFilter::Make(generated.sql, schema));
      LANCE_ASSERT_OK_AND_ASSIGN(const auto again, BoundFilter::Make(filter.ToString(), schema));

      const auto mask = Check(filter, generated, rows, *batch);
      ASSERT_NE(mask, nullptr);
      ASSERT_FALSE(::testing::Test::HasFailure());
      EXPECT_EQ(again.ToString(), filter.ToString());
      LANCE_ASSERT_OK_AND_ASSIGN(const auto mask_of_canonical, again.Evaluate(*batch));
      EXPECT_TRUE(mask_of_canonical->Equals(mask));
      const auto offset = static_cast<int64_t>(random.Below(rows.size()));
      LANCE_ASSERT_OK_AND_ASSIGN(const auto slice, filter.Evaluate(*batch->Slice(offset)));
      EXPECT_TRUE(slice->Equals(mask->Slice(offset)));
    }
  }
}

}  // namespace
}  // namespace lance::filter
