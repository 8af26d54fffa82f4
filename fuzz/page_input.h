#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/input.h"
#include "lance/base/row_ranges.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/field_tree.h"
#include "lance/format/levels/layers.h"

namespace lance::fuzz {

/// The section of a page's input that is its description.
inline constexpr size_t kPageMessageSection = 2;

/// One page of one column, from an input of sections. Move-only.
///
///   u8 leaf | u8 version | u32 rows | u64 seed of rows,  FileDescriptor,  description,  buffers
///   ...
struct PageInput {
  /// The top-level field and its leaf that the page is of.
  format::FieldNode field;
  format::FieldNode leaf;
  format::LeafPath path;
  /// Whether `field` has no other leaf, so that an array can be made.
  bool is_only_leaf = false;
  /// The serialized description.
  std::string message;
  /// Of a file of this one column; the page's encoding is not set yet.
  format::DataFileMetadata metadata;
  /// The file's bytes.
  ExactBytes file;
  /// Which rows to read, one choice after the other.
  std::vector<RowRanges> row_choices;
};

/// Take an input apart. \return no value when it is no page
std::optional<PageInput> ParsePageInput(std::span<const std::byte> input);

/// The parts of a page's input, for who makes seeds. A plain value.
struct PageSeed {
  uint8_t leaf_index = 0;
  bool is_2_2 = false;
  uint32_t num_rows = 0;
  std::string descriptor;
  std::string message;
  std::vector<std::string> buffers;
};

/// The input that ParsePageInput takes apart.
std::string SerializePageSeed(const PageSeed& seed);

/// Read the rows of a 2.1 or 2.2 page as often as there are choices, and make arrays of them.
///
/// \param layout a serialized PageLayout
void ReadPage(PageInput page, std::string layout);

/// Read the rows of a 2.0 page. \param encoding a serialized ArrayEncoding
void ReadPage20(PageInput page, std::string encoding);

}  // namespace lance::fuzz
