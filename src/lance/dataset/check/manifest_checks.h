#pragma once

#include <vector>

#include "lance/dataset/check/findings.h"
#include "lance/format/field_tree.h"
#include "lance/table/manifest.h"

namespace lance::check {

// What a manifest can be asked without reading any other file. Pure; each function is about one
// thing. What makes a manifest unreadable was refused when it was parsed.

/// Ids: unique, in order, none above the highest one used; rows. Source: table-format 4.6.
void CheckFragments(const table::Manifest& manifest, Findings* findings);

/// Files of fragments: none twice, no field in two of them, every required column there.
///
/// \param fields the schema's, as trees
void CheckFilesOfFragments(const table::Manifest& manifest,
                           const std::vector<format::FieldNode>& fields, Findings* findings);

/// Feature flags against what the manifest holds. Source: table-format 6.1.
void CheckFlags(const table::Manifest& manifest, Findings* findings);

/// Ids of fields against the highest one that was handed out. Source: table-format 6.2.
void CheckFieldIds(const table::Manifest& manifest, Findings* findings);

/// Base paths, and the references to them. Source: table-format 1.9.
void CheckBasePaths(const table::Manifest& manifest, Findings* findings);

/// Entries of the configuration that writers act on. Source: table-format 10.6.
void CheckConfig(const table::Manifest& manifest, Findings* findings);

/// Index entries: fields, coverage, versions. Source: table-format 2.5, 5 "rule K".
void CheckIndexEntries(const table::Manifest& manifest, Findings* findings);

}  // namespace lance::check
