#include <array>
#include <utility>

#include "lance/clustering.h"

namespace lance {
namespace {

template <typename Enum, size_t kCount>
using Names = std::array<std::pair<Enum, std::string_view>, kCount>;

constexpr Names<ClusteringCurve, 2> kCurves = {{
    {ClusteringCurve::kHilbert, "hilbert"},
    {ClusteringCurve::kZOrder, "zorder"},
}};

constexpr Names<ClusteringAlgorithm, 3> kAlgorithms = {{
    {ClusteringAlgorithm::kQuantileRankV1, "quantile-rank-v1"},
    {ClusteringAlgorithm::kTypedQuantileRankV1, "typed-quantile-rank-v1"},
    {ClusteringAlgorithm::kTypedQuantileRankV2, "typed-quantile-rank-v2"},
}};

template <typename Enum, size_t kCount>
std::string NameOf(const Names<Enum, kCount>& names, Enum value) {
  for (const auto& [known, name] : names) {
    if (known == value) return std::string(name);
  }
  return "";
}

template <typename Enum, size_t kCount>
arrow::Result<Enum> ParseName(const Names<Enum, kCount>& names, std::string_view what,
                              std::string_view text) {
  std::string allowed;
  for (const auto& [known, name] : names) {
    if (name == text) return known;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  return arrow::Status::Invalid(what, " is \"", text.substr(0, 64), "\"; allowed: ", allowed);
}

}  // namespace

std::string ToString(ClusteringCurve curve) { return NameOf(kCurves, curve); }

std::string ToString(ClusteringAlgorithm algorithm) { return NameOf(kAlgorithms, algorithm); }

arrow::Result<ClusteringCurve> ParseClusteringCurve(std::string_view text) {
  return ParseName(kCurves, "lance.clustering.curve", text);
}

arrow::Result<ClusteringAlgorithm> ParseClusteringAlgorithm(std::string_view text) {
  return ParseName(kAlgorithms, "lance.clustering.algorithm", text);
}

}  // namespace lance
