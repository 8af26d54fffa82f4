#include "lance/index/row_gather.h"

#include <utility>

#include "lance/base/status_detail.h"
#include "lance/index/row_set_builder.h"

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

arrow::Status RowGather::AddMapped(const RowAddressMap& rows, const RowMapping* mapping,
                                   const arrow::StopToken& stop) {
  if (mapping == nullptr) {
    rows_ |= rows;
    return arrow::Status::OK();
  }
  for (const RowAddressMap::Entry& entry : rows.entries) {
    ARROW_RETURN_NOT_OK(stop.Poll());
    if (!entry.offsets) {
      return UnsupportedError("whole fragment in an index",
                              "the rows of fragment " + std::to_string(entry.fragment_id) +
                                  " are not listed, but taken as a whole");
    }
    if (entry.offsets->size() <= kWindow) {
      AddMembers(entry.fragment_id, *entry.offsets, *mapping, this);
      continue;
    }
    for (uint64_t begin = 0; begin < kEnd; begin += kWindow) {
      ARROW_RETURN_NOT_OK(stop.Poll());
      RoaringBitmap window;
      window.AddRange(begin, begin + kWindow);
      window &= *entry.offsets;
      AddMembers(entry.fragment_id, window, *mapping, this);
    }
  }
  return arrow::Status::OK();
}

RowAddressMap RowGather::Finish() {
  Flush();
  return std::exchange(rows_, {});
}

void RowGather::Flush() {
  RowSetBuilder builder;
  builder.Add(newest_);
  rows_ |= builder.Finish();
  newest_.clear();
}

}  // namespace lance::index
