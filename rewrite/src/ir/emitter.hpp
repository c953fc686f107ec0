// SPDX-License-Identifier: Apache-2.0
//
// Appends instructions to a list and returns their result ids. Folds only arithmetic on integers,
// of which lowering makes much, where constants tell the result.
#pragma once

#include "ir/types.hpp"

namespace coopvk::rewrite {

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
    // With a result.
    Id op(spv::Op opcode, Id type, Operands operands) {
        const Id result = module().takeId();
        add(makeInstruction(opcode, type, result, std::move(operands)));
        return result;
    }
    Id op(spv::Op opcode, Id type, std::initializer_list<Id> ids) {
        return op(opcode, type, idOperands({ids.begin(), ids.size()}));
    }
    // Without a result.
    void opVoid(spv::Op opcode, Operands operands) {
        add(makeInstruction(opcode, 0, 0, std::move(operands)));
    }

    Id extract(Id type, Id composite, std::initializer_list<uint32_t> indices);
    Id insert(Id type, Id object, Id composite, std::initializer_list<uint32_t> indices);
    Id construct(Id type, std::span<const Id> constituents) {
        return op(spv::Op::OpCompositeConstruct, type, idOperands(constituents));
    }
    // A vector with all components the same, or the scalar itself.
    Id splat(Id type, Id scalar);

    Id load(Id type, Id pointer, const Operands& memory = {});
    void store(Id pointer, Id value, const Operands& memory = {});

    Id constant(uint32_t value) { return types().constantU32(value); }
    // Whether both booleans are true; 0 is known to be.
    Id both(Id a, Id b);

    // Arithmetic on integer scalars; folds constants where both sides are known.
    Id addInt(Id type, Id a, Id b) { return integer(spv::Op::OpIAdd, type, a, b); }
    Id mulInt(Id type, Id a, Id b) { return integer(spv::Op::OpIMul, type, a, b); }
    Id divInt(Id type, Id a, Id b) { return integer(spv::Op::OpUDiv, type, a, b); }
    Id modInt(Id type, Id a, Id b) { return integer(spv::Op::OpUMod, type, a, b); }

    // An instruction of GLSL.std.450.
    Id glsl(uint32_t instruction, Id type, std::initializer_list<Id> ids);

    // Same bits, other type; nothing where the types are equal.
    Id bitcast(Id type, Id value);
    // An integer scalar as u32; narrower signed ones are sign extended.
    Id toU32(Id integer);
    Id typeOf(Id value) { return module().def(value).type; }

 private:
    Id integer(spv::Op opcode, Id type, Id a, Id b);

    TypeTable* types_;
    InstructionList* out_;
};

}  // namespace coopvk::rewrite
