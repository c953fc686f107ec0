// SPDX-License-Identifier: Apache-2.0
#include "longvector/structure_function.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "longvector/group.hpp"
#include "longvector/loads.hpp"

namespace coopvk::rewrite {

namespace {

bool isPair(const Instruction& i) {
    if (isOneOf(i.opcode, {OpIAddCarry, OpISubBorrow, OpUMulExtended, OpSMulExtended})) return true;
    return isExtInst(i.opcode) &&
           (i.word(1) == GLSLstd450ModfStruct || i.word(1) == GLSLstd450FrexpStruct);
}

bool isMerge(spv::Op opcode) { return opcode == OpSelectionMerge || opcode == OpLoopMerge; }

}  // namespace

StructureFunction::StructureFunction(LongVectorContext& context, HeldTypes& types,
                                     Function& function)
    : context_(context),
      module_(context.module),
      types_(types),
      function_(function),
      writer_(context, function),
      liveness_(function, [&](Id type) { return types.isHeld(type); }),
      slots_(context, writer_, liveness_),
      locals_(
          context.module, function,
          [&](Id type) { return types.isHeld(type) && types.plain(type) == type; }, slots_,
          liveness_),
      places_(context, writer_) {}

StructureFunction::Lower StructureFunction::rowOf(const Module& module, const Instruction& i) {
    using F = StructureFunction;
    constexpr std::pair<spv::Op, Lower> kRows[] = {
        {OpLoad, &F::lowerLoad},
        {OpStore, &F::lowerStore},
        {OpCompositeExtract, &F::lowerExtract},
        {OpCompositeInsert, &F::lowerInsert},
        {OpCompositeConstruct, &F::lowerConstruct},
        {OpCompositeConstructReplicateEXT, &F::lowerConstruct},
        {OpCopyObject, &F::lowerCopy},
        {OpCopyLogical, &F::lowerCopy},
        {kOpFreeze, &F::lowerCopy},
        {OpSelect, &F::lowerSelect},
        {OpCopyMemory, &F::lowerCopyMemory},
        {OpFunctionCall, &F::lowerCall},
        {OpReturnValue, &F::lowerReturn},
        {OpPhi, &F::lowerNothing},
    };
    if (isPair(i)) return &F::lowerPair;
    if (hasNoValue(i.opcode) || isNonSemantic(module, i)) return &F::lowerNothing;
    const auto* row = std::ranges::find(kRows, i.opcode, &std::pair<spv::Op, Lower>::first);
    return row == std::end(kRows) ? nullptr : row->second;
}

bool StructureFunction::lowers(const Module& module, const Instruction& i) {
    return rowOf(module, i) != nullptr;
}

bool StructureFunction::touches(const Instruction& i) const {
    if (i.opcode == OpVariable || context_.takenApart.contains(i.result)) return false;
    if (i.opcode == OpCompositeExtract && context_.takenApart.contains(i.word(0))) return false;
    if (i.opcode == OpCopyMemory) return types_.isHeld(module_.pointee(i.word(0)));
    return types_.isHeld(i.type) || std::ranges::any_of(i.operands, [&](const Operand& o) {
               return o.isId && types_.isHeldValue(o.word);
           });
}

// A parameter becomes a pointer to a variable that nothing writes to during the call; the result, a
// pointer behind the parameters.
void StructureFunction::lowerParameters() {
    Instruction& definition = *function_.definition;
    const auto declare = [&](Id type) {
        InstructionPtr pointer =
            makeInstruction(OpFunctionParameter, context_.functionPointer(types_.plain(type)),
                            module_.takeId(), {});
        module_.setDef(pointer.get());
        return pointer;
    };
    const bool returns = types_.isHeld(definition.type);
    bool changed = returns;
    for (InstructionPtr& parameter : function_.parameters) {
        if (!types_.isHeld(parameter->type)) continue;
        changed = true;
        InstructionPtr pointer = declare(parameter->type);
        placed_[parameter->result] = places_.behind(pointer->result, types_.plain(parameter->type));
        module_.retire(std::exchange(parameter, std::move(pointer)));
    }
    if (returns) {
        function_.parameters.push_back(declare(definition.type));
        returned_ = function_.parameters.back()->result;
        definition.type = context_.types.voidType();
    }
    if (!changed) return;
    std::vector<Id> parameters;
    for (const InstructionPtr& p : function_.parameters) parameters.push_back(p->type);
    definition.operands[1] = idOperand(context_.types.functionType(definition.type, parameters));
}

// The lowering of long vectors keeps the members of these structures apart.
void StructureFunction::findPairs() {
    const Users users(function_);
    for (size_t b = 0; b < function_.blocks.size(); ++b) {
        for (const InstructionPtr& i : function_.blocks[b]->body) {
            if (!types_.isHeld(i->type) || !isPair(*i)) continue;
            const bool isTakenApart = users.all(i->result, [&](const Usage& use) {
                return use.user->opcode == OpCompositeExtract && use.user->operands.size() == 2 &&
                       use.position.block == b;
            });
            if (isTakenApart) context_.takenApart.insert(i->result);
        }
    }
}

Id StructureFunction::targetOf(const Block& block, size_t at, const Users& users) const {
    const Instruction& i = *block.body[at];
    const std::span<const Usage> uses = users.of(i.result);
    if (uses.size() != 1) return 0;
    const Instruction& store = *uses.front().user;
    const Id variable = store.word(0);
    const bool isStored = store.opcode == OpStore && uses.front().operand == 1 &&
                          store.operands.size() == 2 && &store != &i &&
                          module_.def(variable).opcode == OpVariable &&
                          module_.storage(variable) == spv::StorageClass::Function;
    if (!isStored) return 0;
    for (size_t next = at; next < block.body.size(); ++next) {
        const Instruction& between = *block.body[next];
        if (&between == &store) return variable;
        const bool touchesIt = std::ranges::any_of(between.operands, [&](const Operand& o) {
            return o.isId && rootOf(module_, o.word) == variable;
        });
        if (touchesIt) return 0;
    }
    return 0;
}

void StructureFunction::findTargets() {
    const Users users(function_);
    for (const auto& block : function_.blocks) {
        for (size_t at = 0; at < block->body.size(); ++at) {
            const Instruction& i = *block->body[at];
            const bool isNew = isOneOf(
                i.opcode, {OpCompositeConstruct, OpCompositeConstructReplicateEXT, OpFunctionCall});
            if (!isNew || !types_.isHeld(i.type)) continue;
            const Id variable = targetOf(*block, at, users);
            if (variable != 0 && module_.pointee(variable) == types_.plain(i.type)) {
                targets_[i.result] = variable;
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// What was loaded

bool StructureFunction::isOfInvocation(Id root) const {
    return module_.def(root).opcode == OpVariable && isPrivate(module_.storage(root));
}

bool StructureFunction::isChangedBy(const Load& load, const Instruction& i) const {
    if (!liveness_.isNeeded(load.value)) return false;
    if (load.isOfInvocation) return mayWriteTo(module_, load.root, i);
    if (isOneOf(i.opcode, {OpStore, OpCopyMemory, OpCopyMemorySized})) {
        return !isOfInvocation(rootOf(module_, i.word(0)));
    }
    const bool onlyReads =
        isOneOf(i.opcode, {OpLoad, OpCopyLogical, OpCompositeConstructReplicateEXT}) ||
        firstChainIndex(i.opcode) != 0 || isPure(i.opcode) || isNonSemantic(module_, i);
    if (onlyReads) return false;
    return !isExtInst(i.opcode) || writesMemory(i);
}

void StructureFunction::copyChanged(const Instruction& i) {
    std::vector<Id> changed;
    std::erase_if(loads_, [&](const Load& load) {
        if (!isChangedBy(load, i)) return false;
        changed.push_back(load.value);
        return true;
    });
    for (const Id value : changed) own(value);
}

// ---------------------------------------------------------------------------------------------
// Blocks

void StructureFunction::beginBlock(Block& block) {
    liveness_.beginBlock(block);
    locals_.beginBlock(block);
    writer_.beginBlock(block);
    block_ = writer_.label();
    hasEnded_ = false;
    here_.clear();
}

void StructureFunction::endBlock() {
    hasEnded_ = true;
    for (const auto& [to, from] : phis_.copies[block_]) {
        liveness_.drop(from);
        const StructurePlace place = placeOf(from);
        if (place.pointer == to) continue;
        places_.copy(places_.behind(to, module_.pointee(to)), place);
    }
    for (const Load& load : loads_) {
        if (liveness_.isNeededBehind(load.value)) own(load.value);
    }
    loads_.clear();
}

void StructureFunction::visit(InstructionPtr instruction) {
    if (locals_.isLocal(instruction->result)) return module_.retire(std::move(instruction));
    locals_.replaceIn(*instruction);
    lowerOrKeep(std::move(instruction));
    locals_.endInstruction();
    slots_.release();
}

void StructureFunction::lowerOrKeep(InstructionPtr instruction) {
    const Instruction& i = *instruction;
    if ((isTerminator(i.opcode) || isMerge(i.opcode)) && !hasEnded_) endBlock();
    // A store reads each part before it writes it.
    const bool readsFirst = i.opcode == OpStore && isOfInvocation(rootOf(module_, i.word(0)));
    if (readsFirst) {
        slots_.hold(i.word(1));
        liveness_.drop(i);
    }
    copyChanged(i);
    if (types_.isHeld(i.type)) here_.insert(i.result);
    if (touches(i)) {
        (this->*rowOf(module_, i))(i);
    }
    if (!readsFirst) liveness_.drop(i);
    if (touches(i)) {
        module_.retire(std::move(instruction));
    } else {
        writer_.keep(std::move(instruction));
    }
}

void StructureFunction::lower() {
    lowerParameters();
    findPairs();
    findTargets();
    phis_ = planPhisOf(
        function_, liveness_, [&](Id type) { return types_.isHeld(type); },
        [&](Id type) { return slots_.declare(types_.plain(type)); });
    for (const PhiInVariable& phi : phis_.inPlace) {
        placed_[phi.result] = places_.behind(phi.incoming, module_.pointee(phi.incoming));
    }
    for (const auto& block : function_.blocks) {
        beginBlock(*block);
        bool inPhis = true;
        for (InstructionPtr& i : block->body) {
            if (inPhis && i->opcode != OpPhi && !isDebugLine(i->opcode)) {
                inPhis = false;
                for (const PhiInVariable& phi : phis_.copied[block_]) {
                    const StructurePlace incoming =
                        places_.behind(phi.incoming, module_.pointee(phi.incoming));
                    places_.copy(slotFor(phi.result), incoming);
                }
            }
            if (i->opcode == OpPhi && types_.isHeld(i->type)) {
                module_.retire(std::move(i));  // its uses end with the copies to it
            } else {
                visit(std::move(i));
            }
        }
        writer_.endBlock();
    }
    writer_.finish();
}

}  // namespace coopvk::rewrite
