// SPDX-License-Identifier: Apache-2.0
//
// Finds modules whose results depend on which lane holds which element of a matrix.
#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "matrix/element_maps.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

// What a value tells.
enum ValueFact : uint8_t {
    kLane = 1 << 0,     // which lane it is in
    kNumber = 1 << 1,   // the number of an element
    kElement = 1 << 2,  // an element of a matrix, whichever the lane holds
    kLength = 1 << 3,   // how many elements a lane holds
};

constexpr spv::BuiltIn kLaneBuiltIns[] = {spv::BuiltIn::SubgroupLocalInvocationId,
                                          spv::BuiltIn::LocalInvocationId,
                                          spv::BuiltIn::LocalInvocationIndex,
                                          spv::BuiltIn::GlobalInvocationId,
                                          spv::BuiltIn::SubgroupEqMask,
                                          spv::BuiltIn::SubgroupGeMask,
                                          spv::BuiltIn::SubgroupGtMask,
                                          spv::BuiltIn::SubgroupLeMask,
                                          spv::BuiltIn::SubgroupLtMask};

bool comparesValues(spv::Op opcode) {
    return (opcode >= OpAny && opcode <= OpLogicalNot) ||
           (opcode >= OpIEqual && opcode <= OpFUnordGreaterThanEqual);
}

// Follows values from what they are made of to what is made of them: through instructions,
// variables of functions, and calls.
class Dependence {
 public:
    Dependence(const Module& module, const MatrixUses& uses)
        : module_(module), users_(module), facts_(module.bound()) {
        for (const auto& [pointer, matrix] : uses.elementPointers()) pointers_.insert(pointer);
        for (const auto& function : module.functions()) functions_[function->id()] = function.get();
    }

    std::string_view why() {
        start();
        while (!pending_.empty() && why_.empty()) {
            const Id id = pending_.back();
            pending_.pop_back();
            for (const Usage& use : users_.of(id)) follow(*use.user, use.operand, facts_[id]);
        }
        for (const Instruction* i : left_) {
            if (why_.empty()) checkPlace(*i);
        }
        return why_;
    }

 private:
    void start() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (!isVariable(i->opcode)) continue;
            const auto builtIn = module_.decoration(i->result, spv::Decoration::BuiltIn);
            const auto isLanes = [&](spv::BuiltIn one) {
                return builtIn == static_cast<uint32_t>(one);
            };
            if (std::ranges::any_of(kLaneBuiltIns, isLanes)) add(i->result, kLane);
        }
        module_.visitBlocks([&](const Instruction& i) { startAt(i); });
    }

    void startAt(const Instruction& i) {
        if (i.opcode == OpCooperativeMatrixLengthKHR) return add(i.result, kLength);
        if ((ownEffects(module_, i) & kOfLane) != 0) add(i.result, kLane);
        if (i.opcode == OpCompositeExtract && matrixIndex(i)) add(i.result, kElement);
        if (i.opcode == OpLoad && pointers_.contains(i.word(0))) add(i.result, kElement);
        if (!pointers_.contains(i.result)) return;
        if (const auto index = matrixIndex(i)) markNumber(i.word(index->operand));
    }

    // A number of an element that changes, as in a loop: what it comes from, too.
    void markNumber(Id index) {
        constexpr uint32_t kMostSteps = 8;  // values of malicious modules may be their own operands
        for (uint32_t n = 0; n < kMostSteps; ++n) {
            const Instruction& i = module_.def(index);
            if (isDeclaration(i)) return;
            add(index, kNumber);
            const bool isSum = isOneOf(i.opcode, {OpIAdd, OpISub, OpIMul, OpUMod, OpUDiv});
            if (i.opcode == OpLoad) return add(i.word(0), kNumber);
            if (!isConversion(i.opcode) && i.opcode != OpCopyObject && !isSum) return;
            index = i.word(isSum && isDeclaration(module_.def(i.word(0))) ? 1 : 0);
        }
    }

    std::optional<IndexInto> matrixIndex(const Instruction& i) const {
        return indexInto(module_, i, [&](Id type) {
            return module_.def(type).opcode == OpTypeCooperativeMatrixKHR;
        });
    }

    void add(Id id, uint8_t facts) {
        if (id >= facts_.size() || (facts_[id] & facts) == facts) return;
        facts_[id] |= facts;
        pending_.push_back(id);
    }

    void follow(const Instruction& i, size_t operand, uint8_t facts) {
        if (operand == Users::kResultType || isNonSemantic(module_, i)) return;
        if (i.opcode == OpStore || i.opcode == OpAtomicStore) return followStore(i, operand, facts);
        if (i.opcode == OpImageWrite && operand == 2) return leave(i, facts);
        if (i.opcode == OpFunctionCall) return followCall(i, operand, facts);
        // What an access to an element gives is an element, whatever its number.
        if (pointers_.contains(i.result)) return;
        if (i.opcode == OpCompositeInsert && matrixIndex(i)) {
            if (operand == 0) enter(facts);
            return;
        }
        if (isMatrixValue(i)) return;
        // Which way control flow goes says nothing here, nor how long a loop runs.
        if (comparesValues(i.opcode))
            facts &= static_cast<uint8_t>(~(kLength | kNumber | kElement));
        if (i.result != 0 && facts != 0) add(i.result, facts);
    }

    // Matrices as wholes: what they are made of is in every lane.
    bool isMatrixValue(const Instruction& i) const {
        return module_.def(i.type).opcode == OpTypeCooperativeMatrixKHR;
    }

    void followStore(const Instruction& store, size_t operand, uint8_t facts) {
        const Id pointer = store.word(0);
        const bool isValue = operand != 0;
        if (pointers_.contains(pointer)) return isValue ? enter(facts) : void();
        const Id root = rootOf(module_, pointer);
        const auto storage = module_.storage(root);
        if (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private) {
            return isValue ? add(root, facts) : void();
        }
        if (isValue) leave(store, facts);
    }

    // A value becomes an element of a matrix.
    void enter(uint8_t facts) {
        if ((facts & (kLane | kNumber)) != 0) {
            why_ = "an element gets a value that depends on its lane or its number";
        }
    }

    // A value goes to memory that others see, or to an image.
    void leave(const Instruction& at, uint8_t facts) {
        if ((facts & kLength) != 0) why_ = "memory gets the number of elements of a lane";
        if ((facts & kElement) != 0) left_.push_back(&at);
    }

    // When all facts are known.
    void checkPlace(const Instruction& at) {
        const Id place = at.opcode == OpImageWrite ? at.word(1) : at.word(0);
        if ((facts_[place] & (kLane | kNumber)) != 0) {
            why_ = "memory gets an element at a place that depends on the lane or the number";
        }
    }

    void followCall(const Instruction& call, size_t operand, uint8_t facts) {
        if (operand == 0) return;
        const auto called = functions_.find(call.word(0));
        if (called != functions_.end() && operand - 1 < called->second->parameters.size()) {
            add(called->second->parameters[operand - 1]->result, facts);
        }
        if (!isMatrixValue(call)) add(call.result, facts);
    }

    const Module& module_;
    const Users users_;
    std::vector<uint8_t> facts_;       // by id
    std::unordered_set<Id> pointers_;  // to elements
    std::unordered_map<Id, const Function*> functions_;
    std::vector<Id> pending_;
    std::vector<const Instruction*> left_;  // stores of elements to memory and images
    std::string_view why_;
};

}  // namespace

bool namesElements(const MatrixUses& uses) {
    return std::ranges::any_of(uses.types(), [&](const auto& type) {
        return type.second.isOfSubgroup() &&
               (uses.facts(type.first) & (kHasElements | kAsksLength)) != 0;
    });
}

namespace {

// Whether elements are copied, by their numbers, between types for which differ(a, b) is true.
template <typename Differ>
bool copiesBetween(const MatrixUses& uses, const Differ& differ) {
    const std::map<Id, MatrixDimensions> types(uses.types().begin(), uses.types().end());
    return std::ranges::any_of(uses.elementCopies(), [&](const auto& copy) {
        const auto a = types.find(copy.first), b = types.find(copy.second);
        return a != types.end() && b != types.end() && a->second.isOfSubgroup() &&
               differ(a->second, b->second);
    });
}

bool differInSize(const MatrixDimensions& a, const MatrixDimensions& b) {
    return a.rows != b.rows || a.columns != b.columns;
}

bool differInUseOrSize(const MatrixDimensions& a, const MatrixDimensions& b) {
    return a.use != b.use || differInSize(a, b);
}

}  // namespace

std::string_view whyDependsOnLanes(const Module& module, const MatrixUses& uses) {
    if (!namesElements(uses)) return {};
    if (copiesBetween(uses, differInUseOrSize))
        return "elements are copied between matrices of different use or size by their numbers";
    return Dependence(module, uses).why();
}

std::string_view whyDependsOnMap(const Module& module, const MatrixUses& uses) {
    if (!namesElements(uses)) return {};
    if (copiesBetween(uses, differInSize))
        return "elements are copied between matrices of different size by their numbers";
    return Dependence(module, uses).why();
}

}  // namespace coopvk::rewrite
