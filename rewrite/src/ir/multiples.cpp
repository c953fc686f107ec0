// SPDX-License-Identifier: Apache-2.0
#include "ir/multiples.hpp"

#include <algorithm>
#include <bit>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMostZeros = 6;
constexpr int kMostRounds = 64;  // then nothing is known: values pass through many variables

uint32_t zerosIn(uint64_t value) {
    return std::min(static_cast<uint32_t>(std::countr_zero(value)), kMostZeros);
}

// The width of an integer, or of a vector's components; 0 for other types.
uint32_t integerWidth(const Module& module, Id type) {
    const Instruction* def = &module.def(type);
    if (def->opcode == OpTypeVector) def = &module.def(def->word(0));
    return def->opcode == OpTypeInt ? def->word(0) : 0;
}

}  // namespace

Multiples::Multiples(const Module& module, Unknown unknown)
    : module_(module),
      unknown_(unknown),
      zerosOfUnknown_(unknown == Unknown::kMultiples ? kMostZeros : 0),
      zeros_(module.bound(), static_cast<uint8_t>(zerosOfUnknown_)) {
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->result == 0) continue;
        const bool isKnown = !isTrusting() || integerWidth(module, i->type) != 0;
        if (isKnown) zeros_[i->result] = static_cast<uint8_t>(evaluate(*i));
        if (isVariable(i->opcode) && !isTrusting()) visit(*i);
    }
    if (isTrusting()) {
        for (const auto& function : module.functions()) functions_[function->id()] = function.get();
    }
    module.visitBlocks([&](const Instruction& i) { isTrusting() ? visitTrusting(i) : visit(i); });
    int rounds = 0;
    while (removesZeros()) {
        if (++rounds < kMostRounds) continue;
        for (const Fact& fact : facts_) zeros_[fact.id] = static_cast<uint8_t>(zerosOfUnknown_);
        if (isTrusting()) break;
    }
}

bool Multiples::removesZeros() {
    bool isNew = false;
    for (const Fact& fact : facts_) {
        const uint32_t zeros =
            fact.operand ? zerosOf(fact.from->word(*fact.operand)) : evaluate(*fact.from);
        if (zeros >= zeros_[fact.id]) continue;
        zeros_[fact.id] = static_cast<uint8_t>(zeros);
        isNew = true;
    }
    return isNew;
}

Id Multiples::variableOf(Id pointer) const {
    const Id root = rootOf(module_, pointer);
    return isVariable(module_.def(root).opcode) && isPrivate(module_.storage(root)) ? root : 0;
}

void Multiples::visit(const Instruction& i) {
    if (isNonSemantic(module_, i)) return;
    if (integerWidth(module_, i.type) != 0 || (i.result != 0 && variableOf(i.result) == i.result)) {
        zeros_[i.result] = kMostZeros;
        facts_.push_back({i.result, &i});
    }
    if (i.opcode == OpStore) facts_.push_back({variableOf(i.word(0)), &i, 1});
    if (i.opcode == OpLoad || isVariable(i.opcode) || isAccessChain(i.opcode)) return;
    // Any other instruction may store to a variable that it names, or lead to it.
    for (const Operand& operand : operandsBehind(i, i.opcode == OpStore ? 1 : 0)) {
        if (operand.isId) zeros_[variableOf(operand.word)] = 0;
    }
}

// Follows integers only, and variables of them: not the members of structures, of which one may
// be a multiple and others not.
void Multiples::visitTrusting(const Instruction& i) {
    if (isNonSemantic(module_, i)) return;
    if (integerWidth(module_, i.type) != 0) facts_.push_back({i.result, &i});
    if (i.opcode == OpStore && variableOf(i.word(0)) == i.word(0) &&
        integerWidth(module_, module_.pointee(i.word(0))) != 0) {
        facts_.push_back({i.word(0), &i, 1});
    }
    if (i.opcode != OpFunctionCall) return;
    const auto found = functions_.find(i.word(0));
    if (found == functions_.end()) return;
    const InstructionList& parameters = found->second->parameters;
    for (size_t p = 0; p < std::min(parameters.size(), i.operands.size() - 1); ++p) {
        if (integerWidth(module_, parameters[p]->type) == 0) continue;
        facts_.push_back({parameters[p]->result, &i, 1 + p});
    }
}

uint32_t Multiples::zerosOf(Id integer) const {
    return integer < zeros_.size() ? zeros_[integer] : evaluate(module_.def(integer));
}

namespace {

// Instructions whose result has the zeros that all operands from number `first` on have.
struct LeastRow {
    spv::Op opcode;
    size_t first = 0, count = ~size_t{0};
};
constexpr LeastRow kLeastRows[] = {
    {OpVariable, 1},  // its initializer; before the first store it has no particular value
    {OpSelect, 1},
    {OpConstantComposite},
    {OpCompositeConstruct},
    {OpIAdd},
    {OpISub},
    {OpBitwiseOr},
    {OpBitwiseXor},
    {OpUMod},
    {OpSMod},
    {OpSRem},
    {OpConstantNull, 0, 0},
    {OpVectorShuffle, 0, 2},
    {OpCopyObject, 0, 1},
    {OpSNegate, 0, 1},
    {OpUConvert, 0, 1},
    {OpSConvert, 0, 1},
    {OpCompositeExtract, 0, 1},
    {OpVectorExtractDynamic, 0, 1},
};

// The zeros that a division by a power of two leaves.
uint32_t without(uint32_t zeros, uint64_t removed) {
    return removed < zeros ? zeros - static_cast<uint32_t>(removed) : 0;
}

// Numbers of invocations and the like: there is one for each integer from 0 on.
constexpr spv::BuiltIn kNumberBuiltIns[] = {
    spv::BuiltIn::GlobalInvocationId,   spv::BuiltIn::LocalInvocationId,
    spv::BuiltIn::LocalInvocationIndex, spv::BuiltIn::WorkgroupId,
    spv::BuiltIn::SubgroupId,           spv::BuiltIn::SubgroupLocalInvocationId,
    spv::BuiltIn::VertexIndex,          spv::BuiltIn::InstanceIndex,
    spv::BuiltIn::PrimitiveId,          spv::BuiltIn::LaunchIdKHR,
    spv::BuiltIn::InvocationId,         spv::BuiltIn::DrawIndex};

}  // namespace

uint32_t Multiples::leastOf(const Instruction& i, size_t first, size_t count, size_t step) const {
    uint32_t least = kMostZeros;
    const size_t end = std::min(count, i.operands.size() - std::min(first, i.operands.size()));
    for (size_t at = 0; at < end; at += step) {
        least = std::min(least, zerosOf(i.word(first + at)));
    }
    return least;
}

uint32_t Multiples::evaluate(const Instruction& i) const {
    const bool isLater = i.result >= zeros_.size();
    if (isVariable(i.opcode) && isLater) return zerosOfUnknown_;  // its stores are not known
    if (isTrusting() && i.opcode == OpCompositeExtract) return evaluatePart(i);
    const auto row = std::ranges::find(kLeastRows, i.opcode, &LeastRow::opcode);
    if (row != std::end(kLeastRows)) return leastOf(i, row->first, row->count);
    const auto zeros = [&](size_t operand) { return zerosOf(i.word(operand)); };
    const auto constant = [&] { return module_.constantValue(i.word(1)); };
    switch (i.opcode) {
        case OpConstant:
            return zerosIn(module_.constantValue(i.result).value_or(1));
        case OpPhi:  // those that came later may name themselves
            return isLater ? zerosOfUnknown_ : leastOf(i, 0, i.operands.size(), 2);
        case OpBitcast: {
            const Id from = module_.def(i.word(0)).type;
            return integerWidth(module_, from) == integerWidth(module_, i.type) ? zeros(0)
                                                                                : zerosOfUnknown_;
        }
        case OpIMul:
            return std::min(zeros(0) + zeros(1), kMostZeros);
        case OpBitwiseAnd:
            return std::max(zeros(0), zeros(1));
        case OpShiftLeftLogical:
            return static_cast<uint32_t>(
                std::min<uint64_t>(zeros(0) + constant().value_or(0), kMostZeros));
        case OpShiftRightLogical:
        case OpShiftRightArithmetic:
            if (isTrusting() && zeros(0) == kMostZeros) return kMostZeros;
            return without(zeros(0), constant().value_or(kMostZeros));
        case OpUDiv:
        case OpSDiv:
            if (isTrusting() && zeros(0) == kMostZeros) return kMostZeros;
            return std::has_single_bit(constant().value_or(0))
                       ? without(zeros(0), zerosIn(*constant()))
                       : 0;
        case OpLoad:
            return evaluateLoad(i);
        default:
            return zerosOfUnknown_;
    }
}

uint32_t Multiples::evaluateLoad(const Instruction& load) const {
    if (!isTrusting()) return zerosOf(variableOf(load.word(0)));
    const Id root = rootOf(module_, load.word(0));
    const auto builtIn = module_.decoration(root, spv::Decoration::BuiltIn);
    const bool isNumber =
        builtIn && std::ranges::count(kNumberBuiltIns, spv::BuiltIn(*builtIn)) != 0;
    if (isNumber) return 0;
    return root == load.word(0) ? zerosOf(root) : kMostZeros;
}

// A component of a vector may be a multiple though others are not.
uint32_t Multiples::evaluatePart(const Instruction& extract) const {
    const Instruction& whole = module_.def(extract.word(0));
    if (integerWidth(module_, whole.type) == 0 || extract.operands.size() != 2) return kMostZeros;
    const bool isBuilt = isOneOf(whole.opcode, {OpCompositeConstruct, OpConstantComposite});
    const bool isOfScalars = whole.operands.size() == module_.def(whole.type).word(1);
    if (isBuilt && isOfScalars && extract.word(1) < whole.operands.size()) {
        return zerosOf(whole.word(extract.word(1)));
    }
    return zerosOf(whole.result);
}

}  // namespace coopvk::rewrite
