// SPDX-License-Identifier: Apache-2.0
//
// What of cooperative matrices has no capability: matrices of workgroups, and flexible dimensions.
#pragma once

#include <span>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

// Whether a module may have matrices of a workgroup: of another scope than Subgroup, or of one that
// specialization decides. `globals` are its words behind the capabilities.
bool mayHaveWorkgroupMatrices(std::span<const uint32_t> globals);

// Of emulated extensions, one by which sizes of matrices are free that the device does not list
// itself.
std::optional<Extension> freesSizes(const ExtensionSet& emulated, const ExtensionFeatures& native);

}  // namespace coopvk::rewrite
