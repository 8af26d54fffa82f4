#include "lance/base/envelope.h"

#include "lance/base/byte_reader.h"
#include "lance/base/crc32c.h"
#include "lance/base/status_detail.h"

namespace lance {

std::string SealEnvelope(const EnvelopeForm& form, uint16_t kind, std::string_view payload) {
  std::string sealed(form.magic);
  AppendLittleEndian(kind, &sealed);
  AppendLittleEndian(form.format_version, &sealed);
  AppendLittleEndian(static_cast<uint64_t>(payload.size()), &sealed);
  sealed.append(payload);
  AppendLittleEndian(Crc32c(sealed), &sealed);
  return sealed;
}

arrow::Result<OpenedEnvelope> OpenEnvelope(const EnvelopeForm& form, std::string_view bytes) {
  ByteReader reader(AsBytes(bytes), form.name);
  ARROW_ASSIGN_OR_RAISE(const auto magic, reader.Take(form.magic.size(), "magic"));
  if (std::string_view(reinterpret_cast<const char*>(magic.data()), magic.size()) != form.magic) {
    return arrow::Status::SerializationError(form.name, ": it does not begin with ", form.magic,
                                             "; allowed: ", form.content);
  }
  OpenedEnvelope opened;
  ARROW_ASSIGN_OR_RAISE(opened.kind, reader.Read<uint16_t>("kind"));
  ARROW_ASSIGN_OR_RAISE(const auto version, reader.Read<uint16_t>("format version"));
  if (version != form.format_version) {
    return UnsupportedError(std::string(form.name) + " " + std::to_string(version),
                            std::string(form.name) + ": its format version is " +
                                std::to_string(version) +
                                "; allowed: " + std::to_string(form.format_version));
  }
  ARROW_ASSIGN_OR_RAISE(const auto size, reader.Read<uint64_t>("payload length"));
  const size_t begin = reader.offset();
  ARROW_RETURN_NOT_OK(reader.Take(size, "payload").status());
  const size_t end = reader.offset();
  ARROW_ASSIGN_OR_RAISE(const auto checksum, reader.Read<uint32_t>("checksum"));
  if (reader.remaining() != 0 || checksum != Crc32c(bytes.substr(0, end))) {
    return arrow::Status::SerializationError(form.name, ": its checksum is wrong");
  }
  opened.payload = bytes.substr(begin, end - begin);
  return opened;
}

}  // namespace lance
