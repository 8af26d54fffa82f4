#include "lance/table/tags.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/util/utf8.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/base/time_text.h"

namespace lance::table {
namespace {

constexpr std::string_view kFolder = "_refs/tags";
constexpr std::string_view kExtension = ".json";
// A description has a few hundred bytes; a larger file is none.
constexpr uint64_t kMaxTagBytes = 1 << 20;

using Json = nlohmann::ordered_json;

template <typename... Problem>
arrow::Status BadName(std::string_view name, Problem&&... problem) {
  return arrow::Status::Invalid("tag name \"", std::string(name.substr(0, 100)), "\" ",
                                std::forward<Problem>(problem)...);
}

/// Whether a text consists of letters and digits, of any script.
arrow::Result<bool> IsAlphanumeric(const std::string& text) {
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(text)) return false;
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  ARROW_ASSIGN_OR_RAISE(
      const arrow::Datum result,
      arrow::compute::CallFunction("utf8_is_alnum",
                                   {arrow::Datum(std::make_shared<arrow::StringScalar>(text))}));
  return result.scalar_as<arrow::BooleanScalar>().value;
}

/// A name as one component of a path: all but ASCII is percent-encoded.
std::string Encode(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x80) {
      encoded += letter;
    } else {
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

/// The inverse of Encode. \return no value: not encoded so
std::optional<std::string> Decode(std::string_view encoded) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string name;
  for (size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '%') {
      name += encoded[i];
      continue;
    }
    if (i + 2 >= encoded.size()) return std::nullopt;
    const int high = digit(encoded[i + 1]);
    const int low = digit(encoded[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    name += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return name;
}

std::string PathOf(std::string_view name) {
  return std::string(kFolder) + "/" + Encode(name) + std::string(kExtension);
}

arrow::Status NoTag(const std::string& name) {
  return NotFoundError("tag", name, "there is no tag " + name);
}

arrow::Status Corrupt(std::string_view key, std::string_view wanted) {
  return arrow::Status::SerializationError("\"", std::string(key), "\" is missing or no ",
                                           std::string(wanted));
}

arrow::Result<uint64_t> NumberIn(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) {
    return Corrupt(key, "number of 0 or more");
  }
  return found->get<uint64_t>();
}

/// A text, null or missing.
arrow::Result<std::optional<std::string>> TextIn(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) return Corrupt(key, "text or null");
  return found->get<std::string>();
}

arrow::Result<std::optional<Timestamp>> TimeIn(const Json& json, const char* key) {
  ARROW_ASSIGN_OR_RAISE(const std::optional<std::string> text, TextIn(json, key));
  if (!text) return std::nullopt;
  const auto time = ParseTime(*text);
  if (!time.ok()) return Corrupt(key, "time");
  return *time;
}

arrow::Result<std::map<std::string, std::string>> TextsIn(const Json& json, const char* key) {
  std::map<std::string, std::string> texts;
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return texts;
  if (!found->is_object()) return Corrupt(key, "object");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) return Corrupt(key, "object of texts");
    texts.emplace(name, value.get<std::string>());
  }
  return texts;
}

/// \return IOError when the reply to a put was lost
arrow::Status CheckReply(const Tag& tag, PutOutcome outcome) {
  if (outcome != PutOutcome::kUnknown) return arrow::Status::OK();
  return arrow::Status::IOError("the reply about tag ", tag.name,
                                " was lost: the change may be there, or come");
}

}  // namespace

arrow::Status CheckTagName(std::string_view name) {
  constexpr std::string_view kAllowed = "; allowed: letters, digits, '.', '-' and '_'";
  if (name.empty()) return BadName(name, "is empty", kAllowed);
  if (name.front() == '.' || name.back() == '.') return BadName(name, "begins or ends with a dot");
  if (name.find("..") != std::string_view::npos) return BadName(name, "has two dots in a row");
  if (name.ends_with(".lock")) return BadName(name, "ends with .lock");
  std::string others(name);
  std::erase_if(others, [](char c) { return c == '.' || c == '-' || c == '_'; });
  if (others.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const bool is_allowed, IsAlphanumeric(others));
  return is_allowed ? arrow::Status::OK() : BadName(name, "has other characters", kAllowed);
}

arrow::Result<Tag> ParseTag(std::string name, std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return arrow::Status::SerializationError("is no JSON object");
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
    return at ? Json(ToText(*at)) : Json(nullptr);
  };
  Json json = {{"branch", tag.branch ? Json(*tag.branch) : Json(nullptr)},
               {"version", tag.version},
               {"createdAt", time(tag.created_at)},
               {"updatedAt", time(tag.updated_at)},
               {"manifestSize", tag.manifest_size},
               {"metadata", Json::object()}};
  for (const auto& [key, value] : tag.metadata) json["metadata"][key] = value;
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

arrow::Result<std::vector<Tag>> TagStore::List(const RunContext& run) const {
  std::vector<std::string> names;
  ARROW_RETURN_NOT_OK(store_->List(std::string(kFolder), [&](const ObjectInfo& object) {
    std::string_view file = object.path;
    file.remove_prefix(file.rfind('/') + 1);
    if (!file.ends_with(kExtension)) return arrow::Status::OK();
    file.remove_suffix(kExtension.size());
    auto name = Decode(file);
    if (name && CheckTagName(*name).ok()) names.push_back(*std::move(name));
    return arrow::Status::OK();
  }));
  std::ranges::sort(names);
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
  ARROW_RETURN_NOT_OK(CheckTagName(name));
  const std::string path = PathOf(name);
  const auto info = store_->Head(path);
  if (!info.ok() && NotFound::From(info.status()) != nullptr) return NoTag(name);
  ARROW_RETURN_NOT_OK(info.status());
  if (info->size_bytes > kMaxTagBytes) {
    return arrow::Status::SerializationError(path, ": has ", info->size_bytes,
                                             " bytes; allowed for a tag: ", kMaxTagBytes);
  }
  const auto read = store_->Get(path, {{0, info->size_bytes}}, run.stop_token);
  if (!read.ok() && NotFound::From(read.status()) != nullptr) return NoTag(name);
  ARROW_RETURN_NOT_OK(read.status());
  auto tag = ParseTag(name, std::string_view(*read->front()));
  return tag.ok() ? tag : WithContext(tag.status(), path);
}

arrow::Status TagStore::Create(const Tag& tag) const {
  ARROW_RETURN_NOT_OK(CheckTagName(tag.name));
  ARROW_ASSIGN_OR_RAISE(const PutOutcome outcome,
                        store_->Put(PathOf(tag.name), arrow::Buffer::FromString(SerializeTag(tag)),
                                    PutMode::kIfAbsent));
  if (outcome == PutOutcome::kExists) {
    return arrow::Status::AlreadyExists("there is a tag ", tag.name, " already");
  }
  return CheckReply(tag, outcome);
}

arrow::Status TagStore::Update(const Tag& tag, const RunContext& run) const {
  ARROW_RETURN_NOT_OK(Load(tag.name, run).status());
  ARROW_ASSIGN_OR_RAISE(const PutOutcome outcome,
                        store_->Put(PathOf(tag.name), arrow::Buffer::FromString(SerializeTag(tag)),
                                    PutMode::kOverwrite));
  return CheckReply(tag, outcome);
}

arrow::Status TagStore::Delete(const std::string& name, const RunContext& run) const {
  ARROW_RETURN_NOT_OK(Load(name, run).status());
  return store_->Delete(PathOf(name));
}

}  // namespace lance::table
