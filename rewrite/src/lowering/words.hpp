// SPDX-License-Identifier: Apache-2.0
//
// Regroups components to components of another width, and works on fields of bits.
#pragma once

#include "ir/emitter.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// A component of a vector that is not extracted yet: whole vectors need no instructions.
struct Slot {
    Id value = 0;        // scalar or vector
    uint32_t index = 0;  // component; 0 for scalars
};

// Extracts a component, or several. `component` is their scalar type.
Id scalarOf(Emitter& emit, Id component, const Slot& slot);
std::vector<Id> scalarsOf(Emitter& emit, Id component, std::span<const Slot> slots);

// Makes a scalar of one slot, or a vector of 2 to 4 slots.
Id gather(Emitter& emit, Id component, std::span<const Slot> slots);

// The slots of scalars and vectors, in order.
std::vector<Slot> slotsOf(Emitter& emit, std::span<const Id> values);

// The bytes of components of scalar type `from`, lowest first, as components of scalar type `to`,
// which they fill without a remainder. Floats of 4 and 6 bits fill whole bytes.
std::vector<Slot> regroup(Emitter& emit, std::span<const Slot> slots, Id from, Id to);

// regroup() of components, with zeros after them if they do not fill the last one.
std::vector<Slot> regroupFilled(Emitter& emit, std::span<const Slot> slots, Id from, Id to);

// Memory scalars as u32: regrouped if they fill whole words, else each zero extended.
std::vector<Id> toWords(Emitter& emit, std::span<const Slot> memory, Id memoryScalar);

// Field number `index` (u32), of `bits` bits each, of a memory scalar of 8 to 64 bits: as a u32,
// sign or zero extended.
Id fieldOf(Emitter& emit, Id scalar, Id index, uint32_t bits, bool isSigned);

// Bitwise operations on values of an integer scalar or vector type, u32 by default. Constants are
// the same in all components.
class Bits {
 public:
    explicit Bits(Emitter& emit) : Bits(emit, emit.types().uint32()) {}
    Bits(Emitter& emit, Id type) : emit_(emit), type_(type) {}

    Id op(spv::Op opcode, Id a, Id b) { return emit_.op(opcode, type_, {a, b}); }
    Id both(Id a, Id b) { return op(spv::Op::OpBitwiseAnd, a, b); }
    Id either(Id a, Id b) { return op(spv::Op::OpBitwiseOr, a, b); }
    Id mask(Id a, uint64_t bits) { return both(a, constant(bits)); }
    Id flip(Id a, uint64_t bits) { return op(spv::Op::OpBitwiseXor, a, constant(bits)); }
    Id left(Id a, uint32_t by) { return by == 0 ? a : leftBy(a, constant(by)); }
    Id right(Id a, uint32_t by) { return by == 0 ? a : rightBy(a, constant(by)); }
    Id leftBy(Id a, Id by) { return op(spv::Op::OpShiftLeftLogical, a, by); }
    Id rightBy(Id a, Id by) { return op(spv::Op::OpShiftRightLogical, a, by); }

    // The `count` bits from bit `first` (u32) on, sign or zero extended.
    Id field(Id word, Id first, uint32_t count, bool isSigned) {
        const spv::Op opcode = isSigned ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract;
        return emit_.op(opcode, type_, {word, first, emit_.constant(count)});
    }
    // The word with these bits replaced by the low bits of `value`.
    Id withField(Id word, Id value, Id first, uint32_t count) {
        return emit_.op(spv::Op::OpBitFieldInsert, type_,
                        {word, value, first, emit_.constant(count)});
    }
    // Puts `part`, shifted left, into bits of the word that are zero. Word 0: an empty one.
    Id withPart(Id word, Id part, uint32_t shift) {
        part = left(part, shift);
        return word == 0 ? part : either(word, part);
    }

 private:
    Id constant(uint64_t value) {
        TypeTable& types = emit_.types();
        return types.constantSplat(type_, types.constant(types.scalarOf(type_), value));
    }

    Emitter& emit_;
    Id type_;
};

// The instructions of SPV_QCOM_cooperative_matrix_conversion on one-dimensional arrays of numbers.

struct NumberArray {
    Id type = 0;
    Id element = 0;  // 0: the type is not such an array
    uint32_t length = 0;
};
NumberArray numberArray(const LoweringContext& context, Id type);

// Whether such an array, or a matrix that becomes one, may have elements of this scalar type: no
// bfloat16 and no 8-bit floats. If not, fails.
bool requireDefaultEncoding(LoweringContext& context, const Instruction& at, Id scalar);

void lowerBitCastArray(LoweringContext& context, Emitter& emit, const Instruction& cast);
void lowerExtractSubArray(LoweringContext& context, Emitter& emit, const Instruction& extract);

}  // namespace coopvk::rewrite
