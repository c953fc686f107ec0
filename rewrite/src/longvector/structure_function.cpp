// SPDX-License-Identifier: Apache-2.0
#include "longvector/structure_function.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "longvector/group.hpp"

namespace coopvk::rewrite {

StructureFunction::StructureFunction(LongVectorContext& context, SplitTypes& types,
                                     Function& function)
    : VariableFrame(context, function,
                    {[&](Id type) { return types.isSplit(type); },
                     [&](Id type) { return types.plain(type); }}),
      types_(types),
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
    if (givesPair(i)) return &F::lowerPair;
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
    if (i.opcode == OpCopyMemory) return types_.isSplit(module_.pointee(i.word(0)));
    return types_.isSplit(i.type) || std::ranges::any_of(i.operands, [&](const Operand& o) {
               return o.isId && types_.isSplitValue(o.word);
           });
}

// The lowering of long vectors keeps the members of these structures apart.
void StructureFunction::findPairs() {
    const Users users(function_);
    for (size_t b = 0; b < function_.blocks.size(); ++b) {
        for (const InstructionPtr& i : function_.blocks[b]->body) {
            if (!types_.isSplit(i->type) || !givesPair(*i)) continue;
            const bool isTakenApart = users.all(i->result, [&](const Usage& use) {
                return use.user->opcode == OpCompositeExtract && use.user->operands.size() == 2 &&
                       use.position.block == b;
            });
            if (isTakenApart) context_.takenApart.insert(i->result);
        }
    }
}

std::optional<Id> StructureFunction::targetOf(const Block& block, size_t at,
                                              const Users& users) const {
    const Instruction& i = *block.body[at];
    const std::span<const Usage> uses = users.of(i.result);
    if (uses.size() != 1) return std::nullopt;
    const Instruction& store = *uses.front().user;
    const Id variable = store.word(0);
    const bool isStored = store.opcode == OpStore && uses.front().operand == 1 &&
                          store.operands.size() == 2 && &store != &i &&
                          module_.def(variable).opcode == OpVariable &&
                          module_.storage(variable) == spv::StorageClass::Function;
    if (!isStored) return std::nullopt;
    for (size_t next = at; next < block.body.size(); ++next) {
        const Instruction& between = *block.body[next];
        if (&between == &store) return variable;
        const bool touchesIt = std::ranges::any_of(between.operands, [&](const Operand& o) {
            return o.isId && rootOf(module_, o.word) == variable;
        });
        if (touchesIt) return std::nullopt;
    }
    return std::nullopt;
}

void StructureFunction::findTargets() {
    const Users users(function_);
    for (const auto& block : function_.blocks) {
        for (size_t at = 0; at < block->body.size(); ++at) {
            const Instruction& i = *block->body[at];
            const bool isNew = isOneOf(
                i.opcode, {OpCompositeConstruct, OpCompositeConstructReplicateEXT, OpFunctionCall});
            if (!isNew || !types_.isSplit(i.type)) continue;
            const std::optional<Id> variable = targetOf(*block, at, users);
            if (variable && module_.pointee(*variable) == types_.plain(i.type)) {
                targets_[i.result] = *variable;
            }
        }
    }
}

void StructureFunction::plan() {
    findPairs();
    findTargets();
}

void StructureFunction::lowerOrKeep(InstructionPtr instruction) {
    const Instruction& i = *instruction;
    slots_.unpinAll();
    if (endsBlock(i)) leaveBlock();
    // A store reads each part before it writes it.
    const bool readsFirst = i.opcode == OpStore && isOfInvocation(rootOf(module_, i.word(0)));
    if (readsFirst) {
        slots_.pin(i.word(1));
        liveness_.drop(i);
    }
    ownLoads([&](const Load& load) { return mayWriteTo(load, i); });
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

}  // namespace coopvk::rewrite
