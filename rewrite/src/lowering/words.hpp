// SPDX-License-Identifier: Apache-2.0
//
// Regroups components to components of another width, and works on fields of bits.
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include <concepts>

#include "ir/emitter.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Names a component of a vector without an OpCompositeExtract for it. If all components of a vector
// stay together, none is ever emitted.
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

// A boolean, or a vector of booleans, of the code that is emitted.
struct Bool {
    Id id;
};

// An unsigned integer, or a vector of these, of the code that is emitted: operators append
// instructions. A number stands for as many equal components; an Id is none. The order of an
// operator's operands is not defined: name those for which it matters.
class U32 {
 public:
    U32(Emitter& emit, Id value) : U32(emit, value, emit.typeOf(value)) {}
    // For a value that becomes one of this type.
    U32(Emitter& emit, Id value, Id type) : emit_(&emit), value_(value), type_(type) {}
    operator Id() const { return value_; }

    // A number of the same type.
    U32 same(std::integral auto number) const {
        TypeTable& types = emit_->types();
        const Id scalar = types.constant(types.scalarOf(type_), number);
        return {*emit_, types.constantSplat(type_, scalar), type_};
    }
    static U32 same(const U32& value) { return value; }

    friend U32 operator&(const U32& a, auto b) { return a.op(OpBitwiseAnd, a.same(b)); }
    friend U32 operator|(const U32& a, auto b) { return a.op(OpBitwiseOr, a.same(b)); }
    friend U32 operator^(const U32& a, auto b) { return a.op(OpBitwiseXor, a.same(b)); }
    friend U32 operator+(const U32& a, auto b) { return a.op(OpIAdd, a.same(b)); }
    friend U32 operator-(const U32& a, auto b) { return a.op(OpISub, a.same(b)); }
    friend U32 operator*(const U32& a, auto b) { return a.op(OpIMul, a.same(b)); }
    friend U32 operator<<(const U32& a, const U32& by) { return a.op(OpShiftLeftLogical, by); }
    friend U32 operator>>(const U32& a, const U32& by) { return a.op(OpShiftRightLogical, by); }
    friend U32 operator<<(const U32& a, std::integral auto by) {
        return by == 0 ? a : a << a.same(by);
    }
    friend U32 operator>>(const U32& a, std::integral auto by) {
        return by == 0 ? a : a >> a.same(by);
    }
    friend Bool operator<(const U32& a, auto b) { return a.test(OpULessThan, a.same(b)); }
    friend Bool operator>(const U32& a, auto b) { return a.test(OpUGreaterThan, a.same(b)); }
    friend U32 min(const U32& a, uint32_t b) {
        return {*a.emit_, a.emit_->glsl(GLSLstd450UMin, a.type_, {a, a.same(b)}), a.type_};
    }
    friend U32 select(Bool condition, const U32& yes, const U32& no) {
        return {*yes.emit_, yes.emit_->select(condition.id, yes, no), yes.type_};
    }

    // The `count` bits from bit `first` (u32) on, sign or zero extended.
    U32 field(Id first, uint32_t count, bool isSigned) const {
        const spv::Op opcode = isSigned ? OpBitFieldSExtract : OpBitFieldUExtract;
        return {*emit_, emit_->op(opcode, type_, {value_, first, emit_->constant(count)}), type_};
    }
    // These bits replaced by the low bits of `bits`.
    U32 withField(Id bits, Id first, uint32_t count) const {
        return {*emit_,
                emit_->op(OpBitFieldInsert, type_, {value_, bits, first, emit_->constant(count)}),
                type_};
    }

 private:
    U32 op(spv::Op opcode, Id b) const {
        return {*emit_, emit_->op(opcode, type_, {value_, b}), type_};
    }
    Bool test(spv::Op opcode, Id b) const {
        TypeTable& types = emit_->types();
        return {emit_->op(opcode, types.vectorType(types.boolType(), types.components(type_)),
                          {value_, b})};
    }

    Emitter* emit_;
    Id value_, type_;
};

// Puts `part`, shifted left, into bits of the u32 `word` that are zero; all are if there is none.
inline Id withPart(Emitter& emit, std::optional<Id> word, Id part, uint32_t shift) {
    const U32 shifted = U32(emit, part) << shift;
    return word ? U32(emit, *word) | shifted : shifted;
}

}  // namespace coopvk::rewrite
