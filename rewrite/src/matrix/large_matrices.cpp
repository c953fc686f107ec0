// SPDX-License-Identifier: Apache-2.0
#include "matrix/large_matrices.hpp"

#include <map>
#include <tuple>

#include "ir/opcodes.hpp"
#include "matrix/matrix_types.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

namespace {

// Components in a lane. Of a 32x32 matrix, a lane of a GPU has 256. NVIDIA's driver takes minutes
// for code that moves a few such matrices through the branches of a loop, and fails at 4,096
// components.
constexpr uint32_t kMany = 64;

// Two buffers that take turns, and a load ahead of a loop, are fewer moves. These stay as products
// want them, without a conversion in each iteration.
constexpr uint32_t kManyMoves = 4;

using SizeAndUse = std::tuple<uint32_t, uint32_t, Use>;

// Of matrices of scope Subgroup that products read.
std::set<SizeAndUse> multiplied(const Module& module) {
    std::set<SizeAndUse> found;
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode != spv::Op::OpCooperativeMatrixMulAddKHR) return;
        for (const uint32_t factor : {0, 1}) {
            const auto d = matrixDimensions(module, module.def(module.def(i.word(factor)).type));
            if (d && d->isOfSubgroup()) found.emplace(d->rows, d->columns, d->use);
        }
    });
    return found;
}

bool isLoop(const Block& block) {
    const Instruction* merge = mergeOf(block);
    return merge != nullptr && merge->opcode == spv::Op::OpLoopMerge;
}

// By type: how often values that were not just loaded from memory go to a variable, or meet others
// where branches meet.
std::map<Id, uint32_t> movesByType(const Module& module) {
    std::map<Id, uint32_t> moves;
    const auto count = [&](Id value) {
        const Instruction& i = module.def(value);
        const bool isLoad = i.opcode == spv::Op::OpCooperativeMatrixLoadKHR ||
                            i.opcode == spv::Op::OpCooperativeMatrixLoadTensorNV;
        if (!isLoad && !hasNoValue(i.opcode)) ++moves[i.type];
    };
    for (const auto& function : module.functions()) {
        for (const auto& block : function->blocks) {
            const bool atLoop = isLoop(*block);
            for (const InstructionPtr& i : block->body) {
                if (i->opcode == spv::Op::OpStore) count(i->word(1));
                if (i->opcode != spv::Op::OpPhi || atLoop) continue;
                for (size_t o = 0; o < i->operands.size(); o += 2) count(i->word(o));
            }
        }
    }
    return moves;
}

}  // namespace

std::set<Id> largeTypes(const TypeTable& types, const LayoutPolicy& policy) {
    const Module& module = types.module();
    std::set<Id> large;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const auto d = matrixDimensions(module, *i);
        if (!d || !d->isOfSubgroup() || d->use == Use::kAccumulator) continue;
        const std::optional<uint32_t> length = matrixLength(types, policy, i->result);
        if (length && *length > kMany) large.insert(i->result);
    }
    if (large.empty()) return large;
    const std::set<SizeAndUse> factors = multiplied(module);
    std::map<Id, uint32_t> moves = movesByType(module);
    std::erase_if(large, [&](Id type) {
        const auto d = matrixDimensions(module, module.def(type));
        return factors.contains({d->rows, d->columns, d->use}) && moves[type] <= kManyMoves;
    });
    return large;
}

}  // namespace coopvk::rewrite
