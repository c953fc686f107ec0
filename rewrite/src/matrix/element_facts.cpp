// SPDX-License-Identifier: Apache-2.0
#include "matrix/element_facts.hpp"

#include "ir/effects.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

bool comparesValues(spv::Op opcode) {
    return (opcode >= OpAny && opcode <= OpLogicalNot) ||
           (opcode >= OpIEqual && opcode <= OpFUnordGreaterThanEqual);
}

bool isVote(spv::Op opcode) {
    return isOneOf(opcode, {OpGroupNonUniformAll, OpGroupNonUniformAny, OpGroupNonUniformAllEqual,
                            OpSubgroupAllKHR, OpSubgroupAnyKHR, OpSubgroupAllEqualKHR});
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

// Whether it combines the values of all lanes.
bool combinesLanes(const Instruction& i) {
    const bool isReduction =
        i.opcode >= OpGroupNonUniformIAdd && i.opcode <= OpGroupNonUniformLogicalXor;
    if (isReduction) return i.word(1) == static_cast<uint32_t>(spv::GroupOperation::Reduce);
    return isVote(i.opcode);
}

// Whether an instruction gives all lanes what it makes of the values of all.
bool givesAllLanesOneValue(const Instruction& i) {
    return combinesLanes(i) ||
           isOneOf(i.opcode, {OpGroupNonUniformBroadcast, OpGroupNonUniformBroadcastFirst,
                              OpGroupNonUniformBallot, OpSubgroupBallotKHR,
                              OpSubgroupFirstInvocationKHR, OpSubgroupReadInvocationKHR});
}

// What such an instruction gives.
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
        const bool meets = result.has(kElement) && o.has(kElement);
        areOfOneNumber &= !meets || !result.number || !o.number || result.number == o.number;
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

}  // namespace coopvk::rewrite
