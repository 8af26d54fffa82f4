#include "lance/dataset/covered_rows.h"

#include <utility>

#include "lance/dataset/index_coverage.h"
#include "lance/dataset/row_ids.h"
#include "lance/index/address_mapping.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

class CoveredIds : public index::RowMapping {
 public:
  explicit CoveredIds(RowRanges ids) : ids_(std::move(ids)) {}

  std::optional<uint64_t> Map(uint64_t row) const override {
    return ids_.Intersects({row, row + 1}) ? std::optional(row) : std::nullopt;
  }

 private:
  const RowRanges ids_;
};

}  // namespace

arrow::Result<std::unique_ptr<index::RowMapping>> MakeCoveredRows(const Dataset::Impl& dataset,
                                                                  const RoaringBitmap& coverage,
                                                                  index::RowDomain domain,
                                                                  const RunContext& run) {
  const table::Manifest& manifest = dataset.manifest();
  if (domain == index::RowDomain::kAddress || !table::HasStableRowIds(manifest)) {
    index::AddressMapping::Steps steps{.covered = coverage};
    ARROW_ASSIGN_OR_RAISE(steps.reuse, LoadFragmentReuse(dataset, run));
    return std::make_unique<index::AddressMapping>(std::move(steps));
  }
  std::vector<table::Fragment> covered;
  for (const table::Fragment& fragment : manifest.fragments) {
    if (coverage.Contains(static_cast<uint32_t>(fragment.id))) covered.push_back(fragment);
  }
  ARROW_ASSIGN_OR_RAISE(
      const auto rows,
      RowIdIndex::Make(dataset.store, WithOtherFragments(manifest, std::move(covered)), run));
  return std::make_unique<CoveredIds>(rows->Ids());
}

}  // namespace lance
