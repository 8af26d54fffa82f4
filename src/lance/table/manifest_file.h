#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/table/manifest.h"

namespace lance::table {

// A manifest file (table-format 2.1):
//
//   | u32 length | IndexSection |  only with indices
//   | u32 length | Transaction  |  unless it is larger than 20 MiB
//   | u32 length | Manifest     |
//   | i64 position of the manifest's length | i16 major 0 | i16 minor 2 | "LANC" |
//
// Numbers are little-endian; no padding, no checksum. Positions in the manifest rule, so sections
// may come in any order and there may be slack between them.

/// Larger transactions are not stored inline; their file has them.
inline constexpr size_t kMaxInlineTransactionBytes = size_t{20} << 20;

/// What a manifest file holds.
struct ManifestFile {
  Manifest manifest;
  /// The inline transaction as serialized; no value: none, or its section is broken.
  std::optional<std::string> inline_transaction;
};

/// Parse a whole manifest file.
///
/// A broken transaction section never fails, because no version may become unreadable by it.
///
/// \return SerializationError naming the part and the place; NotImplemented for a data version that
///   nobody knows yet
arrow::Result<ManifestFile> DecodeManifestFile(std::span<const std::byte> bytes);

/// Build the bytes of a manifest file.
///
/// \param serialized_transaction "": none
/// \return CapacityError when a section is too large
arrow::Result<std::shared_ptr<arrow::Buffer>> EncodeManifestFile(
    const Manifest& manifest, std::string_view serialized_transaction);

}  // namespace lance::table
