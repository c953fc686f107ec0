// SPDX-License-Identifier: Apache-2.0
//
// Decorations of values: what becomes of them when other instructions compute a value.
#pragma once

#include <vector>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The decorations of an arithmetic instruction that say how it computes, such as NoContraction (of
// GLSL's `precise`). Lowering moves them to the instructions that compute parts of the result; the
// instruction that combines the parts must not have them.
class ArithmeticDecorations {
 public:
    ArithmeticDecorations(Module& module, Id result);

    void addTo(Id part) const;
    void removeFrom(Id result) const;

    // Appends words that identify the decorations, for keys of helper functions.
    void appendTo(std::vector<uint32_t>& words) const;

 private:
    Module& module_;
    std::vector<std::pair<spv::Decoration, uint32_t>> found_;  // with the literal, or 0
};

// Whether a decoration says how an instruction computes: NoContraction and the like, and
// RelaxedPrecision. If other instructions compute the parts of the value, the instruction that
// makes a composite of them must not have it.
bool isOfParts(spv::Decoration decoration);
// Whether an instruction gives its target a decoration that ArithmeticDecorations has.
bool decoratesArithmetic(const Instruction& i);
// Whether a decoration says that all invocations of a scope have the same value.
bool isUniform(spv::Decoration decoration);

// Whether an instruction sets a default (SPV_KHR_float_controls2, FPFastMathDefault).
bool isFastMathDefault(const Instruction& i);
// The flags by default of an instruction on floats of a scalar type; nullopt if the entry point
// sets no defaults. Types without one of their own have no flags.
std::optional<uint32_t> fastMathDefault(const Module& module, Id scalar);

// Keeps drivers from contracting or reassociating an instruction on floats. With FPFastMathDefault
// (SPV_KHR_float_controls2, "Universal Validation Rules") NoContraction is invalid: then the
// instruction gets the flags that it has by default, without those that allow this.
void forbidContraction(Module& module, Id result);
// The same, and an instruction that takes the bits of a float apart gets no flags: it also meets
// NaN, infinities and zeros of which the default says that there are none.
void computeExactly(Module& module, Id result);
// Whether the module says so of an instruction: by NoContraction, by FPFastMathMode, or by
// FPFastMathDefault of the type of its components.
bool forbidsContraction(const Module& module, Id result);

}  // namespace coopvk::rewrite
