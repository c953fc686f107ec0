// SPDX-License-Identifier: Apache-2.0
#include "physical_device.hpp"

#include "extension_rows.hpp"
#include "settings.hpp"

namespace coopvk::layer {

bool PhysicalDeviceContext::adds(rewrite::Extension extension, size_t featureOffset) const {
    return (decision(extension).added & extensionRow(extension).bit(featureOffset)) != 0;
}

bool PhysicalDeviceContext::answersFor(rewrite::Extension extension) const {
    return adds(extension, extensionRow(extension).mainFeatureOffset);
}

PhysicalDeviceContext assessDevice(const Settings& settings, DeviceFacts facts) {
    PhysicalDeviceContext device;
    device.facts = std::move(facts);
    device.decisions = decide(settings.emulate, device.facts);
    device.emulated = emulatedSet(device.decisions);
    device.nativeFeatures = nativeFeatures(device.decisions);
    device.hidden = {coveredSet(device.decisions), device.emulated,
                     replacedSet(device.decisions, device.facts)};
    device.nativeMatrices = allowsNativeMatrices(settings.backEnd, device.facts, device.emulated);
    device.facts.traits.onlyNativeShapes =
        device.nativeMatrices && settings.backEnd == rewrite::BackEnd::kNative;
    device.addedShapes =
        shapesToAdd(settings.emulate, settings.backEnd, device.facts, device.emulated);
    return device;
}

}  // namespace coopvk::layer
