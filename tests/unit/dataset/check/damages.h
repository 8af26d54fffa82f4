#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "checked_table.h"

namespace lance::testing {

/// What is done to a healthy table, and what the check must say then.
struct Damage {
  std::string name;
  std::string code;
  /// Does the damage. \return the path of the finding that is expected
  std::function<std::string(const CheckedTable&)> plant;
  Sample sample = Sample::kPlain;
  /// Only a deep check finds it.
  bool is_deep = false;
};

/// For failures of tests that take one.
inline void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

// The list, by what is damaged.
std::vector<Damage> DamagesOfVersions();
std::vector<Damage> DamagesOfManifests();
std::vector<Damage> DamagesOfFiles();
std::vector<Damage> DamagesOfRowIds();
std::vector<Damage> DamagesOfIndices();
std::vector<Damage> DamagesOfRefs();
/// What is no damage, and said all the same.
std::vector<Damage> WorthKnowing();

/// Where files of the sample are, by its newest manifest.
std::string DataPath(const table::Fragment& fragment);
std::string DeletionPath(const table::Fragment& fragment);
std::string IndexPath(const table::IndexMetadata& index);

}  // namespace lance::testing
