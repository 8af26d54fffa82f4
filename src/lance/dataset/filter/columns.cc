#include "lance/dataset/filter/columns.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/near_names.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/filter_problem.h"
#include "lance/dataset/filter/lexer.h"
#include "lance/dataset/narrow.h"
#include "lance/dataset/system_column.h"
#include "lance/format/projection.h"

namespace lance::filter {

namespace {

using arrow::Status;
using arrow::StatusCode;
using format::SchemaField;

constexpr int32_t kNoField = -1;

/// Walks over one tree. Borrows everything; thread-compatible.
class Resolver {
 public:
  Resolver(std::string_view sql, const format::LanceSchema& schema) : sql_(sql), schema_(schema) {}

  std::vector<FilterColumn> Take() && {
    for (FilterColumn& column : columns_) Narrow(&column);
    return std::move(columns_);
  }

  Status Resolve(Expression* expression) {
    if (expression->kind == Expression::Kind::kColumn) {
      ARROW_RETURN_NOT_OK(ResolveColumn(expression));
      FilterColumn& column = ColumnOf(*expression);
      column.used_ids.insert(column.field_id);
      return Status::OK();
    }
    if (expression->kind == Expression::Kind::kField) return ResolveMember(expression);
    if (expression->kind == Expression::Kind::kLiteral) return CheckText(*expression);
    for (const ExpressionPtr& child : expression->children) {
      ARROW_RETURN_NOT_OK(Resolve(child.get()));
    }
    return Status::OK();
  }

 private:
  Status Problem(Span place, const std::string& message) const {
    return FilterProblem(StatusCode::Invalid, sql_, place, message);
  }

  /// In other dialects "x" is the column x; here it would compare with the word, silently.
  Status CheckText(const Expression& literal) const {
    const std::string& text = literal.literal.text;
    if (!literal.literal.double_quoted || schema_.FindTopLevel(text) == nullptr) {
      return Status::OK();
    }
    return Problem(literal.span, "found \"" + Shorten(text) + "\", which is a text here but also " +
                                     "the name of a column; write the column as " +
                                     Backticked(text) + " and the text as '" + Shorten(text) + "'");
  }

  static std::string Backticked(const std::string& name) {
    const std::string sql = CanonicalIdentifier(name);
    return sql.front() == '`' ? sql : "`" + sql + "`";
  }

  Status ResolveColumn(Expression* column) {
    const SchemaField* field = schema_.FindTopLevel(column->column);
    if (field == nullptr && !column->is_exact_name) {
      ARROW_ASSIGN_OR_RAISE(field, FindIgnoringCase(*column));
    }
    const auto system = FindSystemColumn(schema_, column->column);
    if (field == nullptr && system && *system != SystemColumn::kRowOffset) {
      column->column_index =
          IndexOf(SchemaField{.name = column->column, .id = kNoField, .logical_type = "uint64"});
      return Status::OK();
    }
    if (field == nullptr) return Unknown(*column);
    column->column = field->name;
    column->is_exact_name = !IsBareIdentifier(field->name);
    column->column_index = IndexOf(*field);
    return Status::OK();
  }

  arrow::Result<const SchemaField*> FindIgnoringCase(const Expression& column) const {
    const SchemaField* found = nullptr;
    for (const SchemaField& field : schema_.fields) {
      if (field.parent_id != -1 || !EqualsIgnoringCase(field.name, column.column)) continue;
      if (found != nullptr) {
        return Problem(column.span, "column " + Shorten(column.column) + " can be " +
                                        Backticked(found->name) + " or " + Backticked(field.name) +
                                        "; write the one you mean");
      }
      found = &field;
    }
    return found;
  }

  Status Unknown(const Expression& column) const {
    if (FindSystemColumn(schema_, column.column) == SystemColumn::kRowOffset) {
      return Problem(column.span,
                     "column _rowoffset can be scanned, not filtered by; _rowid and "
                     "_rowaddr can, and offset and limit of a scan count rows");
    }
    constexpr size_t kMostShown = 10;
    std::vector<std::string> names;
    for (const SchemaField& field : schema_.fields) {
      if (field.parent_id == -1) names.push_back(field.name);
    }
    std::vector<std::string> shown = NearNames(column.column, names);
    const char* const title = shown.empty() ? "; columns: " : "; near names: ";
    if (shown.empty()) shown = std::move(names);
    for (std::string& name : shown) name = CanonicalIdentifier(Shorten(name));
    return Problem(column.span, "there is no column " + Shorten(column.column) + title +
                                    ListNames(shown, kMostShown));
  }

  FilterColumn& ColumnOf(const Expression& column) {
    return columns_[static_cast<size_t>(column.column_index)];
  }

  /// A member of a column, or of a member of one: what is used of the column. Of other values, and
  /// where names do not fit, all is; the binder says what is wrong.
  Status ResolveMember(Expression* expression) {
    std::vector<const std::string*> names;  // from the inside out
    Expression* inner = expression;
    for (; inner->kind == Expression::Kind::kField; inner = inner->children[0].get()) {
      names.push_back(&inner->name);
    }
    if (inner->kind != Expression::Kind::kColumn) return Resolve(inner);
    ARROW_RETURN_NOT_OK(ResolveColumn(inner));
    FilterColumn& column = ColumnOf(*inner);
    const format::FieldNode* node = FindNode(column.field_id);
    for (auto name = names.rbegin(); node != nullptr && name != names.rend(); ++name) {
      node =
          node->kind == format::FieldKind::kStruct ? FindMember(node->children, **name) : nullptr;
    }
    column.used_ids.insert(node == nullptr ? column.field_id : node->id);
    return Status::OK();
  }

  static const format::FieldNode* FindMember(const std::vector<format::FieldNode>& members,
                                             const std::string& name) {
    const format::FieldNode* found = nullptr;
    for (const format::FieldNode& member : members) {
      if (member.name == name) return &member;
      if (!EqualsIgnoringCase(member.name, name)) continue;
      if (found != nullptr) return nullptr;
      found = &member;
    }
    return found;
  }

  /// A top-level field of the schema's tree. \return null when there is none
  const format::FieldNode* FindNode(int32_t field_id) {
    if (!has_tree_) {
      has_tree_ = true;
      auto tree = format::MakeFieldTree(schema_);
      if (tree.ok()) tree_ = *std::move(tree);
    }
    const auto node = std::ranges::find(tree_, field_id, &format::FieldNode::id);
    return node == tree_.end() ? nullptr : &*node;
  }

  void Narrow(FilterColumn* column) {
    if (column->type == nullptr || column->type->id() != arrow::Type::STRUCT) return;
    const format::FieldNode* whole = FindNode(column->field_id);
    if (whole == nullptr) return;
    column->field = std::make_shared<format::FieldNode>(
        column->is_whole() ? *whole : format::KeepFields(*whole, column->used_ids));
    column->type = column->field->type;
  }

  int IndexOf(const SchemaField& field) {
    const auto known =
        std::find_if(columns_.begin(), columns_.end(), [&field](const FilterColumn& column) {
          return column.field_id == field.id && column.name == field.name;
        });
    if (known != columns_.end()) return static_cast<int>(known - columns_.begin());
    columns_.push_back(
        FilterColumn{field.name, field.id, field.logical_type, TypeOf(field), {}, nullptr});
    return static_cast<int>(columns_.size()) - 1;
  }

  /// \return null for a type that cannot be read, which still has nulls that can be asked for
  std::shared_ptr<arrow::DataType> TypeOf(const SchemaField& field) {
    auto type = format::ParseLogicalType(field.logical_type);
    if (type.ok()) return *std::move(type);
    const format::FieldNode* node = FindNode(field.id);
    const bool is_nested = node != nullptr && (node->kind == format::FieldKind::kStruct ||
                                               node->kind == format::FieldKind::kList);
    return is_nested ? node->type : nullptr;
  }

  std::string_view sql_;
  const format::LanceSchema& schema_;
  std::vector<FilterColumn> columns_;
  bool has_tree_ = false;
  std::vector<format::FieldNode> tree_;  // empty, too, when the schema has types without one
};

}  // namespace

arrow::Result<std::vector<FilterColumn>> ResolveColumns(std::string_view sql,
                                                        const format::LanceSchema& schema,
                                                        Expression* expression) {
  Resolver resolver(sql, schema);
  ARROW_RETURN_NOT_OK(resolver.Resolve(expression));
  return std::move(resolver).Take();
}

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> ArraysOf(
    const std::vector<FilterColumn>& columns, const arrow::RecordBatch& batch) {
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const FilterColumn& column : columns) {
    auto array = batch.GetColumnByName(column.name);
    if (array == nullptr) {
      return arrow::Status::UnknownError("internal: the batch has no single column ", column.name,
                                         ", which the expression needs");
    }
    if (!column.is_whole() && column.field != nullptr &&
        HoldsMembersOf(*array->type(), *column.type)) {
      array = NarrowTo(array, column.type);
    }
    if (column.type != nullptr && !array->type()->Equals(*column.type)) {
      return arrow::Status::UnknownError("internal: column ", column.name, " has type ",
                                         array->type()->ToString(),
                                         ", the expression was made for ", column.type->ToString());
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace lance::filter
