#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/encodings/value_buffer.h"
#include "lance/format/levels/layers.h"
#include "lance/format/levels/leaf_column.h"

namespace lance::format {

/// Whether all of some unsigned indices (index_bits: 8, 16, 32 or 64) are below `limit`.
bool AllIndicesBelow(const std::byte* indices, uint32_t index_bits, uint64_t num_indices,
                     uint64_t limit);

/// Build the array of a page's dictionary.
///
/// \param values without nulls
/// \return SerializationError when text is not UTF-8
arrow::Result<std::shared_ptr<arrow::Array>> MakeDictionaryArray(
    const std::shared_ptr<arrow::DataType>& type, ValueBuffer values);

/// Check the indices that a page appended to a leaf of dictionary arrays. Those of nulls become 0.
///
/// \param first_entry the first entry that the page appended, `first_value` its first value
/// \return SerializationError when the index of a value is not below `dictionary_length`
arrow::Status FinishPageIndices(uint64_t first_entry, uint64_t first_value, const LeafPath& path,
                                uint64_t dictionary_length, LeafColumn* column);

/// The values of a leaf that one page gave, and the dictionary that they are indices into.
struct PageDictionary {
  uint64_t first_value = 0;
  uint64_t end_value = 0;
  /// Null: the page has only nulls.
  std::shared_ptr<arrow::Array> values;
};

/// Give a leaf of dictionary arrays one dictionary for all its pages; of the values that indices
/// name alone, where the index type cannot number all.
///
/// \param type of the leaf
/// \param pages in their order; all their indices are checked
/// \return CapacityError when the index type cannot number the values that are named
arrow::Status UnifyDictionaries(const arrow::DictionaryType& type,
                                std::vector<PageDictionary> pages, arrow::MemoryPool* pool,
                                LeafColumn* column);

}  // namespace lance::format
