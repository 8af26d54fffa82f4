#include <string>

#include "arrow/config.h"
#include "lance/format/encodings/vector_kernels.h"
#include "lance/version.h"

namespace lance {

const BuildInfo& build_info() {
  static const BuildInfo info{.version = LANCE_VERSION_STRING,
                              .arrow_version = arrow::GetBuildInfo().version_string,
                              .compiler = std::string("GCC or compatible ") + __VERSION__,
                              .simd_level = format::BestKernels().name};
  return info;
}

}  // namespace lance
