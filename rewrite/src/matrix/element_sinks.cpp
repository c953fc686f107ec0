// SPDX-License-Identifier: Apache-2.0
//
// Where what elements are made into goes: to elements, to memory, to conditions, to functions.
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "matrix/element_facts.hpp"
#include "matrix/element_follower.hpp"

namespace coopvk::rewrite {

void ElementFollower::store(const Instruction& i, Id pointer, ElementFacts facts, Id value) {
    const Id matrix = numbers_.matrixBehind(pointer);
    if (matrix != 0) return enter(i, matrix, numbers_.behind(pointer), value, facts);
    const Id root = rootOf(module_, pointer);
    if (!isPrivate(module_.storage(root))) return leave(pointer, facts, controlOf(i));
    if (numbers_.isMatrix(module_.def(pointer))) return;
    facts.join(controlOf(i));
    if (!blocks_.isPlainVariable(pointer)) return add(root, facts);
    hold(root, facts);
    if (!stored_[&i].join(facts)) return;
    for (const Usage& use : users_.of(root)) {
        if (use.user->opcode == OpLoad) push(use.user);
    }
}

// A value becomes an element of a matrix.
void ElementFollower::enter(const Instruction& i, Id matrix, const ElementNumber& number, Id value,
                            const ElementFacts& facts) {
    if (!isDone_) return;
    numbers_.write(matrix, number, value);
    ElementFacts all = facts;
    all.join(controlOf(i));
    if (all.has(kOfLanes | kLength))
        because("an element gets a value that depends on its lane or its number");
    if (facts.has(kElement) && facts.number && *facts.number != number)
        because("an element gets another one, by their numbers");
    for (const Id source : numbers_.typesOf(all.sources)) flow_.copies.emplace(matrix, source);
}

// A value goes to memory that others see, or to an image.
void ElementFollower::leave(Id place, const ElementFacts& facts, const ElementFacts& control) {
    if (!isDone_) return;
    if (facts.has(kLength)) because("memory gets the number of elements of a lane");
    if (facts.has(kOfMap)) because("memory gets a value that depends on other lanes' elements");
    if (control.has(kOfMap)) because("memory gets a value if other lanes' elements say so");
    ElementFacts all = facts;
    all.join(control);
    const bool isElement = all.has(kElement), isHeld = all.has(kHeld);
    const ElementFacts at = knownOf(place);
    if ((isElement || isHeld) && at.has(kOfItsLane | kNumber)) {
        because("memory gets an element at a place that depends on the lane or the number");
    }
    if (!isElement || isHeld) return;
    if (control.has(kOfItsLane | kNumber)) because("memory gets an element of some lanes");
    if (facts.number && facts.number->base == 0) numbers_.read(facts.number->constant);
}

void ElementFollower::decide(const Instruction& branch) {
    const FlowPlace place = blocks_.placeOf(branch);
    ElementFacts facts = knownOf(branch.word(0));
    facts.number.reset();
    facts.facts &= static_cast<uint8_t>(~kLength);
    if (place.in == nullptr) return;
    if (blocks_.leavesLoop(*place.in, place.block)) facts.facts &= static_cast<uint8_t>(~kNumber);
    if (facts.facts == 0) return;
    const std::vector<size_t> decided = blocks_.decidedBy(*place.in, place.block);
    // All lanes of the subgroup go the same way.
    if (blocks_.haveMatrixOperations(*place.in, decided)) return;
    const auto& blocks = place.in->function.blocks;
    for (const size_t block : decided) control(blocks[block]->id(), *blocks[block], facts);
    const size_t meets = place.in->meets[place.block];
    if (meets >= blocks.size() || !chosen_[blocks[meets]->id()].join(facts)) return;
    for (const InstructionPtr& i : blocks[meets]->body) {
        if (i->opcode == OpPhi) push(i.get());
    }
}

void ElementFollower::control(Id id, const Block& block, const ElementFacts& facts) {
    if (!control_[id].join(facts)) return;
    for (const InstructionPtr& i : block.body) push(i.get());
}

void ElementFollower::call(const Instruction& i) {
    const Function* callee = functions_.find(i.word(0));
    if (callee == nullptr) return;
    for (size_t p = 0; p < callee->parameters.size(); ++p) {
        const Id argument = i.word(p + 1), parameter = callee->parameters[p]->result;
        pass(argument, parameter);
        // What the callee writes.
        const Id root = rootOf(module_, argument);
        if (isPrivate(module_.storage(argument)) && !numbers_.isMatrix(module_.def(root)))
            pass(parameter, root);
    }
    const ElementFacts facts = controlOf(i);
    if (facts.facts != 0 && control_[callee->id()].join(facts)) {
        callee->visitBlocks([&](const Instruction& one) { push(&one); });
    }
    if (!numbers_.isMatrix(i)) add(i.result, knownOf(callee->id()));
}

// Numbers have other ids in the callee.
void ElementFollower::pass(Id from, Id to) {
    ElementFacts facts = knownOf(from);
    facts.number.reset();
    add(to, facts);
}

void ElementFollower::giveBack(const Instruction& i) {
    const FlowPlace place = blocks_.placeOf(i);
    if (place.in == nullptr || numbers_.isMatrix(module_.def(i.word(0)))) return;
    ElementFacts facts = knownOf(i.word(0));
    facts.join(controlOf(i));
    facts.number.reset();
    add(place.in->function.id(), facts);
}

// A function of row, column and element, and of values that the calling lane has.
void ElementFollower::callForElements(const Instruction& i) {
    ElementFacts facts = knownOf(i.word(1));
    for (const Operand& o : operandsBehind(i, 2)) facts.join(knownOf(o.word));
    if (facts.has(kOfLanes)) because("a function of elements depends on the lane");
}

}  // namespace coopvk::rewrite
