#include "lance/dataset/output_columns.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/blobs.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/narrow.h"
#include "lance/format/projection.h"

namespace lance {

namespace {

using format::FieldNode;

/// The stored columns that were asked for.
std::vector<std::string> StoredNames(const ScanOptions& options, const arrow::Schema& schema) {
  if (options.columns.empty() && options.computed_columns.empty()) return schema.field_names();
  return options.columns;
}

/// The system columns that are switched on, but for those whose names are taken.
std::vector<std::string> SwitchedOnNames(const ScanOptions& options) {
  std::vector<std::string> names;
  const auto add = [&](bool is_wanted, SystemColumn column) {
    const std::string_view name = NameOf(column);
    const auto& computed = options.computed_columns;
    if (!is_wanted || std::ranges::find(options.columns, name) != options.columns.end() ||
        std::ranges::find(computed, name, &ComputedColumn::name) != computed.end()) {
      return;
    }
    names.emplace_back(name);
  };
  add(options.with_row_id, SystemColumn::kRowId);
  add(options.with_row_address, SystemColumn::kRowAddress);
  return names;
}

bool IsPath(const std::string& name) { return name.find_first_of(".`") != std::string::npos; }

/// The fields from a top-level one down to a field, in this order.
std::vector<const format::SchemaField*> LineOf(const format::LanceSchema& schema,
                                               const format::SchemaField* field) {
  std::vector<const format::SchemaField*> line = {field};
  while (line.back()->parent_id != -1) line.push_back(schema.FindById(line.back()->parent_id));
  std::ranges::reverse(line);
  return line;
}

/// \pre it is there
const FieldNode* ChildOf(const FieldNode& node, int32_t id) {
  return &*std::ranges::find(node.children, id, &FieldNode::id);
}

/// A field of the table by name or path: the top-level one, and those from there down to it.
struct FoundField {
  const FieldNode* top = nullptr;
  std::vector<const FieldNode*> below;  // empty: the top-level field itself

  int32_t id() const { return below.empty() ? top->id : below.back()->id; }
};

/// Whether some of the fields below a field can be read without the others, or taken out of it.
bool HasParts(const FieldNode& node, MemberShape shape) {
  switch (node.kind) {
    case format::FieldKind::kStruct:
    case format::FieldKind::kPackedStruct:
      return true;
    case format::FieldKind::kList:
    case format::FieldKind::kFixedSizeListOfStruct:
      return shape == MemberShape::kNested;
    default:
      return false;
  }
}

arrow::Result<FoundField> FindField(const Dataset::Impl& dataset, const std::string& name,
                                    MemberShape shape) {
  const format::LanceSchema& schema = dataset.manifest().schema;
  ARROW_ASSIGN_OR_RAISE(const auto* field, IsPath(name) ? ResolveFieldPath(schema, name)
                                                        : ResolveColumn(schema, name));
  const auto line = LineOf(schema, field);
  FoundField found{.top = dataset.FindField(line.front()->id)};
  const FieldNode* node = found.top;
  for (size_t i = 1; i < line.size(); ++i) {
    if (!HasParts(*node, shape)) {
      return arrow::Status::Invalid("column ", name, " leads through ", node->name, " of type ",
                                    node->type->ToString(), "; allowed: members of structs",
                                    shape == MemberShape::kNested ? " and lists" : "");
    }
    node = ChildOf(*node, line[i]->id);
    found.below.push_back(node);
  }
  return found;
}

/// The Arrow field of a member as a column: it is null where a struct above it is.
std::shared_ptr<arrow::Field> MemberField(const OutputColumn& column, BlobForm form,
                                          const std::string& name) {
  const FieldNode* node = column.field.get();
  bool is_nullable = node->nullable;
  for (const std::string& member : column.path) {
    node = &*std::ranges::find(node->children, member, &FieldNode::name);
    is_nullable = is_nullable || node->nullable;
  }
  const auto field = format::ToArrowField(WithBlobForm(*column.part, form));
  return field->WithName(name)->WithNullable(is_nullable);
}

/// Builds the columns of one scan. Borrows everything.
class OutputBuilder {
 public:
  OutputBuilder(const Dataset::Impl& dataset, const ScanOptions& options, MemberShape shape)
      : dataset_(dataset),
        form_(options.blob_handling == BlobHandling::kBinary ? BlobForm::kPayloads
                                                             : BlobForm::kDescriptors),
        shape_(shape) {}

  arrow::Status Add(const std::string& name) {
    if (shape_ == MemberShape::kNested && !FindSystemColumn(dataset_.manifest().schema, name)) {
      return AddNested(name);
    }
    ARROW_ASSIGN_OR_RAISE(OutputColumn column, FindOutputColumn(dataset_, name));
    if (column.system) {
      fields_.push_back(arrow::field(name, arrow::uint64()));
    } else {
      fields_.push_back(
          MemberField(column, form_, IsPath(name) && !IsTopLevel(name) ? name : column.part->name));
    }
    columns_.push_back(std::move(column));
    return arrow::Status::OK();
  }

  arrow::Status Add(const ComputedColumn& column) {
    auto made =
        filter::ValueExpression::Make(column.expression, dataset_.manifest().schema, nullptr);
    if (!made.ok()) return WithContext(made.status(), "computed column " + column.name);
    fields_.push_back(arrow::field(column.name, made->type()));
    OutputColumn computed;
    computed.computed = std::make_shared<const filter::ValueExpression>(*std::move(made));
    columns_.push_back(std::move(computed));
    return arrow::Status::OK();
  }

  OutputColumns Finish() && {
    for (const auto& [place, ids] : nested_) SetNested(place, ids);
    return {std::move(columns_), arrow::schema(std::move(fields_), dataset_.schema->metadata())};
  }

 private:
  bool IsTopLevel(const std::string& name) const {
    return dataset_.manifest().schema.FindTopLevel(name) != nullptr;
  }

  /// Members of one field come out in one struct, where the first of them stands.
  arrow::Status AddNested(const std::string& name) {
    ARROW_ASSIGN_OR_RAISE(const FoundField found, FindField(dataset_, name, MemberShape::kNested));
    const auto is_same = [&](const OutputColumn& column) {
      return column.field != nullptr && column.field->id == found.top->id;
    };
    const auto same = std::ranges::find_if(columns_, is_same);
    const auto place = static_cast<size_t>(same - columns_.begin());
    nested_[place].insert(found.id());
    if (same != columns_.end()) return arrow::Status::OK();
    OutputColumn& column = columns_.emplace_back();
    column.field = std::make_shared<const FieldNode>(*found.top);
    fields_.push_back(nullptr);
    return arrow::Status::OK();
  }

  void SetNested(size_t place, const std::set<int32_t>& ids) {
    OutputColumn& column = columns_[place];
    column.field = std::make_shared<const FieldNode>(format::KeepFields(*column.field, ids));
    column.part = column.field.get();
    column.used_ids = ids;
    fields_[place] = format::ToArrowField(WithBlobForm(*column.part, form_));
  }

  const Dataset::Impl& dataset_;
  BlobForm form_;
  MemberShape shape_;
  std::vector<OutputColumn> columns_;
  arrow::FieldVector fields_;
  std::map<size_t, std::set<int32_t>> nested_;  // by the place of the column: what is kept of it
};

/// A column that comes out twice could not be told apart by name.
arrow::Status CheckNames(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    if (schema.GetAllFieldIndices(field->name()).size() == 1) continue;
    return arrow::Status::Invalid("column ", field->name(),
                                  " comes out of the scan twice; allowed: once");
  }
  return arrow::Status::OK();
}

/// Add the system columns that expressions use, each once.
arrow::Status AddSystemColumns(const format::LanceSchema& schema,
                               const std::vector<OutputColumn>& columns, const RowRanges& rows,
                               const ReadSystemColumn& read_system,
                               std::shared_ptr<arrow::RecordBatch>* sources) {
  std::set<std::string> read_names;
  for (const OutputColumn& column : columns) {
    if (column.computed == nullptr) continue;
    for (const std::string& name : column.computed->column_names()) {
      const auto system = FindSystemColumn(schema, name);
      if (!system || !read_names.insert(name).second) continue;
      ARROW_ASSIGN_OR_RAISE(auto numbers, read_system(*system, rows));
      ARROW_ASSIGN_OR_RAISE(
          *sources, (*sources)->AddColumn((*sources)->num_columns(), name, std::move(numbers)));
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<OutputColumn> FindOutputColumn(const Dataset::Impl& dataset,
                                             const std::string& name) {
  OutputColumn column;
  column.system = FindSystemColumn(dataset.manifest().schema, name);
  if (column.system) return column;
  ARROW_ASSIGN_OR_RAISE(const FoundField found, FindField(dataset, name, MemberShape::kColumns));
  column.used_ids = {found.id()};
  column.field = std::make_shared<const FieldNode>(format::KeepFields(*found.top, column.used_ids));
  column.part = column.field.get();
  for (const FieldNode* node : found.below) {
    column.path.push_back(node->name);
    column.part = ChildOf(*column.part, node->id);
  }
  return column;
}

arrow::Result<OutputColumns> FindOutputColumns(const Dataset::Impl& dataset,
                                               const ScanOptions& options, MemberShape shape) {
  OutputBuilder output(dataset, options, shape);
  for (const std::string& name : StoredNames(options, *dataset.schema)) {
    ARROW_RETURN_NOT_OK(output.Add(name));
  }
  for (const ComputedColumn& column : options.computed_columns) {
    ARROW_RETURN_NOT_OK(output.Add(column));
  }
  for (const std::string& name : SwitchedOnNames(options)) ARROW_RETURN_NOT_OK(output.Add(name));
  OutputColumns found = std::move(output).Finish();
  ARROW_RETURN_NOT_OK(CheckNames(*found.schema));
  return found;
}

std::vector<FieldNode> SourcesOf(const Dataset::Impl& dataset,
                                 const std::vector<OutputColumn>& columns) {
  std::vector<int32_t> order;
  std::map<int32_t, std::set<int32_t>> used;
  const auto use = [&](int32_t field_id, const std::set<int32_t>& ids) {
    const auto [found, is_new] = used.try_emplace(field_id);
    if (is_new) order.push_back(field_id);
    found->second.insert(ids.begin(), ids.end());
  };
  for (const OutputColumn& column : columns) {
    if (column.field != nullptr) use(column.field->id, column.used_ids);
    if (column.computed == nullptr) continue;
    for (const filter::FilterColumn& used_column : column.computed->columns()) {
      if (used_column.field_id >= 0) use(used_column.field_id, used_column.used_ids);
    }
  }
  std::vector<FieldNode> sources;
  for (const int32_t field_id : order) {
    sources.push_back(format::KeepFields(*dataset.FindField(field_id), used.at(field_id)));
  }
  return sources;
}

arrow::Result<arrow::ArrayVector> MakeOutput(const Dataset::Impl& dataset,
                                             const std::vector<OutputColumn>& columns,
                                             std::shared_ptr<arrow::RecordBatch> sources,
                                             const RowRanges& rows,
                                             const ReadSystemColumn& read_system) {
  ARROW_RETURN_NOT_OK(
      AddSystemColumns(dataset.manifest().schema, columns, rows, read_system, &sources));
  arrow::ArrayVector output;
  for (const OutputColumn& column : columns) {
    std::shared_ptr<arrow::Array> values;
    if (column.system) {
      ARROW_ASSIGN_OR_RAISE(values, read_system(*column.system, rows));
    } else if (column.computed != nullptr) {
      ARROW_ASSIGN_OR_RAISE(values, column.computed->Evaluate(*sources));
    } else {
      values = sources->GetColumnByName(column.field->name);
      if (HoldsMembersOf(*values->type(), *column.field->type)) {
        values = NarrowTo(values, column.field->type);  // another column needs more of it
      }
      ARROW_ASSIGN_OR_RAISE(values, MemberOf(std::move(values), column.path));
    }
    output.push_back(std::move(values));
  }
  return output;
}

}  // namespace lance
