// SPDX-License-Identifier: Apache-2.0
//
// Pairs as in dependencies_test.cpp, of what the host reads and writes, with HOST=apart.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "dependencies.hpp"

namespace coopvk::reference::test::host_access_test {
namespace {

using Commands = VkCommandBuffer;

class HostAccess : public Dependent {
 protected:
    void SetUp() override {
        setenv("COOPVK_REFERENCE_HOST", "apart", 1);
        Dependent::SetUp();
    }
    void TearDown() override {
        Dependent::TearDown();
        unsetenv("COOPVK_REFERENCE_HOST");
    }
    // Without a barrier to the host at the end.
    void runAlone(const std::function<void(Commands)>& commands) {
        const VkFence done = fence();
        submit(commands, {}, {}, done);
        EXPECT_VK(vkWaitForFences(device, 1, &done, VK_TRUE, UINT64_MAX));
    }
    uint32_t read(size_t i) { return *const_cast<volatile uint32_t*>(&words(i)[0]); }
    // Until it gets `value`, or a report.
    void readUntilDone(size_t i, uint32_t value) {
        for (int tries = 0; tries < 5000 && read(i) != value && !hasMessages(); ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            EXPECT_VK(vkQueueSubmit(queue, 0, nullptr, VK_NULL_HANDLE));
        }
    }
};

// "Signaling a fence and waiting on the host does not guarantee that the results of memory accesses
// will be visible to the host, as the access scope of a memory dependency defined by a fence only
// includes device access."
TEST_F(HostAccess, FencesMakeNothingVisible) {
    runAlone([&](Commands to) {
        fill(to, 0, 9);
        barrier(to, kFill, kHostRead);
    });
    EXPECT_EQ(read(0), 9u);
    expectNone();
    runAlone([&](Commands to) { fill(to, 1, 9); });
    EXPECT_EQ(read(1), 1u);  // what was there before
    expectReports(
        ", without a memory dependency from VK_PIPELINE_STAGE_2_CLEAR_BIT, "
        "VK_ACCESS_2_TRANSFER_WRITE_BIT to VK_PIPELINE_STAGE_2_HOST_BIT, "
        "VK_ACCESS_2_HOST_READ_BIT");
}

TEST_F(HostAccess, NamesWhatItReads) {
    runAlone([&](Commands to) { dispatch(to, 0, 1); });
    (void)read(1);
    expectReports("the host reads byte 0 of buffer ");
}

TEST_F(HostAccess, AccessOfHostBarriers) {
    runAlone([&](Commands to) {
        fill(to, 0, 9);
        barrier(to, kFill, {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT});
    });
    (void)read(0);
    expectReports("VK_ACCESS_2_HOST_READ_BIT");
}

TEST_F(HostAccess, BuffersOfHostBarriers) {
    runAlone([&](Commands to) {
        fill(to, 0, 9);
        fill(to, 1, 9);
        bufferBarrier(to, 0, kFill, kHostRead);
    });
    EXPECT_EQ(read(0), 9u);
    expectNone();
    (void)read(1);
    expectReports("the host reads");
}

TEST_F(HostAccess, ReadsAfterWaits) {
    const auto commands = [&](Commands to) {
        fill(to, 0, 9);
        barrier(to, kFill, kHostRead);
    };
    submit(commands);
    vkDeviceWaitIdle(device);
    EXPECT_EQ(read(0), 9u);
    expectNone();
    submit([&](Commands to) {
        barrier(to, kFill, kFill);
        commands(to);
    });
    vkDeviceWaitIdle(device);
    submit([&](Commands to) {
        fill(to, 1, 9);
        barrier(to, kFill, kHostRead);
    });
    readUntilDone(1, 9);
    expectReports(", before it waited for that");
}

// A wait for a value of a semaphore is one for what happened before that signal.
TEST_F(HostAccess, WaitsForSemaphores) {
    checkSubmissions("before it waited for that", [&](bool isRight) {
        const VkSemaphore signal = semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
        const size_t i = isRight ? 0 : 1;
        submit([&](Commands) {}, {}, {at(signal, kAll, 1)});
        submit(
            [&](Commands to) {
                fill(to, i, 9);
                barrier(to, kFill, kHostRead);
            },
            {}, {at(signal, kAll, 2)});
        waitFor(signal, isRight ? 2 : 1);
        readUntilDone(i, 9);
    });
}

TEST_F(HostAccess, WritesWhileCommandsRead) {
    checkSubmissions("the host writes byte 0 of buffer", [&](bool isRight) {
        submit([&](Commands to) {
            barrier(to, kEverything, kEverything);
            dispatch(to, 0, 1);
        });
        if (isRight) vkDeviceWaitIdle(device);
        words(0)[0] = isRight ? 5 : 6;
        submit([&](Commands) {});
    });
}

TEST_F(HostAccess, WritesWhileCommandsWrite) {
    checkSubmissions(" wrote, before it waited for that", [&](bool isRight) {
        submit([&](Commands to) {
            barrier(to, kEverything, kEverything);
            dispatch(to, 0, 1);
        });
        if (isRight) vkDeviceWaitIdle(device);
        words(1)[0] = isRight ? 50 : 60;
        submit([&](Commands) {});
    });
}

// "Queue submission commands automatically perform a domain operation from host to device for all
// writes performed before the command executes".
TEST_F(HostAccess, SubmissionsMakeWritesVisible) {
    words(0)[0] = 41;
    runAlone([&](Commands to) {
        dispatch(to, 0, 1);
        barrier(to, kShaderWrite, kHostRead);
    });
    EXPECT_EQ(read(1), 42u);
    expectNone();
}

// As do signals of timeline semaphores, for waits that were submitted before.
TEST_F(HostAccess, WritesBeforeSignals) {
    const VkSemaphore signal = semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
    submit(
        [&](Commands to) {
            dispatch(to, 0, 1);
            barrier(to, kShaderWrite, kHostRead);
        },
        {at(signal, kAll, 1)});
    words(0)[0] = 30;
    const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, signal, 1};
    ASSERT_VK(vkSignalSemaphore(device, &info));
    vkDeviceWaitIdle(device);
    EXPECT_EQ(read(1), 31u);
    expectNone();
}

// For which nothing waits.
TEST_F(HostAccess, SignalsLoseNoWrites) {
    const VkSemaphore signal = semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
    words(0)[0] = 20;
    const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, signal, 1};
    ASSERT_VK(vkSignalSemaphore(device, &info));
    const VkEvent set = event();
    ASSERT_VK(vkSetEvent(device, set));
    EXPECT_VK(run([&](Commands to) { dispatch(to, 0, 1); }));
    EXPECT_EQ(read(1), 21u);
    expectNone();
}

}  // namespace
}  // namespace coopvk::reference::test::host_access_test
