// SPDX-License-Identifier: Apache-2.0
//
// What VK_NV_cooperative_matrix2 adds to the steps of a matrix program. Conversions and transposing
// are single instructions (instruction.hpp).
#pragma once

#include <cstdint>

#include "compare/numbers/number.hpp"
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
// the block. Of this v a format without arithmetic has (v ^ v >> 4 ^ v >> 8) & decodedMask instead,
// which it holds exactly.
inline constexpr uint32_t kBlockElements = 16, kBlockBytes = 16;
// 0: all bits.
inline uint32_t decodedMask(Component component) {
    return hasArithmetic(component) ? 0 : exactIntegers(component) - 1;
}

}  // namespace coopvk::compare
