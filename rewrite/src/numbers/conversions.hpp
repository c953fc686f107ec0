// SPDX-License-Identifier: Apache-2.0
//
// Code that converts between f32 and the formats that are lowered.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include "lowering/context.hpp"
#include "lowering/half_bits.hpp"
#include "lowering/number.hpp"
#include "lowering/words.hpp"
#include "numbers/lower.hpp"

namespace coopvk::rewrite {

// value / 2^shift, to nearest even; `half` is 2^(shift - 1) - 1.
inline U32 rounded(const U32& value, const U32& half, const U32& shift) {
    const U32 last = value >> shift & 1;  // that stays
    return (value + half + last) >> shift;
}

// Defines the result of the instruction as `value`, which code has computed.
void defineResult(NumbersContext& context, Emitter& emit, const Instruction& i, Id value);

// A vector of f16 that becomes 8-bit floats, two at once, without f32. False where that does not
// suit the device or the instruction.
bool lowerByHalves(NumbersContext& context, Emitter& emit, const Instruction& i);

using NumbersFunction = FunctionLowering<NumbersContext>;

// Conversions, bit casts and dot products.
void addNumberConversions(OpcodeTable<NumbersFunction>& table);

// Values with half floats, as f32 and back.

class HalfCode {
 public:
    HalfCode(NumbersContext& context, Emitter& emit) : context_(context), emit_(emit) {}

    // Whether it is f16, a vector or an OpTypeMatrix of it.
    bool isHalf(Id type) const;
    // The same type of f32; other types themselves.
    Id f32Type(Id type);
    // A value in f32; other values themselves.
    Id decode(Id value);
    // An f32 value rounded to f16, as the integers that replace `type`; another type's value
    // itself.
    Id encode(Id type, Id value);

    // The unsigned integers in place of a scalar or a vector.
    Id integers(Id type) { return context_.replacement(type); }

 private:
    NumbersContext& context_;
    Emitter& emit_;
};

// Instructions of GLSL.std.450 with half floats. False if the instruction has none, or may not have
// them.
bool lowerHalfGlsl(NumbersContext& context, Emitter& emit, const Instruction& i);

// Half floats on devices without shaderFloat16: each instruction that computes with them computes
// in f32, and its result is rounded to f16. With 24 bits of f32 and 11 of f16, 24 >= 2 * 11 + 2:
// then rounding twice gives the same as rounding once, for sums, differences, products, quotients
// and square roots.

// Arithmetic, comparisons, GLSL.std.450, and operations of subgroups. Conversions are in
// conversions.hpp.
void addHalfArithmetic(OpcodeTable<NumbersFunction>& table);

// Lowers any of the instructions that are the same on f32. False if it has no half floats.
bool lowerHalfArithmetic(NumbersContext& context, Emitter& emit, const Instruction& i);

// Whether an instruction moves the bits of half floats, beside what moves those of other formats.
bool movesHalves(spv::Op opcode);

// SignedZeroInfNanPreserve for 16-bit floats becomes that for 32 bits, in which they are computed.
// Removes their other modes, which the layer does not offer, and capabilities that no other mode
// needs.
void lowerHalfModes(Module& module);

// OpTypeMatrix of half floats in memory with a layout. A matrix becomes an array of columns; the
// array in memory has an ArrayStride in place of MatrixStride, and so is a type of its own.

// Gives structures, arrays and pointers with a layout the arrays in memory. Refuses matrices that
// are row-major, or of one type with several strides.
void layOutHalfMatrices(NumbersContext& context);

// Loads, stores and extractions of such matrices.
void addHalfMatrixAccess(OpcodeTable<NumbersFunction>& table);

}  // namespace coopvk::rewrite
