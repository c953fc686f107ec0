// SPDX-License-Identifier: Apache-2.0
//
// Which extensions to emulate on which device.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::layer {

struct DeviceFacts;

// The `emulate` setting.
struct EmulatePolicy {
    enum class Mode { kAuto, kAll, kList };
    Mode mode = Mode::kAuto;
    rewrite::ExtensionSet list;  // for kList

    // "auto", "all" or a comma list of Vulkan extension names. What is not understood is left out
    // and named in `complaints`.
    static EmulatePolicy parse(std::string_view text, std::vector<std::string>& complaints);
};

enum class Provision { kNative, kEmulated, kUnavailable };
// "native", "emulated" or "unavailable": the words of logs, reports and `coopvk info`.
std::string_view provisionName(Provision provision);

// What becomes of an extension on a device. Features are bits as in rewrite::ExtensionFeatures.
struct Decision {
    Provision provision = Provision::kUnavailable;
    std::string reason;   // one phrase for logs and `coopvk info`
    uint32_t native = 0;  // features of the driver that stay
    uint32_t added = 0;   // features that are emulated; none but where it is kEmulated

    // Emulated beside what the driver has itself: its structure and the extension's name go down.
    bool isPartial() const { return added != 0 && native != 0; }
};

// Whether emulated extensions may use the driver's matrices: not if these are emulated themselves,
// unless the setting says so.
bool allowsNativeMatrices(rewrite::BackEnd backEnd, const DeviceFacts& facts,
                          rewrite::ExtensionSet emulated);

using Decisions = std::array<Decision, rewrite::kExtensionCount>;

// The shapes that are listed after the driver's matrix shapes, if these are not emulated: with
// `auto`, those that consist of tiles of the driver's shapes.
std::vector<rewrite::MatrixShape> shapesToAdd(const EmulatePolicy& policy, rewrite::BackEnd backEnd,
                                              const DeviceFacts& facts,
                                              rewrite::ExtensionSet emulated);

Decisions decide(const EmulatePolicy& policy, const DeviceFacts& facts);
// What the rewriter and other decisions see of a device whose half floats are emulated.
void emulateHalves(rewrite::DeviceTraits& traits);
rewrite::ExtensionSet emulatedSet(const Decisions& decisions);
// The extensions that are emulated completely: no feature of them is the driver's.
rewrite::ExtensionSet coveredSet(const Decisions& decisions);
// Those among them that the driver has features of, which are hidden.
rewrite::ExtensionSet replacedSet(const Decisions& decisions, const DeviceFacts& facts);
// The features that stay the driver's, of extensions that are emulated in part.
rewrite::ExtensionFeatures nativeFeatures(const Decisions& decisions);

}  // namespace coopvk::layer
