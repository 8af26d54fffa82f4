#include "lance/format/pages/dictionaries.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "arrow/api.h"
#include "arrow/array/array_dict.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "lance/format/encodings/unsigned_dispatch.h"

namespace lance::format {
namespace {

template <typename T>
std::span<T> IndicesOf(LeafColumn* column, uint64_t first, uint64_t end) {
  // The buffer is aligned and ours.
  return {reinterpret_cast<T*>(column->values.bytes.data()) + first, end - first};
}

/// The largest index that an index type can have.
uint64_t MaxIndex(const arrow::DataType& index_type) {
  const int bits = index_type.bit_width() - (arrow::is_signed_integer(index_type.id()) ? 1 : 0);
  return std::numeric_limits<uint64_t>::max() >> (64 - bits);
}

arrow::Status CannotNumber(const arrow::DictionaryType& type, uint64_t num_values) {
  return arrow::Status::CapacityError(
      "the pages' dictionaries have ", num_values, " values together, indices of type ",
      type.index_type()->ToString(), " can number ", MaxIndex(*type.index_type()) + 1,
      "; read fewer rows at once");
}

/// Find the largest index that is used.
uint64_t LargestIndex(const PageDictionary& page, uint32_t index_bits, LeafColumn* column) {
  return DispatchUnsigned(index_bits, [&](auto zero) {
    using T = decltype(zero);
    T largest = 0;
    for (const T index : IndicesOf<T>(column, page.first_value, page.end_value)) {
      largest = std::max(largest, index);
    }
    return uint64_t{largest};
  });
}

/// Replace a page's indices. \param map new numbers; null: they stay as they are
arrow::Status Renumber(const arrow::DictionaryType& type, const PageDictionary& page,
                       std::span<const int32_t> map, uint64_t num_values, LeafColumn* column) {
  const auto index_bits = static_cast<uint32_t>(type.index_type()->bit_width());
  const uint64_t max_index = MaxIndex(*type.index_type());
  return DispatchUnsigned(index_bits, [&](auto zero) {
    using T = decltype(zero);
    for (T& index : IndicesOf<T>(column, page.first_value, page.end_value)) {
      // Nulls have index 0, which dictionaries without values do not have.
      const uint64_t number = index < map.size() ? static_cast<uint64_t>(map[index]) : 0;
      if (number > max_index) return CannotNumber(type, num_values);
      index = static_cast<T>(number);
    }
    return arrow::Status::OK();
  });
}

/// The type whose values dictionaries are compared and unified as: numbers by their bits.
///
/// Arrow's unifier takes half floats for integers and all NaNs for one; -0 equals 0.
std::shared_ptr<arrow::DataType> BitsOf(const std::shared_ptr<arrow::DataType>& type) {
  if (!arrow::is_fixed_width(type->id()) || type->id() == arrow::Type::BOOL) return type;
  switch (type->bit_width()) {
    case 8:
      return arrow::uint8();
    case 16:
      return arrow::uint16();
    case 32:
      return arrow::uint32();
    case 64:
      return arrow::uint64();
    default:
      return type;
  }
}

/// The dictionaries of pages, compared by their bits; null where a page has none.
arrow::Result<arrow::ArrayVector> BitsOfPages(const std::shared_ptr<arrow::DataType>& type,
                                              const std::vector<PageDictionary>& pages) {
  arrow::ArrayVector dictionaries;
  for (const PageDictionary& page : pages) {
    std::shared_ptr<arrow::Array> bits;
    if (page.values != nullptr) {
      ARROW_ASSIGN_OR_RAISE(bits, page.values->View(BitsOf(type)));
    }
    dictionaries.push_back(std::move(bits));
  }
  return dictionaries;
}

/// Find a page whose dictionary all others share, or have none. \return -1 when there is no such
int64_t FindShared(const arrow::ArrayVector& dictionaries) {
  int64_t shared = 0;
  for (size_t i = 0; i < dictionaries.size(); ++i) {
    if (dictionaries[i] == nullptr) continue;
    const auto& first = dictionaries[static_cast<size_t>(shared)];
    if (first == nullptr) {
      shared = static_cast<int64_t>(i);
    } else if (!dictionaries[i]->Equals(*first)) {
      return -1;
    }
  }
  return shared;
}

/// Check the indices of pages that keep their dictionary.
arrow::Status CheckIndices(const arrow::DictionaryType& type,
                           const std::vector<PageDictionary>& pages, LeafColumn* column) {
  const auto index_bits = static_cast<uint32_t>(type.index_type()->bit_width());
  for (const PageDictionary& page : pages) {
    if (LargestIndex(page, index_bits, column) <= MaxIndex(*type.index_type())) continue;
    return CannotNumber(type, static_cast<uint64_t>(column->dictionary->length()));
  }
  return arrow::Status::OK();
}

/// One dictionary for all pages. A plain value.
struct UnifiedDictionary {
  std::shared_ptr<arrow::Array> values;
  /// For each page, int32 numbers among `values` of its dictionary's values; null: it has none.
  std::vector<std::shared_ptr<arrow::Buffer>> maps;
};

/// \param dictionaries as BitsOfPages gives them
arrow::Result<UnifiedDictionary> Unify(const arrow::DictionaryType& type,
                                       const arrow::ArrayVector& dictionaries,
                                       arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto unifier,
                        arrow::DictionaryUnifier::Make(BitsOf(type.value_type()), pool));
  UnifiedDictionary unified;
  unified.maps.resize(dictionaries.size());
  for (size_t i = 0; i < dictionaries.size(); ++i) {
    if (dictionaries[i] == nullptr) continue;
    ARROW_RETURN_NOT_OK(unifier->Unify(*dictionaries[i], &unified.maps[i]));
  }
  std::shared_ptr<arrow::DataType> least_index_type;
  ARROW_RETURN_NOT_OK(unifier->GetResult(&least_index_type, &unified.values));
  ARROW_ASSIGN_OR_RAISE(unified.values, unified.values->View(type.value_type()));
  return unified;
}

/// Leave the values that no index names out of the pages' dictionaries.
arrow::Status DropUnused(const arrow::DictionaryType& type, arrow::MemoryPool* pool,
                         std::vector<PageDictionary>* pages, LeafColumn* column) {
  const auto index_bits = static_cast<uint32_t>(type.index_type()->bit_width());
  arrow::compute::ExecContext context(pool);
  for (PageDictionary& page : *pages) {
    if (page.values == nullptr) continue;
    std::vector<int32_t> numbers(static_cast<size_t>(page.values->length()), -1);
    DispatchUnsigned(index_bits, [&](auto zero) {
      for (const auto index : IndicesOf<decltype(zero)>(column, page.first_value, page.end_value)) {
        if (index < numbers.size()) numbers[index] = 0;
      }
      return 0;
    });
    arrow::Int64Builder used(pool);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < 0) continue;
      numbers[i] = static_cast<int32_t>(used.length());
      ARROW_RETURN_NOT_OK(used.Append(static_cast<int64_t>(i)));
    }
    ARROW_ASSIGN_OR_RAISE(const auto places, used.Finish());
    ARROW_ASSIGN_OR_RAISE(
        const arrow::Datum taken,
        arrow::compute::Take(page.values, places, arrow::compute::TakeOptions::NoBoundsCheck(),
                             &context));
    page.values = taken.make_array();
    ARROW_RETURN_NOT_OK(Renumber(type, page, numbers, numbers.size(), column));
  }
  return arrow::Status::OK();
}

}  // namespace

bool AllIndicesBelow(const std::byte* indices, uint32_t index_bits, uint64_t num_indices,
                     uint64_t limit) {
  return DispatchUnsigned(index_bits, [&](auto zero) {
    using T = decltype(zero);
    T largest = 0;
    for (uint64_t i = 0; i < num_indices; ++i) {
      T index;
      std::memcpy(&index, indices + i * sizeof(T), sizeof(T));
      largest = std::max(largest, index);
    }
    return num_indices == 0 || largest < limit;
  });
}

arrow::Result<std::shared_ptr<arrow::Array>> MakeDictionaryArray(
    const std::shared_ptr<arrow::DataType>& type, ValueBuffer values) {
  const auto length = static_cast<int64_t>(values.num_values);
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = {nullptr};
  if (values.is_variable()) {
    if (values.offsets.empty()) {
      std::memset(values.offsets.Grow(values.offset_bits / 8), 0, values.offset_bits / 8);
    }
    buffers.push_back(values.offsets.Finish());
  }
  buffers.push_back(values.bytes.Finish());
  auto array = arrow::MakeArray(arrow::ArrayData::Make(type, length, std::move(buffers), 0));
  // Also looks at text.
  const arrow::Status valid = array->ValidateFull();
  if (!valid.ok()) return arrow::Status::SerializationError(valid.message());
  return array;
}

arrow::Status FinishPageIndices(uint64_t first_entry, uint64_t first_value, const LeafPath& path,
                                uint64_t dictionary_length, LeafColumn* column) {
  const uint32_t index_bits = column->values.bits_per_value;
  const uint64_t num_values = column->values.num_values - first_value;
  const std::byte* const indices = column->values.bytes.data() + first_value * (index_bits / 8);
  if (AllIndicesBelow(indices, index_bits, num_values, dictionary_length)) {
    return arrow::Status::OK();
  }
  const uint16_t max_visible_def = path.max_visible_def();
  return DispatchUnsigned(index_bits, [&](auto zero) {
    using T = decltype(zero);
    T* index = IndicesOf<T>(column, first_value, first_value + num_values).data();
    for (uint64_t i = first_entry; i < column->num_entries; ++i) {
      const uint16_t def = column->def.empty() ? uint16_t{0} : column->def[i];
      if (def > max_visible_def) continue;
      if (def != 0) {
        *index = 0;
      } else if (*index >= dictionary_length) {
        return arrow::Status::SerializationError("an index is ", uint64_t{*index},
                                                 ", the dictionary has ", dictionary_length,
                                                 " values");
      }
      ++index;
    }
    return arrow::Status::OK();
  });
}

arrow::Status UnifyDictionaries(const arrow::DictionaryType& type,
                                std::vector<PageDictionary> pages, arrow::MemoryPool* pool,
                                LeafColumn* column) {
  ARROW_ASSIGN_OR_RAISE(auto dictionaries, BitsOfPages(type.value_type(), pages));
  const int64_t shared = FindShared(dictionaries);
  if (shared >= 0) {
    if (!pages.empty()) column->dictionary = pages[static_cast<size_t>(shared)].values;
    if (column->dictionary != nullptr) return CheckIndices(type, pages, column);
    return arrow::MakeEmptyArray(type.value_type(), pool).Value(&column->dictionary);
  }
  ARROW_ASSIGN_OR_RAISE(UnifiedDictionary unified, Unify(type, dictionaries, pool));
  if (static_cast<uint64_t>(unified.values->length()) > MaxIndex(*type.index_type())) {
    ARROW_RETURN_NOT_OK(DropUnused(type, pool, &pages, column));
    ARROW_ASSIGN_OR_RAISE(dictionaries, BitsOfPages(type.value_type(), pages));
    ARROW_ASSIGN_OR_RAISE(unified, Unify(type, dictionaries, pool));
  }
  column->dictionary = unified.values;
  for (size_t i = 0; i < pages.size(); ++i) {
    if (unified.maps[i] == nullptr) continue;
    const std::span<const int32_t> map(reinterpret_cast<const int32_t*>(unified.maps[i]->data()),
                                       static_cast<size_t>(dictionaries[i]->length()));
    ARROW_RETURN_NOT_OK(
        Renumber(type, pages[i], map, static_cast<uint64_t>(unified.values->length()), column));
  }
  return arrow::Status::OK();
}

}  // namespace lance::format
