#include "lance/table/version_hint.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "arrow/buffer.h"
#include "arrow/util/cancel.h"
#include "lance/table/manifest_names.h"

namespace lance::table {
namespace {

constexpr std::string_view kHintSwitch = "LANCE_USE_VERSION_HINT";
// A hint has some 15 bytes; whoever stores more is not worth the reading.
constexpr uint64_t kMaxHintBytes = 1024;

bool IsHintSwitchedOff() {
  const char* value = std::getenv(kHintSwitch.data());
  if (value == nullptr) return false;
  const std::string_view text(value);
  return text == "0" || text == "false" || text == "off";
}

}  // namespace

std::optional<uint64_t> ParseVersionHint(std::string_view text) {
  if (text.size() > kMaxHintBytes) return std::nullopt;
  const auto hint = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!hint.is_object()) return std::nullopt;
  const auto found = hint.find("version");
  if (found == hint.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto version = found->get<uint64_t>();
  if (version == 0 || version >= kFirstDetachedVersion) return std::nullopt;
  return version;
}

std::optional<uint64_t> ReadVersionHint(ObjectStore& store, const RunContext& run) {
  if (IsHintSwitchedOff()) return std::nullopt;
  const std::string path(kVersionHintPath);
  const auto info = store.Head(path);
  if (!info.ok() || info->size_bytes == 0 || info->size_bytes > kMaxHintBytes) return std::nullopt;
  const auto read = store.Get(path, {{0, info->size_bytes}}, run.stop_token);
  if (!read.ok() || read->size() != 1) return std::nullopt;
  const auto& bytes = *read->front();
  return ParseVersionHint(
      {reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(bytes.size())});
}

void WriteVersionHint(ObjectStore& store, uint64_t version) {
  if (IsHintSwitchedOff()) return;
  const nlohmann::json hint = {{"version", version}};
  (void)store.Put(std::string(kVersionHintPath), arrow::Buffer::FromString(hint.dump()),
                  PutMode::kOverwriteLazily);
}

}  // namespace lance::table
