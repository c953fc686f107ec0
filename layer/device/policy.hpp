// SPDX-License-Identifier: Apache-2.0
//
// Which extensions to emulate on which device.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "settings/emulate_policy.hpp"

namespace coopvk::layer {

struct DeviceFacts;

enum class Provision { kNative, kEmulated, kUnavailable };
// "native", "emulated" or "unavailable": the words of logs, reports and `coopvk info`.
std::string_view provisionName(Provision provision);

// What the layer decides for an extension on a device. Features are bits as in
// rewrite::ExtensionFeatures.
struct Decision {
    Provision provision = Provision::kUnavailable;
    std::string reason;   // one phrase for logs and `coopvk info`
    uint32_t native = 0;  // features of the driver that stay
    uint32_t added = 0;   // features that are emulated; only with kEmulated

    // Emulated in addition to the driver's own features: the feature structure and the extension's
    // name are passed on.
    bool isPartial() const { return added != 0 && native != 0; }
};

// How the reason begins of an extension that would be possible, but that `auto` leaves out.
inline constexpr const char* kOnlyByNameReason =
    "offered only if the emulate setting asks for it: ";

// Of an extension that EmulatePolicy::avoided, and what depends on that, keep from a program.
inline constexpr const char* kRememberedReason =
    "not offered: this program failed with it before, or with what it depends on, as coopvk doctor "
    "shows";

// Whether emulated extensions may use the driver's matrices. Without the setting: if these are not
// emulated themselves, and not on CPUs, whose drivers compute them more slowly than core SPIR-V.
bool allowsNativeMatrices(rewrite::BackEnd backEnd, const DeviceFacts& facts,
                          rewrite::ExtensionSet emulated);

using Decisions = std::array<Decision, rewrite::kExtensionCount>;

// The shapes that the layer lists after the driver's matrix shapes, if it does not emulate these:
// those that consist of tiles of the driver's shapes, if the user asks for the native back-end;
// else what programs with emulated 8-bit floats expect beside these. Programs choose by size or by
// their own order among the shapes that they find, so that a shape which they would do without can
// cost them a faster one.
std::vector<rewrite::MatrixShape> shapesToAdd(const EmulatePolicy& policy, const DeviceFacts& facts,
                                              rewrite::ExtensionSet emulated);

Decisions decide(const EmulatePolicy& policy, const DeviceFacts& facts);
// The facts of a device with emulated half floats, for the rewriter and for other decisions.
void emulateHalves(rewrite::DeviceTraits& traits);
rewrite::ExtensionSet emulatedSet(const Decisions& decisions);
// The extensions that are emulated completely: no feature of them is the driver's.
rewrite::ExtensionSet coveredSet(const Decisions& decisions);
// Those of them that the driver has features of; the layer hides these features.
rewrite::ExtensionSet replacedSet(const Decisions& decisions, const DeviceFacts& facts);
// The features that stay the driver's, of extensions that are emulated in part.
rewrite::ExtensionFeatures nativeFeatures(const Decisions& decisions);

}  // namespace coopvk::layer
