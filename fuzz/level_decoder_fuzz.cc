// Repetition and definition levels of a chunk. Sections: the path, the page's layers and rows; the
// two descriptions; the two buffers.

#include <algorithm>
#include <new>

#include "fuzz/input.h"
#include "fuzz/mutate_message.h"
#include "fuzz/target.h"
#include "lance/format/encodings/codec.h"
#include "lance/format/pages/level_decoder.h"
#include "lance_encodings21.pb.h"

namespace lance::fuzz {
namespace {

using lance_pb::encodings21::CompressiveEncoding;

enum Section : size_t { kParameters, kDefMessage, kRepMessage, kDefBytes, kRepBytes };

void MutateLevels(std::string* input, size_t max_size, uint64_t seed,
                  const ByteMutator& mutate_bytes) {
  MutateSections(seed % 2 == 0 ? kDefMessage : kRepMessage, CompressiveEncoding::default_instance(),
                 input, max_size, seed, mutate_bytes);
}

/// Take the layers of a leaf and their kinds.
arrow::Result<format::PageLayers> TakeLayers(Input* input, format::LeafPath* path) {
  std::vector<int> kinds;
  const uint64_t num_layers = 1 + input->TakeBelow(8);
  for (uint64_t i = 0; i < num_layers; ++i) {
    const auto kind = static_cast<int>(input->TakeBelow(8));
    path->layers.push_back({.is_list = kind != 1 && kind != 3});
    kinds.push_back(kind);
  }
  return format::ParsePageLayers(kinds, *path);
}

/// A stream of levels; an empty description is one that is not there.
bool MakeStream(std::span<const std::byte> message, format::LevelStream* stream) {
  if (message.empty()) return true;
  CompressiveEncoding encoding;
  if (!encoding.ParseFromArray(message.data(), static_cast<int>(message.size()))) return false;
  auto decoder = format::MakeBlockDecoder(encoding, {.bits_per_value = 16});
  if (!decoder.ok()) return false;
  stream->decoder = *std::move(decoder);
  stream->is_rle = encoding.has_rle();
  return true;
}

/// Cut rows out of decoded levels.
void UseLevels(const format::LevelDecoder& levels, const format::PageLayers& layers, Input* input) {
  uint64_t num_rows = levels.num_entries();
  uint64_t rows_begun = input->TakeBelow(100);
  if (layers.max_rep > 0) {
    const bool begins_inside = input->TakeBool() && rows_begun > 0;
    num_rows =
        static_cast<uint64_t>(std::count(levels.rep().begin(), levels.rep().end(), layers.max_rep));
    if (!levels.CheckRows(begins_inside, num_rows, input->TakeBelow(3)).ok()) return;
  }
  std::vector<RowRange> wanted;
  for (int i = 0; i < 3; ++i) {
    const uint64_t begin = input->Take<uint16_t>() % (num_rows + rows_begun + 1);
    wanted.push_back({begin, begin + 1 + input->TakeBelow(100)});
  }
  const RowRanges ranges = RowRanges::Make(wanted);
  std::vector<format::EntrySlice> slices;
  levels.Slice(rows_begun, ranges.ranges(), &slices);
  std::vector<uint8_t> is_null;
  for (const format::EntrySlice& slice : slices) {
    LANCE_FUZZ_CHECK(slice.first_entry + slice.num_entries <= levels.num_entries(),
                     "slices have entries that are there");
    LANCE_FUZZ_CHECK(slice.first_value + slice.num_values <= levels.num_visible(),
                     "slices have values that are there");
    levels.MarkNulls(slice, &is_null);
    LANCE_FUZZ_CHECK(is_null.size() == slice.num_values, "values are marked one by one");
  }
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(level_decoder) {
  using namespace lance::fuzz;  // NOLINT(google-build-using-namespace)
  const auto sections = SplitSections(input);
  Input parameters(SectionAt(sections, kParameters));
  lance::format::LeafPath path;
  const auto layers = TakeLayers(&parameters, &path);
  if (!layers.ok()) return;
  lance::format::LevelStream rep;
  lance::format::LevelStream def;
  if (!MakeStream(SectionAt(sections, kDefMessage), &def)) return;
  // Pages with lists have repetition levels, others have none: ParsePageLayout sees to it.
  if (layers->max_rep > 0 &&
      (!MakeStream(SectionAt(sections, kRepMessage), &rep) || rep.decoder == nullptr)) {
    return;
  }
  lance::format::LevelDecoder levels(*layers, path);
  try {
    const auto status = levels.Decode(rep, SectionAt(sections, kRepBytes), def,
                                      SectionAt(sections, kDefBytes), parameters.Take<uint16_t>());
    if (status.ok()) UseLevels(levels, *layers, &parameters);
  } catch (const std::bad_alloc&) {
    return;
  }
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutateLevels);
