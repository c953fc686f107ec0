// SPDX-License-Identifier: Apache-2.0
//
// Pairs as in dependencies_test.cpp, of events, submissions, semaphores and waits of the host;
// reads that get stale bytes.
#include "dependencies.hpp"

namespace coopvk::reference::test::ordered_submissions_test {
namespace {

using Commands = VkCommandBuffer;

class OrderedSubmissions : public Dependent {};

TEST_F(OrderedSubmissions, EventsOfTheQueue) {
    check("vkCmdDispatch", [&](Commands to, bool isRight) {
        const VkMemoryBarrier2 all = memoryBarrier(kFill, kShaderRead);
        const VkDependencyInfo info = infoOf(all);
        const VkEvent set = event();
        if (isRight) fill(to, 0);
        vkCmdSetEvent2(to, set, &info);
        if (!isRight) fill(to, 0);  // behind the signal
        vkCmdWaitEvents2(to, 1, &set, &info);
        dispatch(to, 0, 1);
    });
}

TEST_F(OrderedSubmissions, EventsOfVulkan10) {
    check("vkCmdDispatch", [&](Commands to, bool isRight) {
        const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                     VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT};
        const VkEvent set = event();
        fill(to, 0);
        vkCmdSetEvent(to, set, VK_PIPELINE_STAGE_TRANSFER_BIT);
        vkCmdWaitEvents(to, 1, &set, VK_PIPELINE_STAGE_TRANSFER_BIT,
                        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, isRight ? 1 : 0, &memory, 0, nullptr,
                        0, nullptr);
        dispatch(to, 0, 1);
    });
}

// Submission order alone orders nothing; a barrier in a later submission does.
TEST_F(OrderedSubmissions, Submissions) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        submit([&](Commands to) { fill(to, 0); });
        submit([&](Commands to) {
            if (isRight) barrier(to, kFill, kShaderRead);
            dispatch(to, 0, 1);
        });
    });
}

TEST_F(OrderedSubmissions, BinarySemaphores) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        const VkSemaphore signal = semaphore(VK_SEMAPHORE_TYPE_BINARY);
        submit([&](Commands to) { fill(to, 0); }, {}, {at(signal, kAll)});
        submit([&](Commands to) { dispatch(to, 0, 1); },
               {at(signal, isRight ? kCompute : VK_PIPELINE_STAGE_2_COPY_BIT)});
    });
}

// A wait for a value is one for the signal that reaches it, not for later ones.
TEST_F(OrderedSubmissions, TimelineSemaphores) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        const VkSemaphore signal = semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
        submit([&](Commands to) { fill(to, 2); }, {}, {at(signal, kAll, 1)});
        submit([&](Commands to) { fill(to, 0); }, {}, {at(signal, kAll, 2)});
        submit([&](Commands to) { dispatch(to, 0, 1); }, {at(signal, kCompute, isRight ? 2 : 1)});
    });
}

TEST_F(OrderedSubmissions, StagesOfSignals) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        const VkSemaphore signal = semaphore(VK_SEMAPHORE_TYPE_BINARY);
        submit(
            [&](Commands to) { fill(to, 0); }, {},
            {at(signal, isRight ? VK_PIPELINE_STAGE_2_CLEAR_BIT : VK_PIPELINE_STAGE_2_COPY_BIT)});
        submit([&](Commands to) { dispatch(to, 0, 1); }, {at(signal, kCompute)});
    });
}

// What the host waited for happened before what it submits then.
TEST_F(OrderedSubmissions, Fences) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        const VkFence done = fence();
        submit([&](Commands to) { fill(to, 0); }, {}, {}, done);
        if (isRight) {
            ASSERT_VK(vkWaitForFences(device, 1, &done, VK_TRUE, UINT64_MAX));
        }
        submit([&](Commands to) { dispatch(to, 0, 1); });
    });
}

TEST_F(OrderedSubmissions, WaitsOfTheHostForSemaphores) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        const VkSemaphore signal = semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
        submit([&](Commands to) { fill(to, 2); }, {}, {at(signal, kAll, 1)});
        submit([&](Commands to) { fill(to, 0); }, {}, {at(signal, kAll, 2)});
        waitFor(signal, isRight ? 2 : 1);
        submit([&](Commands to) { dispatch(to, 0, 1); });
    });
}

TEST_F(OrderedSubmissions, QueriesAreCopied) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 1;
    VkQueryPool queries = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateQueryPool(device, &info, nullptr, &queries));
    check("vkCmdCopyQueryPoolResults", [&](Commands to, bool isRight) {
        vkCmdResetQueryPool(to, queries, 0, 1);
        vkCmdWriteTimestamp(to, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries, 0);
        fill(to, 0);
        if (isRight) barrier(to, kFill, kCopyWrite);
        vkCmdCopyQueryPoolResults(to, queries, 0, 1, words(0).buffer, 0, 8,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    });
    vkDestroyQueryPool(device, queries, nullptr);
}

// Accesses to other bytes need nothing.
TEST_F(OrderedSubmissions, OtherBytes) {
    check("vkCmdFillBuffer", [&](Commands to, bool isRight) {
        vkCmdFillBuffer(to, words(0).buffer, 0, 4, 1);
        vkCmdFillBuffer(to, words(0).buffer, isRight ? 4 : 0, 4, 2);
    });
}

// Reads need no order among themselves.
TEST_F(OrderedSubmissions, ReadsAfterReads) {
    check("vkCmdCopyBuffer", [&](Commands to, bool isRight) {
        dispatch(to, 0, 1);
        copy(to, isRight ? 0 : 1, 2);
    });
}

// As a setting: a read that lacks a dependency gets what was there before.
class Stale : public Dependent {
 protected:
    void SetUp() override {
        setenv("COOPVK_REFERENCE_SCHEDULE", "adversarial", 1);
        Dependent::SetUp();
    }
    void TearDown() override {
        Dependent::TearDown();
        unsetenv("COOPVK_REFERENCE_SCHEDULE");
    }
};

TEST_F(Stale, ReadsGetTheBytesBefore) {
    check("", [&](Commands to, bool isRight) {
        fill(to, 0, 10);
        barrier(to, kEverything, kEverything);
        fill(to, 0, 20);
        if (isRight) barrier(to, kEverything, kEverything);
        dispatch(to, 0, 1);
        copy(to, 0, 2);
        barrier(to, kEverything, kHostRead);
    });
    EXPECT_EQ(words(1).values(), (std::vector<uint32_t>{11, 11}));
    EXPECT_EQ(words(2).values(), (std::vector<uint32_t>{10, 10}));
    EXPECT_EQ(words(0).values(), (std::vector<uint32_t>{20, 20}));
}

}  // namespace
}  // namespace coopvk::reference::test::ordered_submissions_test
