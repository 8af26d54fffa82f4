#include "lance/dataset/cast_columns.h"

#include <algorithm>

#include "arrow/api.h"
#include "arrow/compute/cast.h"
#include "arrow/compute/exec.h"

namespace lance {
namespace {

bool IsList(arrow::Type::type id) {
  return id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST ||
         id == arrow::Type::FIXED_SIZE_LIST;
}

bool IsCastable(const arrow::DataType& from, const arrow::DataType& to) {
  const auto a = from.id();
  const auto b = to.id();
  if (from.Equals(to)) return true;
  if (arrow::is_integer(a)) return arrow::is_integer(b);
  if (arrow::is_floating(a)) return arrow::is_floating(b);
  if (arrow::is_decimal(a)) return arrow::is_decimal(b);
  if (arrow::is_temporal(a)) return arrow::is_temporal(b);
  if (arrow::is_string(a)) return arrow::is_string(b);
  if (arrow::is_base_binary_like(a)) return arrow::is_base_binary_like(b) && !arrow::is_string(b);
  if (IsList(a)) return IsList(b) && IsCastable(*from.field(0)->type(), *to.field(0)->type());
  return false;
}

}  // namespace

arrow::Status CheckCastable(const std::string& column, const arrow::DataType& from,
                            const arrow::DataType& to) {
  if (IsCastable(from, to)) return arrow::Status::OK();
  return arrow::Status::Invalid("column ", column, " is ", from.ToString(), " and cannot become ",
                                to.ToString(),
                                "; allowed: between integers, floats, dates and times, decimals, "
                                "text, binary, lists of them");
}

std::shared_ptr<arrow::Array> SelectPart(const std::shared_ptr<arrow::Array>& array,
                                         const format::FieldNode& whole,
                                         const format::FieldNode& part) {
  if (whole.type->Equals(*part.type)) return array;
  auto data = array->data()->Copy();
  data->type = part.type;
  data->child_data.clear();
  for (const format::FieldNode& child : part.children) {
    const auto from = std::ranges::find(whole.children, child.id, &format::FieldNode::id);
    const auto i = static_cast<size_t>(from - whole.children.begin());
    const auto selected = SelectPart(arrow::MakeArray(array->data()->child_data[i]), *from, child);
    data->child_data.push_back(selected->data());
  }
  return arrow::MakeArray(std::move(data));
}

arrow::Result<std::shared_ptr<arrow::Array>> CastColumn(const std::shared_ptr<arrow::Array>& array,
                                                        const std::shared_ptr<arrow::DataType>& to,
                                                        arrow::MemoryPool* pool) {
  arrow::compute::ExecContext context(pool != nullptr ? pool : arrow::default_memory_pool());
  return arrow::compute::Cast(*array, to, arrow::compute::CastOptions::Safe(), &context);
}

}  // namespace lance
