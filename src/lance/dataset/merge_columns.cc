#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "arrow/util/bit_util.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/align_batch.h"
#include "lance/dataset/column_files.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/curve_order.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/schema_edit.h"
#include "lance/schema_evolution.h"

namespace lance {
namespace {

/// The bytes of the values of a key column, to compare them by. Borrows the array.
class KeyBytes {
 public:
  static arrow::Result<KeyBytes> Make(const std::string& column, const arrow::Array& keys) {
    KeyBytes bytes(keys);
    const arrow::DataType& type = *keys.type();
    if (arrow::is_base_binary_like(type.id()) || type.id() == arrow::Type::BOOL) return bytes;
    const bool is_fixed = arrow::is_primitive(type.id()) || arrow::is_decimal(type.id()) ||
                          type.id() == arrow::Type::FIXED_SIZE_BINARY;
    if (!is_fixed) {
      return UnsupportedError("joins on " + type.ToString(),
                              "key column " + column + " is " + type.ToString() +
                                  "; allowed: numbers, booleans, text, binary, dates, times, "
                                  "decimals");
    }
    bytes.width_ = type.byte_width();
    return bytes;
  }

  /// \pre the row is not null
  std::string_view At(int64_t row) const {
    switch (keys_->type_id()) {
      case arrow::Type::BOOL:
        return static_cast<const arrow::BooleanArray&>(*keys_).Value(row) ? "1" : "0";
      case arrow::Type::STRING:
      case arrow::Type::BINARY:
        return static_cast<const arrow::BinaryArray&>(*keys_).GetView(row);
      case arrow::Type::LARGE_STRING:
      case arrow::Type::LARGE_BINARY:
        return static_cast<const arrow::LargeBinaryArray&>(*keys_).GetView(row);
      default:
        break;
    }
    const uint8_t* values = keys_->data()->buffers[1]->data();
    return {reinterpret_cast<const char*>(values) + (keys_->offset() + row) * width_,
            static_cast<size_t>(width_)};
  }

 private:
  explicit KeyBytes(const arrow::Array& keys) : keys_(&keys) {}

  const arrow::Array* keys_;
  int64_t width_ = 0;
};

/// The right side of a join, by key. Immutable once made.
struct RightSide {
  std::vector<MemoryReservation> reservations;
  std::shared_ptr<arrow::Array> keys;
  std::shared_ptr<arrow::RecordBatch> values;
  std::unordered_map<std::string_view, int64_t> rows;
  std::string left_column;
};

arrow::Result<std::shared_ptr<arrow::Array>> OneChunk(const arrow::ChunkedArray& column,
                                                      arrow::MemoryPool* pool) {
  if (column.num_chunks() == 1) return column.chunk(0);
  if (column.num_chunks() == 0) return arrow::MakeEmptyArray(column.type(), pool);
  return arrow::Concatenate(column.chunks(), pool);
}

arrow::Result<std::shared_ptr<RightSide>> LoadRight(const BatchSource& source, int key_column,
                                                    const std::shared_ptr<arrow::Schema>& stored,
                                                    const RunContext& run) {
  arrow::MemoryPool* pool = run.pool();
  auto right = std::make_shared<RightSide>();
  ARROW_ASSIGN_OR_RAISE(const auto reader, source.Open());
  ARROW_ASSIGN_OR_RAISE(auto table, CollectInMemory(*reader, run, &right->reservations));
  ARROW_ASSIGN_OR_RAISE(right->keys, OneChunk(*table->column(key_column), pool));
  ARROW_ASSIGN_OR_RAISE(table, table->RemoveColumn(key_column));
  arrow::ArrayVector columns;
  for (const auto& column : table->columns()) {
    ARROW_ASSIGN_OR_RAISE(auto values, OneChunk(*column, pool));
    columns.push_back(std::move(values));
  }
  right->values = arrow::RecordBatch::Make(table->schema(), table->num_rows(), std::move(columns));
  ARROW_ASSIGN_OR_RAISE(const auto aligner, BatchAligner::Make(*table->schema(), stored));
  ARROW_ASSIGN_OR_RAISE(right->values, aligner.Align(*right->values));
  const std::string& key_name = source.schema()->field(key_column)->name();
  ARROW_ASSIGN_OR_RAISE(const KeyBytes bytes, KeyBytes::Make(key_name, *right->keys));
  for (int64_t row = 0; row < right->keys->length(); ++row) {
    if (right->keys->IsValid(row)) right->rows.insert_or_assign(bytes.At(row), row);
  }
  return right;
}

/// The right values of the rows that have these left keys.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> Join(const RightSide& right,
                                                        const arrow::Array& left_keys,
                                                        const RunContext& run) {
  arrow::MemoryPool* pool = run.pool();
  ARROW_ASSIGN_OR_RAISE(const KeyBytes bytes, KeyBytes::Make(right.left_column, left_keys));
  arrow::Int64Builder places(pool);
  ARROW_RETURN_NOT_OK(places.Reserve(left_keys.length()));
  for (int64_t row = 0; row < left_keys.length(); ++row) {
    const auto found = left_keys.IsValid(row) ? right.rows.find(bytes.At(row)) : right.rows.end();
    if (found == right.rows.end()) {
      places.UnsafeAppendNull();
    } else {
      places.UnsafeAppend(found->second);
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto indices, places.Finish());
  arrow::compute::ExecContext context(pool);
  arrow::ArrayVector columns;
  for (int i = 0; i < right.values->num_columns(); ++i) {
    ARROW_ASSIGN_OR_RAISE(
        const auto taken,
        arrow::compute::Take(right.values->column(i), indices,
                             arrow::compute::TakeOptions::NoBoundsCheck(), &context));
    const auto& field = right.values->schema()->field(i);
    if (!field->nullable() && taken.null_count() > 0) {
      return arrow::Status::Invalid("column ", field->name(),
                                    " cannot be null, but a row of the table has no partner");
    }
    columns.push_back(taken.make_array());
  }
  return arrow::RecordBatch::Make(right.values->schema(), left_keys.length(), std::move(columns));
}

/// The position of the key on the right. \return Invalid, KeyError naming what does not fit
arrow::Result<int> FindRightKey(const arrow::Schema& right, const std::string& name,
                                const arrow::Field& left) {
  const int column = right.GetFieldIndex(name);
  if (column < 0) {
    return NotFoundError("column", name, "there is no column " + name + " on the right side");
  }
  const auto& type = right.field(column)->type();
  if (type->Equals(*left.type())) return column;
  return arrow::Status::Invalid("the keys differ: ", left.name(), " is ", left.type()->ToString(),
                                ", ", name, " is ", type->ToString(), "; allowed: the same type");
}

}  // namespace

arrow::Result<Dataset> MergeColumns(const Dataset& dataset, MergeColumnsRequest request,
                                    const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const Dataset::Impl& impl = dataset.impl();
  ARROW_RETURN_NOT_OK(CheckSchemaChangeable(impl));
  const RunContext run = impl.Run(call);
  ARROW_ASSIGN_OR_RAISE(const format::SchemaField* left,
                        ResolveColumn(impl.manifest().schema, request.left_on));
  const std::string left_on = left->name;
  const std::string right_on = request.right_on.empty() ? request.left_on : request.right_on;
  const arrow::Schema& schema = *request.right.schema();
  ARROW_ASSIGN_OR_RAISE(const int key,
                        FindRightKey(schema, right_on, *impl.schema->GetFieldByName(left_on)));
  ARROW_ASSIGN_OR_RAISE(const auto columns, schema.RemoveField(key));
  if (columns->num_fields() == 0) return dataset;
  ARROW_ASSIGN_OR_RAISE(const AddedColumns added, AddFields(impl.manifest(), *columns));
  ARROW_ASSIGN_OR_RAISE(const auto version,
                        format::ParseFileVersion(impl.manifest().data_storage_version));
  ARROW_ASSIGN_OR_RAISE(const auto tree, format::MakeFieldTree(added.added));
  bool are_nullable = true;
  for (const format::FieldNode& field : tree) {
    ARROW_RETURN_NOT_OK(format::CheckWritable(field, version));
    are_nullable = are_nullable && field.nullable;
  }
  ARROW_ASSIGN_OR_RAISE(const auto stored, format::ToArrowSchema(added.added));
  ARROW_ASSIGN_OR_RAISE(const auto right, LoadRight(request.right, key, stored, run));
  right->left_column = left_on;
  ARROW_ASSIGN_OR_RAISE(
      NewColumnFiles files,
      NewColumnFiles::Write(dataset,
                            {.schema = added.added,
                             .read_columns = {left_on},
                             .make =
                                 [&](const std::shared_ptr<arrow::RecordBatch>& rows) {
                                   return Join(*right, *rows->column(0), run);
                                 }},
                            call));
  table::Merge merge{
      .fragments = files.fragments(), .schema = added.whole, .preserves_nullability = are_nullable};
  return CommitSchemaChange(dataset, std::move(merge), {}, request.commit, &files, call);
}

}  // namespace lance
