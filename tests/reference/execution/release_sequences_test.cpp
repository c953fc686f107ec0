// SPDX-License-Identifier: Apache-2.0
//
// Release sequences (Vulkan, appendix "Memory Model"): what an atomic operation releases reaches
// who reads a value that others made of its value.
#include <gtest/gtest.h>

#include "planted.hpp"

namespace coopvk::reference::test::release_sequences_test {
namespace {

// Of three subgroups the first writes a word and releases a flag, 1; the second makes the flag 2;
// the third waits for that, and reads the word.
ShaderText passedOn(const std::string& before, const std::string& again, const std::string& passes,
                    const std::string& acquires) {
    ShaderText text = plainText(
        "%d = OpAccessChain %p_shared %shared %u_0\n%z = OpAccessChain %p_shared %shared %u_1\n"
        "%is0 = OpIEqual %bool %i %u_0\nOpSelectionMerge %zm None\n"
        "OpBranchConditional %is0 %zt %zm\n"
        "%zt = OpLabel\nOpAtomicStore %z %u_2 %relaxed %u_0\nOpBranch %zm\n%zm = OpLabel\n"
        "OpControlBarrier %u_2 %u_2 %semantics\n"
        "OpSelectionMerge %m None\nOpSwitch %i %m 0 %first 4 %second 8 %third\n"
        "%first = OpLabel\n" +
            before + "OpStore %d %u_9\nOpAtomicStore %z %u_2 %release %u_1\n" + again +
            "OpBranch %m\n%second = OpLabel\n" + before +
            "OpBranch %h\n%h = OpLabel\nOpLoopMerge %passed %k None\nOpBranch %b\n%b = OpLabel\n"
            "%f = OpAtomicCompareExchange %u32 %z %u_2 " +
            passes +
            " %relaxed %u_2 %u_1\n%c = OpIEqual %bool %f %u_1\n"
            "OpBranchConditional %c %passed %k\n%k = OpLabel\nOpBranch %h\n"
            "%passed = OpLabel\nOpBranch %m\n"
            "%third = OpLabel\nOpBranch %h3\n%h3 = OpLabel\nOpLoopMerge %got %k3 None\n"
            "OpBranch %b3\n%b3 = OpLabel\n%f3 = OpAtomicLoad %u32 %z %u_2 " +
            acquires +
            "\n%c3 = OpIEqual %bool %f3 %u_2\nOpBranchConditional %c3 %got %k3\n%k3 = OpLabel\n"
            "OpBranch %h3\n%got = OpLabel\n%r = OpLoad %u32 %d\n" +
            storeWord("%u_0", "%r") + "OpBranch %m\n%m = OpLabel\n",
        12);
    text.declarations += "%release = OpConstant %u32 260\n%acquire = OpConstant %u32 258\n";
    return text;
}

TEST(ReferenceReleaseSequences, ReadModifyWritesPassOn) {
    const std::string fence = "OpMemoryBarrier %u_2 %release\n";
    const std::string same = "%again = OpAtomicOr %u32 %z %u_2 %relaxed %u_0\n";
    for (const std::string& before : {std::string(), fence})
        for (const std::string& again : {std::string(), same})
            for (const std::string passes : {"%relaxed", "%acquire", "%release", "%semantics"}) {
                SCOPED_TRACE(before + again + passes);
                const Execution sound = executed(passedOn(before, again, passes, "%acquire"));
                expectNone(sound);
                EXPECT_EQ(sound.buffers.at(1)[0], 9u);
                expectOnly(executed(passedOn(before, again, passes, "%relaxed")), kCheckRaces);
            }
}

}  // namespace
}  // namespace coopvk::reference::test::release_sequences_test
