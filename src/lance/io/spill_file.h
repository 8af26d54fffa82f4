#pragma once

#include <memory>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/io/posix_file.h"

namespace arrow::io {
class InputStream;
class OutputStream;
}  // namespace arrow::io

namespace lance {

/// A file for what does not fit in memory, in the system's folder for temporary files.
///
/// It has no name, so nobody else meets it, and it is gone with its last user, also when the
/// process dies. Move-only, thread-compatible.
class SpillFile {
 public:
  static arrow::Result<SpillFile> Create();

  /// Append to what is there. The stream outlives this object.
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite();

  /// Read from the start, once and after all writing. The stream outlives this object.
  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenRead(arrow::MemoryPool* pool);

 private:
  SpillFile(std::string folder, FileDescriptor file)
      : folder_(std::move(folder)), file_(std::move(file)) {}

  arrow::Result<int> Duplicate() const;

  std::string folder_;  // for messages
  FileDescriptor file_;
};

}  // namespace lance
