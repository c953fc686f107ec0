// SPDX-License-Identifier: Apache-2.0
//
// Operations on the bits of u32 values.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

class Bits {
 public:
    explicit Bits(Emitter& emit) : emit_(emit), u32_(emit.types().uint32()) {}

    Id op(spv::Op opcode, Id a, uint32_t b) {
        return emit_.op(opcode, u32_, {a, emit_.constant(b)});
    }
    Id mask(Id a, uint32_t bits) { return op(spv::Op::OpBitwiseAnd, a, bits); }
    Id left(Id a, uint32_t by) { return by == 0 ? a : op(spv::Op::OpShiftLeftLogical, a, by); }
    Id right(Id a, uint32_t by) { return by == 0 ? a : op(spv::Op::OpShiftRightLogical, a, by); }
    Id either(Id a, Id b) { return emit_.op(spv::Op::OpBitwiseOr, u32_, {a, b}); }

    // The `count` bits from bit `first` (u32) on, extended to all of a u32.
    Id field(Id word, Id first, uint32_t count, bool isSigned) {
        const spv::Op opcode = isSigned ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract;
        return emit_.op(opcode, u32_, {word, first, emit_.constant(count)});
    }
    // The word with these bits replaced by the low ones of a u32.
    Id withField(Id word, Id value, Id first, uint32_t count) {
        return emit_.op(spv::Op::OpBitFieldInsert, u32_,
                        {word, value, first, emit_.constant(count)});
    }

 private:
    Emitter& emit_;
    Id u32_;
};

}  // namespace coopvk::rewrite
