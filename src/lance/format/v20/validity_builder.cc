#include "lance/format/v20/validity_builder.h"

#include "arrow/array.h"

namespace lance::format::v20 {

arrow::Status ValidityBuilder::Append(const arrow::Array& array, int64_t begin, int64_t end) {
  const int64_t count = end - begin;
  const bool is_null_type = array.type_id() == arrow::Type::NA;
  const bool may_have_nulls = array.null_bitmap_data() != nullptr || is_null_type;
  if (may_have_nulls && bits_.length() == 0) {
    ARROW_RETURN_NOT_OK(bits_.Append(static_cast<int64_t>(num_slots_), true));
  }
  if (is_null_type) {
    ARROW_RETURN_NOT_OK(bits_.Append(count, false));
  } else if (may_have_nulls) {
    ARROW_RETURN_NOT_OK(bits_.Reserve(count));
    bits_.UnsafeAppend(array.null_bitmap_data(), array.offset() + begin, count);
  } else if (bits_.length() > 0) {
    ARROW_RETURN_NOT_OK(bits_.Append(count, true));
  }
  num_slots_ += static_cast<uint64_t>(count);
  return arrow::Status::OK();
}

Nulls ValidityBuilder::nulls() const {
  if (num_nulls() == num_slots_) return Nulls::kAll;
  return num_nulls() > 0 ? Nulls::kSome : Nulls::kNone;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ValidityBuilder::Finish() {
  num_slots_ = 0;
  const bool has_nulls = num_nulls() > 0;
  ARROW_ASSIGN_OR_RAISE(auto bits, bits_.Finish());
  return has_nulls ? bits : nullptr;
}

}  // namespace lance::format::v20
