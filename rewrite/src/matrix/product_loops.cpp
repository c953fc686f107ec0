// SPDX-License-Identifier: Apache-2.0
#include "matrix/product_loops.hpp"

#include <algorithm>
#include <format>
#include <ranges>
#include <unordered_set>

#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto bits(spv::LoopControlMask mask) { return static_cast<uint32_t>(mask); }

// Rows times columns of a matrix type.
uint64_t sizeOf(const Module& module, const Instruction& type) {
    return module.constantValue(type.word(2)).value_or(1) *
           module.constantValue(type.word(3)).value_or(1);
}

// What an iteration of a loop computes in each invocation, with the loops in it.
struct Iteration {
    // Multiplications of components. Shaders add to all accumulators of a variable, perhaps in an
    // inner loop, so these count for all of them.
    uint64_t products = 0;
    uint64_t components = 0;      // of the accumulators
    uint64_t written = 0;         // multiplications of the loop's instructions
    bool passesMatrices = false;  // to a function, which may pick some by the counter
    size_t lastBlock = 0;

    void add(const Iteration& other) {
        products = std::max(products, other.products);
        components = std::max(components, other.components);
        written += other.written;
        passesMatrices |= other.passesMatrices;
        lastBlock = std::max(lastBlock, other.lastBlock);
    }
    uint64_t multiplications() const { return std::max(products, written); }
};

// The loops of a function.
class ProductLoops {
 public:
    ProductLoops(const Module& module, MatrixCounts& matrices, const Function& function,
                 uint32_t subgroupSize)
        : module_(module),
          matrices_(matrices),
          function_(function),
          subgroupSize_(subgroupSize),
          graph_(function) {}

    void keepRolled(uint64_t maxUnrolled) {
        if (graph_.loops().empty()) return;
        const Users users(function_);
        const std::vector<Iteration> iterations = findIterations();
        for (size_t l = 0; l < iterations.size(); ++l) {
            const Loop& loop = graph_.loops()[l];
            const Iteration& iteration = iterations[l];
            Instruction& merge = *mergeOf(*function_.blocks[loop.header]);
            if (!mayBeUnrolled(merge) || iteration.multiplications() <= maxUnrolled) continue;
            const bool picks =
                iteration.components <= kMaxInRegisters &&
                (iteration.passesMatrices || picksMatrices(users, loop, iteration.lastBlock));
            if (!picks) merge.operands[2] = literal(spv::LoopControlMask::DontUnroll);
        }
    }

 private:
    static bool mayBeUnrolled(const Instruction& merge) {
        return merge.operands.size() == 3 &&
               (merge.word(2) & ~bits(spv::LoopControlMask::Unroll)) == 0;
    }

    std::vector<Iteration> findIterations() {
        std::vector<Iteration> iterations(graph_.loops().size());
        const auto of = [&](const Loop* loop) -> Iteration& {
            return iterations[static_cast<size_t>(loop - graph_.loops().data())];
        };
        for (size_t b = 0; b < function_.blocks.size(); ++b) {
            const Loop* loop = graph_.loopOf(b);
            if (loop == nullptr) continue;
            of(loop).lastBlock = b;
            for (const InstructionPtr& i : function_.blocks[b]->body) of(loop).add(iterationOf(*i));
        }
        for (const Loop& loop : std::views::reverse(graph_.loops())) {
            if (loop.around != nullptr) of(loop.around).add(of(&loop));
        }
        return iterations;
    }

    Iteration iterationOf(const Instruction& i) {
        Iteration iteration;
        if (i.opcode == OpFunctionCall) {
            iteration.passesMatrices = std::ranges::any_of(i.operands, [&](const Operand& o) {
                return containsMatrix(module_.def(o.word).type);
            });
        } else if (i.opcode == OpCooperativeMatrixMulAddKHR) {
            const Instruction& a = module_.def(module_.def(i.word(0)).type);
            const uint64_t size = sizeOf(module_, module_.def(i.type));
            const uint64_t depth = module_.constantValue(a.word(3)).value_or(1);
            const uint64_t kept = matrices_.maxKept(function_, i.type);
            iteration.written = depth * size / subgroupSize_;
            iteration.products = kept * iteration.written;
            iteration.components = kept * (size / subgroupSize_);
        }
        return iteration;
    }

    // Whether the counter is an index to a matrix in an array. On it depend the phis of the header,
    // the variables to which the continue construct stores, and what is computed of these.
    bool picksMatrices(const Users& users, const Loop& loop, size_t lastBlock) {
        std::unordered_set<Id> dependent;
        std::vector<Id> pending;
        const auto add = [&](Id value) {
            if (dependent.insert(value).second) pending.push_back(value);
        };
        for (const InstructionPtr& i : function_.blocks[loop.header]->body) {
            if (i->opcode == OpPhi) add(i->result);
        }
        module_.countSteps(lastBlock - std::min(lastBlock, loop.continueTarget));
        for (size_t b = loop.continueTarget; b <= lastBlock; ++b) {
            if (!graph_.isInside(loop, b)) continue;
            for (const InstructionPtr& i : function_.blocks[b]->body) {
                if (i->opcode == OpStore) add(i->word(0));
            }
        }
        while (!pending.empty()) {
            const std::span<const Usage> uses = users.of(pending.back());
            pending.pop_back();
            module_.countSteps(uses.size());
            for (const Usage& use : uses) {
                if (!graph_.isInside(loop, use.position.block)) continue;
                if (isIndexToMatrix(use)) return true;
                if (const Id next = dependentOn(use); next != 0) add(next);
            }
        }
        return false;
    }

    bool isIndexToMatrix(const Usage& use) const {
        return isAccessChain(use.user->opcode) && use.operand != Users::kResultType &&
               use.operand >= 1 && containsMatrix(module_.def(use.user->word(0)).type);
    }

    // What a user in the loop computes, or the variable to which it stores; 0: nothing.
    Id dependentOn(const Usage& use) const {
        const bool isStore = use.user->opcode == OpStore;
        if (isStore && use.operand == 0) return 0;
        const Id target = isStore ? use.user->word(0) : use.user->result;
        return target == 0 || containsMatrix(module_.def(target).type) ? 0 : target;
    }

    bool containsMatrix(Id type) const { return matrices_.in(type) != 0; }

    const Module& module_;
    MatrixCounts& matrices_;
    const Function& function_;
    uint32_t subgroupSize_;
    const BlockGraph graph_;
};

}  // namespace

void keepProductLoopsRolled(Module& module, uint32_t subgroupSize, uint64_t maxUnrolled) {
    MatrixCounts matrices(module);
    for (const auto& function : module.functions()) {
        ProductLoops(module, matrices, *function, subgroupSize).keepRolled(maxUnrolled);
    }
}

void joinProducts(TypeTable& types, const PlannedTarget& target, bool native,
                  std::vector<std::string>& notes) {
    const std::optional<bool> tuned = target.tuning.joinLoops;
    const bool joinsLoops = tuned.value_or(true);
    const bool withDecoding = native || tuned.value_or(target.device.joinsDecodingLoops);
    const bool joinsTails = !native && target.tuning.joinTails.value_or(target.device.joinsTails);
    if (!native || joinsLoops) dropUnread(types);
    const auto note = [&](size_t count, std::string_view what) {
        if (count != 0) notes.push_back(std::format("{}: {}", what, count));
    };
    if (joinsLoops) note(joinEqualLoops(types, withDecoding), "equal loops joined");
    if (joinsTails) note(joinCommonTails(types), "equal products of branches joined");
}

}  // namespace coopvk::rewrite
