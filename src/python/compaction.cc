#include "lance/compaction.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "fragments.h"
#include "interrupt.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

/// What committed, and docs/guide/json.md "compaction_result".
std::pair<Dataset, std::string> Outcome(CompactionResult result) {
  std::string text = ToJson(result);
  return {std::move(result.dataset), std::move(text)};
}

/// \param request options as JSON; without a mode they are for clustering on a declared table
std::pair<Dataset, std::string> CompactRequest(const Dataset& dataset, const std::string& request,
                                               nb::object observer,
                                               std::optional<int> num_threads) {
  const std::shared_ptr<Observer> watching = MakeObserver(std::move(observer));
  return Outcome(Run([&](CallOptions call) -> arrow::Result<CompactionResult> {
    call.observer = watching;
    call.num_threads = num_threads;
    ARROW_ASSIGN_OR_RAISE(const auto parsed, ParseCompactionRequest(dataset, request));
    return Compact(dataset, parsed, call);
  }));
}

/// \return an ordinary plan, or one for clustering
nb::object PlanRequest(const Dataset& dataset, const std::string& request) {
  const auto parsed =
      Run([&](const CallOptions&) { return ParseCompactionRequest(dataset, request); });
  if (const auto* clustering = std::get_if<ClusteringCompactionOptions>(&parsed)) {
    return nb::cast(Run([&](const CallOptions& call) {
      return PlanClusteringCompaction(dataset, *clustering, call);
    }));
  }
  return nb::cast(Run([&](const CallOptions& call) {
    return PlanCompaction(dataset, std::get<CompactionOptions>(parsed), call);
  }));
}

std::pair<Dataset, std::string> Commit(const Dataset& dataset,
                                       const std::vector<RewriteResult>& results) {
  return Outcome(
      Run([&](const CallOptions& call) { return CommitCompaction(dataset, results, {}, call); }));
}

std::pair<Dataset, std::string> CommitClustering(
    const Dataset& dataset, const ClusteringCompactionPlan& plan,
    const std::vector<ClusteringRewriteResult>& results) {
  return Outcome(Run([&](const CallOptions& call) {
    return CommitClusteringCompaction(dataset, plan, results, call);
  }));
}

/// Make a value bytes and back.
template <typename T>
void BindEnvelope(nb::class_<T>* bound) {
  bound->def("serialize", [](const T& self) {
    const std::string bytes = Run([&](const CallOptions&) { return self.Serialize(); });
    return nb::bytes(bytes.data(), bytes.size());
  });
  bound->def_static(
      "parse",
      [](const nb::bytes& bytes) {
        const std::string_view view(bytes.c_str(), bytes.size());
        return Run([&](const CallOptions&) { return T::Parse(view); });
      },
      nb::arg("bytes"));
}

}  // namespace

void BindCompaction(nb::module_& m) {
  nb::class_<RewriteResult> result(m, "RewriteResult");
  result.def_prop_ro("read_version", &RewriteResult::read_version)
      .def_prop_ro("defers_index_remap", &RewriteResult::defers_index_remap)
      .def_prop_ro("metrics",
                   [](const RewriteResult& self) {
                     const CompactionMetrics metrics = self.metrics();
                     return nb::make_tuple(metrics.fragments_removed, metrics.fragments_added,
                                           metrics.files_removed, metrics.files_added);
                   })
      .def_prop_ro("original_fragments",
                   [](const RewriteResult& self) { return DescribeAll(self.original_fragments()); })
      .def_prop_ro("new_fragments",
                   [](const RewriteResult& self) { return DescribeAll(self.new_fragments()); });
  BindEnvelope(&result);
  nb::class_<CompactionTask> task(m, "CompactionTask");
  task.def_prop_ro("read_version", &CompactionTask::read_version)
      .def_prop_ro("fragments",
                   [](const CompactionTask& self) { return DescribeAll(self.fragments()); })
      .def(
          "execute",
          [](const CompactionTask& self, const Dataset& dataset) {
            return Run([&](const CallOptions& call) { return self.Execute(dataset, call); });
          },
          nb::arg("dataset"));
  BindEnvelope(&task);
  nb::class_<CompactionPlan> plan(m, "CompactionPlan");
  plan.def_prop_ro("read_version", &CompactionPlan::read_version)
      .def_prop_ro("tasks", &CompactionPlan::tasks)
      .def("to_json", [](const CompactionPlan& self) { return ToJson(self); });
  BindEnvelope(&plan);
  m.def("compact", &CompactRequest, nb::arg("dataset"), nb::arg("request"),
        nb::arg("observer").none(), nb::arg("num_threads").none());
  m.def("plan_compaction", &PlanRequest, nb::arg("dataset"), nb::arg("request"));
  m.def("commit_compaction", &Commit, nb::arg("dataset"), nb::arg("results"));
  m.def("commit_clustering", &CommitClustering, nb::arg("dataset"), nb::arg("plan"),
        nb::arg("results"));
}

}  // namespace lance::python
