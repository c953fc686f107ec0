// SPDX-License-Identifier: Apache-2.0
//
// Devices and instances in addition to those that all tests share.
#pragma once

#include "compute.hpp"

namespace coopvk::test {

// A device with its own dispatch table, which enables only what the sample shaders need.
class OtherDevice {
 public:
    // On the shared physical device.
    explicit OtherDevice(bool matrices);
    // On another instance's.
    OtherDevice(bool matrices, VkPhysicalDevice physical, PFN_vkCreateDevice create,
                const VkAllocationCallbacks* allocator = nullptr);
    ~OtherDevice();
    OtherDevice(const OtherDevice&) = delete;
    OtherDevice& operator=(const OtherDevice&) = delete;

    // Makes and destroys a pipeline from a shader that reads and writes the tests' buffers.
    VkResult makePipeline(const Words& words);

 private:
    const VkAllocationCallbacks* allocator_;
    VkDevice device_ = VK_NULL_HANDLE;
    VolkDeviceTable table_{};
};

// An instance of its own, with the shared physical device's position.
class OtherInstance {
 public:
    OtherInstance();
    ~OtherInstance();
    OtherInstance(const OtherInstance&) = delete;
    OtherInstance& operator=(const OtherInstance&) = delete;

    VkPhysicalDevice physical() const { return physical_; }
    const VolkInstanceTable& table() const { return table_; }

 private:
    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VolkInstanceTable table_{};
};

}  // namespace coopvk::test
