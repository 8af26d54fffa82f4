// Pages of dictionary arrays: check their indices, and give them one dictionary.

#include "arrow/api.h"
#include "fuzz/input.h"
#include "fuzz/target.h"
#include "fuzz/value_input.h"
#include "lance/format/pages/dictionaries.h"

namespace lance::fuzz {
namespace {

using format::LeafColumn;
using format::PageDictionary;
using format::ValueShape;

std::shared_ptr<arrow::DataType> TakeType(Input* input) {
  const std::shared_ptr<arrow::DataType> kIndices[] = {
      arrow::int8(),  arrow::uint8(),  arrow::int16(), arrow::uint16(),
      arrow::int32(), arrow::uint32(), arrow::int64(), arrow::uint64()};
  const std::shared_ptr<arrow::DataType> kValues[] = {arrow::utf8(), arrow::int16(),
                                                      arrow::large_binary(), arrow::float64()};
  const auto& index_type = kIndices[input->TakeBelow(8)];
  return arrow::dictionary(index_type, kValues[input->TakeBelow(4)]);
}

/// Append one page to a leaf. \return a failure when its indices are wrong
arrow::Result<PageDictionary> TakePage(const arrow::DictionaryType& type,
                                       const format::LeafPath& path, Input* input,
                                       LeafColumn* column) {
  PageDictionary page = {.first_value = column->values.num_values};
  const uint64_t first_entry = column->num_entries;
  ARROW_ASSIGN_OR_RAISE(const ValueShape shape, format::MakeValueShape(*type.value_type()));
  const uint64_t num_items = input->TakeBelow(300);
  ARROW_ASSIGN_OR_RAISE(
      page.values,
      format::MakeDictionaryArray(type.value_type(), TakeValues(shape, num_items, nullptr, input)));
  const uint64_t num_entries = input->TakeBelow(40);
  column->num_entries += num_entries;
  uint64_t num_values = 0;
  for (uint64_t i = 0; i < num_entries; ++i) {
    column->def.push_back(static_cast<uint16_t>(input->TakeBelow(path.max_def() + 1)));
    num_values += column->def.back() <= path.max_visible_def() ? 1 : 0;
  }
  const ValueShape indices = {.bits_per_value = column->values.bits_per_value};
  const auto taken = TakeValues(indices, num_values, nullptr, input);
  ARROW_RETURN_NOT_OK(format::AppendValues(taken, 0, num_values, &column->values));
  page.end_value = column->values.num_values;
  ARROW_RETURN_NOT_OK(
      format::FinishPageIndices(first_entry, page.first_value, path, num_items, column));
  return page;
}

/// The leaf as an array. \pre no lists
arrow::Status UseColumn(const std::shared_ptr<arrow::DataType>& type, LeafColumn* column) {
  const auto length = static_cast<int64_t>(column->values.num_values);
  std::string bits(static_cast<size_t>(length) / 8 + 1, '\0');
  for (size_t i = 0; i < column->num_entries; ++i) {
    if (column->def[i] == 0) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << i % 8);
  }
  auto data = arrow::ArrayData::Make(
      type, length, {arrow::Buffer::FromString(std::move(bits)), column->values.bytes.Finish()});
  data->dictionary = column->dictionary->data();
  return arrow::MakeArray(std::move(data))->ValidateFull();
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(dictionaries) {
  using namespace lance::fuzz;  // NOLINT(google-build-using-namespace)
  Input in(input);
  const auto type = TakeType(&in);
  const auto& dictionary_type = static_cast<const arrow::DictionaryType&>(*type);
  const bool has_list = in.TakeBool();
  lance::format::LeafPath path{.layers = {{}}};
  if (has_list) path.layers.push_back({.is_list = true});
  LeafColumn column;
  column.values = lance::format::ValueBuffer(
      {.bits_per_value = static_cast<uint32_t>(dictionary_type.index_type()->bit_width())},
      nullptr);
  std::vector<PageDictionary> pages;
  const uint64_t num_pages = 1 + in.TakeBelow(3);
  for (uint64_t i = 0; i < num_pages; ++i) {
    const auto page = TakePage(dictionary_type, path, &in, &column);
    if (!page.ok()) return;
    pages.push_back(*page);
  }
  const auto status = lance::format::UnifyDictionaries(dictionary_type, pages,
                                                       arrow::default_memory_pool(), &column);
  if (!status.ok() || has_list) return;
  const auto valid = UseColumn(type, &column);
  LANCE_FUZZ_CHECK(valid.ok(), valid.ToString());
}
