// SPDX-License-Identifier: Apache-2.0
#include "matrix/product_loops.hpp"

#include <algorithm>
#include <format>
#include <unordered_set>

#include "ir/blocks.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto bits(spv::LoopControlMask mask) { return static_cast<uint32_t>(mask); }

// A loop of a function.
struct Body {
    const Function& function;
    const Users& users;
    const Loop& loop;
    std::vector<size_t> blocks;  // their numbers, in order

    template <typename Visit>
    void visit(Visit visit) const {
        for (const size_t b : blocks) {
            for (const InstructionPtr& i : function.blocks[b]->body) visit(*i);
        }
    }
};

// Which values of a loop depend on its counter: on phis of the header, or on variables that the
// continue construct stores to.
class CounterUses {
 public:
    CounterUses(const Module& module, MatrixCounts& matrices, const Body& body)
        : module_(module), matrices_(matrices), body_(body) {
        for (const InstructionPtr& i : body.function.blocks[body.loop.header]->body) {
            if (i->opcode == OpPhi) add(i->result);
        }
        for (const size_t b : body.blocks) {
            if (b < body.loop.continueTarget) continue;
            for (const InstructionPtr& i : body.function.blocks[b]->body) {
                if (i->opcode == OpStore) add(i->word(0));
            }
        }
        while (!pending_.empty()) {
            const Id one = pending_.back();
            pending_.pop_back();
            for (const Usage& use : body.users.of(one)) follow(use);
        }
    }

    // Whether the counter is an index to a matrix in an array. A call that takes a matrix may have
    // one.
    bool picksMatrices() const {
        bool picks = false;
        body_.visit([&](const Instruction& i) {
            if (i.opcode == OpFunctionCall) {
                picks |= std::ranges::any_of(i.operands, [&](const Operand& o) {
                    return containsMatrix(module_.def(o.word).type);
                });
            } else if (isAccessChain(i.opcode) && containsMatrix(module_.def(i.word(0)).type)) {
                picks |= std::ranges::any_of(operandsBehind(i, 1), [&](const Operand& o) {
                    return dependent_.contains(o.word);
                });
            }
        });
        return picks;
    }

 private:
    void add(Id value) {
        if (dependent_.insert(value).second) pending_.push_back(value);
    }

    // What a user in the loop computes or stores depends, too.
    void follow(const Usage& use) {
        if (!std::ranges::binary_search(body_.blocks, use.position.block)) return;
        const bool isStore = use.user->opcode == OpStore;
        const Id target = isStore ? use.user->word(0) : use.user->result;
        if (target == 0 || (isStore && use.operand == 0)) return;
        if (!containsMatrix(module_.def(target).type)) add(target);
    }

    bool containsMatrix(Id type) const { return matrices_.in(type) != 0; }

    const Module& module_;
    MatrixCounts& matrices_;
    const Body& body_;
    std::unordered_set<Id> dependent_;
    std::vector<Id> pending_;
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

Iteration iterationOf(const Module& module, MatrixCounts& matrices, const Body& body,
                      uint32_t subgroupSize) {
    Iteration iteration;
    uint64_t written = 0;  // multiplications of the loop's instructions
    body.visit([&](const Instruction& i) {
        if (i.opcode != OpCooperativeMatrixMulAddKHR) return;
        const Instruction& a = module.def(module.def(i.word(0)).type);
        const uint64_t size = sizeOf(module, module.def(i.type));
        const uint64_t depth = module.constantValue(a.word(3)).value_or(1);
        const uint64_t products = depth * size / subgroupSize;
        const uint64_t kept = matrices.maxKept(body.function, i.type);
        written += products;
        iteration.products = std::max(iteration.products, kept * products);
        iteration.components = std::max(iteration.components, kept * (size / subgroupSize));
    });
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
        if (graph.loops().empty()) continue;
        const Users users(*function);
        for (const Loop& loop : graph.loops()) {
            Instruction& merge = *mergeOf(*function->blocks[loop.header]);
            if (!mayBeUnrolled(merge)) continue;
            const Body body = {*function, users, loop, graph.blocksOf(loop)};
            const Iteration iteration = iterationOf(module, matrices, body, subgroupSize);
            if (iteration.products <= maxUnrolled) continue;
            const bool picks = iteration.components <= kMaxInRegisters &&
                               CounterUses(module, matrices, body).picksMatrices();
            if (!picks) merge.operands[2] = literal(spv::LoopControlMask::DontUnroll);
        }
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
