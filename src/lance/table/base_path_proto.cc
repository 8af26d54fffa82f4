#include "lance/table/base_path_proto.h"

#include "lance/table/wire_proto.h"

namespace lance::table {

arrow::Result<BasePath> ParseBasePath(const lance_pb::table::BasePath& message) {
  ARROW_RETURN_NOT_OK(CheckText(message.name(), "base path name"));
  ARROW_RETURN_NOT_OK(CheckText(message.path(), "base path"));
  BasePath base{.id = message.id(),
                .is_dataset_root = message.is_dataset_root(),
                .path = message.path(),
                .unknown_fields = TakeUnknownFields(message)};
  if (message.has_name()) base.name = message.name();
  return base;
}

void WriteBasePath(const BasePath& base, lance_pb::table::BasePath* message) {
  message->set_id(base.id);
  if (base.name) message->set_name(*base.name);
  message->set_is_dataset_root(base.is_dataset_root);
  message->set_path(base.path);
  PutUnknownFields(base.unknown_fields, message);
}

}  // namespace lance::table
