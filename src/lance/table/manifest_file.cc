#include "lance/table/manifest_file.h"

#include <utility>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/table/manifest_proto.h"

namespace lance::table {
namespace {

constexpr std::string_view kMagic = "LANC";
constexpr size_t kFooterBytes = 16;
constexpr uint16_t kMajorVersion = 0;
constexpr uint16_t kMinorVersion = 2;

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Read the footer. \return the position of the manifest's length, as claimed
arrow::Result<uint64_t> ReadFooter(std::span<const std::byte> bytes) {
  if (bytes.size() < kFooterBytes) {
    return arrow::Status::SerializationError("manifest file has ", bytes.size(),
                                             " bytes; allowed: ", kFooterBytes, " and more");
  }
  ByteReader in(bytes.last(kFooterBytes), "manifest footer");
  ARROW_ASSIGN_OR_RAISE(const auto claimed_position, in.Read<uint64_t>("position"));
  ARROW_RETURN_NOT_OK(in.Take(4, "version").status());  // the reference does not check it either
  ARROW_ASSIGN_OR_RAISE(const auto magic, in.Take(kMagic.size(), "magic"));
  if (AsText(magic) != kMagic) return in.Corrupt("magic", "is not LANC");
  return claimed_position;
}

/// Borrow the section whose length stands at `claimed_position`.
///
/// \param body the file without its footer
arrow::Result<std::string_view> ReadSection(std::span<const std::byte> body,
                                            uint64_t claimed_position, std::string_view what) {
  // A negative i64 is a huge u64, so one comparison refuses both.
  if (claimed_position > body.size()) {
    return arrow::Status::SerializationError(what, " is said to be at byte ", claimed_position,
                                             ", the file has ", body.size(), " before its footer");
  }
  ByteReader in(body.subspan(claimed_position), what);
  ARROW_ASSIGN_OR_RAISE(const auto claimed_length, in.Read<uint32_t>("length"));
  ARROW_ASSIGN_OR_RAISE(const auto section, in.Take(claimed_length, "bytes"));
  return AsText(section);
}

void AppendSection(std::string_view section, std::string* file) {
  AppendLittleEndian(static_cast<uint32_t>(section.size()), file);  // messages are below 2 GiB
  file->append(section);
}

}  // namespace

arrow::Result<ManifestFile> DecodeManifestFile(std::span<const std::byte> bytes) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t position, ReadFooter(bytes));
  const auto body = bytes.first(bytes.size() - kFooterBytes);
  ARROW_ASSIGN_OR_RAISE(const auto message, ReadSection(body, position, "manifest"));
  ARROW_ASSIGN_OR_RAISE(ParsedManifest parsed, ParseManifestMessage(message));

  ManifestFile file{.manifest = std::move(parsed.manifest)};
  if (parsed.positions.index_section) {
    ARROW_ASSIGN_OR_RAISE(const auto section,
                          ReadSection(body, *parsed.positions.index_section, "index section"));
    ARROW_ASSIGN_OR_RAISE(file.manifest.indices, ParseIndexSection(section));
  }
  if (parsed.positions.transaction_section) {
    const auto section =
        ReadSection(body, *parsed.positions.transaction_section, "transaction section");
    if (section.ok()) file.inline_transaction = std::string(*section);
  }
  return file;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> EncodeManifestFile(
    const Manifest& manifest, std::string_view serialized_transaction) {
  std::string file;
  SectionPositions positions;
  if (!manifest.indices.empty()) {
    positions.index_section = file.size();
    ARROW_ASSIGN_OR_RAISE(const auto section, SerializeIndexSection(manifest.indices));
    AppendSection(section, &file);
  }
  if (!serialized_transaction.empty() &&
      serialized_transaction.size() <= kMaxInlineTransactionBytes) {
    positions.transaction_section = file.size();
    AppendSection(serialized_transaction, &file);
  }
  const uint64_t manifest_position = file.size();
  ARROW_ASSIGN_OR_RAISE(const auto message, SerializeManifestMessage(manifest, positions));
  AppendSection(message, &file);
  AppendLittleEndian(manifest_position, &file);
  AppendLittleEndian(kMajorVersion, &file);
  AppendLittleEndian(kMinorVersion, &file);
  file.append(kMagic);
  return arrow::Buffer::FromString(std::move(file));
}

}  // namespace lance::table
