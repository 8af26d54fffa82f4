#include "lance/dataset/check/row_id_checks.h"

#include <algorithm>
#include <string>

#include "lance/base/status_detail.h"
#include "lance/dataset/system_column_reader.h"

namespace lance::check {
namespace {

constexpr uint64_t kLowHalf = uint64_t{1} << 32;

/// The lowest member of a set, found without listing the others, of which forged ids may make very
/// many. \pre not empty
uint64_t LowestOf(const RoaringBitmap& set) {
  uint64_t lowest = 0;
  for (uint64_t size = kLowHalf / 2; size > 0; size /= 2) {
    RoaringBitmap half;
    half.AddRange(lowest, lowest + size);
    if (!set.Intersects(half)) lowest += size;
  }
  return lowest;
}

/// Whether a failure is about what the file is, and not about this release or the storage.
const FindingKind& KindOf(const arrow::Status& failure, const FindingKind& broken) {
  return UnsupportedFeature::From(failure) == nullptr ? broken : kFileUnsupported;
}

void CheckIds(const table::RowIdSequence& ids, const table::Fragment& fragment,
              const table::Manifest& manifest, Findings* findings) {
  uint64_t last = 0;
  for (const table::RowIdSequence::Run& run : ids.runs()) {
    last = std::max(last, run.first_id + (run.length - 1));
  }
  if (ids.runs().empty() || last < manifest.next_row_id) return;
  findings->Add(kRowIdBeyondNext, NameOf(fragment), NameOf(fragment), " has row id ", last,
                ", the next new row would get ", manifest.next_row_id,
                ": other writers would give ids again");
}

void CheckVersions(const arrow::Result<const table::VersionSequence*>& versions,
                   std::string_view what, const table::Fragment& fragment,
                   const table::Manifest& manifest, Findings* findings) {
  const std::string name = NameOf(fragment);
  if (!versions.ok()) {
    findings->AddFailure(KindOf(versions.status(), kRowVersionsBroken), name, versions.status());
    return;
  }
  for (const table::VersionSequence::Run& run : (*versions)->runs()) {
    if (run.version <= manifest.version) continue;
    findings->Add(kRowVersionAhead, name, name, " says that row ", run.first_row, " was ", what,
                  " in version ", run.version, ", this is version ", manifest.version);
    return;
  }
}

/// The ids of live rows; those that are there twice are a finding.
RowIdSet CollectLive(const table::RowIdSequence& ids, const RowRanges& live,
                     const table::Fragment& fragment, Findings* findings) {
  RowIdSet set;
  bool is_unique = true;
  const table::RowIdSequence selected = ids.Select(live);
  for (const table::RowIdSequence::Run& run : selected.runs()) {
    if (set.Add(run.first_id, run.length) || !is_unique) continue;
    is_unique = false;
    findings->Add(kRowIdTwice, NameOf(fragment), NameOf(fragment),
                  " has two live rows with an id "
                  "from ",
                  run.first_id, " to ", run.first_id + run.length - 1);
  }
  return set;
}

}  // namespace

bool RowIdSet::Add(uint64_t first_id, uint64_t length) {
  bool is_new = true;
  while (length > 0) {
    const uint64_t low = first_id % kLowHalf;
    const uint64_t taken = std::min(length, kLowHalf - low);
    RoaringBitmap& ids = ids_[static_cast<uint32_t>(first_id / kLowHalf)];
    const uint64_t size = ids.size();
    ids.AddRange(low, low + taken);
    is_new = is_new && ids.size() == size + taken;
    first_id += taken;
    length -= taken;
  }
  return is_new;
}

std::optional<uint64_t> RowIdSet::AddAll(const RowIdSet& other) {
  std::optional<uint64_t> twice;
  for (const auto& [high, ids] : other.ids_) {
    RoaringBitmap& ours = ids_[high];
    if (!twice && ours.Intersects(ids)) {
      RoaringBitmap common = ours;
      common &= ids;
      twice = high * kLowHalf + LowestOf(common);
    }
    ours |= ids;
  }
  return twice;
}

std::optional<RowIdSet> CheckLineage(FragmentReader* reader, const table::Manifest& manifest,
                                     const RowRanges& live, const RunContext& run,
                                     Findings* findings) {
  const table::Fragment& fragment = reader->fragment();
  SystemColumnReader columns(reader, /*has_stable_row_ids=*/true, run);
  CheckVersions(columns.CreatedAt(), "created", fragment, manifest, findings);
  CheckVersions(columns.LastUpdatedAt(), "changed", fragment, manifest, findings);
  const auto ids = columns.RowIds();
  if (!ids.ok()) {
    findings->AddFailure(KindOf(ids.status(), kRowIdsBroken), NameOf(fragment), ids.status());
    return std::nullopt;
  }
  CheckIds(**ids, fragment, manifest, findings);
  return CollectLive(**ids, live, fragment, findings);
}

}  // namespace lance::check
