#include "lance/table/tags.h"

#include <utility>

#include "lance/base/status_detail.h"
#include "lance/base/time_text.h"
#include "lance/table/ref_json.h"

namespace lance::table {
namespace {

arrow::Result<std::optional<Timestamp>> TimeIn(const RefJson& json, const char* key) {
  ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> text, TextIn(json, key));
  if (!text) return std::nullopt;
  const auto time = ParseTime(*text);
  if (!time.ok()) return BadRefMember(key, "time");
  return *time;
}

}  // namespace

arrow::Result<Tag> ParseTag(std::string name, std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const RefJson json, ParseRefJson(text));
  Tag tag{.name = std::move(name)};
  ARROW_ASSIGN_OR_RAISE(tag.branch, TextIn(json, "branch"));
  ARROW_ASSIGN_OR_RAISE(tag.version, NumberIn(json, "version"));
  ARROW_ASSIGN_OR_RAISE(tag.created_at, TimeIn(json, "createdAt"));
  ARROW_ASSIGN_OR_RAISE(tag.updated_at, TimeIn(json, "updatedAt"));
  ARROW_ASSIGN_OR_RAISE(tag.manifest_size, NumberIn(json, "manifestSize"));
  ARROW_ASSIGN_OR_RAISE(tag.metadata, TextsIn(json, "metadata"));
  return tag;
}

std::string SerializeTag(const Tag& tag) {
  const auto time = [](const std::optional<Timestamp>& at) {
    return at ? RefJson(ToText(*at)) : RefJson(nullptr);
  };
  RefJson json = {{"branch", tag.branch ? RefJson(*tag.branch) : RefJson(nullptr)},
                  {"version", tag.version},
                  {"createdAt", time(tag.created_at)},
                  {"updatedAt", time(tag.updated_at)},
                  {"manifestSize", tag.manifest_size},
                  {"metadata", RefJson::object()}};
  for (const auto& [key, value] : tag.metadata) json["metadata"][key] = value;
  return WriteRefJson(json);
}

arrow::Result<std::vector<Tag>> TagStore::List(const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> names, folder_.ListNames());
  std::vector<Tag> tags;
  for (const std::string& name : names) {
    auto tag = Load(name, run);
    if (!tag.ok() && NotFound::From(tag.status()) != nullptr) continue;  // deleted meanwhile
    ARROW_RETURN_NOT_OK(tag.status());
    tags.push_back(*std::move(tag));
  }
  return tags;
}

arrow::Result<Tag> TagStore::Load(const std::string& name, const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(const std::string text, folder_.Load(name, run));
  auto tag = ParseTag(name, text);
  return tag.ok() ? tag : WithContext(tag.status(), folder_.PathOf(name));
}

arrow::Result<PutOutcome> TagStore::Create(const Tag& tag) const {
  return folder_.Put(tag.name, SerializeTag(tag), PutMode::kIfAbsent);
}

arrow::Result<PutOutcome> TagStore::Update(const Tag& tag, const RunContext& run) const {
  ARROW_RETURN_NOT_OK(Load(tag.name, run).status());
  return folder_.Put(tag.name, SerializeTag(tag), PutMode::kOverwrite);
}

arrow::Status TagStore::Delete(const std::string& name, const RunContext& run) const {
  // A damaged one holds up cleanups until it is gone.
  const arrow::Status loaded = Load(name, run).status();
  if (!loaded.IsSerializationError()) ARROW_RETURN_NOT_OK(loaded);
  return folder_.Delete(name);
}

}  // namespace lance::table
