#include "lance/table/transaction.h"

#include <type_traits>

namespace lance::table {
namespace {

template <typename T>
constexpr std::string_view NameOf() {
  if constexpr (std::is_same_v<T, Append>) return "Append";
  if constexpr (std::is_same_v<T, Overwrite>) return "Overwrite";
  if constexpr (std::is_same_v<T, UpdateConfig>) return "UpdateConfig";
  if constexpr (std::is_same_v<T, ReserveFragments>) return "ReserveFragments";
  if constexpr (std::is_same_v<T, Rewrite>) return "Rewrite";
  if constexpr (std::is_same_v<T, CreateIndex>) return "CreateIndex";
  if constexpr (std::is_same_v<T, Delete>) return "Delete";
  if constexpr (std::is_same_v<T, Update>) return "Update";
  if constexpr (std::is_same_v<T, Merge>) return "Merge";
  if constexpr (std::is_same_v<T, Project>) return "Project";
  if constexpr (std::is_same_v<T, Restore>) return "Restore";
  if constexpr (std::is_same_v<T, DataReplacement>) return "DataReplacement";
  if constexpr (std::is_same_v<T, UpdateBases>) return "UpdateBases";
}

}  // namespace

std::string_view OperationName(const Operation& operation) {
  return std::visit(
      [](const auto& known) -> std::string_view {
        using T = std::decay_t<decltype(known)>;
        if constexpr (std::is_same_v<T, ForeignOperation>) {
          return known.name;
        } else {
          return NameOf<T>();
        }
      },
      operation);
}

}  // namespace lance::table
