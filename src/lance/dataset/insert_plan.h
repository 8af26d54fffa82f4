#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/write.h"

namespace lance {

/// What the caller of a builder asked for.
struct InsertRequest {
  WriteMode mode = WriteMode::kCreate;
  WriteOptions options;
  std::vector<std::string> cluster_by;
  bool without_clustering = false;
  std::optional<ClusteringRequest> declaration;
};

/// Everything that is decided before the first byte is written.
struct InsertPlan {
  OpenedTable table;
  std::optional<Dataset> existing;  // no value: the write creates the table
  format::LanceSchema schema;
  std::shared_ptr<arrow::Schema> arrow_schema;
  /// How rows are sorted; no value: they keep their order. Version 0: a one-shot sort.
  std::optional<ClusteringSpec> sort_by;
  /// The declaration that a new table gets.
  std::optional<ClusteringSpec> declare;
  FragmentWriterOptions writer;
  std::shared_ptr<ObjectStore> data_store;  // finds base paths, also those that are yet to come
  std::vector<table::BasePath> initial_bases;

  bool is_stamped() const { return sort_by && sort_by->version != 0; }
};

/// Decide everything, or refuse.
///
/// \param dataset the version to write onto, whatever was committed since; no value: the newest
arrow::Result<InsertPlan> PlanInsert(OpenedTable opened, std::optional<Dataset> dataset,
                                     const InsertRequest& request, const arrow::Schema& input,
                                     const CallOptions& call);

/// A write that can begin.
struct InsertBuilder::Prepared {
  InsertRequest request;
  InsertPlan plan;
  RunContext run;
};

}  // namespace lance
