// Values that are stored one by one, described by a CompressiveEncoding. Sections: shape, the
// description, then values: of fixed width all in one section, else one in each; an empty section
// is a null row.

#include <new>

#include "arrow/memory_pool.h"
#include "fuzz/mutate_message.h"
#include "fuzz/read_data_file.h"
#include "fuzz/target.h"
#include "fuzz/value_input.h"
#include "lance/format/encodings/codec.h"
#include "lance_encodings21.pb.h"

namespace lance::fuzz {
namespace {

using lance_pb::encodings21::CompressiveEncoding;

void MutateValues(std::string* input, size_t max_size, uint64_t seed,
                  const ByteMutator& mutate_bytes) {
  MutateSections(1, CompressiveEncoding::default_instance(), input, max_size, seed, mutate_bytes);
}

/// Cut values of fixed width apart; what is left over is no value.
std::vector<ExactBytes> CutValues(std::span<const std::byte> bytes, uint64_t value_bytes) {
  std::vector<ExactBytes> values;
  for (; bytes.size() >= value_bytes; bytes = bytes.subspan(value_bytes)) {
    values.push_back(ExactCopy(bytes.first(value_bytes)));
  }
  return values;
}

void DecodeValues(const format::PerValueDecoder& decoder, const format::ValueShape& shape,
                  std::vector<ExactBytes> sections) {
  arrow::ProxyMemoryPool own(arrow::system_memory_pool());
  arrow::CappedMemoryPool pool(&own, kMaxPoolBytes);
  LANCE_FUZZ_CHECK(decoder.stored_bits() % 8 == 0, "values have whole bytes");
  if (decoder.stored_bits() != 0) {
    sections = CutValues(SectionAt(sections, 0), decoder.stored_bits() / 8);
  }
  std::vector<std::span<const std::byte>> values;
  for (const ExactBytes& section : sections) {
    values.push_back(section.empty() ? std::span<const std::byte>()
                                     : std::span<const std::byte>(section));
  }
  format::ValueBuffer out(shape, &pool);
  if (decoder.Decode(values, &out).ok()) UseValues(out, shape, values.size(), &pool);
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(per_value_decoder) {
  auto sections = lance::fuzz::SplitSections(input);
  if (sections.size() < 2) return;
  lance::fuzz::Input parameters(sections[0]);
  const auto shape = lance::fuzz::TakeShape(&parameters);
  lance::fuzz::CompressiveEncoding encoding;
  if (!encoding.ParseFromArray(sections[1].data(), static_cast<int>(sections[1].size()))) return;
  const auto decoder = lance::format::MakePerValueDecoder(encoding, shape);
  if (!decoder.ok()) return;
  sections.erase(sections.begin(), sections.begin() + 2);
  try {
    lance::fuzz::DecodeValues(**decoder, shape, std::move(sections));
  } catch (const std::bad_alloc&) {
    return;  // the pool has a cap
  }
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutateValues);
