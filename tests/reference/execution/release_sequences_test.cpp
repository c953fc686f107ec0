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

// The first invocation writes a word of shared memory and one of a buffer, and releases both, or
// one of them, by a flag, 1. Then it, or another one, makes the flag 2, and the third waits for
// that and reads what was released.
struct Both {
    bool isOwn;
    std::string head, scope, passes, acquires, release = "%release";

    bool ofShared() const { return release != "%release_buffers"; }
    bool ofBuffers() const { return release != "%release_shared"; }
};
ShaderText textOf(const Both& both) {
    const std::string again =
        "%again = OpAtomicIAdd %u32 %z " + both.scope + " " + both.passes + " %u_1\n";
    const std::string waits =
        "OpBranch %h\n%h = OpLabel\nOpLoopMerge %passed %k None\nOpBranch %b\n%b = OpLabel\n"
        "%f = OpAtomicLoad %u32 %z %u_2 %relaxed\n%c = OpIEqual %bool %f %u_1\n"
        "OpBranchConditional %c %passed %k\n%k = OpLabel\nOpBranch %h\n%passed = OpLabel\n";
    ShaderText text = plainText(
        "%d = OpAccessChain %p_shared %shared %u_0\n%z = OpAccessChain %p_shared %shared %u_1\n"
        "%e = OpAccessChain %p_word %out %u_0 %u_5\n%is0 = OpIEqual %bool %i %u_0\n"
        "OpSelectionMerge %zm None\nOpBranchConditional %is0 %zt %zm\n"
        "%zt = OpLabel\nOpAtomicStore %z %u_2 %relaxed %u_0\nOpBranch %zm\n%zm = OpLabel\n"
        "OpControlBarrier %u_2 %u_2 %semantics\n"
        "OpSelectionMerge %m None\nOpSwitch %i %m 0 %first 4 %second 8 %third\n"
        "%first = OpLabel\nOpStore %d %u_9\nOpStore %e %u_9\n"
        "OpAtomicStore %z " +
            both.head + " " + both.release + " %u_1\n" + (both.isOwn ? again : "") +
            "OpBranch %m\n%second = OpLabel\n" + (both.isOwn ? "" : waits + again) +
            "OpBranch %m\n%third = OpLabel\nOpBranch %h3\n%h3 = OpLabel\n"
            "OpLoopMerge %got %k3 None\nOpBranch %b3\n%b3 = OpLabel\n"
            "%f3 = OpAtomicLoad %u32 %z %u_2 %relaxed\n%c3 = OpIEqual %bool %f3 "
            "%u_2\nOpBranchConditional %c3 %got %k3\n%k3 = OpLabel\n"
            "OpBranch %h3\n%got = OpLabel\n%last = OpAtomicLoad %u32 %z %u_2 " +
            both.acquires + "\n" +
            (both.ofShared() ? "%r = OpLoad %u32 %d\n" + storeWord("%u_0", "%r") : "") +
            (both.ofBuffers() ? "%x = OpLoad %u32 %e\n" + storeWord("%u_1", "%x") : "") +
            "OpBranch %m\n%m = OpLabel\n",
        12);
    text.declarations +=
        "%release = OpConstant %u32 324\n%acquire = OpConstant %u32 322\n"
        "%acquire_shared = OpConstant %u32 258\n%acquire_buffers = OpConstant %u32 66\n"
        "%both = OpConstant %u32 328\n%release_shared = OpConstant %u32 260\n"
        "%release_buffers = OpConstant %u32 68\n";
    return text;
}

// Whatever the operation that passes them on releases itself, at whatever scope.
TEST(ReferenceReleaseSequences, KindsOfMemoryAndScopes) {
    for (const bool isOwn : {true, false})
        for (const std::string head : {"%u_1", "%u_2"})
            for (const std::string scope : {"%u_1", "%u_2"})
                for (const std::string passes : {"%relaxed", "%semantics", "%buffers", "%both"})
                    for (const std::string release :
                         {"%release", "%release_shared", "%release_buffers"}) {
                        SCOPED_TRACE(head + scope + passes + release + (isOwn ? " own" : ""));
                        const Both both{isOwn, head, scope, passes, "%acquire", release};
                        const Execution run = executed(textOf(both));
                        expectNone(run);
                        EXPECT_EQ(run.buffers.at(1)[0], both.ofShared() ? 9u : 0u);
                        EXPECT_EQ(run.buffers.at(1)[1], both.ofBuffers() ? 9u : 0u);
                    }
    for (const std::string acquires : {"%acquire_shared", "%acquire_buffers"})
        expectOnly(executed(textOf({false, "%u_2", "%u_2", "%relaxed", acquires})), kCheckRaces);
}

// An invocation writes a word, and sets a flag behind a barrier of all; another one waits for the
// flag, and reads the word. A barrier that only acquires releases nothing by the flag.
TEST(ReferenceReleaseSequences, WhatBarriersRelease) {
    for (const std::string semantics : {"%semantics", "%acquire"}) {
        ShaderText text = plainText(
            "%d = OpAccessChain %p_shared %shared %u_0\n%z = OpAccessChain %p_shared %shared %u_1\n"
            "%is0 = OpIEqual %bool %i %u_0\nOpSelectionMerge %zm None\n"
            "OpBranchConditional %is0 %zt %zm\n"
            "%zt = OpLabel\nOpAtomicStore %z %u_2 %relaxed %u_0\nOpBranch %zm\n%zm = OpLabel\n"
            "OpControlBarrier %u_2 %u_2 %semantics\nOpSelectionMerge %dm None\n"
            "OpBranchConditional %is0 %dt %dm\n%dt = OpLabel\nOpStore %d %u_9\nOpBranch %dm\n"
            "%dm = OpLabel\nOpControlBarrier %u_2 %u_2 " +
                semantics +
                "\nOpSelectionMerge %m None\nOpSwitch %i %m 0 %first 4 %second\n"
                "%first = OpLabel\nOpAtomicStore %z %u_2 %relaxed %u_1\nOpBranch %m\n"
                "%second = OpLabel\nOpBranch %h\n%h = OpLabel\nOpLoopMerge %got %k None\n"
                "OpBranch %b\n%b = OpLabel\n%f = OpAtomicLoad %u32 %z %u_2 %acquire\n"
                "%c = OpIEqual %bool %f %u_1\nOpBranchConditional %c %got %k\n%k = OpLabel\n"
                "OpBranch %h\n%got = OpLabel\n%r = OpLoad %u32 %d\n" +
                storeWord("%u_0", "%r") + "OpBranch %m\n%m = OpLabel\n",
            8);
        text.declarations += "%acquire = OpConstant %u32 258\n";
        const Execution run = executed(text);
        semantics == "%semantics" ? expectNone(run) : expectOnly(run, kCheckRaces);
    }
}

// An invocation writes a word of a buffer and releases it by a half. Another one, behind a barrier
// for shared memory only, acquires it by that half. A store to the half ends what the first one
// released, whatever the other half has.
TEST(ReferenceReleaseSequences, StoresToHalvesEndThem) {
    for (const bool isEnded : {false, true}) {
        ShaderText text = plainText(
            "%low = OpAccessChain %p_half %halves %u_0\n"
            "%high = OpAccessChain %p_half %halves %u_1\n%is0 = OpIEqual %bool %i %u_0\n"
            "OpSelectionMerge %m None\nOpBranchConditional %is0 %t %m\n%t = OpLabel\n"
            "OpStore %low %h_0\nOpStore %high %h_0\n" +
                storeWord("%u_5", "%u_9") +
                "%a = OpAtomicFAddEXT %f16 %low %u_2 %release %h_1\n"
                "%b = OpAtomicFAddEXT %f16 %high %u_2 %relaxed %h_1\n"
                "OpBranch %m\n%m = OpLabel\nOpControlBarrier %u_2 %u_2 %semantics\n"
                "%is4 = OpIEqual %bool %i %u_4\nOpSelectionMerge %n None\n"
                "OpBranchConditional %is4 %s %n\n%s = OpLabel\n" +
                std::string(isEnded ? "OpStore %low %h_0\n" : "") +
                "%c = OpAtomicFAddEXT %f16 %low %u_2 %acquire %h_1\n"
                "%q = OpAccessChain %p_word %out %u_0 %u_5\n%x = OpLoad %u32 %q\n"
                "OpBranch %n\n%n = OpLabel\n",
            8);
        text.declarations +=  // of buffers
            "%release = OpConstant %u32 68\n%acquire = OpConstant %u32 66\n"
            "%h_0 = OpConstant %f16 0\n%h_1 = OpConstant %f16 1\n"
            "%pair = OpTypeArray %f16 %u_2\n%p_pair = OpTypePointer Workgroup %pair\n"
            "%p_half = OpTypePointer Workgroup %f16\n%halves = OpVariable %p_pair Workgroup\n";
        text.capabilities =
            "OpCapability AtomicFloat16AddEXT\n"
            "OpExtension \"SPV_EXT_shader_atomic_float_add\"\n"
            "OpExtension \"SPV_EXT_shader_atomic_float16_add\"\n";
        const Execution run = executed(text);
        isEnded ? expectOnly(run, kCheckRaces) : expectNone(run);
    }
}

}  // namespace
}  // namespace coopvk::reference::test::release_sequences_test
