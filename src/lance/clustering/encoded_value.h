#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/clustering.h"
#include "lance/clustering/key_type.h"

namespace lance::clustering {

/// Whether an algorithm accepts a column type (contract section 2).
bool AcceptsType(ClusteringAlgorithm algorithm, const arrow::DataType& type);

/// Key values as bytes whose unsigned lexicographic order is the value order; nulls apart.
struct EncodedColumn {
  std::string bytes;
  std::vector<uint64_t> offsets{0};  // num_rows + 1; a null row is empty
  std::vector<bool> is_null;

  size_t num_rows() const { return is_null.size(); }
  std::string_view value(size_t row) const {
    return std::string_view(bytes).substr(offsets[row], offsets[row + 1] - offsets[row]);
  }
};

/// Encode every row of a key column (contract section 4 "Encoded value").
///
/// A dictionary-encoded array of an accepted type is decoded first.
/// \return Invalid naming the type when the algorithm does not accept it
arrow::Result<EncodedColumn> EncodeColumn(const arrow::Array& values,
                                          ClusteringAlgorithm algorithm);

/// How one key column's values are encoded. A plain value, made once per column.
///
/// Layout of a word or wide word: 0x01 | payload, big-endian.
/// Layout of bytes: empty is 0x01; else 0x02, then blocks (8 bytes for the first 32 bytes, 32 bytes
/// after them; the last one zero-padded), each followed by 0xff or, after the last, by its unpadded
/// length. A value that is cut has 0xff after its last block, too.
struct ValueEncoding {
  KeyType type;
  size_t longest_bytes = 0;  // of kBytes: what comes after is cut

  /// The encoded size of a value that is `value_bytes` long; ignored when the width is fixed.
  uint64_t EncodedSize(uint64_t value_bytes) const;

  /// Append the encoded form of some rows to `column`; nulls become empty rows.
  void Append(const arrow::Array& values, RowSelection rows, size_t num_rows,
              EncodedColumn* column) const;
};

/// Make the encoding of a column. \return Invalid as RequireKeyType
arrow::Result<ValueEncoding> MakeValueEncoding(ClusteringAlgorithm algorithm,
                                               const arrow::DataType& type, std::string_view what);

/// A string or binary as the order sees it: the bytes compared, and whether more followed.
struct ComparedBytes {
  std::string bytes;
  bool is_cut = false;

  bool operator==(const ComparedBytes&) const = default;
};

/// Decode an encoded word. \return SerializationError when it is not one of `payload_bytes` bytes
arrow::Result<WideWord> DecodeWord(std::string_view encoded, size_t payload_bytes);

/// Decode encoded bytes. \return SerializationError when they are not what Append writes
arrow::Result<ComparedBytes> DecodeBytes(std::string_view encoded);

}  // namespace lance::clustering
