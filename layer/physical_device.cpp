// SPDX-License-Identifier: Apache-2.0
#include "physical_device.hpp"

#include "settings.hpp"

namespace coopvk::layer {

PhysicalDeviceContext assessDevice(const Settings& settings, DeviceFacts facts) {
    PhysicalDeviceContext device;
    device.facts = std::move(facts);
    device.decisions = decide(settings.emulate, device.facts);
    device.emulated = emulatedSet(device.decisions);
    device.nativeMatrices = allowsNativeMatrices(settings.backEnd, device.facts, device.emulated);
    device.facts.traits.onlyNativeShapes =
        device.nativeMatrices && settings.backEnd == rewrite::BackEnd::kNative;
    return device;
}

}  // namespace coopvk::layer
