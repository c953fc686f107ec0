// SPDX-License-Identifier: Apache-2.0
#include "matrix/product_loops.hpp"

#include <algorithm>
#include <unordered_set>

#include "ir/opcodes.hpp"
#include "matrix/matrix_counts.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto bits(spv::LoopControlMask mask) { return static_cast<uint32_t>(mask); }

// The blocks of a structured loop, header first; those from `continues` on step the counter.
struct Loop {
    std::span<const std::unique_ptr<Block>> blocks;
    size_t continues = 0;
};

// What a loop computes from its counter.
class Counter {
 public:
    Counter(const Module& module, MatrixCounts& matrices, const Loop& loop)
        : module_(module), matrices_(matrices), loop_(loop) {
        for (const InstructionPtr& i : loop.blocks.front()->body) {
            if (i->opcode == spv::Op::OpPhi) tainted_.insert(i->result);
        }
        for (const auto& block : loop.blocks.subspan(loop.continues)) {
            for (const InstructionPtr& i : block->body) {
                if (i->opcode == spv::Op::OpStore) tainted_.insert(i->word(0));
            }
        }
        while (spread()) {
        }
    }

    // Whether a matrix of an array, or a function that may do so, is picked by the counter.
    bool picksMatrices() const {
        return anyInstruction([&](const Instruction& i) {
            if (i.opcode == spv::Op::OpFunctionCall) {
                return std::ranges::any_of(i.operands, [&](const Operand& o) {
                    return containsMatrix(module_.def(o.word).type);
                });
            }
            return isAccessChain(i.opcode) && containsMatrix(module_.def(i.word(0)).type) &&
                   std::any_of(i.operands.begin() + 1, i.operands.end(),
                               [&](const Operand& o) { return tainted_.contains(o.word); });
        });
    }

 private:
    template <typename Test>
    bool anyInstruction(Test test) const {
        return std::ranges::any_of(loop_.blocks, [&](const auto& block) {
            return std::ranges::any_of(block->body, [&](const auto& i) { return test(*i); });
        });
    }

    // One round; true if something new was found.
    bool spread() {
        bool grew = false;
        anyInstruction([&](const Instruction& i) {
            const bool isStore = i.opcode == spv::Op::OpStore;
            const Id target = isStore ? i.word(0) : i.result;
            if (target == 0 || containsMatrix(module_.def(target).type)) return false;
            const auto from = i.operands.begin() + (isStore ? 1 : 0);
            if (std::any_of(from, i.operands.end(), [&](const Operand& o) {
                    return o.isId && tainted_.contains(o.word);
                })) {
                grew = tainted_.insert(target).second || grew;
            }
            return false;
        });
        return grew;
    }

    bool containsMatrix(Id type) const { return matrices_.in(type) != 0; }

    const Module& module_;
    MatrixCounts& matrices_;
    const Loop& loop_;
    std::unordered_set<Id> tainted_;
};

// Products of one multiply-add in each invocation.
uint64_t productsOf(const Module& module, const Instruction& mulAdd, uint32_t subgroupSize) {
    const Instruction& a = module.def(module.def(mulAdd.word(0)).type);
    const Instruction& result = module.def(mulAdd.type);
    return module.constantValue(a.word(3)).value_or(1) *
           module.constantValue(result.word(2)).value_or(1) *
           module.constantValue(result.word(3)).value_or(1) / subgroupSize;
}

// Components that each invocation holds of a matrix.
uint64_t componentsOf(const Module& module, Id matrix, uint32_t subgroupSize) {
    const Instruction& type = module.def(matrix);
    return module.constantValue(type.word(2)).value_or(1) *
           module.constantValue(type.word(3)).value_or(1) / subgroupSize;
}

// What one turn of a loop does in each invocation.
struct Turn {
    // Shaders add to every accumulator that they keep, whatever loops they write for that.
    uint64_t products = 0;
    // Components of the accumulators that are kept.
    uint64_t components = 0;
};

Turn turnOf(const Module& module, MatrixCounts& matrices, const Function& function,
            const Loop& loop, uint32_t subgroupSize) {
    Turn turn;
    uint64_t written = 0;
    for (const auto& block : loop.blocks) {
        for (const InstructionPtr& i : block->body) {
            if (i->opcode != spv::Op::OpCooperativeMatrixMulAddKHR) continue;
            const uint64_t products = productsOf(module, *i, subgroupSize);
            const uint64_t kept = mostKept(matrices, function, i->type);
            written += products;
            turn.products = std::max(turn.products, kept * products);
            turn.components =
                std::max(turn.components, kept * componentsOf(module, i->type, subgroupSize));
        }
    }
    turn.products = std::max(turn.products, written);
    return turn;
}

Instruction* loopMerge(const Block& block) {
    for (const InstructionPtr& i : block.body) {
        if (i->opcode == spv::Op::OpLoopMerge) return i.get();
    }
    return nullptr;
}

// Blocks of a structured loop are between its header and its merge block: block order follows
// dominance, and compilers write constructs whole.
Loop loopAt(const Function& function, size_t header, const Instruction& merge) {
    const auto find = [&](Id label) {
        size_t at = header + 1;
        while (at < function.blocks.size() && function.blocks[at]->id() != label) ++at;
        return at;
    };
    const size_t end = find(merge.word(0));
    const size_t continues = std::min(find(merge.word(1)), end);
    return {std::span(function.blocks).subspan(header, end - header), continues - header};
}

}  // namespace

void keepProductLoopsRolled(Module& module, uint32_t subgroupSize, uint64_t unrolled) {
    MatrixCounts matrices(module);
    for (const auto& function : module.functions()) {
        for (size_t b = 0; b < function->blocks.size(); ++b) {
            Instruction* merge = loopMerge(*function->blocks[b]);
            if (merge == nullptr || merge->operands.size() != 3 ||
                (merge->word(2) & ~bits(spv::LoopControlMask::Unroll)) != 0) {
                continue;
            }
            const Loop loop = loopAt(*function, b, *merge);
            const Turn turn = turnOf(module, matrices, *function, loop, subgroupSize);
            if (turn.products <= unrolled) continue;
            if (turn.components <= kMostInRegisters &&
                Counter(module, matrices, loop).picksMatrices()) {
                continue;
            }
            merge->operands[2] = literal(spv::LoopControlMask::DontUnroll);
        }
    }
}

}  // namespace coopvk::rewrite
