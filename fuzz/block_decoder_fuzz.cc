// A buffer of levels or of a dictionary, described by a CompressiveEncoding. Sections: shape and
// u32 values, the description, the buffer.

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

void MutateBlock(std::string* input, size_t max_size, uint64_t seed,
                 const ByteMutator& mutate_bytes) {
  MutateSections(1, CompressiveEncoding::default_instance(), input, max_size, seed, mutate_bytes);
}

void DecodeBlock(const format::BlockDecoder& decoder, const format::ValueShape& shape,
                 uint64_t num_values, std::span<const std::byte> bytes) {
  arrow::ProxyMemoryPool own(arrow::system_memory_pool());
  arrow::CappedMemoryPool pool(&own, kMaxPoolBytes);
  format::ValueBuffer values(shape, &pool);
  if (decoder.Decode(bytes, num_values, &values).ok()) {
    UseValues(values, shape, num_values, &pool);
  }
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(block_decoder) {
  const auto sections = lance::fuzz::SplitSections(input);
  lance::fuzz::Input parameters(lance::fuzz::SectionAt(sections, 0));
  const auto shape = lance::fuzz::TakeShape(&parameters);
  const uint64_t num_values = parameters.Take<uint32_t>();
  const auto message = lance::fuzz::SectionAt(sections, 1);
  lance::fuzz::CompressiveEncoding encoding;
  if (!encoding.ParseFromArray(message.data(), static_cast<int>(message.size()))) return;
  const auto decoder = lance::format::MakeBlockDecoder(encoding, shape);
  if (!decoder.ok()) return;
  try {
    lance::fuzz::DecodeBlock(**decoder, shape, num_values, lance::fuzz::SectionAt(sections, 2));
  } catch (const std::bad_alloc&) {
    return;  // the pool has a cap
  }
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutateBlock);
