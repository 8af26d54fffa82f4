// The value buffers of a chunk, described by a CompressiveEncoding. Sections: shape and u16 values,
// the description, the buffers.

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

void MutateChunk(std::string* input, size_t max_size, uint64_t seed,
                 const ByteMutator& mutate_bytes) {
  MutateSections(1, CompressiveEncoding::default_instance(), input, max_size, seed, mutate_bytes);
}

/// Decode a chunk twice into one buffer: the second comes behind the first.
void DecodeTwice(const format::MiniBlockDecoder& decoder, const format::ValueShape& shape,
                 uint64_t num_values, std::span<const ExactBytes> sections) {
  arrow::ProxyMemoryPool own(arrow::system_memory_pool());
  arrow::CappedMemoryPool pool(&own, kMaxPoolBytes);
  std::vector<std::span<const std::byte>> buffers;
  for (int i = 0; i < decoder.num_buffers(); ++i) {
    buffers.push_back(SectionAt(sections, 2 + static_cast<size_t>(i)));
  }
  format::ValueBuffer values(shape, &pool);
  if (!decoder.Decode(buffers, num_values, &values).ok()) return;
  UseValues(values, shape, num_values, &pool);
  if (!decoder.Decode(buffers, num_values, &values).ok()) return;
  UseValues(values, shape, 2 * num_values, &pool);
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(mini_block_decoder) {
  const auto sections = lance::fuzz::SplitSections(input);
  lance::fuzz::Input parameters(lance::fuzz::SectionAt(sections, 0));
  const auto shape = lance::fuzz::TakeShape(&parameters);
  const uint64_t num_values = parameters.Take<uint16_t>();
  const auto message = lance::fuzz::SectionAt(sections, 1);
  lance::fuzz::CompressiveEncoding encoding;
  if (!encoding.ParseFromArray(message.data(), static_cast<int>(message.size()))) return;
  (void)lance::format::CheckGrammarOf21(encoding);
  const auto decoder = lance::format::MakeMiniBlockDecoder(encoding, shape);
  if (!decoder.ok()) return;
  try {
    lance::fuzz::DecodeTwice(**decoder, shape, num_values, sections);
  } catch (const std::bad_alloc&) {
    return;  // the pool has a cap
  }
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutateChunk);
