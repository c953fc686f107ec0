// SPDX-License-Identifier: Apache-2.0
#include "longvector/loads.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

bool mayWriteTo(const Module& module, Id variable, const Instruction& i) {
    if (i.opcode == OpStore || i.opcode == OpCopyMemory || i.opcode == OpCopyMemorySized) {
        return rootOf(module, i.word(0)) == variable;
    }
    if (i.opcode == OpLoad || isAccessChain(i.opcode) || isPure(i.opcode) ||
        isNonSemantic(module, i)) {
        return false;
    }
    if (i.opcode == OpFunctionCall && module.storage(variable) == spv::StorageClass::Private) {
        return true;
    }
    return std::ranges::any_of(
        i.operands, [&](const Operand& o) { return o.isId && rootOf(module, o.word) == variable; });
}

bool LongVectorLoads::add(const Instruction& load) {
    const Id pointer = load.word(0), variable = rootOf(module_, pointer);
    const bool isOfInvocation =
        module_.def(variable).opcode == OpVariable && isPrivate(module_.storage(variable));
    if (!isOfInvocation || isVolatile(operandsBehind(load, 1))) return false;
    values_.setVariable(load.result, pointer);
    values_.slots().pass(variable, load.result);
    loads_.push_back({load.result, pointer, variable});
    return true;
}

bool LongVectorLoads::isChangedBy(const Load& load, const Instruction& i) const {
    const bool isNeeded = liveness_.isNeeded(load.value);
    if (!isNeeded && !values_.slots().holds(load.value)) return false;
    // Each component is read before it is written.
    if (!isNeeded && i.opcode == OpStore && i.word(0) == load.pointer) return false;
    return mayWriteTo(module_, load.variable, i);
}

bool LongVectorLoads::mayChange(const Instruction& i) const {
    return std::ranges::any_of(loads_, [&](const Load& load) { return isChangedBy(load, i); });
}

void LongVectorLoads::copyChanged(const Instruction& i) {
    std::erase_if(loads_, [&](const Load& load) {
        if (!mayWriteTo(module_, load.variable, i)) return false;
        if (liveness_.isNeeded(load.value)) values_.own(load.value);
        return true;
    });
}

void LongVectorLoads::endBlock() {
    for (const Load& load : loads_) {
        if (liveness_.isNeededBehind(load.value)) values_.own(load.value);
    }
    loads_.clear();
}

}  // namespace coopvk::rewrite
