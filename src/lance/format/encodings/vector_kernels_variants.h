#pragma once

#include "lance/format/encodings/vector_kernels.h"

namespace lance::format {

/// Runs everywhere.
extern const VectorKernels kPortableKernels;
/// Needs AVX2, BMI and BMI2 (x86-64-v3). Only where LANCE_HAS_X86_KERNELS is defined.
extern const VectorKernels kAvx2Kernels;
/// Needs AVX-512 F, BW, CD, DQ and VL, too (x86-64-v4). Only where LANCE_HAS_X86_KERNELS is
/// defined.
extern const VectorKernels kAvx512Kernels;

}  // namespace lance::format
