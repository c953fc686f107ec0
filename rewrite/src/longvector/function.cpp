// SPDX-License-Identifier: Apache-2.0
#include "longvector/function.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "longvector/reductions.hpp"
#include "lowering/cooperative_types.hpp"

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
    const Operand& first = i.operands[0];
    return context.module.def(first.word).type == vector->component &&
           std::ranges::all_of(i.operands, [&](const Operand& o) { return o.word == first.word; });
}

bool isMerge(spv::Op opcode) { return opcode == OpSelectionMerge || opcode == OpLoopMerge; }

}  // namespace

LongVectorFunction::LongVectorFunction(LongVectorContext& context, Function& function)
    : context_(context),
      module_(context.module),
      function_(function),
      writer_(context, function),
      liveness_(function, [&](Id type) { return context.lowered(type) != nullptr; }),
      slots_(context, writer_, liveness_),
      values_(context, writer_, slots_),
      loads_(context, values_, liveness_),
      locals_(
          context.module, function, [&](Id type) { return context.lowered(type) != nullptr; },
          slots_, liveness_),
      group_(context, values_, liveness_) {}

// A parameter becomes a pointer to a variable of the caller, which the function only reads; the
// result, a pointer behind the parameters.
void LongVectorFunction::lowerParameters() {
    TypeTable& types = context_.types;
    const auto pointerTo = [&](Id type) { return context_.functionPointer(type); };
    Instruction& definition = *function_.definition;
    const bool returns = context_.lowered(definition.type) != nullptr;
    bool changed = returns;
    for (InstructionPtr& parameter : function_.parameters) {
        if (context_.lowered(parameter->type) == nullptr) continue;
        changed = true;
        InstructionPtr pointer =
            makeInstruction(OpFunctionParameter, pointerTo(parameter->type), module_.takeId(), {});
        module_.setDef(pointer.get());
        values_.setVariable(parameter->result, pointer->result);
        module_.retire(std::exchange(parameter, std::move(pointer)));
    }
    if (returns) {
        function_.parameters.push_back(
            makeInstruction(OpFunctionParameter, pointerTo(definition.type), module_.takeId(), {}));
        module_.setDef(function_.parameters.back().get());
        returned_ = function_.parameters.back()->result;
        definition.type = types.voidType();
    }
    if (!changed) return;
    std::vector<Id> parameters;
    for (const InstructionPtr& parameter : function_.parameters) {
        parameters.push_back(parameter->type);
    }
    definition.operands[1] = idOperand(types.functionType(definition.type, parameters));
}

bool LongVectorFunction::touches(const Instruction& i) const {
    if (i.opcode == OpVariable) return false;
    if (context_.vector(i.type) != nullptr) return true;
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
    if (isOther(i.type) || !isOfCooperativeVectors(i) || changesCount(context_, i)) return false;
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
    if (isTerminator(i.opcode) || isMerge(i.opcode)) return false;
    if (i.opcode == OpLoad) return !isVolatile(operandsBehind(i, 1));
    return isPure(i.opcode) || isDebugLine(i.opcode) || isNonSemantic(module_, i) ||
           (isExtInst(i.opcode) && !writesMemory(i));
}

// The block's values are where later blocks read them.
void LongVectorFunction::endBlock() {
    group_.flush();
    loads_.endBlock();
    copyToPhis(block_);
    hasEnded_ = true;
}

void LongVectorFunction::visit(InstructionPtr instruction) {
    if (locals_.isLocal(instruction->result)) return module_.retire(std::move(instruction));
    locals_.replaceIn(*instruction);
    lowerOrKeep(std::move(instruction));
    locals_.endInstruction();
}

void LongVectorFunction::lowerOrKeep(InstructionPtr instruction) {
    const Instruction& i = *instruction;
    if (loads_.mayChange(i)) {
        group_.flush();
        loads_.copyChanged(i);
    }
    const bool ends = isTerminator(i.opcode) || isMerge(i.opcode);
    if (ends && !hasEnded_) endBlock();
    if (touches(i) && !isLeftForCooperative(i)) return lower(std::move(instruction));
    if (!mayPrecedeGroup(i) || touches(i)) group_.flush();
    liveness_.drop(i);
    writer_.keep(std::move(instruction));
}

// Instructions of which each component is computed alone join the group.
void LongVectorFunction::lower(InstructionPtr instruction) {
    const Instruction& i = *instruction;
    if (context_.vector(i.type) != nullptr) here_.insert(i.result);
    if (isSplat(context_, i)) {
        instruction->opcode = OpCompositeConstructReplicateEXT;
        instruction->operands.resize(1);
    }
    if (isReduction(i.opcode)) return group_.addReduction(std::move(instruction));
    if (i.opcode == OpLoad && loads_.add(i)) {
        liveness_.drop(i);
        return module_.retire(std::move(instruction));
    }
    if (i.opcode == OpStore) {
        if (!group_.has(i.word(1))) group_.flush();
        return group_.add(std::move(instruction));
    }
    if (lowerInPlace(i)) {
        liveness_.drop(i);
        return module_.retire(std::move(instruction));
    }
    if (context_.vector(i.type) == nullptr) {
        context_.fail(ErrorCode::kUnsupported, i, "takes no long vector");
        return;
    }
    group_.add(std::move(instruction));
}

bool LongVectorFunction::lowerInPlace(const Instruction& i) {
    using Lower = void (LongVectorFunction::*)(const Instruction&);
    constexpr std::pair<spv::Op, Lower> kReads[] = {
        {OpCompositeExtract, &LongVectorFunction::lowerExtract},
        {OpVectorExtractDynamic, &LongVectorFunction::lowerDynamicExtract},
    };
    constexpr std::pair<spv::Op, Lower> kOthers[] = {
        {OpCompositeInsert, &LongVectorFunction::lowerInsert},
        {OpVectorInsertDynamic, &LongVectorFunction::lowerDynamicInsert},
        {OpCompositeConstruct, &LongVectorFunction::lowerConstruct},
        {OpVectorShuffle, &LongVectorFunction::lowerShuffle},
        {OpBitcast, &LongVectorFunction::lowerBitcast},
        {OpIAddCarry, &LongVectorFunction::lowerPair},
        {OpISubBorrow, &LongVectorFunction::lowerPair},
        {OpUMulExtended, &LongVectorFunction::lowerPair},
        {OpSMulExtended, &LongVectorFunction::lowerPair},
        {OpCopyMemory, &LongVectorFunction::lowerCopyMemory},
        {OpFunctionCall, &LongVectorFunction::lowerCall},
        {OpReturnValue, &LongVectorFunction::lowerReturn},
    };
    for (const auto& [opcode, lower] : kReads) {
        if (opcode != i.opcode) continue;
        (this->*lower)(i);
        return true;
    }
    if (i.opcode == OpPhi || hasNoValue(i.opcode) || isNonSemantic(module_, i)) return true;
    if (isExtInst(i.opcode)) {
        if (i.word(1) == GLSLstd450ModfStruct || i.word(1) == GLSLstd450FrexpStruct) {
            group_.flush();
            lowerPair(i);
            return true;
        }
        return expandGeometry(*this, i);
    }
    if (i.opcode == OpBitcast && !changesCount(context_, i)) return false;
    for (const auto& [opcode, lower] : kOthers) {
        if (opcode != i.opcode) continue;
        group_.flush();
        (this->*lower)(i);
        return true;
    }
    return false;
}

void LongVectorFunction::beginBlock(Block& block) {
    liveness_.beginBlock(block);
    locals_.beginBlock(block);
    planReturn(block);
    writer_.beginBlock(block);
    block_ = writer_.label();
    hasEnded_ = false;
    here_.clear();
}

void LongVectorFunction::lower() {
    lowerParameters();
    planPhis();
    for (const auto& block : function_.blocks) {
        beginBlock(*block);
        bool inPhis = true;
        for (InstructionPtr& i : block->body) {
            const bool isPhi = i->opcode == OpPhi || isDebugLine(i->opcode);
            if (inPhis && !isPhi) {
                copyFromPhis(block_);
                inPhis = false;
            }
            const bool isLongPhi = i->opcode == OpPhi && touches(*i);
            if (isLongPhi && !isLeftForCooperative(*i)) {
                module_.retire(std::move(i));  // its uses end with the copies to it
            } else {
                visit(std::move(i));
            }
            if (context_.error) return;
        }
        writer_.endBlock();
    }
    writer_.finish();
}

}  // namespace coopvk::rewrite
