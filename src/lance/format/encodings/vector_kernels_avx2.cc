#include "lance/format/encodings/vector_kernels_body.h"
#include "lance/format/encodings/vector_kernels_variants.h"

namespace lance::format {

constinit const VectorKernels kAvx2Kernels = MakeKernels("avx2");

}  // namespace lance::format
