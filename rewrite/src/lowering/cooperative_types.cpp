// SPDX-License-Identifier: Apache-2.0
#include "lowering/cooperative_types.hpp"

#include <algorithm>

#include "ir/component_kinds.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"

namespace coopvk::rewrite {

namespace {

bool isCooperative(spv::Op opcode) {
    return isOneOf(opcode, {OpCooperativeVectorLoadNV, OpCooperativeVectorStoreNV,
                            OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV,
                            OpCooperativeVectorOuterProductAccumulateNV,
                            OpCooperativeVectorReduceSumAccumulateNV});
}

// Whether an explicit layout places one of these types in memory.
bool isInExplicitLayout(const Module& module, const std::set<Id>& types) {
    const auto isOneOfThem = [&](const Operand& o) { return o.isId && types.contains(o.word); };
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const bool places = isLaidOut(module, *i) ||
                            (i->opcode == OpTypePointer && hasExplicitLayout(storageOf(*i)));
        if (places && std::ranges::any_of(i->operands, isOneOfThem)) return true;
    }
    bool found = false;
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode != OpLoad && i.opcode != OpStore) return;
        const Instruction& pointer = module.def(module.def(i.word(0)).type);
        const Id type = i.opcode == OpLoad ? i.type : module.def(i.word(1)).type;
        found = found || (pointer.opcode == OpTypeUntypedPointerKHR && types.contains(type) &&
                          hasExplicitLayout(storageOf(pointer)));
    });
    return found;
}

}  // namespace

bool isOfCooperativeVectors(const Instruction& i) {
    if (isExtInst(i.opcode)) {
        return isComponentWise(static_cast<GLSLstd450>(i.word(1)));
    }
    return movesValues(i.opcode) || isArithmetic(i.opcode) || isRemainder(i.opcode) ||
           isConversion(i.opcode) || isCooperative(i.opcode) ||
           isOneOf(i.opcode, {OpVectorExtractDynamic, OpVectorInsertDynamic}) ||
           std::ranges::find(kCooperativeElementWise, i.opcode) !=
               std::end(kCooperativeElementWise);
}

std::set<Id> cooperativeVectorTypes(const Module& module) {
    std::set<Id> types;
    std::vector<Id> pending;
    const auto add = [&](Id type) {
        const bool isVector = module.def(type).opcode == OpTypeCooperativeVectorNV;
        if (isVector && types.insert(type).second) pending.push_back(type);
    };
    if (!module.hasCapability(kLongVector)) {
        for (const InstructionPtr& i : module.section(Section::kGlobals)) add(i->result);
        return types;
    }
    module.visitBlocks([&](const Instruction& i) {
        if (!isCooperative(i.opcode)) return;
        add(i.type);
        for (const Operand& o : i.operands) add(module.def(o.word).type);
    });
    const Users users(module);
    while (!pending.empty()) {
        const Id type = pending.back();
        pending.pop_back();
        for (const Usage& declared : users.of(type)) {
            const Instruction& value = *declared.user;
            if (isConversion(value.opcode)) add(module.def(value.word(0)).type);
            for (const Usage& use : users.of(value.result)) {
                if (isConversion(use.user->opcode)) add(use.user->type);
            }
        }
    }
    return types;
}

bool hasLongCooperativeVectors(const Module& module) {
    const std::set<Id> types = cooperativeVectorTypes(module);
    bool found = isInExplicitLayout(module, types);
    module.visitBlocks([&](const Instruction& i) {
        if (found || isOfCooperativeVectors(i) || isNonSemantic(module, i)) return;
        found = types.contains(i.type);
        for (const Operand& o : i.operands)
            found = found || (o.isId && types.contains(module.def(o.word).type));
    });
    return found;
}

}  // namespace coopvk::rewrite
