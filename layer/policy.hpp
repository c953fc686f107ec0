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

struct Decision {
    Provision provision = Provision::kUnavailable;
    std::string reason;  // one phrase for logs and `coopvk info`
};

// Whether the driver's own matrices may carry emulated extensions: not where they are themselves
// emulated, unless the setting says so.
bool allowsNativeMatrices(rewrite::BackEnd backEnd, const DeviceFacts& facts,
                          rewrite::ExtensionSet emulated);

using Decisions = std::array<Decision, rewrite::kExtensionCount>;

Decisions decide(const EmulatePolicy& policy, const DeviceFacts& facts);
rewrite::ExtensionSet emulatedSet(const Decisions& decisions);

}  // namespace coopvk::layer
