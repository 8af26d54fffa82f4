#include "lance/io/prefix_store.h"

#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/io/own_files.h"
#include "lance/io/stores.h"

namespace lance {

namespace {

/// See MakePrefixStore. Thread-safe when the wrapped store is.
class PrefixStore : public ObjectStore, public StagingFiles, public StoredFolders {
 public:
  using Visit = std::function<arrow::Status(const ObjectInfo&)>;

  PrefixStore(std::shared_ptr<ObjectStore> store, std::string folder)
      : store_(std::move(store)), prefix_(std::move(folder) + "/") {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) override {
    return store_->Get(prefix_ + path, ranges, stop);
  }

  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(ObjectInfo info, store_->Head(prefix_ + path));
    info.path = path;
    return info;
  }

  arrow::Status List(const std::string& prefix, const Visit& visit) override {
    return store_->List(FolderOf(prefix), Inside(visit));
  }

  arrow::Status ListPaths(const std::string& prefix,
                          const std::function<arrow::Status(std::string)>& visit) override {
    return store_->ListPaths(FolderOf(prefix), [&](std::string path) {
      return path.starts_with(prefix_) ? visit(path.substr(prefix_.size())) : arrow::Status::OK();
    });
  }

  arrow::Status ListStaging(const std::string& prefix, const Visit& visit) override {
    auto* const staging = dynamic_cast<StagingFiles*>(store_.get());
    return staging == nullptr ? arrow::Status::OK()
                              : staging->ListStaging(FolderOf(prefix), Inside(visit));
  }

  arrow::Result<std::vector<std::string>> ListLinks(const std::string& prefix) override {
    if (folders() == nullptr) return std::vector<std::string>();
    ARROW_ASSIGN_OR_RAISE(auto links, folders()->ListLinks(FolderOf(prefix)));
    for (std::string& link : links) link.erase(0, prefix_.size());
    return links;
  }

  void RemoveIfEmpty(const std::string& folder) override {
    if (folders() != nullptr) folders()->RemoveIfEmpty(FolderOf(folder));
  }

  void RemoveEmptyFolders(const std::string& folder) override {
    if (folders() != nullptr) folders()->RemoveEmptyFolders(FolderOf(folder));
  }

  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    return store_->Put(prefix_ + path, std::move(bytes), mode);
  }

  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    return store_->OpenWrite(prefix_ + path);
  }

  arrow::Status Delete(const std::string& path) override { return store_->Delete(prefix_ + path); }

  bool HasCheapListing() const override { return store_->HasCheapListing(); }

 private:
  /// Null: the wrapped store has none.
  StoredFolders* folders() const { return dynamic_cast<StoredFolders*>(store_.get()); }

  std::string FolderOf(const std::string& prefix) const {
    return prefix.empty() ? prefix_.substr(0, prefix_.size() - 1) : prefix_ + prefix;
  }

  /// Calls a visitor with paths relative to the folder.
  Visit Inside(const Visit& visit) const {
    return [this, &visit](const ObjectInfo& object) {
      if (!object.path.starts_with(prefix_)) return arrow::Status::OK();
      ObjectInfo inside = object;
      inside.path.erase(0, prefix_.size());
      return visit(inside);
    };
  }

  const std::shared_ptr<ObjectStore> store_;
  const std::string prefix_;
};

}  // namespace

std::shared_ptr<ObjectStore> MakePrefixStore(std::shared_ptr<ObjectStore> store,
                                             std::string folder) {
  return std::make_shared<PrefixStore>(std::move(store), std::move(folder));
}

}  // namespace lance
