// SPDX-License-Identifier: Apache-2.0
//
// An application: computes with matrices if it can, else without them, and prints which.
// usage: PROGRAM [--api MINOR] [--no-properties2] [MODE]
//   --api MINOR        of Vulkan 1.MINOR; default: 3
//   --no-properties2   with --api 0: without VK_KHR_get_physical_device_properties2
//   --list             prints the device's extensions instead
//   --two              two instances at once, one with emulated matrices and one without, and on
//                      the first one two devices, one of them without
//   --drivers          the first two physical devices of one instance, at once
//   --cycles           many instances one after the other, which keep no memory
//   --settings A B     two instances at once, with and without emulated vectors; folder A gets log
//                      and statistics of the first one, folder B log and shaders of the second
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gpu.hpp"

namespace {

size_t usedMemory() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

int runOne(const Options& options) {
    Gpu gpu(options);
    const bool matrices = gpu.hasMatrices();
    const VkDevice device = gpu.makeDevice(matrices);
    const bool right = gpu.computes(device, matrices);
    gpu.destroyDevice(device);
    std::printf("%s: %s\n", matrices ? "with matrices" : "without matrices",
                right ? "right" : "wrong");
    return right ? 0 : 1;
}

int runTwo(Options options) {
    options.settings = {{"emulate", VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME}};
    Gpu with(options);
    options.settings = {{"emulate", VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME}};
    Gpu without(options);
    if (!with.hasMatrices() || without.hasMatrices()) {
        std::fprintf(stderr, "stacking: the settings do not count for their instance alone\n");
        return 1;
    }
    const VkDevice devices[] = {with.makeDevice(true), with.makeDevice(false),
                                without.makeDevice(false)};
    bool right = with.computes(devices[0], true);
    right = with.computes(devices[1], false) && right;
    right = without.computes(devices[2], false) && right;
    right = with.computes(devices[0], true) && right;
    with.destroyDevice(devices[0]);
    right = with.computes(devices[1], false) && right;
    with.destroyDevice(devices[1]);
    without.destroyDevice(devices[2]);
    std::printf("two: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}

int runDrivers(const Options& options) {
    Gpu first(options), second(first, 1);
    Gpu* const gpus[] = {&first, &second};
    VkDevice with[2], without[2];
    for (int i = 0; i < 2; ++i) {
        with[i] = gpus[i]->makeDevice(gpus[i]->hasMatrices());
        without[i] = gpus[i]->makeDevice(false);
    }
    bool right = true;
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 2; ++i) {
            right = gpus[i]->computes(with[i], gpus[i]->hasMatrices()) && right;
            right = gpus[1 - i]->computes(without[1 - i], false) && right;
        }
    }
    for (int i = 0; i < 2; ++i) {
        gpus[i]->destroyDevice(with[i]);
        right = gpus[i]->computes(without[i], false) && right;
        gpus[i]->destroyDevice(without[i]);
        std::printf("%s matrices, ", gpus[i]->hasMatrices() ? "with" : "without");
    }
    std::printf("%s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}

int runSettings(Options options, const std::string& a, const std::string& b) {
    options.settings = {{"emulate", "all"},
                        {"log_level", "info"},
                        {"log_file", a + "/log"},
                        {"statistics", a + "/statistics"}};
    Gpu all(options);
    options.settings = {{"emulate", VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME},
                        {"log_level", "debug"},
                        {"log_file", b + "/log"},
                        {"dump_dir", b + "/shaders"}};
    Gpu matrices(options);
    if (!all.lists(VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME) ||
        matrices.lists(VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME)) {
        std::fprintf(stderr, "stacking: the settings do not count for their instance alone\n");
        return 1;
    }
    const VkDevice devices[] = {all.makeDevice(true), matrices.makeDevice(true)};
    bool right = all.computes(devices[0], true);
    right = matrices.computes(devices[1], true) && right;
    right = all.computes(devices[0], false) && right;
    all.destroyDevice(devices[0]);
    matrices.destroyDevice(devices[1]);
    std::printf("settings: %s\n", right ? "right" : "wrong");
    return right ? 0 : 1;
}

// The loader unloads layers and drivers with each instance. Measures how much more memory is in use
// after each cycle, apart from the first ones.
int runCycles(const Options& options) {
    constexpr int kFirst = 4, kCycles = 20;
    constexpr size_t kAllowed = 8192;  // bytes a cycle: the driver keeps two thousand
    size_t before = 0;
    bool right = true;
    for (int i = 0; i < kFirst + kCycles; ++i) {
        if (i == kFirst) before = usedMemory();
        Gpu gpu(options);
        const VkDevice device = gpu.makeDevice(gpu.hasMatrices());
        right = gpu.computes(device, gpu.hasMatrices()) && right;
        gpu.destroyDevice(device);
    }
    const size_t after = usedMemory();
    const size_t kept = after > before ? (after - before) / kCycles : 0;
    if (kept > kAllowed) std::fprintf(stderr, "stacking: a cycle keeps %zu bytes\n", kept);
    std::printf("cycles: %s\n", right && kept <= kAllowed ? "right" : "wrong");
    return right && kept <= kAllowed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    bool two = false, drivers = false, cycles = false, list = false;
    std::string folders[2];
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--api" && i + 1 < argc) {
            const auto minor = static_cast<uint32_t>(std::atoi(argv[++i]));
            options.version = VK_MAKE_API_VERSION(0, 1, minor, 0);
        } else if (argument == "--no-properties2") {
            options.properties2 = false;
        } else if (argument == "--two") {
            two = true;
        } else if (argument == "--drivers") {
            drivers = true;
        } else if (argument == "--cycles") {
            cycles = true;
        } else if (argument == "--settings" && i + 2 < argc) {
            for (std::string& folder : folders) folder = argv[++i];
        } else if (argument == "--list") {
            list = true;
        } else {
            std::fprintf(stderr, "stacking: unknown argument %s\n", argv[i]);
            return 2;
        }
    }
    if (list) {
        const Gpu gpu(options);
        for (const std::string& name : gpu.extensions()) std::printf("%s\n", name.c_str());
        return 0;
    }
    if (!folders[0].empty()) return runSettings(options, folders[0], folders[1]);
    if (drivers) return runDrivers(options);
    if (cycles) return runCycles(options);
    return two ? runTwo(options) : runOne(options);
}
