// SPDX-License-Identifier: Apache-2.0
#include "matrix/element_flow.hpp"

#include "ir/calls.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "matrix/element_facts.hpp"
#include "matrix/flow_blocks.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

// Which instructions name elements of matrices, and by which numbers.
class NamedNumbers {
 public:
    NamedNumbers(const Module& module, const MatrixUses& uses) : module_(module), uses_(uses) {
        for (const auto& [pointer, matrix] : uses.elementPointers()) pointers_[pointer] = matrix;
    }

    // The type of the matrix to whose element a pointer points; 0 for other pointers.
    Id matrixBehind(Id pointer) const {
        const auto found = pointers_.find(behindCopies(module_, pointer).result);
        return found == pointers_.end() ? 0 : found->second;
    }

    // The number in an instruction that selects an element.
    std::optional<IndexInto> indexOf(const Instruction& i) const {
        return indexInto(module_, i, [&](Id type) { return isMatrixType(type); });
    }

    ElementNumber at(const Instruction& i, size_t operand) const {
        const Operand& o = i.operands[operand];
        return o.isId ? elementNumber(module_, o.word) : ElementNumber{0, o.word};
    }

    ElementNumber behind(Id pointer) const {
        const Instruction& chain = behindCopies(module_, pointer);
        const auto index = indexOf(chain);
        return index ? at(chain, index->operand) : ElementNumber{pointer, 0};
    }

    // Whether a value, or what a variable holds, is a matrix.
    bool isMatrix(const Instruction& i) const {
        return isMatrixType(i.type) || (isPointerType(module_.def(i.type).opcode) &&
                                        isMatrixType(module_.pointee(i.result)));
    }

    // The facts of an element.
    // Modules with more types than bits have one bit for all others.
    ElementFacts element(Id matrix, const ElementNumber& number) {
        constexpr size_t kLastBit = 63;
        size_t bit = static_cast<size_t>(std::ranges::find(types_, matrix) - types_.begin());
        if (bit == types_.size()) types_.push_back(matrix);
        bit = std::min(bit, kLastBit);
        return {kElement, uint64_t{1} << bit, number};
    }

    // The types of ElementFacts::sources.
    std::vector<Id> typesOf(uint64_t sources) const {
        std::vector<Id> found;
        for (size_t bit = 0; bit < types_.size(); ++bit) {
            if ((sources >> std::min<size_t>(bit, 63) & 1) != 0) found.push_back(types_[bit]);
        }
        return found;
    }

    // Notes what an element gets; and that memory gets the element with a constant number.
    void write(Id matrix, const ElementNumber& number, Id value) {
        written_[{matrix, number.base}][number.constant].insert(shapeOf(module_, value));
    }

    void read(uint32_t number) { read_.insert(number); }
    // Whether elements differ by what they get, or only some of them do; empty: no.
    std::string_view why() const {
        for (const auto& [where, elements] : written_) {
            const auto differs = [&](const auto& one) {
                return one.second != elements.begin()->second;
            };
            if (std::ranges::any_of(elements, differs))
                return "elements get values by their numbers";
            std::set<uint32_t> numbers;
            for (const auto& element : elements) numbers.insert(element.first);
            if (where.second == 0 && !isAll(numbers)) return "some elements of a lane get values";
        }
        return read_.empty() || isAll(read_) ? "" : "memory gets some elements of a lane";
    }

 private:
    bool isMatrixType(Id type) const {
        return module_.def(type).opcode == OpTypeCooperativeMatrixKHR;
    }

    // As many as a lane of 16, 32 or 64 has of a matrix.
    bool isAll(const std::set<uint32_t>& numbers) const {
        const auto count = static_cast<uint32_t>(numbers.size());
        if (*numbers.begin() != 0 || *numbers.rbegin() != count - 1) return false;
        return std::ranges::any_of(uses_.types(), [&](const auto& type) {
            const uint64_t elements = uint64_t{type.second.rows} * type.second.columns;
            return elements == 16 * count || elements == 32 * count || elements == 64 * count;
        });
    }

    const Module& module_;
    const MatrixUses& uses_;
    std::unordered_map<Id, Id> pointers_;
    std::vector<Id> types_;  // by bit of the sources
    // By matrix type and base: the constants, and the shapes of values.
    std::map<std::pair<Id, Id>, std::map<uint32_t, std::set<uint64_t>>> written_;
    std::set<uint32_t> read_;
};

// Follows values from what they are made of to what is made of them: through instructions,
// variables of the invocation, calls, and branches.
class ElementFollower {
 public:
    ElementFollower(const Module& module, const MatrixUses& uses)
        : module_(module),
          users_(module),
          blocks_(module, users_),
          functions_(module),
          numbers_(module, uses),
          known_(module.bound()) {}

    ElementFlow run() {
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

 private:
    void start() {
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
    void markNumber(const Instruction& access, Id number) {
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

    void follow() {
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

    void add(Id id, ElementFacts facts) {
        if (id >= known_.size()) return;
        hold(id, facts);
        if (!known_[id].join(facts)) return;
        if (module_.def(id).opcode == OpFunctionParameter) pushCalls(id);
        for (const Usage& use : users_.of(id)) {
            if (use.operand != Users::kResultType) push(use.user);
        }
    }

    // What a loop over the elements makes of elements, for the next iteration, is of several.
    void hold(Id id, ElementFacts& facts) {
        if (!carried_.contains(id)) return;
        if (facts.has(kElement)) facts.facts |= kHeld;
        facts.forgetElement();
        if (facts.has(kHeld)) isHeld_.insert(id);
    }

    // What a callee writes through a parameter, its callers read.
    void pushCalls(Id parameter) {
        const auto function = functionOf_.find(parameter);
        if (function == functionOf_.end()) return;
        for (const Usage& use : users_.of(function->second)) push(use.user);
    }

    // What decides whether an instruction runs. Blocks and functions have it by their ids.
    ElementFacts controlOf(const Instruction& i) const {
        const FlowPlace place = blocks_.placeOf(i);
        if (place.in == nullptr) return {};
        ElementFacts facts = controlOfBlock(place.in->function.blocks[place.block]->id());
        facts.join(controlOfBlock(place.in->function.id()));
        return facts;
    }

    ElementFacts controlOfBlock(Id id) const {
        const auto found = control_.find(id);
        return found == control_.end() ? ElementFacts{} : found->second;
    }

    void visit(const Instruction& i) {
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

    ElementFacts resultOf(const Instruction& i) {
        if (i.opcode == OpCooperativeMatrixLengthKHR) return {kLength, 0, {}};
        if (i.opcode == OpLoad && blocks_.isPlainVariable(i.word(0))) return readBy(i);
        if (i.opcode == OpLoad) {
            ElementFacts facts = loaded(i.word(0));
            const auto number = numberOfMember(i);
            if (isPartOfVector(i)) return partOf(facts, number);
            if (number) facts.number = number;
            return facts;
        }
        if (i.opcode == OpCompositeExtract) {
            if (const auto index = numbers_.indexOf(i))
                return numbers_.element(module_.def(i.word(0)).type,
                                        numbers_.at(i, index->operand));
        }
        if (i.opcode == OpPhi) return joined(i);
        if (i.opcode == OpCompositeExtract && i.operands.size() == 2 &&
            module_.def(module_.def(i.word(0)).type).opcode == OpTypeVector) {
            return partOf(knownOf(i.word(0)), numberOfPart(i.word(0), i.word(1)));
        }
        std::vector<ElementFacts> operands;
        for (const Operand& o : i.operands) {
            if (o.isId) operands.push_back(knownOf(o.word));
        }
        return isNumberOfSubgroup(module_, users_, i) ? ElementFacts{}
                                                      : computedFrom(module_, i, operands);
    }

    ElementFacts readBy(const Instruction& load) const {
        ElementFacts facts = knownOf(load.word(0));
        for (const Instruction* store : blocks_.storesReadBy(load)) {
            const auto found = stored_.find(store);
            if (found != stored_.end()) facts.join(found->second);
        }
        return facts;
    }

    ElementFacts loaded(Id pointer) {
        const Id matrix = numbers_.matrixBehind(pointer);
        return matrix != 0 ? numbers_.element(matrix, numbers_.behind(pointer)) : knownOf(pointer);
    }

    ElementFacts joined(const Instruction& phi) const {
        ElementFacts facts = controlOf(phi);
        const FlowPlace place = blocks_.placeOf(phi);
        if (place.in != nullptr) {
            const auto chosen = chosen_.find(place.in->function.blocks[place.block]->id());
            if (chosen != chosen_.end()) facts.join(chosen->second);
        }
        for (size_t o = 0; o < phi.operands.size(); o += 2) facts.join(knownOf(phi.word(o)));
        return facts;
    }

    bool isVector(Id type) const { return module_.def(type).opcode == OpTypeVector; }

    // A component of a vector, and the number of the element that it is. If that is not known, it
    // may be any of the vector's.
    static ElementFacts partOf(ElementFacts vector, std::optional<ElementNumber> number) {
        if (vector.has(kElement) && !vector.number && !number) vector.facts |= kNumber;
        if (number) vector.number = number;
        return vector;
    }

    // Of an element that is a component of a vector.
    std::optional<ElementNumber> numberOfPart(Id vector, uint32_t part, uint32_t depth = 0) const {
        constexpr uint32_t kDeepest = 8;
        const Instruction& i = module_.def(vector);
        if (depth == kDeepest || isDeclaration(i)) return std::nullopt;
        const auto ofPart = [&](Id other, uint32_t which) {
            return numberOfPart(other, which, depth + 1);
        };
        switch (i.opcode) {
            case OpLoad: {
                const Instruction* store = storeReadBy(i);
                return store == nullptr ? std::nullopt : ofPart(store->word(1), part);
            }
            case OpCompositeConstruct: {
                const bool hasVectors = std::ranges::any_of(i.operands, [&](const Operand& o) {
                    return isVector(module_.def(o.word).type);
                });
                return hasVectors ? std::nullopt : knownOf(i.word(part)).number;
            }
            case OpCompositeInsert:
                return i.word(2) == part ? knownOf(i.word(0)).number : ofPart(i.word(1), part);
            case OpVectorShuffle: {
                const uint32_t chosen = i.word(2 + part);
                const uint32_t first = module_.def(module_.def(i.word(0)).type).word(1);
                return chosen < first ? ofPart(i.word(0), chosen)
                                      : ofPart(i.word(1), chosen - first);
            }
            case OpFunctionCall:
            case OpMatrixTimesVector:
            case OpVectorTimesMatrix:
                return std::nullopt;
            default:
                break;
        }
        std::optional<ElementNumber> found;
        for (const Operand& o : i.operands) {
            if (!o.isId || !isVector(module_.def(o.word).type)) continue;
            const auto number = ofPart(o.word, part);
            if (found && number && found != number) return std::nullopt;
            if (number) found = number;
        }
        return found;
    }

    // The only store whose value a load of a whole variable reads; nullptr: it is not known.
    const Instruction* storeReadBy(const Instruction& load) const {
        if (!blocks_.isPlainVariable(load.word(0)))
            return blocks_.wholeStoreBefore(load, load.word(0));
        const auto stores = blocks_.storesReadBy(load);
        return stores.size() == 1 ? stores[0] : nullptr;
    }

    // Whether a load reads one of a vector's components, which one is known.
    bool isPartOfVector(const Instruction& load) const {
        const Instruction& chain = module_.def(load.word(0));
        return isAccessChain(chain.opcode) && chain.operands.size() == 2 &&
               module_.constantValue(chain.word(1)) && isVector(chainStep(module_, chain).type);
    }

    // Of an element that is a member of a variable, which the load's block has stored as a whole.
    std::optional<ElementNumber> numberOfMember(const Instruction& load) const {
        const Instruction& chain = module_.def(load.word(0));
        if (!isAccessChain(chain.opcode) || chain.operands.size() != 2 || numbers_.indexOf(chain))
            return std::nullopt;
        const std::optional<uint64_t> member = module_.constantValue(chain.word(1));
        const Instruction* store = blocks_.wholeStoreBefore(load, chain.word(0));
        if (!member || store == nullptr) return std::nullopt;
        const Instruction& whole = module_.def(store->word(1));
        if (isVector(whole.type)) return numberOfPart(whole.result, static_cast<uint32_t>(*member));
        return whole.opcode == OpCompositeConstruct ? knownOf(whole.word(*member)).number
                                                    : std::nullopt;
    }

    // Where what elements are made into goes: to elements, to memory, to conditions, to functions.

    void store(const Instruction& i, Id pointer, ElementFacts facts, Id value) {
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
    void enter(const Instruction& i, Id matrix, const ElementNumber& number, Id value,
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
    void leave(Id place, const ElementFacts& facts, const ElementFacts& control) {
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

    void decide(const Instruction& branch) {
        const FlowPlace place = blocks_.placeOf(branch);
        ElementFacts facts = knownOf(branch.word(0));
        facts.number.reset();
        facts.facts &= static_cast<uint8_t>(~kLength);
        if (place.in == nullptr) return;
        if (blocks_.leavesLoop(*place.in, place.block))
            facts.facts &= static_cast<uint8_t>(~kNumber);
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

    void control(Id id, const Block& block, const ElementFacts& facts) {
        if (!control_[id].join(facts)) return;
        for (const InstructionPtr& i : block.body) push(i.get());
    }

    void call(const Instruction& i) {
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
    void pass(Id from, Id to) {
        ElementFacts facts = knownOf(from);
        facts.number.reset();
        add(to, facts);
    }

    void giveBack(const Instruction& i) {
        const FlowPlace place = blocks_.placeOf(i);
        if (place.in == nullptr || numbers_.isMatrix(module_.def(i.word(0)))) return;
        ElementFacts facts = knownOf(i.word(0));
        facts.join(controlOf(i));
        facts.number.reset();
        add(place.in->function.id(), facts);
    }

    // A function of row, column and element, and of values that the calling lane has.
    void callForElements(const Instruction& i) {
        ElementFacts facts = knownOf(i.word(1));
        for (const Operand& o : operandsBehind(i, 2)) facts.join(knownOf(o.word));
        if (facts.has(kOfLanes)) because("a function of elements depends on the lane");
    }

    void push(const Instruction* i) {
        if (isPending_.insert(i).second) pending_.push_back(i);
    }
    void because(std::string_view why) {
        if (isDone_ && flow_.why.empty()) flow_.why = why;
    }
    ElementFacts knownOf(Id id) const { return id < known_.size() ? known_[id] : ElementFacts{}; }

    const Module& module_;
    const Users users_;
    const FlowBlocks blocks_;
    const FunctionsById functions_;
    NamedNumbers numbers_;
    // By id: of values; of variables, what they hold; of functions, what they return.
    std::vector<ElementFacts> known_;
    std::unordered_map<Id, ElementFacts> control_;  // by block or function
    std::unordered_map<Id, ElementFacts> chosen_;   // by block: which way lanes come to it
    std::unordered_map<Id, Id> functionOf_;         // by parameter
    std::unordered_map<const Instruction*, ElementFacts> stored_;  // in plain variables
    std::unordered_set<Id> named_, counts_, carried_, isHeld_;
    std::vector<const Instruction*> pending_;
    std::unordered_set<const Instruction*> isPending_;
    uint32_t steps_ = 0;
    bool isDone_ = false;  // all facts are known
    ElementFlow flow_;
};

}  // namespace

ElementFlow followElements(const Module& module, const MatrixUses& uses) {
    return ElementFollower(module, uses).run();
}

}  // namespace coopvk::rewrite
