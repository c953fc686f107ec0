// SPDX-License-Identifier: Apache-2.0
//
// What VK_NV_cooperative_matrix2 adds to the steps of a matrix program. Conversions and transposing
// are single instructions (instruction.hpp).
#pragma once

#include <cstdint>

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

}  // namespace coopvk::compare
