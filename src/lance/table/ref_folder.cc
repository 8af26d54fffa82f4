#include "lance/table/ref_folder.h"

#include <algorithm>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/status_detail.h"
#include "lance/table/ref_names.h"

namespace lance::table {
namespace {

constexpr std::string_view kExtension = ".json";
// A description has a few hundred bytes; a larger file is none.
constexpr uint64_t kMaxDescriptionBytes = 1 << 20;

}  // namespace

RefFolder::RefFolder(std::shared_ptr<ObjectStore> store, std::string kind, CheckName check_name)
    : store_(std::move(store)),
      kind_(std::move(kind)),
      folder_("_refs/" + kind_ + (kind_.ends_with("h") ? "es" : "s")),
      check_name_(check_name) {}

std::string RefFolder::PathOf(std::string_view name) const {
  return folder_ + "/" + EncodeRefName(name) + std::string(kExtension);
}

arrow::Status RefFolder::NotThere(const std::string& name) const {
  return NotFoundError(kind_, name, "there is no " + kind_ + " " + name);
}

arrow::Result<std::vector<std::string>> RefFolder::ListNames() const {
  std::vector<std::string> names;
  ARROW_RETURN_NOT_OK(store_->List(folder_, [&](const ObjectInfo& object) {
    std::string_view file = object.path;
    if (file.rfind('/') != folder_.size()) return arrow::Status::OK();  // deeper down
    file.remove_prefix(folder_.size() + 1);
    if (!file.ends_with(kExtension)) return arrow::Status::OK();
    file.remove_suffix(kExtension.size());
    auto name = DecodeRefName(file);
    if (name && check_name_(*name).ok()) names.push_back(*std::move(name));
    return arrow::Status::OK();
  }));
  std::ranges::sort(names);
  return names;
}

arrow::Result<std::string> RefFolder::Load(const std::string& name, const RunContext& run) const {
  ARROW_RETURN_NOT_OK(check_name_(name));
  const std::string path = PathOf(name);
  const auto info = store_->Head(path);
  if (!info.ok() && NotFound::From(info.status()) != nullptr) return NotThere(name);
  ARROW_RETURN_NOT_OK(info.status());
  if (info->size_bytes > kMaxDescriptionBytes) {
    return arrow::Status::SerializationError(path, ": has ", info->size_bytes,
                                             " bytes; allowed: ", kMaxDescriptionBytes);
  }
  const auto read = store_->Get(path, {{0, info->size_bytes}}, run.stop_token);
  if (!read.ok() && NotFound::From(read.status()) != nullptr) return NotThere(name);
  ARROW_RETURN_NOT_OK(read.status());
  return std::string(std::string_view(*read->front()));
}

arrow::Result<PutOutcome> RefFolder::Put(const std::string& name, const std::string& text,
                                         PutMode mode) const {
  ARROW_RETURN_NOT_OK(check_name_(name));
  return store_->Put(PathOf(name), arrow::Buffer::FromString(text), mode);
}

arrow::Status RefFolder::Delete(const std::string& name) const {
  ARROW_RETURN_NOT_OK(check_name_(name));
  return store_->Delete(PathOf(name));
}

}  // namespace lance::table
