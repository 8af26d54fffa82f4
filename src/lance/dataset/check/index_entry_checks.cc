#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "lance/base/roaring_bitmap.h"
#include "lance/dataset/check/manifest_checks.h"
#include "lance/index/index_type.h"
#include "lance/io/stores.h"

namespace lance::check {
namespace {

std::string NameOf(const table::IndexMetadata& index) {
  return "index " + index.name + ", segment " + index.uuid.ToString();
}

void CheckFields(const table::IndexMetadata& index, const format::LanceSchema& schema,
                 Findings* findings) {
  if (index::IsSystemIndex(index)) return;
  for (const int32_t id : index.field_ids) {
    if (schema.FindById(id) != nullptr) continue;
    findings->Add(kIndexFieldMissing, NameOf(index), NameOf(index), " is on field ", id,
                  ", which has left the schema; nobody can use it");
  }
}

void CheckFileNames(const table::IndexMetadata& index, Findings* findings) {
  for (const table::IndexFile& file : index.files) {
    const arrow::Status status = CheckObjectPath(file.path);
    if (status.ok()) continue;
    findings->Add(kIndexBroken, NameOf(index), NameOf(index),
                  " names a file that is not inside its folder: ", status.message());
  }
}

/// Fragments that a segment claims to cover and that are not there.
void CheckClaims(const table::IndexMetadata& index, const table::Manifest& manifest,
                 const RoaringBitmap& coverage, Findings* findings) {
  const uint64_t max_id = manifest.max_fragment_id.value_or(0);
  RoaringBitmap gone = coverage;
  for (const table::Fragment& fragment : manifest.fragments) {
    gone.Remove(static_cast<uint32_t>(fragment.id));
  }
  if (gone.empty()) return;
  RoaringBitmap known;
  if (manifest.max_fragment_id) known.AddRange(0, max_id + 1);
  const uint64_t num_gone = gone.size();
  RoaringBitmap ahead = std::move(gone);
  ahead -= known;
  if (!ahead.empty()) {
    findings->Add(kIndexCoverageAhead, NameOf(index), NameOf(index), " claims to cover ",
                  ahead.size(), " fragments that never were, above id ", max_id,
                  ": rows that get there later would not be found");
  }
  if (num_gone > ahead.size()) {
    findings->Add(kIndexCoverageStale, NameOf(index), NameOf(index), " covers ",
                  num_gone - ahead.size(), " fragments that are gone; they do not count");
  }
}

/// Says when two segments of one index claim one fragment.
class SegmentOverlap {
 public:
  void Check(const table::IndexMetadata& index, const RoaringBitmap& coverage, Findings* findings) {
    RoaringBitmap& covered = covered_[index.name];
    if (covered.Intersects(coverage)) {
      findings->Add(kIndexSegmentsOverlap, NameOf(index), NameOf(index),
                    " covers fragments that another segment of the index covers, too");
    }
    covered |= coverage;
  }

 private:
  std::map<std::string, RoaringBitmap> covered_;  // by name
};

}  // namespace

void CheckIndexEntries(const table::Manifest& manifest, Findings* findings) {
  std::set<Uuid> uuids;
  SegmentOverlap overlap;
  for (const table::IndexMetadata& index : manifest.indices) {
    const std::string name = NameOf(index);
    if (!uuids.insert(index.uuid).second) {
      findings->Add(kIndexTwice, name, name, " is there twice");
    }
    CheckFields(index, manifest.schema, findings);
    CheckFileNames(index, findings);
    if (index.dataset_version > manifest.version) {
      findings->Add(kIndexVersionAhead, name, name, " was built from version ",
                    index.dataset_version, ", this is version ", manifest.version);
    }
    if (!index::IsSystemIndex(index) && !index::IsKnownIndex(index)) {
      findings->Add(kIndexUnknown, name, name, " is of a type or version that is not known here (",
                    index::IndexTypeName(index), "); it is kept and not used");
    }
    const auto coverage = index.Coverage();
    if (!coverage.ok()) {
      findings->AddFailure(kIndexCoverageBroken, name, coverage.status());
    } else if (*coverage && !index::IsSystemIndex(index)) {
      CheckClaims(index, manifest, **coverage, findings);
      overlap.Check(index, **coverage, findings);
    }
  }
}

}  // namespace lance::check
