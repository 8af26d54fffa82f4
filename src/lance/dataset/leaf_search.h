#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "lance/base/row_ranges.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/system_column_reader.h"
#include "lance/index/predicate.h"
#include "lance/index/prune.h"

namespace lance {

/// What searching indices cost.
struct SearchCounters {
  uint64_t indices_loaded = 0;
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  /// Searches of one segment for one leaf.
  uint64_t searches = 0;
  /// Of index files, as in IoCounters. What another scan reads of a segment at the same time is
  /// counted here as well.
  uint64_t requests = 0;
  uint64_t iops = 0;
  uint64_t bytes_read = 0;
};

/// Answers leaves of a predicate from indices that name rows. Thread-compatible.
///
/// A segment is opened and searched when the first fragment that it covers asks, once for each
/// leaf. One that cannot be opened or searched is reported as a warning, and is not asked again.
class LeafSearch {
 public:
  /// \param leaves outlive this
  /// \param asks_false whether it matters for which rows a leaf is FALSE
  /// \param reuse through which coverage and addresses go; null: nothing to go through
  LeafSearch(std::shared_ptr<const Dataset::Impl> dataset,
             std::vector<const index::Predicate*> leaves, bool asks_false,
             std::shared_ptr<const table::FragmentReuse> reuse, const RunContext& run);

  /// What the indices say of one leaf in one fragment. A plain value.
  struct Answer {
    index::LeafRows rows;
    /// The rows of `may_be_true` are those for which the leaf is TRUE.
    bool is_exact = false;
    const table::IndexMetadata* segment = nullptr;
  };

  /// \param columns of the fragment, for its row ids
  /// \return no value: no index answers, or none that is worth a search; an error when the run was
  ///   cancelled
  arrow::Result<std::optional<Answer>> Ask(size_t leaf, const table::Fragment& fragment,
                                           SystemColumnReader* columns);

  /// Whether there is anything to ask.
  bool has_segments() const { return !segments_.empty(); }

  const SearchCounters& counters() const { return counters_; }

 private:
  struct Segment {
    ScalarSegment described;
    std::shared_ptr<const OpenedScalarIndex> opened;
    bool is_unusable = false;
  };

  /// What one segment holds for one leaf.
  struct Found {
    bool is_answered = false;
    index::LeafMatches matches;
  };

  arrow::Result<bool> Open(Segment* segment);
  arrow::Result<const Found*> Search(size_t leaf, Segment* segment);
  arrow::Result<std::optional<index::LeafMatches>> SearchOnce(size_t leaf, Segment* segment);
  arrow::Result<Answer> Translate(const Found& found, const Segment& segment,
                                  const table::Fragment& fragment,
                                  SystemColumnReader* columns) const;
  /// Count what was read since `before`, and warn when it did not work.
  arrow::Status Settle(const arrow::Status& outcome, Segment* segment);
  bool NamesRowsById(const Segment& segment) const;

  std::shared_ptr<const Dataset::Impl> dataset_;
  std::vector<const index::Predicate*> leaves_;
  std::shared_ptr<const table::FragmentReuse> reuse_;
  RunContext run_;
  bool asks_false_;
  bool has_stable_row_ids_;
  std::map<int32_t, std::list<Segment>> segments_;  // by field id
  std::map<std::pair<size_t, const Segment*>, Found> found_;
  SearchCounters counters_;
};

}  // namespace lance
