#include <string>
#include <string_view>
#include <utility>

#include "lance/base/byte_reader.h"
#include "lance/base/crc32c.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/compaction_impl.h"
#include "lance/table/transaction_proto.h"

namespace lance {

namespace {

// Envelope: magic, u16 kind, u16 format version, u64 payload length, payload, u32 CRC-32C over all
// before; little-endian. The payload is a Transaction message (table-format 2.8): a Rewrite with a
// group for each task, new fragments in results only; what else there is goes into properties.
constexpr std::string_view kMagic = "LNCECOMP";
constexpr uint16_t kFormatVersion = 1;

/// What an envelope holds.
enum class Kind : uint16_t { kPlan = 1, kTask = 2, kResult = 3 };

constexpr const char* kOptions = "options";
constexpr const char* kRowsOut = "rows_out";
constexpr const char* kBytesRead = "bytes_read";
constexpr const char* kMode = "mode";
constexpr const char* kDefers = "defer_index_remap";

std::string Seal(Kind kind, std::string_view payload) {
  std::string sealed(kMagic);
  AppendLittleEndian(static_cast<uint16_t>(kind), &sealed);
  AppendLittleEndian(kFormatVersion, &sealed);
  AppendLittleEndian(static_cast<uint64_t>(payload.size()), &sealed);
  sealed.append(payload);
  AppendLittleEndian(Crc32c(sealed), &sealed);
  return sealed;
}

/// Check an envelope, and take its payload out.
arrow::Result<std::string_view> Unseal(Kind kind, std::string_view bytes) {
  ByteReader reader(AsBytes(bytes), "compaction envelope");
  ARROW_ASSIGN_OR_RAISE(const auto magic, reader.Take(kMagic.size(), "magic"));
  if (std::string_view(reinterpret_cast<const char*>(magic.data()), magic.size()) != kMagic) {
    return arrow::Status::SerializationError(
        "compaction envelope: it does not begin with ", kMagic,
        "; allowed: a plan, task or result of ordinary compaction");
  }
  ARROW_ASSIGN_OR_RAISE(const auto stored_kind, reader.Read<uint16_t>("kind"));
  ARROW_ASSIGN_OR_RAISE(const auto version, reader.Read<uint16_t>("format version"));
  if (version != kFormatVersion) {
    return UnsupportedError(
        "compaction envelope " + std::to_string(version),
        "compaction envelope: its format version is " + std::to_string(version) + "; allowed: 1");
  }
  ARROW_ASSIGN_OR_RAISE(const auto size, reader.Read<uint64_t>("payload length"));
  const size_t begin = reader.offset();
  ARROW_RETURN_NOT_OK(reader.Take(size, "payload").status());
  const size_t end = reader.offset();
  ARROW_ASSIGN_OR_RAISE(const auto checksum, reader.Read<uint32_t>("checksum"));
  if (reader.remaining() != 0 || checksum != Crc32c(bytes.substr(0, end))) {
    return arrow::Status::SerializationError("compaction envelope: its checksum is wrong");
  }
  if (stored_kind != static_cast<uint16_t>(kind)) {
    return arrow::Status::SerializationError("compaction envelope: its kind is ", stored_kind,
                                             "; allowed: ", static_cast<uint16_t>(kind),
                                             " (1 plan, 2 task, 3 result)");
  }
  return bytes.substr(begin, end - begin);
}

arrow::Result<std::string> SealTransaction(Kind kind, uint64_t read_version, table::Rewrite rewrite,
                                           std::map<std::string, std::string> properties) {
  table::Transaction message{.read_version = read_version,
                             .properties = std::move(properties),
                             .operation = std::move(rewrite)};
  ARROW_ASSIGN_OR_RAISE(const std::string payload, table::SerializeTransaction(message));
  return Seal(kind, payload);
}

/// An envelope's content, checked as far as it can be without the table.
struct Content {
  uint64_t read_version = 0;
  std::vector<table::RewriteGroup> groups;
  std::map<std::string, std::string> properties;

  arrow::Result<uint64_t> Number(const char* name) const {
    const auto found = properties.find(name);
    const std::string text = found == properties.end() ? "" : found->second;
    if (text.empty() || text.size() > 19 ||
        text.find_first_not_of("0123456789") != std::string::npos) {
      return arrow::Status::SerializationError("compaction envelope: ", name, " is \"",
                                               text.substr(0, 64), "\"; allowed: a number");
    }
    return std::stoull(text);
  }

  arrow::Result<CompactionOptions> Options() const {
    const auto found = properties.find(kOptions);
    auto options = OptionsFromJson(found == properties.end() ? "" : found->second);
    if (options.ok()) return options;
    return arrow::Status::SerializationError("compaction envelope: ", options.status().message());
  }
};

arrow::Result<Content> ParseContent(Kind kind, std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view payload, Unseal(kind, bytes));
  ARROW_ASSIGN_OR_RAISE(table::Transaction message, table::ParseTransaction(payload));
  auto* rewrite = std::get_if<table::Rewrite>(&message.operation);
  const bool fits = rewrite != nullptr && rewrite->rewritten_indices.empty() &&
                    (kind == Kind::kPlan || rewrite->groups.size() == 1);
  if (!fits) {
    return arrow::Status::SerializationError(
        "compaction envelope: its payload is no rewrite, or has a wrong number of tasks");
  }
  return Content{message.read_version, std::move(rewrite->groups), std::move(message.properties)};
}

/// Options as a plan resolved them stand alone: nothing is left to take from a table.
arrow::Result<ResolvedCompaction> ResolveStored(const Content& content) {
  ARROW_ASSIGN_OR_RAISE(const CompactionOptions options, content.Options());
  table::Manifest none;
  none.data_storage_version = options.data_storage_version;
  auto resolved = ResolveCompaction(options, none);
  if (resolved.ok()) return resolved;
  return WithContext(arrow::Status::SerializationError(resolved.status().message()),
                     "compaction envelope");
}

/// New fragments of a result are what a compaction writes: one file each, unnumbered, unstamped.
arrow::Status CheckOutputs(const std::vector<table::Fragment>& outputs) {
  for (const table::Fragment& output : outputs) {
    if (output.id == 0 && output.files.size() == 1 && !output.deletion_file &&
        !output.clustering_id && output.metadata.empty()) {
      continue;
    }
    return arrow::Status::SerializationError(
        "compaction envelope: a new fragment has an id, a stamp, a deletion file, or ",
        output.files.size(), " data files; allowed: one data file, and nothing else");
  }
  return arrow::Status::OK();
}

CompactionSize SizeOf(const std::vector<CompactionTask>& tasks) {
  CompactionSize size;
  for (const CompactionTask& task : tasks) {
    size.fragments += task.impl().sources.size();
    for (const table::Fragment& source : task.impl().sources) {
      size.rows += source.live_rows();
      for (const table::DataFile& file : source.files) size.bytes += file.size_bytes;
    }
  }
  return size;
}

}  // namespace

arrow::Result<std::string> CompactionTask::Serialize() const {
  table::Rewrite rewrite;
  rewrite.groups.push_back({.old_fragments = impl_->sources});
  return SealTransaction(Kind::kTask, impl_->read_version, std::move(rewrite),
                         {{kOptions, OptionsToJson(AsOptions(impl_->options))}});
}

arrow::Result<CompactionTask> CompactionTask::Parse(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(Content content, ParseContent(Kind::kTask, bytes));
  ARROW_ASSIGN_OR_RAISE(ResolvedCompaction options, ResolveStored(content));
  return MakeCompactionTask(content.read_version, std::move(content.groups.front().old_fragments),
                            std::move(options));
}

arrow::Result<std::string> RewriteResult::Serialize() const {
  table::Rewrite rewrite;
  rewrite.groups.push_back({.old_fragments = impl_->sources, .new_fragments = impl_->outputs});
  return SealTransaction(Kind::kResult, impl_->read_version, std::move(rewrite),
                         {{kRowsOut, std::to_string(impl_->rows_out)},
                          {kBytesRead, std::to_string(impl_->bytes_read)},
                          {kMode, ToString(impl_->mode)},
                          {kDefers, impl_->defers_index_remap ? "true" : "false"}});
}

arrow::Result<RewriteResult> RewriteResult::Parse(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(Content content, ParseContent(Kind::kResult, bytes));
  Impl impl{.read_version = content.read_version,
            .sources = std::move(content.groups.front().old_fragments),
            .outputs = std::move(content.groups.front().new_fragments)};
  ARROW_RETURN_NOT_OK(CheckOutputs(impl.outputs));
  ARROW_ASSIGN_OR_RAISE(impl.rows_out, content.Number(kRowsOut));
  ARROW_ASSIGN_OR_RAISE(impl.bytes_read, content.Number(kBytesRead));
  impl.defers_index_remap = content.properties[kDefers] == "true";
  for (const CompactionMode mode :
       {CompactionMode::kTryBinaryCopy, CompactionMode::kForceBinaryCopy}) {
    if (content.properties[kMode] == ToString(mode)) impl.mode = mode;
  }
  return MakeRewriteResult(std::move(impl));
}

arrow::Result<std::string> CompactionPlan::Serialize() const {
  table::Rewrite rewrite;
  for (const CompactionTask& task : impl_->tasks) {
    rewrite.groups.push_back({.old_fragments = task.impl().sources});
  }
  return SealTransaction(Kind::kPlan, impl_->read_version, std::move(rewrite),
                         {{kOptions, OptionsToJson(impl_->options)}});
}

arrow::Result<CompactionPlan> CompactionPlan::Parse(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(Content content, ParseContent(Kind::kPlan, bytes));
  auto impl = std::make_shared<Impl>();
  impl->read_version = content.read_version;
  ARROW_ASSIGN_OR_RAISE(impl->resolved, ResolveStored(content));
  impl->options = AsOptions(impl->resolved);
  for (table::RewriteGroup& group : content.groups) {
    impl->tasks.push_back(
        MakeCompactionTask(impl->read_version, std::move(group.old_fragments), impl->resolved));
  }
  impl->totals = SizeOf(impl->tasks);
  return CompactionPlan(std::move(impl));
}

}  // namespace lance
