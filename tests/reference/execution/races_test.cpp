// SPDX-License-Identifier: Apache-2.0
//
// Planted races: each is found by the check meant for it, and by no other; the sound program beside
// it gives no report.
#include <gtest/gtest.h>

#include "planted.hpp"

namespace coopvk::reference::test::races_test {
namespace {

TEST(ReferenceRaces, MissingBarrier) {
    const std::string workgroup = "OpControlBarrier %u_2 %u_2 %semantics\n";
    for (const uint32_t size : {4u, 8u}) {  // one subgroup, and two
        expectNone(executed(neighbourText(workgroup, size)));
        // With two, what a subgroup reads may not be written yet: that is reported, too.
        const Execution missing = executed(neighbourText("", size));
        size == 4 ? expectOnly(missing, kCheckRaces) : expectFound(missing, kCheckRaces);
    }
    // Of the subgroup: enough only where there is one.
    const std::string subgroup = "OpControlBarrier %subgroup %subgroup %semantics\n";
    expectNone(executed(neighbourText(subgroup, 4)));
    expectFound(executed(neighbourText(subgroup, 8)), kCheckRaces);
    // For other memory, or no memory.
    expectOnly(executed(neighbourText("OpControlBarrier %u_2 %u_2 %buffers\n", 4)), kCheckRaces);
    expectOnly(executed(neighbourText("OpControlBarrier %u_2 %u_2 %none\n", 4)), kCheckRaces);
    // A memory barrier before a barrier releases.
    expectNone(executed(
        neighbourText("OpMemoryBarrier %u_2 %semantics\nOpControlBarrier %u_2 %u_2 %none\n", 4)));
    // It orders nothing alone.
    expectOnly(executed(neighbourText("OpMemoryBarrier %u_2 %semantics\n", 4)), kCheckRaces);
}

// An arrival orders nothing without the wait.
TEST(ReferenceRaces, SplitBarriers) {
    const auto text = [](const std::string& between, uint32_t size) {
        ShaderText made = neighbourText(between, size);
        made.capabilities = "OpCapability SplitBarrierEXT\nOpExtension \"SPV_EXT_split_barrier\"\n";
        made.declarations +=  // of the workgroup's memory
            "%released = OpConstant %u32 260\n%acquired = OpConstant %u32 258\n";
        return made;
    };
    const std::string arrive = "OpControlBarrierArriveEXT %u_2 %u_2 ";
    const std::string wait = "OpControlBarrierWaitEXT %u_2 %u_2 ";
    for (const uint32_t size : {4u, 8u}) {
        expectNone(executed(text(arrive + "%released\n" + wait + "%acquired\n", size)));
        // The arrival must release, and the wait acquire.
        expectFound(executed(text(arrive + "%released\n" + wait + "%none\n", size)), kCheckRaces);
        expectFound(executed(text(arrive + "%none\n" + wait + "%acquired\n", size)), kCheckRaces);
        expectFound(executed(text(arrive + "%released\n", size)), kCheckRaces);
    }
}

// With the Vulkan memory model accesses are private unless they say otherwise.
TEST(ReferenceRaces, DroppedNonPrivate) {
    const auto text = [](const std::string& write, const std::string& read,
                         const std::string& semantics) {
        ShaderText made = neighbourText("OpControlBarrier %u_2 %u_2 " + semantics + "\n", 4);
        made.capabilities = "OpCapability VulkanMemoryModel\n";
        made.memoryModel = "Logical Vulkan";
        made.body.replace(made.body.find("OpStore %w %i\n"), 14, "OpStore %w %i " + write + "\n");
        made.body.replace(made.body.find("OpLoad %u32 %q\n"), 15, "OpLoad %u32 %q " + read + "\n");
        return made;
    };
    const std::string shared = "NonPrivatePointer";
    expectNone(executed(text(shared, shared, "%made")));
    expectNone(executed(text(shared + "|MakePointerAvailable %u_2",
                             shared + "|MakePointerVisible %u_2", "%semantics")));
    expectOnly(executed(text("None", shared, "%made")), kCheckRaces);
    expectOnly(executed(text(shared, "None", "%made")), kCheckRaces);
    expectOnly(executed(text(shared, shared, "%semantics")), kCheckRaces);  // not available
}

// An atomic operation sees what was made available.
TEST(ReferenceRaces, AtomicsSeeWhatIsAvailable) {
    for (const bool available : {false, true}) {
        ShaderText text = neighbourText("OpControlBarrier %u_2 %u_2 %semantics\n", 4);
        text.capabilities = "OpCapability VulkanMemoryModel\n";
        text.memoryModel = "Logical Vulkan";
        const std::string flags =
            available ? " MakePointerAvailable|NonPrivatePointer %u_2\n" : " NonPrivatePointer\n";
        text.body.replace(text.body.find("OpStore %w %i\n"), 14, "OpStore %w %i" + flags);
        text.body.replace(text.body.find("OpLoad %u32 %q\n"), 15,
                          "OpAtomicLoad %u32 %q %u_2 %relaxed\n");
        available ? expectNone(executed(text)) : expectOnly(executed(text), kCheckRaces);
    }
}

// What an atomic operation made available is still available when all have met.
TEST(ReferenceRaces, AtomicsMakeAvailableForBarriers) {
    for (const bool available : {false, true}) {
        ShaderText text = neighbourText(
            "%z = OpAccessChain %p_word %out %u_0 %i\nOpAtomicStore %z %u_2 %released %u_0\n"
            "OpControlBarrier %u_2 %u_2 %semantics\n",
            8);
        // Release, WorkgroupMemory, MakeAvailable
        text.declarations +=
            available ? "%released = OpConstant %u32 8452\n" : "%released = OpConstant %u32 260\n";
        text.capabilities = "OpCapability VulkanMemoryModel\n";
        text.memoryModel = "Logical Vulkan";
        text.body.replace(text.body.find("OpStore %w %i\n"), 14,
                          "OpStore %w %i NonPrivatePointer\n");
        text.body.replace(text.body.find("OpLoad %u32 %q\n"), 15,
                          "OpLoad %u32 %q MakePointerVisible|NonPrivatePointer %u_2\n");
        available ? expectNone(executed(text)) : expectOnly(executed(text), kCheckRaces);
    }
}

// Four invocations write a byte each of one word; then the last one reads its own byte, or the
// first one's. The later writes to the word do not hide the first.
TEST(ReferenceRaces, BytesOfOneWord) {
    for (const bool own : {true, false}) {
        ShaderText text = plainText(
            "%b = OpUConvert %u8 %i\n%w = OpAccessChain %p_byte %bytes %i\n"
            "OpStore %w %b\n%is_last = OpIEqual %bool %i %u_3\n"
            "%at = OpSelect %u32 %is_last " +
                std::string(own ? "%u_3" : "%u_0") +
                " %i\n%r = OpAccessChain %p_byte %bytes %at\n"
                "%x = OpLoad %u8 %r\n%y = OpUConvert %u32 %x\n" +
                storeWord("%i", "%y"),
            4);
        text.declarations +=
            "%a4 = OpTypeArray %u8 %u_4\n%p_bytes = OpTypePointer Workgroup %a4\n"
            "%p_byte = OpTypePointer Workgroup %u8\n%bytes = OpVariable %p_bytes Workgroup\n";
        own ? expectNone(executed(text)) : expectOnly(executed(text), kCheckRaces);
    }
}

// All workgroups write their number to one word of a buffer; atomically, it is no race.
TEST(ReferenceRaces, RacesOfWorkgroups) {
    ShaderText text = plainText(
        "%v = OpLoad %v3u32 %group\n%g = OpCompositeExtract %u32 %v 0\n" + storeWord("%u_3", "%g"),
        1);
    text.declarations += "%p_v3 = OpTypePointer Input %v3u32\n%group = OpVariable %p_v3 Input\n";
    text.annotations = "OpDecorate %group BuiltIn WorkgroupId\n";
    expectOnly(executed(text, 4), kCheckRaces);
    // Also of the same value.
    expectOnly(executed(plainText(storeWord("%u_3", "%u_7"), 1), 4), kCheckRaces);
    const std::string atomic =
        "%p = OpAccessChain %p_word %out %u_0 %u_3\n%r = OpAtomicIAdd %u32 %p %u_1 %relaxed %u_2\n";
    const Execution added = executed(plainText(atomic, 4), 4);
    expectNone(added);
    EXPECT_EQ(added.buffers.at(1)[3], 32u);
}

// Workgroups have their numbers in the dispatch, wherever it begins.
TEST(ReferenceRaces, NumbersOfWorkgroups) {
    Execution r;
    r.groups = {2, 2, 2};
    r.base = {1, 2, 3};
    r.buffers = {{0, {0}}, {1, {0}}};
    execute(r, shader(plainText(storeWord("%u_0", "%u_7"), 1)));
    expectOnly(r, kCheckRaces);
    EXPECT_NE(r.reports.at(0).message.find("invocation 0 of workgroup 0 "), std::string::npos)
        << r.reports.at(0).message;
    EXPECT_EQ(r.reports.at(0).workgroup, (std::array<uint32_t, 3>{2, 2, 3}));
}

// Invocation 6 accesses a word through two variables: it is lane 2 of subgroup 1.
TEST(ReferenceRaces, LanesOfRestrict) {
    ShaderText text = plainText(
        "%is6 = OpIEqual %bool %i %u_6\nOpSelectionMerge %m None\n"
        "OpBranchConditional %is6 %t %m\n%t = OpLabel\n" +
            storeWord("%u_0", "%i") +
            "%q = OpAccessChain %p_word %alias %u_0 %u_0\n%x = OpLoad %u32 %q\n"
            "OpBranch %m\n%m = OpLabel\n",
        8);
    text.annotations =
        "OpDecorate %alias DescriptorSet 0\nOpDecorate %alias Binding 1\n"
        "OpDecorate %alias Restrict\n";
    text.declarations += "%alias = OpVariable %p_block StorageBuffer\n";
    const Execution r = executed(text);
    expectOnly(r, kCheckProgram);
    EXPECT_EQ(r.reports.at(0).subgroup, 1u);
    EXPECT_EQ(r.reports.at(0).lane, 2u);
}

// A message with a flag: released by an atomic store and acquired by an atomic load. The second
// subgroup waits for the first.
TEST(ReferenceRaces, ReleaseAndAcquire) {
    const auto text = [](const std::string& release, const std::string& acquire) {
        ShaderText made = plainText(
            "%z = OpAccessChain %p_shared %shared %u_1\nOpSelectionMerge %zm None\n"
            "%is0 = OpIEqual %bool %i %u_0\nOpBranchConditional %is0 %zt %zm\n"
            "%zt = OpLabel\nOpAtomicStore %z %u_2 %relaxed %u_0\nOpBranch %zm\n%zm = OpLabel\n"
            "OpControlBarrier %u_2 %u_2 %semantics\n"
            "%d = OpAccessChain %p_shared %shared %u_0\n"
            "OpSelectionMerge %m None\nOpSwitch %i %m 0 %first 4 %second\n"
            "%first = OpLabel\nOpStore %d %u_9\nOpAtomicStore %z %u_2 " +
                release +
                " %u_1\nOpBranch %m\n"
                "%second = OpLabel\nOpBranch %h\n%h = OpLabel\nOpLoopMerge %got %k None\nOpBranch "
                "%b\n"
                "%b = OpLabel\n%f = OpAtomicLoad %u32 %z %u_2 " +
                acquire +
                "\n"
                "%c = OpIEqual %bool %f %u_1\nOpBranchConditional %c %got %k\n%k = "
                "OpLabel\nOpBranch %h\n"
                "%got = OpLabel\n%r = OpLoad %u32 %d\n" +
                storeWord("%u_0", "%r") + "OpBranch %m\n%m = OpLabel\n",
            8);
        const std::string merge = "OpSelectionMerge %zm None\n";
        const std::string compare = "%is0 = OpIEqual %bool %i %u_0\n";
        made.body.erase(made.body.find(merge), merge.size());
        made.body.insert(made.body.find(compare) + compare.size(), merge);
        made.declarations += "%release = OpConstant %u32 260\n%acquire = OpConstant %u32 258\n";
        return made;
    };
    const Execution sound = executed(text("%release", "%acquire"));
    expectNone(sound);
    EXPECT_EQ(sound.buffers.at(1)[0], 9u);
    expectOnly(executed(text("%relaxed", "%acquire")), kCheckRaces);
    expectOnly(executed(text("%release", "%relaxed")), kCheckRaces);
}

}  // namespace
}  // namespace coopvk::reference::test::races_test
