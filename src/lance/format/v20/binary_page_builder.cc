#include "lance/format/v20/binary_page_builder.h"

#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow/api.h"
#include "lance/base/byte_reader.h"
#include "lance/format/encode/general_compressor.h"
#include "lance/format/encodings/fsst.h"
#include "lance/format/encodings/fsst_encoder.h"
#include "lance/format/levels/text.h"

namespace lance::format::v20 {
namespace {

// As the reference (file-format 10.2). The indices of a dictionary have 8 bits.
constexpr uint64_t kMinDictionaryRows = 100;
constexpr size_t kMaxDictionaryItems = 99;

std::string_view ToText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

BinaryPageBuilder::BinaryPageBuilder(const BinaryPageOptions& options, arrow::MemoryPool* pool)
    : options_(options), pool_(pool), offsets_(pool), bytes_(pool) {
  Reset();
}

void BinaryPageBuilder::Reset() {
  offsets_.Clear();
  bytes_.Clear();
  null_rows_.clear();
  AppendOffset(0);
}

uint64_t BinaryPageBuilder::OffsetAt(uint64_t row) const {
  return LoadLittleEndian<uint64_t>(offsets_.data() + row * sizeof(uint64_t));
}

void BinaryPageBuilder::AppendOffset(uint64_t offset) {
  std::memcpy(offsets_.Grow(sizeof(offset)), &offset, sizeof(offset));
}

void BinaryPageBuilder::AppendValue(std::span<const std::byte> value) {
  bytes_.Append(value);
  AppendOffset(bytes_.size());
}

void BinaryPageBuilder::AppendNull() {
  null_rows_.push_back(num_rows());
  AppendOffset(bytes_.size());
}

template <typename Array>
void BinaryPageBuilder::AppendRows(const Array& array, int64_t begin, int64_t end) {
  const auto* data = reinterpret_cast<const std::byte*>(array.raw_data());
  if (array.null_count() > 0) {
    for (int64_t i = begin; i < end; ++i) {
      if (array.IsNull(i)) {
        AppendNull();
      } else {
        AppendValue({data + array.value_offset(i), static_cast<size_t>(array.value_length(i))});
      }
    }
    return;
  }
  const auto first = static_cast<uint64_t>(array.value_offset(begin));
  const auto last = static_cast<uint64_t>(array.value_offset(end));
  const uint64_t base = bytes_.size();
  bytes_.Append({data + first, last - first});
  offsets_.Reserve(static_cast<size_t>(end - begin) * sizeof(uint64_t));
  for (int64_t i = begin; i < end; ++i) {
    AppendOffset(base + static_cast<uint64_t>(array.value_offset(i + 1)) - first);
  }
}

arrow::Result<int64_t> BinaryPageBuilder::Append(const arrow::Array& array, int64_t begin,
                                                 int64_t end) {
  if (begin == end) return 0;
  ARROW_RETURN_NOT_OK(CheckText(*array.data()->Slice(begin, end - begin)));
  if (arrow::is_large_binary_like(array.type_id())) {
    AppendRows(static_cast<const arrow::LargeBinaryArray&>(array), begin, end);
  } else {
    AppendRows(static_cast<const arrow::BinaryArray&>(array), begin, end);
  }
  return end - begin;
}

uint64_t BinaryPageBuilder::pending_bytes() const {
  return num_rows() * sizeof(uint64_t) + bytes_.size();
}

uint64_t BinaryPageBuilder::BytesOf(const arrow::Array& array, int64_t begin, int64_t end) const {
  const uint64_t ends = static_cast<uint64_t>(end - begin) * sizeof(uint64_t);
  if (arrow::is_large_binary_like(array.type_id())) {
    const auto& binary = static_cast<const arrow::LargeBinaryArray&>(array);
    return ends + static_cast<uint64_t>(binary.value_offset(end) - binary.value_offset(begin));
  }
  const auto& binary = static_cast<const arrow::BinaryArray&>(array);
  return ends + static_cast<uint64_t>(binary.value_offset(end) - binary.value_offset(begin));
}

/// Build a dictionary page. \return none when the values are too many, or gain nothing by it
arrow::Result<std::optional<ArrayEncoding>> BinaryPageBuilder::BuildDictionary(
    std::vector<std::shared_ptr<arrow::Buffer>>* buffers) const {
  std::unordered_map<std::string_view, uint8_t> numbers;
  BinaryPageBuilder items({}, pool_);
  ByteBuffer indices(pool_);
  indices.Reserve(num_rows());
  auto null_row = null_rows_.begin();
  for (uint64_t row = 0; row < num_rows(); ++row) {
    uint8_t index = 0;  // null
    if (null_row != null_rows_.end() && *null_row == row) {
      ++null_row;
    } else {
      const auto value = bytes_.span().subspan(OffsetAt(row), OffsetAt(row + 1) - OffsetAt(row));
      const auto [found, is_new] =
          numbers.try_emplace(ToText(value), static_cast<uint8_t>(numbers.size() + 1));
      if (is_new && numbers.size() > kMaxDictionaryItems) return std::nullopt;
      if (is_new) items.AppendValue(value);
      index = found->second;
    }
    *indices.Grow(1) = std::byte{index};
  }
  if (numbers.empty()) items.AppendValue({});  // as the reference: never without items
  if (indices.size() + items.pending_bytes() >= pending_bytes()) return std::nullopt;
  DictionaryEncoding dictionary{.num_items = static_cast<uint32_t>(items.num_rows())};
  dictionary.indices.levels = {SlotLevel{}};
  dictionary.indices.values =
      FixedValues{.bits_per_value = 8, .buffer = static_cast<uint32_t>(buffers->size())};
  buffers->push_back(indices.Finish());
  ARROW_ASSIGN_OR_RAISE(ArrayEncoding item_encoding, items.Build(buffers));
  dictionary.items = std::make_shared<const ArrayEncoding>(std::move(item_encoding));
  return ArrayEncoding{std::move(dictionary)};
}

/// Replace the values by compressed ones. \return the symbol table; none when that saves nothing
std::optional<std::string> BinaryPageBuilder::CompressValues() {
  if (bytes_.size() <= FsstSymbolTable::kStoredBytes) return std::nullopt;
  const OffsetView offsets(offsets_.data(), 64);
  const auto encoder = FsstEncoder::Train(bytes_.span(), offsets, num_rows());
  ByteBuffer compressed(pool_);
  std::vector<uint64_t> ends;
  encoder.Compress(bytes_.span(), offsets, num_rows(), &compressed, &ends);
  if (compressed.size() + FsstSymbolTable::kStoredBytes >= bytes_.size()) return std::nullopt;
  bytes_ = std::move(compressed);
  std::memcpy(offsets_.data() + sizeof(uint64_t), ends.data(), ends.size() * sizeof(uint64_t));
  return encoder.SerializedTable();
}

arrow::Result<FixedValues> BinaryPageBuilder::BuildBytes(
    std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  FixedValues values{.bits_per_value = 8, .buffer = static_cast<uint32_t>(buffers->size())};
  const bool is_asked =
      options_.compression == Compression::kZstd || options_.compression == Compression::kLz4;
  if (is_asked && !bytes_.empty()) {
    ARROW_ASSIGN_OR_RAISE(
        const auto compressor,
        GeneralCompressor::Make(options_.compression, options_.compression_level));
    std::string compressed;
    ARROW_RETURN_NOT_OK(compressor->Append(bytes_.span(), &compressed));
    if (compressed.size() < bytes_.size()) {
      const bool is_zstd = options_.compression == Compression::kZstd;
      values.codec = is_zstd ? BufferCodec::kZstd : BufferCodec::kLz4;
      buffers->push_back(arrow::Buffer::FromString(std::move(compressed)));
      return values;
    }
  }
  buffers->push_back(bytes_.Finish());
  return values;
}

arrow::Result<ArrayEncoding> BinaryPageBuilder::Build(
    std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  if (options_.may_use_dictionary && num_rows() >= kMinDictionaryRows) {
    ARROW_ASSIGN_OR_RAISE(auto dictionary, BuildDictionary(buffers));
    if (dictionary.has_value()) {
      Reset();
      return *std::move(dictionary);
    }
  }
  BinaryEncoding encoding;
  if (options_.compression == Compression::kFsst) {
    encoding.symbol_table = CompressValues().value_or("");
  }
  // A page without rows has no adjustment (file-format 4.2).
  encoding.null_adjustment = num_rows() > 0 ? bytes_.size() + 1 : 0;
  for (const uint64_t row : null_rows_) {
    const uint64_t raised = OffsetAt(row + 1) + encoding.null_adjustment;
    std::memcpy(offsets_.data() + (row + 1) * sizeof(uint64_t), &raised, sizeof(raised));
  }
  encoding.ends = {.bits_per_value = 64, .buffer = static_cast<uint32_t>(buffers->size())};
  buffers->push_back(arrow::SliceBuffer(offsets_.Finish(), sizeof(uint64_t)));
  ARROW_ASSIGN_OR_RAISE(encoding.bytes, BuildBytes(buffers));
  Reset();
  return ArrayEncoding{std::move(encoding)};
}

}  // namespace lance::format::v20
