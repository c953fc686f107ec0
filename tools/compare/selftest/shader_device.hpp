// SPDX-License-Identifier: Apache-2.0
//
// A device with coopvk's extensions, and all features that it lists.
#pragma once

#include <span>
#include <string>

#include "compute_device.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::compare {

class ShaderDevice : public vulkan::ComputeDevice {
 public:
    // Throws where there is no such device, or where the layer does not offer an extension on it.
    ShaderDevice(uint32_t index, std::span<const rewrite::Extension> extensions,
                 const std::string& backEnd);

    uint32_t lanes() const { return properties11.subgroupSize; }
};

}  // namespace coopvk::compare
