#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/result.h"
#include "lance/object_store.h"

namespace lance {

/// An open file descriptor that closes itself. Move-only.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

/// IOError for a system call that failed with `error`, naming the file and the call.
arrow::Status SystemError(const std::string& file, std::string_view call, int error);

/// Open a file or folder. \return the descriptor; not open, with errno set, when that failed
FileDescriptor OpenDescriptor(const std::string& file, int flags);

/// Make the entries of a folder durable.
arrow::Status SyncFolder(const std::string& folder);

/// Create a folder and the missing ones above it, each one durable.
arrow::Status MakeFolders(const std::string& folder);

/// A uniquely named file that becomes the target at once, or vanishes. Thread-compatible,
/// move-only.
///
/// A process that dies leaves a `.tmp_{uuid}` that nobody meets again. Source: table-format 4.2.
class TemporaryFile {
 public:
  /// Create it in the target's folder, which is created when missing.
  static arrow::Result<TemporaryFile> Create(std::string target);

  TemporaryFile(TemporaryFile&&) noexcept = default;
  TemporaryFile& operator=(TemporaryFile&&) noexcept = delete;
  ~TemporaryFile() { Discard(); }

  arrow::Status Write(const void* bytes, size_t size_bytes);

  /// Sync it and put it in place of the target.
  ///
  /// \return kStored, or kUnknown when it is in place but that may not be durable
  arrow::Result<PutOutcome> ReplaceTarget();

  /// Make it the target and let the system write it when it likes.
  arrow::Result<PutOutcome> ReplaceTargetLazily();

  /// Sync it and make it the target unless there is one. \return also kExists
  arrow::Result<PutOutcome> CreateTarget();

  /// Remove it.
  void Discard();

 private:
  TemporaryFile(std::string target, std::string folder, std::string name, FileDescriptor file)
      : target_(std::move(target)),
        folder_(std::move(folder)),
        name_(std::move(name)),
        file_(std::move(file)) {}

  void StartWriteback();
  arrow::Status Sync();
  PutOutcome OutcomeInFolder() const;

  std::string target_;
  std::string folder_;
  std::string name_;
  FileDescriptor file_;  // open until published or discarded
  uint64_t size_bytes_ = 0;
  uint64_t handed_over_ = 0;  // of these, what the device was asked to write
};

}  // namespace lance
