#include "table_state.h"

#include <algorithm>

#include "arrow/api.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/io/stores.h"
#include "lance/table/deletion_file.h"
#include "lance/table/manifest_names.h"
#include "lance/testing/store_access.h"

namespace lance::testing {
namespace {

arrow::Result<std::string> RowsOf(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, dataset.Scan());
  ARROW_ASSIGN_OR_RAISE(const auto table, scanner.ToTable());
  std::vector<std::string> rows(static_cast<size_t>(table->num_rows()));
  for (int column = 0; column < table->num_columns(); ++column) {
    for (size_t row = 0; row < rows.size(); ++row) {
      ARROW_ASSIGN_OR_RAISE(const auto value,
                            table->column(column)->GetScalar(static_cast<int64_t>(row)));
      rows[row] += (column > 0 ? ":" : "") + value->ToString();
    }
  }
  std::ranges::sort(rows);
  std::string text;
  for (const std::string& row : rows) text += (text.empty() ? "" : " ") + row;
  return text;
}

/// A filter finds the same rows whether indices and seeds help or not.
arrow::Status CheckPruning(const Dataset& dataset) {
  const std::string column = dataset.schema()->field(0)->name();
  for (const std::string& filter : {column + " < 3", column + " IS NULL", column + " = 6"}) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t pruned, dataset.CountRows(filter));
    ARROW_ASSIGN_OR_RAISE(const Scanner full, dataset.Scan({.filter = filter, .use_stats = false}));
    ARROW_ASSIGN_OR_RAISE(const uint64_t counted, full.CountRows());
    if (pruned != counted) {
      return arrow::Status::UnknownError("rows with ", filter, ": ", pruned, " by index, ", counted,
                                         " without");
    }
  }
  return arrow::Status::OK();
}

std::string MapText(const std::string& name, const std::map<std::string, std::string>& map) {
  std::string text = "\n" + name + ":";
  for (const auto& [key, value] : map) text += " " + key + "=" + value;
  return text;
}

std::string FragmentsText(const table::Manifest& manifest) {
  std::string text = "\nfragments:";
  for (const table::Fragment& fragment : manifest.fragments) {
    text += " " + std::to_string(fragment.id) + "(" + std::to_string(fragment.live_rows()) + "/" +
            std::to_string(fragment.physical_rows) + " rows, " +
            std::to_string(fragment.files.size()) + " files, stamp " +
            std::to_string(fragment.clustering_id.value_or(0)) + ")";
  }
  return text + " max " + std::to_string(manifest.max_fragment_id.value_or(0));
}

arrow::Result<std::string> IndicesText(const table::Manifest& manifest) {
  std::vector<std::string> indices;
  for (const table::IndexMetadata& segment : manifest.indices) {
    ARROW_ASSIGN_OR_RAISE(const auto coverage, segment.Coverage());
    std::string text = " " + segment.name + " over " +
                       std::to_string(coverage ? coverage->size() : 0) + " details";
    for (const char byte : segment.details_value) text += "," + std::to_string(byte);
    indices.push_back(std::move(text));
  }
  std::ranges::sort(indices);
  std::string text = "\nindices:";
  for (const std::string& index : indices) text += index;
  return text;
}

}  // namespace

arrow::Result<TableState> StateOf(const Dataset& dataset) {
  const table::Manifest& manifest = dataset.impl().manifest();
  TableState state;
  ARROW_ASSIGN_OR_RAISE(state.rows, RowsOf(dataset));
  ARROW_RETURN_NOT_OK(CheckPruning(dataset));
  state.whole = state.rows + "\n" + dataset.schema()->ToString(/*show_metadata=*/true) +
                MapText("config", manifest.config) + MapText("table", manifest.table_metadata);
  state.whole += "\ndefinitions:";
  for (const ClusteringDefinition& definition : manifest.clustering) {
    state.whole += " " + std::to_string(definition.id) + "=" + std::to_string(definition.version);
  }
  ARROW_ASSIGN_OR_RAISE(const std::string indices, IndicesText(manifest));
  state.whole += FragmentsText(manifest) + indices;
  for (const table::BasePath& base : manifest.base_paths) state.whole += "\nbase " + base.path;
  return state;
}

arrow::Result<std::set<std::string>> PathsOf(const Dataset& dataset) {
  const table::Manifest& manifest = dataset.impl().manifest();
  ARROW_ASSIGN_OR_RAISE(const auto entry, dataset.impl().manifests().FindVersion(manifest.version));
  if (!entry) return arrow::Status::IOError("the manifest is gone");
  std::set<std::string> paths = {table::ManifestPath(manifest.version, entry->naming)};
  if (!manifest.transaction_file.empty()) {
    paths.insert(table::TransactionPath(manifest.transaction_file));
  }
  for (const table::Fragment& fragment : manifest.fragments) {
    for (const table::DataFile& file : fragment.files) paths.insert("data/" + file.path);
    if (fragment.deletion_file) {
      paths.insert(table::DeletionFilePath(fragment.id, *fragment.deletion_file));
    }
  }
  for (const table::IndexMetadata& segment : manifest.indices) {
    for (const table::IndexFile& file : segment.files) {
      paths.insert("_indices/" + segment.uuid.ToString() + "/" + file.path);
    }
  }
  return paths;
}

arrow::Result<std::vector<uint64_t>> DetachedVersions(ObjectStore& store) {
  std::vector<uint64_t> versions;
  const std::string folder = std::string(table::kVersionsFolder) + "/";
  ARROW_RETURN_NOT_OK(store.List(std::string(table::kVersionsFolder), [&](const ObjectInfo& info) {
    const auto name = table::ParseManifestName(info.path.substr(folder.size()));
    if (name && name->is_detached) versions.push_back(name->version);
    return arrow::Status::OK();
  }));
  return versions;
}

arrow::Result<std::shared_ptr<ObjectStore>> CopyToMemory(ObjectStore& store) {
  auto copy = MakeMemoryStore();
  ARROW_ASSIGN_OR_RAISE(const auto paths, ListPaths(store));
  for (const std::string& path : paths) {
    ARROW_ASSIGN_OR_RAISE(std::string bytes, ReadText(store, path));
    ARROW_RETURN_NOT_OK(PutText(*copy, path, std::move(bytes)));
  }
  return copy;
}

}  // namespace lance::testing
