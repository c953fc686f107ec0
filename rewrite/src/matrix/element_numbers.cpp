// SPDX-License-Identifier: Apache-2.0
#include "matrix/element_numbers.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

ElementNumber elementNumber(const Module& module, Id number) {
    constexpr uint32_t kMostSteps = 8;  // values of malicious modules may be their own operands
    ElementNumber sum = {number, 0};
    for (uint32_t n = 0; n < kMostSteps; ++n) {
        const Instruction& i = module.def(sum.base);
        if (const auto value = module.constantValue(sum.base))
            return {0, sum.constant + static_cast<uint32_t>(*value)};
        if (i.opcode == OpLoad && isPrivate(module.storage(i.word(0))))
            return {i.word(0), sum.constant};
        if (isConversion(i.opcode) || i.opcode == OpCopyObject) {
            sum.base = i.word(0);
            continue;
        }
        if (!isOneOf(i.opcode, {OpIAdd, OpISub})) break;
        const auto first = module.constantValue(i.word(0)),
                   second = module.constantValue(i.word(1));
        if (second) {
            const auto by = static_cast<uint32_t>(*second);
            sum = {i.word(0), sum.constant + (i.opcode == OpIAdd ? by : 0 - by)};
        } else if (first && i.opcode == OpIAdd) {
            sum = {i.word(1), sum.constant + static_cast<uint32_t>(*first)};
        } else {
            break;
        }
    }
    return sum;
}

std::vector<Id> countersOf(const Module& module, Id number) {
    constexpr size_t kMostValues = 32;
    std::vector<Id> found, values = {number};
    for (size_t n = 0; n < values.size() && values.size() < kMostValues; ++n) {
        const Instruction& i = module.def(values[n]);
        if (isOneOf(i.opcode, {OpPhi, OpFunctionParameter})) {
            found.push_back(i.result);
        } else if (i.opcode == OpLoad) {
            const Id root = rootOf(module, i.word(0));
            if (isPrivate(module.storage(root))) found.push_back(root);
        } else if (!isDeclaration(i)) {
            for (const Operand& o : i.operands) {
                if (o.isId && std::ranges::find(values, o.word) == values.end())
                    values.push_back(o.word);
            }
        }
    }
    return found;
}

std::vector<Id> carriedWith(const Module& module, const FlowBlocks& blocks, const Instruction& i,
                            Id number) {
    const FlowPlace place = blocks.placeOf(i);
    if (place.in == nullptr) return {};
    std::vector<Id> found;
    for (const Id counter : countersOf(module, number)) {
        for (const Loop* loop = place.in->graph.loopOf(place.block); loop; loop = loop->around) {
            if (!blocks.isCarried(*place.in, *loop, counter)) continue;
            const std::vector<Id> carried = blocks.carried(*place.in, *loop);
            found.insert(found.end(), carried.begin(), carried.end());
            break;
        }
    }
    return found;
}

}  // namespace coopvk::rewrite
