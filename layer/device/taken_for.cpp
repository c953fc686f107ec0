// SPDX-License-Identifier: Apache-2.0
//
// What the setting `as` changes on a device, beside the numbers and names that programs see.
#include <format>

#include "device/physical_device.hpp"
#include "settings/settings.hpp"

namespace coopvk::layer {
namespace {

std::string sizesOf(const rewrite::DeviceTraits& traits) {
    return traits.minSubgroupSize == traits.maxSubgroupSize
               ? std::format("of {} only", traits.minSubgroupSize)
               : std::format("of {} to {}", traits.minSubgroupSize, traits.maxSubgroupSize);
}

// Why compute shaders cannot all run in subgroups of a size; empty: they can.
std::string whyNoSubgroupsOf(uint32_t size, const DeviceFacts& facts) {
    const rewrite::DeviceTraits& traits = facts.traits;
    if (!traits.subgroupBasic) return "the device has no subgroups in compute shaders";
    if (size < traits.minSubgroupSize || size > traits.maxSubgroupSize)
        return "the device runs subgroups " + sizesOf(traits);
    if (traits.minSubgroupSize == traits.maxSubgroupSize) return {};
    if (!traits.subgroupSizeControl) return "the device does not let shaders require a size";
    const uint64_t most = uint64_t{size} * facts.maxComputeWorkgroupSubgroups;
    return most != 0 && most < traits.maxComputeWorkGroupInvocations
               ? "the device's largest workgroups would have too many of them"
               : std::string();
}

// Whether the rewriter can make subgroups of a size out of invocations of a workgroup.
bool canEmulate(uint32_t size, const rewrite::DeviceTraits& traits) {
    return traits.subgroupBasic && traits.maxSubgroupSize < size &&
           traits.minSubgroupSize == traits.maxSubgroupSize;
}

// From here on, the device has them, as far as others can see. What shows in other stages are the
// driver's, with as many lanes active as those have.
void emulateSubgroups(uint32_t size, DeviceFacts& facts) {
    rewrite::DeviceTraits& traits = facts.traits;
    traits.driverSubgroupSize = traits.subgroupSize;
    traits.subgroupSize = traits.minSubgroupSize = traits.maxSubgroupSize = size;
    facts.maxComputeWorkgroupSubgroups = traits.maxComputeWorkGroupInvocations / size;
    if (traits.subgroupSizeControl) facts.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
    // In these, the driver's matrices lie in its own subgroups.
    facts.features.reset(static_cast<size_t>(Feature::kNativeCooperativeMatrix));
    traits.nativeShapes.clear();
}

}  // namespace

void takeFor(const Settings& settings, PhysicalDeviceContext& device) {
    device.elementLayout = settings.elementLayout;
    device.programLayout = settings.programLayout;
    if (settings.as == nullptr) return;
    const uint32_t size = settings.as->subgroupSize;
    rewrite::DeviceTraits& traits = device.facts.traits;
    device.programLayout = settings.as->layout;
    device.whyNotTakenFor = whyNoSubgroupsOf(size, device.facts);
    if (!device.whyNotTakenFor.empty() && canEmulate(size, traits)) {
        emulateSubgroups(size, device.facts);
        device.whyNotTakenFor.clear();
    }
    if (!device.whyNotTakenFor.empty()) return;
    if (traits.minSubgroupSize != traits.maxSubgroupSize) device.requiredSubgroupSize = size;
    traits.subgroupSize = size;
    if (!settings.namesLayout) device.elementLayout = settings.as->layout;
}

std::string takenForText(const TakenFor& as, const PhysicalDeviceContext& device) {
    if (!device.whyNotTakenFor.empty()) {
        return std::format(
            "programs take it for {}, but its subgroups do not become those of {} invocations: {}; "
            "shaders whose results depend on the layout of elements '{}' compute wrong numbers",
            as.possessive, as.subgroupSize, device.whyNotTakenFor,
            rewrite::elementLayoutName(as.layout));
    }
    std::string text = std::format(
        "programs take it for {}, with subgroups of {} and the layout of elements '{}'",
        as.possessive, as.subgroupSize, rewrite::elementLayoutName(device.elementLayout));
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (as.extensions.contains(info.extension) && device.emulated.contains(info.extension))
            text.append(", ").append(info.vulkanName);
    }
    if (const uint32_t drivers = device.facts.traits.driverSubgroupSize; drivers != 0) {
        text += std::format(
            "; its own have {}, so those of compute shaders exchange values through shared memory",
            drivers);
    }
    return text;
}

}  // namespace coopvk::layer
