// SPDX-License-Identifier: Apache-2.0
//
// Eight threads that make and destroy modules, pipelines, shader objects and devices: on two
// instances with different settings, and on one device of each instance that its threads share.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "gpu.hpp"

namespace {

constexpr uint32_t kThreads = 8, kInstances = 2, kRounds = 4;
constexpr const char* kEmulate[kInstances] = {"all", VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME};

bool work(Gpu& gpu, VkDevice shared, uint32_t thread, uint32_t round) {
    const bool objects = (thread + round) % 2 == 0;
    const VkDevice own = gpu.makeDevice(true, objects);
    bool right = gpu.makesShaders(own, objects);
    right = gpu.makesShaders(shared, true) && right;
    right = gpu.computes(own, (thread + round) % 3 != 0) && right;
    gpu.destroyDevice(own);
    if (round != thread % kRounds) return right;
    // An instance of its own now and then.
    Gpu other{Options{}};
    const VkDevice device = other.makeDevice(other.hasMatrices());
    right = other.computes(device, other.hasMatrices()) && right;
    other.destroyDevice(device);
    return right;
}

}  // namespace

int main() {
    std::unique_ptr<Gpu> gpus[kInstances];
    VkDevice shared[kInstances] = {};
    for (uint32_t i = 0; i < kInstances; ++i) {
        Options options;
        options.settings = {{"emulate", kEmulate[i]}};
        gpus[i] = std::make_unique<Gpu>(options);
        const bool vectors = gpus[i]->lists(VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME);
        if (!gpus[i]->hasMatrices() || vectors != (i == 0)) {
            std::fprintf(stderr, "threads: instance %u has not what its settings say\n", i);
            return 1;
        }
        shared[i] = gpus[i]->makeDevice(true, true);
    }
    std::atomic<uint32_t> wrong = 0;
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            const uint32_t i = t % kInstances;
            for (uint32_t round = 0; round < kRounds; ++round) {
                if (!work(*gpus[i], shared[i], t, round)) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (uint32_t i = 0; i < kInstances; ++i) gpus[i]->destroyDevice(shared[i]);
    std::printf("threads: %u of %u rounds wrong\n", wrong.load(), kThreads * kRounds);
    return wrong == 0 ? 0 : 1;
}
