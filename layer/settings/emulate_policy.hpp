// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"

namespace coopvk::layer {

// The `emulate` setting.
struct EmulatePolicy {
    enum class Mode { kAuto, kAll, kList };
    Mode mode = Mode::kAuto;
    // The names in the setting. With kAuto: extensions that `auto` would leave out (WhyNotInAuto).
    rewrite::ExtensionSet list;
    // With kAuto: what is not offered because of faults that are remembered of the program.
    rewrite::ExtensionSet avoided;

    // "all", or a list of Vulkan extension names and "auto", separated by commas. Unknown names are
    // ignored and added to `complaints`.
    static EmulatePolicy parse(std::string_view text, std::vector<std::string>& complaints);
};

}  // namespace coopvk::layer
