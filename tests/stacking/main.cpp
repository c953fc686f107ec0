// SPDX-License-Identifier: Apache-2.0
//
// An application: computes with matrices where it can, without them else, and says which.
// usage: PROGRAM [--api MINOR] [--no-properties2] [--list] [--two]
//   --api MINOR        of Vulkan 1.MINOR; default: 3
//   --no-properties2   with --api 0: without VK_KHR_get_physical_device_properties2
//   --list             prints the device's extensions instead
//   --two              two instances at once, one with emulated matrices and one without, and on
//                      the first one two devices, one of them without
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "gpu.hpp"

namespace {

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
    options.emulate = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    Gpu with(options);
    options.emulate = VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME;
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

}  // namespace

int main(int argc, char** argv) {
    Options options;
    bool two = false, list = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--api" && i + 1 < argc) {
            const auto minor = static_cast<uint32_t>(std::atoi(argv[++i]));
            options.version = VK_MAKE_API_VERSION(0, 1, minor, 0);
        } else if (argument == "--no-properties2") {
            options.properties2 = false;
        } else if (argument == "--two") {
            two = true;
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
    return two ? runTwo(options) : runOne(options);
}
