// SPDX-License-Identifier: Apache-2.0
#include "assertions.hpp"

#include <algorithm>
#include <format>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

constexpr Op kMatrices[] = {Op::OpTypeCooperativeMatrixKHR, Op::OpTypeCooperativeMatrixNV};
constexpr Op kChains[] = {Op::OpAccessChain, Op::OpInBoundsAccessChain, Op::OpPtrAccessChain,
                          Op::OpInBoundsPtrAccessChain};

bool isOneOf(Op opcode, std::span<const Op> of) {
    return std::ranges::find(of, opcode) != of.end();
}

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

// Those of a kind of instructions: of all, or of any.
Promises promisesOf(const Module& module, Op opcode, Promises (*of)(const Instruction&),
                    bool isOfAll) {
    Promises all;
    bool isFirst = true;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode != opcode || module.isEntryPoint(i[2])) continue;
        Promises own = of(i);
        if (isOfAll && !std::exchange(isFirst, false))
            std::erase_if(all, [&](const std::string& one) { return !own.contains(one); });
        else
            all.merge(own);
    }
    return all;
}

// Of what no instruction computes, and of larger scopes, executions do not find out.
std::string uniformPromise(const Module& module) {
    for (const Instruction& i : module.instructions()) {
        const auto decoration = static_cast<spv::Decoration>(i[2]);
        const Op of = module.definition(i[1]).opcode;
        const bool isMove = of == Op::OpPhi || of == Op::OpFunctionParameter ||
                            of == Op::OpFunctionCall || of == Op::OpVariable;
        if (i.opcode == Op::OpDecorateId && decoration == spv::Decoration::UniformId)
            return "UniformId";
        if (i.opcode == Op::OpDecorate && decoration == spv::Decoration::Uniform && isMove)
            return "Uniform";
    }
    return {};
}

bool isOfInvocations(spv::BuiltIn builtIn) {
    return builtIn == spv::BuiltIn::LocalInvocationId ||
           builtIn == spv::BuiltIn::LocalInvocationIndex ||
           builtIn == spv::BuiltIn::GlobalInvocationId;
}

bool isOfLanes(spv::Capability capability) {
    using enum spv::Capability;
    constexpr spv::Capability kOfLanes[] = {
        GroupNonUniform,           GroupNonUniformVote,
        GroupNonUniformArithmetic, GroupNonUniformBallot,
        GroupNonUniformShuffle,    GroupNonUniformShuffleRelative,
        GroupNonUniformClustered,  GroupNonUniformQuad,
        GroupNonUniformRotateKHR,  GroupNonUniformPartitionedNV,
        SubgroupBallotKHR,         SubgroupVoteKHR,
        CooperativeMatrixKHR,      CooperativeMatrixNV};
    return std::ranges::find(kOfLanes, capability) != std::end(kOfLanes);
}

// Whether an index of the instruction selects an element of a matrix.
bool namesElement(const Module& module, const Instruction& i) {
    size_t base = 3;
    if (i.opcode == Op::OpCompositeInsert) base = 4;
    const bool isChain = isOneOf(i.opcode, kChains);
    if (!isChain && base == 3 && i.opcode != Op::OpCompositeExtract) return false;
    uint32_t type = module.typeOf(i[base]);
    if (isChain) type = module.definition(type)[3];
    const bool hasElement =
        i.opcode == Op::OpPtrAccessChain || i.opcode == Op::OpInBoundsPtrAccessChain;
    for (size_t n = base + 1 + hasElement; n < i.words.size(); ++n) {
        const Instruction& of = module.definition(type);
        if (isOneOf(of.opcode, kMatrices)) return true;
        const uint32_t member = isChain ? uint32_t(module.constant(i[n]).value_or(0)) : i[n];
        type = of.opcode == Op::OpTypeStruct ? of[2 + member] : of[2];
    }
    return false;
}

// Buffers: each descriptor is a variable or a part of one.
bool isBuffer(const Instruction& i) {
    if (i.opcode != Op::OpVariable && i.opcode != Op::OpUntypedVariableKHR) return false;
    const auto storage = static_cast<spv::StorageClass>(i[3]);
    return storage == spv::StorageClass::StorageBuffer || storage == spv::StorageClass::Uniform ||
           storage == spv::StorageClass::UniformConstant;
}

}  // namespace

std::string newPromise(const Module& original, const Module& rewritten) {
    const auto newOf = [&](Op opcode, Promises (*of)(const Instruction&)) -> std::string {
        const Promises before = promisesOf(original, opcode, of, true);
        for (const std::string& promise : promisesOf(rewritten, opcode, of, false))
            if (!before.contains(promise)) return promise;
        return {};
    };
    std::string promise = newOf(Op::OpLoopMerge, promisesOfLoop);
    if (promise.empty()) promise = newOf(Op::OpFunction, promisesOfFunction);
    if (promise.empty()) promise = uniformPromise(rewritten);
    if (promise.empty()) return {};
    return std::format("rewritten: it promises {}, which the original does not", promise);
}

bool knowsLanes(const Module& module) {
    bool knowsInvocations = false, hasLanes = false;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode == Op::OpDecorate &&
            static_cast<spv::Decoration>(i[2]) == spv::Decoration::BuiltIn)
            knowsInvocations |= isOfInvocations(static_cast<spv::BuiltIn>(i[3]));
        if (i.opcode == Op::OpCapability) hasLanes |= isOfLanes(static_cast<spv::Capability>(i[1]));
    }
    return knowsInvocations && hasLanes;
}

bool knowsLayout(const Module& module) {
    return std::ranges::any_of(module.instructions(), [&](const Instruction& i) {
        return i.opcode == Op::OpCooperativeMatrixLengthKHR ||
               i.opcode == Op::OpCooperativeMatrixLengthNV || namesElement(module, i);
    });
}

bool mayShareMemory(const Module& module) {
    const auto isAliased = [&](const Instruction& i) {
        return isBuffer(i) && module.decoration(i[2], spv::Decoration::Aliased);
    };
    return std::ranges::count_if(module.instructions(), isAliased) > 1;
}

bool hasPointersApart(const Module& module) {
    return std::ranges::any_of(module.instructions(), [](const Instruction& i) {
        const auto decoration = static_cast<spv::Decoration>(i.words.size() > 2 ? i[2] : 0);
        constexpr spv::Decoration kApart[] = {
            spv::Decoration::Restrict, spv::Decoration::RestrictPointer, spv::Decoration::Aliased,
            spv::Decoration::AliasedPointer};
        return i.opcode == Op::OpDecorate &&
               std::ranges::find(kApart, decoration) != std::end(kApart);
    });
}

bool hasVolatileAccess(const Module& module) {
    struct Row {
        Op opcode;
        size_t operands;  // the word of Memory Operands, if it is there
    };
    constexpr Row kRows[] = {
        {Op::OpLoad, 4}, {Op::OpStore, 3}, {Op::OpCopyMemory, 3}, {Op::OpCopyMemorySized, 4}};
    constexpr auto kVolatile = static_cast<uint32_t>(spv::MemoryAccessMask::Volatile);
    constexpr auto kDecoration = static_cast<uint32_t>(spv::Decoration::Volatile);
    return std::ranges::any_of(module.instructions(), [&](const Instruction& i) {
        if (i.opcode == Op::OpDecorate && i[2] == kDecoration) return true;
        if (i.opcode == Op::OpMemberDecorate && i[3] == kDecoration) return true;
        return std::ranges::any_of(kRows, [&](const Row& row) {
            return row.opcode == i.opcode && i.words.size() > row.operands &&
                   (i[row.operands] & kVolatile) != 0;
        });
    });
}

}  // namespace coopvk::check
