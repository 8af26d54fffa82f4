#include "lance/table/fragment_reuse.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/base/epoch_time.h"
#include "lance/base/status_detail.h"
#include "lance/table/base_path.h"
#include "lance/table/fragment_reuse_proto.h"
#include "lance/table/whole_file.h"

namespace lance::table {
namespace {

constexpr std::string_view kTypeUrl = "/lance.table.FragmentReuseIndexDetails";
constexpr std::string_view kFileName = "details.binpb";

std::string FilePath(const IndexMetadata& entry, std::string_view name) {
  return BaseFolder(entry.base_id) + "_indices/" + entry.uuid.ToString() + "/" + std::string(name);
}

arrow::Status Contradiction(const ReuseVersion& version, const std::string& problem) {
  return arrow::Status::SerializationError(kFragmentReuseName, ", version ",
                                           version.dataset_version, ": ", problem);
}

/// The group with its old fragments in ascending order, whatever order they are listed in: it is
/// addresses that are in order (zonemap-and-indices 8.1, 24).
arrow::Result<MovedGroup> ToMovedGroup(const ReuseVersion& version, const ReuseGroup& group) {
  std::map<uint32_t, RoaringBitmap> sources;
  for (const ReuseDigest& digest : group.old_fragments) {
    const auto id = static_cast<uint32_t>(digest.id);
    const auto survivors = group.survivors.find(id);
    RoaringBitmap offsets =
        survivors == group.survivors.end() ? RoaringBitmap() : survivors->second;
    if (digest.physical_rows <= std::numeric_limits<uint32_t>::max() &&
        offsets.Rank(static_cast<uint32_t>(digest.physical_rows)) != offsets.size()) {
      return Contradiction(version, "a row behind the " + std::to_string(digest.physical_rows) +
                                        " rows of fragment " + std::to_string(id) + " survives");
    }
    if (!sources.emplace(id, std::move(offsets)).second) {
      return Contradiction(version, "fragment " + std::to_string(id) + " is replaced twice");
    }
  }
  for (const auto& [id, offsets] : group.survivors) {
    if (sources.contains(id)) continue;
    return Contradiction(
        version, "rows of fragment " + std::to_string(id) + " survive, which is not replaced");
  }
  MovedGroup moved;
  for (auto& [id, offsets] : sources) moved.sources.push_back({id, std::move(offsets)});
  for (const ReuseDigest& digest : group.new_fragments) {
    moved.targets.push_back({static_cast<uint32_t>(digest.id), digest.physical_rows});
  }
  return moved;
}

/// The content of an entry, wherever it is.
arrow::Result<std::string> ReadContent(ObjectStore& store, const IndexMetadata& entry,
                                       const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(StoredReuse stored, ParseReuseDetails(entry.details_value));
  if (auto* content = std::get_if<std::string>(&stored)) return std::move(*content);
  const auto& external = std::get<ExternalReuse>(stored);
  if (external.path.empty() || external.path.find('/') != std::string::npos ||
      external.path.starts_with('.')) {
    return arrow::Status::SerializationError(kFragmentReuseName, ": \"",
                                             external.path.substr(0, 64),
                                             "\" is no name of a file in its folder");
  }
  const std::string path = FilePath(entry, external.path);
  ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadWhole(store, path, std::nullopt, run));
  ByteReader in(
      {reinterpret_cast<const std::byte*>(bytes->data()), static_cast<size_t>(bytes->size())},
      path);
  ARROW_RETURN_NOT_OK(in.Take(external.offset, "content").status());
  ARROW_ASSIGN_OR_RAISE(const auto content, in.Take(external.size, "content"));
  return std::string(reinterpret_cast<const char*>(content.data()), content.size());
}

/// Every fragment that some versions are about.
RoaringBitmap FragmentsOf(const std::vector<ReuseVersion>& versions) {
  RoaringBitmap ids;
  for (const ReuseVersion& version : versions) {
    for (const ReuseGroup& group : version.groups) {
      for (const auto& digest : group.old_fragments) ids.Add(static_cast<uint32_t>(digest.id));
      for (const auto& digest : group.new_fragments) ids.Add(static_cast<uint32_t>(digest.id));
    }
  }
  return ids;
}

}  // namespace

arrow::Result<FragmentReuse> FragmentReuse::Make(std::vector<ReuseVersion> versions) {
  FragmentReuse reuse;
  for (const ReuseVersion& version : versions) {
    std::vector<MovedGroup> groups;
    for (const ReuseGroup& group : version.groups) {
      ARROW_ASSIGN_OR_RAISE(groups.emplace_back(), ToMovedGroup(version, group));
    }
    auto moves = RowMoves::Make(std::move(groups));
    if (!moves.ok()) return Contradiction(version, moves.status().message());
    reuse.moves_.push_back(*std::move(moves));
  }
  reuse.versions_ = std::move(versions);
  return reuse;
}

FragmentReuse FragmentReuse::MakeOpaque(RoaringBitmap fragments) {
  FragmentReuse reuse;
  reuse.is_opaque_ = true;
  reuse.unknown_ = std::move(fragments);
  return reuse;
}

std::optional<uint64_t> FragmentReuse::Map(uint64_t address) const {
  if (unknown_.Contains(static_cast<uint32_t>(address >> 32))) return std::nullopt;
  for (const RowMoves& moves : moves_) {
    const auto moved = moves.Map(address);
    if (!moved) return std::nullopt;
    address = *moved;
  }
  return address;
}

const RoaringBitmap* FragmentReuse::FindSurvivors(uint32_t fragment_id) const {
  for (const RowMoves& moves : moves_) {
    if (const RoaringBitmap* survivors = moves.FindSurvivors(fragment_id)) return survivors;
  }
  return nullptr;
}

RoaringBitmap FragmentReuse::MapCoverage(RoaringBitmap coverage) const {
  coverage -= unknown_;
  for (const RowMoves& moves : moves_) moves.MoveCoverage(&coverage);
  return coverage;
}

uint64_t FragmentReuse::SizeBytes() const {
  uint64_t num_bytes = sizeof(*this);
  for (const ReuseVersion& version : versions_) {
    for (const ReuseGroup& group : version.groups) {
      num_bytes += (group.old_fragments.size() + group.new_fragments.size()) * sizeof(ReuseDigest);
      // Twice, and at most one bit for each row.
      for (const auto& [id, offsets] : group.survivors) num_bytes += 2 * (offsets.size() / 8 + 64);
    }
  }
  return num_bytes;
}

const IndexMetadata* FindFragmentReuse(const std::vector<IndexMetadata>& indices) {
  const auto entry = std::ranges::find(indices, kFragmentReuseName, &IndexMetadata::name);
  return entry == indices.end() ? nullptr : &*entry;
}

arrow::Status CheckReplaced(const std::optional<Uuid>& replaced, const Manifest& manifest) {
  const IndexMetadata* present = FindFragmentReuse(manifest.indices);
  const std::optional<Uuid> uuid = present ? std::optional(present->uuid) : std::nullopt;
  if (uuid == replaced) return arrow::Status::OK();
  return arrow::Status::AlreadyExists("another commit changed ", kFragmentReuseName,
                                      " up to version ", manifest.version)
      .WithDetail(std::make_shared<CommitConflict>(manifest.version, "unknown",
                                                   /*retryable=*/true));
}

arrow::Result<std::shared_ptr<const FragmentReuse>> LoadFragmentReuse(ObjectStore& store,
                                                                      const Manifest& manifest,
                                                                      const RunContext& run) {
  const IndexMetadata* entry = FindFragmentReuse(manifest.indices);
  if (entry == nullptr) return nullptr;
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, ReadContent(store, *entry, run));
  ARROW_ASSIGN_OR_RAISE(ReuseContent content, ParseReuseContent(bytes));
  if (entry->index_version.value_or(0) != 0 || content.transition_fragments) {
    RoaringBitmap fragments = content.transition_fragments.value_or(RoaringBitmap());
    fragments |= FragmentsOf(content.versions);
    return std::make_shared<const FragmentReuse>(FragmentReuse::MakeOpaque(std::move(fragments)));
  }
  ARROW_ASSIGN_OR_RAISE(FragmentReuse reuse, FragmentReuse::Make(std::move(content.versions)));
  return std::make_shared<const FragmentReuse>(std::move(reuse));
}

arrow::Status BringCoverageUpToDate(ObjectStore& store, const RunContext& run, Manifest* manifest) {
  ARROW_ASSIGN_OR_RAISE(const auto reuse, LoadFragmentReuse(store, *manifest, run));
  if (reuse == nullptr) return arrow::Status::OK();
  if (reuse->is_opaque()) {
    return UnsupportedError("tagged fragment reuse",
                            std::string(kFragmentReuseName) +
                                " is of format 1; tables with it can be read, not written");
  }
  for (IndexMetadata& index : manifest->indices) {
    if (index.name == kFragmentReuseName) continue;
    ARROW_ASSIGN_OR_RAISE(auto coverage, index.Coverage());
    if (!coverage) continue;
    const RoaringBitmap mapped = reuse->MapCoverage(*coverage);
    if (mapped != *coverage) index.fragment_bitmap = mapped.Serialize();
  }
  return arrow::Status::OK();
}

arrow::Result<IndexMetadata> WriteFragmentReuse(ObjectStore& store,
                                                const std::vector<ReuseVersion>& versions,
                                                uint64_t dataset_version, const RunContext& run) {
  IndexMetadata entry;
  entry.uuid = Uuid::Random(*run.random);
  entry.name = kFragmentReuseName;
  entry.dataset_version = dataset_version;
  entry.has_details = true;
  entry.details_type_url = kTypeUrl;
  entry.index_version = 0;
  entry.created_at_ms = EpochMilliseconds(*run.clock);
  RoaringBitmap new_fragments;
  for (const ReuseVersion& version : versions) {
    for (const ReuseGroup& group : version.groups) {
      for (const auto& digest : group.old_fragments) {
        new_fragments.Remove(static_cast<uint32_t>(digest.id));  // of an earlier version
      }
      for (const auto& digest : group.new_fragments) {
        new_fragments.Add(static_cast<uint32_t>(digest.id));
      }
    }
  }
  entry.fragment_bitmap = new_fragments.Serialize();
  ARROW_ASSIGN_OR_RAISE(std::string content, SerializeReuseContent(versions));
  StoredReuse stored = content;
  if (content.size() > kMaxInlineReuseBytes) {
    stored = ExternalReuse{.path = std::string(kFileName), .size = content.size()};
    const std::string path = FilePath(entry, kFileName);
    ARROW_ASSIGN_OR_RAISE(
        const PutOutcome put,
        store.Put(path, arrow::Buffer::FromString(std::move(content)), PutMode::kOverwrite));
    if (put != PutOutcome::kStored) {
      return arrow::Status::IOError(path, ": the store does not say whether it was written");
    }
  }
  ARROW_ASSIGN_OR_RAISE(entry.details_value, SerializeReuseDetails(stored));
  return entry;
}

void DropReuseFile(ObjectStore& store, const IndexMetadata& entry) {
  const auto stored = ParseReuseDetails(entry.details_value);
  if (!stored.ok() || !std::holds_alternative<ExternalReuse>(*stored)) return;
  (void)store.Delete(FilePath(entry, kFileName));
}

}  // namespace lance::table
