// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "optimise/optimise.hpp"
#include "optimise/variable_uses.hpp"

namespace coopvk::rewrite {

namespace {

// Variables of so many levels at most: what is left is in memory.
constexpr uint32_t kMostLevels = 4;

class Splitting {
 public:
    Splitting(TypeTable& types, Function& function, const VariableUses& uses,
              ReplacedValues& replaced)
        : types_(types),
          module_(types.module()),
          function_(function),
          uses_(uses),
          replaced_(replaced) {}

    bool run() {
        InstructionList parts;
        std::unordered_set<Id> gone;
        for (const InstructionPtr& i : function_.blocks.front()->body) {
            if (!uses_.has(i->result) || i->opcode != OpVariable || !maySplit(*i)) continue;
            gone.insert(i->result);
            split(*i, parts);
        }
        if (gone.empty()) return false;
        for (const auto& block : function_.blocks) {
            module_.takeOut(block->body, [&](const Instruction& i) {
                return gone.contains(i.result) || replaced_.has(i.result);
            });
        }
        insertAt(function_.blocks.front()->body, 0, std::move(parts));
        replaced_.update(function_);
        module_.forget(gone);
        return true;
    }

 private:
    // The part that a chain of constant indices leads into.
    std::optional<uint64_t> partOf(const Usage& use) const {
        const Instruction& i = *use.user;
        const bool isChain = isAccessChain(i.opcode) && use.operand == 0 && i.operands.size() > 1;
        if (!isChain || module_.isDecorated(i.result)) return std::nullopt;
        const bool areKnown = std::ranges::all_of(operandsBehind(i, 1), [&](const Operand& o) {
            return module_.constantValue(o.word).has_value();
        });
        return areKnown ? module_.constantValue(i.word(1)) : std::nullopt;
    }

    // Whether a pointer is only loaded from and stored to, or leads to parts of which that is true.
    // What other indices lead into stays in memory.
    bool isOnlyAccessed(Id pointer, uint32_t levels = kMostLevels) const {
        return levels != 0 && std::ranges::all_of(uses_.of(pointer), [&](const Usage& use) {
                   return isWholeAccess(module_, use) ||
                          (partOf(use) && isOnlyAccessed(use.user->result, levels - 1));
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
        const std::span<const Usage> uses = uses_.of(variable.result);
        return !uses.empty() && std::ranges::all_of(uses, [&](const Usage& use) {
            const auto part = partOf(use);
            return part && *part < *count && isOnlyAccessed(use.user->result);
        });
    }

    void split(const Instruction& variable, InstructionList& made) {
        std::map<uint64_t, Id> parts;
        for (const Usage& use : uses_.of(variable.result)) {
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
                replaced_.replace(chain.result, part);
            } else {
                chain.operands[0].word = part;
                chain.operands.erase(&chain.operands[1]);
            }
        }
    }

    TypeTable& types_;
    Module& module_;
    Function& function_;
    const VariableUses& uses_;
    ReplacedValues& replaced_;  // chains
};

}  // namespace

void splitVariables(TypeTable& types) {
    Module& module = types.module();
    VariableUses uses(module);
    ReplacedValues replaced(module);
    const auto isComposite = [&](const Instruction& i) {
        return isOneOf(module.def(module.pointee(i.result)).opcode, {OpTypeArray, OpTypeStruct});
    };
    for (const auto& function : module.functions()) {
        for (uint32_t level = 0; level < kMostLevels; ++level) {
            uses.collect(*function, isComposite);
            if (uses.empty() || !Splitting(types, *function, uses, replaced).run()) break;
        }
    }
}

}  // namespace coopvk::rewrite
