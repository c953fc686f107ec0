// SPDX-License-Identifier: Apache-2.0
//
// The layout of elements that is assumed of a device's family.
#include "device/gpu_family.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "device/device_facts.hpp"

namespace coopvk::layer::gpu_family_test {
namespace {

using rewrite::ElementLayout;

struct Gpu {
    const char* name;
    uint32_t vendor, leastLanes, mostLanes;
    bool hasMixedSigns, listsFloat8;
    ElementLayout layout;
};

// As RADV, AMD's, NVIDIA's, Intel's and Arm's drivers report them.
constexpr Gpu kGpus[] = {
    {"AMD Radeon RX 6800 (RADV NAVI21)", 0x1002, 32, 64, false, false, ElementLayout::kRdna4},
    {"AMD Custom GPU 0405 (RADV VANGOGH)", 0x1002, 32, 64, false, false, ElementLayout::kRdna4},
    {"AMD Radeon RX 5700 (RADV NAVI10)", 0x1002, 32, 64, false, false, ElementLayout::kRdna4},
    {"AMD Radeon RX 7900 XTX (RADV NAVI31)", 0x1002, 32, 64, true, false, ElementLayout::kRdna3},
    {"AMD Radeon RX 7900 XTX", 0x1002, 32, 64, true, false, ElementLayout::kRdna3},
    {"AMD Radeon RX 9070 XT", 0x1002, 32, 64, true, true, ElementLayout::kRdna4},
    {"AMD Radeon RX 9070 XT (RADV GFX1201)", 0x1002, 32, 64, true, false, ElementLayout::kRdna4},
    {"AMD Radeon RX 480 (RADV POLARIS10)", 0x1002, 64, 64, false, false, ElementLayout::kAuto},
    {"NVIDIA GeForce GTX 1080", 0x10de, 32, 32, false, false, ElementLayout::kNvidia},
    {"NVIDIA GeForce RTX 4090", 0x10de, 32, 32, true, true, ElementLayout::kNvidia},
    {"Intel(R) Arc(tm) A770 Graphics (DG2)", 0x8086, 8, 32, true, false, ElementLayout::kAuto},
    {"Mali-G715", 0x13b5, 16, 16, true, false, ElementLayout::kAuto},
    {"llvmpipe", 0x10005, 8, 8, false, false, ElementLayout::kAuto},
};

TEST(GpuFamily, HasALayout) {
    for (const Gpu& gpu : kGpus) {
        DeviceFacts facts;
        facts.properties.vendorID = gpu.vendor;
        std::strncpy(facts.properties.deviceName, gpu.name,
                     sizeof(facts.properties.deviceName) - 1);
        facts.traits.minSubgroupSize = gpu.leastLanes;
        facts.traits.maxSubgroupSize = gpu.mostLanes;
        facts.traits.dot4x8Mixed = gpu.hasMixedSigns;
        if (gpu.listsFloat8) facts.extensions.push_back({VK_EXT_SHADER_FLOAT8_EXTENSION_NAME, 1});
        EXPECT_EQ(familyLayout(facts), gpu.layout) << gpu.name;
    }
}

}  // namespace
}  // namespace coopvk::layer::gpu_family_test
