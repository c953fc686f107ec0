// SPDX-License-Identifier: Apache-2.0
#include "longvector/frame.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "longvector/function.hpp"

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
    if (!returned_) {
        context_.fail(ErrorCode::kInvalidModule, i, "returns what its function does not");
        return;
    }
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

LongVectorLiveness::LongVectorLiveness(const Module& module, const Function& function,
                                       const std::function<bool(Id type)>& isInVariable)
    : module_(module) {
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        numbers_[function.blocks[b]->id()] = b;
        for (const InstructionPtr& i : function.blocks[b]->body) {
            for (const Operand& o : i->operands) {
                if (o.isId) ++all_[o.word];
            }
            if (i->type != 0 && isInVariable(i->type)) definedIn_[i->result] = b;
        }
    }
    if (!definedIn_.empty()) findUses(function);
}

void LongVectorLiveness::findUses(const Function& function) {
    const BlockGraph graph(function);
    const Users users(function);
    for (const auto& [value, definition] : definedIn_) {
        for (const Usage& use : users.of(value)) {
            std::optional<size_t> block = use.position.block;
            if (use.user->opcode == OpPhi) {
                const Id from = use.user->word(use.operand + 1);
                ++copied_[from][value];
                block = graph.number(from);
            }
            if (block) need(value, *block, graph, function);
        }
    }
}

// A use in a block: the value is needed behind all blocks on the way from its definition.
void LongVectorLiveness::need(Id value, size_t block, const BlockGraph& graph,
                              const Function& function) {
    const size_t definition = definedIn_.at(value);
    std::vector<size_t> reached;
    const auto reach = [&](size_t b) {
        if (b == definition) return;
        reached.push_back(b);
        size_t& last = lastBlock_[value];
        last = std::max(last, b);
    };
    reach(block);
    while (!reached.empty()) {
        const size_t b = reached.back();
        reached.pop_back();
        for (const size_t from : graph.predecessors(b)) {
            module_.countSteps(1);
            if (!neededBehind_[function.blocks[from]->id()].insert(value).second) continue;
            reach(from);
        }
    }
}

void LongVectorLiveness::beginBlock(const Block& block) {
    block_ = block.id();
    if (const auto found = numbers_.find(block_); found != numbers_.end()) number_ = found->second;
    here_ = Counts();  // clear() takes as long as the largest block was
    for (const InstructionPtr& i : block.body) {
        if (i->opcode == OpPhi) continue;
        for (const Operand& o : i->operands) {
            if (o.isId) ++here_[o.word];
        }
    }
    const auto copied = copied_.find(block_);
    if (copied == copied_.end()) return;
    for (const auto& [value, count] : copied->second) here_[value] += count;
}

void LongVectorLiveness::add(const Instruction& i) {
    for (const Operand& o : i.operands) {
        if (o.isId) addUse(o.word);
    }
}

void LongVectorLiveness::drop(const Instruction& i) {
    for (const Operand& o : i.operands) {
        if (!o.isId) continue;
        --all_[o.word];
        if (i.opcode != OpPhi) --here_[o.word];
    }
}

void LongVectorLiveness::drop(Id value) {
    --all_[value];
    --here_[value];
}

size_t LongVectorLiveness::takenAtEndOf(Id block, Id value) const {
    const auto copied = copied_.find(block);
    return copied == copied_.end() ? 0 : countOf(copied->second, value);
}

bool LongVectorLiveness::isNeededBehind(Id value, Id block) const {
    const auto found = neededBehind_.find(block);
    return found != neededBehind_.end() && found->second.contains(value);
}

Id LongVectorSlots::declare(Id type) {
    const Id variable = writer_.variable(type);
    context_.module.edit(variable)->type = context_.functionPointer(type);
    return variable;
}

bool LongVectorSlots::isFree(const Slot& slot) const {
    return std::ranges::none_of(slot.values, [&](Id value) {
        return pinned_.contains(value) || liveness_.isNeeded(value);
    });
}

namespace {

// Of so many slots the first free one is taken; of more, so many are looked at.
constexpr size_t kMostLooks = 64;

}  // namespace

LongVectorSlots::Slot* LongVectorSlots::findFree(OfType& all) const {
    const size_t count = all.slots.size(), first = std::min(count, kMostLooks);
    for (size_t s = 0; s < first; ++s) {
        if (isFree(*all.slots[s])) return all.slots[s];
    }
    for (size_t looks = 0; looks < std::min(count - first, kMostLooks); ++looks) {
        all.last = (all.last + 1) % (count - first);
        Slot* slot = all.slots[first + all.last];
        if (isFree(*slot)) return slot;
    }
    return nullptr;
}

// Only values that cross blocks may be needed again on other paths.
LongVectorSlots::Slot& LongVectorSlots::freeSlot(Id type) {
    OfType& all = ofType_[type];
    if (Slot* free = findFree(all)) {
        std::erase_if(free->values, [&](Id v) { return !liveness_.mayBeNeededLater(v); });
        return *free;
    }
    Slot& slot = slots_.emplace_back(declare(type));
    byVariable_[slot.variable] = &slot;
    all.slots.push_back(&slot);
    return slot;
}

LongVectorSlots::Slot* LongVectorSlots::slotOf(Id variable) const {
    const auto found = byVariable_.find(variable);
    return found == byVariable_.end() ? nullptr : found->second;
}

Id LongVectorSlots::take(Id value, Id type) {
    Slot& slot = freeSlot(type);
    slot.values.push_back(value);
    return slot.variable;
}

bool LongVectorSlots::pass(Id variable, Id value) {
    Slot* slot = slotOf(variable);
    if (slot != nullptr) slot->values.push_back(value);
    return slot != nullptr;
}

bool LongVectorSlots::isShared(Id variable, Id value) const {
    const Slot* slot = slotOf(variable);
    return slot == nullptr || std::ranges::any_of(slot->values, [&](Id other) {
               return other != value && (pinned_.contains(other) || liveness_.isNeeded(other));
           });
}

Id LongVectorSlots::temporary(Id type) {
    Slot& slot = freeSlot(type);
    slot.values.push_back(slot.variable);  // stands for what the instruction puts there
    pin(slot.variable);
    return slot.variable;
}

// ---------------------------------------------------------------------------------------------
// Variables that the function has

// All uses of a variable, also through access chains.
struct LongVectorLocals::Uses {
    const Users& users;
    std::vector<Id> chains = {};
    const Usage* first = nullptr;
    bool inOneBlock = true;
};

// False: an instruction does something else with the pointer than to access memory.
bool LongVectorLocals::collect(Id pointer, Uses& uses) const {
    std::vector<Id> pending = {pointer};
    while (!pending.empty()) {
        const Id one = pending.back();
        pending.pop_back();
        for (const Usage& use : uses.users.of(one)) {
            const Instruction& i = *use.user;
            const bool isAccess =
                isOneOf(i.opcode, {OpLoad, OpStore, OpCopyMemory, OpFunctionCall}) ||
                isAccessChain(i.opcode) || isExtInst(i.opcode);
            if (!isAccess || isNonSemantic(module_, i)) return false;
            if (uses.first == nullptr || use.position < uses.first->position) uses.first = &use;
            uses.inOneBlock &= use.position.block == uses.first->position.block;
            if (!isAccessChain(i.opcode)) continue;
            uses.chains.push_back(i.result);
            pending.push_back(i.result);
        }
    }
    return true;
}

LongVectorLocals::LongVectorLocals(const Module& module, const Function& function,
                                   const std::function<bool(Id type)>& isInSlots,
                                   LongVectorSlots& slots, LongVectorLiveness& liveness)
    : module_(module), slots_(slots), liveness_(liveness) {
    if (function.blocks.empty()) return;
    const Users users(function);
    for (const InstructionPtr& i : function.blocks.front()->body) {
        const bool hasInitializer = i->operands.size() > 1;
        if (i->opcode != OpVariable || hasInitializer) continue;
        const Id type = module_.pointee(i->result);
        Uses uses{users};
        if (!isInSlots(type) || !collect(i->result, uses)) continue;
        const bool isStoredFirst = uses.first != nullptr && uses.first->user->opcode == OpStore &&
                                   uses.first->user->word(0) == i->result;
        if (!isStoredFirst || !uses.inOneBlock) continue;
        types_[i->result] = type;
        for (const Id chain : uses.chains) chains_[chain] = i->result;
    }
}

void LongVectorLocals::beginBlock(const Block& block) {
    if (chains_.empty()) return;
    for (const InstructionPtr& i : block.body) {
        for (const Operand& o : i->operands) {
            const auto chain = o.isId ? chains_.find(o.word) : chains_.end();
            if (chain != chains_.end()) liveness_.addUse(chain->second);
        }
    }
}

Id LongVectorLocals::slotOf(Id variable) {
    Id& slot = slot_[variable];
    if (slot == 0) slot = slots_.take(variable, types_.at(variable));
    return slot;
}

void LongVectorLocals::replaceIn(Instruction& i) {
    for (Operand& o : i.operands) {
        if (!o.isId) continue;
        if (const auto chain = chains_.find(o.word); chain != chains_.end()) {
            used_.push_back(chain->second);
            continue;
        }
        const auto type = types_.find(o.word);
        if (type == types_.end()) continue;
        used_.push_back(o.word);
        const Id slot = slotOf(o.word);
        o.word = slot;
        liveness_.addUse(slot);  // which the instruction drops
    }
}

// Instructions that wait in a group still read or write the variables.
void LongVectorLocals::endInstruction() {
    for (const Id variable : used_) {
        slots_.pin(variable);
        liveness_.drop(variable);
    }
    used_.clear();
}

}  // namespace coopvk::rewrite
