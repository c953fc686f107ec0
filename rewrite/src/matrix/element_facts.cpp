// SPDX-License-Identifier: Apache-2.0
#include "matrix/element_facts.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/opcodes.hpp"
#include "matrix/matrix_uses.hpp"

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

namespace {

bool comparesValues(spv::Op opcode) {
    return (opcode >= OpAny && opcode <= OpLogicalNot) ||
           (opcode >= OpIEqual && opcode <= OpFUnordGreaterThanEqual);
}

uint64_t mix(uint64_t hash, uint64_t more) {
    constexpr uint64_t kPrime = 0x100000001b3;  // FNV-1a
    return (hash ^ more) * kPrime;
}

uint64_t shapeOf(const Module& module, Id value, uint32_t depth) {
    const Instruction& i = module.def(value);
    if (const auto constant = module.constantValue(value)) return mix(i.type, *constant);
    uint64_t hash = mix(static_cast<uint64_t>(i.opcode), i.type);
    // What variables hold is not known here; elements differ by the number alone.
    const bool isLoad = i.opcode == OpLoad && isPrivate(module.storage(i.word(0)));
    if (depth == 0 || isLoad || i.opcode == OpCompositeExtract) return hash;
    if (isOneOf(i.opcode, {OpPhi, OpFunctionParameter, OpVariable}) || isDeclaration(i))
        return mix(hash, i.opcode == OpVariable && isPrivate(storageOf(i)) ? 0 : i.result);
    for (const Operand& o : i.operands)
        hash = mix(hash, o.isId ? shapeOf(module, o.word, depth - 1) : o.word);
    return hash;
}

// What an instruction gives that gives all lanes one value.
// All elements of all lanes are the whole matrix, in any order. Elements of one number are not, nor
// are those of one lane.
ElementFacts combinedOverLanes(const Instruction& i, ElementFacts value) {
    value.facts &= static_cast<uint8_t>(~kOfItsLane);
    if (value.has(kHeld)) {
        const uint8_t rest = combinesLanes(i) ? 0 : value.facts & (kHeld | kOfMap);
        return {rest, 0, std::nullopt};
    }
    if (value.has(kElement)) value.facts |= kOfMap;
    value.forgetElement();
    return value;
}

}  // namespace

bool ElementFacts::join(const ElementFacts& other) {
    const ElementFacts before = *this;
    if (other.has(kElement))
        number = !before.has(kElement) || number == other.number ? other.number : std::nullopt;
    facts |= other.facts;
    sources |= other.sources;
    return *this != before;
}

ElementFacts computedFrom(const Module& module, const Instruction& i,
                          const std::vector<ElementFacts>& operands) {
    ElementFacts result;
    bool areOfOneNumber = true;
    for (const ElementFacts& o : operands) {
        areOfOneNumber &= !result.number || !o.number || result.number == o.number;
        result.join(o);
    }
    // A vector may have elements of several numbers.
    if (!areOfOneNumber && i.opcode != OpCompositeConstruct) result.facts |= kNumber;
    // How long a loop runs says nothing.
    const auto is = [](uint8_t fact) { return [=](const ElementFacts& o) { return o.has(fact); }; };
    const bool isBound = comparesValues(i.opcode) && std::ranges::any_of(operands, is(kLength)) &&
                         std::ranges::any_of(operands, is(kNumber));
    if (isBound) result.facts &= static_cast<uint8_t>(~(kLength | kNumber));
    if (givesAllLanesOneValue(i)) return combinedOverLanes(i, result);
    if ((ownEffects(module, i) & kOfLane) == 0) return result;
    if (result.has(kElement)) result.facts |= kOfMap;
    result.facts |= kOfItsLane;
    return result;
}

uint64_t shapeOf(const Module& module, Id value) {
    constexpr uint32_t kDepth = 5;
    return shapeOf(module, value, kDepth);
}

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
