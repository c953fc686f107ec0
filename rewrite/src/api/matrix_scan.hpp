// SPDX-License-Identifier: Apache-2.0
//
// Uses of cooperative matrices that no capability declares: scope Workgroup, flexible dimensions.
#pragma once

#include <span>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

// Whether a module may have matrices of scope Workgroup: of any scope but a constant that is
// Subgroup. `words` start after the capabilities.
bool mayHaveWorkgroupMatrices(std::span<const uint32_t> words);

// Returns an emulated extension that allows matrices of sizes that the device does not list, if its
// feature is not native.
std::optional<Extension> allowsFlexibleSizes(const ExtensionSet& emulated,
                                             const ExtensionFeatures& native);

}  // namespace coopvk::rewrite
