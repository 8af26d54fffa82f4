#include "lance/table/base_path.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/base/status_detail.h"
#include "lance/io/table_uri.h"
#include "lance/table/decimal.h"

namespace lance::table {
namespace {

constexpr std::string_view kBasesFolder = "_bases/";

std::string NameOf(const BasePath& base) {
  return "base path " + std::to_string(base.id) + " (" + base.path + ")";
}

/// See MakeBasePathStore.
class BasePathStore : public ObjectStore {
 public:
  BasePathStore(std::shared_ptr<ObjectStore> root, std::vector<BasePath> bases, BaseOpener open)
      : root_(std::move(root)), bases_(std::move(bases)), open_(std::move(open)) {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) override {
    if (!IsBelowBase(path)) return root_->Get(path, ranges, stop);
    ARROW_ASSIGN_OR_RAISE(const Place place, Find(path));
    auto read = place.store->Get(place.path, ranges, stop);
    return read.ok() ? std::move(read) : WithContext(read.status(), NameOf(*place.base));
  }

  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    if (!IsBelowBase(path)) return root_->Head(path);
    ARROW_ASSIGN_OR_RAISE(const Place place, Find(path));
    auto info = place.store->Head(place.path);
    if (!info.ok()) return WithContext(info.status(), NameOf(*place.base));
    info->path = path;
    return info;
  }

  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    if (IsBelowBase(prefix)) return NotThere(prefix);
    return root_->List(prefix, visit);
  }

  arrow::Status ListPaths(const std::string& prefix,
                          const std::function<arrow::Status(std::string)>& visit) override {
    if (IsBelowBase(prefix)) return NotThere(prefix);
    return root_->ListPaths(prefix, visit);
  }

  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    if (IsBelowBase(path)) return NotThere(path);
    return root_->Put(path, std::move(bytes), mode);
  }

  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    if (!IsBelowBase(path)) return root_->OpenWrite(path);
    ARROW_ASSIGN_OR_RAISE(const Place place, FindDataFile(path));
    auto stream = place.store->OpenWrite(place.path);
    return stream.ok() ? std::move(stream) : WithContext(stream.status(), NameOf(*place.base));
  }

  arrow::Status Delete(const std::string& path) override {
    if (!IsBelowBase(path)) return root_->Delete(path);
    ARROW_ASSIGN_OR_RAISE(const Place place, FindDataFile(path));
    return WithContext(place.store->Delete(place.path), NameOf(*place.base));
  }

  bool HasCheapListing() const override { return root_->HasCheapListing(); }

 private:
  /// Where a file really is.
  struct Place {
    const BasePath* base = nullptr;
    std::shared_ptr<ObjectStore> store;
    std::string path;
  };

  static bool IsBelowBase(std::string_view path) { return path.starts_with(kBasesFolder); }

  static arrow::Status NotThere(const std::string& path) {
    return InternalError(path + ": of other base paths, only data files are written");
  }

  arrow::Result<Place> FindDataFile(const std::string& path) {
    if (path.find("/data/") == std::string::npos) return NotThere(path);
    return Find(path);
  }

  arrow::Result<Place> Find(std::string_view path) {
    std::string_view rest = path.substr(kBasesFolder.size());
    const size_t slash = rest.find('/');
    const auto id = ParseDecimal(rest.substr(0, slash));
    if (!id || slash == std::string_view::npos) {
      return InternalError(std::string(path) + ": names no base path");
    }
    rest.remove_prefix(slash + 1);
    ARROW_ASSIGN_OR_RAISE(const BasePath* base, FindBase(*id));
    ARROW_ASSIGN_OR_RAISE(std::string inside, PathInside(*base, rest));
    ARROW_ASSIGN_OR_RAISE(auto store, StoreOf(*base));
    return Place{base, std::move(store), std::move(inside)};
  }

  arrow::Result<const BasePath*> FindBase(uint64_t id) const {
    const auto has_id = [&](const BasePath& base) { return base.id == id; };
    const auto found = std::ranges::find_if(bases_, has_id);
    if (found == bases_.end()) {
      std::string there;
      for (const BasePath& base : bases_) {
        there += (there.empty() ? "" : ", ") + std::to_string(base.id);
      }
      return arrow::Status::SerializationError("a file refers to base path ", id,
                                               ", which the table does not have; it has ", there);
    }
    if (std::ranges::count_if(bases_, has_id) > 1) {
      return arrow::Status::SerializationError("a file refers to base path ", id,
                                               ", which the table has twice; allowed: once");
    }
    return &*found;
  }

  /// A base that is no root of a dataset is the folder of the files themselves.
  static arrow::Result<std::string> PathInside(const BasePath& base, std::string_view path) {
    if (base.is_dataset_root) return std::string(path);
    if (path.starts_with("_deletions/")) {
      return arrow::Status::SerializationError(
          NameOf(base), " holds a deletion file, but is no root of a dataset; allowed: roots");
    }
    return std::string(path.substr(path.find('/') + 1));
  }

  arrow::Result<std::shared_ptr<ObjectStore>> StoreOf(const BasePath& base) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<ObjectStore>& store = stores_[base.id];
    if (store != nullptr) return store;
    ARROW_RETURN_NOT_OK(CheckBasePath(base));
    auto opened = open_(base.path);
    if (!opened.ok()) return WithContext(opened.status(), NameOf(base));
    store = *std::move(opened);
    return store;
  }

  const std::shared_ptr<ObjectStore> root_;
  const std::vector<BasePath> bases_;
  const BaseOpener open_;
  std::mutex mutex_;
  std::map<uint32_t, std::shared_ptr<ObjectStore>> stores_;  // those that were opened
};

uint32_t SmallestFreeId(const std::vector<BasePath>& bases) {
  std::set<uint32_t> taken;
  for (const BasePath& base : bases) taken.insert(base.id);
  uint32_t id = 1;
  while (taken.contains(id)) ++id;
  return id;
}

arrow::Status CheckNewBase(const BasePath& added, BaseNames names,
                           const std::vector<BasePath>& present) {
  ARROW_RETURN_NOT_OK(CheckBasePath(added));
  for (const BasePath& base : present) {
    const bool has_same_id = added.id != 0 && added.id == base.id;
    const bool is_alike = added.path == base.path || added.name == base.name;
    if (!has_same_id && (names == BaseNames::kAny || !is_alike)) continue;
    return arrow::Status::Invalid("base path ", added.path, " has the id, name or path of base ",
                                  base.id, " (", base.path, "); allowed: others");
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Status AddBasePaths(const std::vector<BasePath>& added, BaseNames names,
                           std::vector<BasePath>* present) {
  for (const BasePath& base : added) {
    ARROW_RETURN_NOT_OK(CheckNewBase(base, names, *present));
    present->push_back(base);
    if (base.id == 0) present->back().id = SmallestFreeId(*present);
  }
  return arrow::Status::OK();
}

std::string BaseFolder(std::optional<uint32_t> base_id) {
  return base_id ? std::string(kBasesFolder) + std::to_string(*base_id) + "/" : "";
}

std::string DataFilePath(const DataFile& file) {
  return BaseFolder(file.base_id) + "data/" + file.path;
}

arrow::Result<uint64_t> SizeOf(ObjectStore& store, const DataFile& file) {
  if (file.size_bytes != 0) return file.size_bytes;
  ARROW_ASSIGN_OR_RAISE(const ObjectInfo info, store.Head(DataFilePath(file)));
  return info.size_bytes;
}

arrow::Status CheckBasePath(const BasePath& base) {
  if (base.path.empty()) {
    return arrow::Status::Invalid("base path ", base.id,
                                  " is empty; allowed: an absolute path or a URI");
  }
  if (base.path.front() == '/' || !SplitTableUri(base.path).scheme.empty()) {
    return arrow::Status::OK();
  }
  return UnsupportedError("relative base paths",
                          NameOf(base) + " is relative; allowed: an absolute path or a URI");
}

std::shared_ptr<ObjectStore> MakeBasePathStore(std::shared_ptr<ObjectStore> root,
                                               std::vector<BasePath> bases, BaseOpener open) {
  return std::make_shared<BasePathStore>(std::move(root), std::move(bases), std::move(open));
}

}  // namespace lance::table
