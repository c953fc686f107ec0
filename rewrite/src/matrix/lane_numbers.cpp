// SPDX-License-Identifier: Apache-2.0
#include "matrix/lane_numbers.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

using LaneBuiltIn = spv::BuiltIn;

constexpr std::initializer_list<spv::BuiltIn> kByLane = {LaneBuiltIn::SubgroupLocalInvocationId,
                                                         LaneBuiltIn::LocalInvocationId,
                                                         LaneBuiltIn::LocalInvocationIndex,
                                                         LaneBuiltIn::GlobalInvocationId,
                                                         LaneBuiltIn::SubgroupEqMask,
                                                         LaneBuiltIn::SubgroupGeMask,
                                                         LaneBuiltIn::SubgroupGtMask,
                                                         LaneBuiltIn::SubgroupLeMask,
                                                         LaneBuiltIn::SubgroupLtMask};

std::optional<spv::BuiltIn> builtInOf(const Module& module, Id variable) {
    const auto builtIn = module.decoration(variable, spv::Decoration::BuiltIn);
    return builtIn ? std::optional(static_cast<spv::BuiltIn>(*builtIn)) : std::nullopt;
}

// What a variable of the invocation holds, if only one store writes it.
Id onlyStored(const Module& module, const Users& users, Id variable) {
    if (!isPrivate(module.storage(variable))) return 0;
    Id value = 0;
    for (const Usage& use : users.of(variable)) {
        if (use.user->opcode == OpLoad) continue;
        if (use.user->opcode != OpStore || use.operand != 0 || value != 0) return 0;
        value = use.user->word(1);
    }
    return value;
}

// The built-in of which a value is the first, or the only, component.
std::optional<spv::BuiltIn> firstOf(const Module& module, const Users& users, Id value) {
    constexpr uint32_t kMostSteps = 8;  // values of malicious modules may be their own operands
    for (uint32_t n = 0; n < kMostSteps; ++n) {
        const Instruction& i = module.def(value);
        const bool isFirst = i.opcode == OpCompositeExtract && i.operands.size() == 2;
        if (isConversion(i.opcode) || i.opcode == OpCopyObject || (isFirst && i.word(1) == 0)) {
            value = i.word(0);
            continue;
        }
        if (i.opcode != OpLoad) return std::nullopt;
        const PointerPath path = pathTo(module, i.word(0));
        const std::vector<Id> indices = path.indices();
        if (!indices.empty() && (indices.size() > 1 || module.constantValue(indices[0]) != 0))
            return std::nullopt;
        if (const auto builtIn = builtInOf(module, path.root)) return builtIn;
        value = onlyStored(module, users, path.root);
    }
    return std::nullopt;
}

}  // namespace

bool differsByLane(const Module& module, Id variable) {
    const auto builtIn = builtInOf(module, variable);
    return builtIn && isOneOf(*builtIn, kByLane);
}

bool isNumberOfSubgroup(const Module& module, const Users& users, const Instruction& i) {
    constexpr uint64_t kLanes = 32, kBits = 5;
    if (!isOneOf(i.opcode, {OpUDiv, OpSDiv, OpShiftRightLogical, OpShiftRightArithmetic}))
        return false;
    const bool isShift = i.opcode == OpShiftRightLogical || i.opcode == OpShiftRightArithmetic;
    const auto by = module.constantValue(i.word(1));
    const bool isBySize =
        !isShift && firstOf(module, users, i.word(1)) == LaneBuiltIn::SubgroupSize;
    const bool isByLanes = by && (isShift ? *by >= kBits : *by != 0 && *by % kLanes == 0);
    if (!isBySize && !isByLanes) return false;
    const auto builtIn = firstOf(module, users, i.word(0));
    return builtIn &&
           isOneOf(*builtIn, {LaneBuiltIn::LocalInvocationIndex, LaneBuiltIn::LocalInvocationId});
}

}  // namespace coopvk::rewrite
