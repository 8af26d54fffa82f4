#include <openssl/evp.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/dataset/filter/cast_value.h"
#include "lance/dataset/filter/functions.h"
#include "lance/dataset/filter/literal.h"
#include "lance/dataset/filter/row_values.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Status;
using Arguments = std::vector<BoundValue>;
using CallResult = arrow::Result<FunctionCall>;

arrow::Result<std::string> Digest(const EVP_MD* method, std::string_view bytes) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                 method, nullptr) != 1) {
    return Status::UnknownError("a digest could not be computed");
  }
  digest.resize(size);
  return digest;
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

/// What is done with the bytes of one row.
using Convert = std::function<arrow::Result<std::string>(std::string_view)>;

template <typename Builder>
CallResult BytesCall(const Arguments& arguments, std::shared_ptr<arrow::DataType> result,
                     Convert convert) {
  const auto binary = arrow::binary();
  if (!CanCast(*arguments[0].type, *binary)) {
    return Status::Invalid("found a value of type ", arguments[0].type->ToString(),
                           ", expected a text or bytes");
  }
  const auto run = [convert](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const std::vector<Datum> bytes = {values[0]};
    const TextRows rows(bytes[0]);
    Builder builder;
    return BuildRows(bytes, &builder, [&](int64_t i) -> Status {
      if (!rows.IsValid(i)) return builder.AppendNull();
      ARROW_ASSIGN_OR_RAISE(const std::string converted, convert(rows.Value(i)));
      return builder.Append(converted);
    });
  };
  return FunctionCall{std::move(result), {binary}, run};
}

CallResult DigestBy(const Arguments& arguments, const EVP_MD* method) {
  return BytesCall<arrow::BinaryBuilder>(
      arguments, arrow::binary(),
      [method](std::string_view bytes) { return Digest(method, bytes); });
}

CallResult Sha224(const Arguments& arguments) { return DigestBy(arguments, EVP_sha224()); }
CallResult Sha256(const Arguments& arguments) { return DigestBy(arguments, EVP_sha256()); }
CallResult Sha384(const Arguments& arguments) { return DigestBy(arguments, EVP_sha384()); }
CallResult Sha512(const Arguments& arguments) { return DigestBy(arguments, EVP_sha512()); }

/// As hexadecimal digits.
CallResult Md5(const Arguments& arguments) {
  return BytesCall<arrow::StringBuilder>(
      arguments, arrow::utf8(), [](std::string_view bytes) -> arrow::Result<std::string> {
        ARROW_ASSIGN_OR_RAISE(const std::string digest, Digest(EVP_md5(), bytes));
        return Hex(digest);
      });
}

/// digest(x, 'sha256').
CallResult DigestNamed(const Arguments& arguments) {
  static const std::map<std::string, const EVP_MD*, std::less<>> methods = {
      {"md5", EVP_md5()},           {"sha224", EVP_sha224()}, {"sha256", EVP_sha256()},
      {"sha384", EVP_sha384()},     {"sha512", EVP_sha512()}, {"blake2s", EVP_blake2s256()},
      {"blake2b", EVP_blake2b512()}};
  ARROW_ASSIGN_OR_RAISE(const std::string name, ConstantText(arguments[1], "the kind of digest"));
  const auto method = methods.find(name);
  if (method == methods.end()) {
    return Status::NotImplemented("found the digest ", name,
                                  ", allowed are md5, sha224, sha256, sha384, sha512, blake2s and "
                                  "blake2b");
  }
  return DigestBy(arguments, method->second);
}

std::string Base64(std::string_view bytes, bool is_padded) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  while (!is_padded && text.ends_with('=')) text.pop_back();
  return text;
}

/// The padding may be missing. Digits are checked here: the library passes over white space.
arrow::Result<std::string> FromBase64(std::string_view text) {
  const size_t num_digits = text.find_last_not_of('=') + 1;  // 0 when there is none
  std::string padded(text.substr(0, num_digits));
  const bool is_padding = text.size() - num_digits <= 2;
  const bool are_digits = std::ranges::all_of(padded, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/';
  });
  if (!are_digits || !is_padding || num_digits % 4 == 1) {
    return Status::Invalid("found a text that is no base64");
  }
  const size_t size = num_digits / 4 * 3 + num_digits % 4 * 3 / 4;
  while (padded.size() % 4 != 0) padded += '=';
  std::string bytes(padded.size() / 4 * 3, '\0');
  const int decoded = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                      reinterpret_cast<const unsigned char*>(padded.data()),
                                      static_cast<int>(padded.size()));
  if (decoded < 0) return Status::Invalid("found a text that is no base64");
  bytes.resize(size);
  return bytes;
}

arrow::Result<std::string> FromHex(std::string_view text) {
  if (text.size() % 2 != 0 ||
      text.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
    return Status::Invalid("found a text that is no even number of hexadecimal digits");
  }
  return DecodeHex(text);
}

Status UnknownEncoding(const std::string& name) {
  return Status::Invalid("found the encoding ", name, ", allowed are hex, base64 and base64pad");
}

CallResult Encode(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string name, ConstantText(arguments[1], "the encoding"));
  if (name != "hex" && name != "base64" && name != "base64pad") return UnknownEncoding(name);
  const auto encode = [name](std::string_view bytes) -> arrow::Result<std::string> {
    return name == "hex" ? Hex(bytes) : Base64(bytes, name == "base64pad");
  };
  return BytesCall<arrow::StringBuilder>(arguments, arrow::utf8(), encode);
}

CallResult Decode(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string name, ConstantText(arguments[1], "the encoding"));
  if (name != "hex" && name != "base64" && name != "base64pad") return UnknownEncoding(name);
  return BytesCall<arrow::BinaryBuilder>(arguments, arrow::binary(),
                                         name == "hex" ? FromHex : FromBase64);
}

}  // namespace

std::vector<FunctionEntry> DigestFunctions() {
  return {{"md5", 1, 1, Md5},       {"sha224", 1, 1, Sha224}, {"sha256", 1, 1, Sha256},
          {"sha384", 1, 1, Sha384}, {"sha512", 1, 1, Sha512}, {"digest", 2, 2, DigestNamed},
          {"encode", 2, 2, Encode}, {"decode", 2, 2, Decode}};
}

}  // namespace lance::filter
