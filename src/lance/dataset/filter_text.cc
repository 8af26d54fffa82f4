#include <string>

#include "arrow/api.h"
#include "arrow/compute/expression.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/dataset/filter/from_expression.h"
#include "lance/dataset/filter/parser.h"
#include "lance/dataset/filter/substrait_proto.h"
#include "lance/filter.h"

namespace lance {

Filter::Filter(const arrow::compute::Expression& expression) {
  auto sql = filter::SqlOf(expression);
  problem_ = sql.status();
  if (sql.ok()) sql_ = *std::move(sql);
}

arrow::Result<Filter> Filter::FromSubstrait(const std::shared_ptr<arrow::Buffer>& bytes) {
  if (bytes == nullptr) return arrow::Status::Invalid("filter: there are no bytes of Substrait");
  ARROW_ASSIGN_OR_RAISE(std::string sql, filter::SqlOfSubstrait(std::string_view(*bytes)));
  return Filter(std::move(sql));
}

arrow::Status Filter::Check(const arrow::Schema& schema) const {
  ARROW_ASSIGN_OR_RAISE(const auto lance_schema, format::MakeLanceSchema(schema));
  return filter::BoundFilter::FromFilter(*this, lance_schema).status();
}

std::string Filter::ToString() const {
  const auto expression = filter::ParseFilter(sql_);
  return expression.ok() ? filter::CanonicalSql(**expression) : sql_;
}

}  // namespace lance
