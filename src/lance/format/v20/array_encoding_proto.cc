#include "lance/format/v20/array_encoding_proto.h"

#include <string_view>
#include <utility>

#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance_encodings20.pb.h"

namespace lance::format::v20 {
namespace {

namespace pb = lance_pb::encodings;

template <typename... Args>
arrow::Status Corrupt(Args&&... problem) {
  return arrow::Status::SerializationError(std::forward<Args>(problem)...);
}

/// The name of the member that is set, and whether formats 2.0 have it.
struct MemberName {
  const char* name;
  bool is_known;
};

MemberName NameOf(const pb::ArrayEncoding& encoding) {
  switch (encoding.array_encoding_case()) {
    case pb::ArrayEncoding::kFlat:
      return {"Flat", true};
    case pb::ArrayEncoding::kNullable:
      return {"Nullable", true};
    case pb::ArrayEncoding::kFixedSizeList:
      return {"FixedSizeList", true};
    case pb::ArrayEncoding::kList:
      return {"List", true};
    case pb::ArrayEncoding::kStruct:
      return {"SimpleStruct", true};
    case pb::ArrayEncoding::kBinary:
      return {"Binary", true};
    case pb::ArrayEncoding::kDictionary:
      return {"Dictionary", true};
    case pb::ArrayEncoding::kFsst:
      return {"Fsst", true};
    case pb::ArrayEncoding::kPackedStruct:
      return {"PackedStruct", true};
    case pb::ArrayEncoding::kBitpacked:
      return {"Bitpacked", true};
    case pb::ArrayEncoding::kFixedSizeBinary:
      return {"FixedSizeBinary", true};
    case pb::ArrayEncoding::kBitpackedForNonNeg:
      return {"BitpackedForNonNeg", true};
    case pb::ArrayEncoding::kConstant:
      return {"Constant", true};
    case pb::ArrayEncoding::kInlineBitpacking:
      return {"InlineBitpacking", false};
    case pb::ArrayEncoding::kOutOfLineBitpacking:
      return {"OutOfLineBitpacking", false};
    case pb::ArrayEncoding::kVariable:
      return {"Variable", false};
    case pb::ArrayEncoding::kPackedStructFixedWidthMiniBlock:
      return {"PackedStructFixedWidthMiniBlock", false};
    case pb::ArrayEncoding::kBlock:
      return {"Block", false};
    case pb::ArrayEncoding::kRle:
      return {"Rle", false};
    case pb::ArrayEncoding::kGeneralMiniBlock:
      return {"GeneralMiniBlock", false};
    case pb::ArrayEncoding::kByteStreamSplit:
      return {"ByteStreamSplit", false};
    case pb::ArrayEncoding::ARRAY_ENCODING_NOT_SET:
      break;
  }
  return {"none", false};
}

/// Build the error for an encoding that cannot stand where it does.
arrow::Status Refuse(const pb::ArrayEncoding& encoding, std::string_view place,
                     std::string_view allowed) {
  if (encoding.array_encoding_case() == pb::ArrayEncoding::ARRAY_ENCODING_NOT_SET) {
    return Corrupt(place, ": no known encoding is set; allowed: ", allowed);
  }
  const MemberName member = NameOf(encoding);
  const std::string message =
      std::string(place) + ": encoding is " + member.name + "; allowed: " + std::string(allowed);
  if (member.is_known) return Corrupt(message);
  return UnsupportedError(std::string("2.0 encoding ") + member.name, message);
}

/// A Nullable taken off an encoding.
struct Unwrapped {
  SlotLevel level;
  const pb::ArrayEncoding* values;  // null: all null
};

/// Checks messages of one page and turns them into plain values.
class PageParser {
 public:
  explicit PageParser(size_t num_buffers) : num_buffers_(num_buffers) {}

  arrow::Result<ArrayEncoding> Parse(const pb::ArrayEncoding& message) const {
    switch (message.array_encoding_case()) {
      case pb::ArrayEncoding::kBinary:
        return Wrap(ParseBinary(message.binary()));
      case pb::ArrayEncoding::kFsst:
        return Wrap(ParseFsst(message.fsst()));
      case pb::ArrayEncoding::kDictionary:
        return Wrap(ParseDictionary(message.dictionary()));
      case pb::ArrayEncoding::kList:
        return Wrap(ParseList(message.list()));
      case pb::ArrayEncoding::kStruct:
        return ArrayEncoding{StructEncoding{}};
      case pb::ArrayEncoding::kPackedStruct:
        return Wrap(ParsePackedStruct(message.packed_struct()));
      default:
        return ParseNullable(message);
    }
  }

 private:
  template <typename Form>
  static arrow::Result<ArrayEncoding> Wrap(arrow::Result<Form> form) {
    if (!form.ok()) return form.status();
    return ArrayEncoding{*std::move(form)};
  }

  arrow::Result<uint32_t> ParseBuffer(bool is_set, const pb::Buffer& buffer,
                                      std::string_view place) const {
    if (!is_set) return Corrupt(place, ".buffer is missing");
    if (buffer.buffer_type() != pb::Buffer::page) {
      return UnsupportedError("buffers outside of pages",
                              std::string(place) + ".buffer is of type " +
                                  std::to_string(static_cast<int>(buffer.buffer_type())) +
                                  "; allowed: 0, a buffer of the page");
    }
    if (buffer.buffer_index() >= num_buffers_) {
      return Corrupt(place, ".buffer is ", buffer.buffer_index(), ", the page has ", num_buffers_,
                     " buffers");
    }
    return buffer.buffer_index();
  }

  static arrow::Result<BufferCodec> ParseCodec(const pb::Flat& flat) {
    if (!flat.has_compression()) return BufferCodec::kNone;
    const std::string& scheme = flat.compression().scheme();
    if (scheme == "none") return BufferCodec::kStored;
    if (scheme == "zstd") return BufferCodec::kZstd;
    if (scheme == "lz4") return BufferCodec::kLz4;
    const std::string shown = scheme.substr(0, 64);
    return UnsupportedError("compression " + shown, "Flat.compression.scheme is \"" + shown +
                                                        "\"; allowed: none, lz4, zstd");
  }

  arrow::Result<FixedValues> ParseFlat(const pb::Flat& flat) const {
    FixedValues values{.form = FixedValues::Form::kFlat, .bits_per_value = flat.bits_per_value()};
    if (values.bits_per_value != 1 &&
        (values.bits_per_value == 0 || values.bits_per_value % 8 != 0)) {
      return Corrupt("Flat.bits_per_value is ", values.bits_per_value,
                     "; allowed: 1, multiples of 8");
    }
    ARROW_ASSIGN_OR_RAISE(values.buffer, ParseBuffer(flat.has_buffer(), flat.buffer(), "Flat"));
    ARROW_ASSIGN_OR_RAISE(values.codec, ParseCodec(flat));
    return values;
  }

  template <typename Message>
  arrow::Result<FixedValues> ParseBitpacked(const Message& message, FixedValues::Form form,
                                            std::string_view place) const {
    const uint64_t bits = message.uncompressed_bits_per_value();
    const uint64_t packed_bits = message.compressed_bits_per_value();
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      return Corrupt(place, ".uncompressed_bits_per_value is ", bits, "; allowed: 8, 16, 32, 64");
    }
    if (packed_bits > bits) {
      return Corrupt(place, ".compressed_bits_per_value is ", packed_bits, "; allowed: up to ",
                     bits);
    }
    FixedValues values{
        .form = form, .bits_per_value = bits, .packed_bits = static_cast<uint32_t>(packed_bits)};
    ARROW_ASSIGN_OR_RAISE(values.buffer,
                          ParseBuffer(message.has_buffer(), message.buffer(), place));
    return values;
  }

  /// Parse what holds values of fixed width, without nulls.
  arrow::Result<FixedValues> ParseValues(const pb::ArrayEncoding& message,
                                         std::string_view place) const {
    switch (message.array_encoding_case()) {
      case pb::ArrayEncoding::kFlat:
        return ParseFlat(message.flat());
      case pb::ArrayEncoding::kBitpacked: {
        ARROW_ASSIGN_OR_RAISE(
            FixedValues values,
            ParseBitpacked(message.bitpacked(), FixedValues::Form::kBitpacked, "Bitpacked"));
        values.is_signed = message.bitpacked().signed_();
        return values;
      }
      case pb::ArrayEncoding::kBitpackedForNonNeg:
        return ParseBitpacked(message.bitpacked_for_non_neg(),
                              FixedValues::Form::kBitpackedForNonNeg, "BitpackedForNonNeg");
      case pb::ArrayEncoding::kConstant:
        return FixedValues{.form = FixedValues::Form::kConstant,
                           .constant = message.constant().value()};
      default:
        return Refuse(message, place, "Flat, Bitpacked, BitpackedForNonNeg, Constant");
    }
  }

  /// Take a Nullable off; another encoding has no nulls.
  arrow::Result<Unwrapped> Unwrap(const pb::ArrayEncoding& message) const {
    if (!message.has_nullable()) return Unwrapped{{Nulls::kNone, 0}, &message};
    const pb::Nullable& nullable = message.nullable();
    switch (nullable.nullability_case()) {
      case pb::Nullable::kNoNulls:
        if (!nullable.no_nulls().has_values()) return Corrupt("NoNull.values is missing");
        return Unwrapped{{Nulls::kNone, 0}, &nullable.no_nulls().values()};
      case pb::Nullable::kSomeNulls: {
        const pb::Nullable::SomeNull& some = nullable.some_nulls();
        if (!some.has_values()) return Corrupt("SomeNull.values is missing");
        if (!some.validity().has_flat())
          return Refuse(some.validity(), "SomeNull.validity", "Flat");
        ARROW_ASSIGN_OR_RAISE(const FixedValues bits, ParseFlat(some.validity().flat()));
        if (bits.bits_per_value != 1 || bits.codec != BufferCodec::kNone) {
          return Corrupt("SomeNull.validity has values of ", bits.bits_per_value,
                         " bits; allowed: 1, not compressed");
        }
        return Unwrapped{{Nulls::kSome, bits.buffer}, &some.values()};
      }
      case pb::Nullable::kAllNulls:
        return Unwrapped{{Nulls::kAll, 0}, nullptr};
      case pb::Nullable::NULLABILITY_NOT_SET:
        break;
    }
    return Corrupt("Nullable.nullability is missing");
  }

  /// Parse rows that may be null: primitives, fixed-size lists, or strings of one length.
  arrow::Result<ArrayEncoding> ParseNullable(const pb::ArrayEncoding& message) const {
    ARROW_ASSIGN_OR_RAISE(const Unwrapped rows, Unwrap(message));
    if (rows.values != nullptr && rows.values->has_fixed_size_binary()) {
      return Wrap(ParseFixedSizeBinary(rows.values->fixed_size_binary(), rows.level));
    }
    // Some writers may wrap every encoding so.
    if (rows.values != nullptr && rows.level.nulls == Nulls::kNone && message.has_nullable() &&
        (rows.values->has_binary() || rows.values->has_dictionary() || rows.values->has_fsst())) {
      return Parse(*rows.values);
    }
    return Wrap(ParseFixedWidth(rows));
  }

  arrow::Result<FixedWidthEncoding> ParseFixedWidth(Unwrapped slots) const {
    FixedWidthEncoding encoding;
    encoding.levels.push_back(slots.level);
    while (slots.values != nullptr && slots.values->has_fixed_size_list()) {
      const pb::FixedSizeList& list = slots.values->fixed_size_list();
      if (list.dimension() == 0) return Corrupt("FixedSizeList.dimension is 0; allowed: 1 and up");
      if (!list.has_items()) return Corrupt("FixedSizeList.items is missing");
      if (list.has_validity()) {
        return UnsupportedError("2.0 encoding FixedSizeList with has_validity",
                                "FixedSizeList.has_validity is set, which format 2.0 does not use");
      }
      ARROW_ASSIGN_OR_RAISE(slots, Unwrap(list.items()));
      encoding.dimensions.push_back(list.dimension());
      encoding.levels.push_back(slots.level);
    }
    if (slots.values == nullptr) return encoding;
    ARROW_ASSIGN_OR_RAISE(encoding.values, ParseValues(*slots.values, "Nullable.values"));
    return encoding;
  }

  /// Parse numbers that cannot be null, as offsets and indices are.
  arrow::Result<FixedValues> ParseNumbers(bool is_set, const pb::ArrayEncoding& message,
                                          std::string_view place) const {
    if (!is_set) return Corrupt(place, " is missing");
    ARROW_ASSIGN_OR_RAISE(const Unwrapped slots, Unwrap(message));
    if (slots.level.nulls != Nulls::kNone) return Corrupt(place, " can be null");
    return ParseValues(*slots.values, place);
  }

  arrow::Result<FixedValues> ParseBytes(bool is_set, const pb::ArrayEncoding& message,
                                        std::string_view place) const {
    ARROW_ASSIGN_OR_RAISE(FixedValues bytes, ParseNumbers(is_set, message, place));
    if (bytes.form != FixedValues::Form::kFlat || bytes.bits_per_value != 8) {
      return Refuse(message, place, "Flat of 8 bits");
    }
    return bytes;
  }

  arrow::Result<FixedValues> ParseOffsets(bool is_set, const pb::ArrayEncoding& message,
                                          std::string_view place) const {
    ARROW_ASSIGN_OR_RAISE(FixedValues ends, ParseNumbers(is_set, message, place));
    if (ends.form != FixedValues::Form::kConstant && ends.bits_per_value != 64) {
      return Corrupt(place, " has values of ", ends.bits_per_value, " bits; allowed: 64");
    }
    return ends;
  }

  arrow::Result<BinaryEncoding> ParseBinary(const pb::Binary& message) const {
    BinaryEncoding encoding;
    ARROW_ASSIGN_OR_RAISE(encoding.ends,
                          ParseOffsets(message.has_indices(), message.indices(), "Binary.indices"));
    ARROW_ASSIGN_OR_RAISE(encoding.bytes,
                          ParseBytes(message.has_bytes(), message.bytes(), "Binary.bytes"));
    encoding.null_adjustment = message.null_adjustment();
    return encoding;
  }

  arrow::Result<BinaryEncoding> ParseFsst(const pb::Fsst& message) const {
    if (!message.binary().has_binary()) return Refuse(message.binary(), "Fsst.binary", "Binary");
    if (message.symbol_table().empty()) return Corrupt("Fsst.symbol_table is missing");
    ARROW_ASSIGN_OR_RAISE(BinaryEncoding encoding, ParseBinary(message.binary().binary()));
    encoding.symbol_table = message.symbol_table();
    return encoding;
  }

  arrow::Result<FixedSizeBinaryEncoding> ParseFixedSizeBinary(const pb::FixedSizeBinary& message,
                                                              SlotLevel rows) const {
    FixedSizeBinaryEncoding encoding{.rows = rows, .bytes = {}, .byte_width = message.byte_width()};
    ARROW_ASSIGN_OR_RAISE(
        encoding.bytes, ParseBytes(message.has_bytes(), message.bytes(), "FixedSizeBinary.bytes"));
    return encoding;
  }

  arrow::Result<DictionaryEncoding> ParseDictionary(const pb::Dictionary& message) const {
    if (!message.has_indices()) return Corrupt("Dictionary.indices is missing");
    if (!message.has_items()) return Corrupt("Dictionary.items is missing");
    DictionaryEncoding encoding;
    encoding.num_items = message.num_dictionary_items();
    ARROW_ASSIGN_OR_RAISE(const Unwrapped indices, Unwrap(message.indices()));
    ARROW_ASSIGN_OR_RAISE(encoding.indices, ParseFixedWidth(indices));
    if (encoding.indices.levels.size() != 1) {
      return Corrupt("Dictionary.indices: encoding is FixedSizeList; allowed: integers");
    }
    if (message.items().has_dictionary()) {
      return Refuse(message.items(), "Dictionary.items", "Nullable, Binary, Fsst");
    }
    ARROW_ASSIGN_OR_RAISE(ArrayEncoding items, Parse(message.items()));
    encoding.items = std::make_shared<const ArrayEncoding>(std::move(items));
    return encoding;
  }

  arrow::Result<ListEncoding> ParseList(const pb::List& message) const {
    ListEncoding encoding{.ends = {},
                          .null_offset_adjustment = message.null_offset_adjustment(),
                          .num_items = message.num_items()};
    ARROW_ASSIGN_OR_RAISE(encoding.ends,
                          ParseOffsets(message.has_offsets(), message.offsets(), "List.offsets"));
    return encoding;
  }

  arrow::Result<PackedMember> ParsePackedMember(const pb::ArrayEncoding& message) const {
    ARROW_ASSIGN_OR_RAISE(const Unwrapped slots, Unwrap(message));
    ARROW_ASSIGN_OR_RAISE(FixedWidthEncoding encoding, ParseFixedWidth(slots));
    for (const SlotLevel& level : encoding.levels) {
      if (level.nulls != Nulls::kNone) return Corrupt("PackedStruct.inner can be null");
    }
    const FixedValues& values = *encoding.values;
    if (values.form != FixedValues::Form::kFlat || values.bits_per_value % 8 != 0) {
      return Corrupt("PackedStruct.inner has values of ", values.bits_per_value,
                     " bits; allowed: Flat of whole bytes");
    }
    return PackedMember{std::move(encoding.dimensions), values.bits_per_value};
  }

  arrow::Result<PackedStructEncoding> ParsePackedStruct(const pb::PackedStruct& message) const {
    PackedStructEncoding encoding;
    ARROW_ASSIGN_OR_RAISE(encoding.buffer,
                          ParseBuffer(message.has_buffer(), message.buffer(), "PackedStruct"));
    if (message.inner().empty()) return Corrupt("PackedStruct.inner is missing");
    for (const pb::ArrayEncoding& inner : message.inner()) {
      ARROW_ASSIGN_OR_RAISE(PackedMember member, ParsePackedMember(inner));
      encoding.members.push_back(std::move(member));
    }
    return encoding;
  }

  size_t num_buffers_;
};

}  // namespace

arrow::Result<ArrayEncoding> ParseArrayEncoding(const PageMetadata& page) {
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, UnpackEncoding(page.encoding, kArrayEncodingType));
  pb::ArrayEncoding message;
  if (!ParseBounded(AsBytes(bytes), &message)) {
    return Corrupt("ArrayEncoding is not a message of its type, or is nested too deep");
  }
  return PageParser(page.buffers.size()).Parse(message);
}

}  // namespace lance::format::v20
