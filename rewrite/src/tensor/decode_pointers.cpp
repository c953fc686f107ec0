// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "tensor/decode.hpp"

namespace coopvk::rewrite {

PointerFlow::PointerFlow(const Module& module, const Function& function,
                         std::span<const ArgumentKind> parameters)
    : module_(module) {
    for (size_t p = 0; p < parameters.size() && p < function.parameters.size(); ++p) {
        const Id parameter = function.parameters[p]->result;
        if (parameters[p] == ArgumentKind::kPointer) add(pointers_, parameter);
        if (parameters[p] == ArgumentKind::kVariable) add(variables_, parameter);
    }
    const Users users(function);
    while (!pending_.empty()) {
        const Id one = pending_.back();
        pending_.pop_back();
        for (const Usage& use : users.of(one)) visit(*use.user);
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

void PointerFlow::add(std::set<Id>& known, Id value) {
    if (known.insert(value).second) pending_.push_back(value);
}

// Adds the instruction's result or target if it is a pointer, too.
void PointerFlow::visit(const Instruction& i) {
    switch (i.opcode) {
        case spv::Op::OpStore:
            if (isPointer(i.word(1)) && module_.def(i.word(0)).opcode == spv::Op::OpVariable) {
                add(variables_, i.word(0));
            }
            return;
        case spv::Op::OpLoad:
            if (isVariable(i.word(0))) add(pointers_, i.result);
            return;
        case spv::Op::OpFunctionCall:
            if (isPointerType(module_.def(i.type).opcode)) add(pointers_, i.result);
            return;
        case spv::Op::OpBitcast:
        case spv::Op::OpCopyObject:
        case spv::Op::OpSelect:
        case spv::Op::OpPhi:
        case spv::Op::OpConvertPtrToU:
        case spv::Op::OpConvertUToPtr:
        case spv::Op::OpIAdd:
        case spv::Op::OpISub:
            if (isAddressType(i.type) && anyIsPointer(i)) add(pointers_, i.result);
            return;
        default:
            if (firstChainIndex(i.opcode) != 0 && isPointer(chainBase(i))) add(pointers_, i.result);
            return;
    }
}

ArgumentKind PointerFlow::kindOf(Id value) const {
    if (isPointer(value)) return ArgumentKind::kPointer;
    return isVariable(value) ? ArgumentKind::kVariable : ArgumentKind::kOther;
}

}  // namespace coopvk::rewrite
