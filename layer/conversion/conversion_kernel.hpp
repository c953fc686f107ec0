// SPDX-License-Identifier: Apache-2.0
//
// The compute pipeline that converts matrices on a device. It has no descriptors and no push
// constants: the base of a dispatch says where in memory its arguments are.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "conversion/conversion_arguments.hpp"
#include "conversion/matrix_conversion.hpp"

namespace coopvk::layer {

class ConversionKernel {
 public:
    // What a command buffer has bound.
    struct Bound {
        VkCommandBuffer commands = VK_NULL_HANDLE;
        VkCommandPool pool = VK_NULL_HANDLE;   // the command buffer's
        VkPipeline pipeline = VK_NULL_HANDLE;  // null before the first dispatch
    };

    // Records a conversion: a barrier before the first, and a pipeline if `bound` has another.
    // Makes the pipeline and memory on the first call. Thread safe. It holds no lock while it calls
    // the next layer, since debug callbacks from there may record conversions themselves.
    VkResult dispatch(DeviceContext& device, const MatrixConversion& conversion,
                      VkDeviceAddress source, VkDeviceAddress target, Bound& bound);
    void destroy(DeviceContext& device);

    ConversionArguments arguments;

    // A query of the application counts invocations of compute shaders, also those of conversions:
    // it cannot be interrupted. Whether there is one, and whether the log says so.
    std::atomic<bool> isCounted = false, isCountedLogged = false;

    // Empty, or why the kernel cannot convert a matrix.
    static std::string checkLimits(const MatrixConversion& conversion);

 private:
    struct Objects {
        VkPipelineLayout layout = VK_NULL_HANDLE;
        VkPipeline pipeline = VK_NULL_HANDLE;
    };

    VkResult pipelineFor(DeviceContext& device, uint32_t window, VkPipeline& pipeline);
    static VkResult create(DeviceContext& device, uint32_t window, Objects& made);
    static void destroyObjects(DeviceContext& device, const Objects& objects);

    std::mutex mutex_;
    std::map<uint32_t, Objects> objects_;  // by window, see the source; none is ever removed
};

}  // namespace coopvk::layer
