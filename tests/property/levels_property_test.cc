#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/array/concatenate.h"
#include "arrow/util/bit_util.h"
#include "lance/format/field_tree.h"
#include "lance/format/levels/assemble.h"
#include "lance/format/levels/shred.h"
#include "lance/format/schema.h"
#include "lance/testing/equal_arrays.h"
#include "lance/testing/leaf_columns.h"
#include "lance/testing/matchers.h"
#include "lance/testing/random_arrays.h"

namespace lance::format {
namespace {

using lance::testing::AnyDistribution;
using lance::testing::Difference;
using lance::testing::IsOk;
using lance::testing::NumRounds;
using lance::testing::RandomArray;
using lance::testing::RandomArrayOptions;
using lance::testing::RandomField;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;
using lance::testing::ToLeafColumn;
using lance::testing::WithoutDictionaries;

using ArrayPtr = std::shared_ptr<arrow::Array>;
using DataPtr = std::shared_ptr<arrow::ArrayData>;

arrow::Result<FieldNode> MakeNode(const std::shared_ptr<arrow::Field>& field) {
  ARROW_ASSIGN_OR_RAISE(const auto schema, MakeLanceSchema(arrow::Schema({field})));
  ARROW_ASSIGN_OR_RAISE(auto nodes, MakeFieldTree(schema));
  return std::move(nodes[0]);
}

arrow::Result<ArrayPtr> AssembleLeaves(const FieldNode& node, uint64_t num_rows,
                                       const std::vector<ShreddedLeaf>& leaves) {
  const auto nodes = LeavesOf(node);
  std::vector<LeafColumn> columns;
  for (size_t i = 0; i < leaves.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto column, ToLeafColumn(*nodes[i], leaves[i]));
    columns.push_back(std::move(column));
  }
  return AssembleField(node, num_rows, std::move(columns), arrow::default_memory_pool());
}

/// A field with some of its rows. A plain value.
struct Sample {
  std::shared_ptr<arrow::Field> field;
  FieldNode node;
  ArrayPtr array;
};

arrow::Result<Sample> MakeSample(SeededRandom* random) {
  Sample sample;
  sample.field = RandomField("c", {.depth = static_cast<int>(random->Below(5))}, random);
  ARROW_ASSIGN_OR_RAISE(sample.node, MakeNode(sample.field));
  constexpr uint64_t kNullEvery[] = {0, 1, 2, 5, 40};
  const RandomArrayOptions options = {
      .length = static_cast<int64_t>(random->OneIn(4) ? random->Below(200) : random->Below(12)),
      .null_every = kNullEvery[random->Below(5)],
      .max_items = 1 + random->Below(5),
      .is_sliced = random->OneIn(2),
      .has_null_items = random->OneIn(2),
      .distribution = AnyDistribution(random)};
  sample.array = RandomArray(*sample.field, options, random);
  ARROW_RETURN_NOT_OK(sample.array->ValidateFull());
  return sample;
}

/// The levels of one leaf, found row by row as file-format 6.3 says.
class RowWalk {
 public:
  RowWalk(const FieldNode& root, size_t leaf, const LeafPath& path) : path_(path) {
    const FieldNode* node = &root;
    while (!node->is_column()) {
      nodes_.insert(nodes_.begin(), node);
      size_t child = 0;
      for (; LeavesOf(node->children[child]).size() <= leaf; ++child) {
        leaf -= LeavesOf(node->children[child]).size();
      }
      members_.insert(members_.begin(), static_cast<int>(child));
      node = &node->children[child];
    }
  }

  void Walk(const arrow::Array& array, int64_t i) {
    Walk(array, i, path_.layers.size() - 1, path_.max_rep());
  }

  std::vector<uint16_t> rep;
  std::vector<uint16_t> def;

 private:
  void Put(size_t layer, uint16_t rep_level, uint16_t def_level) {
    // A null fills all slots of the fixed-size lists that it covers.
    uint64_t count = 1;
    for (size_t k = 0; k <= layer; ++k) count *= path_.layers[k].dimension;
    rep.insert(rep.end(), count, rep_level);
    def.insert(def.end(), count, def_level);
  }

  static bool IsNull(const arrow::Array& array, int64_t i) {
    if (array.type_id() != arrow::Type::DICTIONARY) return array.IsNull(i);
    const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
    return array.IsNull(i) || encoded.dictionary()->IsNull(encoded.GetValueIndex(i));
  }

  void Walk(const arrow::Array& array, int64_t i, size_t layer, uint16_t rep_level) {
    if (IsNull(array, i)) {
      Put(layer, rep_level, path_.null_level(layer));
    } else if (layer == 0) {
      Put(layer, rep_level, 0);
    } else if (nodes_[layer - 1]->kind == FieldKind::kStruct) {
      const auto& structs = static_cast<const arrow::StructArray&>(array);
      Walk(*structs.field(members_[layer - 1]), i, layer - 1, rep_level);
    } else {
      WalkList(array, i, layer, rep_level);
    }
  }

  void WalkList(const arrow::Array& array, int64_t i, size_t layer, uint16_t rep_level) {
    const auto [values, begin, end] = ItemsOf(array, i);
    if (begin == end) Put(layer, rep_level, static_cast<uint16_t>(path_.null_level(layer) + 1));
    uint16_t further = rep_level;  // inside fixed-size lists nothing has repetition levels
    if (path_.layers[layer].is_list) {
      further = 0;
      for (size_t k = 0; k < layer; ++k) further += path_.layers[k].is_list ? 1 : 0;
    }
    for (int64_t k = begin; k < end; ++k) {
      Walk(*values, k, layer - 1, k == begin ? rep_level : further);
    }
  }

  static std::tuple<ArrayPtr, int64_t, int64_t> ItemsOf(const arrow::Array& array, int64_t i) {
    if (array.type_id() == arrow::Type::FIXED_SIZE_LIST) {
      const auto& list = static_cast<const arrow::FixedSizeListArray&>(array);
      return {list.values(), list.value_offset(i), list.value_offset(i + 1)};
    }
    if (array.type_id() == arrow::Type::LARGE_LIST) {
      const auto& list = static_cast<const arrow::LargeListArray&>(array);
      return {list.values(), list.value_offset(i), list.value_offset(i + 1)};
    }
    const auto& list = static_cast<const arrow::ListArray&>(array);
    return {list.values(), list.value_offset(i), list.value_offset(i + 1)};
  }

  const LeafPath& path_;
  std::vector<const FieldNode*> nodes_;  // above the leaf, innermost first
  std::vector<int> members_;             // which child of each of them
};

TEST(Levels, AreThoseOfAWalkRowByRow) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(500); ++round) {
    LANCE_ASSERT_OK_AND_ASSIGN(const Sample sample, MakeSample(&random));
    SCOPED_TRACE("round " + std::to_string(round) + ": " + sample.field->ToString());
    LANCE_ASSERT_OK_AND_ASSIGN(const auto paths, PathsOf(sample.node));

    LANCE_ASSERT_OK_AND_ASSIGN(const auto leaves,
                               ShredField(sample.node, sample.array, arrow::default_memory_pool()));

    for (size_t i = 0; i < leaves.size(); ++i) {
      RowWalk walk(sample.node, i, paths[i]);
      for (int64_t row = 0; row < sample.array->length(); ++row) walk.Walk(*sample.array, row);
      if (paths[i].max_rep() == 0) walk.rep.clear();
      if (std::ranges::count(walk.def, 0) == std::ssize(walk.def)) walk.def.clear();
      ASSERT_EQ(leaves[i].rep, walk.rep) << "leaf " << i;
      ASSERT_EQ(leaves[i].def, walk.def) << "leaf " << i;
    }
  }
}

TEST(Levels, AssembleWhatShreddingCut) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(1000); ++round) {
    LANCE_ASSERT_OK_AND_ASSIGN(const Sample sample, MakeSample(&random));
    SCOPED_TRACE("round " + std::to_string(round) + ": " + sample.field->ToString());

    LANCE_ASSERT_OK_AND_ASSIGN(const auto leaves,
                               ShredField(sample.node, sample.array, arrow::default_memory_pool()));
    LANCE_ASSERT_OK_AND_ASSIGN(
        const auto array,
        AssembleLeaves(sample.node, static_cast<uint64_t>(sample.array->length()), leaves));

    ASSERT_THAT(array->ValidateFull(), IsOk());
    ASSERT_TRUE(array->type()->Equals(sample.node.type)) << array->type()->ToString();
    ASSERT_EQ(Difference(array, sample.array), "");
  }
}

TEST(Levels, CutsOfRowsMakeTheWhole) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(500); ++round) {
    LANCE_ASSERT_OK_AND_ASSIGN(const Sample sample, MakeSample(&random));
    SCOPED_TRACE("round " + std::to_string(round) + ": " + sample.field->ToString());
    const auto num_rows = static_cast<uint64_t>(sample.array->length());
    LANCE_ASSERT_OK_AND_ASSIGN(const auto paths, PathsOf(sample.node));
    LANCE_ASSERT_OK_AND_ASSIGN(auto rest,
                               ShredField(sample.node, sample.array, arrow::default_memory_pool()));

    arrow::ArrayVector pieces;
    for (uint64_t done = 0; done < num_rows || pieces.empty();) {
      const uint64_t count = random.Below(num_rows - done + 1);
      std::vector<ShreddedLeaf> taken;
      for (size_t i = 0; i < rest.size(); ++i) taken.push_back(TakeRows(count, paths[i], &rest[i]));
      LANCE_ASSERT_OK_AND_ASSIGN(auto piece, AssembleLeaves(sample.node, count, taken));
      pieces.push_back(WithoutDictionaries(piece));
      done += count;
    }

    LANCE_ASSERT_OK_AND_ASSIGN(const auto array, arrow::Concatenate(pieces));
    ASSERT_EQ(Difference(array, sample.array), "");
  }
}

TEST(Levels, NeverHarmWhoeverAssemblesThem) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(1000); ++round) {
    LANCE_ASSERT_OK_AND_ASSIGN(const Sample sample, MakeSample(&random));
    SCOPED_TRACE("round " + std::to_string(round) + ": " + sample.field->ToString());
    LANCE_ASSERT_OK_AND_ASSIGN(auto leaves,
                               ShredField(sample.node, sample.array, arrow::default_memory_pool()));

    for (uint64_t change = 1 + random.Below(3); change > 0; --change) {
      ShreddedLeaf& leaf = leaves[random.Below(leaves.size())];
      auto& levels = random.OneIn(2) ? leaf.rep : leaf.def;
      if (levels.empty()) continue;
      levels[random.Below(levels.size())] = static_cast<uint16_t>(random.Below(8));
    }
    const auto array =
        AssembleLeaves(sample.node, static_cast<uint64_t>(sample.array->length()), leaves);

    // Whatever they say now, it is refused or an array that Arrow can live with.
    if (array.ok()) {
      ASSERT_THAT((*array)->ValidateFull(), IsOk());
      ASSERT_EQ((*array)->length(), sample.array->length());
    } else {
      ASSERT_THAT(array, lance::testing::IsSerializationError());
    }
  }
}

}  // namespace
}  // namespace lance::format
