// SPDX-License-Identifier: Apache-2.0
//
// Code that converts between f32 and the formats that are lowered.
#pragma once

#include "lowering/function_writer.hpp"
#include "numbers/bits.hpp"
#include "numbers/lower.hpp"

namespace coopvk::rewrite {

// For scalars and vectors of so many components.
class Converter {
 public:
    Converter(NumbersContext& context, Emitter& emit, uint32_t components)
        : context_(context), types_(context.types), emit_(emit), components_(components) {}

    Id f32() { return vector(types_.floatType(32)); }

    // The operand of the conversion `i` as f32. `odd`: see f64ToOddF32().
    Id toF32(const Instruction& i, Id value, bool odd);
    // f32 as the result of `i`.
    Id fromF32(const Instruction& i, Id value);

    Id decode(const Number& number, Id value);
    Id encode(const Number& number, Id value, Rounding rounding);

    // E5M2 are the upper bytes of f16. So denormals are kept, which devices may flush elsewhere.
    Id upperBytesToF16(Id value, Id type);

 private:
    Id oddF32(Id value);
    Rounding rounding(const Instruction& i) const;
    Id vector(Id scalar) { return types_.vectorType(scalar, components_); }
    Id integers(const Number& number) { return vector(types_.intType(number.storedBits(), false)); }

    NumbersContext& context_;
    TypeTable& types_;
    Emitter& emit_;
    uint32_t components_;
};

// Gives `result`, which has the code's value, the id of the instruction.
void finish(NumbersContext& context, Emitter& emit, const Instruction& i, Id result);

// Floats of 4 and 6 bits are held in bytes: bit casts move their bits.

// Whether a bit cast of a lowered format is from or to such floats.
bool castsPartsOfBytes(const NumbersContext& context, const Instruction& cast);
bool lowerPartsOfBytes(NumbersContext& context, Emitter& emit, const Instruction& cast);
// OpBitcastExtractEXT.
bool lowerBitcastExtract(NumbersContext& context, Emitter& emit, const Instruction& i);

using NumbersFunction = FunctionLowering<NumbersContext>;

// Conversions, bit casts and dot products.
void addNumberConversions(OpcodeTable<NumbersFunction>& table);

}  // namespace coopvk::rewrite
