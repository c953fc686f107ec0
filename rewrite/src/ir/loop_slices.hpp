// SPDX-License-Identifier: Apache-2.0
//
// Loops whose header tests a condition, and the code that computes values of an iteration.
#pragma once

#include <map>

#include "ir/blocks.hpp"
#include "ir/users.hpp"

namespace coopvk::rewrite {

// Blocks are numbers.
struct TestedLoop {
    size_t before = 0, header = 0, latch = 0;  // the latch branches back
    size_t first = 0, merge = 0;               // of its other blocks; behind it
    Id condition = 0;
    bool goesOnIf = true;  // the value of the condition
    Id latchLabel = 0;     // users change the function while they ask for values

    // What a phi of the header is in the first iteration, and in the next one.
    Id init(const Instruction& phi) const { return phi.word(fromLatch(phi) ? 2 : 0); }
    Id next(const Instruction& phi) const { return phi.word(fromLatch(phi) ? 0 : 2); }

 private:
    bool fromLatch(const Instruction& phi) const { return phi.word(1) == latchLabel; }
};
std::optional<TestedLoop> testedLoop(const Function& function, const BlockGraph& graph,
                                     const Loop& loop);

// Instructions that compute values, in order, and the phis that these depend on.
struct Slice {
    std::map<Position, const Instruction*> code;
    std::vector<Id> phis;
};

// Where the values of a function are defined.
class Definitions {
 public:
    explicit Definitions(const Function& function);

    std::optional<Position> of(Id value) const {
        const auto found = positions_.find(value);
        return found == positions_.end() ? std::nullopt : std::optional(found->second);
    }

    // Adds what computes a value in the blocks for which isInside(block) is true. False if
    // mayRepeat(instruction) is false for some of it, or some uses what stands behind it.
    template <typename IsInside, typename MayRepeat>
    bool collect(Id value, const IsInside& isInside, const MayRepeat& mayRepeat,
                 Slice& slice) const {
        std::vector<Id> pending = {value};
        while (!pending.empty()) {
            const std::optional<Position> found = of(pending.back());
            pending.pop_back();
            if (!found || !isInside(found->block)) continue;
            const Instruction& i = *function_.blocks[found->block]->body[found->at];
            if (i.opcode == OpPhi) {
                slice.phis.push_back(i.result);
                continue;
            }
            if (!mayRepeat(i)) return false;
            if (!slice.code.emplace(*found, &i).second) continue;
            for (const Operand& o : i.operands) {
                const std::optional<Position> from = o.isId ? of(o.word) : std::nullopt;
                if (from && isInside(from->block) && *from >= *found) return false;
                if (from) pending.push_back(o.word);
            }
        }
        return true;
    }

 private:
    const Function& function_;
    std::unordered_map<Id, Position> positions_;
};

}  // namespace coopvk::rewrite
