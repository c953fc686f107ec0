// SPDX-License-Identifier: Apache-2.0
#include "longvector/function.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "ir/arithmetic_decorations.hpp"
#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "longvector/structures.hpp"
#include "lowering/cooperative_types.hpp"
#include "optimise/dead_code.hpp"

namespace coopvk::rewrite {

namespace {

// Whether a cast makes other components of the same bits.
bool changesCount(const LongVectorContext& context, const Instruction& i) {
    if (i.opcode != OpBitcast) return false;
    const LongVector* to = context.vector(i.type);
    const LongVector* from = context.vectorOfValue(i.word(0));
    return (to == nullptr ? 0 : to->count) != (from == nullptr ? 0 : from->count);
}

// Whether a vector is constructed of one scalar. glslang repeats it for each component.
bool isSplat(LongVectorContext& context, const Instruction& i) {
    const LongVector* vector = context.vector(i.type);
    if (i.opcode != OpCompositeConstruct || vector == nullptr) return false;
    const Id first = i.word(0);
    return context.module.def(first).type == vector->component &&
           std::ranges::all_of(i.operands, [&](const Operand& o) { return o.word == first; });
}

// Whether the indices of OpCompositeExtract or OpCompositeInsert select a part that there is.
bool selectsPart(const Module& module, const Instruction& i) {
    auto [type, first] = *firstIndex(module, i);
    for (const Operand& index : operandsBehind(i, first)) {
        if (index.word >= memberCount(module, type).value_or(~uint64_t{0})) return false;
        type = memberType(module, type, index.word);
    }
    return type != 0;
}

// Instructions of a malformed module that are refused: the lowering relies on the others.
std::optional<Error> findBadIndex(const Module& module) {
    std::optional<Error> error;
    module.visitBlocks([&](const Instruction& i) {
        const bool hasIndices = isOneOf(i.opcode, {OpCompositeExtract, OpCompositeInsert});
        if (!hasIndices || error || selectsPart(module, i)) return;
        error = errorAt(ErrorCode::kInvalidModule, i, "an index is beyond a composite's parts");
    });
    return error;
}

}  // namespace

LongVectorFunction::LongVectorFunction(LongVectorContext& context, Function& function)
    : VariableFrame(context, function,
                    {[&](Id type) { return context.lowered(type) != nullptr; },
                     [](Id type) { return type; }}),
      values_(context, writer_, slots_),
      group_(context, values_, liveness_) {}

// A value that only its block's OpReturnValue uses is computed in the caller's variable.
void LongVectorFunction::plan() {
    if (!returned_) return;
    for (const auto& block : function_.blocks) {
        const Instruction& last = *block->body.back();
        if (last.opcode != OpReturnValue) continue;
        for (const InstructionPtr& i : block->body) {
            const bool isIt =
                i->result == last.word(0) && i->opcode != OpPhi && i->opcode != OpLoad;
            if (isIt && liveness_.uses(i->result) == 1) values_.setVariable(i->result, *returned_);
        }
    }
}

bool LongVectorFunction::touches(const Instruction& i) const {
    if (i.opcode == OpVariable) return false;
    if (context_.vector(i.type) != nullptr) return true;
    if (i.opcode == OpCopyLogical) return context_.withCooperative.contains(i.type);
    if (i.opcode == OpCopyMemory || i.opcode == OpCopyMemorySized) {
        return context_.vectorOrInMemory(module_.pointee(i.word(0))) != nullptr;
    }
    return std::ranges::any_of(i.operands, [&](const Operand& o) {
        return o.isId && context_.vectorOfValue(o.word) != nullptr;
    });
}

bool LongVectorFunction::isLeftForCooperative(const Instruction& i) const {
    const auto isOther = [&](Id type) {
        const LongVector* vector = context_.vectorOrInMemory(type);
        return vector != nullptr && (!vector->isCooperative || context_.inMemory.contains(type));
    };
    if (i.opcode == OpCopyLogical || isOther(i.type) || !isOfCooperativeVectors(i) ||
        changesCount(context_, i)) {
        return false;
    }
    return std::ranges::none_of(i.operands, [&](const Operand& o) {
        if (!o.isId) return false;
        const Instruction& type = module_.def(module_.def(o.word).type);
        const bool isUntyped = type.opcode == OpTypeUntypedPointerKHR &&
                               hasExplicitLayout(storageOf(type)) &&
                               isOneOf(i.opcode, {OpLoad, OpStore});
        return isUntyped || isOther(type.result) || isOther(module_.pointee(o.word));
    });
}

bool LongVectorFunction::mayPrecedeGroup(const Instruction& i) const {
    if (endsBlock(i)) return false;
    return (effectsOf(module_, i) & ((kChanges & ~kPrints) | kConvergent)) == 0;
}

// Whether an instruction changes what is to be read later, or what instructions read that are not
// emitted yet. A store reads each component before it writes it.
bool LongVectorFunction::mayChangeLoad(const Instruction& i) const {
    return mayWrite(i) && std::ranges::any_of(loads_, [&](const Load& load) {
               const bool isNeeded = liveness_.isNeeded(load.value);
               if (!isNeeded && !slots_.isPinned(load.value)) return false;
               if (!isNeeded && i.opcode == OpStore && i.word(0) == load.pointer) return false;
               return mayWriteTo(load, i);
           });
}

bool LongVectorFunction::isReadInPlace(const Instruction& i) const {
    return i.opcode == OpLoad && isOfInvocation(rootOf(module_, i.word(0))) &&
           !isVolatile(operandsBehind(i, 1));
}

void LongVectorFunction::lowerOrKeep(InstructionPtr instruction) {
    const Instruction& i = *instruction;
    if (mayChangeLoad(i)) {
        group_.flush();
        ownLoads([&](const Load& load) { return mayWriteTo(load, i); });
    }
    if (endsBlock(i)) {
        group_.flush();
        leaveBlock();
    }
    if (touches(i) && !isLeftForCooperative(i)) return lowerOne(std::move(instruction));
    if (!mayPrecedeGroup(i) || touches(i)) group_.flush();
    liveness_.drop(i);
    writer_.keep(std::move(instruction));
}

// Instructions of which each component is computed alone join the group.
void LongVectorFunction::lowerOne(InstructionPtr instruction) {
    const Instruction& i = *instruction;
    if (isSplat(context_, i)) {
        instruction->opcode = OpCompositeConstructReplicateEXT;
        instruction->operands.erase(instruction->operands.begin() + 1, instruction->operands.end());
    }
    if (isReduction(i.opcode)) return group_.addReduction(std::move(instruction));
    if (isReadInPlace(i)) {
        values_.setVariable(i.result, i.word(0));
        readInPlace(i);
        liveness_.drop(i);
        return module_.retire(std::move(instruction));
    }
    if (i.opcode == OpStore) {
        if (!group_.has(i.word(1))) group_.flush();
        return group_.add(std::move(instruction));
    }
    if (lowerAlone(i)) {
        liveness_.drop(i);
        return module_.retire(std::move(instruction));
    }
    if (context_.vector(i.type) == nullptr) {
        context_.fail(ErrorCode::kUnsupported, i, "takes no long vector");
        return;
    }
    group_.add(std::move(instruction));
}

bool LongVectorFunction::lowerAlone(const Instruction& i) {
    using F = LongVectorFunction;
    using Row = std::pair<spv::Op, void (F::*)(const Instruction&)>;
    constexpr Row kRows[] = {
        {OpCompositeExtract, &F::lowerExtract},
        {OpVectorExtractDynamic, &F::lowerDynamicExtract},
        {OpCompositeInsert, &F::lowerInsert},
        {OpVectorInsertDynamic, &F::lowerDynamicInsert},
        {OpCompositeConstruct, &F::lowerConstruct},
        {OpVectorShuffle, &F::lowerShuffle},
        {OpBitcast, &F::lowerBitcast},
        {OpCopyMemory, &F::lowerCopyMemory},
        {OpCopyLogical, &F::lowerCopyLogical},
        {OpFunctionCall, &F::lowerCall},
        {OpReturnValue, &F::lowerReturn},
    };
    if (hasNoValue(i.opcode) || isNonSemantic(module_, i)) return true;
    if (givesPair(i)) {
        group_.flush();
        lowerPair(i);
        return true;
    }
    if (isExtInst(i.opcode)) return expandGeometry(*this, i);
    const auto* row = std::ranges::find(kRows, i.opcode, &Row::first);
    if (row == std::end(kRows) || (i.opcode == OpBitcast && !changesCount(context_, i))) {
        return false;
    }
    if (!isOneOf(i.opcode, {OpCompositeExtract, OpVectorExtractDynamic})) group_.flush();
    (this->*row->second)(i);
    return true;
}

std::optional<Error> lowerLongVectors(LongVectorContext& context) {
    Module& module = context.module;
    const SplitTypes structures(context);
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpSpecConstantOp &&
            (context.vector(i->type) != nullptr || structures.isSplit(i->type))) {
            return errorAt(ErrorCode::kUnsupported, *i,
                           "a constant is computed in a way that is not known");
        }
    }
    if (auto error = findBadIndex(module)) return error;
    splitStructures(context);
    layOutLongVectors(context);
    lowerFunctions(
        context, [&](Id type) { return context.vector(type) != nullptr; },
        [&](Function& function) { LongVectorFunction(context, function).lower(); });
    if (context.error) return context.error;
    // Instructions use the components of constants. A whole one has a word for each.
    removeDeadDeclarations(module, [&](const Instruction& i) {
        return i.opcode == OpConstantComposite && context.lowered(i.type) != nullptr;
    });
    context.types.rescan();
    return context.error;
}

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
