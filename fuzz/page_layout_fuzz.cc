// The description of a 2.1 or 2.2 page, for any column. Sections: u8 buffers, u8 leaf and version,
// u32 rows; a FileDescriptor; a PageLayout.

#include "fuzz/mutate_message.h"
#include "fuzz/page_input.h"
#include "fuzz/target.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/describe_page.h"
#include "lance/format/encodings/value_shape.h"
#include "lance/format/pages/page_layout_proto.h"
#include "lance_encodings21.pb.h"

namespace lance::fuzz {
namespace {

void MutateLayout(std::string* input, size_t max_size, uint64_t seed,
                  const ByteMutator& mutate_bytes) {
  MutateSections(kPageMessageSection, lance_pb::encodings21::PageLayout::default_instance(), input,
                 max_size, seed, mutate_bytes);
}

/// Check what a parsed layout promises.
void UseLayout(const format::PageLayout& layout, const format::PageMetadata& page) {
  if (const auto* mini = std::get_if<format::MiniBlockLayout>(&layout.body)) {
    LANCE_FUZZ_CHECK(mini->values != nullptr && page.buffers.size() >= 2, "the parts are there");
    LANCE_FUZZ_CHECK((mini->layers.max_rep > 0) == (mini->rep.decoder != nullptr),
                     "lists have levels");
  } else if (const auto* zipped = std::get_if<format::FullZipLayout>(&layout.body)) {
    LANCE_FUZZ_CHECK(zipped->values != nullptr, "the decoder is there");
    LANCE_FUZZ_CHECK(page.buffers.size() == (zipped->has_index() ? 2 : 1), "the buffers are there");
  }
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(page_layout) {
  auto page = lance::fuzz::ParsePageInput(input);
  if (!page.has_value()) return;
  auto& metadata = page->metadata.columns[0].pages[0];
  metadata.encoding =
      lance::format::PackEncoding(std::move(page->message), "lance.encodings21.PageLayout");
  (void)lance::format::DescribePage(metadata, page->metadata.version);
  lance::format::LeafTarget target{
      .version = page->metadata.version, .path = page->path, .shape = {}};
  auto shape = lance::format::MakeValueShape(*page->leaf.type);
  if (!shape.ok()) return;
  target.shape = *std::move(shape);
  target.is_blob = page->leaf.kind == lance::format::FieldKind::kBlob;
  const auto layout = lance::format::ParsePageLayout(metadata, target);
  if (layout.ok()) lance::fuzz::UseLayout(*layout, metadata);
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutateLayout);
