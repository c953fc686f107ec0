// SPDX-License-Identifier: Apache-2.0
//
// What each command costs a program that enables cooperative vectors and records no conversion.
// usage: coopvk_commands time|count [without]
// "time" prints nanoseconds of processor time per call, alone and in eight threads, and "count"
// calls each command for callgrind, which counts in measureAll. With "without", the program does
// not enable the extension, as where no layer adds it.
#include "commands.hpp"

#include <volk.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "gpu_setup.hpp"

namespace coopvk::idle {
namespace {

constexpr uint32_t kThreads = 8, kCountedCalls = 1000;

using vulkan::check;

// A device of the first physical device.
struct Gpu {
    VkInstance instance = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
};

void startDevice(Gpu& gpu, VkPhysicalDevice physical, bool vectors) {
    VkPhysicalDeviceVulkan13Features features = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    features.synchronization2 = VK_TRUE;
    VkPhysicalDeviceCooperativeVectorFeaturesNV vector = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV};
    vector.cooperativeVector = VK_TRUE;
    if (vectors) features.pNext = &vector;
    std::vector<const char*> extensions = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
                                           VK_EXT_SHADER_OBJECT_EXTENSION_NAME};
    if (vectors) extensions.push_back(VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME);
    gpu.device = vulkan::createDevice(physical, vkCreateDevice, 0, extensions, &features);
    volkLoadDevice(gpu.device);
    vkGetDeviceQueue(gpu.device, 0, 0, &gpu.queue);
}

void start(Gpu& gpu, bool vectors) {
    gpu.instance = vulkan::createInstance("coopvk_commands", VK_API_VERSION_1_3);
    volkLoadInstance(gpu.instance);
    const auto physical = vulkan::physicalDevice(gpu.instance, vkEnumeratePhysicalDevices, 0);
    const auto listed = vulkan::extensionsOf(physical, vkEnumerateDeviceExtensionProperties);
    if (vectors && !vulkan::contains(listed, VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME)) {
        throw std::runtime_error("the device has no cooperative vectors");
    }
    startDevice(gpu, physical, vectors);
}

// A thread's pool with a command buffer.
class Recording {
 public:
    explicit Recording(const Gpu& gpu) : state_{gpu.device, gpu.queue} {
        const VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        check(vkCreateCommandPool(gpu.device, &pool, nullptr, &state_.pool), "command pool");
        VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocate.commandPool = state_.pool;
        allocate.commandBufferCount = 1;
        check(vkAllocateCommandBuffers(gpu.device, &allocate, &state_.commands), "command buffer");
    }
    ~Recording() { vkDestroyCommandPool(state_.device, state_.pool, nullptr); }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    void call(const Row& row, uint32_t count) { row.call(state_, count); }

 private:
    Caller state_;
};

double processorTime() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Nanoseconds of a call in the fastest of some rounds, for the slowest of the threads.
double timeOf(const Gpu& gpu, const Row& row, uint32_t threadCount) {
    constexpr uint32_t kRounds = 100, kCalls = 100'000;
    std::vector<double> best(threadCount, 1e9);
    std::atomic<uint32_t> waiting = threadCount;
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < threadCount; ++t) {
        threads.emplace_back([&, t] {
            Recording recording(gpu);
            recording.call(row, kCalls / 10);
            for (--waiting; waiting > 0;) std::this_thread::yield();
            for (uint32_t round = 0; round < kRounds; ++round) {
                const double before = processorTime();
                recording.call(row, kCalls);
                best[t] = std::min(best[t], (processorTime() - before) / kCalls);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    return *std::ranges::max_element(best);
}

}  // namespace

extern "C" __attribute__((noinline)) void measureAll(Recording* recording) {
    for (const Row& row : rows()) recording->call(row, kCountedCalls);
}

}  // namespace coopvk::idle

int main(int argc, char** argv) {
    using namespace coopvk::idle;
    const bool counts = argc > 1 && std::strcmp(argv[1], "count") == 0;
    Gpu gpu;
    start(gpu, !(argc > 2 && std::strcmp(argv[2], "without") == 0));
    if (counts) {
        Recording recording(gpu);
        measureAll(&recording);
    } else {
        for (const Row& row : rows()) {
            std::printf("%s|%s|%.2f|%.2f\n", row.symbol, row.name, timeOf(gpu, row, 1),
                        timeOf(gpu, row, kThreads));
        }
    }
    vkDestroyDevice(gpu.device, nullptr);
    vkDestroyInstance(gpu.instance, nullptr);
    return 0;
}
