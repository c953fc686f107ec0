// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include "lowering/number.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

// Operations on vectors of `components` 32-bit components, or on scalars.
class Wide : public Bits {
 public:
    Wide(Emitter& emit, uint32_t components)
        : Bits(emit, emit.types().vectorType(emit.types().uint32(), components)),
          emit_(emit),
          components_(components),
          u32_(emit.types().vectorType(emit.types().uint32(), components)),
          f32_(emit.types().vectorType(emit.types().floatType(32), components)),
          bool_(boolType(components)) {}

    uint32_t components() const { return components_; }
    Id u32() const { return u32_; }
    Id f32() const { return f32_; }
    Id constant(uint32_t value) { return emit_.types().constantSplat(u32_, emit_.constant(value)); }
    Id constantF32(double value) {
        TypeTable& types = emit_.types();
        return types.constantSplat(f32_, types.constantFloat(types.floatType(32), value));
    }
    Id plus(Id a, uint32_t b) { return op(spv::Op::OpIAdd, a, constant(b)); }
    Id isLess(Id a, uint32_t b) { return test(spv::Op::OpULessThan, a, b); }
    Id isMore(Id a, uint32_t b) { return test(spv::Op::OpUGreaterThan, a, b); }
    Id select(Id condition, Id a, Id b) {
        return emit_.op(spv::Op::OpSelect, u32_, {condition, a, b});
    }
    Id least(Id a, uint32_t b) { return emit_.glsl(GLSLstd450UMin, u32_, {a, constant(b)}); }
    // value / 2^shift, to nearest even; `last` is the last bit that stays, `half` 2^(shift - 1)
    // - 1.
    Id rounded(Id value, Id half, Id shift) {
        const Id last = mask(rightBy(value, shift), 1);
        const Id sum = op(spv::Op::OpIAdd, op(spv::Op::OpIAdd, value, half), last);
        return rightBy(sum, shift);
    }
    Id rounded(Id value, uint32_t shift) {
        return rounded(value, constant((1u << (shift - 1)) - 1), constant(shift));
    }

 private:
    Id boolType(uint32_t components) {
        return emit_.types().vectorType(emit_.types().boolType(), components);
    }
    Id test(spv::Op opcode, Id a, uint32_t b) { return emit_.op(opcode, bool_, {a, constant(b)}); }

    Emitter& emit_;
    uint32_t components_;
    Id u32_, f32_, bool_;
};

// Conversions between f32 and the bits of floats that the device does not have.

// `bits`: a scalar or vector of unsigned integers of number.bits bits. Returns f32 components,
// which have the very same values. Emits no arithmetic on f32 denormals, which devices may flush.
Id bitsToF32(Emitter& emit, const Number& number, Id bits, uint32_t components);

// The same of E8M0 as f64: its smallest number is a denormal of f32.
Id exponentToF64(Emitter& emit, const Number& number, Id bits, uint32_t components);

enum class Rounding {
    kNearestEven,
    kTowardZero,  // bfloat16 and f16 only
    kSaturated,   // to nearest even, but values beyond the largest number become that
};

// The other way, in 32-bit components. Rounds once; NaN stays NaN. Values that round to more than
// the largest number become infinity, or NaN if the format has none.
Id f32ToBits(Emitter& emit, const Number& number, Id f32, uint32_t components, Rounding rounding);

// The same for f16, in fewer instructions. They are arithmetic on f32, but its only results are
// exact or the numbers that f16 rounds to.
Id halfToF32(Emitter& emit, Id bits, uint32_t components);
Id f32ToHalf(Emitter& emit, Id f32, uint32_t components, Rounding rounding);

// A scalar f64 as the f32 that rounds to the same 8-bit float: toward zero, with the last bit set
// if that is inexact. Numbers that f32 lacks become zero or infinity.
Id f64ToOddF32(Emitter& emit, Id f64);

}  // namespace coopvk::rewrite
