// SPDX-License-Identifier: Apache-2.0
#include "matrix/product_loops.hpp"

#include <algorithm>
#include <unordered_set>

#include "ir/opcodes.hpp"
#include "matrix/matrix_counts.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto bits(spv::LoopControlMask mask) { return static_cast<uint32_t>(mask); }

// The blocks of a structured loop, from its header on.
struct Loop {
    std::span<const std::unique_ptr<Block>> blocks;
    size_t continueTarget = 0;  // which of the blocks
};

// Which values of a loop depend on its counter: on phis of the header, or on variables that the
// continue construct stores to.
class CounterUses {
 public:
    CounterUses(const Module& module, MatrixCounts& matrices, const Loop& loop)
        : module_(module), matrices_(matrices), loop_(loop) {
        for (const InstructionPtr& i : loop.blocks.front()->body) {
            if (i->opcode == spv::Op::OpPhi) dependent_.insert(i->result);
        }
        for (const auto& block : loop.blocks.subspan(loop.continueTarget)) {
            for (const InstructionPtr& i : block->body) {
                if (i->opcode == spv::Op::OpStore) dependent_.insert(i->word(0));
            }
        }
        while (propagate()) {
        }
    }

    // Whether the counter is an index to a matrix in an array. A call that takes a matrix may have
    // one.
    bool picksMatrices() const {
        return anyInstruction([&](const Instruction& i) {
            if (i.opcode == spv::Op::OpFunctionCall) {
                return std::ranges::any_of(i.operands, [&](const Operand& o) {
                    return containsMatrix(module_.def(o.word).type);
                });
            }
            return isAccessChain(i.opcode) && containsMatrix(module_.def(i.word(0)).type) &&
                   std::any_of(i.operands.begin() + 1, i.operands.end(),
                               [&](const Operand& o) { return dependent_.contains(o.word); });
        });
    }

 private:
    template <typename Test>
    bool anyInstruction(Test test) const {
        return std::ranges::any_of(loop_.blocks, [&](const auto& block) {
            return std::ranges::any_of(block->body, [&](const auto& i) { return test(*i); });
        });
    }

    // Follows dependencies by one step. True if it found more.
    bool propagate() {
        bool found = false;
        anyInstruction([&](const Instruction& i) {
            const bool isStore = i.opcode == spv::Op::OpStore;
            const Id target = isStore ? i.word(0) : i.result;
            if (target == 0 || containsMatrix(module_.def(target).type)) return false;
            const auto from = i.operands.begin() + (isStore ? 1 : 0);
            if (std::any_of(from, i.operands.end(), [&](const Operand& o) {
                    return o.isId && dependent_.contains(o.word);
                })) {
                found = dependent_.insert(target).second || found;
            }
            return false;
        });
        return found;
    }

    bool containsMatrix(Id type) const { return matrices_.in(type) != 0; }

    const Module& module_;
    MatrixCounts& matrices_;
    const Loop& loop_;
    std::unordered_set<Id> dependent_;
};

// Rows times columns of a matrix type.
uint64_t sizeOf(const Module& module, const Instruction& type) {
    return module.constantValue(type.word(2)).value_or(1) *
           module.constantValue(type.word(3)).value_or(1);
}

// What an iteration of a loop computes in each invocation.
struct Iteration {
    // Multiplications of components. Shaders add to all accumulators of a variable, perhaps in an
    // inner loop, so these count for all of them.
    uint64_t products = 0;
    uint64_t components = 0;  // of the accumulators
};

Iteration iterationOf(const Module& module, MatrixCounts& matrices, const Function& function,
                      const Loop& loop, uint32_t subgroupSize) {
    Iteration iteration;
    uint64_t written = 0;  // multiplications of the loop's instructions
    for (const auto& block : loop.blocks) {
        for (const InstructionPtr& i : block->body) {
            if (i->opcode != spv::Op::OpCooperativeMatrixMulAddKHR) continue;
            const Instruction& a = module.def(module.def(i->word(0)).type);
            const uint64_t size = sizeOf(module, module.def(i->type));
            const uint64_t depth = module.constantValue(a.word(3)).value_or(1);
            const uint64_t products = depth * size / subgroupSize;
            const uint64_t kept = maxKept(matrices, function, i->type);
            written += products;
            iteration.products = std::max(iteration.products, kept * products);
            iteration.components = std::max(iteration.components, kept * (size / subgroupSize));
        }
    }
    iteration.products = std::max(iteration.products, written);
    return iteration;
}

// The blocks from the header up to the merge block: dominance orders blocks, and compilers do not
// mix constructs.
Loop loopAt(const Function& function, size_t header, const Instruction& merge) {
    const auto find = [&](Id label) {
        size_t at = header + 1;
        while (at < function.blocks.size() && function.blocks[at]->id() != label) ++at;
        return at;
    };
    const size_t end = find(merge.word(0));
    const size_t continueTarget = std::min(find(merge.word(1)), end);
    return {std::span(function.blocks).subspan(header, end - header), continueTarget - header};
}

}  // namespace

void keepProductLoopsRolled(Module& module, uint32_t subgroupSize, uint64_t maxUnrolled) {
    MatrixCounts matrices(module);
    for (const auto& function : module.functions()) {
        for (size_t b = 0; b < function->blocks.size(); ++b) {
            Instruction* merge = mergeOf(*function->blocks[b]);
            if (merge == nullptr || merge->opcode != spv::Op::OpLoopMerge ||
                merge->operands.size() != 3 ||
                (merge->word(2) & ~bits(spv::LoopControlMask::Unroll)) != 0) {
                continue;
            }
            const Loop loop = loopAt(*function, b, *merge);
            const Iteration iteration =
                iterationOf(module, matrices, *function, loop, subgroupSize);
            if (iteration.products <= maxUnrolled) continue;
            if (iteration.components <= kMaxInRegisters &&
                CounterUses(module, matrices, loop).picksMatrices()) {
                continue;
            }
            merge->operands[2] = literal(spv::LoopControlMask::DontUnroll);
        }
    }
}

}  // namespace coopvk::rewrite
