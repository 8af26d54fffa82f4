#include <gtest/gtest.h>

#include "lance/table/clustering_metadata.h"
#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::HasDetail;
using ::lance::testing::IsInvalid;
using ::lance::testing::IsKeyError;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::map<std::string, std::string> kGood = {
    {"lance.clustering.columns", R"(["a","b"])"},         {"lance.clustering.curve", "zorder"},
    {"lance.clustering.version", "18446744073709551615"}, {"lance.clustering.bits_per_dim", "64"},
    {"lance.clustering.algorithm", "quantile-rank-v1"},
};

Manifest Declared(std::map<std::string, std::string> config = kGood) {
  Manifest manifest = SampleManifest({});
  manifest.config = std::move(config);
  manifest.config["lance.compaction.x"] = "1";
  manifest.config["lance.clusteringx"] = "1";
  return manifest;
}

TEST(ReadDeclaration, FindsNoneInAPlainTable) {
  const DeclarationState state = ReadDeclaration(Declared({}));

  EXPECT_FALSE(state.spec.has_value());
  EXPECT_EQ(state.problem, "");
}

TEST(ReadDeclaration, ReadsAllFiveKeys) {
  const DeclarationState state = ReadDeclaration(Declared());

  EXPECT_EQ(state.problem, "");
  ASSERT_TRUE(state.spec.has_value());
  EXPECT_THAT(state.spec->columns, ElementsAre("a", "b"));
  EXPECT_EQ(state.spec->curve, ClusteringCurve::kZOrder);
  EXPECT_EQ(state.spec->version, 18446744073709551615u);
  EXPECT_EQ(state.spec->bits_per_dim, 64u);
  EXPECT_EQ(state.spec->algorithm, ClusteringAlgorithm::kQuantileRankV1);
}

TEST(ReadDeclaration, SpellsColumnsAsTheSchemaDoes) {
  Manifest manifest = Declared();
  manifest.config["lance.clustering.columns"] = R"(["B", "A"])";

  const DeclarationState state = ReadDeclaration(manifest);

  ASSERT_TRUE(state.spec.has_value()) << state.problem;
  EXPECT_THAT(state.spec->columns, ElementsAre("b", "a"));
}

struct BrokenCase {
  std::string name;
  std::string key;
  std::optional<std::string> value;  // no value: the key is missing
  std::string problem;
};

class BrokenDeclarationTest : public ::testing::TestWithParam<BrokenCase> {};

TEST_P(BrokenDeclarationTest, ReadsAsAbsentWithTheProblem) {
  Manifest manifest = Declared();
  const std::string key = "lance.clustering." + GetParam().key;
  manifest.config.erase(key);
  if (GetParam().value) manifest.config[key] = *GetParam().value;

  const DeclarationState state = ReadDeclaration(manifest);

  EXPECT_FALSE(state.spec.has_value());
  EXPECT_EQ(state.problem, GetParam().problem);
}

const std::string kAllKeys = "lance.clustering.{columns, curve, version, bits_per_dim, algorithm}";
const std::string kVersions = "1 to 18446744073709551615";

INSTANTIATE_TEST_SUITE_P(
    All, BrokenDeclarationTest,
    ::testing::ValuesIn<BrokenCase>({
        {"CurveMissing",
         "curve",
         {},
         "lance.clustering.curve is missing; allowed: all five of " + kAllKeys + ", or none"},
        {"ColumnsMissing",
         "columns",
         {},
         "lance.clustering.columns is missing; allowed: all five of " + kAllKeys + ", or none"},
        {"VersionMissing",
         "version",
         {},
         "lance.clustering.version is missing; allowed: all five of " + kAllKeys + ", or none"},
        {"BitsMissing",
         "bits_per_dim",
         {},
         "lance.clustering.bits_per_dim is missing; allowed: all five of " + kAllKeys +
             ", or none"},
        {"AlgorithmMissing",
         "algorithm",
         {},
         "lance.clustering.algorithm is missing; allowed: all five of " + kAllKeys + ", or none"},
        {"UnknownKey", "curves", "hilbert",
         "lance.clustering.curves is \"hilbert\" but no such key is known; allowed: " + kAllKeys},
        {"UnknownCurve", "curve", "spiral",
         "lance.clustering.curve is \"spiral\"; allowed: hilbert, zorder"},
        {"CurveOfAnotherCase", "curve", "Hilbert",
         "lance.clustering.curve is \"Hilbert\"; allowed: hilbert, zorder"},
        {"UnknownAlgorithm", "algorithm", "quantile-rank-v2",
         "lance.clustering.algorithm is \"quantile-rank-v2\"; allowed: quantile-rank-v1, "
         "typed-quantile-rank-v1, typed-quantile-rank-v2"},
        {"VersionZero", "version", "0", "lance.clustering.version is \"0\"; allowed: " + kVersions},
        {"VersionEmpty", "version", "", "lance.clustering.version is \"\"; allowed: " + kVersions},
        {"VersionNegative", "version", "-1",
         "lance.clustering.version is \"-1\"; allowed: " + kVersions},
        {"VersionWithSpace", "version", "1 ",
         "lance.clustering.version is \"1 \"; allowed: " + kVersions},
        {"VersionTooLarge", "version", "18446744073709551616",
         "lance.clustering.version is \"18446744073709551616\"; allowed: " + kVersions},
        {"OneBit", "bits_per_dim", "1", "lance.clustering.bits_per_dim is \"1\"; allowed: 2 to 64"},
        {"SixtyFiveBits", "bits_per_dim", "65",
         "lance.clustering.bits_per_dim is \"65\"; allowed: 2 to 64"},
        {"BitsThatWrapAround", "bits_per_dim", "4294967312",
         "lance.clustering.bits_per_dim is \"4294967312\"; allowed: 2 to 64"},
        {"BitsNotANumber", "bits_per_dim", "many",
         "lance.clustering.bits_per_dim is \"many\"; allowed: 2 to 64"},
        {"ColumnsNotJson", "columns", "a",
         "lance.clustering.columns is \"a\"; allowed: a JSON array of column names"},
        {"ColumnsNotAnArray", "columns", "\"a\"",
         "lance.clustering.columns is \"\"a\"\"; allowed: a JSON array of column names"},
        {"ColumnsNotStrings", "columns", "[1]",
         "lance.clustering.columns is \"[1]\"; allowed: a JSON array of column names"},
        {"NoColumns", "columns", "[]", "lance.clustering.columns has 0 columns; allowed: 1 to 16"},
        {"SeventeenColumns", "columns",
         R"(["a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a"])",
         "lance.clustering.columns has 17 columns; allowed: 1 to 16"},
        {"ColumnTwice", "columns", R"(["a","A"])",
         "lance.clustering.columns names \"a\" twice; allowed: distinct columns"},
        {"ColumnNotThere", "columns", R"(["zz"])",
         "lance.clustering.columns names \"zz\", which is not a top-level column; allowed: a, b, "
         "s, q"},
        {"NestedColumn", "columns", R"(["k"])",
         "lance.clustering.columns names \"k\", which is not a top-level column; allowed: a, b, s, "
         "q"},
        {"StructColumn", "columns", R"(["q"])",
         "lance.clustering.columns names \"q\" of type struct, which quantile-rank-v1 does not "
         "take; allowed: booleans, integers, float, double"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ReadDeclaration, RefusesANameThatFitsTwoColumns) {
  Manifest manifest = Declared();
  manifest.schema.fields[1].name = "A";
  manifest.config["lance.clustering.columns"] = R"(["a"])";
  EXPECT_TRUE(ReadDeclaration(manifest).spec.has_value());

  manifest.schema.fields[0].name = "aA";
  manifest.schema.fields[1].name = "Aa";
  manifest.config["lance.clustering.columns"] = R"(["aa"])";

  EXPECT_EQ(ReadDeclaration(manifest).problem,
            "lance.clustering.columns names \"aa\", which could be aA or Aa; allowed: the exact "
            "name");
}

struct TypeCase {
  std::string logical_type;
  bool rank;
  bool typed;
};

class ClusteringTypeTest : public ::testing::TestWithParam<TypeCase> {};

TEST_P(ClusteringTypeTest, IsAcceptedByTheRightAlgorithms) {
  Manifest manifest = SampleManifest({});
  manifest.schema.fields[0].logical_type = GetParam().logical_type;
  const auto accepts = [&](ClusteringAlgorithm algorithm) {
    return ResolveClusteringRequest({.columns = {"a"}, .algorithm = algorithm}, manifest).ok();
  };

  EXPECT_EQ(accepts(ClusteringAlgorithm::kQuantileRankV1), GetParam().rank);
  EXPECT_EQ(accepts(ClusteringAlgorithm::kTypedQuantileRankV1), GetParam().typed);
  EXPECT_EQ(accepts(ClusteringAlgorithm::kTypedQuantileRankV2), GetParam().typed);
}

INSTANTIATE_TEST_SUITE_P(All, ClusteringTypeTest,
                         ::testing::ValuesIn<TypeCase>({
                             {"bool", true, true},
                             {"int8", true, true},
                             {"int16", true, true},
                             {"int32", true, true},
                             {"int64", true, true},
                             {"uint8", true, true},
                             {"uint16", true, true},
                             {"uint32", true, true},
                             {"uint64", true, true},
                             {"float", true, true},
                             {"double", true, true},
                             {"string", false, true},
                             {"large_string", false, true},
                             {"binary", false, true},
                             {"large_binary", false, true},
                             {"date32:day", false, true},
                             {"date64:ms", false, true},
                             {"timestamp:us:-", false, true},
                             {"timestamp:ns:Europe/Berlin", false, true},
                             {"time32:s", false, true},
                             {"time64:ns", false, true},
                             {"decimal:128:10:2", false, true},
                             {"halffloat", false, false},
                             {"decimal:256:50:2", false, false},
                             {"duration:us", false, false},
                             {"fixed_size_binary:4", false, false},
                             {"fixed_size_list:float:4", false, false},
                             {"dict:string:int8:false", false, false},
                             {"list", false, false},
                             {"struct", false, false},
                             {"map", false, false},
                             {"json", false, false},
                             {"blob", false, false},
                             {"null", false, false},
                         }));

TEST(DeclarationEntries, AreWhatReadDeclarationReads) {
  const ClusteringSpec spec{.columns = {"a\"", "\xc3\xa9"},
                            .curve = ClusteringCurve::kHilbert,
                            .version = 3,
                            .bits_per_dim = 2,
                            .algorithm = ClusteringAlgorithm::kTypedQuantileRankV2};

  const auto entries = DeclarationEntries(spec);

  EXPECT_THAT(entries, ElementsAre(Pair("lance.clustering.columns", "[\"a\\\"\",\"\xc3\xa9\"]"),
                                   Pair("lance.clustering.curve", "hilbert"),
                                   Pair("lance.clustering.version", "3"),
                                   Pair("lance.clustering.bits_per_dim", "2"),
                                   Pair("lance.clustering.algorithm", "typed-quantile-rank-v2")));
  Manifest manifest = SampleManifest({});
  manifest.schema.fields[0].name = spec.columns[0];
  manifest.schema.fields[1].name = spec.columns[1];
  for (const auto& [key, value] : entries) manifest.config[key] = value;
  EXPECT_EQ(ReadDeclaration(manifest).spec, spec);
}

TEST(ResolveClusteringRequest, TakesItsDefaultsFromTheColumns) {
  LANCE_ASSERT_OK_AND_ASSIGN(const ClusteringSpec numbers,
                             ResolveClusteringRequest({.columns = {"B", "a"}}, SampleManifest({})));
  LANCE_ASSERT_OK_AND_ASSIGN(const ClusteringSpec text,
                             ResolveClusteringRequest({.columns = {"a", "s"}}, SampleManifest({})));

  EXPECT_THAT(numbers.columns, ElementsAre("b", "a"));
  EXPECT_EQ(numbers.version, 1u);
  EXPECT_EQ(numbers.bits_per_dim, 16u);
  EXPECT_EQ(numbers.curve, ClusteringCurve::kHilbert);
  EXPECT_EQ(numbers.algorithm, ClusteringAlgorithm::kQuantileRankV1);
  EXPECT_EQ(text.algorithm, ClusteringAlgorithm::kTypedQuantileRankV2);
}

TEST(ResolveClusteringRequest, ReportsAColumnThatIsNotThere) {
  const auto result = ResolveClusteringRequest({.columns = {"nope"}}, SampleManifest({}));

  EXPECT_THAT(result, IsKeyError(HasSubstr("\"nope\"")));
  EXPECT_THAT(result, HasDetail<NotFound>(Field(&NotFound::kind, "column")));
}

/// A table that declares columns a and b at `version`, with the definition of that.
Manifest WithDefinition(uint64_t version) {
  Manifest manifest = SampleManifest({});
  const ClusteringSpec spec{.columns = {"a", "b"}, .version = version};
  for (const auto& [key, value] : DeclarationEntries(spec)) manifest.config[key] = value;
  EXPECT_THAT(EnsureDefinition(LayoutOf(spec, manifest.schema), &manifest), testing::IsOk());
  return manifest;
}

TEST(ResolveClusteringRequest, KeepsTheVersionOfTheSameLayout) {
  LANCE_ASSERT_OK_AND_ASSIGN(const ClusteringSpec spec,
                             ResolveClusteringRequest({.columns = {"a", "b"}}, WithDefinition(5)));

  EXPECT_EQ(spec.version, 5u);
}

TEST(ResolveClusteringRequest, RaisesTheVersionWhenTheDefinitionIsGone) {
  Manifest stripped = WithDefinition(5);
  stripped.clustering.clear();

  LANCE_ASSERT_OK_AND_ASSIGN(const ClusteringSpec spec,
                             ResolveClusteringRequest({.columns = {"a", "b"}}, stripped));

  EXPECT_EQ(spec.version, 6u);
}

TEST(ResolveClusteringRequest, RaisesTheVersionForAnotherLayout) {
  LANCE_ASSERT_OK_AND_ASSIGN(const ClusteringSpec spec,
                             ResolveClusteringRequest({.columns = {"b", "a"}}, WithDefinition(5)));

  EXPECT_EQ(spec.version, 6u);
}

struct VersionCase {
  std::string name;
  std::vector<std::string> columns;
  uint64_t version;
  std::string refused;  // "": accepted
};

class AskedVersionTest : public ::testing::TestWithParam<VersionCase> {};

TEST_P(AskedVersionTest, FollowsTheRules) {
  const auto result = ResolveClusteringRequest(
      {.columns = GetParam().columns, .version = GetParam().version}, WithDefinition(5));

  if (GetParam().refused.empty()) {
    LANCE_ASSERT_OK_AND_ASSIGN(const ClusteringSpec spec, result);
    EXPECT_EQ(spec.version, GetParam().version);
  } else {
    EXPECT_THAT(result, IsInvalid(GetParam().refused));
  }
}

const std::string kMoreThanFive = "; allowed: more than 5, the highest the table knows";

INSTANTIATE_TEST_SUITE_P(
    All, AskedVersionTest,
    ::testing::ValuesIn<VersionCase>({
        {"DeclaredLayoutAtItsVersion", {"a", "b"}, 5, ""},
        {"DeclaredLayoutHigher", {"a", "b"}, 6, ""},
        {"AnotherLayoutHigher", {"b"}, 18446744073709551615u, ""},
        {"DeclaredLayoutLower", {"a", "b"}, 4, "lance.clustering.version is \"4\"" + kMoreThanFive},
        {"AnotherLayoutAtThatVersion",
         {"b"},
         5,
         "lance.clustering.version is \"5\"" + kMoreThanFive},
        {"Zero", {"b"}, 0, "lance.clustering.version is \"0\"; allowed: 1 to 18446744073709551615"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ResolveClusteringRequest, ReportsThatNoHigherVersionExists) {
  EXPECT_THAT(ResolveClusteringRequest({.columns = {"b"}}, WithDefinition(18446744073709551615u)),
              IsInvalid(HasSubstr("lance.clustering.version cannot be raised")));
}

TEST(ResolveOneShotSort, GivesASpecWithoutVersion) {
  LANCE_ASSERT_OK_AND_ASSIGN(const ClusteringSpec spec,
                             ResolveOneShotSort({"S", "a"}, SampleSchema()));

  EXPECT_THAT(spec.columns, ElementsAre("s", "a"));
  EXPECT_EQ(spec.version, 0u);
  EXPECT_EQ(spec.algorithm, ClusteringAlgorithm::kTypedQuantileRankV2);
  EXPECT_THAT(ResolveOneShotSort({"q"}, SampleSchema()), IsInvalid(HasSubstr("of type struct")));
}

TEST(ParseClusteringCurve, IsTheInverseOfToString) {
  EXPECT_EQ(ToString(ClusteringCurve::kHilbert), "hilbert");
  EXPECT_EQ(ToString(ClusteringCurve::kZOrder), "zorder");
  EXPECT_EQ(ParseClusteringCurve("hilbert"), ClusteringCurve::kHilbert);
  EXPECT_EQ(ParseClusteringCurve("zorder"), ClusteringCurve::kZOrder);
}

TEST(ParseClusteringAlgorithm, IsTheInverseOfToString) {
  for (const auto algorithm :
       {ClusteringAlgorithm::kQuantileRankV1, ClusteringAlgorithm::kTypedQuantileRankV1,
        ClusteringAlgorithm::kTypedQuantileRankV2}) {
    EXPECT_EQ(ParseClusteringAlgorithm(ToString(algorithm)), algorithm);
  }
  EXPECT_EQ(ToString(ClusteringAlgorithm::kTypedQuantileRankV1), "typed-quantile-rank-v1");
}

}  // namespace
}  // namespace lance::table
