// SPDX-License-Identifier: Apache-2.0
//
// The GPUs for which programs can take every device: the setting `as`.
#pragma once

#include <string_view>

#include "coopvk/rewrite.hpp"
#include "settings/shown_ids.hpp"

namespace coopvk::layer {

struct TakenFor {
    std::string_view name;        // the setting's value
    std::string_view possessive;  // "NVIDIA's", for people
    DeviceIds ids;                // what programs see
    rewrite::ElementLayout layout = rewrite::ElementLayout::kAuto;
    uint32_t subgroupSize = 0;
    // Extensions that programs for it ask for and hardly use
    // (rewrite::ExtensionInfo::isByNameOnly).
    rewrite::ExtensionSet extensions;
};

// Null for "own", and for names that are none.
const TakenFor* takenFor(std::string_view name);

}  // namespace coopvk::layer
