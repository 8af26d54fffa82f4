#include <algorithm>

#include "lance/table/conflict_rules.h"
#include "lance/table/operation_facts.h"

namespace lance::table {
namespace {

/// A key that one side sets and the other sets or deletes; "": none.
std::string CollidingKey(const ConfigChange& ours, const ConfigChange& theirs) {
  for (const std::string& key : ours.upserted) {
    if (theirs.upserted.contains(key) || theirs.deleted.contains(key)) return key;
  }
  for (const std::string& key : theirs.upserted) {
    if (ours.deleted.contains(key)) return key;
  }
  // A replacement deletes whatever the other side set.
  if (ours.replaces_all && !theirs.upserted.empty()) return *theirs.upserted.begin();
  if (theirs.replaces_all && !ours.upserted.empty()) return *ours.upserted.begin();
  return "";
}

ConflictVerdict CheckConfigKeys(const Operation& ours, const Operation& theirs) {
  const std::string key = CollidingKey(ConfigChangeOf(ours), ConfigChangeOf(theirs));
  return IncompatibleIf(!key.empty(), "both change config key " + key);
}

bool TouchesSchemaOrFields(const UpdateConfig& update) {
  return update.schema_metadata.has_value() || !update.field_metadata.empty();
}

bool TouchesSameKey(const std::optional<UpdateMap>& lhs, const std::optional<UpdateMap>& rhs) {
  if (!lhs || !rhs) return false;
  if (lhs->replace || rhs->replace) return true;
  return std::ranges::any_of(lhs->entries, [&](const auto& entry) {
    return std::ranges::any_of(rhs->entries,
                               [&](const auto& other) { return other.first == entry.first; });
  });
}

/// The UpdateConfig of a pair that has one, in either order.
const UpdateConfig& UpdateConfigOf(const Operation& ours, const Operation& theirs) {
  const auto* update = std::get_if<UpdateConfig>(&ours);
  return update != nullptr ? *update : std::get<UpdateConfig>(theirs);
}

}  // namespace

arrow::Result<ConflictVerdict> RuleC1(const Operation& ours, const Operation& theirs) {
  ConflictVerdict keys = CheckConfigKeys(ours, theirs);
  if (keys.compatibility != Compatibility::kCompatible) return keys;
  return Retryable("both overwrite the table");
}

arrow::Result<ConflictVerdict> RuleC2(const Operation& ours, const Operation& theirs) {
  return CheckConfigKeys(ours, theirs);
}

arrow::Result<ConflictVerdict> RuleC3(const Operation& ours, const Operation& theirs) {
  return RetryableIf(TouchesSchemaOrFields(UpdateConfigOf(ours, theirs)),
                     "one changed the schema whose metadata the other changes");
}

arrow::Result<ConflictVerdict> RuleC4(const Operation& ours, const Operation& theirs) {
  if (TouchesSchemaOrFields(std::get<UpdateConfig>(ours))) {
    return Incompatible("it replaced the schema whose metadata would change");
  }
  return CheckConfigKeys(ours, theirs);
}

arrow::Result<ConflictVerdict> RuleC5(const Operation& ours, const Operation& theirs) {
  const auto& mine = std::get<UpdateConfig>(ours);
  const auto& other = std::get<UpdateConfig>(theirs);
  if (TouchesSameKey(mine.table_metadata, other.table_metadata)) {
    return Incompatible("both change the same table metadata");
  }
  if (mine.schema_metadata && other.schema_metadata) {
    return Incompatible("both change schema metadata");
  }
  for (const auto& [field_id, map] : mine.field_metadata) {
    if (other.field_metadata.contains(field_id)) {
      return Incompatible("both change metadata of field " + std::to_string(field_id));
    }
  }
  return CheckConfigKeys(ours, theirs);
}

arrow::Result<ConflictVerdict> RuleC6(const Operation& ours, const Operation& theirs) {
  return IncompatibleIf(TouchesSchemaOrFields(UpdateConfigOf(ours, theirs)),
                        "one restored another schema than that whose metadata the other changes");
}

}  // namespace lance::table
