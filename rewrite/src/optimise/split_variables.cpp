// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "optimise/optimise.hpp"

namespace coopvk::rewrite {

namespace {

// Variables of so many levels at most: what is left is in memory.
constexpr uint32_t kMostLevels = 4;

class Splitting {
 public:
    Splitting(TypeTable& types, Function& function)
        : types_(types), module_(types.module()), function_(function), users_(function) {}

    bool run() {
        InstructionList parts;
        std::unordered_set<Id> gone;
        for (const InstructionPtr& i : function_.blocks.front()->body) {
            if (i->opcode != OpVariable || !maySplit(*i)) continue;
            gone.insert(i->result);
            split(*i, parts);
        }
        if (gone.empty()) return false;
        for (const auto& block : function_.blocks) {
            gone.merge(module_.takeOut(block->body, [&](const Instruction& i) {
                return gone.contains(i.result) || replaced_.contains(i.result);
            }));
        }
        insertAt(function_.blocks.front()->body, 0, std::move(parts));
        function_.visitBlocks([&](Instruction& i) {
            for (Operand& o : i.operands) {
                const auto found = o.isId ? replaced_.find(o.word) : replaced_.end();
                if (found != replaced_.end()) o.word = found->second;
            }
        });
        module_.forget(gone);
        return true;
    }

 private:
    // The part that a chain leads into.
    std::optional<uint64_t> partOf(const Usage& use) const {
        const Instruction& i = *use.user;
        const bool isChain = isAccessChain(i.opcode) && use.operand == 0 && i.operands.size() > 1;
        if (!isChain || module_.isDecorated(i.result)) return std::nullopt;
        return module_.constantValue(i.word(1));
    }

    // Whether a pointer is only loaded from and stored to, or leads on to such ones.
    bool isOnlyAccessed(Id pointer, uint32_t levels = kMostLevels) const {
        return levels != 0 && users_.all(pointer, [&](const Usage& use) {
            const Instruction& i = *use.user;
            if (use.operand != 0) return false;
            return (i.opcode == OpLoad && i.operands.size() == 1) ||
                   (i.opcode == OpStore && i.operands.size() == 2) ||
                   (isAccessChain(i.opcode) && !module_.isDecorated(i.result) &&
                    isOnlyAccessed(i.result, levels - 1));
        });
    }

    bool maySplit(const Instruction& variable) const {
        const Id type = module_.pointee(variable.result);
        const auto count = memberCount(module_, type);
        const spv::Op opcode = module_.def(type).opcode;
        if (variable.operands.size() != 1 || module_.isDecorated(variable.result) || !count ||
            !isOneOf(opcode, {OpTypeArray, OpTypeStruct})) {
            return false;
        }
        return users_.isUsed(variable.result) && users_.all(variable.result, [&](const Usage& use) {
            const auto part = partOf(use);
            return part && *part < *count && isOnlyAccessed(use.user->result);
        });
    }

    void split(const Instruction& variable, InstructionList& made) {
        std::map<uint64_t, Id> parts;
        for (const Usage& use : users_.of(variable.result)) {
            Instruction& chain = *use.user;
            const uint64_t index = *partOf(use);
            Id& part = parts[index];
            if (part == 0) {
                const Id type = memberType(module_, module_.pointee(variable.result), index);
                const Id pointer = chain.operands.size() == 2
                                       ? chain.type
                                       : types_.pointerType(spv::StorageClass::Function, type);
                part = Emitter(types_, made)
                           .op(OpVariable, pointer, Operands{literal(spv::StorageClass::Function)});
            }
            if (chain.operands.size() == 2) {
                replaced_[chain.result] = part;
            } else {
                chain.operands[0].word = part;
                chain.operands.erase(&chain.operands[1]);
            }
        }
    }

    TypeTable& types_;
    Module& module_;
    Function& function_;
    const Users users_;
    std::unordered_map<Id, Id> replaced_;  // chains
};

}  // namespace

void splitVariables(TypeTable& types, Function& function) {
    if (function.blocks.empty()) return;
    const Module& module = types.module();
    const auto isComposite = [&](const InstructionPtr& i) {
        return i->opcode == OpVariable &&
               isOneOf(module.def(module.pointee(i->result)).opcode, {OpTypeArray, OpTypeStruct});
    };
    for (uint32_t level = 0; level < kMostLevels; ++level) {
        if (std::ranges::none_of(function.blocks.front()->body, isComposite)) return;
        if (!Splitting(types, function).run()) return;
    }
}

}  // namespace coopvk::rewrite
