#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/base/roaring_treemap.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"
#include "lance/table/row_moves.h"

namespace lance::table {

/// Name of the system entry that says where rewritten rows went.
inline constexpr std::string_view kFragmentReuseName = "__lance_frag_reuse";

/// Entries up to here are in the manifest, larger ones in a file (zonemap-and-indices 5.7).
inline constexpr size_t kMaxInlineReuseBytes = 204'800;

/// What is recorded of a fragment: its size when it was replaced, or made.
struct ReuseDigest {
  uint64_t id = 0;
  uint64_t physical_rows = 0;
  uint64_t num_deleted_rows = 0;
};

/// One group of a rewrite that left the addresses in indices as they were.
struct ReuseGroup {
  RoaringTreemap survivors;  // old addresses, in ascending order row by row in the new fragments
  std::vector<ReuseDigest> old_fragments;
  std::vector<ReuseDigest> new_fragments;
};

/// One such rewrite.
struct ReuseVersion {
  uint64_t dataset_version = 0;  // that it was made on
  std::vector<ReuseGroup> groups;
};

/// The content of a fragment-reuse entry, parsed and checked. Immutable.
///
/// While the entry is there every address in an index goes through `Map`, and every stored coverage
/// through `MapCoverage`; both leave alone what is current already (zonemap-and-indices 5.7).
class FragmentReuse {
 public:
  /// \return SerializationError when a version contradicts itself
  static arrow::Result<FragmentReuse> Make(std::vector<ReuseVersion> versions);

  /// An entry of which only the fragments that it is about are known: format 1 (5.8).
  static FragmentReuse MakeOpaque(RoaringBitmap fragments);

  /// Whether addresses cannot be followed; then no fragment that was rewritten is covered.
  bool is_opaque() const { return is_opaque_; }

  /// Where a row is now. \return no value: it is gone
  std::optional<uint64_t> Map(uint64_t address) const;

  /// The rows of a fragment that the first rewrite of it wrote again; null: it was not rewritten.
  const RoaringBitmap* FindSurvivors(uint32_t fragment_id) const;

  /// The fragments that an index answers for, by those that its entry names.
  RoaringBitmap MapCoverage(RoaringBitmap coverage) const;

  /// Bytes that it holds in memory, nearly.
  uint64_t SizeBytes() const;

  /// The rewrites, oldest first.
  const std::vector<ReuseVersion>& versions() const { return versions_; }

 private:
  FragmentReuse() = default;

  bool is_opaque_ = false;
  RoaringBitmap unknown_;  // of an opaque one
  std::vector<ReuseVersion> versions_;
  std::vector<RowMoves> moves_;  // one for each version
};

/// The fragment-reuse entry among some entries; null: there is none.
const IndexMetadata* FindFragmentReuse(const std::vector<IndexMetadata>& indices);

/// Check that a new entry was made from the one that is there.
///
/// \param replaced the one that it was made from; no value: there was none
/// \return AlreadyExists + CommitConflict, retryable: another commit changed it
arrow::Status CheckReplaced(const std::optional<Uuid>& replaced, const Manifest& manifest);

/// Read the fragment-reuse entry of a version; null: there is none.
///
/// \return SerializationError when it is malformed; KeyError + NotFound when its file is missing
arrow::Result<std::shared_ptr<const FragmentReuse>> LoadFragmentReuse(ObjectStore& store,
                                                                      const Manifest& manifest,
                                                                      const RunContext& run);

/// Let all entries name the fragments that they answer for now, as every commit of the reference
/// does: what looks at coverage from there on need not know of fragment reuse.
///
/// \return as LoadFragmentReuse
arrow::Status BringCoverageUpToDate(ObjectStore& store, const RunContext& run, Manifest* manifest);

/// Make the entry that holds some versions, under a fresh uuid; a large one gets its file written.
///
/// \param dataset_version that it is made on
arrow::Result<IndexMetadata> WriteFragmentReuse(ObjectStore& store,
                                                const std::vector<ReuseVersion>& versions,
                                                uint64_t dataset_version, const RunContext& run);

/// Delete the file of an entry that no version refers to; a failure is ignored, cleanup finds what
/// stays.
void DropReuseFile(ObjectStore& store, const IndexMetadata& entry);

}  // namespace lance::table
