#include <algorithm>
#include <fstream>
#include <iterator>

#include "../unit/index/scalar_index_fixtures.h"
#include "lance/testing/random_arrays.h"

// The laws: an index of random values of any type finds the rows that a row-by-row reading finds,
// however the rows came into it; and whatever bytes its file consists of, it answers or says why
// it does not.

namespace lance::index {
namespace {

using lance::testing::AnyDistribution;
using lance::testing::IsOk;
using lance::testing::NumRounds;
using lance::testing::RandomArray;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

using Kind = Predicate::Kind;

/// A random type that has an order.
std::shared_ptr<arrow::DataType> RandomKeyType(SeededRandom* random) {
  while (true) {
    auto type = lance::testing::RandomPrimitiveType(random);
    if (HasOrder(*type)) return type;
  }
}

/// Random values, many of them more than once, with rows in a few fragments.
NumberedRows RandomRows(const std::shared_ptr<arrow::DataType>& type, uint64_t fragment_id,
                        SeededRandom* random) {
  const auto some = RandomArray(type,
                                {.length = random->Between(1, 12),
                                 .null_every = 1 + random->Below(6),
                                 .is_sliced = random->OneIn(2),
                                 .distribution = AnyDistribution(random)},
                                random);
  NumberedRows rows;
  arrow::ArrayVector pieces = {some->Slice(0, 0)};
  for (uint64_t row = 0, count = random->Below(60); row < count; ++row) {
    const int64_t place = random->Between(0, some->length() - 1);
    pieces.push_back(some->Slice(place, 1));
    rows.rows.push_back(AddressOf(fragment_id + row / 20, row % 20 * (1 + random->Below(2000))));
  }
  std::sort(rows.rows.begin(), rows.rows.end());
  rows.rows.erase(std::unique(rows.rows.begin(), rows.rows.end()), rows.rows.end());
  pieces.resize(rows.rows.size() + 1);
  rows.values = arrow::Concatenate(pieces).ValueOrDie();
  return rows;
}

/// Move rows or forget them. \return the rows as they are then
NumberedRows Remap(const NumberedRows& rows, SeededRandom* random,
                   std::map<uint64_t, uint64_t>* mapping) {
  NumberedRows mapped;
  arrow::ArrayVector pieces = {rows.values->Slice(0, 0)};
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    if (random->OneIn(3)) continue;
    const uint64_t row = random->OneIn(2) ? rows.rows[i] : AddressOf(90, i);
    (*mapping)[rows.rows[i]] = row;
    mapped.rows.push_back(row);
    pieces.push_back(rows.values->Slice(static_cast<int64_t>(i), 1));
  }
  mapped.values = arrow::Concatenate(pieces).ValueOrDie();
  return mapped;
}

NumberedRows Join(const NumberedRows& first, const NumberedRows& second) {
  NumberedRows joined = first;
  joined.rows.insert(joined.rows.end(), second.rows.begin(), second.rows.end());
  joined.values = arrow::Concatenate({first.values, second.values}).ValueOrDie();
  return joined;
}

Literal RandomLiteral(const std::vector<Literal>& literals, SeededRandom* random) {
  return literals[random->Below(literals.size())];
}

/// Random leaves over values that are there, and one that may not be.
std::vector<Predicate> RandomLeaves(const arrow::Array& values, SeededRandom* random) {
  std::vector<Literal> literals = LiteralsOf(*RandomArray(values.type(), {.length = 3}, random));
  for (const auto& literal : LiteralsOf(values)) literals.push_back(literal);
  std::vector<Predicate> leaves = {IsNull(0), Range(0, {}, {})};
  for (int i = 0; i < 12 && !literals.empty(); ++i) {
    const auto low = RandomLiteral(literals, random);
    const auto high = RandomLiteral(literals, random);
    leaves.push_back(Equal(0, low));
    leaves.push_back(In(0, {low, high, RandomLiteral(literals, random)}));
    leaves.push_back(Range(0, Bound{low, random->OneIn(2)}, Bound{high, random->OneIn(2)}));
    leaves.push_back(Range(0, Bound{low, random->OneIn(2)}, {}));
    leaves.push_back(Range(0, {}, Bound{high, random->OneIn(2)}));
  }
  return leaves;
}

/// Random questions for items. NaNs are left to the filter.
std::vector<Predicate> RandomItemLeaves(const arrow::Array& items, SeededRandom* random) {
  std::vector<Literal> literals = LiteralsOf(*RandomArray(items.type(), {.length = 3}, random));
  for (const auto& literal : LiteralsOf(items)) literals.push_back(literal);
  std::erase_if(literals, [](const Literal& item) { return ToOrderedValue(*item).is_nan(); });
  literals.push_back(arrow::MakeNullScalar(items.type()));
  std::vector<Predicate> leaves;
  for (int i = 0; i < 15; ++i) {
    std::vector<Literal> wanted;
    for (uint64_t count = 1 + random->Below(3); count > 0; --count) {
      wanted.push_back(RandomLiteral(literals, random));
    }
    leaves.push_back(HasItems(Kind::kHasAny, wanted));
    leaves.push_back(HasItems(Kind::kHasAll, wanted));
  }
  return leaves;
}

/// Build an index of all these rows: some are old ones of another segment, carried over.
NumberedRows BuildOverTwoSegments(const std::string& index_type,
                                  const std::shared_ptr<arrow::DataType>& type, IndexBench* bench,
                                  SeededRandom* random, table::IndexMetadata* segment) {
  const NumberedRows old = RandomRows(type, 0, random);
  const NumberedRows added = RandomRows(type, 40, random);
  const auto batch_rows = random->Between(1, 30);
  const auto first = bench->Write(NewIndex(index_type, old, batch_rows)).ValueOrDie();
  std::map<uint64_t, uint64_t> mapping;
  const NumberedRows kept = Remap(old, random, &mapping);
  const MovedRows moved(mapping);
  NewScalarIndex request = NewIndex(index_type, added, batch_rows);
  request.old_parts = {{&first, &moved}};
  *segment = bench->Write(request).ValueOrDie();
  return Join(kept, added);
}

TEST(ScalarIndexProperty, BitmapsFindWhatIsThere) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(60); ++round) {
    IndexBench bench;
    const auto type = RandomKeyType(&random);
    SCOPED_TRACE(type->ToString());
    table::IndexMetadata segment;
    const NumberedRows rows = BuildOverTwoSegments("Bitmap", type, &bench, &random, &segment);
    LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, type));
    for (const Predicate& leaf : RandomLeaves(*rows.values, &random)) {
      ExpectFinds(*index, leaf, rows, bench.run);
    }
  }
}

TEST(ScalarIndexProperty, LabelListsFindWhatIsThere) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(40); ++round) {
    IndexBench bench;
    const auto item = RandomKeyType(&random);
    const auto type = random.OneIn(2) ? arrow::list(item) : arrow::large_list(item);
    SCOPED_TRACE(type->ToString());
    table::IndexMetadata segment;
    const NumberedRows rows = BuildOverTwoSegments("LabelList", type, &bench, &random, &segment);
    LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, type));
    const auto items = type->id() == arrow::Type::LIST
                           ? static_cast<const arrow::ListArray&>(*rows.values).Flatten()
                           : static_cast<const arrow::LargeListArray&>(*rows.values).Flatten();
    for (const Predicate& leaf : RandomItemLeaves(**items, &random)) {
      ExpectFinds(*index, leaf, rows, bench.run);
    }
  }
}

// ---- Hostile bytes ------------------------------------------------------------------------------

std::string ReadAll(ObjectStore& store, const std::string& path) {
  const uint64_t size = store.Head(path)->size_bytes;
  return store.Get(path, {{0, size}}, arrow::StopToken::Unstoppable()).ValueOrDie()[0]->ToString();
}

/// Every byte inverted, every byte with a random bit flipped, every length cut.
std::vector<std::string> Damaged(const std::string& good, SeededRandom* random) {
  std::vector<std::string> damaged;
  for (size_t i = 0; i < good.size(); ++i) {
    damaged.push_back(good);
    damaged.back()[i] = static_cast<char>(~good[i]);
    damaged.push_back(good);
    damaged.back()[i] = static_cast<char>(good[i] ^ (1 << random->Below(8)));
    damaged.push_back(good.substr(0, i));
  }
  return damaged;
}

/// Open and search: whatever comes of it is fine, but for a crash and for much memory.
///
/// \return whether every question that it takes was answered
bool IsAnswered(IndexBench& bench, const table::IndexMetadata& segment,
                const std::shared_ptr<arrow::DataType>& type,
                const std::vector<Predicate>& leaves) {
  const auto index = bench.Open(segment, type);
  if (!index.ok()) return false;
  bool is_answered = true;
  for (const Predicate& leaf : leaves) {
    if ((*index)->Answers(leaf))
      is_answered = (*index)->Search(leaf, NullRows::kNamed, bench.run).ok() && is_answered;
  }
  EXPECT_LT((*index)->SizeBytes(), uint64_t{1} << 20);
  return is_answered;
}

/// Damage a segment's file in every place.
void ExpectSurvivesDamage(IndexBench& bench, table::IndexMetadata segment,
                          const std::shared_ptr<arrow::DataType>& type,
                          const std::vector<Predicate>& leaves) {
  SeededRandom random;
  const std::string path = SegmentPath(segment, segment.files.at(0).path);
  segment.files.clear();
  const auto damaged = Damaged(ReadAll(*bench.store, path), &random);
  size_t answered = 0;
  for (const std::string& bytes : damaged) {
    ASSERT_THAT(bench.store->Put(path, arrow::Buffer::FromString(bytes), PutMode::kOverwrite),
                IsOk());
    answered += IsAnswered(bench, segment, type, leaves) ? 1 : 0;
  }
  EXPECT_GT(answered, 0u);
  EXPECT_LT(answered, damaged.size());
}

struct HostileCase {
  std::string index_type;
  std::shared_ptr<arrow::Array> values;
  std::vector<Predicate> leaves;
};

class HostileIndexBytes : public ::testing::TestWithParam<HostileCase> {};

TEST_P(HostileIndexBytes, AreSurvived) {
  SCOPED_TRACE(SeedMessage());
  IndexBench bench;
  const HostileCase& hostile = GetParam();
  NumberedRows rows{hostile.values, {}};
  for (uint64_t i = 0; i < static_cast<uint64_t>(rows.values->length()); ++i) {
    rows.rows.push_back(AddressOf(i % 2, 70000 * i));
  }
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment,
                             bench.Write(NewIndex(hostile.index_type, rows, 100)));
  ExpectSurvivesDamage(bench, segment, rows.values->type(), hostile.leaves);
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileIndexBytes,
    ::testing::Values(
        HostileCase{"Bitmap",
                    ArrayOf(arrow::utf8(), R"(["b", null, "a", "b", "long text", ""])"),
                    {IsNull(0), Range(0, {}, {}), Equal(0, StringOf("b"))}},
        HostileCase{"LabelList",
                    ArrayOf(arrow::list(arrow::int16()), "[[1, 2], null, [3, null], [], [2]]"),
                    {HasItems(Kind::kHasAny, {ScalarOf(arrow::int16(), "1"),
                                              arrow::MakeNullScalar(arrow::int16())}),
                     HasItems(Kind::kHasAll, {ScalarOf(arrow::int16(), "2")})}}),
    [](const auto& instance) { return instance.param.index_type; });

TEST(HostileIndexBytes, OfABloomFilterAreSurvived) {
  SCOPED_TRACE(SeedMessage());
  IndexBench bench;
  table::IndexMetadata segment;
  segment.uuid = Uuid::Random(bench.random);
  segment.field_ids = {0};
  segment.details_type_url = "/lance.index.pb.BloomFilterIndexDetails";
  segment.has_details = true;
  std::ifstream in(LANCE_GOLDEN_INDICES "/bloom_filter/int32/bloomfilter.lance", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  segment.files = {{.path = "bloomfilter.lance", .size_bytes = bytes.size()}};
  ASSERT_THAT(bench.store->Put(SegmentPath(segment, "bloomfilter.lance"),
                               arrow::Buffer::FromString(std::move(bytes)), PutMode::kOverwrite),
              IsOk());
  ExpectSurvivesDamage(bench, segment, arrow::int32(),
                       {IsNull(0), Equal(0, ScalarOf(arrow::int32(), "1"))});
}

}  // namespace
}  // namespace lance::index
