// A 2.0 page, described by an ArrayEncoding: read rows of it.

#include "fuzz/mutate_message.h"
#include "fuzz/page_input.h"
#include "fuzz/target.h"
#include "lance_encodings20.pb.h"

namespace lance::fuzz {
namespace {

void MutatePage(std::string* input, size_t max_size, uint64_t seed,
                const ByteMutator& mutate_bytes) {
  MutateSections(kPageMessageSection, lance_pb::encodings::ArrayEncoding::default_instance(), input,
                 max_size, seed, mutate_bytes);
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(v20_page) {
  auto page = lance::fuzz::ParsePageInput(input);
  if (!page.has_value()) return;
  std::string encoding = page->message;
  lance::fuzz::ReadPage20(*std::move(page), std::move(encoding));
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutatePage);
