// SPDX-License-Identifier: Apache-2.0
//
// The steps that VK_NV_cooperative_matrix2 adds to a matrix program. Conversions and transpositions
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

// OpCooperativeMatrixLoadTensorNV from the buffer after the result's, from element `first` on.
// Clipped elements keep the input's values. With `decodes` the buffer contains blocks of
// kBlockBytes.
struct TensorLoad {
    TensorAccess access;
    uint32_t first;
    bool decodes;
};

// OpCooperativeMatrixStoreTensorNV of the input to the result's array, for any number of rows.
struct TensorStore {
    TensorAccess access;
};

// A block has kBlockElements bytes. Element i of it (row by row) is decoded as v = the low 4 bits
// of byte i, + 16 i + 256 (b mod 4), where b is the sum of (d + 1) * coordinate d of the block. A
// format without arithmetic gets (v ^ v >> 4 ^ v >> 8) & decodedMask instead, which it represents
// exactly.
inline constexpr uint32_t kBlockElements = 16, kBlockBytes = 16;
// 0: all bits.
inline uint32_t decodedMask(Component component) {
    return hasArithmetic(component) ? 0 : exactIntegers(component) - 1;
}

}  // namespace coopvk::compare
