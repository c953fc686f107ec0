// SPDX-License-Identifier: Apache-2.0
//
// Components regrouped to components of another width, words joined of parts and split into them,
// fields of bits.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// Names one component of a vector without extracting it, so that whole vectors can pass through as
// they are.
struct Slot {
    Id value = 0;        // scalar or vector
    uint32_t index = 0;  // component; 0 for scalars
};

// The component alone, and each of several. `component` is their scalar type.
Id scalarOf(Emitter& emit, Id component, const Slot& slot);
std::vector<Id> scalarsOf(Emitter& emit, Id component, std::span<const Slot> slots);

// A scalar (one slot) or vector (2 to 4 slots) with the components in order.
Id gather(Emitter& emit, Id component, std::span<const Slot> slots);

// The slots of scalars and vectors, in order.
std::vector<Slot> slotsOf(Emitter& emit, std::span<const Id> values);

// The same bytes, lowest first, as components of another width. `from` holds whole components of
// `to`; both are scalar types.
std::vector<Slot> regroup(Emitter& emit, std::span<const Slot> slots, Id from, Id to);

// The same where the components need not fill the last one: zeros do.
std::vector<Slot> regroupFilled(Emitter& emit, std::span<const Slot> slots, Id from, Id to);

// Memory scalars as u32: joined or split where they fill such, else zero extended one by one.
std::vector<Id> toWords(Emitter& emit, std::span<const Slot> memory, Id memoryScalar);

// Operations on the bits of values of an integer type.
class Bits {
 public:
    explicit Bits(Emitter& emit) : Bits(emit, emit.types().uint32()) {}
    Bits(Emitter& emit, Id type) : emit_(emit), type_(type) {}

    Id op(spv::Op opcode, Id a, Id b) { return emit_.op(opcode, type_, {a, b}); }
    Id both(Id a, Id b) { return op(spv::Op::OpBitwiseAnd, a, b); }
    Id either(Id a, Id b) { return op(spv::Op::OpBitwiseOr, a, b); }
    // With constants.
    Id mask(Id a, uint64_t bits) { return both(a, constant(bits)); }
    Id flip(Id a, uint64_t bits) { return op(spv::Op::OpBitwiseXor, a, constant(bits)); }
    Id left(Id a, uint32_t by) { return by == 0 ? a : leftBy(a, constant(by)); }
    Id right(Id a, uint32_t by) { return by == 0 ? a : rightBy(a, constant(by)); }
    Id leftBy(Id a, Id by) { return op(spv::Op::OpShiftLeftLogical, a, by); }
    Id rightBy(Id a, Id by) { return op(spv::Op::OpShiftRightLogical, a, by); }

    // The `count` bits from bit `first` (u32) on, extended to all of the type.
    Id field(Id word, Id first, uint32_t count, bool isSigned) {
        const spv::Op opcode = isSigned ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract;
        return emit_.op(opcode, type_, {word, first, emit_.constant(count)});
    }
    // The word with these bits replaced by the low ones of another.
    Id withField(Id word, Id value, Id first, uint32_t count) {
        return emit_.op(spv::Op::OpBitFieldInsert, type_,
                        {word, value, first, emit_.constant(count)});
    }
    // The word with a part, of zeros above its bits, `shift` bits up, where it has zeros. The word
    // 0: there is nothing else in it yet.
    Id withPart(Id word, Id part, uint32_t shift) {
        part = left(part, shift);
        return word == 0 ? part : either(word, part);
    }

 private:
    Id constant(uint64_t value) { return emit_.types().constant(type_, value); }

    Emitter& emit_;
    Id type_;
};

}  // namespace coopvk::rewrite
