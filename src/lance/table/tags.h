#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/ref_folder.h"
#include "lance/table/ref_names.h"

namespace lance::table {

/// A name for a version (table-format 1.8). A plain value.
struct Tag {
  std::string name;
  std::optional<std::string> branch;  // no value: the main one
  uint64_t version = 0;
  std::optional<Timestamp> created_at;  // old writers do not say
  std::optional<Timestamp> updated_at;
  uint64_t manifest_size = 0;  // bytes
  std::map<std::string, std::string> metadata;

  bool operator==(const Tag&) const = default;
};

/// Parse the description of a tag. \return SerializationError saying what is wrong
arrow::Result<Tag> ParseTag(std::string name, std::string_view json);

/// The inverse of ParseTag, as the reference lays it out.
std::string SerializeTag(const Tag& tag);

/// The tags of a table. Thread-safe.
class TagStore {
 public:
  /// \param store of the table's root, also for versions of a branch
  explicit TagStore(std::shared_ptr<ObjectStore> store)
      : folder_(std::move(store), "tag", CheckTagName) {}

  /// All tags by name. Files whose names are none of a tag are left out.
  arrow::Result<std::vector<Tag>> List(const RunContext& run) const;

  /// \return KeyError + NotFound{tag} when there is none
  arrow::Result<Tag> Load(const std::string& name, const RunContext& run) const;

  /// Store a new tag. \return what became of it, as ObjectStore::Put
  arrow::Result<PutOutcome> Create(const Tag& tag) const;

  /// Store a tag again. \return as Create, or as Load
  arrow::Result<PutOutcome> Update(const Tag& tag, const RunContext& run) const;

  /// Remove a tag. \return as Load
  arrow::Status Delete(const std::string& name, const RunContext& run) const;

 private:
  RefFolder folder_;
};

}  // namespace lance::table
