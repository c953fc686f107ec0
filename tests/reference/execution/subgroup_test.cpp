// SPDX-License-Identifier: Apache-2.0
//
// Operations of a subgroup, of each width.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::subgroup_test {
namespace {

const char* const kScope = "%scope = OpConstant %u32 3\n";

// The outputs of `code`, which computes %r (u32) from %x, the word of the invocation.
std::vector<uint32_t> computed(const std::string& code, uint32_t lanes,
                               const std::vector<uint32_t>& in) {
    ShaderText text;
    text.localSize = static_cast<uint32_t>(in.size());
    text.declarations = kScope;
    text.capabilities =
        "OpCapability GroupNonUniformRotateKHR\nOpExtension \"SPV_KHR_subgroup_rotate\"\n";
    text.body = loadWord("%x", "%i") + code + storeWord("%i", "%r");
    Execution r;
    r.lanes = lanes;
    r.buffers[0] = in;
    r.buffers[1].resize(in.size());
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    for (const Report& report : r.reports) ADD_FAILURE() << describe(report);
    return r.buffers[1];
}

std::vector<uint32_t> numbers(uint32_t count) {
    std::vector<uint32_t> in(count);
    for (uint32_t i = 0; i < count; ++i) in[i] = i * i + 3;
    return in;
}

class ReferenceSubgroup : public testing::TestWithParam<uint32_t> {
 protected:
    uint32_t lanes() const { return GetParam(); }
    // Two subgroups.
    std::vector<uint32_t> in() const { return numbers(2 * lanes()); }
};

TEST_P(ReferenceSubgroup, Sums) {
    const auto reduced =
        computed("%r = OpGroupNonUniformIAdd %u32 %scope Reduce %x\n", lanes(), in());
    const auto inclusive =
        computed("%r = OpGroupNonUniformIAdd %u32 %scope InclusiveScan %x\n", lanes(), in());
    const auto exclusive =
        computed("%r = OpGroupNonUniformIAdd %u32 %scope ExclusiveScan %x\n", lanes(), in());
    const auto clustered =
        computed("%r = OpGroupNonUniformIAdd %u32 %scope ClusteredReduce %x %u_4\n", lanes(), in());
    const auto from = in();
    for (uint32_t i = 0; i < from.size(); ++i) {
        uint32_t all = 0, before = 0, cluster = 0;
        const uint32_t first = i / lanes() * lanes();
        for (uint32_t n = first; n < first + lanes(); ++n) {
            all += from[n];
            if (n < i) before += from[n];
            if (n / 4 == i / 4) cluster += from[n];
        }
        EXPECT_EQ(reduced[i], all);
        EXPECT_EQ(exclusive[i], before);
        EXPECT_EQ(inclusive[i], before + from[i]);
        EXPECT_EQ(clustered[i], cluster);
    }
}

TEST_P(ReferenceSubgroup, Ballots) {
    for (uint32_t word = 0; word < 4; ++word) {
        const auto out = computed(
            "%c = OpBitwiseAnd %u32 %i %u_1\n%b = OpIEqual %bool %c %u_0\n"
            "%v = OpGroupNonUniformBallot %v4u32 %scope %b\n"
            "%r = OpCompositeExtract %u32 %v " +
                std::to_string(word) + "\n",
            lanes(), in());
        const uint32_t inWord = lanes() > word * 32 ? std::min(lanes() - word * 32, 32u) : 0;
        const uint32_t expected = inWord == 32 ? 0x55555555u : (1u << inWord) / 3;  // 0b0101...
        for (const uint32_t value : out) EXPECT_EQ(value, expected) << word;
    }
}

TEST_P(ReferenceSubgroup, CountsOfBallots) {
    const auto counted = [&](const std::string& operation) {
        return computed(
            "%c = OpBitwiseAnd %u32 %i %u_1\n%b = OpIEqual %bool %c %u_0\n"
            "%v = OpGroupNonUniformBallot %v4u32 %scope %b\n"
            "%r = OpGroupNonUniformBallotBitCount %u32 %scope " +
                operation + " %v\n",
            lanes(), in());
    };
    const auto all = counted("Reduce"), inclusive = counted("InclusiveScan"),
               exclusive = counted("ExclusiveScan");
    for (uint32_t i = 0; i < all.size(); ++i) {
        const uint32_t lane = i % lanes();
        EXPECT_EQ(all[i], lanes() / 2);
        EXPECT_EQ(inclusive[i], lane / 2 + 1);
        EXPECT_EQ(exclusive[i], (lane + 1) / 2);
    }
}

TEST_P(ReferenceSubgroup, ValuesOfOtherLanes) {
    const auto from = in();
    const auto crossed =
        computed("%r = OpGroupNonUniformShuffleXor %u32 %scope %x %u_3\n", lanes(), from);
    const auto first =
        computed("%r = OpGroupNonUniformBroadcastFirst %u32 %scope %x\n", lanes(), from);
    const auto third =
        computed("%r = OpGroupNonUniformBroadcast %u32 %scope %x %u_2\n", lanes(), from);
    for (uint32_t i = 0; i < from.size(); ++i) {
        EXPECT_EQ(crossed[i], from[i ^ 3]);
        EXPECT_EQ(first[i], from[i / lanes() * lanes()]);
        EXPECT_EQ(third[i], from[i / lanes() * lanes() + 2]);
    }
}

// SPV_KHR_subgroup_rotate: "(LocalId + Delta) % MaxLocalId", of the subgroup or of a cluster.
TEST_P(ReferenceSubgroup, Rotations) {
    const auto from = in();
    const auto whole =
        computed("%r = OpGroupNonUniformRotateKHR %u32 %scope %x %u_3\n", lanes(), from);
    const auto clustered =
        computed("%r = OpGroupNonUniformRotateKHR %u32 %scope %x %u_1 %u_4\n", lanes(), from);
    for (uint32_t i = 0; i < from.size(); ++i) {
        EXPECT_EQ(whole[i], from[i / lanes() * lanes() + (i + 3) % lanes()]);
        EXPECT_EQ(clustered[i], from[i / 4 * 4 + (i + 1) % 4]);
    }
}

// Only the lanes of the branch take part.
TEST_P(ReferenceSubgroup, ActiveLanesOnly) {
    const auto out = computed(
        "%c = OpBitwiseAnd %u32 %i %u_1\n%b = OpIEqual %bool %c %u_0\n"
        "OpSelectionMerge %m None\nOpBranchConditional %b %t %m\n%t = OpLabel\n"
        "%n = OpGroupNonUniformIAdd %u32 %scope Reduce %u_1\nOpBranch %m\n"
        "%m = OpLabel\n%r = OpPhi %u32 %u_0 %start %n %t\n",
        lanes(), in());
    for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 2 == 0 ? lanes() / 2 : 0);
}

INSTANTIATE_TEST_SUITE_P(Lanes, ReferenceSubgroup, testing::Values(4, 8, 16, 32, 64, 128));

// SPV_KHR_shader_clock: a counter that does not go back, as 64 bits or as two words, the lower
// first.
TEST(ReferenceSubgroups, Clocks) {
    ShaderText text;
    text.localSize = 1;
    text.capabilities = "OpCapability ShaderClockKHR\nOpExtension \"SPV_KHR_shader_clock\"\n";
    text.body =
        "%first = OpReadClockKHR %u64 %u_3\n%words_ = OpReadClockKHR %v2u32 %u_3\n"
        "%second = OpBitcast %u64 %words_\n%third = OpReadClockKHR %u64 %u_3\n"
        "%a = OpULessThanEqual %bool %first %second\n"
        "%b = OpULessThanEqual %bool %second %third\n%both = OpLogicalAnd %bool %a %b\n"
        "%r = OpSelect %u32 %both %u_1 %u_0\n" +
        storeWord("%u_0", "%r");
    Execution r;
    r.lanes = 4;
    r.buffers[0] = {0};
    r.buffers[1] = {0};
    execute(r, shader(text));
    ASSERT_EQ(r.error, "");
    EXPECT_EQ(r.buffers[1][0], 1u);
}

}  // namespace
}  // namespace coopvk::reference::test::subgroup_test
