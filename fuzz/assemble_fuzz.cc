// Levels and values of all leaves of a field: make an array of them, cut it into leaves again, and
// get the same array from those.

#include "arrow/api.h"
#include "fuzz/input.h"
#include "fuzz/target.h"
#include "fuzz/value_input.h"
#include "lance/format/levels/assemble.h"
#include "lance/format/levels/shred.h"
#include "lance/format/schema.h"
#include "lance/testing/leaf_columns.h"
#include "lance/testing/random_arrays.h"
#include "lance/testing/validate_layout.h"

namespace lance::fuzz {
namespace {

using format::FieldNode;
using format::LeafColumn;
using format::LeafPath;

constexpr uint64_t kMaxEntries = 64;

arrow::Result<FieldNode> TakeField(InputRandom* random) {
  const auto field =
      testing::RandomField("c", {.depth = static_cast<int>(random->Below(5))}, random);
  ARROW_ASSIGN_OR_RAISE(const auto schema, format::MakeLanceSchema(arrow::Schema({field})));
  ARROW_ASSIGN_OR_RAISE(auto nodes, format::MakeFieldTree(schema));
  return std::move(nodes[0]);
}

/// Whether an entry has a value.
bool IsVisible(const LeafPath& path, const LeafColumn& leaf, uint64_t entry) {
  return leaf.def.empty() || leaf.def[entry] <= path.max_visible_def();
}

/// Take levels that may be wrong in any way, and as many values as they show (or nearly).
arrow::Result<LeafColumn> TakeLeaf(const FieldNode& node, const LeafPath& path, Input* input) {
  LeafColumn leaf;
  leaf.num_rows = input->TakeBelow(16);
  leaf.num_entries = input->TakeBelow(kMaxEntries);
  uint64_t num_visible = 0;
  const bool has_rep = path.max_rep() > 0;
  const bool has_def = input->TakeBool();
  for (uint64_t i = 0; i < leaf.num_entries; ++i) {
    // One more than there is, now and then.
    if (has_rep) leaf.rep.push_back(static_cast<uint16_t>(input->Take<uint8_t>() % 16));
    if (has_def) leaf.def.push_back(static_cast<uint16_t>(input->Take<uint8_t>() % 32));
    num_visible += IsVisible(path, leaf, i) ? 1 : 0;
  }
  if (input->TakeBelow(64) == 1) num_visible += 1;
  format::ValueShape shape;
  const bool is_dictionary = node.type->id() == arrow::Type::DICTIONARY;
  if (is_dictionary) {
    const auto& type = static_cast<const arrow::DictionaryType&>(*node.type);
    shape.bits_per_value = static_cast<uint32_t>(type.index_type()->bit_width());
    ARROW_ASSIGN_OR_RAISE(leaf.dictionary, arrow::MakeEmptyArray(type.value_type()));
    if (input->TakeBool()) {
      ARROW_ASSIGN_OR_RAISE(leaf.dictionary, arrow::MakeArrayOfNull(type.value_type(), 3));
    }
  } else {
    ARROW_ASSIGN_OR_RAISE(shape, format::MakeValueShape(*node.type));
  }
  leaf.values = TakeValues(shape, num_visible, nullptr, input);
  return leaf;
}

arrow::Result<std::shared_ptr<arrow::Array>> TakeArray(const FieldNode& node, Input* input) {
  ARROW_ASSIGN_OR_RAISE(const auto paths, format::PathsOf(node));
  const auto nodes = format::LeavesOf(node);
  std::vector<LeafColumn> leaves;
  for (size_t i = 0; i < nodes.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto leaf, TakeLeaf(*nodes[i], paths[i], input));
    leaves.push_back(std::move(leaf));
  }
  const uint64_t num_rows = leaves.empty() ? 0 : leaves[0].num_rows;
  return format::AssembleField(node, num_rows, std::move(leaves), arrow::default_memory_pool());
}

/// Cut an array into leaves and put it together again.
arrow::Result<std::shared_ptr<arrow::Array>> AssembleAgain(
    const FieldNode& node, const std::shared_ptr<arrow::Array>& array) {
  ARROW_ASSIGN_OR_RAISE(const auto shredded,
                        format::ShredField(node, array, arrow::default_memory_pool()));
  const auto nodes = format::LeavesOf(node);
  std::vector<LeafColumn> leaves;
  for (size_t i = 0; i < nodes.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto leaf, testing::ToLeafColumn(*nodes[i], shredded[i]));
    leaves.push_back(std::move(leaf));
  }
  return format::AssembleField(node, static_cast<uint64_t>(array->length()), std::move(leaves),
                               arrow::default_memory_pool());
}

}  // namespace
}  // namespace lance::fuzz

LANCE_FUZZ_TARGET(assemble) {
  lance::fuzz::Input in(input);
  lance::fuzz::Input choices(in.TakeBytes(in.Take<uint8_t>()));
  lance::fuzz::InputRandom random(&choices);
  const auto node = lance::fuzz::TakeField(&random);
  if (!node.ok()) return;
  const auto array = lance::fuzz::TakeArray(*node, &in);
  LANCE_FUZZ_CHECK(!array.status().IsUnknownError(), array.status().ToString());
  if (!array.ok()) return;
  const auto status = lance::testing::ValidateLayout(**array);
  LANCE_FUZZ_CHECK(status.ok(), status.ToString());
  const auto again = lance::fuzz::AssembleAgain(*node, *array);
  LANCE_FUZZ_CHECK(again.ok(), again.status().ToString());
  const auto options = arrow::EqualOptions::Defaults().nans_equal(true);
  LANCE_FUZZ_CHECK((*again)->Equals(**array, options), "the array survives");
}
