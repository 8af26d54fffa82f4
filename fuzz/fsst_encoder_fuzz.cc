// Texts that are compressed with symbols chosen for them: they survive.

#include "fuzz/input.h"
#include "fuzz/target.h"
#include "lance/format/encodings/fsst.h"
#include "lance/format/encodings/fsst_encoder.h"

LANCE_FUZZ_TARGET(fsst_encoder) {
  using lance::format::FsstEncoder;
  using lance::format::FsstSymbolTable;
  lance::fuzz::Input in(input);
  const size_t num_values = in.TakeBelow(100);
  std::vector<int32_t> offsets = {0};
  for (size_t i = 0; i < num_values; ++i) offsets.push_back(offsets.back() + in.Take<uint8_t>());
  lance::fuzz::ExactBytes text = lance::fuzz::ExactCopy(in.TakeRest());
  text.resize(static_cast<size_t>(offsets.back()));
  const std::span<const int32_t> views(offsets);
  const FsstEncoder encoder = FsstEncoder::Train(text, views, num_values);
  lance::format::ByteBuffer codes;
  std::vector<uint64_t> ends;
  encoder.Compress(text, views, num_values, &codes, &ends);
  LANCE_FUZZ_CHECK(ends.size() == num_values, "every value has its end");
  const std::string stored = encoder.SerializedTable();
  const auto table = FsstSymbolTable::Parse(lance::AsBytes(stored));
  LANCE_FUZZ_CHECK(table.ok(), table.status().ToString());
  uint64_t begin = 0;
  for (size_t i = 0; i < num_values; ++i) {
    const auto value = lance::fuzz::ExactCopy(codes.span().subspan(begin, ends[i] - begin));
    lance::fuzz::ExactBytes out((value.size() + 1) * FsstSymbolTable::kSymbolBytes);
    const std::byte* const end = table->Expand(value, out.data());
    const auto first = text.begin() + offsets[i];
    const auto last = text.begin() + offsets[i + 1];
    LANCE_FUZZ_CHECK(end - out.data() == last - first && std::equal(first, last, out.begin()),
                     "texts survive");
    begin = ends[i];
  }
}
