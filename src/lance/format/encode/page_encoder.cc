#include "lance/format/encode/page_encoder.h"

#include <utility>

#include "arrow/api.h"
#include "lance/base/check.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/encode/choose_encoding.h"
#include "lance/format/encode/constant_page.h"
#include "lance/format/encode/dictionary_arrays.h"
#include "lance/format/encode/full_zip_writer.h"
#include "lance/format/encode/mini_block_writer.h"
#include "lance/format/encode/packed_structs.h"
#include "lance/format/encode/page_levels.h"
#include "lance/format/encode/page_values.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

constexpr std::string_view kPageLayoutType = "lance.encodings21.PageLayout";

/// Values from this size on are long: they are stored one by one (file-format 10.1).
constexpr uint64_t kLongValueBytes = 256;
/// Of variable width, a page with few such values is not: mini-blocks of it are smaller and faster.
constexpr uint64_t kMaxFewLongBytes = 2048;
constexpr uint64_t kMaxFewLongMean = 128;

/// Two values of this size always fit a chunk, whatever their levels are.
uint64_t MaxMiniBlockValueBytes(FileVersion version) {
  return version == FileVersion::k2_2 ? 256 << 10 : 8 << 10;
}

bool IsLong(const PageValues& values, const LengthStatistics& lengths) {
  if (lengths.longest < kLongValueBytes) return false;
  return !values.is_variable() || lengths.longest > kMaxFewLongBytes ||
         lengths.total > kMaxFewLongMean * values.num_values;
}

/// Encodes one page. Used once.
class Encoder {
 public:
  using Buffers = std::vector<ByteBuffer>;

  Encoder(const PageRows& rows, const EncodingRequest& request)
      : rows_(rows), request_(request), levels_(MakePageLevels(rows)) {}

  /// \return the page's buffers; its message is in layout()
  arrow::Result<Buffers> Encode() {
    const arrow::DataType& type = *rows_.leaf.type;
    if (type.id() == arrow::Type::STRUCT && type.num_fields() == 0) return EncodeEmptyStructs();
    if (levels_.num_visible == 0 || type.id() == arrow::Type::NA) return EncodeAllNull();
    if (type.id() == arrow::Type::DICTIONARY) return EncodeDictionaries();
    ARROW_ASSIGN_OR_RAISE(shape_, MakeValueShape(type));
    if (levels_.num_valid == 0 && IsAllNullBest()) return EncodeAllNull();
    if (shape_.is_packed()) return EncodePackedStructs();
    if (shape_.is_fixed_size_list()) return EncodeFixedSizeLists();
    return EncodePlain();
  }

  const pb::PageLayout& layout() const { return layout_; }

 private:
  arrow::Result<Buffers> EncodeAllNull() {
    return WriteAllNull(levels_, request_.version, request_.pool, &layout_);
  }

  arrow::Result<Buffers> EncodeEmptyStructs() {
    if (levels_.has_levels()) {
      return arrow::Status::NotImplemented(
          "a struct without members is in a list, or is null somewhere, which data files cannot "
          "hold");
    }
    return WriteEmptyStructs(&layout_);
  }

  /// Whether levels alone are the best form of a page with slots, but no value that is there.
  bool IsAllNullBest() const {
    if (levels_.layers.kinds.size() == 1 || request_.version == FileVersion::k2_2) return true;
    // Readers up to 6.0.0 lose rows of such pages (file-format 14, no. 8).
    if (levels_.has_lists()) return false;
    // 2.1 stores these levels raw, so that a page of dummies can be smaller.
    constexpr uint64_t kDummiesPerByte = 16;
    const bool is_plain = !shape_.is_packed() && !shape_.is_fixed_size_list();
    return !is_plain ||
           EstimateLevelBytes(levels_, request_.version) + levels_.num_entries / kDummiesPerByte >=
               levels_.def.size_bytes();
  }

  arrow::Result<Buffers> EncodeDictionaries() {
    if (levels_.num_valid == 0 && (request_.version == FileVersion::k2_2 || !levels_.has_lists())) {
      return EncodeAllNull();
    }
    ARROW_ASSIGN_OR_RAISE(const DictionaryPage page,
                          CollectDictionaries(rows_.values, levels_.slots, request_.pool));
    ARROW_ASSIGN_OR_RAISE(const EncodedDictionary dictionary,
                          EncodeDictionaryItems(page.items, request_.hints, request_.version));
    ARROW_ASSIGN_OR_RAISE(const IntegerChoice indices,
                          ChooseIntegerEncoding(page.indices, request_));
    return WriteMiniBlocks(levels_, *indices.encoder, &dictionary, request_, &layout_);
  }

  arrow::Result<Buffers> EncodePackedStructs() {
    ARROW_ASSIGN_OR_RAISE(const std::vector<PageValues> members,
                          CollectMembers(shape_, rows_.values, levels_.slots, request_.pool));
    if (!IsPlainPackedStruct(shape_)) {
      pb::CompressiveEncoding encoding;
      ARROW_ASSIGN_OR_RAISE(const PageValues rows,
                            PackVariableRows(members, shape_, levels_.slots, request_, &encoding));
      return WriteFullZip(levels_, rows, shape_, encoding, request_.pool, &layout_);
    }
    const PageValues rows = PackFixedRows(members, request_.pool);
    std::vector<uint64_t> member_bits;
    for (const PageValues& member : members) member_bits.push_back(member.bits_per_value);
    const auto encoder = MakeFlatEncoder(rows, std::move(member_bits));
    return WriteMiniBlocks(levels_, *encoder, nullptr, request_, &layout_);
  }

  arrow::Result<Buffers> EncodeFixedSizeLists() {
    ARROW_ASSIGN_OR_RAISE(PageValues values, CollectFixedSizeLists(shape_, rows_.values,
                                                                   levels_.slots, request_.pool));
    const uint64_t width = values.bits_per_value / 8;
    const bool are_bools = shape_.bits_per_value == 1;
    // Up to 8.0.0, readers fail on lists without items.
    values.are_items_null &= request_.version == FileVersion::k2_2;
    const auto zip = [&] {
      pb::CompressiveEncoding encoding;
      pb::CompressiveEncoding* const items = DescribeLists(values, shape_, &encoding);
      if (values.are_items_null) {
        items->mutable_constant();
      } else {
        items->mutable_flat()->set_bits_per_value(shape_.bits_per_value);
      }
      return WriteFullZip(levels_, values, shape_, encoding, request_.pool, &layout_);
    };
    const bool is_long = values.are_items_null || (!are_bools && width >= kLongValueBytes);
    if (WantsFullZip(is_long, width, !are_bools)) return ZipOr(zip);
    return WriteMiniBlocksOr(*MakeFixedSizeListEncoder(values, shape_), nullptr, !are_bools, zip);
  }

  arrow::Result<Buffers> EncodePlain() {
    ARROW_ASSIGN_OR_RAISE(const PageValues values,
                          CollectPlainValues(shape_, rows_.values, levels_.slots, request_.pool));
    LengthStatistics lengths = {.longest = values.bits_per_value / 8, .total = values.num_bytes()};
    if (values.is_variable()) lengths = MeasureLengths(values);
    const bool is_constant = request_.version == FileVersion::k2_2 && levels_.num_valid > 0 &&
                             AreAllEqual(values, levels_.slots);
    if (is_constant && !levels_.has_levels())
      return WriteConstant(levels_, values, request_.pool, &layout_);

    const auto zip = [&] { return ZipPlain(values, lengths); };
    const bool are_bytes = values.bits_per_value != 1;
    ARROW_ASSIGN_OR_RAISE(
        const MiniBlockValues chosen,
        ChoosePlain(values, lengths,
                    WantsFullZip(IsLong(values, lengths), lengths.longest, are_bytes)));
    if (is_constant && IsConstantSmaller(values, lengths, chosen)) {
      return WriteConstant(levels_, values, request_.pool, &layout_);
    }
    if (chosen.encoder == nullptr) return ZipOr(zip);
    return WriteMiniBlocksOr(*chosen.encoder, chosen.dictionary.get(), are_bytes, zip);
  }

  /// Whether a page's values are to be stored one by one.
  ///
  /// \param is_long what their size suggests
  /// \param longest bytes of the longest
  /// \param can_zip they may be, if they must
  bool WantsFullZip(bool is_long, uint64_t longest, bool can_zip) const {
    if (!can_zip && !is_long) return false;
    const bool does_not_fit = longest > MaxMiniBlockValueBytes(request_.version);
    switch (request_.hints.structural) {
      case StructuralEncoding::kFullZip:
        return true;
      case StructuralEncoding::kMiniBlock:
        return does_not_fit;
      case StructuralEncoding::kDefault:
        break;
    }
    return does_not_fit || (is_long && !levels_.has_nullable_item_outside_list());
  }

  /// Choose how mini-blocks hold the values.
  ///
  /// \return no encoder: full-zip is better
  arrow::Result<MiniBlockValues> ChoosePlain(const PageValues& values,
                                             const LengthStatistics& lengths, bool wants_full_zip) {
    if (wants_full_zip) {
      const bool can_have_dictionary =
          request_.hints.structural != StructuralEncoding::kFullZip && values.is_variable();
      if (!can_have_dictionary) return MiniBlockValues();
      return ChooseDictionary(values, levels_.slots, {.other_bytes = lengths.total}, request_);
    }
    if (values.is_variable()) {
      return ChooseVariableEncoding(values, levels_.slots, lengths, request_);
    }
    return ChooseFixedEncoding(values, levels_.slots, request_);
  }

  bool IsConstantSmaller(const PageValues& values, const LengthStatistics& lengths,
                         const MiniBlockValues& chosen) const {
    const uint64_t other_bytes =
        chosen.encoder == nullptr ? lengths.total : chosen.estimated_bytes();
    return EstimateConstantBytes(levels_, values) <=
           other_bytes + EstimateLevelBytes(levels_, request_.version);
  }

  arrow::Result<Buffers> ZipPlain(const PageValues& values, const LengthStatistics& lengths) {
    pb::CompressiveEncoding encoding;
    if (!values.is_variable()) {
      encoding.mutable_flat()->set_bits_per_value(values.bits_per_value);
      return WriteFullZip(levels_, values, shape_, encoding, request_.pool, &layout_);
    }
    ARROW_ASSIGN_OR_RAISE(
        const FullZipValues chosen,
        ChooseFullZipEncoding(values, levels_.slots, lengths, request_, &encoding));
    const PageValues& stored = chosen.compressed != nullptr ? *chosen.compressed : values;
    return WriteFullZip(levels_, stored, shape_, encoding, request_.pool, &layout_);
  }

  /// Zip the page, by `zip`. Up to 12.0.0, readers miscount the values of zipped pages where a
  /// struct around a list may be null and an entry has no value (file-format 14, no. 1): such rows
  /// are left to pages of their own.
  template <typename Zip>
  arrow::Result<Buffers> ZipOr(Zip&& zip) {
    if (levels_.num_rows > 1 && levels_.has_invisible() &&
        levels_.has_nullable_item_outside_list()) {
      return arrow::Status::CapacityError(
          "full-zip page: lists without values in nullable structs");
    }
    return zip();
  }

  /// Write mini-blocks. Where they cannot hold the levels of a row, `zip` writes the page instead;
  /// of several rows none is written, so that the caller can cut the page.
  template <typename Zip>
  arrow::Result<Buffers> WriteMiniBlocksOr(const ChunkEncoder& encoder,
                                           const EncodedDictionary* dictionary, bool can_zip,
                                           Zip&& zip) {
    auto buffers = WriteMiniBlocks(levels_, encoder, dictionary, request_, &layout_);
    if (!buffers.status().IsCapacityError() || !can_zip || levels_.num_rows > 1) return buffers;
    layout_.Clear();
    return ZipOr(zip);
  }

  const PageRows& rows_;
  const EncodingRequest& request_;
  PageLevels levels_;
  ValueShape shape_;
  pb::PageLayout layout_;
};

}  // namespace

arrow::Result<EncodedPage> EncodePage(const PageRows& rows, FileVersion version,
                                      const EncodingHints& hints, arrow::MemoryPool* pool) {
  LANCE_DCHECK(rows.num_rows > 0 && version != FileVersion::k2_0);
  const EncodingRequest request = {.version = version, .hints = hints, .pool = pool};
  Encoder encoder(rows, request);
  EncodedPage page;
  ARROW_ASSIGN_OR_RAISE(page.buffers, encoder.Encode());
  page.encoding = PackEncoding(encoder.layout().SerializeAsString(), kPageLayoutType);
  return page;
}

}  // namespace lance::format
