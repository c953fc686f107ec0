// SPDX-License-Identifier: Apache-2.0
//
// The compute pipeline that converts matrices on a device.
#pragma once

#include <vulkan/vulkan.h>

#include <mutex>

#include "matrix_conversion.hpp"

namespace coopvk::layer {

struct DeviceContext;

class ConversionKernel {
 public:
    // Makes the pipeline on the first call. Thread safe.
    VkResult prepare(DeviceContext& device);
    void destroy(DeviceContext& device);

    void bind(DeviceContext& device, VkCommandBuffer commands) const;
    // After bind(). Empty, or why the device cannot do it.
    std::string dispatch(DeviceContext& device, VkCommandBuffer commands,
                         const MatrixConversion& conversion, VkDeviceAddress source,
                         VkDeviceAddress target) const;

    // Of the push constants that dispatch() sets.
    static constexpr uint32_t kPushBytes = 60;

 private:
    VkResult create(DeviceContext& device);

    std::mutex mutex_;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
};

}  // namespace coopvk::layer
