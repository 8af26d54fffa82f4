#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "lance/file_operations.h"
#include "lance/fragment.h"
#include "lance/transaction.h"
#include "lance/write.h"

namespace lance::python {

class Keywords;

// Fragments and files as dicts, with the keys of the reference's FragmentMetadata.to_json; what is
// stored in serialized form is bytes.

/// Read a data file.
DataFileInfo DataFileOf(nanobind::handle description);
/// Read a list of fragments.
std::vector<FragmentMetadata> FragmentsOf(nanobind::handle descriptions);
/// Read a list of base paths: path, name, is_dataset_root, id.
std::vector<DatasetBasePath> BasesOf(nanobind::handle descriptions);

/// Describe fragments.
nanobind::list DescribeAll(const std::vector<FragmentMetadata>& fragments);
/// Describe a segment of an index.
nanobind::dict Describe(const IndexSegmentInfo& segment);
/// Describe base paths.
nanobind::list DescribeAll(const std::vector<DatasetBasePath>& bases);
/// Describe a data file.
nanobind::dict Describe(const DataFileInfo& file);
/// Describe a fragment, with its stamp.
nanobind::dict Describe(const FragmentMetadata& fragment);

/// Bytes of Python.
nanobind::bytes BytesOf(const std::string& bytes);
/// Take bytes. Throws TypeError for anything else.
std::string TakeBytes(const char* name, nanobind::handle value);
/// Take the options of a write, as write_dataset has them.
WriteOptions TakeWriteOptions(Keywords* keywords);
/// A part of BindTransaction: looking into transactions.
void BindStoredOperation(nanobind::module_& m);
/// The arguments of a dict, to be taken one by one.
Keywords KeywordsOf(const char* name, nanobind::handle description);

}  // namespace lance::python
