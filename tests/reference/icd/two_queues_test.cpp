// SPDX-License-Identifier: Apache-2.0
//
// Two queues: pairs as in dependencies_test.cpp, of what one queue does and another one does then;
// waits of queues for each other; use that only the queues find.
#include <malloc.h>

#include <chrono>
#include <cstdlib>
#include <future>

#include "bad_use.hpp"
#include "dependencies.hpp"

namespace coopvk::reference::test::two_queues_test {
namespace {

using Commands = VkCommandBuffer;
constexpr auto kBinary = VK_SEMAPHORE_TYPE_BINARY;
constexpr auto kTimeline = VK_SEMAPHORE_TYPE_TIMELINE;

class TwoQueues : public Dependent {
 protected:
    using Signals = std::vector<VkSemaphoreSubmitInfo>;
    void submitTo(size_t to, const std::function<void(Commands)>& commands, Signals waits = {},
                  Signals signals = {}, VkFence fence = VK_NULL_HANDLE) {
        queue = queues[to];
        submit(commands, std::move(waits), std::move(signals), fence);
    }
    void signalByHost(VkSemaphore signal, uint64_t value) {
        const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, signal,
                                         value};
        EXPECT_VK(vkSignalSemaphore(device, &info));
    }
    // What the host wrote before it sets the event is visible then.
    static void waitForHost(Commands to, VkEvent set) {
        const VkMemoryBarrier2 all = memoryBarrier(
            Side{VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT}, kEverything);
        const VkDependencyInfo info = infoOf(all);
        vkCmdWaitEvents2(to, 1, &set, &info);
    }
};

TEST_F(TwoQueues, SemaphoresOrderThem) {
    checkSubmissions("on queue 1 reads byte", [&](bool isRight) {
        const VkSemaphore done = semaphore(kBinary);
        submitTo(0, [&](Commands to) { fill(to, 0, 30); }, {}, {at(done, kAll)});
        submitTo(
            1,
            [&](Commands to) {
                barrier(to, kEverything, kEverything);  // of this queue's commands
                dispatch(to, 0, 1);
            },
            isRight ? Signals{at(done, kCompute)} : Signals{});
        if (isRight) {
            EXPECT_VK(vkQueueWaitIdle(queue));
            EXPECT_EQ(words(1).values(), (std::vector<uint32_t>{31, 31}));
        }
    });
}

TEST_F(TwoQueues, ReportsNameThem) {
    submitTo(0, [&](Commands to) { fill(to, 0); });
    submitTo(1, [&](Commands to) { fill(to, 0); });
    expectReports(" on queue 0 wrote, without a memory dependency from ");
}

TEST_F(TwoQueues, StagesOfWaits) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        const VkSemaphore done = semaphore(kBinary);
        submitTo(0, [&](Commands to) { fill(to, 0); }, {}, {at(done, kAll)});
        submitTo(1, [&](Commands to) { dispatch(to, 0, 1); },
                 {at(done, isRight ? kCompute : VK_PIPELINE_STAGE_2_COPY_BIT)});
    });
}

// "The second access scope includes all memory access performed by the device", "the first access
// scope", too: of the stages that a semaphore names. TOP_OF_PIPE in a second scope and
// BOTTOM_OF_PIPE in a first one are all stages, but TOP_OF_PIPE in a first one is none.
TEST_F(TwoQueues, SemaphoresOrderAllAccessesOfTheirStages) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        const VkSemaphore done = semaphore(kBinary);
        submitTo(0, [&](Commands to) { fill(to, 0); }, {},
                 {at(done, isRight ? VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT
                                   : VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT)});
        submitTo(1, [&](Commands to) { dispatch(to, 0, 1); },
                 {at(done, VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT)});
    });
}

// A barrier behind the wait continues the dependency: a chain.
TEST_F(TwoQueues, ChainsAcrossThem) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        const VkSemaphore done = semaphore(kBinary);
        submitTo(0, [&](Commands to) { fill(to, 0); }, {}, {at(done, kAll)});
        submitTo(1,
                 [&](Commands to) {
                     barrier(to, isRight ? kCopyRead : Side{VK_PIPELINE_STAGE_2_CLEAR_BIT},
                             kShaderRead);
                     dispatch(to, 0, 1);
                 },
                 {at(done, VK_PIPELINE_STAGE_2_COPY_BIT)});
    });
}

// Only the execution matters.
TEST_F(TwoQueues, WritesAfterReads) {
    checkSubmissions("on queue 0 read, without an execution dependency", [&](bool isRight) {
        const VkSemaphore done = semaphore(kBinary);
        submitTo(0, [&](Commands to) { copy(to, 0, 1); }, {}, {at(done, kAll)});
        submitTo(
            1, [&](Commands to) { fill(to, 0); }, isRight ? Signals{at(done, kAll)} : Signals{});
    });
}

// There and back.
TEST_F(TwoQueues, ThereAndBack) {
    checkSubmissions("vkCmdCopyBuffer", [&](bool isRight) {
        const VkSemaphore there = semaphore(kBinary), back = semaphore(kBinary);
        submitTo(0, [&](Commands to) { fill(to, 0, 5); }, {}, {at(there, kAll)});
        submitTo(1, [&](Commands to) { dispatch(to, 0, 1); }, {at(there, kAll)}, {at(back, kAll)});
        submitTo(
            0, [&](Commands to) { copy(to, 1, 2); }, isRight ? Signals{at(back, kAll)} : Signals{});
        EXPECT_VK(vkDeviceWaitIdle(device));
        EXPECT_EQ(words(2).values(), (std::vector<uint32_t>{6, 6}));
    });
}

// A fence of one queue tells what that queue waited for.
TEST_F(TwoQueues, FencesKnowWhatWasWaitedFor) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        const VkSemaphore done = semaphore(kBinary);
        const VkFence end = fence();
        submitTo(0, [&](Commands to) { fill(to, 0); }, {}, {at(done, kAll)});
        submitTo(1, [](Commands) {}, isRight ? Signals{at(done, kAll)} : Signals{}, {}, end);
        EXPECT_VK(vkWaitForFences(device, 1, &end, VK_TRUE, UINT64_MAX));
        submitTo(0, [&](Commands to) { dispatch(to, 0, 1); });
    });
}

TEST_F(TwoQueues, WaitsOfTheHostAreForOneOrAll) {
    checkSubmissions("vkCmdDispatch", [&](bool isRight) {
        submitTo(0, [&](Commands to) { fill(to, 0); });
        EXPECT_VK(isRight ? vkDeviceWaitIdle(device) : vkQueueWaitIdle(queues[1]));
        submitTo(1, [&](Commands to) { dispatch(to, 0, 1); });
    });
}

// What a queue waits for may be submitted to another one later ("Semaphore Waiting").
TEST_F(TwoQueues, WaitsBeforeSignals) {
    const VkSemaphore done = semaphore(kTimeline);
    submitTo(1, [&](Commands to) { dispatch(to, 0, 1); }, {at(done, kCompute, 1)});
    submitTo(0, [&](Commands to) { fill(to, 0, 40); }, {}, {at(done, kAll, 1)});
    EXPECT_VK(vkDeviceWaitIdle(device));
    EXPECT_EQ(words(1).values(), (std::vector<uint32_t>{41, 41}));
}

TEST_F(TwoQueues, OneGoesOnWhereTheOtherWaits) {
    const VkSemaphore go = semaphore(kTimeline);
    submitTo(0, [&](Commands to) { fill(to, 0, 9); }, {at(go, kAll, 1)});
    submitTo(1, [&](Commands to) { fill(to, 1, 8); });
    EXPECT_VK(vkQueueWaitIdle(queues[1]));
    EXPECT_EQ(words(1).values(), (std::vector<uint32_t>{8, 8}));
    EXPECT_EQ(words(0).values(), (std::vector<uint32_t>{1, 2}));
    signalByHost(go, 1);
    EXPECT_VK(vkQueueWaitIdle(queues[0]));
    EXPECT_EQ(words(0).values(), (std::vector<uint32_t>{9, 9}));
}

bool isValidated() { return std::getenv("VK_INSTANCE_LAYERS") != nullptr; }
constexpr char kOld[] = "Vulkan allowed it once; today VUID-vkSetEvent-event-09543 does not";

// While one waits for an event that the host sets once the other has executed something.
TEST_F(TwoQueues, OneGoesOnWhereTheOtherWaitsForAnEvent) {
    if (isValidated()) GTEST_SKIP() << kOld;
    const VkEvent set = event();
    const VkFence end = fence();
    submitTo(0, [&](Commands to) {
        fill(to, 0, 5);
        waitForHost(to, set);
        barrier(to, kFill, kShaderRead);
        dispatch(to, 0, 2);
    });
    submitTo(1, [&](Commands to) { fill(to, 1, 8); }, {}, {}, end);
    EXPECT_EQ(vkWaitForFences(device, 1, &end, VK_TRUE, 3'000'000'000), VK_SUCCESS);
    EXPECT_EQ(words(1).values(), (std::vector<uint32_t>{8, 8}));
    EXPECT_VK(vkSetEvent(device, set));
    EXPECT_VK(vkDeviceWaitIdle(device));
    EXPECT_EQ(words(2).values(), (std::vector<uint32_t>{6, 6}));
    expectNone();
}

class Queues : public BadUse {};

TEST_F(Queues, ThereAreTwo) {
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    ASSERT_EQ(count, 1u);
    VkQueueFamilyProperties family{};
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, &family);
    EXPECT_EQ(family.queueCount, 2u);
    EXPECT_NE(queues[0], queues[1]);
    VkQueue third = queues[0];
    vkGetDeviceQueue(device, 0, 2, &third);
    EXPECT_EQ(third, VkQueue{});
    expectMessages("coopvk-reference-usage: vkGetDeviceQueue: the device has no such queue");
}

TEST_F(Queues, TheProgramAskedForThem) {
    for (const uint32_t asked : {0u, 1u, 3u}) {
        const float priorities[] = {1, 1, 1};
        VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
        queueInfo.queueCount = asked;
        queueInfo.pQueuePriorities = priorities;
        VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queueInfo;
        VkDevice made = VK_NULL_HANDLE;
        const bool isRight = asked == 1;
        EXPECT_EQ(vkCreateDevice(physical, &info, nullptr, &made) == VK_SUCCESS, isRight);
        VkQueue second = VK_NULL_HANDLE;
        if (isRight) vkGetDeviceQueue(made, 0, 1, &second);
        EXPECT_EQ(second, VkQueue{});
        expectMessages("coopvk-reference-usage");
        if (isRight) vkDestroyDevice(made, nullptr);
    }
}

// Of the driver alone: the validation layer reports these, too.
class LostQueues : public TwoQueues {
 protected:
    void SetUp() override {
        if (isValidated()) GTEST_SKIP() << "the validation layer reports it";
        TwoQueues::SetUp();
    }
    void TearDown() override {
        if (device != VK_NULL_HANDLE) TwoQueues::TearDown();
    }
    void expectLost(const std::string& part) {
        EXPECT_EQ(vkDeviceWaitIdle(device), VK_ERROR_DEVICE_LOST);
        const auto messages = takeMessages();
        ASSERT_EQ(messages.size(), 1u);
        EXPECT_NE(messages[0].find(part), std::string::npos) << messages[0];
    }
};

// vkCmdWaitEvents2: "must not be used to wait on event signal operations occurring on other queues"
TEST_F(LostQueues, EventsAreForOne) {
    const VkEvent set = event();
    const VkMemoryBarrier2 all = memoryBarrier(kEverything, kEverything);
    const VkDependencyInfo info = infoOf(all);
    submitTo(0, [&](Commands to) { vkCmdSetEvent2(to, set, &info); });
    submitTo(0, [&](Commands to) { vkCmdWaitEvents2(to, 1, &set, &info); });
    expectNone();
    submitTo(1, [&](Commands to) { vkCmdWaitEvents2(to, 1, &set, &info); });
    expectLost("a queue waits for an event that another queue set");
}

// VUID-vkQueueSubmit2-semaphore-03868: it must be unsignaled when the signal is executed.
TEST_F(LostQueues, BinarySemaphoresThatAreSignaledTwice) {
    const VkSemaphore go = semaphore(kTimeline), twice = semaphore(kBinary);
    submitTo(0, [](Commands) {}, {}, {at(twice, kAll)});
    submitTo(1, [](Commands) {}, {at(go, kAll, 1), at(twice, kAll)});
    submitTo(0, [](Commands) {}, {}, {at(twice, kAll)});
    expectLost("a binary semaphore is signaled that is signaled already");
}

// VUID-VkSubmitInfo2-semaphore-03882: greater than the value that it has when it is signaled.
TEST_F(LostQueues, TimelinesThatGoBackwards) {
    const VkSemaphore line = semaphore(kTimeline);
    submitTo(0, [](Commands) {}, {}, {at(line, kAll, 5)});
    EXPECT_VK(vkQueueWaitIdle(queue));
    submitTo(1, [](Commands) {}, {}, {at(line, kAll, 3)});
    expectLost("a timeline semaphore is signaled with a value that is not greater than its own");
}

TEST_F(LostQueues, TimelinesThatStay) {
    const VkSemaphore line = semaphore(kTimeline);
    submitTo(0, [](Commands) {}, {}, {at(line, kAll, 5)});
    EXPECT_VK(vkQueueWaitIdle(queue));
    submitTo(1, [](Commands) {}, {}, {at(line, kAll, 5)});
    expectLost("a timeline semaphore is signaled with a value that is not greater than its own");
}

// A messenger may wait for what another thread does with the device.
class SlowMessenger {
 public:
    std::promise<void> isCalled, goesOn;
    bool wentOn = false;
    static VKAPI_ATTR VkBool32 VKAPI_CALL call(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                               VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT*,
                                               void* user) {
        auto& self = *static_cast<SlowMessenger*>(user);
        self.isCalled.set_value();
        self.wentOn =
            self.goesOn.get_future().wait_for(std::chrono::seconds(2)) == std::future_status::ready;
        return VK_FALSE;
    }
};

TEST_F(LostQueues, MessengersHoldNobodyUp) {
    SlowMessenger slow;
    VkDebugUtilsMessengerCreateInfoEXT info{
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    info.pfnUserCallback = SlowMessenger::call;
    info.pUserData = &slow;
    VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateDebugUtilsMessengerEXT(instance, &info, nullptr, &messenger));
    const VkSemaphore line = semaphore(kTimeline), twice = semaphore(kBinary);
    submitTo(0, [](Commands) {}, {}, {at(twice, kAll)});
    submitTo(1, [](Commands) {}, {at(line, kAll, 1), at(twice, kAll)});
    submitTo(0, [](Commands) {}, {}, {at(twice, kAll)});
    ASSERT_EQ(slow.isCalled.get_future().wait_for(std::chrono::seconds(2)),
              std::future_status::ready);
    uint64_t value = 1;
    EXPECT_VK(vkGetSemaphoreCounterValue(device, line, &value));
    slow.goesOn.set_value();
    expectLost("a binary semaphore is signaled that is signaled already");
    EXPECT_TRUE(slow.wentOn);
    vkDestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
}

// Which of two queues goes on is chosen by the setting; there is a race in either case.
class ScheduledQueues : public TwoQueues, public testing::WithParamInterface<const char*> {
 protected:
    void SetUp() override {
        setenv("COOPVK_REFERENCE_SCHEDULE", GetParam(), 1);
        TwoQueues::SetUp();
    }
    void TearDown() override {
        TwoQueues::TearDown();
        unsetenv("COOPVK_REFERENCE_SCHEDULE");
    }
};

TEST_P(ScheduledQueues, OrderOfSubmissions) {
    const VkSemaphore go = semaphore(kTimeline);
    submitTo(0, [&](Commands to) { fill(to, 0, 10); }, {at(go, kAll, 1)});
    submitTo(1, [&](Commands to) { fill(to, 0, 20); }, {at(go, kAll, 1)});
    signalByHost(go, 1);
    expectReports("vkCmdFillBuffer");
    const bool isPlain = GetParam() == std::string("plain");
    const uint32_t last = isPlain ? 20 : 10;
    EXPECT_EQ(words(0).values(), (std::vector<uint32_t>{last, last}));
}

INSTANTIATE_TEST_SUITE_P(All, ScheduledQueues, testing::Values("plain", "adversarial"));

class HostAndQueues : public TwoQueues {
 protected:
    void SetUp() override {
        setenv("COOPVK_REFERENCE_HOST", "apart", 1);
        TwoQueues::SetUp();
    }
    void TearDown() override {
        TwoQueues::TearDown();
        unsetenv("COOPVK_REFERENCE_HOST");
    }
};

// What the host wrote is visible to all that it submits then, whichever queue comes to it first;
// what a queue wrote comes to the host by a fence of another queue that waited for it.
TEST_F(HostAndQueues, HaveWhatTheHostWrote) {
    const VkSemaphore go = semaphore(kTimeline), done = semaphore(kBinary);
    const VkFence end = fence();
    words(0)[0] = 50;
    submitTo(0, [](Commands) {}, {at(go, kAll, 1)}, {at(done, kAll)});
    submitTo(1, [&](Commands to) { dispatch(to, 0, 1); });
    EXPECT_VK(vkQueueWaitIdle(queue));
    signalByHost(go, 1);
    submitTo(
        1, [&](Commands to) { barrier(to, kShaderWrite, kHostRead); }, {at(done, kAll)}, {}, end);
    EXPECT_VK(vkWaitForFences(device, 1, &end, VK_TRUE, UINT64_MAX));
    EXPECT_EQ(words(1)[0], 51u);
    expectNone();
}

TEST_F(HostAndQueues, WaitsForOneAreNotForTheOther) {
    submitTo(0, [&](Commands to) {
        fill(to, 0, 9);
        barrier(to, kFill, kHostRead);
    });
    submitTo(1, [](Commands) {});
    EXPECT_VK(vkQueueWaitIdle(queues[1]));
    words(0)[0] = 3;
    submitTo(1, [](Commands) {});
    expectReports("the host writes byte 0 of buffer");
}

// A signal of the host is behind all that it wrote, also if a submission took that.
TEST_F(HostAndQueues, SignalsHaveAllBefore) {
    const VkSemaphore go = semaphore(kTimeline), other = semaphore(kTimeline);
    submitTo(0,
             [&](Commands to) {
                 dispatch(to, 0, 1);
                 barrier(to, kShaderWrite, kHostRead);
             },
             {at(go, kAll, 1)});
    words(0)[0] = 50;
    submitTo(1, [](Commands) {}, {at(other, kAll, 1)});
    signalByHost(go, 1);
    EXPECT_VK(vkQueueWaitIdle(queues[0]));
    EXPECT_EQ(words(1)[0], 51u);
    signalByHost(other, 1);
    EXPECT_VK(vkDeviceWaitIdle(device));
    expectNone();
}

TEST_F(HostAndQueues, OldWritesDoNotReplaceNewOnes) {
    const VkSemaphore go = semaphore(kTimeline), other = semaphore(kTimeline);
    submitTo(0, [](Commands) {}, {at(go, kAll, 1)});
    words(0)[0] = 50;
    submitTo(1, [](Commands) {}, {at(other, kAll, 1)});
    words(0)[0] = 60;
    signalByHost(go, 1);
    EXPECT_VK(vkQueueWaitIdle(queues[0]));
    signalByHost(other, 1);
    EXPECT_VK(vkDeviceWaitIdle(device));
    submitTo(0, [&](Commands to) {
        dispatch(to, 0, 1);
        barrier(to, kShaderWrite, kHostRead);
    });
    EXPECT_VK(vkDeviceWaitIdle(device));
    EXPECT_EQ(words(1)[0], 61u);
    expectNone();
}

TEST_F(HostAndQueues, EventsHaveAllBefore) {
    if (isValidated()) GTEST_SKIP() << kOld;
    const VkEvent set = event();
    submitTo(0, [&](Commands to) {
        waitForHost(to, set);
        dispatch(to, 0, 1);
        barrier(to, kShaderWrite, kHostRead);
    });
    words(0)[0] = 50;
    EXPECT_VK(vkSetEvent(device, set));
    EXPECT_VK(vkDeviceWaitIdle(device));
    EXPECT_EQ(words(1)[0], 51u);
    expectNone();
}

// Whatever queue gets all batches.
TEST_F(HostAndQueues, KeepNoWrites) {
    constexpr size_t kWords = 1 << 14;
    replace(2, std::make_unique<Words>(device, std::vector<uint32_t>(kWords, 0)));
    const auto bytesAfter = [&](int rounds) {
        for (int round = 0; round < rounds; ++round) {
            for (size_t i = 0; i < kWords; ++i) words(2)[i] += 0x01010101;
            submitTo(0, [](Commands) {});
            EXPECT_VK(vkDeviceWaitIdle(device));
        }
        const auto all = mallinfo2();
        return all.uordblks + all.hblkhd;
    };
    const size_t before = bytesAfter(2);
    EXPECT_LT(bytesAfter(4), before + kWords * sizeof(uint32_t));
}

// Other memory may be there then.
TEST_F(HostAndQueues, WritesToFreedMemory) {
    const VkSemaphore never = semaphore(kTimeline);
    words(2)[0] = 70;
    signalByHost(never, 1);
    replace(2, nullptr);
    replace(2, std::make_unique<Words>(device, std::vector<uint32_t>{0, 0}));
    EXPECT_VK(run([&](Commands to) { dispatch(to, 2, 1); }));
    EXPECT_EQ(words(1)[0], 1u);
    expectNone();
}

}  // namespace
}  // namespace coopvk::reference::test::two_queues_test
