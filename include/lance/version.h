#pragma once

#include <string>

/// Major version of the library.
#define LANCE_VERSION_MAJOR 0
/// Minor version; until 1.0 it may change the API.
#define LANCE_VERSION_MINOR 1
/// Patch version.
#define LANCE_VERSION_PATCH 0
/// The three of them as text.
#define LANCE_VERSION_STRING "0.1.0"

namespace lance {

/// How this library was built. A plain value.
struct BuildInfo {
  /// "major.minor.patch" of the library.
  std::string version;
  /// "major.minor.patch" of Apache Arrow C++.
  std::string arrow_version;
  /// Name and version of the compiler.
  std::string compiler;
  /// The vector kernels that this machine runs: "portable", "avx2" or "avx512".
  std::string simd_level;
};

/// How this library was built.
const BuildInfo& build_info();

}  // namespace lance
