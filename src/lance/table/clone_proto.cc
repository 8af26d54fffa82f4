#include "lance/table/clone_proto.h"

#include "lance/table/wire_proto.h"

namespace lance::table {
namespace {

constexpr uint32_t kCloneField = 113;

}  // namespace

arrow::Result<ForeignOperation> MakeCloneOperation(const CloneOperation& clone) {
  lance_pb::table::Clone message;
  message.set_is_shallow(clone.is_shallow);
  if (clone.ref_name) message.set_ref_name(*clone.ref_name);
  message.set_ref_version(clone.ref_version);
  message.set_ref_path(clone.ref_path);
  if (clone.branch_name) message.set_branch_name(*clone.branch_name);
  ForeignOperation operation{.field_number = kCloneField, .name = "Clone"};
  ARROW_ASSIGN_OR_RAISE(operation.bytes, SerializeMessage(message, "Clone"));
  return operation;
}

arrow::Result<std::optional<CloneOperation>> ParseCloneOperation(const Operation& operation) {
  const auto* foreign = std::get_if<ForeignOperation>(&operation);
  if (foreign == nullptr || foreign->field_number != kCloneField) return std::nullopt;
  lance_pb::table::Clone message;
  ARROW_RETURN_NOT_OK(ParseMessage(foreign->bytes, "Clone", &message));
  CloneOperation clone{.is_shallow = message.is_shallow(),
                       .ref_version = message.ref_version(),
                       .ref_path = message.ref_path()};
  if (message.has_ref_name()) clone.ref_name = message.ref_name();
  if (message.has_branch_name()) clone.branch_name = message.branch_name();
  return clone;
}

}  // namespace lance::table
