#include "lance/format/encodings/vector_kernels_body.h"
#include "lance/format/encodings/vector_kernels_variants.h"

namespace lance::format {

constinit const VectorKernels kAvx512Kernels = MakeKernels("avx512");

}  // namespace lance::format
