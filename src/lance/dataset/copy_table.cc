#include <algorithm>
#include <map>
#include <utility>

#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "lance/base/status_detail.h"
#include "lance/clone.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/format/field_metadata.h"
#include "lance/scan.h"
#include "lance/table/manifest_store.h"
#include "lance/write.h"

namespace lance {
namespace {

using TextMap = std::map<std::string, std::string>;

/// A map without what belongs to a clustering of the old table.
TextMap WithoutClustering(TextMap map, const std::vector<ClusteringDefinition>& definitions) {
  std::erase_if(map, [&](const auto& entry) {
    const std::string& key = entry.first;
    if (key.starts_with("lance.clustering.") || key.starts_with("lance.liquid-clustering.")) {
      return true;
    }
    // What a provider keeps about a definition, which the copy has not (table-format 13.1).
    return std::ranges::any_of(definitions, [&](const ClusteringDefinition& definition) {
      return key.starts_with(definition.provider + "." + std::to_string(definition.id) + ".");
    });
  });
  return map;
}

/// Refuse by name what no writer of ours writes, before rows of other types come to it.
arrow::Status CheckCanBeWritten(const Dataset& dataset) {
  for (const auto& field : dataset.schema()->fields()) {
    if (!format::IsBlobV2(format::FromArrowMetadata(field->metadata()))) continue;
    return UnsupportedError(
        "copying blob v2 columns",
        "column \"" + field->name() + "\" is a blob v2 column, which this version does not write");
  }
  return arrow::Status::OK();
}

/// All rows with the bytes of blobs; may be read any number of times.
arrow::Result<BatchSource> RowsOf(const Dataset& dataset, const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner,
                        dataset.Scan({.blob_handling = BlobHandling::kBinary}));
  return BatchSource(dataset.schema(), [scanner, call] { return scanner.ToReader(call); });
}

}  // namespace

arrow::Result<Dataset> CopyTable(const Dataset& dataset, const CopyRequest& request,
                                 const CallOptions& call) {
  ARROW_RETURN_NOT_OK(CheckCanBeWritten(dataset));
  const TableProperties& properties = dataset.properties();
  const table::LoadedManifest& loaded = *dataset.impl().loaded;
  ARROW_ASSIGN_OR_RAISE(const BatchSource rows, RowsOf(dataset, call));
  InsertBuilder insert(request.target_uri);
  insert
      .WithOpenOptions(
          {.session = dataset.session(), .storage_options = dataset.impl().opened.storage_options})
      .WithMaps(WithoutClustering(properties.config, {}),
                WithoutClustering(properties.table_metadata, properties.clustering_definitions))
      .WithOptions({.data_storage_version = properties.data_storage_version,
                    .enable_v2_manifest_paths = loaded.naming == table::NamingScheme::kV2,
                    .enable_stable_row_ids = properties.has_stable_row_ids,
                    .commit = request.commit});
  if (request.clustering) {
    ClusteringRequest clustering = *request.clustering;
    clustering.commit = request.commit;
    insert.WithClustering(std::move(clustering));
  }
  ARROW_ASSIGN_OR_RAISE(WriteResult written, insert.Execute(rows, call));
  return std::move(written.dataset);
}

}  // namespace lance
