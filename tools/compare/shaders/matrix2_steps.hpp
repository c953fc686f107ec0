// SPDX-License-Identifier: Apache-2.0
//
// What VK_NV_cooperative_matrix2 adds to the steps of a matrix program. Conversions and transposing
// are single instructions (instruction.hpp).
#pragma once

#include <cstdint>

#include "compare/numbers/tensor.hpp"

namespace coopvk::compare {

// OpCooperativeMatrixReduceNV.
struct Reduce {
    enum class Of { kRows, kColumns, kAll, k2x2 };
    enum class By { kSum, kGreatest };
    Of of;
    By by;
};

// OpCooperativeMatrixPerElementOpNV: element + kPerElementMore + kPerElementPitch * row + column.
struct PerElement {};
inline constexpr uint32_t kPerElementPitch = 8, kPerElementMore = 3;

// OpCooperativeMatrixLoadTensorNV from the buffer after the result's, from element `first` on; what
// is clipped stays as the input has it. With `decodes` the buffer holds blocks of kBlockBytes.
struct TensorLoad {
    TensorAccess access;
    uint32_t first;
    bool decodes;
};

// OpCooperativeMatrixStoreTensorNV of the input into the result's array, whatever its rows are.
struct TensorStore {
    TensorAccess access;
};

// A block holds kBlockElements bytes. The element at place i in it (row by row) is decoded as
// the low 4 bits of byte i, + 16 i + 256 (b mod 4), b being the sum of (d + 1) * coordinate d of
// the block.
inline constexpr uint32_t kBlockElements = 16, kBlockBytes = 16;

}  // namespace coopvk::compare
