// A file descriptor: schema and row count. What was parsed survives being written again.

#include "arrow/api.h"
#include "fuzz/mutate_message.h"
#include "fuzz/target.h"
#include "lance/base/byte_reader.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/field_tree.h"
#include "lance/format/projection.h"
#include "lance_file.pb.h"

namespace lance::fuzz {
namespace {

void MutateDescriptor(std::string* input, size_t max_size, uint64_t seed,
                      const ByteMutator& mutate_bytes) {
  testing::SeededRandom random(seed);
  MutateSerialized(lance_pb::file::FileDescriptor::default_instance(), max_size, &random,
                   mutate_bytes, input);
}

void UseTree(const format::LanceSchema& schema) {
  const auto arrow_schema = format::ToArrowSchema(schema);
  const auto fields = format::MakeFieldTree(schema);
  LANCE_FUZZ_CHECK(arrow_schema.ok() == fields.ok(), "trees and Arrow schemas agree");
  if (!fields.ok()) return;
  for (const format::FieldNode& field : *fields) {
    LANCE_FUZZ_CHECK(!field.type->ToString().empty(), "types have names");
    (void)format::ProjectFields(*fields, {field.name});
    (void)format::WithTypeOfChildren(field);
  }
  // Field names of files may be such that our writer refuses them.
  (void)format::MakeLanceSchema(**arrow_schema);
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(schema) {
  lance::format::DataFileMetadata file;
  if (!lance::format::ParseDescriptor(input, &file).ok()) return;
  lance::fuzz::UseTree(file.schema);
  const std::string written = lance::format::SerializeDescriptor(file.schema, file.num_rows);
  lance::format::DataFileMetadata again;
  const auto status = lance::format::ParseDescriptor(lance::AsBytes(written), &again);
  LANCE_FUZZ_CHECK(status.ok(), status.ToString());
  LANCE_FUZZ_CHECK(again.num_rows == file.num_rows, "the row count survives");
  const std::string twice = lance::format::SerializeDescriptor(again.schema, again.num_rows);
  LANCE_FUZZ_CHECK(twice == written, "the schema survives");
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutateDescriptor);
