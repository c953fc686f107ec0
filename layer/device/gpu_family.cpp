// SPDX-License-Identifier: Apache-2.0
#include "device/gpu_family.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "device/device_facts.hpp"

namespace coopvk::layer {
namespace {

// Of the PCI SIG's list.
constexpr uint32_t kAmd = 0x1002, kNvidia = 0x10de;

bool isNvidias(const DeviceFacts& facts) { return facts.properties.vendorID == kNvidia; }

// GCN has subgroups of 64 only, RDNA also of 32 (AMD's documents of the instruction sets).
bool isRdna(const DeviceFacts& facts) {
    return facts.properties.vendorID == kAmd && facts.traits.minSubgroupSize <= 32;
}

// The first one with 8-bit floats; RADV's name of such a device has the name of the chip.
bool isRdna4(const DeviceFacts& facts) {
    const std::string_view name = facts.properties.deviceName;
    return isRdna(facts) && (facts.lists(VK_EXT_SHADER_FLOAT8_EXTENSION_NAME) ||
                             name.find("GFX12") != std::string_view::npos);
}

// Its V_DOT4_I32_IU8 takes a sign for each factor; RDNA 2 has dot products of equal signs only.
bool isRdna3(const DeviceFacts& facts) { return isRdna(facts) && facts.traits.dot4x8Mixed; }

struct Family {
    bool (*is)(const DeviceFacts& facts);
    rewrite::ElementLayout layout;
};

// The first one that a device is. RDNA 1 and 2 have no matrices: what programs assume of AMD's GPUs
// is RDNA 4's layout (FSR 4). GPUs of NVIDIA before Turing have none either.
constexpr Family kFamilies[] = {
    {isNvidias, rewrite::ElementLayout::kNvidia},
    {isRdna4, rewrite::ElementLayout::kRdna4},
    {isRdna3, rewrite::ElementLayout::kRdna3},
    {isRdna, rewrite::ElementLayout::kRdna4},
};

}  // namespace

rewrite::ElementLayout familyLayout(const DeviceFacts& facts) {
    const auto* found =
        std::ranges::find_if(kFamilies, [&](const Family& family) { return family.is(facts); });
    return found == std::end(kFamilies) ? rewrite::ElementLayout::kAuto : found->layout;
}

}  // namespace coopvk::layer
