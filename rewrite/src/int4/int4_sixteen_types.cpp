// SPDX-License-Identifier: Apache-2.0
//
// Types and constants with vectors of sixteen 4-bit integers at any byte.
#include <algorithm>
#include <set>

#include "int4/int4_sixteen.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

bool hasLayout(const Module& module, Id type) {
    const Instruction& def = module.def(type);
    if (def.opcode == spv::Op::OpTypeStruct) {
        return module.memberDecoration(type, 0, spv::Decoration::Offset).has_value();
    }
    return isArrayType(def.opcode) && module.decoration(type, spv::Decoration::ArrayStride);
}

namespace {

// The bits of a constant vector that was lowered before.
uint64_t bitsOf(const Module& module, Id constant) {
    const Instruction& def = module.def(constant);
    if (def.opcode != spv::Op::OpConstantComposite) return 0;
    return module.constantValue(def.word(0)).value_or(0) |
           module.constantValue(def.word(1)).value_or(0) << 32;
}

Id constantMember(Int4Context& context, const Int4Type& type, uint64_t bits) {
    TypeTable& types = context.types;
    const Id byte = types.intType(8, false);
    Id parts[kParts];
    for (Id& part : parts) {
        Id bytes[kPartBytes];
        for (Id& one : bytes) {
            one = types.constant(byte, bits & 0xFF);
            bits >>= 8;
        }
        part = types.constantComposite(types.vectorType(byte, kPartBytes), bytes);
    }
    return types.constantComposite(type.laidOut, parts);
}

// Whether a type has a layout anywhere that such a vector is in.
bool isLaidOutSixteen(const Int4Context& context, Id type, std::set<Id>& visited) {
    const Module& module = context.module;
    const Instruction& def = module.def(type);
    const bool isStruct = def.opcode == spv::Op::OpTypeStruct;
    if ((!isStruct && !isArrayType(def.opcode)) || !visited.insert(type).second) return false;
    const size_t members = isStruct ? def.operands.size() : 1;
    for (size_t m = 0; m < members; ++m) {
        if (context.sixteen(def.word(m)) != nullptr && hasLayout(module, type)) return true;
        if (isLaidOutSixteen(context, def.word(m), visited)) return true;
    }
    return false;
}

}  // namespace

void lowerLaidOutConstant(Int4Context& context, Instruction& constant) {
    const Module& module = context.module;
    if (!context.anyLaidOut() || !hasLayout(module, constant.type)) return;
    if (constant.opcode != spv::Op::OpConstantComposite &&
        constant.opcode != spv::Op::OpConstantCompositeReplicateEXT) {
        return;
    }
    for (Operand& operand : constant.operands) {
        if (const Int4Type* type = context.sixteen(module.def(operand.word).type)) {
            operand = idOperand(constantMember(context, *type, bitsOf(module, operand.word)));
        }
    }
}

void checkLaidOut(Int4Context& context) {
    if (!context.anyLaidOut()) return;
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        if (i->opcode != spv::Op::OpTypePointer ||
            context.isLaidOut(static_cast<spv::StorageClass>(i->word(0)))) {
            continue;
        }
        std::set<Id> visited;
        if (!isLaidOutSixteen(context, i->word(1), visited)) continue;
        context.fail(ErrorCode::kUnsupported, *i,
                     "points to a type with a layout in memory without one, with vectors of "
                     "sixteen 4-bit integers in it (VUID-StandaloneSpirv-None-10684)");
    }
}

void renameLaidOut(Int4Context& context) {
    if (!context.anyLaidOut()) return;
    Module& module = context.module;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const bool pointer = i->opcode == spv::Op::OpTypePointer &&
                             context.isLaidOut(static_cast<spv::StorageClass>(i->word(0)));
        if (!pointer && !hasLayout(module, i->result)) continue;
        for (Operand& operand : i->operands) {
            if (!operand.isId) continue;
            if (const Int4Type* type = context.sixteen(operand.word)) {
                operand = idOperand(type->laidOut);
            }
        }
    }
}

}  // namespace coopvk::rewrite
