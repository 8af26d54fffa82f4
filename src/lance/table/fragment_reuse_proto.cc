#include "lance/table/fragment_reuse_proto.h"

#include <limits>
#include <utility>

#include "lance/base/byte_reader.h"
#include "lance/table/wire_proto.h"

namespace lance::table {
namespace {

namespace pb = lance_pb::table;
using Digests = google::protobuf::RepeatedPtrField<pb::FragmentReuseIndexDetails::FragmentDigest>;

arrow::Result<std::vector<ReuseDigest>> ParseDigests(const Digests& messages) {
  std::vector<ReuseDigest> digests;
  for (const auto& message : messages) {
    if (message.id() > std::numeric_limits<uint32_t>::max()) {
      return arrow::Status::SerializationError("FragmentDigest.id is ", message.id(),
                                               ", allowed below 4294967296");
    }
    digests.push_back({message.id(), message.physical_rows(), message.num_deleted_rows()});
  }
  return digests;
}

void WriteDigests(const std::vector<ReuseDigest>& digests, Digests* messages) {
  for (const ReuseDigest& digest : digests) {
    auto* message = messages->Add();
    message->set_id(digest.id);
    message->set_physical_rows(digest.physical_rows);
    message->set_num_deleted_rows(digest.num_deleted_rows);
  }
}

arrow::Result<ReuseVersion> ParseVersion(const pb::FragmentReuseIndexDetails::Version& message) {
  ReuseVersion version{.dataset_version = message.dataset_version()};
  for (const auto& group_message : message.groups()) {
    ReuseGroup group;
    ARROW_ASSIGN_OR_RAISE(
        group.survivors,
        ParseTreemap(AsBytes(group_message.changed_row_addrs()), "FragmentReuse.changed_row_addrs"));
    ARROW_ASSIGN_OR_RAISE(group.old_fragments, ParseDigests(group_message.old_fragments()));
    ARROW_ASSIGN_OR_RAISE(group.new_fragments, ParseDigests(group_message.new_fragments()));
    version.groups.push_back(std::move(group));
  }
  return version;
}

void AddFragments(const Digests& digests, RoaringBitmap* fragments) {
  for (const auto& digest : digests) fragments->Add(static_cast<uint32_t>(digest.id()));
}

}  // namespace

arrow::Result<StoredReuse> ParseReuseDetails(std::string_view bytes) {
  pb::FragmentReuseIndexDetails message;
  ARROW_RETURN_NOT_OK(ParseMessage(bytes, "FragmentReuseIndexDetails", &message));
  if (message.has_inline_content()) return StoredReuse(message.inline_content());
  if (!message.has_external()) {
    return arrow::Status::SerializationError(
        "FragmentReuseIndexDetails has neither content nor the place of a file");
  }
  const auto& external = message.external();
  ARROW_RETURN_NOT_OK(CheckText(external.path(), "FragmentReuseIndexDetails.external.path"));
  return StoredReuse(
      ExternalReuse{external.path(), external.offset(), external.size()});
}

arrow::Result<std::string> SerializeReuseDetails(const StoredReuse& stored) {
  pb::FragmentReuseIndexDetails message;
  if (const auto* external = std::get_if<ExternalReuse>(&stored)) {
    message.mutable_external()->set_path(external->path);
    message.mutable_external()->set_offset(external->offset);
    message.mutable_external()->set_size(external->size);
  } else {
    message.set_inline_content(std::get<std::string>(stored));
  }
  return SerializeMessage(message, "FragmentReuseIndexDetails");
}

arrow::Result<ReuseContent> ParseReuseContent(std::string_view bytes) {
  pb::FragmentReuseIndexDetails::Content message;
  ARROW_RETURN_NOT_OK(ParseMessage(bytes, "FragmentReuseIndexDetails.InlineContent", &message));
  ReuseContent content;
  for (const auto& version : message.versions()) {
    ARROW_ASSIGN_OR_RAISE(content.versions.emplace_back(), ParseVersion(version));
  }
  if (message.transitions().empty()) return content;
  content.transition_fragments.emplace();
  for (const auto& transition : message.transitions()) {
    AddFragments(transition.sources(), &*content.transition_fragments);
    AddFragments(transition.destinations(), &*content.transition_fragments);
  }
  return content;
}

arrow::Result<std::string> SerializeReuseContent(const std::vector<ReuseVersion>& versions) {
  pb::FragmentReuseIndexDetails::Content message;
  for (const ReuseVersion& version : versions) {
    auto* written = message.add_versions();
    written->set_dataset_version(version.dataset_version);
    for (const ReuseGroup& group : version.groups) {
      auto* written_group = written->add_groups();
      written_group->set_changed_row_addrs(SerializeTreemap(group.survivors));
      WriteDigests(group.old_fragments, written_group->mutable_old_fragments());
      WriteDigests(group.new_fragments, written_group->mutable_new_fragments());
    }
  }
  return SerializeMessage(message, "FragmentReuseIndexDetails.InlineContent");
}

}  // namespace lance::table
