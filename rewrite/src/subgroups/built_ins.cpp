// SPDX-License-Identifier: Apache-2.0
//
// Built-ins, scopes and clusters of subgroups that the device does not have.
#include <bit>

#include "coopvk/rewrite.hpp"
#include "ir/entry_point.hpp"
#include "ir/memory_operands.hpp"
#include "lowering/private_built_ins.hpp"
#include "subgroups/lower.hpp"

namespace coopvk::rewrite {

namespace {

using BuiltIn = spv::BuiltIn;

struct LaneNumbers {
    Emitter& emit;
    uint32_t lanes;

    Id u32() { return emit.types().uint32(); }
    Id lane() { return emit.modulo(readInvocation(emit), lanes); }
    Id subgroup() { return emit.over(readInvocation(emit), lanes); }
    Id subgroups() { return emit.constant(subgroupsOf(emit.module(), lanes)); }
    // The bits of the lanes from this one on, or of those behind it.
    Id from(uint32_t first) {
        const Id ones = emit.constant(~0u);
        const Id above = emit.op(OpShiftLeftLogical, u32(), {ones, lane()});
        return first == 0 ? above
                          : emit.op(OpShiftLeftLogical, u32(), {above, emit.constant(first)});
    }
    Id inverse(Id bits) { return emit.op(OpNot, u32(), {bits}); }
};

constexpr struct {
    BuiltIn builtIn;
    std::string_view name;
    Id (*value)(LaneNumbers& numbers);
} kSubgroupBuiltIns[] = {
    {BuiltIn::SubgroupSize, "SubgroupSize",
     [](LaneNumbers& n) { return n.emit.constant(n.lanes); }},
    {BuiltIn::SubgroupLocalInvocationId, "SubgroupLocalInvocationId",
     [](LaneNumbers& n) { return n.lane(); }},
    {BuiltIn::SubgroupId, "SubgroupId", [](LaneNumbers& n) { return n.subgroup(); }},
    {BuiltIn::NumSubgroups, "NumSubgroups", [](LaneNumbers& n) { return n.subgroups(); }},
    {BuiltIn::SubgroupEqMask, "SubgroupEqMask",
     [](LaneNumbers& n) {
         return n.emit.op(OpShiftLeftLogical, n.u32(), {n.emit.constant(1), n.lane()});
     }},
    {BuiltIn::SubgroupGeMask, "SubgroupGeMask", [](LaneNumbers& n) { return n.from(0); }},
    {BuiltIn::SubgroupGtMask, "SubgroupGtMask", [](LaneNumbers& n) { return n.from(1); }},
    {BuiltIn::SubgroupLeMask, "SubgroupLeMask",
     [](LaneNumbers& n) { return n.inverse(n.from(1)); }},
    {BuiltIn::SubgroupLtMask, "SubgroupLtMask",
     [](LaneNumbers& n) { return n.inverse(n.from(0)); }},
};

// Of the type of the variable: a scalar, or a mask of 128 lanes.
std::optional<Id> valueFor(Emitter& emit, Id type, Id word) {
    TypeTable& types = emit.types();
    const uint32_t components = types.components(type);
    if (!types.isInteger(type) || types.width(type) != 32) return std::nullopt;
    if (components == 1) return emit.bitcast(type, word);
    std::vector<Id> parts(components, emit.constant(0));
    parts[0] = word;
    return emit.bitcast(type, emit.construct(types.vectorType(types.uint32(), components), parts));
}

std::optional<Error> replaceBuiltIns(TypeTable& types, uint32_t lanes, bool onlySize) {
    Module& module = types.module();
    InstructionList code;
    Emitter emit(types, code);
    LaneNumbers numbers = {emit, lanes};
    for (const auto& row : kSubgroupBuiltIns) {
        if (onlySize && row.builtIn != BuiltIn::SubgroupSize) continue;
        for (const Id variable : variablesOf(module, row.builtIn)) {
            const auto value = valueFor(emit, module.pointee(variable), row.value(numbers));
            if (!value) {
                return errorAt(ErrorCode::kInvalidModule, module.def(variable),
                               std::format("{} must be of 32-bit integers", row.name));
            }
            if (auto error = makePrivate(types, Users(module), variable, row.name)) return error;
            emit.store(variable, *value);
        }
    }
    if (!code.empty()) insertAtStart(module, std::move(code));
    return std::nullopt;
}

// Where operand `at` of an instruction is the scope Subgroup, it becomes Workgroup.
void widen(TypeTable& types, Instruction& i, size_t at) {
    constexpr auto kSubgroup = static_cast<uint64_t>(spv::Scope::Subgroup);
    if (at >= i.operands.size() || types.module().constantValue(i.word(at)) != kSubgroup) return;
    i.operands[at] = idOperand(types.constantU32(static_cast<uint32_t>(spv::Scope::Workgroup)));
}

// Those of MakePointerAvailable and MakePointerVisible in the Memory Operands at `at`.
void widenMemoryOperands(TypeTable& types, Instruction& i, size_t at) {
    using enum spv::MemoryAccessMask;
    if (at >= i.operands.size()) return;
    const uint32_t mask = i.word(at);
    const auto has = [&](spv::MemoryAccessMask bit) {
        return (mask & static_cast<uint32_t>(bit)) != 0;
    };
    const size_t next = at + memoryOperandCount(operandsBehind(i, at));
    size_t scope = at + (has(Aligned) ? 2 : 1);
    if (has(MakePointerAvailable)) widen(types, i, scope++);
    if (has(MakePointerVisible)) widen(types, i, scope);
    if (i.opcode == OpCopyMemory && at == 2) widenMemoryOperands(types, i, next);
}

// Those of MakeTexelAvailable and MakeTexelVisible in the Image Operands at `at`.
void widenImageOperands(TypeTable& types, Instruction& i, size_t at) {
    using enum spv::ImageOperandsMask;
    constexpr auto kScoped = static_cast<uint32_t>(MakeTexelAvailable | MakeTexelVisible);
    if (at >= i.operands.size()) return;
    size_t next = at + 1;
    for (uint32_t rest = i.word(at); rest != 0; rest &= rest - 1) {
        const uint32_t bit = 1u << std::countr_zero(rest);
        if (bit > static_cast<uint32_t>(MakeTexelVisible)) return;  // behind the scopes
        if ((bit & kScoped) != 0) widen(types, i, next);
        next += bit == static_cast<uint32_t>(Grad) ? 2 : 1;
    }
}

void widenScopesOf(TypeTable& types, Instruction& i) {
    if (isAtomic(i.opcode)) return widen(types, i, 1);
    switch (i.opcode) {
        case OpControlBarrier:
            widen(types, i, 0);
            return widen(types, i, 1);
        case OpMemoryBarrier:
            return widen(types, i, 0);
        case OpLoad:
            return widenMemoryOperands(types, i, 1);
        case OpStore:
        case OpCopyMemory:
            return widenMemoryOperands(types, i, 2);
        case OpImageRead:
        case OpImageSparseRead:
            return widenImageOperands(types, i, 2);
        case OpImageWrite:
            return widenImageOperands(types, i, 3);
        default:
            return;
    }
}

// SubgroupSize alone.
std::optional<Error> replaceSubgroupSize(TypeTable& types, uint32_t lanes) {
    return replaceBuiltIns(types, lanes, true);
}

}  // namespace

std::optional<Error> replaceSubgroupBuiltIns(TypeTable& types, uint32_t lanes) {
    return replaceBuiltIns(types, lanes, false);
}

void widenScopes(TypeTable& types) {
    types.module().visitBlocks([&](Instruction& i) { widenScopesOf(types, i); });
}

std::optional<Error> keepNarrowSubgroups(LoweringContext& context) {
    Module& module = context.module;
    const uint32_t lanes = context.target.subgroupSize;
    const uint32_t drivers = context.target.device.driverSubgroupSize;
    module.visitBlocks([&](Instruction& i) {
        const bool isClustered =
            SubgroupFunctions::combines(i.opcode) &&
            i.word(1) == static_cast<uint32_t>(spv::GroupOperation::ClusteredReduce);
        const size_t at = isClustered ? 3 : i.opcode == OpGroupNonUniformRotateKHR ? 3 : 0;
        if (at == 0 || module.constantValue(i.word(at)).value_or(0) <= drivers) return;
        // All active lanes are in one cluster.
        if (isClustered) i.operands[1] = literal(spv::GroupOperation::Reduce);
        i.operands.resize(at);
    });
    return replaceSubgroupSize(context.types, lanes);
}

namespace {

struct OperationRange {
    spv::Op first, last;
};

// By number, since headers have different names for those of extensions.
constexpr OperationRange kOperations[] = {
    {OpGroupAll, OpGroupSMax},
    {OpGroupNonUniformElect, OpGroupNonUniformQuadSwap},
    {OpSubgroupBallotKHR, OpSubgroupFirstInvocationKHR},
    {OpSubgroupAllKHR, OpSubgroupReadInvocationKHR},  // with OpGroupNonUniformRotateKHR
    {OpGroupIAddNonUniformAMD, OpGroupSMaxNonUniformAMD},
    {OpGroupNonUniformQuadAllKHR, OpGroupNonUniformQuadAnyKHR},
    {static_cast<spv::Op>(5296), static_cast<spv::Op>(5296)},  // OpGroupNonUniformPartitionNV
    {OpSubgroupShuffleINTEL, OpSubgroupImageMediaBlockWriteINTEL},
    {OpGroupIMulKHR, OpGroupLogicalXorKHR},
};

bool isBetween(spv::Op opcode, spv::Op first, spv::Op last) {
    return first <= opcode && opcode <= last;
}

constexpr std::initializer_list<spv::Op> kVotes = {
    OpGroupNonUniformAll, OpGroupNonUniformAny,        OpSubgroupAllKHR,
    OpSubgroupAnyKHR,     OpGroupNonUniformQuadAllKHR, OpGroupNonUniformQuadAnyKHR};

constexpr std::initializer_list<spv::Op> kOfBallots = {
    OpGroupNonUniformInverseBallot,  OpGroupNonUniformBallotBitExtract,
    OpGroupNonUniformBallotBitCount, OpGroupNonUniformBallotFindLSB,
    OpGroupNonUniformBallotFindMSB,  OpGroupNonUniformElect};

constexpr std::initializer_list<spv::Op> kWithoutScope = {OpSubgroupBallotKHR,
                                                          OpSubgroupFirstInvocationKHR,
                                                          OpSubgroupAllKHR,
                                                          OpSubgroupAnyKHR,
                                                          OpSubgroupAllEqualKHR,
                                                          OpSubgroupReadInvocationKHR,
                                                          OpGroupNonUniformQuadAllKHR,
                                                          OpGroupNonUniformQuadAnyKHR};

constexpr std::initializer_list<spv::Op> kOfBits = {
    OpGroupNonUniformAllEqual, OpSubgroupAllEqualKHR, OpGroupNonUniformBallot, OpSubgroupBallotKHR};

// Of these, a name of OpControlBarrier's Execution scope.
bool isSubgroupBarrier(std::span<const uint32_t> words, std::span<const Id> scopes) {
    return words.size() > 1 && std::ranges::find(scopes, words[1]) != scopes.end();
}

bool isOfSubgroups(spv::Capability capability) {
    using enum spv::Capability;
    return (capability >= GroupNonUniform && capability <= GroupNonUniformQuad) ||
           isOneOf(capability, {SubgroupBallotKHR, SubgroupVoteKHR, GroupNonUniformRotateKHR,
                                QuadControlKHR, static_cast<spv::Capability>(5297)});
}

}  // namespace

bool isSubgroupOperation(spv::Op opcode) {
    return std::ranges::any_of(kOperations, [&](const OperationRange& range) {
        return isBetween(opcode, range.first, range.last);
    });
}

size_t valueOperand(spv::Op opcode) {
    if (isOneOf(opcode, kWithoutScope)) return 0;
    const bool hasGroupOperation =
        SubgroupFunctions::combines(opcode) || opcode == OpGroupNonUniformBallotBitCount;
    return hasGroupOperation ? 2 : 1;
}

bool exchangesValue(spv::Op opcode) {
    return isSubgroupOperation(opcode) && !isOneOf(opcode, kOfBallots) && !isOneOf(opcode, kVotes);
}

bool exchangesBits(spv::Op opcode) { return isOneOf(opcode, kVotes) || isOneOf(opcode, kOfBits); }

void removeSubgroupCapabilities(Module& module) {
    std::vector<spv::Capability> gone;
    for (const InstructionPtr& i : module.section(Section::kCapabilities)) {
        const auto capability = static_cast<spv::Capability>(i->word(0));
        if (isOfSubgroups(capability)) gone.push_back(capability);
    }
    for (const spv::Capability capability : gone) module.removeCapability(capability);
    for (const char* name :
         {"SPV_KHR_shader_ballot", "SPV_KHR_subgroup_vote", "SPV_KHR_subgroup_rotate",
          "SPV_KHR_quad_control", "SPV_NV_shader_subgroup_partitioned"}) {
        module.removeExtension(name);
    }
}

bool usesSubgroups(std::span<const uint32_t> words) {
    if (anyCapability(words, isOfSubgroups)) return true;
    // A barrier of a subgroup needs no capability.
    std::vector<Id> scopes;
    return anyInstruction(
        instructionWords(words), [&](spv::Op opcode, std::span<const uint32_t> i) {
            const bool isScope = opcode == OpConstant && i.size() == 4 &&
                                 i[3] == static_cast<uint32_t>(spv::Scope::Subgroup);
            if (isScope) scopes.push_back(i[2]);
            return opcode == OpControlBarrier && isSubgroupBarrier(i, scopes);
        });
}

}  // namespace coopvk::rewrite
