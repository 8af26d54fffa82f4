# Every dependency once, with its version and the reason we have it.

# Apache Arrow C++: arrays, compute kernels, IPC, and the thread pool. An Arrow that find_package
# finds is taken before the pyarrow wheel's, see docs/decisions/0001-arrow-from-the-wheel.md.
include(LanceArrow)

# protobuf: the messages of manifests, transactions and data files. The full runtime, because
# unknown fields are kept.
find_package(Protobuf 3.21 REQUIRED)

# CRoaring: fragment bitmaps and null bitmaps are portable Roaring.
find_package(Roaring REQUIRED)

# nlohmann JSON: the declaration's column list, the version hint, and what the CLI prints.
find_package(nlohmann_json 3.11 REQUIRED)

# xxHash: what bloom filter indices hold. Only its header: nothing is linked.
find_path(LANCE_XXHASH_FOLDER xxhash.h REQUIRED)

# OpenSSL's libcrypto: SHA-256 of plans and rank models.
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

if(LANCE_BUILD_CLI)
  # CLI11: argument parsing of lancectl.
  find_package(CLI11 2.1 REQUIRED)
endif()
if(LANCE_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()
if(LANCE_BUILD_BENCHMARKS)
  # Google Benchmark: benchmarks/micro.
  find_package(benchmark 1.7 REQUIRED)
endif()

find_program(LANCE_CCACHE ccache)
if(LANCE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${LANCE_CCACHE}")
endif()
