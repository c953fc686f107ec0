// SPDX-License-Identifier: Apache-2.0
//
// One instruction on whole matrices or vectors.
#pragma once

#include "compare/numbers/number.hpp"

namespace coopvk::compare {

struct Instruction {
    std::string_view opcode;  // "OpFAdd"; of GLSL.std.450 "FMin"
    bool extended = false;    // of GLSL.std.450
    double scalar = 0;        // one more operand, a scalar, where it is not 0
    bool saturates = false;   // a conversion to the largest 8-bit float of what is too large
};

inline uint64_t scalarBits(Component type, const Instruction& instruction) {
    return info(type).isFloat() ? encode(type, static_cast<Real>(instruction.scalar))
                                : static_cast<uint64_t>(instruction.scalar);
}

}  // namespace coopvk::compare
