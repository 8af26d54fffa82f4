#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/target.h"
#include "lance_file.pb.h"

namespace lance::fuzz {

/// A data file taken apart, so that a part can be changed and the file put together again with all
/// positions and sizes as they must be. A plain value; nothing in it is checked.
struct DataFileParts {
  struct Page {
    lance_pb::file::ColumnMetadata::Page message;
    std::vector<std::string> buffers;
  };
  struct Column {
    /// Without its pages.
    lance_pb::file::ColumnMetadata message;
    std::vector<Page> pages;
  };

  uint16_t major_version = 2;
  uint16_t minor_version = 1;
  /// A serialized FileDescriptor.
  std::string descriptor;
  /// The global buffers behind the descriptor.
  std::vector<std::string> more_buffers;
  std::vector<Column> columns;
};

/// Take a file apart. \return no value when its footer, tables or messages cannot be followed
std::optional<DataFileParts> TakeApart(std::span<const std::byte> file);

/// Put a file together.
std::string PutTogether(DataFileParts parts);

/// Change a data file in one place or a few: a page's bytes, its description, the metadata; or any
/// byte of it. Where it can be taken apart, positions and sizes stay right most of the time.
void MutateDataFile(std::string* file, size_t max_size, uint64_t seed,
                    const ByteMutator& mutate_bytes);

/// Put parts of a second file into a data file.
void CrossDataFiles(std::string* file, std::span<const std::byte> other, uint64_t seed);

}  // namespace lance::fuzz
