#include "lance/transaction.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/status.h"
#include "arrow/type.h"
#include "arrow_objects.h"
#include "bindings.h"
#include "fragments.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/file_operations.h"
#include "lance/write_fragments.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

using Ids = std::vector<uint64_t>;
using FieldIdList = std::vector<int32_t>;

Transaction MakeAppend(const Dataset& dataset, nb::handle fragments) {
  return ValueOrThrow(MakeAppendTransaction(dataset, {.fragments = FragmentsOf(fragments)}));
}

Transaction MakeOverwrite(const Dataset& dataset, nb::handle schema, FieldIdList field_ids,
                          nb::handle fragments) {
  return ValueOrThrow(MakeOverwriteTransaction(dataset, {.new_schema = ImportSchema(schema),
                                                         .fragments = FragmentsOf(fragments),
                                                         .field_ids = std::move(field_ids)}));
}

Transaction MakeDelete(const Dataset& dataset, nb::handle updated, nb::handle deleted_ids,
                       nb::handle predicate) {
  return ValueOrThrow(MakeDeleteTransaction(
      dataset, {.updated_fragments = FragmentsOf(updated),
                .deleted_fragment_ids = Keywords::ValueOf<Ids>("deleted_fragment_ids", deleted_ids),
                .predicate = Keywords::ValueOf<std::string>("predicate", predicate)}));
}

Transaction MakeUpdate(const Dataset& dataset, nb::kwargs arguments) {
  UpdateOperation operation;
  std::string mode;
  operation.updated_fragments = FragmentsOf(arguments["updated_fragments"]);
  operation.new_fragments = FragmentsOf(arguments["new_fragments"]);
  operation.removed_fragment_ids =
      Keywords::ValueOf<Ids>("removed_fragment_ids", arguments["removed_fragment_ids"]);
  operation.fields_modified =
      Keywords::ValueOf<FieldIdList>("fields_modified", arguments["fields_modified"]);
  operation.fields_for_preserving_frag_bitmap = Keywords::ValueOf<FieldIdList>(
      "fields_for_preserving_frag_bitmap", arguments["fields_for_preserving_frag_bitmap"]);
  if (nb::cast<bool>(arguments["rewrites_columns"])) {
    operation.update_mode = UpdateMode::kRewriteColumns;
  }
  return ValueOrThrow(MakeUpdateTransaction(dataset, std::move(operation)));
}

Transaction MakeMerge(const Dataset& dataset, nb::handle schema, FieldIdList field_ids,
                      nb::handle fragments) {
  return ValueOrThrow(MakeMergeTransaction(dataset, {.fragments = FragmentsOf(fragments),
                                                     .schema = ImportSchema(schema),
                                                     .field_ids = std::move(field_ids)}));
}

Transaction MakeProject(const Dataset& dataset, nb::handle schema, FieldIdList field_ids) {
  return ValueOrThrow(MakeProjectTransaction(
      dataset, {.schema = ImportSchema(schema), .field_ids = std::move(field_ids)}));
}

Transaction MakeRestore(const Dataset& dataset, nb::handle version) {
  return ValueOrThrow(MakeRestoreTransaction(
      dataset, {.version = Keywords::ValueOf<uint64_t>("version", version)}));
}

/// \param groups pairs of old and new fragments
Transaction MakeRewrite(const Dataset& dataset, nb::list groups) {
  RewriteOperation operation;
  for (const nb::handle group : groups) {
    operation.groups.push_back(
        {.old_fragments = FragmentsOf(group[0]), .new_fragments = FragmentsOf(group[1])});
  }
  return ValueOrThrow(MakeRewriteTransaction(dataset, std::move(operation)));
}

/// \param replacements pairs of a fragment id and a data file
Transaction MakeDataReplacement(const Dataset& dataset, nb::list replacements) {
  DataReplacementOperation operation;
  for (const nb::handle group : replacements) {
    operation.replacements.push_back(
        {.fragment_id = Keywords::ValueOf<uint64_t>("fragment_id", group[0]),
         .new_file = DataFileOf(group[1])});
  }
  return ValueOrThrow(MakeDataReplacementTransaction(dataset, operation));
}

Transaction MakeUpdateBases(const Dataset& dataset, nb::handle bases) {
  return ValueOrThrow(MakeUpdateBasesTransaction(dataset, {.new_bases = BasesOf(bases)}));
}

/// \param updates target, path of a column or "", entries, whether they replace all
Transaction MakeUpdateConfig(const Dataset& dataset, nb::list updates) {
  UpdateConfigOperation operation;
  for (const nb::handle update : updates) {
    operation.updates.push_back(
        {.target = MetadataTargetOf(Keywords::ValueOf<std::string>("target", update[0])),
         .column = Keywords::ValueOf<std::string>("column", update[1]),
         .values = Keywords::ValueOf<std::map<std::string, std::optional<std::string>>>("updates",
                                                                                        update[2]),
         .replace = Keywords::ValueOf<bool>("replace", update[3])});
  }
  return ValueOrThrow(MakeUpdateConfigTransaction(dataset, operation));
}

IndexSegmentInfo SegmentOf(nb::handle description) {
  IndexSegmentInfo segment;
  const nb::dict given = nb::cast<nb::dict>(description.attr("copy")());
  segment.details_value = TakeBytes("details_value", given.attr("pop")("details_value"));
  const nb::object files = given.attr("pop")("files");
  for (const nb::handle file : files) {
    segment.files.push_back({.path = Keywords::ValueOf<std::string>("path", file[0]),
                             .size_bytes = Keywords::ValueOf<uint64_t>("size_bytes", file[1])});
  }
  const nb::object created = given.attr("pop")("created_at_ms");
  if (!created.is_none()) {
    segment.created_at = Timestamp(std::chrono::milliseconds(nb::cast<int64_t>(created)));
  }
  std::optional<int> index_version;
  KeywordsOf("index", given)
      .Take("uuid", &segment.uuid)
      .Take("name", &segment.name)
      .Take("fields", &segment.field_ids)
      .Take("dataset_version", &segment.dataset_version)
      .Take("fragment_ids", &segment.fragment_ids)
      .Take("index_version", &index_version)
      .Take("base_id", &segment.base_id)
      .Take("details_type_url", &segment.details_type_url)
      .Take("covering_fields", &segment.covering_field_ids)
      .Finish();
  segment.index_version = index_version;
  return segment;
}

std::vector<IndexSegmentInfo> SegmentsOf(nb::handle descriptions) {
  std::vector<IndexSegmentInfo> segments;
  for (const nb::handle description : descriptions) segments.push_back(SegmentOf(description));
  return segments;
}

nb::list DescribeSegments(const Dataset& dataset) {
  nb::list descriptions;
  for (const IndexSegmentInfo& segment : ValueOrThrow(IndexSegments(dataset))) {
    descriptions.append(Describe(segment));
  }
  return descriptions;
}

Transaction MakeCreateIndex(const Dataset& dataset, nb::handle added, nb::handle removed) {
  return ValueOrThrow(MakeCreateIndexTransaction(
      dataset, {.new_indices = SegmentsOf(added), .removed_indices = SegmentsOf(removed)}));
}

Dataset Commit(const Dataset& dataset, const Transaction& transaction, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  CommitOptions options = TakeRetryOptions(&keywords);
  keywords.Take("detached", &options.detached).Finish();
  return Run([&](const CallOptions& call) {
    return CommitTransaction(dataset, transaction, options, call);
  });
}

Dataset Create(nb::handle uri, nb::handle schema, nb::handle fragments, nb::handle uuid,
               nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  CommitFragmentsRequest request;
  for (FragmentMetadata& fragment : FragmentsOf(fragments)) {
    request.fragments.push_back({std::move(fragment)});
  }
  if (!uuid.is_none()) {
    request.transaction_uuid = Keywords::ValueOf<std::string>("uuid", uuid);
  }
  const auto place = Keywords::ValueOf<std::string>("uri", uri);
  const auto columns = ImportSchema(schema);
  const OpenOptions open = TakeOpenOptions(&keywords, nullptr);
  CommitOptions commit = TakeRetryOptions(&keywords);
  request.options = TakeWriteOptions(&keywords);
  request.options.commit = std::move(commit);
  keywords.Finish();
  return Run([&](const CallOptions& call) {
    return CreateFromFragments(place, columns, request, open, call);
  });
}

void BindMakers(nb::module_& m) {
  m.def("append_transaction", &MakeAppend);
  m.def("overwrite_transaction", &MakeOverwrite);
  m.def("delete_transaction", &MakeDelete);
  m.def("update_transaction", &MakeUpdate);
  m.def("merge_transaction", &MakeMerge);
  m.def("project_transaction", &MakeProject);
  m.def("restore_transaction", &MakeRestore);
  m.def("rewrite_transaction", &MakeRewrite);
  m.def("data_replacement_transaction", &MakeDataReplacement);
  m.def("update_bases_transaction", &MakeUpdateBases);
  m.def("update_config_transaction", &MakeUpdateConfig);
  m.def("create_index_transaction", &MakeCreateIndex);
}

}  // namespace

void BindTransaction(nb::module_& m) {
  nb::class_<Transaction>(m, "Transaction")
      .def_prop_ro("read_version", &Transaction::read_version)
      .def_prop_ro("uuid", &Transaction::uuid)
      .def_prop_ro("operation", &Transaction::operation)
      .def_prop_ro("properties", &Transaction::properties)
      .def("serialize",
           [](const Transaction& self) { return BytesOf(ValueOrThrow(self.Serialize())); })
      .def("__getstate__",
           [](const Transaction& self) { return BytesOf(ValueOrThrow(self.Serialize())); })
      .def("__setstate__",
           [](Transaction& self, nb::bytes state) {
             new (&self) Transaction(ValueOrThrow(Transaction::Parse(TakeBytes("state", state))));
           })
      .def_static("parse",
                  [](nb::handle bytes) {
                    return ValueOrThrow(Transaction::Parse(TakeBytes("transaction", bytes)));
                  })
      .def("with_uuid", [](const Transaction& self, nb::handle uuid) {
        return ValueOrThrow(self.WithUuid(Keywords::ValueOf<std::string>("uuid", uuid)));
      });
  BindMakers(m);
  BindStoredOperation(m);
  m.def("field_ids", &FieldIds);
  m.def("max_field_id", &MaxFieldId);
  m.def("base_paths", [](const Dataset& dataset) { return DescribeAll(BasePaths(dataset)); });
  m.def("index_segments", &DescribeSegments);
  m.def("commit_transaction", &Commit, nb::arg("dataset"), nb::arg("transaction"),
        nb::arg("options"));
  m.def("create_from_fragments", &Create, nb::arg("uri"), nb::arg("schema"), nb::arg("fragments"),
        nb::arg("uuid").none(), nb::arg("options"));
}

}  // namespace lance::python
