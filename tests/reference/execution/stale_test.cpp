// SPDX-License-Identifier: Apache-2.0
//
// What makes writes available and visible (Vulkan, appendix "Memory Model", "Availability and
// Visibility"), and reads that may be stale without: in an adversarial schedule they are.
#include <gtest/gtest.h>

#include "planted.hpp"

namespace coopvk::reference::test::stale_test {
namespace {

// How each invocation writes a word, meets the others, and reads the word of the next one.
struct Handover {
    std::string write;      // memory operands
    std::string semantics;  // of the barrier
    std::string read;       // memory operands
    bool sound;
};

const std::string kNonPrivate = "NonPrivatePointer";
const Handover kHandovers[] = {
    {kNonPrivate, "%both", kNonPrivate, true},
    {kNonPrivate + "|MakePointerAvailable %u_2", "%neither",
     kNonPrivate + "|MakePointerVisible %u_2", true},
    {kNonPrivate, "%available", kNonPrivate + "|MakePointerVisible %u_2", true},
    {kNonPrivate + "|MakePointerAvailable %u_2", "%visible", kNonPrivate, true},
    {kNonPrivate, "%available", kNonPrivate, false},  // nothing makes it visible
    {kNonPrivate, "%visible", kNonPrivate, false},    // nothing made it available
    {kNonPrivate, "%neither", kNonPrivate + "|MakePointerVisible %u_2", false},
    {kNonPrivate + "|MakePointerAvailable %u_2", "%neither", kNonPrivate, false},
    {"None", "%both", kNonPrivate, false},
    {kNonPrivate, "%both", "None", false},
    // An acquire makes visible what a barrier ordered; not what others order later, other memory,
    // or what was not available.
    {kNonPrivate + "|MakePointerAvailable %u_2", "%neither\nOpMemoryBarrier %u_2 %acquire",
     kNonPrivate, true},
    {kNonPrivate + "|MakePointerAvailable %u_2",
     "%neither\n%lock = OpAtomicLoad %u32 %z %u_2 %acquire", kNonPrivate, true},
    {kNonPrivate + "|MakePointerAvailable %u_2\nOpMemoryBarrier %u_2 %acquire", "%neither",
     kNonPrivate, false},
    {kNonPrivate + "|MakePointerAvailable %u_2", "%neither\nOpMemoryBarrier %u_2 %of_buffers",
     kNonPrivate, false},
    {kNonPrivate, "%neither\nOpMemoryBarrier %u_2 %acquire", kNonPrivate, false},
    // Only for the subgroup of the invocation.
    {kNonPrivate + "|MakePointerAvailable %subgroup", "%visible", kNonPrivate, false},
    {kNonPrivate, "%available", kNonPrivate + "|MakePointerVisible %subgroup", false},
};

// Words are 7, then, after a barrier, the number of their invocation.
Execution handedOver(const Handover& handover, Choice schedule, uint32_t checks = kAllChecks) {
    ShaderText text = plainText(
        "%z = OpAccessChain %p_shared %shared %u_9\n"
        "OpAtomicStore %z %u_2 %relaxed %u_0\n"
        "%w = OpAccessChain %p_shared %shared %i\nOpStore %w %u_7 NonPrivatePointer\n"
        "OpControlBarrier %u_2 %u_2 %both\nOpStore %w %i " +
            handover.write + "\nOpControlBarrier %u_2 %u_2 " + handover.semantics +
            "\n%n = OpBitwiseXor %u32 %i %u_4\n%q = OpAccessChain %p_shared %shared %n\n"
            "%r = OpLoad %u32 %q " +
            handover.read + "\n" + storeWord("%i", "%r"),
        8);
    text.capabilities = "OpCapability VulkanMemoryModel\n";
    text.memoryModel = "Logical Vulkan";
    // AcquireRelease and WorkgroupMemory; MakeAvailable; MakeVisible.
    text.declarations +=
        "%neither = OpConstant %u32 264\n%available = OpConstant %u32 8456\n"
        "%visible = OpConstant %u32 16648\n%both = OpConstant %u32 24840\n"
        // Acquire and MakeVisible, of the workgroup's memory and of buffers.
        "%acquire = OpConstant %u32 16642\n%of_buffers = OpConstant %u32 16450\n";
    Execution r;
    r.lanes = 4;
    r.settings.schedule = schedule;
    r.settings.checks = checks;
    r.buffers[0].resize(1);
    r.buffers[1].resize(8);
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    return r;
}

TEST(ReferenceStale, ReadsOfOtherSubgroups) {
    for (const Handover& handover : kHandovers) {
        SCOPED_TRACE(handover.write + ", " + handover.semantics + ", " + handover.read);
        for (const Choice schedule : {Choice::kPlain, Choice::kAdversarial}) {
            const Execution r = handedOver(handover, schedule);
            handover.sound ? expectNone(r) : expectOnly(r, kCheckRaces);
            const bool stale = !handover.sound && schedule == Choice::kAdversarial;
            for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(r.buffers.at(1)[i], stale ? 7 : i ^ 4);
        }
    }
}

// The stale bytes are those before the last writes of another invocation that nothing ordered.
TEST(ReferenceStale, SeveralWrites) {
    const Handover twice{kNonPrivate + "\nOpStore %w %u_9 " + kNonPrivate, "%available",
                         kNonPrivate, false};
    const Execution r = handedOver(twice, Choice::kAdversarial);
    for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(r.buffers.at(1)[i], 7u);
}

// Also where races are not reported.
TEST(ReferenceStale, WithoutChecks) {
    const Handover private_{"None", "%both", kNonPrivate, false};
    const Execution r = handedOver(private_, Choice::kAdversarial, 0);
    expectNone(r);
    EXPECT_EQ(r.buffers.at(1)[0], 7u);
}

// Atomic operations of a scope that not both invocations are in are not "mutually-ordered".
TEST(ReferenceStale, ScopesOfAtomics) {
    for (const bool device : {true, false}) {
        ShaderText text = plainText(
            "%p = OpAccessChain %p_word %out %u_0 %u_3\n"
            "%r = OpAtomicIAdd %u32 %p " +
                std::string(device ? "%u_1" : "%u_2") + " %relaxed %u_2\n",
            4);
        const Execution alone = executed(text, 1), several = executed(text, 2);
        expectNone(alone);
        device ? expectNone(several) : expectOnly(several, kCheckRaces);
    }
}

}  // namespace
}  // namespace coopvk::reference::test::stale_test
