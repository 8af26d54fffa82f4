#include <string>

#include "arrow/config.h"
#include "lance/version.h"

namespace lance {

namespace {

const char* CompiledSimdLevel() {
#if defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#elif defined(__SSE4_2__)
  return "sse4.2";
#else
  return "baseline";
#endif
}

}  // namespace

const BuildInfo& build_info() {
  static const BuildInfo info{.version = LANCE_VERSION_STRING,
                              .arrow_version = arrow::GetBuildInfo().version_string,
                              .compiler = std::string("GCC or compatible ") + __VERSION__,
                              .simd_level = CompiledSimdLevel()};
  return info;
}

}  // namespace lance
