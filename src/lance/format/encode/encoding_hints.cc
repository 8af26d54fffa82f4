#include "lance/format/encode/encoding_hints.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/status.h"

namespace lance::format {
namespace {

constexpr std::string_view kPrefix = "lance-encoding:";

/// The metadata of one field, asked for key by key.
class Metadata {
 public:
  explicit Metadata(const std::map<std::string, std::string>& entries) : entries_(entries) {}

  /// Look a key up. \return null when it is not there
  const std::string* Find(std::string_view key) const {
    const auto found = entries_.find(std::string(kPrefix) + std::string(key));
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// Read a word. `words` are what is allowed, `values` what they mean.
  template <typename Value, size_t kCount>
  arrow::Status ReadWord(std::string_view key,
                         const std::pair<std::string_view, Value> (&words)[kCount],
                         Value* out) const {
    const std::string* const text = Find(key);
    if (text == nullptr) return arrow::Status::OK();
    std::string allowed;
    for (const auto& [word, value] : words) {
      if (*text == word) {
        *out = value;
        return arrow::Status::OK();
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(word);
    }
    return Refuse(key, *text, allowed);
  }

  /// Read a number.
  ///
  /// \param is_allowed whether a number may stand there
  template <typename Number, typename Allowed>
  arrow::Status ReadNumber(std::string_view key, std::string_view allowed, Allowed&& is_allowed,
                           std::optional<Number>* out) const {
    const std::string* const text = Find(key);
    if (text == nullptr) return arrow::Status::OK();
    Number number{};
    const char* const end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || !is_allowed(number)) {
      return Refuse(key, *text, allowed);
    }
    *out = number;
    return arrow::Status::OK();
  }

 private:
  static arrow::Status Refuse(std::string_view key, std::string_view text,
                              std::string_view allowed) {
    return arrow::Status::Invalid(kPrefix, key, " is \"", text.substr(0, 64),
                                  "\"; allowed: ", allowed);
  }

  const std::map<std::string, std::string>& entries_;
};

constexpr std::pair<std::string_view, Compression> kCompressions[] = {{"none", Compression::kNone},
                                                                      {"lz4", Compression::kLz4},
                                                                      {"zstd", Compression::kZstd},
                                                                      {"fsst", Compression::kFsst}};

constexpr std::pair<std::string_view, Compression> kDictionaryCompressions[] = {
    {"lz4", Compression::kLz4}, {"zstd", Compression::kZstd}, {"none", Compression::kNone}};

constexpr std::pair<std::string_view, ByteStreamSplitMode> kSplitModes[] = {
    {"off", ByteStreamSplitMode::kOff},
    {"on", ByteStreamSplitMode::kOn},
    {"auto", ByteStreamSplitMode::kAuto}};

constexpr std::pair<std::string_view, StructuralEncoding> kStructures[] = {
    {"miniblock", StructuralEncoding::kMiniBlock}, {"fullzip", StructuralEncoding::kFullZip}};

arrow::Status ReadCompression(const Metadata& metadata, EncodingHints* hints) {
  const auto any = [](int) { return true; };
  ARROW_RETURN_NOT_OK(metadata.ReadWord("compression", kCompressions, &hints->compression));
  ARROW_RETURN_NOT_OK(
      metadata.ReadNumber<int>("compression-level", "an integer", any, &hints->compression_level));
  ARROW_RETURN_NOT_OK(metadata.ReadNumber<double>(
      "rle-threshold", "a number, 0 or more",
      [](double number) { return std::isfinite(number) && number >= 0; }, &hints->rle_threshold));
  return metadata.ReadWord("bss", kSplitModes, &hints->byte_stream_split);
}

arrow::Status ReadDictionary(const Metadata& metadata, EncodingHints* hints) {
  std::optional<uint64_t> divisor;
  std::optional<double> ratio;
  std::optional<uint64_t> max_bytes;
  ARROW_RETURN_NOT_OK(metadata.ReadNumber<uint64_t>(
      "dict-divisor", "an integer, 1 or more", [](uint64_t number) { return number >= 1; },
      &divisor));
  ARROW_RETURN_NOT_OK(metadata.ReadNumber<double>(
      "dict-size-ratio", "a number above 0, up to 1",
      [](double number) { return number > 0 && number <= 1; }, &ratio));
  ARROW_RETURN_NOT_OK(metadata.ReadNumber<uint64_t>(
      "dict-max-size", "an integer, 0 or more", [](uint64_t) { return true; }, &max_bytes));
  hints->dict_divisor = divisor.value_or(hints->dict_divisor);
  hints->dict_size_ratio = ratio.value_or(hints->dict_size_ratio);
  hints->dict_max_bytes = max_bytes.value_or(hints->dict_max_bytes);
  ARROW_RETURN_NOT_OK(metadata.ReadWord("dict-values-compression", kDictionaryCompressions,
                                        &hints->dict_compression));
  return metadata.ReadNumber<int>(
      "dict-values-compression-level", "an integer", [](int) { return true; },
      &hints->dict_compression_level);
}

}  // namespace

arrow::Result<EncodingHints> ParseEncodingHints(const FieldNode& top, const FieldNode& leaf) {
  EncodingHints hints;
  const Metadata metadata(leaf.metadata);
  ARROW_RETURN_NOT_OK(ReadCompression(metadata, &hints));
  ARROW_RETURN_NOT_OK(ReadDictionary(metadata, &hints));
  std::optional<uint64_t> chunk_bytes;
  ARROW_RETURN_NOT_OK(metadata.ReadNumber<uint64_t>(
      "minichunk-size", "an integer, 1 or more", [](uint64_t number) { return number >= 1; },
      &chunk_bytes));
  hints.mini_chunk_bytes = chunk_bytes.value_or(hints.mini_chunk_bytes);
  ARROW_RETURN_NOT_OK(
      Metadata(top.metadata).ReadWord("structural-encoding", kStructures, &hints.structural));
  return hints;
}

}  // namespace lance::format
