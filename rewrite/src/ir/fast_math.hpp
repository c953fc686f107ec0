// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// Whether an instruction sets a default (SPV_KHR_float_controls2, FPFastMathDefault).
bool isFastMathDefault(const Instruction& i);
// The flags by default of an instruction on floats of a scalar type; nullopt if the entry point
// sets no defaults. Types without one of their own have no flags.
std::optional<uint32_t> fastMathDefault(const Module& module, Id scalar);

// Keeps drivers from contracting or reassociating an instruction on floats. With FPFastMathDefault
// (SPV_KHR_float_controls2, "Universal Validation Rules") NoContraction is invalid: then the
// instruction gets the flags that it has by default, without those that allow this.
void forbidContraction(Module& module, Id result);

}  // namespace coopvk::rewrite
