#include "lance/index/bloom_filter_index.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/index/bloom_filter.h"
#include "lance/index/bloom_zones.h"
#include "lance/index/index_file.h"

namespace lance::index {
namespace {

using ScalarPtr = std::shared_ptr<arrow::Scalar>;

constexpr char kFileName[] = "bloomfilter.lance";
constexpr int32_t kHighestVersion = 0;

/// Claimed fragments without zones that are put up with: emptied ones, or a writer's error.
constexpr uint64_t kMaxUntoldFragments = uint64_t{1} << 20;

/// The literals that a leaf asks equality with; no value: it asks something else.
std::optional<std::vector<ScalarPtr>> EqualLiterals(const Predicate& leaf) {
  if (leaf.kind == Predicate::Kind::kIn) return leaf.values;
  const auto is_closed = [](const std::optional<Bound>& bound) {
    return bound && bound->inclusive && bound->value;
  };
  if (leaf.kind != Predicate::Kind::kRange || !is_closed(leaf.lower) || !is_closed(leaf.upper) ||
      !leaf.lower->value->Equals(*leaf.upper->value)) {
    return std::nullopt;
  }
  // Both, should they be zeros of two signs, which Arrow takes for equal.
  return std::vector<ScalarPtr>{leaf.lower->value, leaf.upper->value};
}

class BloomFilterIndex : public ScalarIndex {
 public:
  /// \param untold fragments that the index entry claims, and of which no zone tells anything
  BloomFilterIndex(BloomZones zones, RowAddressMap untold, std::shared_ptr<arrow::DataType> type)
      : zones_(std::move(zones)), untold_(std::move(untold)), type_(std::move(type)) {}

  RowDomain domain() const override { return RowDomain::kAddress; }

  bool Answers(const Predicate& leaf) const override {
    if (leaf.kind == Predicate::Kind::kIsNull) return true;
    const auto literals = EqualLiterals(leaf);
    return literals &&
           std::all_of(literals->begin(), literals->end(), [this](const ScalarPtr& literal) {
             return literal && literal->type->Equals(*type_) && BloomHash(*literal).has_value();
           });
  }

  arrow::Result<LeafMatches> Search(const Predicate& leaf, NullRows /*nulls*/,
                                    const RunContext& run) const override {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    LeafMatches matches;
    if (leaf.kind == Predicate::Kind::kIsNull) {
      matches.rows = zones_.nulls();
      matches.is_exact = zones_.nulls_are_exact() && untold_.entries.empty();
      if (matches.is_exact) {
        matches.null_rows = RowAddressMap{};
        return matches;
      }
      matches.rows |= zones_.RowsOfNullZones();
    } else {
      ARROW_ASSIGN_OR_RAISE(const auto hashes, HashesOf(leaf));
      matches.rows = zones_.RowsWhere([&](std::string_view filter) {
        return std::any_of(hashes.begin(), hashes.end(),
                           [&](uint64_t hash) { return BloomMayHold(AsBytes(filter), hash); });
      });
    }
    matches.rows |= untold_;
    return matches;
  }

  std::vector<std::pair<std::string, Fact>> Facts() const override {
    return {{"type", "BloomFilter"}, {"num_blocks", zones_.num_zones()}};
  }

  uint64_t SizeBytes() const override {
    return zones_.SizeBytes() + untold_.entries.size() * sizeof(RowAddressMap::Entry);
  }

 private:
  static arrow::Result<std::vector<uint64_t>> HashesOf(const Predicate& leaf) {
    std::vector<uint64_t> hashes;
    for (const ScalarPtr& literal : EqualLiterals(leaf).value_or(std::vector<ScalarPtr>{})) {
      const auto hash = BloomHash(*literal);
      if (!hash) return InternalError(leaf.text + " is no question for a bloom filter");
      hashes.push_back(*hash);
    }
    return hashes;
  }

  BloomZones zones_;
  RowAddressMap untold_;
  std::shared_ptr<arrow::DataType> type_;
};

/// Fragments that are claimed, but have no zone: all their rows may match (1.7).
arrow::Result<RowAddressMap> UntoldFragments(const table::IndexMetadata& segment,
                                             const BloomZones& zones) {
  RowAddressMap untold;
  ARROW_ASSIGN_OR_RAISE(auto coverage, segment.Coverage());
  if (!coverage) return untold;
  *coverage -= zones.fragments();
  if (coverage->size() > kMaxUntoldFragments) {
    return arrow::Status::SerializationError("index entry claims ", coverage->size(),
                                             " fragments without zones, allowed ",
                                             kMaxUntoldFragments);
  }
  for (const uint32_t fragment_id : coverage->ToVector()) {
    untold.entries.push_back({fragment_id, std::nullopt});
  }
  return untold;
}

}  // namespace

arrow::Result<std::shared_ptr<const ScalarIndex>> OpenBloomFilterIndex(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run) {
  ARROW_RETURN_NOT_OK(CheckPlainSegment(segment, "bloom filter index", kHighestVersion));
  if (!column_type || !HasBloomHash(*column_type)) {
    const std::string name =
        "bloom filter index of type " + (column_type ? column_type->ToString() : "null");
    return UnsupportedError(name, name + " is not supported");
  }
  ARROW_ASSIGN_OR_RAISE(const auto file, OpenIndexFile(std::move(store), segment, kFileName, run));
  auto zones = BloomZones::Read(*file, run);
  if (!zones.ok()) return InFile(zones.status(), file->path());
  ARROW_ASSIGN_OR_RAISE(RowAddressMap untold, UntoldFragments(segment, *zones));
  return std::make_shared<const BloomFilterIndex>(std::move(*zones), std::move(untold),
                                                  column_type);
}

}  // namespace lance::index
