// SPDX-License-Identifier: Apache-2.0
#include "tensor/pointer_flow.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

PointerFlow::PointerFlow(const Module& module, const Function& function,
                         std::span<const ArgumentKind> parameters)
    : module_(module) {
    for (size_t p = 0; p < parameters.size() && p < function.parameters.size(); ++p) {
        const Id parameter = function.parameters[p]->result;
        if (parameters[p] == ArgumentKind::kPointer) pointers_.insert(parameter);
        if (parameters[p] == ArgumentKind::kVariable) variables_.insert(parameter);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& block : function.blocks) {
            for (const InstructionPtr& i : block->body) changed |= visit(*i);
        }
    }
}

bool PointerFlow::anyIsPointer(const Instruction& i) const {
    return std::ranges::any_of(i.operands,
                               [&](const Operand& o) { return o.isId && isPointer(o.word); });
}

bool PointerFlow::takesPointers(const Instruction& i) const {
    return std::ranges::any_of(i.operands, [&](const Operand& o) {
        return o.isId && kindOf(o.word) != ArgumentKind::kOther;
    });
}

bool PointerFlow::isAddressType(Id id) const {
    const Instruction& type = module_.def(id);
    return isPointerType(type.opcode) || (type.opcode == spv::Op::OpTypeInt && type.word(0) == 64);
}

// True if the instruction's result or target is a pointer that was not known.
bool PointerFlow::visit(const Instruction& i) {
    switch (i.opcode) {
        case spv::Op::OpStore:
            return isPointer(i.word(1)) && module_.def(i.word(0)).opcode == spv::Op::OpVariable &&
                   variables_.insert(i.word(0)).second;
        case spv::Op::OpLoad:
            return isVariable(i.word(0)) && pointers_.insert(i.result).second;
        case spv::Op::OpFunctionCall:
            return isPointerType(module_.def(i.type).opcode) && takesPointers(i) &&
                   pointers_.insert(i.result).second;
        case spv::Op::OpBitcast:
        case spv::Op::OpCopyObject:
        case spv::Op::OpSelect:
        case spv::Op::OpPhi:
        case spv::Op::OpConvertPtrToU:
        case spv::Op::OpConvertUToPtr:
        case spv::Op::OpIAdd:
        case spv::Op::OpISub:
            return isAddressType(i.type) && anyIsPointer(i) && pointers_.insert(i.result).second;
        default: {
            const bool isChain = firstChainIndex(i.opcode) != 0 && isPointer(chainBase(i));
            return isChain && pointers_.insert(i.result).second;
        }
    }
}

ArgumentKind PointerFlow::kindOf(Id value) const {
    if (isPointer(value)) return ArgumentKind::kPointer;
    return isVariable(value) ? ArgumentKind::kVariable : ArgumentKind::kOther;
}

}  // namespace coopvk::rewrite
