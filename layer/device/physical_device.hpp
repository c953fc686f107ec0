// SPDX-License-Identifier: Apache-2.0
//
// What the layer decides for a physical device. The layer uses this to answer queries, and
// `coopvk info` prints it.
#pragma once

#include "device/dependents.hpp"
#include "device/device_facts.hpp"
#include "device/policy.hpp"

namespace coopvk::layer {

struct Settings;

struct PhysicalDeviceContext {
    DeviceFacts facts;
    Decisions decisions;
    rewrite::ExtensionSet emulated;             // completely or in part
    rewrite::ExtensionFeatures nativeFeatures;  // of extensions that are emulated in part
    Hidden hidden;
    // Whether emulated extensions may use the driver's VK_KHR_cooperative_matrix.
    bool nativeMatrices = false;

    const Decision& decision(rewrite::Extension extension) const {
        return decisions[static_cast<size_t>(extension)];
    }
    // Whether a member of the extension's feature structure is emulated.
    bool adds(rewrite::Extension extension, size_t featureOffset) const;
    // Whether its main feature is emulated, so that coopvk answers its queries.
    bool answersFor(rewrite::Extension extension) const;
    // Listed after the driver's shapes: those that consist of tiles of the driver's, and those of
    // emulated formats.
    std::vector<rewrite::MatrixShape> addedShapes, formatShapes;
};

// `avoided`: see EmulatePolicy.
PhysicalDeviceContext assessDevice(const Settings& settings, DeviceFacts facts,
                                   rewrite::ExtensionSet avoided = {});

}  // namespace coopvk::layer
