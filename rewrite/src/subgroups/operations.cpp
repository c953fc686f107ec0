// SPDX-License-Identifier: Apache-2.0
#include "subgroups/operations.hpp"

#include "coopvk/rewrite.hpp"
#include "subgroups/lower.hpp"

namespace coopvk::rewrite {

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
