// SPDX-License-Identifier: Apache-2.0
//
// A Vulkan device that executes what the reference device does: with all features that shaders may
// need and that it has.
#pragma once

#include <string>
#include <vector>

#include "check.hpp"
#include "compute_device.hpp"

namespace coopvk::tool {

class VulkanDevice {
 public:
    // `index` counts the devices that the environment leaves. Throws std::runtime_error.
    explicit VulkanDevice(uint32_t index);

    std::string name() const { return gpu_.name(); }
    // Those with which it executes compute shaders.
    std::vector<uint32_t> subgroupSizes() const;
    // The module, with a copy of the memory.
    check::OnDevice execute(const check::DeviceRequest& request);

 private:
    // The widths of floats whose denormals it cannot preserve, see check::OnDevice.
    uint32_t flushedWidths() const;
    // What of the request is beyond what the device has; empty: nothing.
    std::string whyNot(const check::DeviceRequest& request) const;
    std::string whyNot(const check::Buffer& buffer) const;
    VkPipeline createPipeline(const check::DeviceRequest& request, VkPipelineLayout layout);
    check::Execution run(const check::DeviceRequest& request);

    vulkan::ComputeDevice gpu_;
};

}  // namespace coopvk::tool
