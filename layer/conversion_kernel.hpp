// SPDX-License-Identifier: Apache-2.0
//
// The compute pipeline that converts matrices on a device.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <mutex>

#include "matrix_conversion.hpp"

namespace coopvk::layer {

struct DeviceContext;

// How the kernel gets its arguments: in the way that leaves the application's descriptors valid.
enum class PushMode { kConstants, kData };

class ConversionKernel {
 public:
    // Makes the pipeline on the first call. Thread safe. It holds no lock while it calls the next
    // layer, since debug callbacks from there may record conversions themselves.
    VkResult prepare(DeviceContext& device, PushMode mode);
    void destroy(DeviceContext& device);

    // After prepare().
    void bind(DeviceContext& device, VkCommandBuffer commands, PushMode mode) const;
    // After bind(). Empty, or why the device cannot do it.
    std::string dispatch(DeviceContext& device, VkCommandBuffer commands, PushMode mode,
                         const MatrixConversion& conversion, VkDeviceAddress source,
                         VkDeviceAddress target) const;

    // The size of the push constants, or push data, that dispatch() sets.
    static constexpr uint32_t kPushBytes = 60;

 private:
    struct Objects {
        VkPipelineLayout layout = VK_NULL_HANDLE;  // none for push data
        VkPipeline pipeline = VK_NULL_HANDLE;
    };

    static VkResult create(DeviceContext& device, PushMode mode, Objects& made);
    static void destroy(DeviceContext& device, const Objects& objects);
    const Objects& objects(PushMode mode) const { return objects_[static_cast<size_t>(mode)]; }

    std::mutex mutex_;
    std::array<Objects, 2> objects_;  // each set once
};

}  // namespace coopvk::layer
