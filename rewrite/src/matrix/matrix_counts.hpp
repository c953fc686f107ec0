// SPDX-License-Identifier: Apache-2.0
//
// How many matrices variables keep.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// How many matrices types hold, or what pointers to them point to. Each type is looked at once:
// hostile modules nest structures in themselves.
class MatrixCounts {
 public:
    explicit MatrixCounts(const Module& module) : module_(module) {}

    // Of every type (matrix 0), or of one.
    uint64_t in(Id type, Id matrix = 0) {
        const Instruction& i = module_.def(type);
        return held(i.opcode == spv::Op::OpTypePointer ? i.word(1) : type, matrix, 0);
    }

 private:
    // Universal limit of structures (SPIR-V specification, section 2.17).
    static constexpr uint32_t kMaxDepth = 255;
    static constexpr uint64_t kMost = 0xFFFF;

    uint64_t held(Id type, Id matrix, uint32_t depth) {
        const auto [entry, isNew] = known_.try_emplace({type, matrix}, 0);
        if (isNew && depth < kMaxDepth) entry->second = std::min(count(type, matrix, depth), kMost);
        return entry->second;
    }

    // Not behind pointers: they may lead back to the type, and no matrix lies behind one that is
    // itself in memory.
    uint64_t count(Id type, Id matrix, uint32_t depth) {
        const Instruction& i = module_.def(type);
        switch (i.opcode) {
            case spv::Op::OpTypeCooperativeMatrixKHR:
                return matrix == 0 || matrix == type ? 1 : 0;
            case spv::Op::OpTypeArray:
                return held(i.word(0), matrix, depth + 1) *
                       std::clamp<uint64_t>(module_.constantValue(i.word(1)).value_or(1), 1, kMost);
            case spv::Op::OpTypeStruct: {
                uint64_t sum = 0;
                for (const Operand& o : i.operands) sum += held(o.word, matrix, depth + 1);
                return sum;
            }
            default:
                return 0;
        }
    }

    const Module& module_;
    std::map<std::pair<Id, Id>, uint64_t> known_;
};

// Matrices of a type in that variable of the function which has most of them.
inline uint64_t mostKept(MatrixCounts& matrices, const Function& function, Id matrix) {
    uint64_t most = 0;
    for (const InstructionPtr& i : function.blocks.front()->body) {
        if (i->opcode != spv::Op::OpVariable) continue;
        most = std::max(most, matrices.in(i->type, matrix));
    }
    return most;
}

}  // namespace coopvk::rewrite
