#include "lance/history.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch_reader.h"
#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/diff.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

CleanupRequest RequestOf(nb::kwargs arguments) {
  CleanupRequest request;
  Keywords keywords(std::move(arguments));
  std::optional<uint64_t> older_than;
  keywords.Take("older_than_microseconds", &older_than)
      .Take("retain_versions", &request.retain_versions)
      .Take("versions", &request.versions)
      .Take("delete_unverified", &request.delete_unverified)
      .Take("error_if_tagged_old_versions", &request.error_if_tagged_old_versions)
      .Take("delete_rate_limit", &request.max_deletes_per_second)
      .Take("dry_run", &request.dry_run)
      .Finish();
  if (older_than) request.older_than = std::chrono::microseconds(*older_than);
  return request;
}

/// Path, kind, whether no version ever named it, and size.
nb::list FilesOf(const CleanupResult& result) {
  nb::list files;
  for (const CleanupFile& file : result.files) {
    files.append(nb::make_tuple(file.path, file.kind, file.unverified, file.size_bytes));
  }
  return files;
}

/// docs/guide/json.md "cleanup_result", files, the version, and names and versions of branches.
nb::tuple CleanUp(const Dataset& dataset, nb::object observer, std::optional<int> num_threads,
                  nb::kwargs arguments) {
  const CleanupRequest request = RequestOf(std::move(arguments));
  const std::shared_ptr<Observer> watching = MakeObserver(std::move(observer));
  const CleanupResult result = Run([&](CallOptions call) {
    call.observer = watching;
    call.num_threads = num_threads;
    return CleanupOldVersions(dataset, request, call);
  });
  nb::list branches;
  for (const CleanupBranch& branch : result.referenced_branches) {
    branches.append(nb::make_tuple(branch.name, branch.referenced_version));
  }
  return nb::make_tuple(ToJson(result), FilesOf(result), result.read_version, branches);
}

/// Documents "history_entry" of docs/guide/json.md.
std::vector<std::string> History(const Dataset& dataset, nb::handle max_entries) {
  const auto limit = Keywords::ValueOf<uint64_t>("max_entries", max_entries);
  std::vector<std::string> documents;
  for (const HistoryEntry& entry :
       Run([&](const CallOptions& call) { return ListHistory(dataset, limit, call); })) {
    documents.push_back(ToJson(entry));
  }
  return documents;
}

DiffRequest RequestOf(nb::handle begin, nb::handle end) {
  return {.begin_version = Keywords::ValueOf<uint64_t>("begin_version", begin),
          .end_version = Keywords::ValueOf<uint64_t>("end_version", end)};
}

/// Versions with what was committed; None: it cannot be read.
using Transactions = std::vector<std::pair<uint64_t, std::optional<Transaction>>>;

Transactions TransactionsOf(std::vector<HistoryEntry> entries) {
  Transactions transactions;
  for (HistoryEntry& entry : entries) {
    transactions.emplace_back(entry.version, std::move(entry.transaction));
  }
  return transactions;
}

Transactions ListTransactions(const Dataset& dataset, nb::handle max_entries) {
  const auto limit = Keywords::ValueOf<uint64_t>("max_entries", max_entries);
  return TransactionsOf(
      Run([&](const CallOptions& call) { return ListHistory(dataset, limit, call); }));
}

Transactions DiffTransactions(const Dataset& dataset, nb::handle begin, nb::handle end) {
  const DiffRequest request = RequestOf(begin, end);
  return TransactionsOf(Run([&](const CallOptions& call) {
                          return DiffVersions(dataset, request, call);
                        }).transactions);
}

using DiffPart = std::shared_ptr<arrow::RecordBatchReader> Diff::*;

BatchReader ReadDiff(const Dataset& dataset, nb::handle begin, nb::handle end, DiffPart part) {
  DiffRequest request = RequestOf(begin, end);
  request.with_transactions = false;
  return BatchReader(
      [&](const CallOptions& call) -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> {
        ARROW_ASSIGN_OR_RAISE(const Diff diff, DiffVersions(dataset, request, call));
        return diff.*part;
      });
}

}  // namespace

void BindHistory(nb::module_& m) {
  m.def("cleanup_old_versions", &CleanUp, nb::arg("dataset"), nb::arg("observer").none(),
        nb::arg("num_threads").none(), nb::arg("options"));
  m.def("history", &History, nb::arg("dataset"), nb::arg("max_entries"));
  m.def("transactions", &ListTransactions, nb::arg("dataset"), nb::arg("max_entries"));
  m.def("diff_transactions", &DiffTransactions, nb::arg("dataset"), nb::arg("begin_version"),
        nb::arg("end_version"));
  const auto add = [&](const char* name, DiffPart part) {
    m.def(
        name,
        [part](const Dataset& dataset, nb::handle begin, nb::handle end) {
          return ReadDiff(dataset, begin, end, part);
        },
        nb::arg("dataset"), nb::arg("begin_version"), nb::arg("end_version"));
  };
  add("diff_inserted", &Diff::inserted);
  add("diff_updated", &Diff::updated);
  add("diff_deleted_row_ids", &Diff::deleted_row_ids);
}

}  // namespace lance::python
