#include "lance/dataset/system_column.h"

#include <algorithm>
#include <utility>

namespace lance {
namespace {

constexpr std::pair<SystemColumn, std::string_view> kNames[] = {
    {SystemColumn::kRowId, "_rowid"},
    {SystemColumn::kRowAddress, "_rowaddr"},
    {SystemColumn::kRowOffset, "_rowoffset"},
    {SystemColumn::kCreatedAtVersion, "_row_created_at_version"},
    {SystemColumn::kLastUpdatedAtVersion, "_row_last_updated_at_version"},
};

}  // namespace

std::string_view NameOf(SystemColumn column) {
  return std::ranges::find(kNames, column, &std::pair<SystemColumn, std::string_view>::first)
      ->second;
}

std::optional<SystemColumn> FindSystemColumn(const format::LanceSchema& schema,
                                             std::string_view name) {
  if (schema.FindTopLevel(name) != nullptr) return std::nullopt;
  const auto found =
      std::ranges::find(kNames, name, &std::pair<SystemColumn, std::string_view>::second);
  return found == std::end(kNames) ? std::nullopt : std::optional(found->first);
}

}  // namespace lance
