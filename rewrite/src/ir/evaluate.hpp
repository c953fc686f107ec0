// SPDX-License-Identifier: Apache-2.0
//
// What operations on integers and booleans give where their operands are constants.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

// An integer, or a boolean of width 1. Bits above the width have no meaning.
struct Scalar {
    uint64_t bits = 0;
    uint32_t width = 32;

    int64_t asSigned() const;
    uint64_t asUnsigned() const { return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1); }
};

// The result's low bits; nullopt where the operation is none of these, or takes a `b` and there is
// none. Results that SPIR-V leaves undefined (division by zero, over-wide shifts) are 0.
std::optional<uint64_t> evaluate(spv::Op opcode, Scalar a, std::optional<Scalar> b = {});

}  // namespace coopvk::rewrite
