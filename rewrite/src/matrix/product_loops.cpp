// SPDX-License-Identifier: Apache-2.0
#include "matrix/product_loops.hpp"

#include <algorithm>
#include <unordered_set>

#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto bits(spv::LoopControlMask mask) { return static_cast<uint32_t>(mask); }

using Blocks = std::vector<const Block*>;

// Which values of a loop depend on its counter: on phis of the header, or on variables that the
// continue construct stores to.
class CounterUses {
 public:
    // `blocks`: of the loop, of which the first ones are ahead of the continue target.
    CounterUses(const Module& module, MatrixCounts& matrices, const Blocks& blocks, size_t first)
        : module_(module), matrices_(matrices), blocks_(blocks) {
        for (const InstructionPtr& i : blocks.front()->body) {
            if (i->opcode == spv::Op::OpPhi) dependent_.insert(i->result);
        }
        for (const Block* block : std::span(blocks).subspan(first)) {
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
        return std::ranges::any_of(blocks_, [&](const Block* block) {
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
    const Blocks& blocks_;
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
                      const Blocks& blocks, uint32_t subgroupSize) {
    Iteration iteration;
    uint64_t written = 0;  // multiplications of the loop's instructions
    for (const Block* block : blocks) {
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

bool mayBeUnrolled(const Instruction& merge) {
    return merge.operands.size() == 3 && (merge.word(2) & ~bits(spv::LoopControlMask::Unroll)) == 0;
}

}  // namespace

void keepProductLoopsRolled(Module& module, uint32_t subgroupSize, uint64_t maxUnrolled) {
    MatrixCounts matrices(module);
    for (const auto& function : module.functions()) {
        const BlockGraph graph(*function);
        for (const Loop& loop : graph.loops()) {
            Instruction& merge = *mergeOf(*function->blocks[loop.header]);
            if (!mayBeUnrolled(merge)) continue;
            const std::vector<size_t> numbers = graph.blocksOf(loop);
            Blocks blocks;
            for (const size_t b : numbers) blocks.push_back(function->blocks[b].get());
            const Iteration iteration =
                iterationOf(module, matrices, *function, blocks, subgroupSize);
            if (iteration.products <= maxUnrolled) continue;
            const auto next = std::ranges::lower_bound(numbers, loop.continueTarget);
            if (iteration.components <= kMaxInRegisters &&
                CounterUses(module, matrices, blocks, static_cast<size_t>(next - numbers.begin()))
                    .picksMatrices()) {
                continue;
            }
            merge.operands[2] = literal(spv::LoopControlMask::DontUnroll);
        }
    }
}

}  // namespace coopvk::rewrite
