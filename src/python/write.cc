#include "lance/write.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/record_batch.h"
#include "arrow/status.h"
#include "arrow_objects.h"
#include "bindings.h"
#include "fragments.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

WriteMode ModeOf(const std::string& mode) {
  if (mode == "create") return WriteMode::kCreate;
  if (mode == "append") return WriteMode::kAppend;
  if (mode == "overwrite") return WriteMode::kOverwrite;
  throw StatusError(
      arrow::Status::Invalid("mode is \"", mode, "\"; allowed: create, append, overwrite"));
}

/// How rows are sorted: `cluster_by` and `declare` as write_dataset has them.
void TakeClustering(Keywords* keywords, InsertBuilder* builder) {
  std::vector<std::string> columns;
  bool keep_order = false, declare = false;
  keywords->Take("cluster_by", &columns).Take("keep_order", &keep_order).Take("declare", &declare);
  if (keep_order) builder->WithoutClustering();
  if (declare) {
    ClusteringRequest request;
    request.columns = std::move(columns);
    builder->WithClustering(std::move(request));
  } else if (!columns.empty()) {
    builder->WithClusterByColumns(std::move(columns));
  }
}

/// \return the dataset, and docs/guide/json.md "write_result"
std::pair<Dataset, std::string> Insert(InsertBuilder builder, nb::handle stream,
                                       const std::string& mode, nb::object observer,
                                       Keywords* keywords) {
  builder.WithMode(ModeOf(mode)).WithOptions(TakeWriteOptions(keywords));
  TakeClustering(keywords, &builder);
  std::map<std::string, std::string> config;
  keywords->Take("config", &config);
  if (!config.empty()) builder.WithMaps(std::move(config), {});
  keywords->Finish();
  const std::shared_ptr<Observer> watching = MakeObserver(std::move(observer));
  const BatchSource source(ImportStream(stream));
  WriteResult result = Run([&](CallOptions call) {
    call.observer = watching;
    return builder.Execute(source, call);
  });
  std::string text = ToJson(result);
  return {std::move(result.dataset), std::move(text)};
}

}  // namespace

WriteOptions TakeWriteOptions(Keywords* keywords) {
  WriteOptions options;
  keywords->Take("max_rows_per_file", &options.max_rows_per_file)
      .Take("max_bytes_per_file", &options.max_bytes_per_file)
      .Take("max_page_bytes", &options.max_page_bytes)
      .Take("data_storage_version", &options.data_storage_version)
      .Take("enable_v2_manifest_paths", &options.enable_v2_manifest_paths)
      .Take("enable_stable_row_ids", &options.enable_stable_row_ids)
      .Take("target_bases", &options.target_bases)
      .Take("target_all_bases", &options.target_all_bases);
  options.initial_bases = BasesOf(keywords->Pop("initial_bases"));
  options.commit = TakeCommitOptions(keywords);
  return options;
}

void BindWrite(nb::module_& m) {
  m.def(
      "write_to_uri",
      [](nb::handle uri, nb::handle stream, const std::string& mode,
         std::shared_ptr<Session> session, nb::object observer, nb::kwargs arguments) {
        Keywords keywords(std::move(arguments));
        InsertBuilder builder(Keywords::ValueOf<std::string>("uri", uri));
        builder.WithOpenOptions(TakeOpenOptions(&keywords, std::move(session)));
        return Insert(std::move(builder), stream, mode, std::move(observer), &keywords);
      },
      nb::arg("uri"), nb::arg("stream"), nb::arg("mode"), nb::arg("session").none(),
      nb::arg("observer").none(), nb::arg("options"));
  m.def(
      "write_to_dataset",
      [](const Dataset& dataset, nb::handle stream, const std::string& mode, nb::object observer,
         nb::kwargs arguments) {
        Keywords keywords(std::move(arguments));
        return Insert(InsertBuilder(dataset), stream, mode, std::move(observer), &keywords);
      },
      nb::arg("dataset"), nb::arg("stream"), nb::arg("mode"), nb::arg("observer").none(),
      nb::arg("options"));
}

}  // namespace lance::python
