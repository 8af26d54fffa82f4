#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "lance/dataset.h"
#include "lance/metadata.h"
#include "lance/refs.h"
#include "lance/session.h"

namespace lance::python {

class Keywords;

// One for each subject, called in this order by the module.
void BindSession(nanobind::module_& m);
void BindScan(nanobind::module_& m);
void BindScanPlan(nanobind::module_& m);
void BindExpression(nanobind::module_& m);
void BindDataset(nanobind::module_& m);
void BindTake(nanobind::module_& m);
void BindWrite(nanobind::module_& m);
void BindFragment(nanobind::module_& m);
void BindTransaction(nanobind::module_& m);
void BindMutate(nanobind::module_& m);
void BindIndex(nanobind::module_& m);
void BindSchema(nanobind::module_& m);
void BindOptimize(nanobind::module_& m);
void BindCompaction(nanobind::module_& m);
void BindFile(nanobind::module_& m);
void BindVerify(nanobind::module_& m);
void BindBranches(nanobind::module_& m);
void BindHistory(nanobind::module_& m);

/// Take `storage_options` and `session`.
OpenOptions TakeOpenOptions(Keywords* keywords, std::shared_ptr<Session> session);
/// Take `commit_message`, `transaction_properties` and `max_retries`.
CommitOptions TakeCommitOptions(Keywords* keywords);
/// As TakeCommitOptions, and how long to try.
CommitOptions TakeRetryOptions(Keywords* keywords);
/// "config", "table" or "schema", and "field" where columns are allowed.
MetadataTarget MetadataTargetOf(const std::string& target);
/// An observer that calls `function` with a dict for each report; null for None.
std::shared_ptr<Observer> MakeObserver(nanobind::object function);

}  // namespace lance::python
