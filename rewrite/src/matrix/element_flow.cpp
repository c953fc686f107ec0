// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "matrix/element_facts.hpp"
#include "matrix/element_follower.hpp"
#include "matrix/lane_numbers.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

ElementFlow ElementFollower::run() {
    start();
    follow();
    // With the lengths known to which they are compared.
    for (const Id number : counts_) add(number, {kNumber, 0, {}});
    follow();
    for (const Id carried : carried_) {
        if (!isHeld_.contains(carried)) add(carried, {kNumber, 0, {}});
    }
    follow();
    // What is known may become less exact on the way, as where elements meet.
    isDone_ = true;
    module_.visitBlocks([&](const Instruction& i) { visit(i); });
    for (const Id number : named_) {
        if (known_[number].has(kOfLanes & ~kNumber) || known_[number].has(kElement))
            because("the number of an element depends on the lane");
    }
    if (flow_.why.empty()) flow_.why = numbers_.why();
    return std::move(flow_);
}

void ElementFollower::start() {
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (isVariable(i->opcode) && differsByLane(module_, i->result))
            add(i->result, {kOfItsLane, 0, {}});
    }
    for (const auto& function : module_.functions()) {
        for (const InstructionPtr& p : function->parameters)
            functionOf_[p->result] = function->id();
    }
    module_.visitBlocks([&](const Instruction& i) {
        const auto index = numbers_.indexOf(i);
        if (index && i.operands[index->operand].isId) markNumber(i, i.word(index->operand));
        push(&i);
    });
}

// A number of an element that changes, as in a loop: what it comes from, and what changes with
// it, too.
void ElementFollower::markNumber(const Instruction& access, Id number) {
    if (module_.constantValue(number)) return;
    named_.insert(number);
    const std::vector<Id> counters = countersOf(module_, number);
    if (counters.empty()) flow_.why = "an element's number is no counter";
    counts_.insert(number);
    counts_.insert(counters.begin(), counters.end());
    for (const Id carried : carriedWith(module_, blocks_, access, number)) {
        if (!numbers_.isMatrix(module_.def(carried))) carried_.insert(carried);
    }
}

void ElementFollower::follow() {
    constexpr uint32_t kMostSteps = 1 << 22;
    while (!pending_.empty()) {
        const Instruction* i = pending_.back();
        pending_.pop_back();
        isPending_.erase(i);
        module_.countSteps(1);
        if (++steps_ > kMostSteps) {
            flow_.why = "it has too many values to follow";
            pending_.clear();
        }
        visit(*i);
    }
}

void ElementFollower::add(Id id, ElementFacts facts) {
    if (id >= known_.size()) return;
    hold(id, facts);
    if (!known_[id].join(facts)) return;
    if (module_.def(id).opcode == OpFunctionParameter) pushCalls(id);
    for (const Usage& use : users_.of(id)) {
        if (use.operand != Users::kResultType) push(use.user);
    }
}

// What a loop over the elements makes of elements, for the next iteration, is of several.
void ElementFollower::hold(Id id, ElementFacts& facts) {
    if (!carried_.contains(id)) return;
    if (facts.has(kElement)) facts.facts |= kHeld;
    facts.forgetElement();
    if (facts.has(kHeld)) isHeld_.insert(id);
}

// What a callee writes through a parameter, its callers read.
void ElementFollower::pushCalls(Id parameter) {
    const auto function = functionOf_.find(parameter);
    if (function == functionOf_.end()) return;
    for (const Usage& use : users_.of(function->second)) push(use.user);
}

// What decides whether an instruction runs. Blocks and functions have it by their ids.
ElementFacts ElementFollower::controlOf(const Instruction& i) const {
    const FlowPlace place = blocks_.placeOf(i);
    if (place.in == nullptr) return {};
    ElementFacts facts = controlOfBlock(place.in->function.blocks[place.block]->id());
    facts.join(controlOfBlock(place.in->function.id()));
    return facts;
}

ElementFacts ElementFollower::controlOfBlock(Id id) const {
    const auto found = control_.find(id);
    return found == control_.end() ? ElementFacts{} : found->second;
}

void ElementFollower::visit(const Instruction& i) {
    if (isNonSemantic(module_, i)) return;
    if (isOneOf(i.opcode, {OpBranchConditional, OpSwitch})) return decide(i);
    if (i.opcode == OpStore) return store(i, i.word(0), knownOf(i.word(1)), i.word(1));
    if (i.opcode == OpCopyMemory) return store(i, i.word(0), loaded(i.word(1)), i.word(1));
    if (i.opcode == OpImageWrite) return leave(i.word(1), knownOf(i.word(2)), controlOf(i));
    if (i.opcode == OpFunctionCall) return call(i);
    if (i.opcode == OpReturnValue) return giveBack(i);
    if (i.opcode == OpCooperativeMatrixPerElementOpNV) return callForElements(i);
    if (isAtomic(i.opcode) && i.opcode != OpAtomicLoad) {
        for (const Operand& o : operandsBehind(i, 3)) {
            if (o.isId) leave(i.word(0), knownOf(o.word), controlOf(i));
        }
    }
    if (i.opcode == OpCompositeInsert) {
        if (const auto index = numbers_.indexOf(i))
            enter(i, i.type, numbers_.at(i, index->operand), i.word(0), knownOf(i.word(0)));
    }
    if (i.result == 0 || numbers_.matrixBehind(i.result) != 0 || numbers_.isMatrix(i)) return;
    // What a variable holds is what is written to it.
    if (!isVariable(i.opcode)) add(i.result, resultOf(i));
}

ElementFacts ElementFollower::resultOf(const Instruction& i) {
    if (i.opcode == OpCooperativeMatrixLengthKHR) return {kLength, 0, {}};
    if (i.opcode == OpLoad && blocks_.isPlainVariable(i.word(0))) return readBy(i);
    if (i.opcode == OpLoad) return loaded(i.word(0));
    if (i.opcode == OpCompositeExtract) {
        if (const auto index = numbers_.indexOf(i))
            return numbers_.element(module_.def(i.word(0)).type, numbers_.at(i, index->operand));
    }
    if (i.opcode == OpPhi) return joined(i);
    if (i.opcode == OpCompositeExtract && i.operands.size() == 2 &&
        module_.def(module_.def(i.word(0)).type).opcode == OpTypeVector) {
        ElementFacts facts = knownOf(i.word(0));
        facts.number = numberOfPart(i.word(0), i.word(1));
        return facts;
    }
    std::vector<ElementFacts> operands;
    for (const Operand& o : i.operands) {
        if (o.isId) operands.push_back(knownOf(o.word));
    }
    return isNumberOfSubgroup(module_, users_, i) ? ElementFacts{}
                                                  : computedFrom(module_, i, operands);
}

ElementFacts ElementFollower::readBy(const Instruction& load) const {
    ElementFacts facts = knownOf(load.word(0));
    for (const Instruction* store : blocks_.storesReadBy(load)) {
        const auto found = stored_.find(store);
        if (found != stored_.end()) facts.join(found->second);
    }
    return facts;
}

ElementFacts ElementFollower::loaded(Id pointer) {
    const Id matrix = numbers_.matrixBehind(pointer);
    return matrix != 0 ? numbers_.element(matrix, numbers_.behind(pointer)) : knownOf(pointer);
}

ElementFacts ElementFollower::joined(const Instruction& phi) const {
    ElementFacts facts = controlOf(phi);
    const FlowPlace place = blocks_.placeOf(phi);
    if (place.in != nullptr) {
        const auto chosen = chosen_.find(place.in->function.blocks[place.block]->id());
        if (chosen != chosen_.end()) facts.join(chosen->second);
    }
    for (size_t o = 0; o < phi.operands.size(); o += 2) facts.join(knownOf(phi.word(o)));
    return facts;
}

// Of an element that is a component of a vector.
std::optional<ElementNumber> ElementFollower::numberOfPart(Id vector, uint32_t part,
                                                           uint32_t depth) const {
    constexpr uint32_t kDeepest = 8;
    const Instruction& i = module_.def(vector);
    if (depth == kDeepest || isDeclaration(i)) return std::nullopt;
    if (i.opcode == OpLoad && blocks_.isPlainVariable(i.word(0))) {
        const auto stores = blocks_.storesReadBy(i);
        if (stores.size() != 1) return std::nullopt;
        return numberOfPart(stores[0]->word(1), part, depth + 1);
    }
    const auto isVector = [&](Id value) {
        return module_.def(module_.def(value).type).opcode == OpTypeVector;
    };
    if (i.opcode == OpCompositeConstruct) {
        const bool hasVectors =
            std::ranges::any_of(i.operands, [&](const Operand& o) { return isVector(o.word); });
        return hasVectors ? std::nullopt : knownOf(i.word(part)).number;
    }
    if (i.opcode == OpVectorShuffle) {
        const uint32_t chosen = i.word(2 + part);
        const uint32_t first = module_.def(module_.def(i.word(0)).type).word(1);
        return chosen < first ? numberOfPart(i.word(0), chosen, depth + 1)
                              : numberOfPart(i.word(1), chosen - first, depth + 1);
    }
    std::optional<ElementNumber> found;
    for (const Operand& o : i.operands) {
        if (!o.isId || !isVector(o.word)) continue;
        const auto number = numberOfPart(o.word, part, depth + 1);
        if (found && number && found != number) return std::nullopt;
        if (number) found = number;
    }
    return found;
}

ElementFlow followElements(const Module& module, const MatrixUses& uses) {
    return ElementFollower(module, uses).run();
}

}  // namespace coopvk::rewrite
