// SPDX-License-Identifier: Apache-2.0
//
// Half floats on devices without shaderFloat16: each instruction that computes with them computes
// in f32, and its result is rounded to f16. f32 has more than twice the bits of f16 and two more,
// so that sums, differences, products, quotients and square roots are those that one rounding
// gives.
#pragma once

#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

// Arithmetic, comparisons, GLSL.std.450, and operations of subgroups. Conversions are in
// conversions.hpp.
void addHalfArithmetic(OpcodeTable<NumbersFunction>& table);

// Lowers any of the instructions that are the same on f32. False if it has no half floats.
bool lowerHalfArithmetic(NumbersContext& context, Emitter& emit, const Instruction& i);

// Whether an instruction moves the bits of half floats, beside what moves those of other formats.
bool movesHalves(spv::Op opcode);

// Removes execution modes for 16-bit floats, which the layer does not offer, and capabilities that
// no other mode needs.
void dropHalfModes(Module& module);

}  // namespace coopvk::rewrite
