#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lance::format::v20 {

/// How the nulls of some slots are stored.
enum class Nulls : uint8_t {
  kNone,  // every slot is valid
  kSome,  // one bit a slot, 1 is valid
  kAll,   // every slot is null; nothing else is stored
};

/// The general compressor around a page buffer.
enum class BufferCodec : uint8_t {
  kNone,    // no compressor is named
  kStored,  // the compressor "none" is named
  kLz4,
  kZstd,
};

/// Values of fixed width in one page buffer. A plain value.
///
/// Source: file-format 4.2, 4.3.
struct FixedValues {
  /// How the values are stored.
  enum class Form : uint8_t {
    kFlat,                // back to back
    kBitpacked,           // packed_bits each in one bit stream
    kBitpackedForNonNeg,  // FastLanes groups of 1024 values
    kConstant,            // one value for all slots, no buffer
  };
  Form form = Form::kFlat;
  /// Of one value when it is read: 1 or a multiple of 8. kBitpacked*: 8, 16, 32 or 64. 0: what
  /// the reader wants (kConstant).
  uint64_t bits_per_value = 0;
  /// kBitpacked*: bits of one value in the buffer, at most bits_per_value.
  uint32_t packed_bits = 0;
  /// kBitpacked: the highest packed bit is a sign.
  bool is_signed = false;
  /// kFlat: the whole buffer is compressed.
  BufferCodec codec = BufferCodec::kNone;
  /// Index into the page's buffers.
  uint32_t buffer = 0;
  std::string constant = {};

  bool is_compressed() const { return codec == BufferCodec::kLz4 || codec == BufferCodec::kZstd; }
};

/// Slots of one level of a fixed-width array. A plain value.
struct SlotLevel {
  Nulls nulls = Nulls::kNone;
  /// kSome: the page buffer of the bits.
  uint32_t validity_buffer = 0;
};

/// Primitives, and fixed-size lists of them. A plain value.
struct FixedWidthEncoding {
  /// Rows, then the items of each fixed-size list from the outer to the inner. At least one; a
  /// level that is all null is the last.
  std::vector<SlotLevel> levels;
  /// Slots that each level has for one slot of the level above: levels.size() - 1 numbers, not 0.
  std::vector<uint32_t> dimensions;
  /// None: the last level is all null.
  std::optional<FixedValues> values;
};

/// Text or binary values behind their end offsets. A plain value.
struct BinaryEncoding {
  FixedValues ends;
  FixedValues bytes;
  /// What the ends of null rows were raised by. 0: no row is null.
  uint64_t null_adjustment = 0;
  /// Not empty: each value is compressed with it (file-format 9.7).
  std::string symbol_table;
};

/// Text or binary values of one length. A plain value.
struct FixedSizeBinaryEncoding {
  SlotLevel rows;
  FixedValues bytes;
  uint32_t byte_width = 0;
};

/// The offsets of a list column. A plain value.
struct ListEncoding {
  FixedValues ends;
  uint64_t null_offset_adjustment = 0;
  /// Values of the item column that belong to the page.
  uint64_t num_items = 0;
};

/// The header of a struct: its members are columns of their own.
struct StructEncoding {};

/// A member of a packed struct. A plain value.
struct PackedMember {
  /// Of fixed-size lists, from the outer to the inner.
  std::vector<uint32_t> dimensions;
  /// Of one value, or one item of the innermost list: a multiple of 8.
  uint64_t bits_per_value = 0;
};

/// Rows of fixed-width members without nulls. A plain value.
struct PackedStructEncoding {
  std::vector<PackedMember> members;
  uint32_t buffer = 0;
};

struct ArrayEncoding;

/// Values by their position among items. A plain value.
struct DictionaryEncoding {
  /// One level. In columns of Arrow type dictionary an index is direct; elsewhere 0 is null and k
  /// is item k - 1.
  FixedWidthEncoding indices;
  std::shared_ptr<const ArrayEncoding> items;
  uint32_t num_items = 0;
};

/// How the values of one page become an array. A plain value.
///
/// One that ParseArrayEncoding gave names buffers that the page has and widths that can be; how it
/// fits the column's type is checked by who reads it. Source: file-format 4.1.
struct ArrayEncoding {
  std::variant<FixedWidthEncoding, BinaryEncoding, FixedSizeBinaryEncoding, DictionaryEncoding,
               ListEncoding, StructEncoding, PackedStructEncoding>
      form;
};

/// Name the outermost part of an encoding for messages, for example "Binary".
const char* EncodingName(const ArrayEncoding& encoding);

/// Say all parts of an encoding in one line for people, for example
/// "SomeNulls(FixedSizeList{4}(NoNulls(Flat{32})))".
std::string Describe(const ArrayEncoding& encoding);

}  // namespace lance::format::v20
