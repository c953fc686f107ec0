// SPDX-License-Identifier: Apache-2.0
//
// What the layer makes of a physical device: for its own answers, and for `coopvk info`, which
// tells of them.
#pragma once

#include "device_facts.hpp"
#include "policy.hpp"

namespace coopvk::layer {

struct Settings;

struct PhysicalDeviceContext {
    DeviceFacts facts;
    Decisions decisions;
    rewrite::ExtensionSet emulated;
    // Emulated extensions may rest on the driver's own VK_KHR_cooperative_matrix.
    bool nativeMatrices = false;
};

PhysicalDeviceContext assessDevice(const Settings& settings, DeviceFacts facts);

}  // namespace coopvk::layer
