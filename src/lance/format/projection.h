#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/field_tree.h"

namespace lance::format {

/// Cut a path of names at its dots; backticks keep a name whole.
std::vector<std::string> SplitPath(const std::string& path);

/// Keep some fields: top-level names, or paths of members of structs ("a.b").
///
/// Several paths below one field make one struct with the members in the schema's order; it stands
/// where its first path does. A name in backticks is taken literally.
///
/// \return KeyError + NotFound naming what is not there, and what is
arrow::Result<std::vector<FieldNode>> ProjectFields(const std::vector<FieldNode>& fields,
                                                    const std::vector<std::string>& paths);

/// A field with some of the fields below it, each with all that is below; lists keep their form,
/// and packed structs, which are one column, all members.
///
/// \pre one of the ids is there
FieldNode KeepFields(FieldNode field, const std::set<int32_t>& ids);

/// The Arrow schema of some fields.
std::shared_ptr<arrow::Schema> SchemaOf(
    const std::vector<FieldNode>& fields,
    std::shared_ptr<const arrow::KeyValueMetadata> metadata = nullptr);

}  // namespace lance::format
