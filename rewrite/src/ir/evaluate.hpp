// SPDX-License-Identifier: Apache-2.0
//
// Evaluates operations on constant integers and booleans.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

// An integer, or a boolean, whose width is 1. Bits above the width are undefined.
struct Scalar {
    uint64_t bits = 0;
    uint32_t width = 32;

    int64_t asSigned() const;
    uint64_t asUnsigned() const { return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1); }
};

// The low bits of the result; nullopt if the opcode is not supported or `b` is missing. Results
// that SPIR-V leaves undefined (division by zero, shifts by the width or more) are 0.
std::optional<uint64_t> evaluate(spv::Op opcode, Scalar a, std::optional<Scalar> b = {});

// A value rounded to nearest even as the bits of an IEEE 754 binary16 number.
uint16_t float16Bits(double value);

}  // namespace coopvk::rewrite
