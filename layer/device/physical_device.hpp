// SPDX-License-Identifier: Apache-2.0
//
// What the layer decides for a physical device. The layer uses this to answer queries, and
// `coopvk info` prints it.
#pragma once

#include "device/dependents.hpp"
#include "device/device_facts.hpp"
#include "device/policy.hpp"
#include "device/tuning.hpp"

namespace coopvk::layer {

struct Settings;
struct TakenFor;

struct PhysicalDeviceContext {
    DeviceFacts facts;
    Decisions decisions;
    rewrite::ExtensionSet emulated;             // completely or in part
    rewrite::ExtensionFeatures nativeFeatures;  // of extensions that are emulated in part
    Hidden hidden;
    // Whether emulated extensions may use the driver's VK_KHR_cooperative_matrix.
    bool nativeMatrices = false;
    // Of shaders on it: rewrite::Target.
    rewrite::ElementLayout elementLayout = rewrite::ElementLayout::kAuto;
    rewrite::ElementLayout programLayout = rewrite::ElementLayout::kAuto;
    // What the setting `as` lets all stages require that can; 0: nothing.
    uint32_t requiredSubgroupSize = 0;
    // Why the setting changes neither subgroups nor the layout of elements; empty: it does.
    std::string whyNotTakenFor;
    // See rewrite::Target::replacesLayout.
    bool replacesLayout = false;
    DeviceTuning tuning;  // of its shaders; see tuningFor()

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

// Sets what the settings `as` and element_layout decide, and the subgroup size that shaders get.
void takeFor(const Settings& settings, PhysicalDeviceContext& device);

// A line for people: what that did on the device, or why it did not.
std::string takenForText(const TakenFor& as, const PhysicalDeviceContext& device);

// `avoided`: see EmulatePolicy.
PhysicalDeviceContext assessDevice(const Settings& settings, DeviceFacts facts,
                                   rewrite::ExtensionSet avoided = {});

}  // namespace coopvk::layer
