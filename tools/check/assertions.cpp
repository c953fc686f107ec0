// SPDX-License-Identifier: Apache-2.0
#include "assertions.hpp"

#include <algorithm>
#include <format>
#include <set>
#include <string>
#include <string_view>

#include "interfaces.hpp"

namespace coopvk::check {
namespace {

using spv::Op;

// SPIR-V, "Loop Control": "unchecked assertions". In the order of their bits, as their literals
// are. Of other bits nothing is known.
struct LoopRow {
    spv::LoopControlMask bit;
    std::string_view name;
    bool hasLiteral;
};
using enum spv::LoopControlMask;
constexpr LoopRow kLoopRows[] = {
    {DependencyInfinite, "DependencyInfinite", false},
    {DependencyLength, "DependencyLength", true},
    {MinIterations, "MinIterations", true},
    {MaxIterations, "MaxIterations", true},
    {IterationMultiple, "IterationMultiple", true},
};
constexpr uint32_t kHints = static_cast<uint32_t>(Unroll) | static_cast<uint32_t>(DontUnroll) |
                            static_cast<uint32_t>(PeelCount) | static_cast<uint32_t>(PartialCount);

using Promises = std::set<std::string>;

Promises promisesOfLoop(const Instruction& i) {
    Promises promises;
    size_t literal = 4;
    uint32_t others = i[3] & ~kHints;
    for (const LoopRow& row : kLoopRows) {
        if ((i[3] & static_cast<uint32_t>(row.bit)) == 0) continue;
        others &= ~static_cast<uint32_t>(row.bit);
        std::string promise(row.name);
        if (row.hasLiteral) promise += std::format(" {}", i[literal++]);
        promises.insert(std::move(promise));
    }
    if (others != 0) promises.insert(std::format("loop control {:#x}", others));
    return promises;
}

Promises promisesOfFunction(const Instruction& i) {
    using Mask = spv::FunctionControlMask;
    Promises promises;
    if ((i[3] & static_cast<uint32_t>(Mask::Pure)) != 0) promises.insert("Pure");
    if ((i[3] & static_cast<uint32_t>(Mask::Const)) != 0) promises.insert("Const");
    return promises;
}

// The first one of all instructions of a kind; empty: there is none.
std::string promiseOf(const Module& module, Op opcode, Promises (*of)(const Instruction&)) {
    for (const Instruction& i : module.instructions()) {
        if (i.opcode != opcode || module.isEntryPoint(i[2])) continue;
        if (const Promises own = of(i); !own.empty()) return *own.begin();
    }
    return {};
}

// Of what no instruction computes, and of larger scopes, executions do not find out.
std::string uniformPromise(const Module& module) {
    for (const Decoration& one : decorationsOf(module)) {
        const Op of = module.definition(one.target).opcode;
        const bool isMove = of == Op::OpPhi || of == Op::OpFunctionParameter ||
                            of == Op::OpFunctionCall || of == Op::OpVariable;
        if (one.decoration == spv::Decoration::UniformId) return "UniformId";
        if (one.decoration == spv::Decoration::Uniform && isMove) return "Uniform";
    }
    return {};
}

}  // namespace

std::string newPromise(const Module& original, const Module& rewritten) {
    const auto isSame = [](const Instruction& a, const Instruction& b) {
        return std::ranges::equal(a.words, b.words);
    };
    if (std::ranges::equal(original.instructions(), rewritten.instructions(), isSame)) return {};
    std::string promise = promiseOf(rewritten, Op::OpLoopMerge, promisesOfLoop);
    if (promise.empty()) promise = promiseOf(rewritten, Op::OpFunction, promisesOfFunction);
    if (promise.empty()) promise = uniformPromise(rewritten);
    if (promise.empty()) return {};
    return std::format("rewritten: it promises {}, and no proof sees that it keeps that", promise);
}

}  // namespace coopvk::check
