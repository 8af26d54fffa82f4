#include "lance/dataset/filter/membership.h"

#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/compute/expression.h"
#include "lance/base/executor.h"
#include "lance/index/ordered_value.h"

namespace lance::filter {

namespace {

/// Floats are looked up as the integers of their bits, so that the answer does not hang on what
/// Arrow's hash makes of NaNs and zeros.
std::shared_ptr<arrow::DataType> LookupType(const std::shared_ptr<arrow::DataType>& type) {
  if (type->id() == arrow::Type::HALF_FLOAT) return arrow::int16();
  if (type->id() == arrow::Type::FLOAT) return arrow::int32();
  if (type->id() == arrow::Type::DOUBLE) return arrow::int64();
  return type;
}

arrow::Result<std::shared_ptr<arrow::Array>> AsKeys(
    const std::shared_ptr<arrow::Array>& values,
    const std::shared_ptr<arrow::DataType>& lookup_type) {
  if (values->type_id() == lookup_type->id()) return values;
  return values->View(lookup_type);
}

/// Arrow's is_in with its hash table built. Immutable.
class ArrowMembership : public Membership {
 public:
  ArrowMembership(arrow::compute::Expression is_in, std::shared_ptr<arrow::DataType> lookup_type)
      : is_in_(std::move(is_in)), lookup_type_(std::move(lookup_type)) {}

  arrow::Result<std::shared_ptr<arrow::BooleanArray>> Test(
      const std::shared_ptr<arrow::Array>& values) const override {
    ARROW_ASSIGN_OR_RAISE(auto keys, AsKeys(values, lookup_type_));
    const arrow::compute::ExecBatch batch({arrow::Datum(keys)}, keys->length());
    ARROW_ASSIGN_OR_RAISE(const auto found, arrow::compute::ExecuteScalarExpression(is_in_, batch));
    return found.array_as<arrow::BooleanArray>();
  }

 private:
  arrow::compute::Expression is_in_;
  std::shared_ptr<arrow::DataType> lookup_type_;
};

}  // namespace

arrow::Result<std::shared_ptr<const Membership>> Membership::Make(
    const std::vector<std::shared_ptr<arrow::Scalar>>& members,
    const std::shared_ptr<arrow::DataType>& type, bool has_null) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), type, &builder));
  for (const auto& member : members) {
    for (const auto& value : index::WithBothZeros(member)) {
      ARROW_RETURN_NOT_OK(builder->AppendScalar(*value));
    }
  }
  if (has_null) ARROW_RETURN_NOT_OK(builder->AppendNull());
  ARROW_ASSIGN_OR_RAISE(auto values, builder->Finish());

  const auto lookup_type = LookupType(type);
  ARROW_ASSIGN_OR_RAISE(auto keys, AsKeys(values, lookup_type));
  auto options = std::make_shared<arrow::compute::SetLookupOptions>(
      arrow::Datum(keys), arrow::compute::SetLookupOptions::INCONCLUSIVE);
  // Binding an expression is what keeps the hash table between batches.
  const auto call = arrow::compute::call("is_in", {arrow::compute::field_ref(0)}, options);
  ARROW_ASSIGN_OR_RAISE(auto is_in, call.Bind(arrow::Schema({arrow::field("v", lookup_type)})));
  return std::make_shared<ArrowMembership>(std::move(is_in), lookup_type);
}

}  // namespace lance::filter
