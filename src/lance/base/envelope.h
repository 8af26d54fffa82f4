#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "arrow/result.h"

namespace lance {

// What travels between the parts of a distributed read or write: magic of 8 bytes, u16 kind, u16
// format version, u64 payload length, payload, u32 CRC-32C over all before; little-endian.

/// What envelopes of one sort have in common. A plain value.
struct EnvelopeForm {
  std::string_view magic;  // 8 bytes
  uint16_t format_version = 1;
  std::string_view name;     // for messages: "compaction envelope"
  std::string_view content;  // for messages: "a plan, task or result of ordinary compaction"
};

/// Put a payload into an envelope.
std::string SealEnvelope(const EnvelopeForm& form, uint16_t kind, std::string_view payload);

/// What was in an envelope. Borrows its bytes.
struct OpenedEnvelope {
  uint16_t kind = 0;
  std::string_view payload;
};

/// Check an envelope, and take its payload out.
///
/// \return SerializationError for bytes that are none or damaged; NotImplemented +
///   UnsupportedFeature for another format version
arrow::Result<OpenedEnvelope> OpenEnvelope(const EnvelopeForm& form, std::string_view bytes);

}  // namespace lance
