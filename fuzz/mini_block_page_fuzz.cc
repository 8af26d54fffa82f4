// A page of chunks, described by a MiniBlockLayout: read rows of it, make arrays of them.

#include "fuzz/mutate_message.h"
#include "fuzz/page_input.h"
#include "fuzz/target.h"
#include "lance_encodings21.pb.h"

namespace lance::fuzz {
namespace {

void MutatePage(std::string* input, size_t max_size, uint64_t seed,
                const ByteMutator& mutate_bytes) {
  MutateSections(kPageMessageSection, lance_pb::encodings21::MiniBlockLayout::default_instance(),
                 input, max_size, seed, mutate_bytes);
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(mini_block_page) {
  auto page = lance::fuzz::ParsePageInput(input);
  if (!page.has_value()) return;
  lance_pb::encodings21::PageLayout layout;
  if (!layout.mutable_mini_block_layout()->ParseFromString(page->message)) return;
  lance::fuzz::ReadPage(*std::move(page), layout.SerializeAsString());
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutatePage);
