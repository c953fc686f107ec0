// SPDX-License-Identifier: Apache-2.0
#include "matrix/product_loops.hpp"

#include <algorithm>
#include <format>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

// The values from which the indices of matrices in arrays are computed, and the variables that
// these go through.
class IndexSources {
 public:
    IndexSources(const Module& module, MatrixCounts& matrices, const Function& function) {
        std::unordered_map<Id, std::vector<Id>> stored;  // by variable
        std::vector<Id> pending;
        const auto hasMatrix = [&](Id id) { return matrices.in(module.def(id).type) != 0; };
        function.visitBlocks([&](const Instruction& i) {
            if (i.opcode == OpStore) stored[i.word(0)].push_back(i.word(1));
            if (!isAccessChain(i.opcode) || !hasMatrix(i.word(0))) return;
            for (const Operand& index : operandsBehind(i, 1)) pending.push_back(index.word);
        });
        while (!pending.empty()) {
            const Id id = pending.back();
            pending.pop_back();
            if (hasMatrix(id) || !found_.insert(id).second) continue;
            for (const Operand& o : module.def(id).operands) {
                if (o.isId) pending.push_back(o.word);
            }
            const auto values = stored.extract(id);
            if (!values.empty()) std::ranges::copy(values.mapped(), std::back_inserter(pending));
        }
        module.countSteps(found_.size());
    }

    bool contains(Id value) const { return found_.contains(value); }

 private:
    std::unordered_set<Id> found_;
};

// Of each loop of the graph: whether its counter is an index to a matrix in an array. On it depend
// the phis of the header, and the variables to which the continue construct stores.
std::vector<bool> loopsThatPickMatrices(const Module& module, MatrixCounts& matrices,
                                        const Function& function, const BlockGraph& graph) {
    const IndexSources sources(module, matrices, function);
    const auto writes = [&](const InstructionPtr& i) {
        return i->opcode == OpStore && sources.contains(i->word(0));
    };
    std::vector<size_t> written;  // blocks that store
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        if (std::ranges::any_of(function.blocks[b]->body, writes)) written.push_back(b);
    }
    std::vector<bool> picks;
    for (const Loop& loop : graph.loops()) {
        const auto first = std::ranges::lower_bound(written, loop.continueTarget);
        picks.push_back((first != written.end() && *first <= loop.last) ||
                        std::ranges::any_of(function.blocks[loop.header]->body, [&](const auto& i) {
                            return i->opcode == OpPhi && sources.contains(i->result);
                        }));
    }
    return picks;
}

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

    void add(const Iteration& other) {
        products = std::max(products, other.products);
        components = std::max(components, other.components);
        written += other.written;
        passesMatrices |= other.passesMatrices;
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
        std::optional<std::vector<bool>> picksMatrices;
        const std::vector<Iteration> iterations = findIterations();
        for (size_t l = 0; l < iterations.size(); ++l) {
            const Loop& loop = graph_.loops()[l];
            const Iteration& iteration = iterations[l];
            Instruction& merge = *mergeOf(*function_.blocks[loop.header]);
            if (!mayBeUnrolled(merge) || iteration.multiplications() <= maxUnrolled) continue;
            const bool mayPick = iteration.components <= kMaxInRegisters;
            if (mayPick && !iteration.passesMatrices && !picksMatrices)
                picksMatrices = loopsThatPickMatrices(module_, matrices_, function_, graph_);
            const bool picks = mayPick && (iteration.passesMatrices || (*picksMatrices)[l]);
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
            return iterations[graph_.indexOf(*loop)];
        };
        for (size_t b = 0; b < function_.blocks.size(); ++b) {
            const Loop* loop = graph_.loopOf(b);
            if (loop == nullptr) continue;
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
