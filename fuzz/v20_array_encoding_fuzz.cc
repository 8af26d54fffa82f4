// The description of a 2.0 page.

#include "fuzz/input.h"
#include "fuzz/mutate_message.h"
#include "fuzz/target.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/describe_page.h"
#include "lance/format/v20/array_encoding_proto.h"
#include "lance_encodings20.pb.h"

namespace lance::fuzz {
namespace {

void MutateEncoding(std::string* input, size_t max_size, uint64_t seed,
                    const ByteMutator& mutate_bytes) {
  MutateSections(1, lance_pb::encodings::ArrayEncoding::default_instance(), input, max_size, seed,
                 mutate_bytes);
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(v20_array_encoding) {
  const auto sections = lance::fuzz::SplitSections(input);
  lance::fuzz::Input parameters(lance::fuzz::SectionAt(sections, 0));
  lance::format::PageMetadata page;
  page.buffers.resize(parameters.TakeBelow(8));
  page.num_rows = parameters.Take<uint16_t>();
  const auto message = lance::fuzz::SectionAt(sections, 1);
  page.encoding = lance::format::PackEncoding(
      std::string(reinterpret_cast<const char*>(message.data()), message.size()),
      "lance.encodings.ArrayEncoding");
  (void)lance::format::DescribePage(page, lance::format::FileVersion::k2_0);
  const auto encoding = lance::format::v20::ParseArrayEncoding(page);
  if (!encoding.ok()) return;
  LANCE_FUZZ_CHECK(lance::format::v20::EncodingName(*encoding)[0] != '\0', "encodings have names");
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutateEncoding);
