// SPDX-License-Identifier: Apache-2.0
#include "longvector/frame.hpp"

#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "longvector/group.hpp"

namespace coopvk::rewrite {

VariableFrame::VariableFrame(LongVectorContext& context, Function& function, VariableTypes types)
    : context_(context),
      module_(context.module),
      function_(function),
      writer_(context, function),
      variables_(std::move(types)),
      liveness_(context.module, function, variables_.areInVariables),
      slots_(context, writer_, liveness_),
      locals_(
          context.module, function,
          [&](Id type) {
              return variables_.areInVariables(type) && variables_.ofVariable(type) == type;
          },
          slots_, liveness_) {}

// ---------------------------------------------------------------------------------------------
// Functions

InstructionPtr VariableFrame::pointerParameter(Id type) {
    InstructionPtr pointer =
        makeInstruction(OpFunctionParameter, context_.functionPointer(variables_.ofVariable(type)),
                        module_.takeId(), {});
    module_.setDef(pointer.get());
    return pointer;
}

void VariableFrame::lowerParameters() {
    Instruction& definition = *function_.definition;
    const bool returns = variables_.areInVariables(definition.type);
    bool changed = returns;
    for (InstructionPtr& parameter : function_.parameters) {
        if (!variables_.areInVariables(parameter->type)) continue;
        changed = true;
        InstructionPtr pointer = pointerParameter(parameter->type);
        setVariable(parameter->result, pointer->result);
        module_.retire(std::exchange(parameter, std::move(pointer)));
    }
    if (returns) {
        function_.parameters.push_back(pointerParameter(definition.type));
        returned_ = function_.parameters.back()->result;
        definition.type = context_.types.voidType();
    }
    if (!changed) return;
    std::vector<Id> parameters;
    for (const InstructionPtr& p : function_.parameters) parameters.push_back(p->type);
    definition.operands[1] = idOperand(context_.types.functionType(definition.type, parameters));
}

void VariableFrame::lowerCall(const Instruction& i) {
    const bool returns = variables_.areInVariables(i.type);
    const Id result = returns ? newVariableFor(i.result) : 0;
    slots_.pin(i.result);  // arguments are not in the same variable
    std::vector<Id> arguments;
    for (const Operand& o : operandsBehind(i, 1)) {
        arguments.push_back(isInVariable(o.word) ? pointerTo(o.word) : o.word);
    }
    if (!returns) {
        emit().call(i.type, i.word(0), arguments, i.result);
        return;
    }
    arguments.push_back(result);
    emit().call(context_.types.voidType(), i.word(0), arguments);
}

void VariableFrame::lowerReturn(const Instruction& i) {
    copyTo(i.word(0), *returned_);
    writer_.keep(makeInstruction(OpReturn, 0, 0, {}));
}

// ---------------------------------------------------------------------------------------------
// What was loaded

bool VariableFrame::isOfInvocation(Id root) const {
    return module_.def(root).opcode == OpVariable && isPrivate(module_.storage(root));
}

void VariableFrame::readInPlace(const Instruction& load) {
    const Id pointer = load.word(0), root = rootOf(module_, pointer);
    loads_.push_back({load.result, pointer, root, isOfInvocation(root)});
    slots_.pass(root, load.result);
}

bool VariableFrame::mayWrite(const Instruction& i) const {
    return (effectsOf(module_, i) & (kWrites | kActs)) != 0;
}

bool VariableFrame::mayWriteTo(const Load& load, const Instruction& i) const {
    if (isOneOf(i.opcode, {OpStore, OpCopyMemory, OpCopyMemorySized})) {
        const Id root = rootOf(module_, i.word(0));
        return load.isOfInvocation ? root == load.root : !isOfInvocation(root);
    }
    if (!mayWrite(i)) return false;
    if (!load.isOfInvocation) return true;
    if (i.opcode == OpFunctionCall && module_.storage(load.root) == spv::StorageClass::Private) {
        return true;
    }
    return std::ranges::any_of(i.operands, [&](const Operand& o) {
        return o.isId && rootOf(module_, o.word) == load.root;
    });
}

// ---------------------------------------------------------------------------------------------
// Phis

// Whether nothing reads a phi's former value once the next one is in its variable: neither a later
// block nor another phi, of whichever block.
bool VariableFrame::isSafeAsIncoming(const Instruction& phi) const {
    for (size_t p = 0; p + 1 < phi.operands.size(); p += 2) {
        const Id from = phi.word(p + 1);
        if (liveness_.isNeededBehind(phi.result, from)) return false;
        const size_t own = phi.word(p) == phi.result ? 1 : 0;
        if (liveness_.takenAtEndOf(from, phi.result) > own) return false;
    }
    return true;
}

void VariableFrame::planPhis() {
    for (const auto& block : function_.blocks) {
        for (const InstructionPtr& i : block->body) {
            if (i->opcode != OpPhi || !variables_.areInVariables(i->type)) continue;
            if (liveness_.uses(i->result) == 0) continue;
            const Id incoming = slots_.declare(variables_.ofVariable(i->type));
            if (isSafeAsIncoming(*i)) {
                setVariable(i->result, incoming);
            } else {
                copiedPhis_[block->id()].push_back({i->result, incoming});
            }
            for (size_t p = 0; p + 1 < i->operands.size(); p += 2) {
                copies_[i->word(p + 1)].push_back({incoming, i->word(p)});
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Blocks

bool VariableFrame::endsBlock(const Instruction& i) {
    return isTerminator(i.opcode) || i.opcode == OpSelectionMerge || i.opcode == OpLoopMerge;
}

void VariableFrame::leaveBlock() {
    if (std::exchange(hasLeft_, true)) return;
    for (const auto& [to, from] : copies_[block_]) {
        liveness_.drop(from);
        copyTo(from, to);
    }
    for (const Load& load : loads_) {
        if (liveness_.isNeededBehind(load.value)) own(load.value);
    }
    loads_.clear();
}

void VariableFrame::beginBlock(Block& block) {
    liveness_.beginBlock(block);
    locals_.beginBlock(block);
    writer_.beginBlock(block);
    block_ = writer_.label();
    hasLeft_ = false;
    here_ = std::unordered_set<Id>();
}

void VariableFrame::visit(InstructionPtr instruction) {
    if (locals_.isLocal(instruction->result)) return module_.retire(std::move(instruction));
    locals_.replaceIn(*instruction);
    if (variables_.areInVariables(instruction->type)) here_.insert(instruction->result);
    lowerOrKeep(std::move(instruction));
    locals_.endInstruction();
}

void VariableFrame::lower() {
    lowerParameters();
    plan();
    planPhis();
    for (const auto& block : function_.blocks) {
        beginBlock(*block);
        bool inPhis = true;
        for (InstructionPtr& i : block->body) {
            if (inPhis && i->opcode != OpPhi && !isDebugLine(i->opcode)) {
                inPhis = false;
                for (const Phi& phi : copiedPhis_[block_]) defineFrom(phi.result, phi.incoming);
            }
            if (i->opcode == OpPhi && variables_.areInVariables(i->type)) {
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

void lowerFunctions(LongVectorContext& context, const std::function<bool(Id type)>& isLowered,
                    const std::function<void(Function&)>& lower) {
    Module& module = context.module;
    std::unordered_set<Id> gone;
    module.visitBlocks([&](const Instruction& i) {
        const bool isVariable = i.opcode == OpVariable && isLowered(module.pointee(i.result));
        if (isVariable || isLowered(i.type)) gone.insert(i.result);
    });
    for (const auto& function : module.functions()) {
        for (const InstructionPtr& i : function->parameters) {
            if (isLowered(i->type)) gone.insert(i->result);
        }
        lower(*function);
        if (context.error) return;
    }
    forEachInstruction(module, [&](const Instruction* i) { gone.erase(i->result); });
    module.forget(gone);
}

}  // namespace coopvk::rewrite
