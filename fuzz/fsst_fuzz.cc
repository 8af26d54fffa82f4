// A symbol table and codes: all three ways to expand them agree. Sections: table, codes.

#include "fuzz/input.h"
#include "fuzz/target.h"
#include "lance/format/encodings/fsst.h"

namespace lance::format {
namespace {

fuzz::ExactBytes MakeOutput(size_t num_codes) {
  return fuzz::ExactBytes((num_codes + 1) * FsstSymbolTable::kSymbolBytes);
}

void CheckPositions(const std::vector<uint32_t>& positions, uint64_t num_bytes) {
  LANCE_FUZZ_CHECK(positions.back() == num_bytes, "the last position is the end");
  uint32_t before = 0;
  for (const uint32_t position : positions) {
    if (position == FsstSymbolTable::kInsideEscape) continue;
    LANCE_FUZZ_CHECK(before <= position, "positions do not fall");
    before = position;
  }
}

void ExpandThreeWays(const FsstSymbolTable& table, std::span<const std::byte> codes) {
  fuzz::ExactBytes scalar = MakeOutput(codes.size());
  const auto num_bytes = table.ExpandScalar(codes, scalar.data());
  fuzz::ExactBytes fast = MakeOutput(codes.size());
  const std::byte* const end = table.Expand(codes, fast.data());
  fuzz::ExactBytes placed = MakeOutput(codes.size());
  std::vector<uint32_t> positions(codes.size() + 1);
  const std::byte* const placed_end = table.Expand(codes, placed.data(), positions.data());
  LANCE_FUZZ_CHECK(num_bytes.ok() == (end != nullptr), "all ways refuse the same codes");
  LANCE_FUZZ_CHECK(num_bytes.ok() == (placed_end != nullptr), "all ways refuse the same codes");
  if (!num_bytes.ok()) return;
  const auto size = static_cast<ptrdiff_t>(*num_bytes);
  LANCE_FUZZ_CHECK(end - fast.data() == size && placed_end - placed.data() == size,
                   "all ways give as many bytes");
  LANCE_FUZZ_CHECK(std::equal(scalar.begin(), scalar.begin() + size, fast.begin()) &&
                       std::equal(scalar.begin(), scalar.begin() + size, placed.begin()),
                   "all ways give the same bytes");
  CheckPositions(positions, *num_bytes);
}

}  // namespace
}  // namespace lance::format

LANCE_FUZZ_TARGET(fsst) {
  const auto sections = lance::fuzz::SplitSections(input);
  const auto table = lance::format::FsstSymbolTable::Parse(lance::fuzz::SectionAt(sections, 0));
  if (!table.ok() || table->is_off()) return;
  lance::format::ExpandThreeWays(*table, lance::fuzz::SectionAt(sections, 1));
}
