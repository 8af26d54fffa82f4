#include "lance/index/row_gather.h"

#include <algorithm>
#include <span>
#include <utility>

#include "lance/base/status_detail.h"

namespace lance::index {
namespace {

/// Members that are listed at once: a few bytes of runs can stand for four billion.
constexpr uint64_t kWindow = uint64_t{1} << 20;
constexpr uint64_t kEnd = uint64_t{1} << 32;

void AddMembers(uint32_t high, const RoaringBitmap& members, const RowMapping& mapping,
                RowGather* out) {
  for (const uint32_t low : members.ToVector()) {
    if (const auto row = mapping.Map(uint64_t{high} << 32 | low)) out->Add(*row);
  }
}

}  // namespace

arrow::Status RowGather::AddMapped(const RowAddressMap& rows, const RowMapping& mapping,
                                   const arrow::StopToken& stop) {
  for (const RowAddressMap::Entry& entry : rows.entries) {
    ARROW_RETURN_NOT_OK(stop.Poll());
    if (!entry.offsets) {
      return UnsupportedError("whole fragment in an index",
                              "the rows of fragment " + std::to_string(entry.fragment_id) +
                                  " are not listed, but taken as a whole");
    }
    if (entry.offsets->size() <= kWindow) {
      AddMembers(entry.fragment_id, *entry.offsets, mapping, this);
      continue;
    }
    for (uint64_t begin = 0; begin < kEnd; begin += kWindow) {
      ARROW_RETURN_NOT_OK(stop.Poll());
      RoaringBitmap window;
      window.AddRange(begin, begin + kWindow);
      window &= *entry.offsets;
      AddMembers(entry.fragment_id, window, mapping, this);
    }
  }
  return arrow::Status::OK();
}

RowAddressMap RowGather::Finish() {
  Flush();
  return std::exchange(rows_, {});
}

void RowGather::Flush() {
  if (!std::is_sorted(newest_.begin(), newest_.end())) std::sort(newest_.begin(), newest_.end());
  std::vector<uint32_t> low;
  for (auto row = newest_.begin(); row != newest_.end();) {
    const auto high = static_cast<uint32_t>(*row >> 32);
    low.clear();
    for (; row != newest_.end() && *row >> 32 == high; ++row) {
      low.push_back(static_cast<uint32_t>(*row));
    }
    rows_ |= {.entries = {{high, RoaringBitmap(std::span<const uint32_t>(low))}}};
  }
  newest_.clear();
}

}  // namespace lance::index
