// SPDX-License-Identifier: Apache-2.0
#include "device/physical_device.hpp"

#include "device/extension_rows.hpp"
#include "settings/settings.hpp"

namespace coopvk::layer {

bool PhysicalDeviceContext::adds(rewrite::Extension extension, size_t featureOffset) const {
    return (decision(extension).added & extensionRow(extension).bit(featureOffset)) != 0;
}

bool PhysicalDeviceContext::answersFor(rewrite::Extension extension) const {
    return adds(extension, extensionRow(extension).mainFeatureOffset);
}

namespace {

// Whether shaders that depend on the wanted layout of elements get it in place of the driver's
// matrices, which lie as those of the device's family. On AMD's GPUs they stay: vkd3d-proton cares
// for RDNA 3 itself.
bool replacesLayout(const Settings& settings, const PhysicalDeviceContext& device) {
    using enum rewrite::ElementLayout;
    constexpr uint32_t kVendorAmd = 0x1002;
    const bool hasDriversMatrices =
        device.facts.has(Feature::kNativeCooperativeMatrix) &&
        !device.emulated.contains(rewrite::Extension::kKhrCooperativeMatrix) &&
        settings.backEnd != rewrite::BackEnd::kNative;
    const rewrite::ElementLayout wanted =
        device.elementLayout == kAuto ? device.programLayout : device.elementLayout;
    if (!hasDriversMatrices || wanted == kAuto || wanted == kFree) return false;
    if (device.facts.properties.vendorID == kVendorAmd ||
        wanted == device.facts.traits.familyLayout) {
        return false;
    }
    // Else the driver's identifiers and caches are its own.
    return !device.emulated.empty() || !device.addedShapes.empty();
}

}  // namespace

PhysicalDeviceContext assessDevice(const Settings& settings, DeviceFacts facts,
                                   rewrite::ExtensionSet avoided) {
    PhysicalDeviceContext device;
    EmulatePolicy policy = settings.emulate;
    policy.avoided = avoided;
    device.facts = std::move(facts);
    takeFor(settings, device);
    device.decisions = decide(policy, device.facts);
    device.emulated = emulatedSet(device.decisions);
    if (device.emulated.contains(rewrite::Extension::kKhrShaderFloat16Int8)) {
        emulateHalves(device.facts.traits);
    }
    device.nativeFeatures = nativeFeatures(device.decisions);
    device.hidden = {device.emulated, replacedSet(device.decisions, device.facts),
                     device.facts.apiVersion};
    device.nativeMatrices = allowsNativeMatrices(settings.backEnd, device.facts, device.emulated);
    device.facts.traits.onlyNativeShapes =
        device.nativeMatrices && settings.backEnd == rewrite::BackEnd::kNative;
    rewrite::DeviceTraits& traits = device.facts.traits;
    rewrite::Target target;
    target.device = traits;
    target.emulated = device.emulated;
    target.backEnd = device.nativeMatrices ? settings.backEnd : rewrite::BackEnd::kCore;
    traits.blockedWeights = rewrite::prefersBlockedWeights(target);
    traits.shaderBFloat16CooperativeMatrix = device.adds(
        rewrite::Extension::kKhrShaderBfloat16,
        offsetof(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16CooperativeMatrix));
    traits.shaderFloat8CooperativeMatrix = device.adds(
        rewrite::Extension::kExtShaderFloat8,
        offsetof(VkPhysicalDeviceShaderFloat8FeaturesEXT, shaderFloat8CooperativeMatrix));
    // If KHR's matrices are emulated, they are in that extension's list.
    if (!device.answersFor(rewrite::Extension::kKhrCooperativeMatrix)) {
        device.formatShapes = rewrite::formatMatrixShapes(traits);
    }
    device.addedShapes = shapesToAdd(settings.emulate, device.facts, device.emulated);
    device.replacesLayout = replacesLayout(settings, device);
    return device;
}

}  // namespace coopvk::layer
