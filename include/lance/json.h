#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arrow/status.h"
#include "lance/clustering.h"
#include "lance/history.h"
#include "lance/index.h"
#include "lance/mutate.h"
#include "lance/optimize.h"
#include "lance/refs.h"
#include "lance/scan.h"
#include "lance/verify.h"
#include "lance/write.h"

namespace lance {

// The JSON shapes that the command line and all bindings print; docs/guide/json.md lists them.
// Documents at top level carry "kind" and "format".

/// The five keys, or null when nothing is declared.
std::string ToJson(const std::optional<ClusteringSpec>& spec);
/// A plan; docs/guide/json.md "clustering_plan".
std::string ToJson(const ClusteringCompactionPlan& plan);
/// What maintenance did; docs/guide/json.md "compaction_result".
std::string ToJson(const CompactionResult& result);
/// How a scan runs; docs/guide/json.md "scan_explanation".
std::string ToJson(const ScanExplanation& explanation);
/// What a scan did; docs/guide/json.md "scan_statistics".
std::string ToJson(const ScanStatistics& statistics);
/// What a write did.
std::string ToJson(const WriteResult& result);
/// What a delete did.
std::string ToJson(const DeleteResult& result);
/// What an update did.
std::string ToJson(const UpdateResult& result);
/// What a merge did.
std::string ToJson(const MergeInsertResult& result);
/// Configuration, flags and definitions.
std::string ToJson(const TableProperties& properties);
/// One version.
std::string ToJson(const VersionInfo& version);
/// "history_entry".
std::string ToJson(const HistoryEntry& entry);
/// "cleanup_result".
std::string ToJson(const CleanupResult& result);
/// "tag_info".
std::string ToJson(const TagInfo& tag);
/// "branch_info".
std::string ToJson(const BranchInfo& branch);
/// One index.
std::string ToJson(const IndexDescription& index);
/// What a check found; docs/guide/json.md "finding", as an array.
std::string ToJson(const std::vector<Finding>& findings);
/// "scan_estimate".
std::string ToJson(const ScanEstimate& estimate);
/// "verify_pruning_result".
std::string ToJson(const VerifyPruningResult& result);
/// The entries of a map of texts.
std::string ToJson(const std::map<std::string, std::string>& entries);
/// A version that a command made: its place and number.
std::string ToJson(const Dataset& dataset);
/// A failure; docs/guide/json.md "error".
std::string ToJson(const arrow::Status& status);

/// The exit code of a failure, 0 for OK; docs/guide/json.md "Exit codes".
int ExitCode(const arrow::Status& status);

}  // namespace lance
