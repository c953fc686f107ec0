// SPDX-License-Identifier: Apache-2.0
//
// What the layer makes of a physical device: for its own answers, and for `coopvk info`, which
// tells of them.
#pragma once

#include "dependents.hpp"
#include "device_facts.hpp"
#include "policy.hpp"

namespace coopvk::layer {

struct Settings;

struct PhysicalDeviceContext {
    DeviceFacts facts;
    Decisions decisions;
    rewrite::ExtensionSet emulated;  // in whole or in part
    rewrite::ExtensionFeatures own;  // what stays the driver's of those in part
    Hidden hidden;
    // Emulated extensions may rest on the driver's own VK_KHR_cooperative_matrix.
    bool nativeMatrices = false;

    const Decision& decision(rewrite::Extension extension) const {
        return decisions[static_cast<size_t>(extension)];
    }
    // A member of the extension's feature structure is emulated.
    bool adds(rewrite::Extension extension, size_t featureOffset) const;
    // Its main feature is emulated, and so its queries are coopvk's.
    bool answersFor(rewrite::Extension extension) const;
    // Listed behind the driver's own.
    std::vector<rewrite::MatrixShape> addedShapes;
};

PhysicalDeviceContext assessDevice(const Settings& settings, DeviceFacts facts);

}  // namespace coopvk::layer
