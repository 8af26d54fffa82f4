#include "damages.h"
#include "lance/table/row_lineage.h"
#include "lance/table/row_sequence.h"

namespace lance::testing {
namespace {

/// Change the fragment in the middle of the newest version.
std::function<std::string(const CheckedTable&)> Changes(
    std::function<void(const table::Manifest&, table::Fragment*)> change) {
  return [change = std::move(change)](const CheckedTable& table) {
    table.Rewrite([&](auto* manifest) {
      const table::Manifest before = *manifest;
      change(before, &manifest->fragments[2]);
    });
    return "fragment " + std::to_string(table.Manifest().fragments[2].id);
  };
}

void SetIds(std::vector<std::pair<uint64_t, uint64_t>> runs, table::Fragment* fragment) {
  table::RowIdSequence ids;
  for (const auto& [first, length] : runs) ids.Append(first, length);
  fragment->row_ids = table::StoreInline(ids);
}

}  // namespace

std::vector<Damage> DamagesOfRowIds() {
  const auto rows = [](const table::Fragment* fragment) { return fragment->physical_rows; };
  return {
      {"RowIdsAreTooFew", "row_ids_broken", Changes([=](const auto&, auto* fragment) {
         SetIds({{200, rows(fragment) - 1}}, fragment);
       }),
       Sample::kStable},
      {"RowIdsAreTooMany", "row_ids_broken", Changes([=](const auto&, auto* fragment) {
         SetIds({{200, rows(fragment) + 1}}, fragment);
       }),
       Sample::kStable},
      {"RowIdsAreGarbage", "row_ids_broken",
       Changes([](const auto&, auto* fragment) { fragment->row_ids.bytes = "\xff\xff"; }),
       Sample::kStable},
      {"RowIdsAreInAColumnThatIsNotThere", "row_ids_broken",
       Changes([](const auto&, auto* fragment) {
         fragment->row_ids = {.place = table::StoredSequence::Place::kColumn, .bytes = {}};
       }),
       Sample::kStable},
      {"RowIdTwiceInOneFragment", "row_id_twice", Changes([=](const auto&, auto* fragment) {
         SetIds({{200, rows(fragment) - 1}, {200, 1}}, fragment);
       }),
       Sample::kStable},
      {"RowIdTwiceInTwoFragments", "row_id_twice", Changes([=](const auto&, auto* fragment) {
         SetIds({{200, rows(fragment) - 1}, {30, 1}}, fragment);
       }),
       Sample::kStable},
      {"RowIdIsNotHandedOutYet", "row_id_beyond_next",
       Changes([=](const auto& manifest, auto* fragment) {
         SetIds({{200, rows(fragment) - 1}, {manifest.next_row_id, 1}}, fragment);
       }),
       Sample::kStable},
      {"CreationsAreTooFew", "row_versions_broken", Changes([=](const auto&, auto* fragment) {
         fragment->created_at_versions =
             table::StoreInline(table::VersionSequence::Of(1, rows(fragment) - 1));
       }),
       Sample::kStable},
      {"ChangesAreGarbage", "row_versions_broken", Changes([](const auto&, auto* fragment) {
         fragment->last_updated_at_versions.bytes = "\xff\xff";
       }),
       Sample::kStable},
      {"RowIsFromTheFuture", "row_version_ahead", Changes([=](const auto&, auto* fragment) {
         fragment->created_at_versions =
             table::StoreInline(table::VersionSequence::Of(99, rows(fragment)));
       }),
       Sample::kStable},
  };
}

}  // namespace lance::testing
