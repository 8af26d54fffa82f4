#include "lance/io/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "arrow/io/file.h"
#include "arrow/memory_pool.h"

namespace lance {

arrow::Result<SpillFile> SpillFile::Create() {
  std::error_code failure;
  std::string folder = std::filesystem::temp_directory_path(failure).string();
  if (failure) {
    return arrow::Status::IOError("folder for temporary files: ", failure.message());
  }
  std::string name = folder + "/lance_spill_XXXXXX";
  FileDescriptor file(mkostemp(name.data(), O_CLOEXEC));  // for this user only
  if (!file.is_open()) return SystemError(name, "open", errno);
  if (unlink(name.c_str()) != 0) return SystemError(name, "unlink", errno);
  return SpillFile(std::move(folder), std::move(file));
}

arrow::Result<int> SpillFile::Duplicate() const {
  const int copy = fcntl(file_.get(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return SystemError("spill file in " + folder_, "dup", errno);
  return copy;
}

arrow::Result<std::shared_ptr<arrow::io::OutputStream>> SpillFile::OpenWrite() {
  ARROW_ASSIGN_OR_RAISE(const int copy, Duplicate());
  ARROW_ASSIGN_OR_RAISE(auto stream, arrow::io::FileOutputStream::Open(copy));
  return stream;
}

arrow::Result<std::shared_ptr<arrow::io::InputStream>> SpillFile::OpenRead(
    arrow::MemoryPool* pool) {
  if (lseek(file_.get(), 0, SEEK_SET) != 0) {
    return SystemError("spill file in " + folder_, "lseek", errno);
  }
  ARROW_ASSIGN_OR_RAISE(const int copy, Duplicate());
  ARROW_ASSIGN_OR_RAISE(
      auto stream,
      arrow::io::ReadableFile::Open(copy, pool != nullptr ? pool : arrow::default_memory_pool()));
  return stream;
}

}  // namespace lance
