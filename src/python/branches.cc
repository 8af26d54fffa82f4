#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/clone.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

/// Branches as JSON documents, by name.
std::vector<std::string> Branches(const Dataset& self) {
  std::vector<std::string> documents;
  for (const BranchInfo& branch :
       Run([&](const CallOptions& call) { return ListBranches(self, call); })) {
    documents.push_back(ToJson(branch));
  }
  return documents;
}

Dataset NewBranch(const Dataset& self, nb::handle name) {
  const auto branch = Keywords::ValueOf<std::string>("branch", name);
  return Run([&](const CallOptions& call) { return CreateBranch(self, branch, call); });
}

void RemoveBranch(const Dataset& self, nb::handle name) {
  const auto branch = Keywords::ValueOf<std::string>("branch", name);
  Run([&](const CallOptions& call) -> arrow::Result<bool> {
    ARROW_RETURN_NOT_OK(DeleteBranch(self, branch, call));
    return true;
  });
}

void SetBranchMetadata(const Dataset& self, nb::handle name, nb::handle values) {
  const auto branch = Keywords::ValueOf<std::string>("branch", name);
  const auto metadata = Keywords::ValueOf<std::map<std::string, std::string>>("metadata", values);
  Run([&](const CallOptions& call) { return ReplaceBranchMetadata(self, branch, metadata, call); });
}

Dataset Clone(const Dataset& self, nb::handle target) {
  const auto uri = Keywords::ValueOf<std::string>("target_path", target);
  return Run([&](const CallOptions& call) { return ShallowClone(self, uri, call); });
}

/// Copy rows to a new table; `cluster_by` declares.
Dataset Copy(const Dataset& self, nb::handle target, nb::kwargs arguments) {
  CopyRequest request{.target_uri = Keywords::ValueOf<std::string>("target_uri", target)};
  std::vector<std::string> cluster_by;
  Keywords keywords(std::move(arguments));
  request.commit = TakeCommitOptions(&keywords);
  keywords.Take("cluster_by", &cluster_by).Finish();
  if (!cluster_by.empty()) request.clustering = ClusteringRequest{.columns = std::move(cluster_by)};
  return Run([&](const CallOptions& call) { return CopyTable(self, request, call); });
}

void Drop(nb::handle place, std::shared_ptr<Session> session, nb::kwargs arguments) {
  const auto uri = Keywords::ValueOf<std::string>("base_uri", place);
  Keywords keywords(std::move(arguments));
  const OpenOptions options = TakeOpenOptions(&keywords, std::move(session));
  keywords.Finish();
  Run([&](const CallOptions& call) -> arrow::Result<bool> {
    ARROW_RETURN_NOT_OK(DropTable(uri, options, call));
    return true;
  });
}

}  // namespace

void BindBranches(nb::module_& m) {
  m.def("branches", &Branches, nb::arg("dataset"));
  m.def("create_branch", &NewBranch, nb::arg("dataset"), nb::arg("branch"));
  m.def("delete_branch", &RemoveBranch, nb::arg("dataset"), nb::arg("branch"));
  m.def("replace_branch_metadata", &SetBranchMetadata, nb::arg("dataset"), nb::arg("branch"),
        nb::arg("metadata"));
  m.def("shallow_clone", &Clone, nb::arg("dataset"), nb::arg("target_path"));
  m.def("copy_table", &Copy, nb::arg("dataset"), nb::arg("target_uri"), nb::arg("options"));
  m.def("drop_table", &Drop, nb::arg("base_uri"), nb::arg("session").none(), nb::arg("options"));
}

}  // namespace lance::python
