#include "lance/table/whole_file.h"

#include <utility>

#include "arrow/buffer.h"
#include "lance/base/status_detail.h"

namespace lance::table {
namespace {

// Three sections of at most 2 GiB; what is larger is forged.
constexpr uint64_t kMaxFileBytes = uint64_t{6} << 30;

}  // namespace

arrow::Result<std::shared_ptr<arrow::Buffer>> ReadWhole(ObjectStore& store, const std::string& path,
                                                        std::optional<uint64_t> known_size,
                                                        const RunContext& run) {
  if (!known_size) {
    ARROW_ASSIGN_OR_RAISE(const ObjectInfo info, store.Head(path));
    known_size = info.size_bytes;
  }
  const uint64_t size = *known_size;
  if (size > kMaxFileBytes) {
    return InFile(arrow::Status::SerializationError("the file has ", size,
                                                    " bytes; allowed: ", kMaxFileBytes),
                  path);
  }
  if (size == 0) return std::make_shared<arrow::Buffer>(nullptr, 0);
  ARROW_ASSIGN_OR_RAISE(auto buffers, store.Get(path, {{0, size}}, run.stop_token));
  if (buffers.size() != 1 || static_cast<uint64_t>(buffers[0]->size()) != size) {
    return arrow::Status::IOError(path, ": the store gave back another range than asked for");
  }
  return std::move(buffers[0]);
}

}  // namespace lance::table
