// SPDX-License-Identifier: Apache-2.0
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>

#include "ir/blocks.hpp"
#include "ir/dominators.hpp"
#include "ir/effects.hpp"
#include "ir/opcodes.hpp"
#include "optimise/optimise.hpp"

namespace coopvk::rewrite {

namespace {

// Extended instructions of integers: those of floats stay where the compilers of drivers fuse them.
bool isIntegerFunction(const Instruction& i) {
    return isOneOf<uint32_t>(i.word(1), {GLSLstd450UMin, GLSLstd450UMax, GLSLstd450SMin,
                                         GLSLstd450SMax, GLSLstd450UClamp, GLSLstd450SClamp});
}

// Whether an equal instruction ahead of it gives the same value, unless one of them is decorated.
// What only computes names no function, but for calls: so no operand is looked up.
bool isRepeatable(const Module& module, const Instruction& i) {
    if (i.type == 0 || i.opcode == OpFunctionCall) return false;
    if (isExtInst(i.opcode) && !isIntegerFunction(i)) return false;
    return onlyComputes(ownEffects(module, i));
}

size_t hashOf(const Instruction& i) {
    uint64_t hash = static_cast<uint32_t>(i.opcode) | uint64_t{i.type} << 32;
    for (const Operand& o : i.operands) hash = (hash ^ o.word) * 0x9E3779B97F4A7C15 + 1;
    return static_cast<size_t>(hash ^ hash >> 32);
}

bool areEqual(const Instruction& a, const Instruction& b) {
    return a.opcode == b.opcode && a.type == b.type &&
           std::ranges::equal(a.operands, b.operands, {}, &Operand::word, &Operand::word);
}

// At so many of the same hash at most, since those of parallel branches replace each other nowhere.
constexpr uint32_t kMostLooks = 512;

class EqualValues {
 public:
    EqualValues(TypeTable& types, Function& function, Within within, ReplacedValues& replaced)
        : types_(types), module_(types.module()), function_(function), replaced_(replaced) {
        if (within == Within::kFunction) dominance_.emplace(function);
        size_t count = 0;
        for (const auto& block : function.blocks) count += block->body.size();
        newest_.resize(std::bit_ceil(count + 1));
    }

    void run() {
        for (size_t b = 0; b < function_.blocks.size(); ++b) visit(b);
        replaced_.update(function_);
    }

 private:
    struct Dominance {
        explicit Dominance(const Function& function)
            : graph(function), dominators(function, graph) {}
        BlockGraph graph;
        Dominators dominators;
    };
    struct Known {
        const Instruction* instruction;
        size_t block;
        uint32_t older;  // another one with its hash, as in newest_
    };

    // Of equal instructions in this block or in those that dominate it.
    struct Earlier {
        std::optional<Id> result;  // of the oldest one, unless it or the later one is decorated
        bool isKnown = false;      // whether there is one
    };

    Earlier find(size_t block, const Instruction& i, uint32_t newest) const {
        Earlier earlier;
        uint32_t looks = 0;
        for (uint32_t n = newest; n != 0 && looks < kMostLooks; n = known_[n - 1].older, ++looks) {
            const Known& known = known_[n - 1];
            if (!dominance_ && known.block != block) break;  // those of a block are together
            if (!areEqual(*known.instruction, i)) continue;
            const bool isAhead =
                known.block == block || dominance_->dominators.dominates(known.block, block);
            earlier.isKnown |= isAhead;
            if (isAhead && !module_.isDecorated(i.result) &&
                !module_.isDecorated(known.instruction->result)) {
                earlier.result = known.instruction->result;
            }
        }
        return earlier;
    }

    void visit(size_t block) {
        std::erase_if(function_.blocks[block]->body, [&](InstructionPtr& i) {
            replaced_.update(*i);
            const std::optional<Id> value = i->result != 0 ? valueOf(block, *i) : std::nullopt;
            if (!value || *value == i->result) return false;
            replaced_.replace(i->result, *value);
            module_.retire(std::move(i));
            return true;
        });
    }

    // What another instruction or a constant gives, too.
    std::optional<Id> valueOf(size_t block, Instruction& i) {
        if (const std::optional<Id> value = simplified(types_, i)) return value;
        if (!isRepeatable(module_, i)) return std::nullopt;
        uint32_t& newest = newest_[hashOf(i) % newest_.size()];
        const Earlier earlier = find(block, i, newest);
        // Another decorated one serves nothing, and each later one would look at it.
        if (earlier.result || (earlier.isKnown && module_.isDecorated(i.result)))
            return earlier.result;
        known_.push_back({&i, block, newest});
        newest = static_cast<uint32_t>(known_.size());
        return std::nullopt;
    }

    TypeTable& types_;
    Module& module_;
    Function& function_;
    std::optional<Dominance> dominance_;  // nullopt: within blocks
    std::vector<Known> known_;
    std::vector<uint32_t> newest_;  // by hash: a number in known_, from 1; 0: none
    ReplacedValues& replaced_;
};

}  // namespace

void shareEqualValues(TypeTable& types, Within within) {
    ReplacedValues replaced(types.module());
    for (const auto& function : types.module().functions())
        EqualValues(types, *function, within, replaced).run();
}

}  // namespace coopvk::rewrite
