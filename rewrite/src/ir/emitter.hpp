// SPDX-License-Identifier: Apache-2.0
//
// Appends instructions to a list and returns their result ids. Folds integer arithmetic and
// comparisons of constants, of which lowering emits much, and nothing else.
#pragma once

#include "ir/types.hpp"

namespace coopvk::rewrite {

// A boolean of the emitted code, or that it is known to be always or never true.
class Condition {
 public:
    Condition(Id boolean) : id_(boolean) {}
    Condition(bool) = delete;  // not an id: always() or never()
    static Condition always() { return Condition(Known::kAlways); }
    static Condition never() { return Condition(Known::kNever); }

    bool isAlways() const { return known_ == Known::kAlways; }
    bool isNever() const { return known_ == Known::kNever; }
    // nullopt: it is known.
    std::optional<Id> id() const {
        return known_ == Known::kNothing ? std::optional(id_) : std::nullopt;
    }

 private:
    enum class Known { kNothing, kAlways, kNever };
    explicit Condition(Known known) : known_(known) {}

    Id id_ = 0;
    Known known_ = Known::kNothing;
};

class Emitter {
 public:
    Emitter(TypeTable& types, InstructionList& out) : types_(&types), out_(&out) {}

    TypeTable& types() { return *types_; }
    Module& module() { return types_->module(); }
    InstructionList& out() { return *out_; }
    void setOut(InstructionList& out) { out_ = &out; }

    void add(InstructionPtr instruction) {
        module().setDef(instruction.get());
        out_->push_back(std::move(instruction));
    }
    // Defines `result`, or a new id without it, and returns it; so do other functions with this
    // parameter.
    Id op(spv::Op opcode, Id type, Operands operands, std::optional<Id> result = {}) {
        const Id defined = result.value_or(0) != 0 ? *result : module().takeId();
        add(makeInstruction(opcode, type, defined, std::move(operands)));
        return defined;
    }
    Id op(spv::Op opcode, Id type, std::initializer_list<Id> ids, std::optional<Id> result = {}) {
        return op(opcode, type, idOperands({ids.begin(), ids.size()}), result);
    }
    // An operation on floats of which code takes the bits: see computeExactly().
    Id exactOp(spv::Op opcode, Id type, std::initializer_list<Id> ids);
    // For instructions without a result.
    void opVoid(spv::Op opcode, Operands operands) {
        add(makeInstruction(opcode, 0, 0, std::move(operands)));
    }

    Id extract(Id type, Id composite, std::initializer_list<uint32_t> indices);
    Id insert(Id type, Id object, Id composite, std::initializer_list<uint32_t> indices);
    Id construct(Id type, std::span<const Id> constituents, std::optional<Id> result = {}) {
        return op(OpCompositeConstruct, type, idOperands(constituents), result);
    }
    // The components of a vector or the elements of an array; any other value itself.
    std::vector<Id> parts(Id composite);
    // A vector of these scalars; if the type is a scalar, the first one itself.
    Id join(Id type, std::span<const Id> scalars) {
        return types().components(type) == 1 ? scalars[0] : construct(type, scalars);
    }
    // A vector with all components equal; if the type is a scalar, the scalar itself.
    Id splat(Id type, Id scalar);

    Id load(Id type, Id pointer, const Operands& memory = {});
    void store(Id pointer, Id value, const Operands& memory = {});
    // An access chain to a member of `type`. The first id is the base, the others are indices.
    Id chain(Id type, std::span<const Id> ids);
    Id chain(Id type, std::initializer_list<Id> ids) {
        return chain(type, std::span(ids.begin(), ids.size()));
    }

    Id call(Id type, Id function, std::span<const Id> arguments, std::optional<Id> result = {}) {
        Operands operands = {idOperand(function)};
        append(operands, idOperands(arguments));
        return op(OpFunctionCall, type, std::move(operands), result);
    }

    Id constant(uint32_t value) { return types().constantU32(value); }
    Id scope(spv::Scope scope) { return constant(static_cast<uint32_t>(scope)); }
    Id both(Id a, Id b);  // the conjunction
    Condition both(Condition a, Condition b);
    Id boolean(Condition value);       // a constant if it is known
    Condition known(Condition value);  // the same, known if it is a constant

    // Unsigned arithmetic on integer scalars. Folds constants and neutral operands.
    Id addInt(Id type, Id a, Id b) { return integer(OpIAdd, type, a, b); }
    Id mulInt(Id type, Id a, Id b) { return integer(OpIMul, type, a, b); }
    Id divInt(Id type, Id a, Id b) { return integer(OpUDiv, type, a, b); }
    Id modInt(Id type, Id a, Id b) { return integer(OpUMod, type, a, b); }

    // The same on u32 scalars.
    Id addU32(Id a, Id b) { return addInt(types().uint32(), a, b); }
    Id mulU32(Id a, Id b) { return mulInt(types().uint32(), a, b); }
    // The same on a u32 or u64 scalar and a constant.
    Id plus(Id a, uint32_t b) { return withConstant(OpIAdd, a, b); }
    Id times(Id a, uint32_t b) { return withConstant(OpIMul, a, b); }
    Id over(Id a, uint32_t b) { return withConstant(OpUDiv, a, b); }
    Id modulo(Id a, uint32_t b) { return withConstant(OpUMod, a, b); }
    // The sum of two u32 or u64 scalars: a u64 if one of them is.
    Id sum(Id a, Id b);

    Id compare(spv::Op opcode, Id a, Id b);
    // `yes` where a boolean, or the one for each component, is true.
    Id select(Id condition, Id yes, Id no);
    // Whether a boolean is this constant.
    bool isTrue(Id boolean) { return module().def(boolean).opcode == OpConstantTrue; }
    bool isFalse(Id boolean) { return module().def(boolean).opcode == OpConstantFalse; }

    // An instruction of GLSL.std.450.
    Id glsl(uint32_t instruction, Id type, std::initializer_list<Id> ids);

    // OpBitcast; the value itself if it is of this type.
    Id bitcast(Id type, Id value);
    // TypeTable::conversion(); the value itself if it is of this type.
    Id converted(Id type, Id value) {
        const Id from = typeOf(value);
        return from == type ? value : op(types().conversion(from, type), type, {value});
    }
    // Converts an integer scalar to u32 or u64; sign extends narrower signed ones.
    Id toUnsigned(Id type, Id integer);
    Id toU32(Id integer) { return toUnsigned(types().uint32(), integer); }
    Id typeOf(Id value) { return module().def(value).type; }

 private:
    Id constituent(Id composite, uint32_t index);
    Id integer(spv::Op opcode, Id type, Id a, Id b);
    Id withConstant(spv::Op opcode, Id a, uint32_t b) {
        const Id type = unsignedOf(a);
        return integer(opcode, type, a, types().constant(type, b));
    }
    // u64 for a scalar of 64 bits, else u32.
    Id unsignedOf(Id scalar) {
        return types().intType(types().width(typeOf(scalar)) == 64 ? 64 : 32, false);
    }

    TypeTable* types_;
    InstructionList* out_;
};

// Calls visit(emitter, instruction) for each instruction in a function's blocks. It returns false
// if the instruction stays, perhaps changed in place, and true if what it emitted takes its place.
template <typename Visit>
void replaceInBlocks(TypeTable& types, Function& function, Visit visit) {
    for (const auto& block : function.blocks) {
        InstructionList old = std::exchange(block->body, {});
        Emitter emit(types, block->body);
        for (InstructionPtr& i : old) {
            if (visit(emit, *i)) {
                types.module().retire(std::move(i));
            } else {
                emit.add(std::move(i));
            }
        }
    }
}

}  // namespace coopvk::rewrite
