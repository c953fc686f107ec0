// SPDX-License-Identifier: Apache-2.0
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <unordered_map>

#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

using Key = std::vector<uint32_t>;

struct HashOfKey {
    size_t operator()(const Key& key) const {
        uint64_t hash = 0;
        for (const uint32_t word : key) hash = (hash ^ word) * 0x9E3779B97F4A7C15 + 1;
        return static_cast<size_t>(hash);
    }
};

bool isDecorated(const Module& module, Id id) {
    return std::ranges::any_of(module.annotationsOf(id), [](const Instruction* i) {
        return i->opcode != OpName && i->opcode != OpNop;
    });
}

// Instructions of GLSL.std.450 that only compute, and of integers: those of floats stay where the
// compilers of drivers fuse them.
bool isIntegerFunction(const Module& module, const Instruction& i) {
    return i.opcode == OpExtInst && !isNonSemantic(module, i) &&
           isOneOf<uint32_t>(i.word(1), {GLSLstd450UMin, GLSLstd450UMax, GLSLstd450SMin,
                                         GLSLstd450SMax, GLSLstd450UClamp, GLSLstd450SClamp});
}

// Whether an equal instruction ahead of it gives the same value.
bool isRepeatable(const Module& module, const Instruction& i) {
    if (i.result == 0 || i.type == 0) return false;
    if (isIntegerFunction(module, i)) return !isDecorated(module, i.result);
    if (!isPure(i.opcode) || hasNoValue(i.opcode)) return false;
    if (isOneOf(i.opcode, {OpPhi, OpVariable, kOpFreeze})) return false;
    return !isDecorated(module, i.result);
}

class RepeatedValues {
 public:
    RepeatedValues(Module& module, Function& function, bool acrossBlocks)
        : module_(module),
          function_(function),
          acrossBlocks_(acrossBlocks),
          graph_(function),
          dominators_(function, graph_) {}

    void run() {
        for (size_t b = 0; b < function_.blocks.size(); ++b) visit(b);
        if (same_.empty()) return;
        for (const auto& block : function_.blocks) {
            for (const InstructionPtr& i : block->body) replaceOperands(*i);
        }
        module_.forget(gone_);
    }

 private:
    void replaceOperands(Instruction& i) const {
        for (Operand& o : i.operands) {
            if (!o.isId) continue;
            const auto found = same_.find(o.word);
            if (found != same_.end()) o.word = found->second;
        }
    }

    // The result of an equal instruction in this block or in one that dominates it; 0: none.
    Id find(size_t block, const Key& key) const {
        const auto found = known_.find(key);
        if (found == known_.end()) return 0;
        for (const auto& [earlier, result] : found->second) {
            if (earlier == block) return result;
            if (acrossBlocks_ && dominators_.dominates(earlier, block)) return result;
        }
        return 0;
    }

    void visit(size_t block) {
        InstructionList& body = function_.blocks[block]->body;
        std::erase_if(body, [&](InstructionPtr& i) {
            if (i->opcode != OpPhi) replaceOperands(*i);
            if (!isRepeatable(module_, *i)) return false;
            Key key = {static_cast<uint32_t>(i->opcode), i->type};
            for (const Operand& o : i->operands) key.push_back(o.word);
            const Id earlier = find(block, key);
            if (earlier == 0) {
                known_[std::move(key)].emplace_back(block, i->result);
                return false;
            }
            same_.emplace(i->result, earlier);
            gone_.insert(i->result);
            module_.retire(std::move(i));
            return true;
        });
    }

    Module& module_;
    Function& function_;
    const bool acrossBlocks_;
    const BlockGraph graph_;
    const Dominators dominators_;
    // Blocks with such an instruction, and its results there.
    std::unordered_map<Key, std::vector<std::pair<size_t, Id>>, HashOfKey> known_;
    std::unordered_map<Id, Id> same_;  // results that others replace
    std::unordered_set<Id> gone_;
};

}  // namespace

void shareRepeatedValues(Module& module, bool acrossBlocks) {
    for (const auto& function : module.functions()) {
        RepeatedValues(module, *function, acrossBlocks).run();
        removeUnused(module, *function,
                     [&](const Instruction& i) { return isRepeatable(module, i); });
    }
}

}  // namespace coopvk::rewrite
