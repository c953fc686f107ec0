// SPDX-License-Identifier: Apache-2.0
#include "assertions.hpp"

#include <algorithm>
#include <format>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coopvk::check {
namespace {

using spv::Op;

// SPIR-V, "Loop Control": "unchecked assertions". In the order of their bits, as their literals
// are.
struct LoopRow {
    spv::LoopControlMask bit;
    std::string_view name;
    bool hasLiteral, isPromise;
};
using enum spv::LoopControlMask;
constexpr LoopRow kLoopRows[] = {
    {DependencyInfinite, "DependencyInfinite", false, true},
    {DependencyLength, "DependencyLength", true, true},
    {MinIterations, "MinIterations", true, true},
    {MaxIterations, "MaxIterations", true, true},
    {IterationMultiple, "IterationMultiple", true, true},
};

constexpr Op kMatrices[] = {Op::OpTypeCooperativeMatrixKHR, Op::OpTypeCooperativeMatrixNV};
constexpr Op kChains[] = {Op::OpAccessChain, Op::OpInBoundsAccessChain, Op::OpPtrAccessChain,
                          Op::OpInBoundsPtrAccessChain};

bool isOneOf(Op opcode, std::span<const Op> of) {
    return std::ranges::find(of, opcode) != of.end();
}

void addLoop(const Instruction& i, std::set<std::string>& promises) {
    size_t literal = 4;
    for (const LoopRow& row : kLoopRows) {
        if ((i[3] & static_cast<uint32_t>(row.bit)) == 0) continue;
        std::string promise(row.name);
        if (row.hasLiteral) promise += std::format(" {}", i[literal++]);
        promises.insert(std::move(promise));
    }
}

void addFunction(const Instruction& i, std::set<std::string>& promises) {
    using Mask = spv::FunctionControlMask;
    if ((i[3] & static_cast<uint32_t>(Mask::Pure)) != 0) promises.insert("Pure");
    if ((i[3] & static_cast<uint32_t>(Mask::Const)) != 0) promises.insert("Const");
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

struct InterpolationRow {
    spv::Decoration decoration;
    std::string_view name;
};
constexpr InterpolationRow kInterpolations[] = {
    {spv::Decoration::Flat, "Flat"},
    {spv::Decoration::NoPerspective, "NoPerspective"},
    {spv::Decoration::Centroid, "Centroid"},
    {spv::Decoration::Sample, "Sample"},
    {spv::Decoration::PerVertexKHR, "PerVertexKHR"},
    {spv::Decoration::ExplicitInterpAMD, "ExplicitInterpAMD"},
};

// Executions and the numbers that they give are compared: these decide of nothing else.
constexpr spv::ExecutionMode kExecuted[] = {
    spv::ExecutionMode::LocalSize,         spv::ExecutionMode::LocalSizeId,
    spv::ExecutionMode::LocalSizeHint,     spv::ExecutionMode::RoundingModeRTE,
    spv::ExecutionMode::RoundingModeRTZ,   spv::ExecutionMode::DenormPreserve,
    spv::ExecutionMode::DenormFlushToZero, spv::ExecutionMode::SignedZeroInfNanPreserve,
    spv::ExecutionMode::FPFastMathDefault,
};
constexpr spv::ExecutionMode kReconvergence[] = {
    spv::ExecutionMode::MaximallyReconvergesKHR,
    spv::ExecutionMode::SubgroupUniformControlFlowKHR,
};

bool isOneOf(spv::ExecutionMode mode, std::span<const spv::ExecutionMode> of) {
    return std::ranges::find(of, mode) != of.end();
}

// Modes with their literals, by entry point: its stage and its name.
using Modes = std::set<std::vector<uint32_t>>;
std::map<std::string, Modes> modesOf(const Module& module) {
    std::map<std::string, Modes> all;
    std::map<uint32_t, Modes*> byId;
    const std::vector<Module::EntryPoint> points = module.entryPoints();
    size_t next = 0;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode == Op::OpEntryPoint)
            byId[i[2]] = &all[std::format("{} {}", i[1], points[next++].name)];
        if (i.opcode != Op::OpExecutionMode && i.opcode != Op::OpExecutionModeId) continue;
        const auto found = byId.find(i[1]);
        if (found == byId.end() || isOneOf(static_cast<spv::ExecutionMode>(i[2]), kExecuted))
            continue;
        found->second->insert({i.words.begin() + 2, i.words.end()});
    }
    return all;
}

using Decorations = std::map<spv::Decoration, uint32_t>;
// Of variables and structures; of members, by their numbers and one.
std::map<std::pair<uint32_t, uint32_t>, Decorations> decorationsOf(const Module& module) {
    std::map<std::pair<uint32_t, uint32_t>, Decorations> all;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode == Op::OpDecorate)
            all[{i[1], 0}].emplace(static_cast<spv::Decoration>(i[2]), i[3]);
        if (i.opcode == Op::OpMemberDecorate)
            all[{i[1], i[2] + 1}].emplace(static_cast<spv::Decoration>(i[3]), i[4]);
    }
    return all;
}

std::string placeOf(const Decorations& of) {
    const auto valueOf = [&](spv::Decoration decoration) {
        const auto found = of.find(decoration);
        return found != of.end() ? found->second : 0;
    };
    if (of.contains(spv::Decoration::BuiltIn))
        return std::format("built-in {}", valueOf(spv::Decoration::BuiltIn));
    return std::format("input {}, component {}", valueOf(spv::Decoration::Location),
                       valueOf(spv::Decoration::Component));
}

std::string namesOf(const Decorations& of) {
    std::string names;
    for (const InterpolationRow& row : kInterpolations)
        if (of.contains(row.decoration)) names += std::format(" {}", row.name);
    return names;
}

// Buffers: each descriptor is a variable or a part of one.
bool isBuffer(const Instruction& i) {
    if (i.opcode != Op::OpVariable && i.opcode != Op::OpUntypedVariableKHR) return false;
    const auto storage = static_cast<spv::StorageClass>(i[3]);
    return storage == spv::StorageClass::StorageBuffer || storage == spv::StorageClass::Uniform ||
           storage == spv::StorageClass::UniformConstant;
}

}  // namespace

std::set<std::string> promisesOf(const Module& module) {
    std::set<std::string> promises;
    for (const Instruction& i : module.instructions()) {
        if (i.opcode == Op::OpLoopMerge) addLoop(i, promises);
        if (i.opcode == Op::OpFunction) addFunction(i, promises);
        const auto decoration = static_cast<spv::Decoration>(i[2]);
        const bool isDecorated = i.opcode == Op::OpDecorate || i.opcode == Op::OpDecorateId;
        if (isDecorated &&
            (decoration == spv::Decoration::Uniform || decoration == spv::Decoration::UniformId))
            promises.insert("Uniform");
    }
    return promises;
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

std::map<std::string, std::set<std::string>> interpolationsOf(const Module& module) {
    std::map<std::string, std::set<std::string>> all;
    auto decorations = decorationsOf(module);
    for (const Instruction& i : module.instructions()) {
        if (i.opcode != Op::OpVariable ||
            static_cast<spv::StorageClass>(i[3]) != spv::StorageClass::Input)
            continue;
        const Decorations& own = decorations[{i[2], 0}];
        all[placeOf(own)].insert(namesOf(own));
        // Members of a block have their own, and those without a place follow the one before.
        const Instruction& type = module.definition(module.definition(i[1])[3]);
        for (uint32_t n = 0; type.opcode == Op::OpTypeStruct && n + 2 < type.words.size(); ++n) {
            const Decorations& member = decorations[{type[1], n + 1}];
            all[std::format("{}, member {}, {}", placeOf(own), n, placeOf(member))].insert(
                namesOf(member));
        }
    }
    return all;
}

std::string otherInterpolation(const Module& original, const Module& rewritten) {
    const auto before = interpolationsOf(original);
    for (const auto& [place, names] : interpolationsOf(rewritten)) {
        const auto found = before.find(place);
        // Built-ins that the rewriter adds.
        const std::set<std::string> none = {""};
        if (found == before.end() && place.starts_with("built-in") && names == none) continue;
        if (found == before.end() || found->second != names)
            return std::format("rewritten: {} is not interpolated as in the original", place);
    }
    return {};
}

std::string otherMode(const Module& original, const Module& rewritten) {
    const auto nameOf = [](const std::vector<uint32_t>& mode) {
        return spv::ExecutionModeToString(static_cast<spv::ExecutionMode>(mode[0]));
    };
    const auto after = modesOf(rewritten);
    for (const auto& [point, before] : modesOf(original)) {
        const auto found = after.find(point);
        if (found == after.end()) continue;
        for (const auto& mode : before)
            if (!found->second.contains(mode))
                return std::format("rewritten: it has no {} as the original has", nameOf(mode));
        for (const auto& mode : found->second)
            if (!before.contains(mode) &&
                !isOneOf(static_cast<spv::ExecutionMode>(mode[0]), kReconvergence))
                return std::format("rewritten: it has {}, which the original has not",
                                   nameOf(mode));
    }
    return {};
}

bool mayShareMemory(const Module& module) {
    const auto isAliased = [&](const Instruction& i) {
        return isBuffer(i) && module.decoration(i[2], spv::Decoration::Aliased);
    };
    return std::ranges::count_if(module.instructions(), isAliased) > 1;
}

bool hasUniforms(const Module& module) {
    return std::ranges::any_of(module.instructions(), [](const Instruction& i) {
        return isBuffer(i) && static_cast<spv::StorageClass>(i[3]) == spv::StorageClass::Uniform;
    });
}

}  // namespace coopvk::check
