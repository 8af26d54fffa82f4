#include "lance/stored_operation.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/type.h"
#include "arrow_objects.h"
#include "fragments.h"
#include "interrupt.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

nb::object DescribeMap(const StoredMapUpdate& map) {
  nb::dict updates;
  for (const auto& [key, value] : map.updates) updates[nb::cast(key)] = nb::cast(value);
  return nb::make_tuple(updates, map.replace);
}

nb::object DescribeMap(const std::optional<StoredMapUpdate>& map) {
  return map ? DescribeMap(*map) : nb::none();
}

nb::list DescribeSegments(const std::vector<IndexSegmentInfo>& segments) {
  nb::list descriptions;
  for (const IndexSegmentInfo& segment : segments) descriptions.append(Describe(segment));
  return descriptions;
}

nb::object DescribeSchema(const std::shared_ptr<arrow::Schema>& schema,
                          const std::vector<int32_t>& field_ids) {
  return nb::make_tuple(ArrowSchemaObject{schema}, field_ids);
}

/// The parts of each kind, in the order of the arguments of the Python class.
struct Describer {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(const AppendOperation& o) const {
    return nb::make_tuple(DescribeAll(o.fragments));
  }
  nb::object operator()(const OverwriteOperation& o) const {
    return nb::make_tuple(DescribeSchema(o.new_schema, o.field_ids), DescribeAll(o.fragments));
  }
  nb::object operator()(const DeleteOperation& o) const {
    return nb::make_tuple(DescribeAll(o.updated_fragments), o.deleted_fragment_ids, o.predicate);
  }
  nb::object operator()(const UpdateOperation& o) const {
    const char* const mode =
        o.update_mode == UpdateMode::kRewriteRows ? "rewrite_rows" : "rewrite_columns";
    return nb::make_tuple(o.removed_fragment_ids, DescribeAll(o.updated_fragments),
                          DescribeAll(o.new_fragments), o.fields_modified,
                          o.fields_for_preserving_frag_bitmap, mode);
  }
  nb::object operator()(const MergeOperation& o) const {
    return nb::make_tuple(DescribeAll(o.fragments), DescribeSchema(o.schema, o.field_ids));
  }
  nb::object operator()(const ProjectOperation& o) const {
    return nb::make_tuple(DescribeSchema(o.schema, o.field_ids));
  }
  nb::object operator()(const RestoreOperation& o) const { return nb::make_tuple(o.version); }
  nb::object operator()(const RewriteOperation& o) const {
    nb::list groups;
    for (const RewriteGroup& group : o.groups) {
      groups.append(
          nb::make_tuple(DescribeAll(group.old_fragments), DescribeAll(group.new_fragments)));
    }
    return nb::make_tuple(groups);
  }
  nb::object operator()(const StoredConfigUpdate& o) const {
    nb::dict fields;
    for (const auto& [id, map] : o.field_metadata) fields[nb::int_(id)] = DescribeMap(map);
    return nb::make_tuple(DescribeMap(o.config), DescribeMap(o.table_metadata),
                          DescribeMap(o.schema_metadata), fields);
  }
  nb::object operator()(const UpdateBasesOperation& o) const {
    return nb::make_tuple(DescribeAll(o.new_bases));
  }
  nb::object operator()(const DataReplacementOperation& o) const {
    nb::list groups;
    for (const DataReplacementGroup& group : o.replacements) {
      groups.append(nb::make_tuple(group.fragment_id, Describe(group.new_file)));
    }
    return nb::make_tuple(groups);
  }
  nb::object operator()(const CreateIndexOperation& o) const {
    return nb::make_tuple(DescribeSegments(o.new_indices), DescribeSegments(o.removed_indices));
  }
};

}  // namespace

nb::dict Describe(const IndexSegmentInfo& segment) {
  nb::dict description;
  nb::list files;
  for (const IndexFileInfo& file : segment.files) {
    files.append(nb::make_tuple(file.path, file.size_bytes));
  }
  std::optional<int64_t> created_at_ms;
  if (segment.created_at) {
    created_at_ms = std::chrono::floor<std::chrono::milliseconds>(*segment.created_at)
                        .time_since_epoch()
                        .count();
  }
  description["uuid"] = segment.uuid;
  description["name"] = segment.name;
  description["fields"] = segment.field_ids;
  description["dataset_version"] = segment.dataset_version;
  description["fragment_ids"] = nb::cast(segment.fragment_ids);
  description["index_version"] = nb::cast(segment.index_version);
  description["created_at_ms"] = nb::cast(created_at_ms);
  description["base_id"] = nb::cast(segment.base_id);
  description["files"] = files;
  description["details_type_url"] = segment.details_type_url;
  description["details_value"] = BytesOf(segment.details_value);
  description["covering_fields"] = segment.covering_field_ids;
  return description;
}

nb::list DescribeAll(const std::vector<DatasetBasePath>& bases) {
  nb::list descriptions;
  for (const DatasetBasePath& base : bases) {
    nb::dict description;
    description["path"] = base.path;
    description["name"] = nb::cast(base.name);
    description["is_dataset_root"] = base.is_dataset_root;
    description["id"] = base.id;
    descriptions.append(description);
  }
  return descriptions;
}

void BindStoredOperation(nb::module_& m) {
  m.def("describe_operation", [](const Transaction& transaction) {
    return std::visit(Describer{}, ValueOrThrow(OperationOf(transaction)));
  });
}

}  // namespace lance::python
