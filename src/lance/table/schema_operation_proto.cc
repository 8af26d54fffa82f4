#include "lance/table/schema_operation_proto.h"

#include "lance/format/schema_proto.h"
#include "lance/table/base_path_proto.h"
#include "lance/table/fragment_proto.h"
#include "lance/table/wire_proto.h"

namespace lance::table {

namespace pb = lance_pb::table;

arrow::Result<Merge> ParseMerge(const pb::Merge& message) {
  Merge merge{.preserves_nullability = message.preserves_nullability(),
              .unknown_fields = TakeUnknownFields(message)};
  ARROW_ASSIGN_OR_RAISE(merge.fragments, ParseFragments(message.fragments()));
  ARROW_ASSIGN_OR_RAISE(merge.schema, format::ParseSchemaFields(message.schema()));
  ARROW_ASSIGN_OR_RAISE(merge.schema.metadata,
                        ParseBytesMap(message.schema_metadata(), "schema_metadata"));
  return merge;
}

void WriteMerge(const Merge& merge, pb::Merge* message) {
  WriteFragments(merge.fragments, message->mutable_fragments());
  format::AppendSchemaFields(merge.schema, message->mutable_schema());
  WriteTextMap(merge.schema.metadata, message->mutable_schema_metadata());
  message->set_preserves_nullability(merge.preserves_nullability);
  PutUnknownFields(merge.unknown_fields, message);
}

arrow::Result<Project> ParseProject(const pb::Project& message) {
  Project project{.preserves_nullability = message.preserves_nullability(),
                  .unknown_fields = TakeUnknownFields(message)};
  ARROW_ASSIGN_OR_RAISE(project.schema, format::ParseSchemaFields(message.schema()));
  return project;
}

void WriteProject(const Project& project, pb::Project* message) {
  format::AppendSchemaFields(project.schema, message->mutable_schema());
  message->set_preserves_nullability(project.preserves_nullability);
  PutUnknownFields(project.unknown_fields, message);
}

arrow::Result<Restore> ParseRestore(const pb::Restore& message) {
  return Restore{.version = message.version(), .unknown_fields = TakeUnknownFields(message)};
}

void WriteRestore(const Restore& restore, pb::Restore* message) {
  message->set_version(restore.version);
  PutUnknownFields(restore.unknown_fields, message);
}

arrow::Result<UpdateBases> ParseUpdateBases(const pb::UpdateBases& message) {
  UpdateBases update{.unknown_fields = TakeUnknownFields(message)};
  for (const auto& base : message.new_bases()) {
    ARROW_ASSIGN_OR_RAISE(update.new_bases.emplace_back(), ParseBasePath(base));
  }
  return update;
}

void WriteUpdateBases(const UpdateBases& update, pb::UpdateBases* message) {
  for (const BasePath& base : update.new_bases) WriteBasePath(base, message->add_new_bases());
  PutUnknownFields(update.unknown_fields, message);
}

}  // namespace lance::table
