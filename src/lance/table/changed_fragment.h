#pragma once

#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// "The fragment is not as the operation found it": AlreadyExists + a retryable CommitConflict.
arrow::Status FragmentChanged(std::string_view operation, uint64_t fragment_id,
                              std::string_view how, uint64_t version);

/// Finds fragments of a manifest by id. Borrows the list, which must not grow meanwhile.
class FragmentFinder {
 public:
  explicit FragmentFinder(std::vector<Fragment>* fragments);

  /// \return null: not there
  Fragment* Find(uint64_t id) const;

 private:
  std::vector<std::pair<uint64_t, Fragment*>> by_id_;
};

/// Carry over what belongs to a fragment whatever an operation makes of its files: row ids and
/// versions, the metadata map, and the stamp unless a clustering column has another file now
/// (contract section 3).
void CarryStamp(const Fragment& before, const Manifest& manifest, Fragment* after);

/// Check the data files that `after` has and `before` does not, and that no field is in two files.
///
/// \param schema of the new version
/// \return Invalid naming the fragment and what is wrong
arrow::Status CheckChangedFiles(const Fragment& before, const Fragment& after,
                                const format::LanceSchema& schema, std::string_view data_version);

}  // namespace lance::table
