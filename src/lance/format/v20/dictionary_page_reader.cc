#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/util/bit_util.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/v20/fixed_values_reader.h"
#include "lance/format/v20/page_readers.h"

namespace lance::format::v20 {
namespace {

/// How stored indices become those of an array.
struct IndexMap {
  /// The index of the first item; those below it are null.
  uint64_t first_index;
  /// Items that an index can name.
  uint64_t num_named;
  /// Where each item is when the null ones are left out, -1: null. Empty: none is null, all stay.
  const std::vector<int32_t>& positions;
};

/// Map `num_rows` indices of type Stored to indices of type Out.
///
/// \param validity of the rows; rows that name no item, or a null one, become null
/// \return the row whose index names no item; num_rows: all do
template <typename Stored, typename Out>
uint64_t MapIndices(const uint8_t* stored, uint64_t num_rows, const IndexMap& map,
                    uint8_t* validity, uint8_t* out) {
  for (uint64_t row = 0; row < num_rows; ++row) {
    Stored index;
    std::memcpy(&index, stored + row * sizeof(index), sizeof(index));
    Out mapped = 0;
    if (arrow::bit_util::GetBit(validity, static_cast<int64_t>(row))) {
      if (index >= map.first_index + map.num_named) return row;
      int64_t place = static_cast<int64_t>(uint64_t{index} - map.first_index);
      if (index >= map.first_index && !map.positions.empty()) {
        place = map.positions[static_cast<size_t>(place)];
      }
      if (place < 0) arrow::bit_util::ClearBit(validity, static_cast<int64_t>(row));
      mapped = place < 0 ? Out{0} : static_cast<Out>(place);
    }
    std::memcpy(out + row * sizeof(mapped), &mapped, sizeof(mapped));
  }
  return num_rows;
}

using IndexMapper = uint64_t (*)(const uint8_t*, uint64_t, const IndexMap&, uint8_t*, uint8_t*);

/// The mapper from indices of a width to an array's: those of values are of 4 bytes, others keep
/// their width.
template <typename Stored>
IndexMapper ChooseMapper(uint64_t out_bytes) {
  return out_bytes == sizeof(Stored) ? MapIndices<Stored, Stored> : MapIndices<Stored, uint32_t>;
}

IndexMapper ChooseMapper(uint64_t stored_bytes, uint64_t out_bytes) {
  switch (stored_bytes) {
    case 1:
      return ChooseMapper<uint8_t>(out_bytes);
    case 2:
      return ChooseMapper<uint16_t>(out_bytes);
    case 4:
      return ChooseMapper<uint32_t>(out_bytes);
    default:
      return ChooseMapper<uint64_t>(out_bytes);
  }
}

class DictionaryPageReader : public ArrayReader {
 public:
  DictionaryPageReader(PageRequest request, uint32_t num_items, std::unique_ptr<ArrayReader> items)
      : request_(std::move(request)), num_items_(num_items), items_(std::move(items)) {}

  arrow::Status Init(const FixedWidthEncoding& indices) {
    const bool is_dictionary = arrow::is_dictionary(request_.type->id());
    all_null_ = !indices.values.has_value();
    if (!all_null_) {
      const uint64_t bits = is_dictionary ? static_cast<uint64_t>(IndexType()->bit_width())
                                          : indices.values->bits_per_value;
      if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
        return arrow::Status::SerializationError("Dictionary.indices has values of ", bits,
                                                 " bits; allowed: 8, 16, 32, 64");
      }
      index_bytes_ = bits / 8;
      ARROW_ASSIGN_OR_RAISE(indices_, FixedValuesReader::Make(*indices.values, request_.page, bits,
                                                              request_.num_rows));
    }
    if (indices.levels[0].nulls != Nulls::kSome) return arrow::Status::OK();
    const FixedValues bits{.bits_per_value = 1, .buffer = indices.levels[0].validity_buffer};
    return FixedValuesReader::Make(bits, request_.page, 1, request_.num_rows).Value(&validity_);
  }

  arrow::Result<bool> Advance(RangeBatch* batch) override {
    ARROW_ASSIGN_OR_RAISE(const bool has_items, items_->Advance(batch));
    if (is_planned_) return has_items;
    is_planned_ = true;
    if (indices_.has_value()) indices_->Plan(request_.rows, batch);
    if (validity_.has_value()) validity_->Plan(request_.rows, batch);
    return false;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    ARROW_ASSIGN_OR_RAISE(const auto items, items_->Finish());
    if (all_null_) {
      return MakeNullSlots(request_, *request_.type, CountRows(request_.rows));
    }
    return arrow::is_dictionary(request_.type->id()) ? FinishDictionary(items)
                                                     : FinishValues(items);
  }

 private:
  std::shared_ptr<arrow::DataType> IndexType() const {
    return static_cast<const arrow::DictionaryType&>(*request_.type).index_type();
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> TakeValidity(uint64_t num_rows) const {
    if (validity_.has_value()) {
      ARROW_ASSIGN_OR_RAISE(const auto bits, validity_->Take(request_.pool));
      return bits->CopySlice(0, bits->size(), request_.pool);  // it will be written to
    }
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<arrow::Buffer> bits,
        arrow::AllocateBuffer(static_cast<int64_t>(CeilDiv(num_rows, 8)), request_.pool));
    std::memset(bits->mutable_data(), 0xff, CeilDiv(num_rows, 8));
    return bits;
  }

  /// How many items an index of the type can name.
  uint64_t NumNamed(const arrow::DataType& type) const {
    const auto bits =
        static_cast<uint32_t>(type.bit_width()) - (arrow::is_signed_integer(type.id()) ? 1 : 0);
    const uint64_t most = bits < 32 ? uint64_t{1} << bits : num_items_;
    return std::min<uint64_t>(num_items_, most);
  }

  /// The items that the rows name.
  ///
  /// \param first_index as in IndexMap
  /// \param positions as in IndexMap
  arrow::Result<std::shared_ptr<arrow::Array>> MakeIndices(
      uint64_t first_index, const std::vector<int32_t>& positions,
      const std::shared_ptr<arrow::DataType>& type) const {
    const uint64_t num_rows = CountRows(request_.rows);
    ARROW_ASSIGN_OR_RAISE(const auto stored, indices_->Take(request_.pool));
    ARROW_ASSIGN_OR_RAISE(auto validity, TakeValidity(num_rows));
    const auto width = static_cast<uint64_t>(type->bit_width()) / 8;
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<arrow::Buffer> out,
        arrow::AllocateBuffer(static_cast<int64_t>(num_rows * width), request_.pool));
    const IndexMap map{first_index, NumNamed(*type), positions};
    const uint64_t wrong = ChooseMapper(index_bytes_, width)(
        stored->data(), num_rows, map, validity->mutable_data(), out->mutable_data());
    if (wrong < num_rows) {
      uint64_t index = 0;  // little-endian: the lower bytes
      std::memcpy(&index, stored->data() + wrong * index_bytes_, index_bytes_);
      return arrow::Status::SerializationError("dictionary index is ", index, ", the page has ",
                                               num_items_, " items");
    }
    return arrow::MakeArray(arrow::ArrayData::Make(type, static_cast<int64_t>(num_rows),
                                                   {std::move(validity), std::move(out)}));
  }

  /// As in IndexMap.
  static arrow::Result<std::vector<int32_t>> PositionsOf(const arrow::Array& items) {
    std::vector<int32_t> positions;
    if (items.null_count() == 0) return positions;
    // Null items may take no bytes of the file.
    ARROW_RETURN_NOT_OK(
        CheckExpandedSize(static_cast<uint64_t>(items.length()), 32, "Dictionary with null items"));
    positions.resize(static_cast<size_t>(items.length()));
    int32_t next = 0;
    for (int64_t i = 0; i < items.length(); ++i) {
      positions[static_cast<size_t>(i)] = items.IsNull(i) ? -1 : next++;
    }
    return positions;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> WithoutNulls(
      const std::shared_ptr<arrow::Array>& items) const {
    if (items->null_count() == 0) return items;
    arrow::compute::ExecContext context(request_.pool);
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum kept, arrow::compute::DropNull(items, &context));
    return kept.make_array();
  }

  arrow::Result<std::shared_ptr<arrow::Array>> FinishDictionary(
      const std::shared_ptr<arrow::Array>& items) const {
    // Arrow cannot unify dictionaries that hold a null, so a null item is a null key.
    ARROW_ASSIGN_OR_RAISE(const auto positions, PositionsOf(*items));
    ARROW_ASSIGN_OR_RAISE(const auto indices, MakeIndices(0, positions, IndexType()));
    ARROW_ASSIGN_OR_RAISE(auto dictionary, WithoutNulls(items));
    return std::make_shared<arrow::DictionaryArray>(request_.type, indices, std::move(dictionary));
  }

  arrow::Result<std::shared_ptr<arrow::Array>> FinishValues(
      const std::shared_ptr<arrow::Array>& items) const {
    ARROW_ASSIGN_OR_RAISE(const auto positions, PositionsOf(*items));
    ARROW_ASSIGN_OR_RAISE(const auto indices, MakeIndices(1, positions, arrow::int32()));
    ARROW_ASSIGN_OR_RAISE(const auto dictionary, WithoutNulls(items));
    arrow::compute::ExecContext context(request_.pool);
    const auto options = arrow::compute::TakeOptions::NoBoundsCheck();
    auto taken = arrow::compute::Take(dictionary, indices, options, &context);
    if (!taken.ok() && !taken.status().IsOutOfMemory()) {
      return arrow::Status::CapacityError(taken.status().message(), "; read fewer rows at once");
    }
    ARROW_RETURN_NOT_OK(taken.status());
    return taken->make_array();
  }

  PageRequest request_;
  uint32_t num_items_;
  std::unique_ptr<ArrayReader> items_;
  std::optional<FixedValuesReader> indices_;
  std::optional<FixedValuesReader> validity_;
  uint64_t index_bytes_ = 0;
  bool all_null_ = false;
  bool is_planned_ = false;
};

}  // namespace

arrow::Result<std::unique_ptr<ArrayReader>> MakeDictionaryPageReader(
    PageRequest request, const DictionaryEncoding& encoding) {
  const uint32_t num_items = encoding.num_items;
  if (num_items > static_cast<uint32_t>(std::numeric_limits<int32_t>::max())) {
    return arrow::Status::SerializationError("Dictionary.num_dictionary_items is ", num_items,
                                             ", allowed are up to 2147483647");
  }
  const bool is_dictionary = arrow::is_dictionary(request.type->id());
  PageRequest items = request;
  items.encoding = encoding.items;
  items.num_rows = num_items;
  items.rows.clear();
  if (num_items > 0) items.rows.push_back({0, num_items});
  if (is_dictionary) {
    items.type = static_cast<const arrow::DictionaryType&>(*request.type).value_type();
  }
  auto item_reader = MakePageReader(std::move(items));
  if (!item_reader.ok()) return WithContext(item_reader.status(), "Dictionary.items");
  auto reader = std::make_unique<DictionaryPageReader>(std::move(request), num_items,
                                                       *std::move(item_reader));
  ARROW_RETURN_NOT_OK(reader->Init(encoding.indices));
  return reader;
}

}  // namespace lance::format::v20
