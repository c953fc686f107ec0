// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include "lowering/words.hpp"

namespace coopvk::rewrite {

// Operations on vectors of `components` 32-bit components, or on scalars.
class Wide : public Bits {
 public:
    Wide(Emitter& emit, uint32_t components)
        : Bits(emit, emit.types().vectorType(emit.types().uint32(), components)),
          emit_(emit),
          u32_(emit.types().vectorType(emit.types().uint32(), components)),
          f32_(emit.types().vectorType(emit.types().floatType(32), components)),
          bool_(boolType(components)) {}

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
    Id u32_, f32_, bool_;
};

}  // namespace coopvk::rewrite
