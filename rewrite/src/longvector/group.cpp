// SPDX-License-Identifier: Apache-2.0
#include "longvector/group.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/arithmetic_decorations.hpp"
#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Whether memory that a pointer leads to may be that of another one, at another component.
bool mayOverlap(const Module& module, Id a, Id b) {
    if (a == b) return false;
    const Id rootA = rootOf(module, a), rootB = rootOf(module, b);
    if (!isVariable(module.def(rootA).opcode) || !isVariable(module.def(rootB).opcode)) return true;
    return rootA == rootB ||
           !(isPrivate(module.storage(rootA)) || isPrivate(module.storage(rootB)));
}

spv::Op scalarOpcode(const TypeTable& types, Id component, spv::Op opcode) {
    if (opcode != OpVectorTimesScalar) return opcode;
    return types.isFloat(component) ? OpFMul : OpIMul;
}

}  // namespace

const LongVector& LongVectorGroup::vectorOf(const Instruction& i) const {
    if (const LongVector* result = context_.vector(i.type)) return *result;
    if (i.opcode == OpStore) return *context_.vectorOfValue(i.word(1));
    return *context_.vectorOfValue(i.word(firstVector(i.opcode)));
}

bool LongVectorGroup::readsMemoryOf(const Instruction& store) const {
    return std::ranges::any_of(members_, [&](const InstructionPtr& i) {
        return i->opcode == OpLoad && mayOverlap(context_.module, i->word(0), store.word(0));
    });
}

// Reads and writes are emitted later: no other value gets their variables until then.
void LongVectorGroup::pin(const Instruction& i) {
    values_.slots().pin(i.result);
    for (const Operand& o : i.operands) {
        if (o.isId) values_.slots().pin(o.word);
    }
}

void LongVectorGroup::add(InstructionPtr instruction) {
    const Instruction& i = *instruction;
    const bool isOther =
        !members_.empty() && vectorOf(*members_.front()).count != vectorOf(i).count;
    const uint32_t effects = effectsOf(context_.module, i);
    const bool isApart = (effects & kWrites) != 0 && (i.opcode != OpStore || readsMemoryOf(i));
    if (isOther || isApart) flush();
    pin(i);
    liveness_.drop(i);
    if (i.result != 0) results_[i.result] = &i;
    members_.push_back(std::move(instruction));
    if ((effects & kChanges) != 0) flush();
}

bool LongVectorGroup::readsOtherLanes() const {
    return std::ranges::any_of(members_, [&](const InstructionPtr& i) {
        return (effectsOf(context_.module, *i) & kConvergent) != 0;
    });
}

Id LongVectorGroup::component(Id value, ComponentIndex at) {
    const auto result = results_.find(value);
    if (result == results_.end()) return values_.component(value, at);
    const auto known = current_.find(value);
    return isEmitting_ && known != current_.end() ? known->second : emitMember(*result->second, at);
}

// The operands of an instruction on one component. Scalars apply to all components.
Operands LongVectorGroup::operandsAt(const Instruction& i, ComponentIndex at) {
    Operands operands = i.operands;
    for (Operand& o : operands) {
        if (!o.isId) continue;
        if (context_.vectorOfValue(o.word) != nullptr) {
            o.word = component(o.word, at);
        } else if (const LongVector* behind =
                       context_.vectorOrInMemory(context_.module.pointee(o.word))) {
            o.word = values_.componentPointer(o.word, *behind, at);
        }
    }
    return operands;
}

Id LongVectorGroup::emitMember(const Instruction& i, ComponentIndex at) {
    Emitter& emit = values_.emit();
    const LongVector& vector = vectorOf(i);
    const uint32_t bytes = std::max(context_.types.width(vector.component) / 8, 1u);
    switch (i.opcode) {
        case OpLoad: {
            const Id pointer = values_.componentPointer(i.word(0), vector, at);
            return emit.load(vector.component, pointer,
                             MemoryOperands(operandsBehind(i, 1)).forLoad(bytes));
        }
        case OpStore: {
            const Id value = component(i.word(1), at);
            emit.store(values_.componentPointer(i.word(0), vector, at), value,
                       MemoryOperands(operandsBehind(i, 2)).forStore(bytes));
            return 0;
        }
        case OpCopyObject:
            return component(i.word(0), at);
        case OpCompositeConstructReplicateEXT:
            return i.word(0);
        default: {
            Operands operands = operandsAt(i, at);
            const Id result = emit.op(scalarOpcode(context_.types, vector.component, i.opcode),
                                      vector.component, std::move(operands));
            ArithmeticDecorations(context_.module, i.result).addTo(result);
            return result;
        }
    }
}

void LongVectorGroup::emitAt(ComponentIndex at) {
    current_.clear();
    for (const InstructionPtr& i : members_) {
        const Id component = emitMember(*i, at);
        if (i->result == 0) continue;
        current_[i->result] = component;
        if (liveness_.uses(i->result) == 0) continue;
        if (vectorOf(*i).isCooperative) {
            cooperative_[i->result].push_back(component);
        } else {
            values_.store(i->result, at, component);
        }
    }
}

void LongVectorGroup::emit(const std::function<void(ComponentIndex)>& body) {
    isEmitting_ = true;
    const LongVector& vector = vectorOf(*members_.front());
    const bool hasCooperative = std::ranges::any_of(members_, [&](const InstructionPtr& i) {
        return i->result != 0 && vectorOf(*i).isCooperative;
    });
    if (hasCooperative) {  // their components cannot be stored in a loop
        for (uint32_t c = 0; c < vector.count; ++c) body(values_.index(c));
    } else {
        values_.each(vector, body);
    }
    for (const InstructionPtr& i : members_) {
        const auto components = cooperative_.find(i->result);
        if (components != cooperative_.end()) {
            values_.emit().construct(i->type, components->second, i->result);
        }
    }
    isEmitting_ = false;
    for (InstructionPtr& i : members_) {
        if (!cooperative_.contains(i->result)) context_.module.retire(std::move(i));
    }
    // Of hashed containers, clear() takes as long as the largest group was.
    members_.clear();
    results_ = decltype(results_)();
    current_ = decltype(current_)();
    cooperative_ = decltype(cooperative_)();
}

// Removes members whose results nothing needs: their components were computed alone.
void LongVectorGroup::dropUnneeded() {
    std::unordered_set<Id> needed;
    for (size_t m = members_.size(); m-- > 0;) {
        const Instruction& i = *members_[m];
        if (!mayVanish(effectsOf(context_.module, i)) || liveness_.uses(i.result) != 0 ||
            needed.contains(i.result)) {
            for (const Operand& o : i.operands) {
                if (o.isId) needed.insert(o.word);
            }
            continue;
        }
        results_.erase(i.result);
        context_.module.retire(std::move(members_[m]));
    }
    std::erase(members_, nullptr);
}

void LongVectorGroup::flush() {
    dropUnneeded();
    if (!members_.empty()) emit([&](ComponentIndex at) { emitAt(at); });
    values_.slots().unpinAll();
}

void LongVectorGroup::addReduction(InstructionPtr instruction) {
    const Instruction& i = *instruction;
    const LongVector vector = vectorOf(i);
    if (!members_.empty() && vectorOf(*members_.front()).count != vector.count) flush();
    pin(i);
    liveness_.drop(i);
    FunctionWriter& writer = values_.writer();
    Emitter& emitter = values_.emit();
    const Id type = termType(context_.types, i);
    std::optional<Id> sum, combined;  // a variable if terms are combined in a loop, else the value
    if (vector.isLooped()) {
        sum = writer.variable(type);
        emitter.store(*sum, neutralTerm(emitter, i));
    }
    const auto addTerm = [&](ComponentIndex at) {
        emitAt(at);
        const Id term = reductionTerm(emitter, i, operandsAt(i, at));
        if (sum) {
            emitter.store(*sum, combineTerms(emitter, i, emitter.load(type, *sum), term));
        } else {
            combined = combined ? combineTerms(emitter, i, *combined, term) : term;
        }
    };
    if (members_.empty()) {
        values_.each(vector, addTerm);
    } else {
        emit(addTerm);
    }
    if (sum) combined = emitter.load(type, *sum);
    emitter.op(OpCopyObject, i.type, {reductionResult(emitter, i, *combined)}, i.result);
    context_.module.retire(std::move(instruction));
}

}  // namespace coopvk::rewrite
